"""Load the configuration: merge options, variables, files and defaults.

An option beats a variable, which beats the vault's file, the user's file and the
default. Values from a vault that the user does not trust can only narrow; see `trust`.
"""

import os
from collections.abc import Iterable, Mapping
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

DEFAULT, USER_FILE, VAULT_FILE, USER_DOTENV, VAULT_DOTENV, ENVIRONMENT = range(6)
OWN_VARIABLE, OPTION = 3, 9
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
CHUNKS = ("index.chunk_target_tokens", "index.chunk_overlap_tokens")
WEIGHTS = [
    path for path in SETTINGS if path.startswith("search.") and path.endswith("_weight")
]
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

    @property
    def is_set(self) -> bool:
        """Whether the value is not the default."""
        return self.origin != "default"


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
    if not vault.is_set and need_vault:
        raise NoVault
    if vault.is_set:
        settings, warnings = trust.read_vault_settings(
            vault.value, exclude=layers.files
        )
        layers.warnings += warnings
        if settings is not None:
            recorded = trust.recorded_digest(vault.value, env)
            trusted = bool(recorded) and recorded == settings.digest()
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


def configured_vault(file: Path) -> Path | None:
    """Return the vault that a file names, if any; raises `ConfigError`."""
    layers = Layers()
    layers.add_file(file, sources.read_text(file), file.parent)
    choice = layers.strongest("vault.path")
    return choice.value if choice.is_set else None


def preview_trust(
    settings: trust.VaultSettings,
) -> tuple[Mapping[str, object] | None, Iterable[str]]:
    """Return what a vault's files would set if trusted, and warnings.

    None if the file cannot be used.
    """
    layers = Layers()
    layers.add_vault_files(settings, trusted=True)
    choices = {path: layers.strongest(path) for path in SETTINGS}
    found = {path: choice.value for path, choice in choices.items() if choice.is_set}
    return found if layers.files else None, dict.fromkeys(layers.warnings)


