"""Load the configuration: merge options, variables, files and defaults.

An option beats a variable, which beats the vault's file, the user's file and the
default. Values from a vault that the user does not trust can only narrow; see `trust`.
"""

import os
from collections.abc import Mapping
from errno import EACCES
from pathlib import Path
from shlex import quote
from typing import Any, Literal, NamedTuple, TypeAlias

from glassmind.config import places, sources, trust, values
from glassmind.config.settings import SECTIONS, SETTINGS, Config
from glassmind.errors import (
    BadConfigFile,
    BadSetting,
    NoVault,
    VaultAbsent,
    VaultClosed,
)
from glassmind.types.verdicts import STRICTNESS

VAULT_MARKS = (".obsidian", places.FILE_NAME, values.AGENT_DIR)
"""Names that mark a folder as a vault."""

MOST_UNKNOWN = 5
"""Unknown names in a file that get a warning each; a vault may contain thousands."""

DEFAULT, USER_FILE, VAULT_FILE, DOTENV, ENVIRONMENT = range(5)
OWN_VARIABLE, OPTION = 2, 7
"""Ranks of origins; the highest wins. Our own variables rank `OWN_VARIABLE` above those
of other tools."""

Source: TypeAlias = Literal["user", "trusted vault", "vault"]
"""Who set a value: the user (options, variables, own file), or a file in the vault."""

TRUSTED: tuple[Source, ...] = ("user", "trusted vault")

OTHER_VARIABLES = (places.CONFIG_VARIABLE, "GLASSMIND_DEBUG", "GLASSMIND_TOKEN")
"""Our variables that are not settings."""

TRANSLATIONS = {
    ("EMBEDDING_PROVIDER", "transformers"): "onnx",
    ("MCP_TRANSPORT", "streamable-http"): "http",
}
"""Values of other tools' variables that have another name here."""

WRITES = ("writes.mode", "writes.user_notes", "writes.agent_dir")
CHUNKS = ("target", "overlap")
CREDENTIALS = {
    "embeddings.api_key": ("embeddings.url",),
    "llm.api_key": ("llm.url", "embeddings.url"),
    "hindsight.token": ("hindsight.url",),
}
"""Each credential and the settings for where it is sent; the first one set counts."""


class Choice(NamedTuple):
    """A value, and who set it where."""

    value: Any = None
    origin: str = "default"
    rank: int = DEFAULT
    source: Source = "user"


