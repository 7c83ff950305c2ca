"""Load the configuration: merge options, variables, files and defaults.

An option beats a variable, which beats the vault's file, the user's file and the
default. Values from a vault that the user does not trust can only narrow; see `trust`.
"""

import os
from collections.abc import Mapping
from errno import EACCES
from operator import gt
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from glassmind.config import places, sources, trust, values
from glassmind.config.settings import SECTIONS, SETTINGS, Config, find_setting
from glassmind.errors import (
    BadConfigFile,
    BadSetting,
    NoVault,
    VaultAbsent,
    way_in,
)
from glassmind.model.context import STRICTNESS

VAULT_MARKS = (".obsidian", places.FILE_NAME, values.AGENT_DIR)
"""Names that mark a folder as a vault."""

MOST_UNKNOWN = 5
"""Unknown names in a file that get a warning; a vault may contain thousands."""

DEFAULT, USER_FILE, UNTRUSTED_VAULT, TRUSTED_VAULT = range(4)
OTHER_VARIABLE, VARIABLE, OPTION = range(4, 7)
"""Ranks of origins; the highest wins. Variables of other tools rank below our own."""

VAULT_FILE = (UNTRUSTED_VAULT, TRUSTED_VAULT)
LENIENT = (*VAULT_FILE, OTHER_VARIABLE)
"""Origins whose invalid values are only a warning: a vault must not stop a command, and
a variable of another tool may allow values that we do not."""

NO_FILE = (FileNotFoundError, NotADirectoryError, IsADirectoryError)

NOT_SETTINGS = (places.CONFIG_VARIABLE, "GLASSMIND_DEBUG", "GLASSMIND_TOKEN")
"""Our variables that are not settings."""

TRANSLATIONS = {"transformers": "onnx", "streamable-http": "http"}
"""Values of other tools' variables that have another name here."""

WRITES = ("writes.mode", "writes.user_notes", "writes.agent_dir")
CREDENTIALS = {
    "embeddings.api_key": ("embeddings.url",),
    "llm.api_key": ("llm.url", "embeddings.url"),
    "hindsight.token": ("hindsight.url",),
}
"""Each credential and the settings for where it is sent; the first one set counts."""


class ChosenValue(NamedTuple):
    value: Any
    origin: str = "default"
    rank: int = DEFAULT


Choices = dict[str, ChosenValue]


def load_config(
    *,
    flags: Mapping[str, object],
    env: Mapping[str, str],
    cwd: Path,
    file: Path | None = None,
    need_vault: bool = True,
) -> Config:
    """Return the settings in force.

    `flags` are command-line options by full name (`{"search.limit": 5}`; None means not
    given). `file` replaces the user's configuration file. With `need_vault=False` a
    configuration without a vault is returned if none is found.

    Raises `NoVault`, `VaultAbsent`, `BadConfigFile` or `BadSetting`.
    """
    layers = ConfigLayers()
    layers.add_options(flags, cwd)
    layers.add_variables(env, cwd)
    layers.add_user_file(env, cwd, file)
    vault = layers.find_vault(cwd, places.config_home(env))
    if vault is None and need_vault:
        raise NoVault
    if vault is not None:
        try:
            settings = trust.read_vault_settings(vault, exclude=layers.files)
            if settings is not None:
                layers.add_vault_file(settings, trusted=trust.is_trusted(settings, env))
        except BadConfigFile as error:  # a vault must not stop a command
            layers.warnings.append(f"{error}. This file is ignored.")
    return _config(layers, places.index_home(env))


def config_for(vault: Path, flags: Mapping[str, object] | None = None) -> Config:
    """Return the settings of a vault without reading any file or variable."""
    layers = ConfigLayers()
    layers.add_options({**(flags or {}), "vault.path": vault}, vault)
    layers.find_vault(vault, Path())
    return _config(layers, places.index_home({}))


def vault_around(cwd: Path, home: Path) -> Path | None:
    """Return the nearest folder, from `cwd` upwards, that looks like a vault."""
    for folder in (cwd, *cwd.parents):
        # os.path.exists is False where access is denied; Path.exists would raise.
        marked = any(os.path.exists(folder / mark) for mark in VAULT_MARKS)  # noqa: PTH110
        if marked and folder != home:
            return folder
    return None


def settings_in(file: Path, text: str, rank: int) -> tuple[dict[str, Any], list[str]]:
    layers = ConfigLayers()
    layers.add_file(file, text, file.parent, rank)
    chosen = {path: each.value for path, each in layers.choices.items() if each.rank}
    return chosen, layers.warnings


