"""One configuration from flags, variables, the two files and the defaults."""

import os
from collections.abc import Mapping
from errno import EACCES
from pathlib import Path
from shlex import quote

from glassmind.config.checks import drop_conflicting, withhold_credentials
from glassmind.config.entries import RANKS, Entry
from glassmind.config.environment import (
    CONFIG_VARIABLE,
    Variables,
    unknown_variables,
)
from glassmind.config.files import (
    FILE_NAME,
    USER_NAMES,
    present,
    short,
)
from glassmind.config.layers import Choice, Layers
from glassmind.config.model_choice import settled_model
from glassmind.config.places import config_home, index_home
from glassmind.config.policy import settled_writes
from glassmind.config.sections import KEYS, SECTIONS, Config
from glassmind.config.trust import read_vault_settings, recorded_digest
from glassmind.config.write_sections import AGENT_DIR
from glassmind.errors import BadConfigFile, NoVault, VaultAbsent, VaultClosed

MOST_NAMED = 12
"""Ignored settings that a warning names."""

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
        VaultAbsent: the vault that was named is not there, or does not let us look.
        BadConfigFile: a file cannot be read.
        BadSetting: a value is wrong.
    """
    layers = Layers(flags, cwd)
    layers.variables.append(Variables(env, cwd))
    _add_user_file(layers, _user_files(env, cwd, file))
    vault = _vault(layers, cwd, config_home(env))
    if vault.entry is None and need_vault:
        raise NoVault
    if vault.entry:
        _add_vault_file(layers, Path(str(vault.value)), env)
    return _assembled(layers, vault, env)


def config_for(vault: Path, flags: Mapping[str, object] | None = None) -> Config:
    """Return the settings of a vault, whatever files and variables say."""
    layers = Layers({**(flags or {}), "vault.path": vault}, vault)
    return _assembled(layers, _vault(layers, vault, Path()), {})


def named_file(
    env: Mapping[str, str], cwd: Path, file: Path | None = None
) -> Path | None:
    """Return the file that is named in place of the user's own; None where none is."""
    named = file or env.get(CONFIG_VARIABLE)
    return Path(cwd, os.path.expanduser(named)) if named else None  # noqa: PTH111 - never raises


def own_file(env: Mapping[str, str], cwd: Path, file: Path | None = None) -> Path:
    """Return the user's file: the one named, else the usual one, there or not."""
    home = config_home(env)
    usual = next(iter(present(home, USER_NAMES)), home / FILE_NAME)
    return named_file(env, cwd, file) or usual


def _user_files(env: Mapping[str, str], cwd: Path, file: Path | None) -> list[Path]:
    found = named_file(env, cwd, file)
    if found is None:
        return present(config_home(env), USER_NAMES)
    if not present(found.parent, (found.name,)):
        raise BadConfigFile(str(found), 0, "there is no such file")
    return [found]


def _vault(layers: Layers, cwd: Path, home: Path) -> Choice:
    """Return the vault that is named, else the one around the current folder."""
    choice = layers.choose(KEYS["vault.path"])
    if choice.entry is None:
        around = vault_around(cwd, home)
        if around is None:
            return choice
        entry = Entry(around, "the current folder", cwd, RANKS["default"])
        choice = Choice(around, entry)
    real = Path(os.path.realpath(str(choice.value)))
    if not os.path.isdir(real):  # noqa: PTH112 - a folder we may not see is not there
        raise VaultAbsent(str(choice.value), choice.origin)
    if not os.access(real, os.R_OK | os.X_OK):
        raise VaultClosed(str(choice.value), choice.origin, os.strerror(EACCES))
    return Choice(real, choice.entry)


def vault_around(cwd: Path, home: Path) -> Path | None:
    """Return the nearest folder, from here upwards, that looks like a vault.

    The `home` of the user's configuration looks like one and is none.
    """
    for folder in (cwd, *cwd.parents):
        # Above a vault there may be folders that do not let us look: no vaults for us.
        marked = any(os.path.exists(folder / mark) for mark in VAULT_MARKS)  # noqa: PTH110
        if marked and folder != home:
            return folder
    return None


def _add_user_file(layers: Layers, files: list[Path]) -> None:
    for file in files[1:]:
        layers.warn(f"{short(file)} is not read: {short(files[0])} is used instead")
    if files:
        layers.add_user_file(files[0])


def _add_vault_file(layers: Layers, vault: Path, env: Mapping[str, str]) -> None:
    """Take in the vault's own settings, unless the user named that very file."""
    known = [entries.file for entries in layers.files]
    settings, warnings = read_vault_settings(vault, but=known)
    for sentence in warnings:
        layers.warn(sentence)
    if settings is None:
        return
    recorded = recorded_digest(vault, env)
    layers.trust_changed = bool(recorded) and recorded != settings.digest()
    trusted = bool(recorded) and not layers.trust_changed
    layers.add_vault_settings(settings, trusted=trusted)


def _ignored_warning(layers: Layers, vault: Path) -> str:
    """Return the one warning about settings that an untrusted vault may not set."""
    names = ", ".join(layers.ignored[:MOST_NAMED])
    if len(layers.ignored) > MOST_NAMED:
        names += f" and {len(layers.ignored) - MOST_NAMED} more"
    changed = layers.trust_changed
    state = "changed since you trusted them" if changed else "are not trusted"
    return (
        f"This vault's own settings {state}. Ignored: {names}. "
        f"Review and trust them: glassmind trust --vault {quote(str(vault))}"
    )


def _assembled(layers: Layers, vault: Choice, env: Mapping[str, str]) -> Config:
    choices = {
        path: layers.choose(made) for path, made in KEYS.items() if path != "vault.path"
    }
    if vault.entry:
        choices["vault.path"] = vault
        _settle_vault(layers, choices, Path(str(vault.value)))
    settled_writes(layers, choices)
    settled_model(choices)
    drop_conflicting(layers, choices)
    withhold_credentials(layers, choices)
    if layers.ignored:
        layers.warn(_ignored_warning(layers, Path(str(vault.value))))
    return _built(layers, choices, index_home(env))


def _settle_vault(layers: Layers, choices: dict[str, Choice], vault: Path) -> None:
    """Name the vault after its folder; its own file cannot choose another vault."""
    name = choices["vault.name"]
    if not name.value:
        choices["vault.name"] = Choice(vault.name, name.entry)
    for entry in layers.entries(KEYS["vault.path"]):
        if entry.source == "user":
            continue
        said = layers.usable(KEYS["vault.path"], entry)
        if said is not None and os.path.realpath(str(said)) != str(vault):
            layers.warn(f"vault.path (from {entry.origin}) is ignored: not this vault")


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
        files=tuple(file.file for file in layers.files),
        index_home=home,
        from_untrusted_vault=frozenset(
            path for path, choice in choices.items() if choice.source == "vault"
        ),
        warnings=(*unread, *unknown_variables(layers.variables), *layers.warnings),
    )