Choices = dict[str, Choice]


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

    Raises:
        NoVault: no vault is named or found.
        VaultAbsent: the vault does not exist or cannot be read.
        BadConfigFile: a file cannot be read.
        BadSetting: a value is invalid.
    """
    layers = Layers(flags, cwd)
    layers.add_variables(env, cwd, ENVIRONMENT)
    layers.add_user_files(env, cwd, file)
    vault = _vault(layers, cwd, places.config_home(env))
    if vault is None and need_vault:
        raise NoVault
    if vault is not None:
        settings, warnings = trust.read_vault_settings(
            vault.value, exclude=layers.files
        )
        layers.warnings += warnings
        if settings is not None:
            recorded = trust.recorded_digest(vault.value, env)
            trusted = recorded == settings.digest() if recorded else False
            layers.trust_changed = bool(recorded) and not trusted
            layers.add_vault_files(settings, trusted=trusted)
    return _config(layers, vault, env)


def config_for(vault: Path, flags: Mapping[str, object] | None = None) -> Config:
    """Return the settings of a vault without reading any file or variable."""
    layers = Layers({**(flags or {}), "vault.path": vault}, vault)
    return _config(layers, _vault(layers, vault, Path()), {})


def vault_around(cwd: Path, home: Path) -> Path | None:
    """Return the nearest folder, from `cwd` upwards, that looks like a vault.

    The user's configuration folder, `home`, does not count.
    """
    for folder in (cwd, *cwd.parents):
        # os.path.exists is False where access is denied; Path.exists would raise.
        marked = any(os.path.exists(folder / mark) for mark in VAULT_MARKS)  # noqa: PTH110
        if marked and folder != home:
            return folder
    return None


def settings_in(file: Path, text: str) -> dict[str, Any]:
    """Return the checked settings of a configuration file; raises `ConfigError`."""
    layers = Layers()
    layers.add_file(file, text, file.parent)
    return layers.values()


def preview_trust(
    settings: trust.VaultSettings,
) -> tuple[Mapping[str, object] | None, list[str]]:
    """Return what a vault's files would set if trusted, and warnings.

    None if the file cannot be used.
    """
    layers = Layers()
    layers.add_vault_files(settings, trusted=True)
    return layers.values() if layers.files else None, layers.warnings


class Layers:
    """Every value that was set somewhere, and what was ignored."""

    def __init__(
        self, flags: Mapping[str, object] | None = None, cwd: Path = Path()
    ) -> None:
        self.choices: dict[str, list[Choice]] = {path: [] for path in SETTINGS}
        self.files: list[Path] = []
        self.warnings: list[str] = []
        self.ignored: list[str] = []
        self.trust_changed = False
        for path, raw in (flags or {}).items():
            if path not in SETTINGS:
                hint = sources.closest(path, SETTINGS)
                raise BadSetting(path, "option", f"is not a known setting{hint}")
            name = path.partition(".")[2].replace("_", "-")
            origin = "--vault" if path == "vault.path" else f"--{name}"
            if raw is not None:
                self.add(path, raw, cwd, Choice(None, origin, OPTION))

    def add(self, path: str, raw: object, base: Path, choice: Choice) -> None:
        """Add a value as it was written, keeping the strongest of each setting first.

        Relative paths start at `base`.

        Raises:
            BadSetting: the user set an invalid value. It is a warning for a vault's
                value, and for a variable of another tool, which may mean something
                else there.
        """
        is_text = choice.rank >= DOTENV
        is_foreign = DOTENV <= choice.rank <= ENVIRONMENT
        try:
            value = SETTINGS[path].parse(raw, base, is_text=is_text)
        except ValueError as problem:
            error = BadSetting(path, choice.origin, str(problem))
            if choice.source == "user" and not is_foreign:
                raise error from None
            self.warnings.append(f"{error}. This value is ignored.")
        else:
            self.choices[path].append(choice._replace(value=value))
            self.choices[path].sort(key=lambda each: -each.rank)

    def add_user_files(
        self, env: Mapping[str, str], cwd: Path, file: Path | None
    ) -> None:
        """Add the user's file and the `.env` beside it; raises `BadConfigFile`."""
        used = places.own_file(env, cwd, file)
        if not places.present(used.parent, (used.name,)):
            if places.named_file(env, cwd, file):
                raise BadConfigFile(str(used), 0, "there is no such file")
            return
        self.add_file(used, sources.read_text(used), used.parent)
        self.files.append(used)
        dotenv = used.with_name(".env")
        try:
            content = dotenv.read_bytes() if dotenv.is_file() else b""
        except OSError as error:
            self.warnings.append(places.unread(dotenv, error.strerror))
        else:
            variables = sources.parse_dotenv(content.decode("utf-8-sig", "replace"))
            place = f" in {places.short(dotenv)}"
            self.add_variables(variables, dotenv.parent, DOTENV, place)

    def add_vault_files(self, settings: trust.VaultSettings, *, trusted: bool) -> None:
        """Add the file of a vault.

        One that cannot be used is a warning: a vault must not stop a command.
        """
        file = settings.file
        source: Source = "trusted vault" if trusted else "vault"
        try:
            text = sources.decode(file, settings.content)
            self.add_file(file, text, settings.vault, source)
        except BadConfigFile as error:
            self.warnings.append(f"{error}. This file is ignored.")
        else:
            self.files.insert(0, file)

    def add_file(
        self, file: Path, text: str, base: Path, source: Source = "user"
    ) -> None:
        """Add the values of a configuration file; raises `ConfigError`."""
        rank, owner = (USER_FILE, "user") if source == "user" else (VAULT_FILE, "vault")
        lines, unknown = sources.lines_of(text), []
        for section, table in sources.parse_toml(file, text).items():
            entries = table if isinstance(table, Mapping) else {"": table}
            for name, raw in entries.items():
                path = f"{section}.{name}".rstrip(".")
                origin = f"{owner} file {places.short(file)}"
                origin += f":{lines[path]}" if path in lines else ""
                if path in SETTINGS:
                    self.add(path, raw, base, Choice(None, origin, rank, source))
                else:
                    unknown.append((origin, path))
        for origin, path in unknown[:MOST_UNKNOWN]:
            # An escape sequence in a name must not reach the terminal.
            shown = path[:80] if path.isprintable() else ascii(path[:80])
            hint = sources.closest(shown, SETTINGS)
            self.warnings.append(f"{origin}: {shown} is not a known setting{hint}")
        if (more := len(unknown) - MOST_UNKNOWN) > 0:
            self.warnings.append(f"{places.short(file)} has {more} more unknown names")

    def add_variables(
        self, variables: Mapping[str, str], base: Path, rank: int, place: str = ""
    ) -> None:
        """Add the values of the user's variables; empty ones do not count."""
        for setting in SETTINGS.values():
            for alias in (setting.variable, *setting.aliases):
                name = alias.removeprefix("!")
                if raw := variables.get(name, "").strip():
                    own_rank = rank + OWN_VARIABLE * (name == setting.variable)
                    choice = Choice(None, name + place, own_rank)
                    self.add(setting.path, _translated(alias, raw), base, choice)
        known = [setting.variable for setting in SETTINGS.values()] + [*OTHER_VARIABLES]
        for name in variables:
            if name.startswith("GLASSMIND_") and name not in known:
                hint = sources.closest(name, known)
                self.warnings.append(f"{name}{place} is not a known variable{hint}")

    def choose(self, path: str) -> Choice:
        """Return the strongest value, narrowed by what an untrusted vault says."""
        chosen, setting = self.strongest(path), SETTINGS[path]
        for choice in self.choices[path]:
            is_weaker = choice.rank <= chosen.rank and setting.vault not in trust.ADDING
            if choice.source in TRUSTED or is_weaker or choice.value == chosen.value:
                continue
            result = trust.RULES[setting.vault](choice.value, chosen.value, setting)
            if result is not None:
                return choice._replace(value=result)
            self.ignored.append(path)
        return chosen

    def strongest(self, path: str, by: tuple[Source, ...] = TRUSTED) -> Choice:
        """Return the strongest value set by some sources, or the default."""
        found = (each for each in self.choices[path] if each.source in by)
        return next(found, Choice(SETTINGS[path].default))

    def values(self) -> dict[str, Any]:
        """Return the strongest value of every setting that was set."""
        return {path: found[0].value for path, found in self.choices.items() if found}


