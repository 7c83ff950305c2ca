"""One configuration from flags, variables, the two files and the defaults."""

import os
from collections.abc import Mapping
from pathlib import Path

from glassmind.config.checks import check_together
from glassmind.config.entries import RANKS, Entry
from glassmind.config.environment import (
    CONFIG_VARIABLE,
    environment,
    unknown_variables,
)
from glassmind.config.files import FILE_NAME, USER_NAMES, VAULT_NAMES, first_file
from glassmind.config.guards import same_vault
from glassmind.config.layers import Choice, Layers
from glassmind.config.places import config_home, index_home
from glassmind.config.policy import settled_writes
from glassmind.config.sections import AGENT_DIR, KEYS, SECTIONS, Config
from glassmind.config.values import value_of
from glassmind.errors import BadConfigFile, NoVault, VaultAbsent

VAULT_MARKS = (".obsidian", FILE_NAME, AGENT_DIR)
"""What tells a vault from another folder."""


def load_config(
    *,
    flags: Mapping[str, object],
    env: Mapping[str, str],
    cwd: Path,
    file: Path | None = None,
    need_vault: bool = True,
) -> Config:
    """Return the settings in force: flag > variable > vault file > user file > default.

    `flags` go by full name (`{"search.limit": 5}`; None means not given). `file` takes
    the place of the user's configuration file. With `need_vault=False` a configuration
    without a vault is returned where none can be found.

    Raises:
        NoVault: nothing says which vault is meant.
        VaultAbsent: the vault that was named is not there.
        BadConfigFile: a file cannot be read.
        BadSetting: a value is wrong.
    """
    here = str(cwd)
    layers = Layers(flags, here)
    layers.variables.append(environment(env, here))
    user_file = _user_file(env, here, file)
    if user_file:
        layers.add_file(user_file, "user file", trusted=True)
    vault = _vault(layers, here)
    if vault.entry is None and need_vault:
        raise NoVault
    if vault.entry:
        _add_vault_file(layers, str(vault.value), user_file)
    return _assembled(layers, vault, env)


def config_for(vault: Path, flags: Mapping[str, object] | None = None) -> Config:
    """Return the settings of a vault, whatever files and variables say."""
    layers = Layers({**(flags or {}), "vault.path": vault}, str(vault))
    return _assembled(layers, _vault(layers, str(vault)), {})


def _user_file(env: Mapping[str, str], cwd: str, file: Path | None) -> str | None:
    named = str(file) if file else env.get(CONFIG_VARIABLE, "")
    if not named:
        return first_file(str(config_home(env)), USER_NAMES)
    found = os.path.join(cwd, os.path.expanduser(named))  # noqa: PTH111, PTH118
    if not os.path.isfile(found):  # noqa: PTH113 - no Path for a plain probe
        raise BadConfigFile(found, 0, "there is no such file")
    return found


def _vault(layers: Layers, cwd: str) -> Choice:
    """Return the vault that is named, else the one around the current folder."""
    choice = layers.choose(KEYS["vault.path"])
    if choice.entry is None:
        found = _vault_around(cwd)
        if not found:
            return choice
        entry = Entry(found, "the current folder", cwd, RANKS["default"])
        choice = Choice(Path(found), entry)
    real = os.path.realpath(str(choice.value))
    if not os.path.isdir(real):  # noqa: PTH112
        raise VaultAbsent(str(choice.value), choice.origin)
    return Choice(Path(real), choice.entry)


def _vault_around(folder: str) -> str | None:
    """Return the nearest folder, from here upwards, that looks like a vault."""
    while True:
        if any(os.path.exists(os.path.join(folder, mark)) for mark in VAULT_MARKS):  # noqa: PTH110, PTH118
            return folder
        above = os.path.dirname(folder)  # noqa: PTH120
        if above == folder:
            return None
        folder = above


def _add_vault_file(layers: Layers, vault: str, user_file: str | None) -> None:
    file = first_file(vault, VAULT_NAMES)
    if file and not (user_file and os.path.samefile(file, user_file)):  # noqa: PTH121
        layers.add_file(file, "vault file", trusted=False)


def _assembled(layers: Layers, vault: Choice, env: Mapping[str, str]) -> Config:
    choices = {
        path: layers.choose(made) for path, made in KEYS.items() if path != "vault.path"
    }
    if vault.entry:
        choices["vault.path"] = vault
        _settle_vault(layers, choices, str(vault.value))
    settled_writes(layers, choices)
    for sentence in check_together(choices):
        layers.warn(sentence)
    return _built(layers, choices, index_home(env))


def _settle_vault(layers: Layers, choices: dict[str, Choice], vault: str) -> None:
    """Name the vault after its folder, and refuse one that points elsewhere."""
    name = choices["vault.name"]
    if not name.value:
        choices["vault.name"] = Choice(os.path.basename(vault), name.entry)  # noqa: PTH119
    for entry in layers.entries(KEYS["vault.path"]):
        if not entry.trusted:
            said = os.path.realpath(str(value_of(KEYS["vault.path"], entry)))
            reason = same_vault(said, vault)
            if reason:
                layers.warn(f"vault.path (from {entry.origin}) is not used: {reason}")


def _built(layers: Layers, choices: Mapping[str, Choice], home: Path) -> Config:
    values: dict[str, dict[str, object]] = {made.title: {} for made in SECTIONS}
    for path, choice in choices.items():
        title, _, name = path.partition(".")
        values[title][name] = choice.value
    sections = {made.title: made(**values[made.title]) for made in SECTIONS}
    unread = [sentence for file in layers.files for sentence in file.warnings]
    return Config(
        **sections,
        origins={path: choices[path].origin for path in KEYS if path in choices},
        files=tuple(Path(file.file) for file in layers.files),
        index_home=home,
        warnings=(*unread, *unknown_variables(layers.variables), *layers.warnings),
    )
