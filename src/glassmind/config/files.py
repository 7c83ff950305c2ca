"""Configuration files: where they may stand, what they say, and on which line."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from glassmind.config.entries import RANKS, Entry, Source, nearest
from glassmind.config.plain import parse_plain
from glassmind.config.sections import KEYS, SECTIONS
from glassmind.config.write_sections import AGENT_DIR
from glassmind.errors import BadConfigFile

FILE_NAME = "glassmind.toml"
"""What the configuration is called, in the vault and in the user's folder."""

USER_NAMES = (FILE_NAME, "config.toml")
VAULT_NAMES = (FILE_NAME, f"{AGENT_DIR}/{FILE_NAME}")


def current_folder() -> Path:
    """Return where we stand, or stood if the folder was deleted under us."""
    try:
        return Path.cwd()
    except OSError:
        # The shell still knows; nothing is there, but relative paths have a meaning.
        return Path(os.environ.get("PWD") or os.sep)


def links_in(vault: Path, file: Path) -> bool:
    """Whether a file of a vault, or a folder on the way to it, is a symbolic link."""
    inside = file.relative_to(vault)
    return any((vault / part).is_symlink() for part in (inside, *inside.parents[:-1]))


def present(folder: Path, names: tuple[str, ...]) -> list[Path]:
    """Return those of the named files that exist in a folder.

    Raises:
        BadConfigFile: the folder does not let us look.
    """
    try:
        return [folder / name for name in names if (folder / name).is_file()]
    except OSError as error:
        raise BadConfigFile(short(folder), 0, error.strerror or str(error)) from error


def short(file: Path) -> str:
    """Return a path with the home folder written as `~`."""
    home = os.path.expanduser("~")  # noqa: PTH111 - Path.home() may raise
    text = str(file)
    return f"~{text[len(home) :]}" if text.startswith(home + os.sep) else text


def read_text(file: Path) -> str:
    """Return a file's text, without a byte order mark.

    Raises:
        BadConfigFile: it cannot be read, or is not UTF-8.
    """
    try:
        content = file.read_bytes()
    except OSError as error:
        raise BadConfigFile(short(file), 0, error.strerror or str(error)) from error
    return text_of(file, content)


def text_of(file: Path, content: bytes) -> str:
    """Return the text of a file's content, without a byte order mark.

    Raises:
        BadConfigFile: it is not UTF-8.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadConfigFile(short(file), line, "it is not UTF-8 text") from error


def parse_tables(file: Path, text: str) -> dict[str, Any]:
    """Return what a file's text says.

    Raises:
        BadConfigFile: it is not TOML; with the line to blame.
    """
    try:
        tables = parse_plain(text)
    except ValueError:
        tables = None
    if tables is not None:
        return tables
    # Only who writes more than plain values pays these 4 ms.
    import tomllib  # noqa: PLC0415

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem, _, place = str(error).rpartition(" (at ")
        line = _line_in(place) or text.count("\n") + 1
        raise BadConfigFile(short(file), line, problem or str(error)) from error
    except RecursionError as error:
        raise BadConfigFile(short(file), 0, "it is nested too deeply") from error
    except ValueError as error:  # a number of thousands of digits
        raise BadConfigFile(short(file), 0, str(error)) from error


def _line_in(place: str) -> int:
    """Return the line in `line 3, column 5)`; 0 for the end of the document."""
    digits = place.removeprefix("line ").partition(",")[0]
    return int(digits) if digits.isdigit() else 0


def line_of(text: str, section: str, name: str = "") -> int:
    """Return the line that sets a key, or opens a section; 0 when none is found."""
    current = ""
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if bare.startswith("["):
            current = bare.strip("[").partition("]")[0].strip().strip("\"'")
            if current == section and not name:
                return number
            continue
        written = [part.strip(" \t\"'") for part in bare.partition("=")[0].split(".")]
        if "=" not in bare or bare.startswith("#"):
            continue
        full = [current, *written] if current else written
        if full in ([section, name], [section]):
            return number
    return 0


def visible(name: str) -> str:
    """Return a name from a file so that it cannot play tricks on a terminal."""
    return name[:80] if name.isprintable() else ascii(name[:80])


UNKNOWN_NAMED = 5
"""Unknown names that are warned about one by one; a vault may hold thousands."""


class FileEntries:
    """What one file says: entries by full name, and warnings about the rest.

    `base` is the folder that its relative paths start from.
    """

    def __init__(
        self, file: Path, text: str, base: Path, source: Source = "user"
    ) -> None:
        self.file, self.text, self.base, self.source = file, text, base, source
        self.layer = "user file" if source == "user" else "vault file"
        self.entries: dict[str, Entry] = {}
        self.warnings: list[str] = []
        self._unknown = 0
        for section, table in parse_tables(file, text).items():
            self._take(section, table)
        if self._unknown > UNKNOWN_NAMED:
            more = self._unknown - UNKNOWN_NAMED
            self.warnings.append(f"{short(file)} has {more} more unknown names")

    def origin(self, section: str, name: str = "") -> str:
        """Return `user file ~/.config/glassmind/glassmind.toml:12`."""
        line = line_of(self.text, section, name)
        return f"{self.layer} {short(self.file)}" + (f":{line}" if line else "")

    def _take(self, section: str, table: object) -> None:
        known = [made.title for made in SECTIONS]
        if not isinstance(table, Mapping):
            self._warn_unknown(section, "", "{} is not in a section", [])
            return
        if section not in known:
            self._warn_unknown(section, "", "[{}] is not a known section", known)
            return
        for name, raw in table.items():
            self._keep(section, name, raw)

    def _keep(self, section: str, name: str, raw: object) -> None:
        path = f"{section}.{name}"
        if path not in KEYS:
            self._warn_unknown(section, name, "{} is not a known setting", list(KEYS))
            return
        origin = self.origin(section, name)
        self.entries[path] = Entry(
            raw, origin, self.base, RANKS[self.layer], source=self.source
        )

    def _warn_unknown(
        self, section: str, name: str, sentence: str, known: list[str]
    ) -> None:
        self._unknown += 1
        if self._unknown <= UNKNOWN_NAMED:
            shown = visible(f"{section}.{name}" if name else section)
            said = sentence.format(shown) + nearest(shown, known)
            self.warnings.append(f"{self.origin(section, name)}: {said}")
