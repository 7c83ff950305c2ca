"""All that was written about the settings, and which of it is used."""

from collections.abc import Mapping
from pathlib import Path

from glassmind.config.entries import RANKS, Entry, Source, nearest
from glassmind.config.environment import Variables, dotenv_variables, variable_entries
from glassmind.config.files import FileEntries, read_text, short, text_of
from glassmind.config.keys import Key
from glassmind.config.sections import KEYS
from glassmind.config.trust import DOTENV, VaultSettings
from glassmind.config.values import value_of
from glassmind.config.vault_rules import REFUSED
from glassmind.errors import BadConfigFile, BadSetting

FLAG_NAMES = {"vault.path": "--vault"}
"""Flags that are not called after their key."""


LONGEST_LINE = 2_000
"""Characters of a line in a vault's file. The time for a key of n parts grows with n
squared; lists can go over several lines."""

TRUSTED: tuple[Source, ...] = ("user", "trusted vault")
"""Sources whose values count as they are."""


class Choice:
    """The value a key has, and the entry that gave it (None for the default)."""

    __slots__ = ("entry", "value")

    def __init__(self, value: object, entry: Entry | None) -> None:
        self.value, self.entry = value, entry

    @property
    def rank(self) -> int:
        """How strong the place is that it came from."""
        return self.entry.rank if self.entry else RANKS["default"]

    @property
    def source(self) -> Source:
        """Who set it; the defaults count as the user's."""
        return self.entry.source if self.entry else "user"

    @property
    def origin(self) -> str:
        """Where it came from, in words."""
        return self.entry.origin if self.entry else "default"


class Layers:
    """Everything that was written about the settings, the strongest first."""

    def __init__(self, flags: Mapping[str, object], cwd: Path) -> None:
        self.flags: dict[str, Entry] = {}
        self.variables: list[Variables] = []
        self.files: list[FileEntries] = []
        self.warnings: list[str] = []
        self.ignored: list[str] = []
        self.trust_changed = False
        for path, raw in flags.items():
            if path not in KEYS:
                hint = nearest(path, list(KEYS))
                raise BadSetting(path, "flag", f"is no setting we know{hint}")
            if raw is not None:
                name = path.partition(".")[2].replace("_", "-")
                origin = FLAG_NAMES.get(path, f"--{name}")
                self.flags[path] = Entry(raw, origin, cwd, RANKS["flag"], text=True)

    def add_user_file(self, file: Path) -> None:
        """Take in the user's file and the `.env` beside it.

        Raises:
            BadConfigFile: the file cannot be read.
        """
        self.files.insert(0, FileEntries(file, read_text(file), file.parent))
        beside = file.with_name(DOTENV)
        if not beside.is_file():
            return
        try:
            content = beside.read_bytes()
        except OSError as error:
            self.warn(f"{short(beside)} is not read: {error.strerror}")
            return
        self.variables.insert(1, dotenv_variables(beside, content, file.parent))

    def add_vault_settings(self, settings: VaultSettings, *, trusted: bool) -> None:
        """Take in the files of a vault, its `.env` only if the user trusts them.

        A file that cannot be read is warned about: a vault must not stop a command.
        """
        source: Source = "trusted vault" if trusted else "vault"
        file = settings.file
        try:
            text = text_of(file, settings.content)
            _refuse_long_lines(file, text)
            entries = FileEntries(file, text, settings.vault, source)
        except BadConfigFile as error:
            self.warn(f"{error}. This file is ignored.")
            return
        self.files.insert(0, entries)
        if settings.dotenv is None:
            return
        beside = file.with_name(DOTENV)
        if not trusted:
            self.ignored.append(beside.name)
            return
        # Below the real environment, above the `.env` of the user's file.
        self.variables.insert(
            1, dotenv_variables(beside, settings.dotenv, settings.vault, source)
        )

    def entries(self, key: Key) -> list[Entry]:
        """Return all that was said about a key."""
        flag = self.flags.get(key.path)
        found = [flag] if flag else []
        found.extend(variable_entries(key, self.variables))
        found.extend(
            file.entries[key.path] for file in self.files if key.path in file.entries
        )
        return found

    def choose(self, key: Key) -> Choice:
        """Return the strongest value, narrowed by what an untrusted vault says.

        Raises:
            BadSetting: a value that the user set is wrong.
        """
        entries = self.entries(key)
        if not entries:  # true of nearly all keys
            return Choice(key.default, None)
        chosen = self.strongest(key, TRUSTED)
        for entry in entries:
            if entry.source != "vault":
                continue
            if entry.rank <= chosen.rank and not key.from_vault.adds:
                continue
            value = self.usable(key, entry)
            if value is None or value == chosen.value:
                continue
            narrowed = key.from_vault.narrowed(value, chosen.value)
            if narrowed is not REFUSED:
                return Choice(narrowed, entry)
            self.ignore(key.path)
        return chosen

    def strongest(self, key: Key, sources: tuple[Source, ...]) -> Choice:
        """Return the strongest value from some sources, or the default.

        Raises:
            BadSetting: a value that the user set is wrong.
        """
        for entry in self.entries(key):
            value = self.usable(key, entry) if entry.source in sources else None
            if value is not None:
                return Choice(value, entry)
        return Choice(key.default, None)

    def usable(self, key: Key, entry: Entry) -> object | None:
        """Return what an entry says; None, with a warning, if it cannot be used.

        Raises:
            BadSetting: the value is wrong, and the user set it.
        """
        try:
            return self.read(key, entry)
        except BadSetting as error:
            if entry.source == "user" and not entry.foreign:
                raise
            self.warn(f"{error}. This value is ignored.")
            return None

    def read(self, key: Key, entry: Entry) -> object:
        """Return what an entry says.

        Raises:
            BadSetting: the value is wrong.
        """
        try:
            return value_of(key, entry)
        except ValueError as error:
            raise BadSetting(key.path, entry.origin, str(error)) from None

    def ignore(self, path: str) -> None:
        """Remember a setting that an untrusted vault may not set."""
        if path not in self.ignored:
            self.ignored.append(path)

    def warn(self, sentence: str) -> None:
        """Keep a warning, once."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)


def _refuse_long_lines(file: Path, text: str) -> None:
    """Refuse a line that the TOML library could take minutes for.

    Raises:
        BadConfigFile: there is one.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST_LINE:
            problem = f"a line has more than {LONGEST_LINE:,} characters"
            raise BadConfigFile(short(file), number, problem)
