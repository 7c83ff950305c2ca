"""Which vaults the user trusts, and the settings files found inside a vault.

`glassmind trust` records the vault's path and a digest of its settings
(`glassmind.toml` and the `.env` beside it) in `trusted.json` in the user's
configuration folder. A changed file has another digest and counts as untrusted again.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from glassmind.config.files import VAULT_NAMES, links_in, present, short
from glassmind.config.places import config_home
from glassmind.errors import BadConfigFile

TRUST_FILE = "trusted.json"

LARGEST_FILE = 256 * 1024
"""Bytes of a settings file in a vault; one with every setting explained has 12,000."""

DOTENV = ".env"


class VaultSettings(NamedTuple):
    """The settings files of a vault as they were read, both in one go.

    `dotenv` is None if there is no `.env` beside the file.
    """

    vault: Path
    file: Path
    content: bytes
    dotenv: bytes | None

    def digest(self) -> str:
        """Return a digest of the files' content and location."""
        from hashlib import sha256  # noqa: PLC0415 - only for vaults on record

        made = sha256()
        for part in (
            os.fsencode(self.file.relative_to(self.vault)),
            self.content,
            b"none" if self.dotenv is None else b"file" + self.dotenv,
        ):
            made.update(len(part).to_bytes(8, "big") + part)
        return f"sha256:{made.hexdigest()}"


def read_vault_settings(
    vault: Path, *, but: Sequence[Path] = ()
) -> tuple[VaultSettings | None, list[str]]:
    """Return the settings files of a vault and warnings about files not read.

    The first file of `VAULT_NAMES` counts, unless it is one of `but`. Links are not
    followed, and files too large to be settings are not read.
    """
    warnings: list[str] = []
    try:
        found = present(vault, VAULT_NAMES)
        found = [file for file in found if not any(map(file.samefile, but))]
    except (BadConfigFile, OSError) as error:
        return None, [str(error)]
    linked = [file for file in found if links_in(vault, file)]
    warnings += [f"{short(file)} is not read: it is a symbolic link" for file in linked]
    found = [file for file in found if file not in linked]
    for file in found[1:]:
        warnings.append(f"{short(file)} is not read: {short(found[0])} is used instead")
    if not found:
        return None, warnings
    content = _content(found[0], warnings)
    if content is None:
        return None, warnings
    dotenv, beside = found[0].with_name(DOTENV), None
    if dotenv.is_symlink():
        warnings.append(f"{short(dotenv)} is not read: it is a symbolic link")
    elif dotenv.is_file():
        beside = _content(dotenv, warnings)
    return VaultSettings(vault, found[0], content, beside), warnings


def _content(file: Path, warnings: list[str]) -> bytes | None:
    try:
        with file.open("rb") as opened:
            content = opened.read(LARGEST_FILE + 1)
    except OSError as error:
        warnings.append(f"{short(file)} is not read: {error.strerror}")
        return None
    if len(content) > LARGEST_FILE:
        most = LARGEST_FILE // 1024
        warnings.append(f"{short(file)} is not read: it is larger than {most} KiB")
        return None
    return content


def recorded_digest(vault: Path, env: Mapping[str, str]) -> str:
    """Return the digest that the user trusted for a vault; empty if none."""
    digest = _recorded(env).get(_name(vault), "")
    return digest if isinstance(digest, str) else ""


def is_trusted(settings: VaultSettings, env: Mapping[str, str]) -> bool:
    """Return whether the user trusts these very settings."""
    recorded = recorded_digest(settings.vault, env)
    return bool(recorded) and recorded == settings.digest()


def record_trust(settings: VaultSettings, env: Mapping[str, str]) -> None:
    """Trust these settings of a vault from now on.

    Raises:
        ConfigUnwritable: the record cannot be written.
    """
    _write(env, {**_recorded(env), _name(settings.vault): settings.digest()})


def revoke_trust(vault: Path, env: Mapping[str, str]) -> bool:
    """Forget that a vault is trusted; return whether it was on record.

    Raises:
        ConfigUnwritable: the record cannot be written.
    """
    known = _recorded(env)
    if known.pop(_name(vault), None) is None:
        return False
    _write(env, known)
    return True


@contextmanager
def keep_trust(vault: Path, env: Mapping[str, str]) -> Iterator[None]:
    """Trust what the user's own command writes into the settings of a vault.

    Only if they are trusted before, or there are none: a file that is there may come
    from somebody else.
    """
    before, _ = read_vault_settings(vault)
    yield
    after, _ = read_vault_settings(vault)
    if after is None:
        return
    new = before is None and after.dotenv is None
    if new or (before is not None and is_trusted(before, env)):
        record_trust(after, env)


def _name(vault: Path) -> str:
    return os.path.normcase(os.path.realpath(vault))


def _recorded(env: Mapping[str, str]) -> dict[str, Any]:
    """Return the digests by vault; a missing or damaged record trusts nobody."""
    try:
        content = (config_home(env) / TRUST_FILE).read_bytes()
    except OSError:
        return {}
    import json  # noqa: PLC0415 - only for users who trust a vault

    try:
        vaults = json.loads(content)["vaults"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return {}
    return vaults if isinstance(vaults, dict) else {}


def _write(env: Mapping[str, str], vaults: Mapping[str, object]) -> None:
    import json  # noqa: PLC0415 - as above

    from glassmind.config.write import replace_file  # noqa: PLC0415 - slow to import

    text = json.dumps({"vaults": vaults}, indent=2, sort_keys=True) + "\n"
    replace_file(config_home(env) / TRUST_FILE, text, mode=0o600)
