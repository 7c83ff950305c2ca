"""All that was written about the settings, and which of it is used."""

from collections.abc import Mapping
from pathlib import Path

from glassmind.config.entries import RANKS, Entry, nearest
from glassmind.config.environment import Variables, dotenv_beside, variable_entries
from glassmind.config.files import FileEntries, read_text, short
from glassmind.config.keys import Key
from glassmind.config.sections import KEYS
from glassmind.config.values import value_of
from glassmind.errors import BadSetting

FLAG_NAMES = {"vault.path": "--vault"}
"""Flags that are not called after their key."""


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
        for path, raw in flags.items():
            if path not in KEYS:
                hint = nearest(path, list(KEYS))
                raise BadSetting(path, "flag", f"is no setting we know{hint}")
            if raw is not None:
                name = path.partition(".")[2].replace("_", "-")
                origin = FLAG_NAMES.get(path, f"--{name}")
                self.flags[path] = Entry(raw, origin, cwd, RANKS["flag"], text=True)

    def add_first(self, files: list[Path], vault: Path | None = None) -> None:
        """Take in the first of some files, with a warning about the others.

        `vault` is given for files that stand in it: those are not trusted.
        """
        for file in files[1:]:
            self.warn(f"{short(file)} is not read: {short(files[0])} takes its place")
        if files:
            self._add(files[0], vault)

    def _add(self, file: Path, vault: Path | None) -> None:
        """Take in a file, and the `.env` beside it, above the files already there."""
        self.files.insert(0, FileEntries(file, read_text(file), vault))
        beside = file.with_name(".env")
        if vault and beside.is_symlink():
            self.warn(f"{short(beside)} is not read: it is a symbolic link")
            return
        try:
            dotenv = dotenv_beside(file, vault)
        except OSError as error:
            self.warn(f"{short(beside)} is not read: {error.strerror}")
            return
        if dotenv:
            # Below the real environment, above the `.env` of a weaker file.
            self.variables.insert(1, dotenv)

    def entries(self, key: Key) -> list[Entry]:
        """Return all that was said about a key."""
        flag = self.flags.get(key.path)
        found = [flag] if flag else []
        found.extend(variable_entries(key, self.variables))
        found.extend(
            file.entries[key.path] for file in self.files if key.path in file.entries
        )
        return found

    def choose(self, key: Key, *, trusted_only: bool = False) -> Choice:
        """Return the strongest value that may be used; what may not is warned about.

        Raises:
            BadSetting: a value is wrong.
        """
        found = self.entries(key)
        for entry in found:
            if trusted_only and not entry.trusted:
                continue
            try:
                value = self.read(key, entry)
            except BadSetting as error:
                if not entry.foreign:
                    raise
                self.warn(f"{entry.origin} is not used: {key.path} {error.problem}")
                continue
            reason = "" if entry.trusted else self._refusal(key, value)
            if not reason:
                return Choice(value, entry)
            self.warn(f"{key.path} (from {entry.origin}) is not used: {reason}")
        return Choice(key.default, None)

    def read(self, key: Key, entry: Entry) -> object:
        """Return what an entry says.

        Raises:
            BadSetting: the value is wrong.
        """
        try:
            return value_of(key, entry)
        except ValueError as error:
            raise BadSetting(key.path, entry.origin, str(error)) from None

    def _refusal(self, key: Key, value: object) -> str:
        if key.guard is None:
            return ""
        user = self.choose(key, trusted_only=True)
        return key.guard(value, user.value if user.entry else None)

    def warn(self, sentence: str) -> None:
        """Keep a warning, once."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)