def _translated(alias: str, raw: str) -> str:
    """Return the value of a variable of another tool as we write it."""
    if alias.startswith("!"):
        return "false" if values.BOOLEANS.get(raw.lower()) is True else "true"
    if alias == "DATA_DIR" and values.is_bare_name(raw):
        return f"./{raw}"  # always a folder there; here one word would name a place
    return TRANSLATIONS.get((alias, raw), raw)


def _vault(layers: Layers, cwd: Path, home: Path) -> Choice | None:
    """Return the vault that is named, else the one around the current folder."""
    choice = layers.choose("vault.path")
    if not choice.rank:
        if (around := vault_around(cwd, home)) is None:
            return None
        choice = Choice(around, "the current folder")
    real = Path(os.path.realpath(choice.value))
    if not os.path.isdir(real):  # noqa: PTH112 - False where access is denied
        raise VaultAbsent(str(choice.value), choice.origin)
    if not os.access(real, os.R_OK | os.X_OK):
        raise VaultClosed(str(choice.value), choice.origin, os.strerror(EACCES))
    return choice._replace(value=real)


def _config(layers: Layers, vault: Choice | None, env: Mapping[str, str]) -> Config:
    """Choose every value, check them together and build the configuration."""
    choices = {path: layers.choose(path) for path in SETTINGS if path != "vault.path"}
    if vault is not None:
        choices["vault.path"] = vault
        name = choices["vault.name"]
        choices["vault.name"] = name._replace(value=name.value or vault.value.name)
        for choice in layers.choices["vault.path"]:
            elsewhere = os.path.realpath(choice.value) != str(vault.value)
            if choice.source != "user" and elsewhere:
                problem = (
                    f"vault.path (from {choice.origin}) is ignored: not this vault"
                )
                layers.warnings.append(problem)
    agent_dir_writable = _settle_writes(layers, choices)
    model, preset = choices["embeddings.model"], choices["embeddings.preset"]
    if model.value and preset.rank > model.rank and preset.source in TRUSTED:
        # EMBEDDING_MODEL beats EMBEDDING_PRESET, which beats both in a file.
        choices["embeddings.model"] = preset._replace(value="")
    target, overlap = (choices[f"index.chunk_{name}_tokens"] for name in CHUNKS)
    if overlap.value >= target.value:
        less = target.value // 5
        choices["index.chunk_overlap_tokens"] = overlap._replace(value=less)
        layers.warnings.append(
            f"index.chunk_overlap_tokens ({overlap.value}, from {overlap.origin}) must "
            f"be below index.chunk_target_tokens ({target.value}); {less} is used"
        )
    _withhold_credentials(layers, choices)
    if layers.ignored and vault is not None:
        changed = "changed since you trusted them" if layers.trust_changed else ""
        layers.warnings.append(
            f"This vault's own settings {changed or 'are not trusted'}. "
            f"Ignored: {', '.join(dict.fromkeys(layers.ignored))}. Review and trust "
            f"them: glassmind trust --vault {quote(str(vault.value))}"
        )
    fields: dict[str, dict[str, Any]] = {name: {} for name in SECTIONS}
    for path, choice in choices.items():
        section, _, key = path.partition(".")
        fields[section][key] = choice.value
    fields["writes"]["agent_dir_writable"] = agent_dir_writable
    sections: Any = {name: SECTIONS[name](**fields[name]) for name in SECTIONS}
    return Config(
        **sections,
        origins={path: choices[path].origin for path in SETTINGS if path in choices},
        files=tuple(layers.files),
        index_home=places.index_home(env),
        from_untrusted_vault=frozenset(
            path for path, choice in choices.items() if choice.source == "vault"
        ),
        warnings=tuple(dict.fromkeys(layers.warnings)),
    )