class ConfigLayers:
    def __init__(self) -> None:
        self.choices: Choices = {
            path: ChosenValue(setting.default) for path, setting in SETTINGS.items()
        }
        self.files: list[Path] = []
        self.warnings: list[str] = []
        self.ignored: list[str] = []

    def add(self, path: str, raw: object, base: Path, origin: str, rank: int) -> None:
        """Add a value as it was written; relative paths start at `base`.

        Raises `BadSetting` if it is invalid, unless its origin is one of `LENIENT`.
        """
        is_text = rank >= OTHER_VARIABLE
        try:
            value = SETTINGS[path].parse(raw, base, origin, is_text=is_text)
        except BadSetting as error:
            if rank not in LENIENT:
                raise
            self.warnings.append(f"{error}. This value is ignored.")
            return
        choice = ChosenValue(value, origin, rank)
        if rank == UNTRUSTED_VAULT:
            self._narrow(path, choice)
        elif rank > self.choices[path].rank:
            self.choices[path] = choice

    def _narrow(self, path: str, choice: ChosenValue) -> None:
        """Add a value of an untrusted vault as far as the setting's rule allows."""
        own, setting = self.choices[path], SETTINGS[path]
        is_replaced = own.rank > choice.rank and setting.vault not in trust.ADDING
        if is_replaced or choice.value == own.value:
            return
        value = trust.RULES[setting.vault](choice.value, own.value, setting)
        if value is None:
            self.ignored.append(path)
        else:
            self.choices[path] = choice._replace(value=value)

    def add_options(self, flags: Mapping[str, object], base: Path) -> None:
        for path, raw in flags.items():
            name = find_setting(path, "option").name.replace("_", "-")
            origin = "--vault" if path == "vault.path" else f"--{name}"
            if raw is not None:
                self.add(path, raw, base, origin, OPTION)

    def add_variables(self, variables: Mapping[str, str], base: Path) -> None:
        """Add the values of environment variables; empty ones do not count."""
        for path, setting in SETTINGS.items():
            for alias in (setting.variable, *setting.aliases):
                name, is_own = alias.removeprefix("!"), alias == setting.variable
                if text := variables.get(name, "").strip():
                    text = text if is_own else TRANSLATIONS.get(text, text)
                    if alias.startswith("!"):
                        text = "no" if values.BOOLEANS.get(text.lower()) else "yes"
                    rank = VARIABLE if is_own else OTHER_VARIABLE
                    self.add(path, text, base, name, rank)
        known = [*NOT_SETTINGS, *(setting.variable for setting in SETTINGS.values())]
        for name in variables:
            if name.startswith("GLASSMIND_") and name not in known:
                hint = sources.closest(name, known)
                self.warnings.append(f"{name} is not a known variable{hint}")

    def add_user_file(
        self, env: Mapping[str, str], cwd: Path, file: Path | None
    ) -> None:
        used = places.own_file(env, cwd, file)
        try:
            text = sources.read_text(used)
        except BadConfigFile as error:
            is_missing = isinstance(error.__cause__, NO_FILE)
            if is_missing and not places.named_file(env, cwd, file):
                return
            raise
        self.add_file(used, text, used.parent, USER_FILE)

    def add_vault_file(self, settings: trust.VaultSettings, *, trusted: bool) -> None:
        rank = TRUSTED_VAULT if trusted else UNTRUSTED_VAULT
        own = {path: self.choices[path] for path in WRITES}
        text = sources.decode(settings.file, settings.content)
        self.add_file(settings.file, text, settings.vault, rank)
        policy, limit = _write_policy(self.choices), _write_policy(own)
        if not trusted and any(map(gt, policy, limit)):
            self.ignored += [path for path in WRITES if self.choices[path] != own[path]]
            self.choices |= own

    def add_file(self, file: Path, text: str, base: Path, rank: int) -> None:
        owner = "user" if rank == USER_FILE else "vault"
        lines, unknown = sources.lines_of(text), []
        for section, table in sources.parse_toml(file, text).items():
            entries = table if isinstance(table, Mapping) else {"": table}
            for name, raw in entries.items():
                path = f"{section}.{name}".rstrip(".")
                line = f":{lines[path]}" if path in lines else ""
                origin = f"{owner} file {places.short(file)}{line}"
                if path in SETTINGS:
                    self.add(path, raw, base, origin, rank)
                else:
                    unknown.append((origin, path))
        for origin, path in unknown[:MOST_UNKNOWN]:
            # An escape sequence in a name must not reach the terminal.
            shown = path[:80] if path.isprintable() else ascii(path[:80])
            hint = sources.closest(shown, SETTINGS)
            self.warnings.append(f"{origin}: {shown} is not a known setting{hint}")
        self.files.insert(0, file)

    def find_vault(self, cwd: Path, home: Path) -> Path | None:
        choice = self.choices["vault.path"]
        if choice.rank == DEFAULT:
            if (around := vault_around(cwd, home)) is None:
                return None
            choice = ChosenValue(around, "the current folder")
        vault = Path(os.path.realpath(choice.value))
        if not os.path.isdir(vault):  # noqa: PTH112 - False where access is denied
            raise VaultAbsent(str(choice.value), choice.origin)
        if not os.access(vault, os.R_OK | os.X_OK):
            reason = os.strerror(EACCES)
            problem = f"cannot be read ({reason}); {way_in(reason, '')}"
            raise VaultAbsent(str(choice.value), choice.origin, problem)
        # As strong as an option, so that no file in the vault changes it.
        self.choices["vault.path"] = ChosenValue(vault, choice.origin, OPTION)
        return vault


