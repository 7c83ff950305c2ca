"""Write down which vault was chosen, in a configuration file."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from glassmind.config.load import USER_FILE, settings_in
from glassmind.config.places import FILE_NAME
from glassmind.config.sources import read_text, refuse_link
from glassmind.config.trust import read_vault_settings, record_trust
from glassmind.config.values import AGENT_DIR
from glassmind.config.write import set_keys, write_config
from glassmind.errors import VaultChosen
from glassmind.files.agent_folder import make_agent_folder


@dataclass(frozen=True, slots=True)
class ConfiguredVault:
    """A vault and its configuration file; `kept` if the file was there before.

    `made` are folders that were made.
    """

    vault: Path
    file: Path
    kept: bool
    made: list[Path]


def configure_vault(
    vault: Path,
    env: Mapping[str, str],
    *,
    file: Path | None,
    force: bool,
    agent_dir: bool,
) -> ConfiguredVault:
    """Write which vault was chosen; an existing file keeps everything else.

    Without `file`, the settings are in the vault. `force` replaces an existing file.

    Raises:
        VaultChosen: the file names another vault, which still exists.
        ConfigUnwritable, FolderUnwritable, PathOutsideVault: it cannot be written.
    """
    in_vault = file is None
    file = file or vault / FILE_NAME
    is_kept = os.path.exists(file) and not force  # noqa: PTH110 - False if denied
    before = None
    if is_kept and not in_vault:
        before = settings_in(file, read_text(file), USER_FILE)[0].get("vault.path")
    same = before is not None and os.path.realpath(before) == os.path.realpath(vault)
    # a vault that we may not see counts as gone
    if before is not None and not same and os.path.isdir(before):  # noqa: PTH112
        raise VaultChosen(str(file), str(before), str(vault))
    if in_vault:
        refuse_link(file)  # before anything is written
    made = make_agent_folder(vault, AGENT_DIR) if agent_dir else []
    if not is_kept:
        write_config(file, vault, in_vault=in_vault)
        if in_vault and (settings := read_vault_settings(vault)):
            record_trust(settings, env)
    elif not same and not in_vault:
        set_keys(file, {"vault.path": str(vault.resolve())})
    return ConfiguredVault(vault, file, is_kept and (same or in_vault), made)