def check_file(file: Path, text: str) -> None:
    """Check the settings of a configuration file; raises `ConfigError`."""
    layers = Layers()
    layers.add_file(file, text, file.parent)
    _check_together({path: layers.strongest(path) for path in SETTINGS})


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
                problem = f"is not a known setting{sources.closest(path, SETTINGS)}"
                raise BadSetting(path, "option", problem)
            if raw is not None:
                name = path.partition(".")[2].replace("_", "-")
                origin = "--vault" if path == "vault.path" else f"--{name}"
                self.add(path, raw, cwd, Choice(None, origin, OPTION))

    def add(self, path: str, raw: object, base: Path, choice: Choice) -> None:
        """Add a value as it was written, keeping the strongest of each setting first.

        Relative paths start at `base`.

        Raises:
            BadSetting: the user set an invalid value. It is a warning for a vault's
                value, and for a variable of another tool, which may mean something
                else there.
        """
        is_text = choice.rank >= USER_DOTENV
        is_foreign = USER_DOTENV <= choice.rank <= ENVIRONMENT
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
        named = places.named_file(env, cwd, file)
        if named and not places.present(named.parent, (named.name,)):
            raise BadConfigFile(str(named), 0, "there is no such file")
        home = places.config_home(env)
        found = [named] if named else places.present(home, places.USER_NAMES)
        if not found:
            return
        first = found[0]
        instead = f"{places.short(first)} is used instead"
        self.warnings += [places.unread(other, instead) for other in found[1:]]
        self.add_file(first, sources.read_text(first), first.parent)
        self.files.append(first)
        dotenv = first.with_name(trust.DOTENV)
        try:
            content = dotenv.read_bytes() if dotenv.is_file() else b""
        except OSError as error:
            self.warnings.append(places.unread(dotenv, error.strerror))
        else:
            self.add_dotenv(dotenv, content, first.parent, "user")

    def add_vault_files(self, settings: trust.VaultSettings, *, trusted: bool) -> None:
        """Add the files of a vault, its `.env` only if the user trusts them.

        A file that cannot be used is a warning: a vault must not stop a command.
        """
        source: Source = "trusted vault" if trusted else "vault"
        file, vault = settings.file, settings.vault
        try:
            text = sources.decode(file, settings.content)
            self.add_file(file, text, vault, source)
        except BadConfigFile as error:
            self.warnings.append(f"{error}. This file is ignored.")
            return
        self.files.insert(0, file)
        if settings.dotenv is not None and trusted:
            dotenv = file.with_name(trust.DOTENV)
            self.add_dotenv(dotenv, settings.dotenv, vault, source)
        elif settings.dotenv is not None:
            self.ignored.append(trust.DOTENV)

    def add_file(
        self, file: Path, text: str, base: Path, source: Source = "user"
    ) -> None:
        """Add the values of a configuration file; raises `ConfigError`."""
        rank, owner = (USER_FILE, "user") if source == "user" else (VAULT_FILE, "vault")
        label = f"{owner} file {places.short(file)}"
        unknown: list[tuple[str, str, str, Iterable[str]]] = []

        def origin(section: str, name: str) -> str:
            line = sources.line_of(text, section, name)
            return f"{label}:{line}" if line else label

        for section, table in sources.parse_toml(file, text).items():
            if not isinstance(table, Mapping):
                unknown.append((section, "", "{} is not in a section", ()))
            elif section not in SECTIONS:
                unknown.append((section, "", "[{}] is not a known section", SECTIONS))
            else:
                for name, raw in table.items():
                    path = f"{section}.{name}"
                    if path in SETTINGS:
                        choice = Choice(None, origin(section, name), rank, source)
                        self.add(path, raw, base, choice)
                    else:
                        problem = "{} is not a known setting"
                        unknown.append((section, name, problem, SETTINGS))
        for section, name, problem, known in unknown[:MOST_UNKNOWN]:
            path = (f"{section}.{name}" if name else section)[:80]
            # An escape sequence in a name must not reach the terminal.
            shown = path if path.isprintable() else ascii(path)
            sentence = problem.format(shown) + sources.closest(shown, known)
            self.warnings.append(f"{origin(section, name)}: {sentence}")
        if (more := len(unknown) - MOST_UNKNOWN) > 0:
            self.warnings.append(f"{places.short(file)} has {more} more unknown names")

    def add_dotenv(
        self, file: Path, content: bytes, base: Path, source: Source
    ) -> None:
        """Add the values of a `.env` file."""
        short = places.short(file)
        found = sources.parse_dotenv(content.decode("utf-8-sig", "replace"))
        self.add_variables(
            {name: value for name, (value, _) in found.items()},
            base,
            USER_DOTENV if source == "user" else VAULT_DOTENV,
            {name: f"{name} in {short}:{at}" for name, (_, at) in found.items()},
            source,
        )

    def add_variables(
        self,
        variables: Mapping[str, str],
        base: Path,
        rank: int,
        origins: Mapping[str, str] | None = None,
        source: Source = "user",
    ) -> None:
        """Add the values of environment variables; empty ones do not count."""
        origins = origins or {}
        for setting in SETTINGS.values():
            for alias in (setting.variable, *setting.aliases):
                name = alias.removeprefix("!")
                if raw := variables.get(name, "").strip():
                    own_rank = rank + OWN_VARIABLE * (name == setting.variable)
                    choice = Choice(None, origins.get(name, name), own_rank, source)
                    self.add(setting.path, _translated(alias, raw), base, choice)
        known = [setting.variable for setting in SETTINGS.values()] + [*OTHER_VARIABLES]
        for name in variables:
            if name.startswith("GLASSMIND_") and name not in known:
                problem = f"is not a known variable{sources.closest(name, known)}"
                self.warnings.append(f"{origins.get(name, name)} {problem}")

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


def _translated(alias: str, raw: str) -> str:
    """Return the value of a variable of another tool as we write it."""
    if alias.startswith("!"):
        return "false" if values.BOOLEANS.get(raw.lower()) is True else "true"
    if alias == "DATA_DIR" and values.is_bare_name(raw):
        return f"./{raw}"  # always a folder there; here one word would name a place
    return TRANSLATIONS.get((alias, raw), raw)


def _vault(layers: Layers, cwd: Path, home: Path) -> Choice:
    """Return the vault that is named, else the one around the current folder."""
    choice = layers.choose("vault.path")
    if not choice.is_set:
        if (around := vault_around(cwd, home)) is None:
            return choice
        choice = Choice(around, "the current folder")
    real = Path(os.path.realpath(choice.value))
    if not os.path.isdir(real):  # noqa: PTH112 - False where access is denied
        raise VaultAbsent(str(choice.value), choice.origin)
    if not os.access(real, os.R_OK | os.X_OK):
        raise VaultClosed(str(choice.value), choice.origin, os.strerror(EACCES))
    return choice._replace(value=real)