def _settle_writes(layers: Layers, choices: Choices) -> bool:
    """Make the settings of `[writes]` agree; no untrusted vault can loosen them.

    Returns whether the agent folder may be written.
    """
    user_notes, writable = _write_policy(choices)
    by_vault = [path for path in WRITES if choices[path].source == "vault"]
    if by_vault:
        trusted = {path: layers.strongest(path) for path in WRITES}
        notes_limit, writable_limit = _write_policy(trusted)
        looser = STRICTNESS.index(user_notes) > STRICTNESS.index(notes_limit)
        if looser or (writable and not writable_limit):
            layers.ignored += by_vault
            choices.update(trusted)
            user_notes, writable = notes_limit, writable_limit
    off = "agent-only" if writable else "off"
    mode = off if user_notes == "off" else user_notes
    for path, value in (("writes.mode", mode), ("writes.user_notes", user_notes)):
        if value != choices[path].value:
            choices[path] = Choice(value, "the rest of [writes]")
    folder = choices["writes.agent_dir"]
    value = folder.value or values.AGENT_DIR
    choices["writes.agent_dir"] = folder._replace(value=value)
    return writable


def _write_policy(choices: Mapping[str, Choice]) -> tuple[Any, bool]:
    """Return what may happen to notes, and whether the agent folder may be written.

    Mode `off` is final. Otherwise `user_notes` is more precise than `mode`, and wins
    unless `mode` was set in a stronger place.
    """
    mode, user_notes, agent_dir = (choices[path] for path in WRITES)
    if mode.value == "off":
        return "off", False
    notes = "off" if mode.value == "agent-only" else mode.value
    if user_notes.rank and user_notes.rank >= mode.rank:
        notes = user_notes.value
    return notes, bool(agent_dir.value)


def _withhold_credentials(layers: Layers, choices: Choices) -> None:
    """Drop each credential that would go to a URL set by somebody else.

    A key of the user never goes to a URL of a vault, even a trusted one, or vice versa.
    """
    for path, urls in CREDENTIALS.items():
        key = choices[path]
        target = next((url for url in urls if choices[url].value), urls[-1])
        if key.value and key.source != choices[target].source:
            choices[path] = Choice("")
            layers.warnings.append(
                f"{path} (from {key.origin}) is not used: {target} comes from "
                f"{choices[target].origin}. Set both in the same place."
            )