def _config(layers: ConfigLayers, index_home: Path) -> Config:
    choices, warnings = layers.choices, layers.warnings
    agent_dir_writable = _settle_writes(choices)
    model, preset = choices["embeddings.model"], choices["embeddings.preset"]
    if model.value and preset.rank > model.rank and preset.rank != UNTRUSTED_VAULT:
        # EMBEDDING_MODEL beats EMBEDDING_PRESET, which beats both in a file.
        choices["embeddings.model"] = preset._replace(value="")
    _withhold_credentials(choices, warnings)
    vault = choices["vault.path"]
    if vault.rank == DEFAULT:
        del choices["vault.path"]
    elif not choices["vault.name"].value:
        choices["vault.name"] = choices["vault.name"]._replace(value=vault.value.name)
    if layers.ignored:
        warnings.append(
            "This vault's own settings are not trusted, or changed since you trusted "
            f"them. Ignored: {', '.join(dict.fromkeys(layers.ignored))}. Review and "
            f"trust them: glassmind trust --vault {quote(str(vault.value))}"
        )
    fields: dict[str, dict[str, Any]] = {name: {} for name in SECTIONS}
    for path, choice in choices.items():
        fields[SETTINGS[path].section][SETTINGS[path].name] = choice.value
    fields["writes"]["agent_dir_writable"] = agent_dir_writable
    sections: Any = {name: SECTIONS[name](**fields[name]) for name in SECTIONS}
    return Config(
        **sections,
        origins={path: choice.origin for path, choice in choices.items()},
        files=tuple(layers.files),
        index_home=index_home,
        from_untrusted_vault=frozenset(
            path for path, choice in choices.items() if choice.rank == UNTRUSTED_VAULT
        ),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _settle_writes(choices: Choices) -> bool:
    """Make `[writes]` agree, and return whether the agent folder may be written."""
    looseness, writable = _write_policy(choices)
    user_notes = STRICTNESS[looseness]
    off = "agent-only" if writable else "off"
    mode = off if user_notes == "off" else user_notes
    for path, value in (("writes.mode", mode), ("writes.user_notes", user_notes)):
        if value != choices[path].value:
            choices[path] = ChosenValue(value, "the rest of [writes]")
    folder = choices["writes.agent_dir"]
    if not folder.value:
        choices["writes.agent_dir"] = folder._replace(value=values.AGENT_DIR)
    return writable


def _write_policy(choices: Choices) -> tuple[int, bool]:
    """Return what may happen to notes, and whether the agent folder may be written.

    The first is an index of `STRICTNESS`, so that more of either is looser.
    Mode `off` is final. Otherwise `user_notes` is more precise than `mode`, and wins
    unless `mode` was set in a stronger place.
    """
    mode, user_notes, agent_dir = (choices[path] for path in WRITES)
    if mode.value == "off":
        return STRICTNESS.index("off"), False
    notes = "off" if mode.value == "agent-only" else mode.value
    if user_notes.rank and user_notes.rank >= mode.rank:
        notes = user_notes.value
    return STRICTNESS.index(notes), bool(agent_dir.value)


def _withhold_credentials(choices: Choices, warnings: list[str]) -> None:
    """Drop each credential that would go to a URL set by somebody else.

    A key of the user never goes to a URL of a vault, even a trusted one, or vice versa.
    """
    for path, urls in CREDENTIALS.items():
        key = choices[path]
        target = next((url for url in urls if choices[url].value), urls[-1])
        url = choices[target]
        if key.value and (key.rank in VAULT_FILE) != (url.rank in VAULT_FILE):
            choices[path] = ChosenValue("")
            warnings.append(
                f"{path} (from {key.origin}) is not used: {target} comes from "
                f"{url.origin}. Set both in the same place."
            )