def _config(layers: Layers, vault: Choice, env: Mapping[str, str]) -> Config:
    """Choose every value, check them together and build the configuration."""
    choices = {path: layers.choose(path) for path in SETTINGS if path != "vault.path"}
    if vault.is_set:
        choices["vault.path"] = vault
        _settle_vault(layers, choices, vault.value)
    agent_dir_writable = _settle_writes(layers, choices)
    model, preset = choices["embeddings.model"], choices["embeddings.preset"]
    if model.value and preset.rank > model.rank and preset.source in TRUSTED:
        # EMBEDDING_MODEL beats EMBEDDING_PRESET, which beats both in a file.
        choices["embeddings.model"] = preset._replace(value="")
    _drop_conflicting(layers, choices)
    _withhold_credentials(layers, choices)
    if layers.ignored:
        layers.warnings.append(_ignored_warning(layers, vault.value))
    fields: dict[str, dict[str, Any]] = {name: {} for name in SECTIONS}
    for path, choice in choices.items():
        section, _, name = path.partition(".")
        fields[section][name] = choice.value
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


def _ignored_warning(layers: Layers, vault: Path) -> str:
    names = ", ".join(dict.fromkeys(layers.ignored))
    changed = layers.trust_changed
    state = "changed since you trusted them" if changed else "are not trusted"
    return (
        f"This vault's own settings {state}. Ignored: {names}. "
        f"Review and trust them: glassmind trust --vault {quote(str(vault))}"
    )


def _settle_vault(layers: Layers, choices: Choices, vault: Path) -> None:
    """Name the vault after its folder; its own file cannot choose another vault."""
    name = choices["vault.name"]
    choices["vault.name"] = name._replace(value=name.value or vault.name)
    for choice in layers.choices["vault.path"]:
        if choice.source != "user" and os.path.realpath(choice.value) != str(vault):
            problem = f"vault.path (from {choice.origin}) is ignored: not this vault"
            layers.warnings.append(problem)


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
    folder = choices[WRITES[2]]
    choices[WRITES[2]] = folder._replace(value=folder.value or values.AGENT_DIR)
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
    if user_notes.is_set and user_notes.rank >= mode.rank:
        notes = user_notes.value
    return notes, bool(agent_dir.value)


def _drop_conflicting(layers: Layers, choices: Choices) -> None:
    """Drop values of the vault's files that do not fit the other settings.

    Raises `BadSetting` if the user's own settings do not fit each other.
    """
    try:
        _check_together(choices)
    except BadSetting as error:
        paths = CHUNKS if error.key in CHUNKS else WEIGHTS
        by_vault = [path for path in paths if choices[path].source != "user"]
        if not by_vault:
            raise
        layers.warnings.append(f"{error}. This value is ignored.")
        for path in by_vault:
            choices[path] = layers.strongest(path, ("user",))
        _check_together(choices)
    url, allowed = choices["embeddings.url"], choices["embeddings.allow_remote"]
    is_here = values.is_loopback(values.host_of(url.value))
    if url.is_set and not allowed.value and not is_here:
        layers.warnings.append(
            f"embeddings.url (from {url.origin}) is not this machine; it is not used "
            "unless embeddings.allow_remote = true"
        )


def _check_together(choices: Mapping[str, Choice]) -> None:
    target, overlap = (choices[path] for path in CHUNKS)
    if overlap.value >= target.value:
        # Blame the stronger of the two, which was probably set last.
        blamed, other = CHUNKS if target.rank > overlap.rank else reversed(CHUNKS)
        side = "above" if blamed == CHUNKS[0] else "below"
        problem = f"must be {side} {other} ({choices[other].value})"
        raise BadSetting(blamed, choices[blamed].origin, problem)
    if not any(choices[path].value for path in WEIGHTS):
        last = max(WEIGHTS, key=lambda path: choices[path].rank)
        problem = "leaves every weight of [search] at 0; at least one must be above 0"
        raise BadSetting(last, choices[last].origin, problem)


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
