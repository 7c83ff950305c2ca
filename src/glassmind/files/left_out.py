"""Files that are there and were left out of the index: their names, and their text."""

import os
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from glassmind.errors import FileGone, VaultError, VaultMissing
from glassmind.files.ignore import DEFAULT_IGNORE_DIRS
from glassmind.files.read import VaultFiles
from glassmind.obsidian.folding import fold
from glassmind.files.resolve import name_key
from glassmind.model import NotePath

MOST_NAMES = 100_000
"""Names that are looked at: more than any vault has notes that nobody reads."""

MOST_READ, MOST_BYTES = 5_000, 32 * 1024 * 1024
"""Notes, and bytes of them, that are read without an index: a second of reading."""

TEXTS = (".md", ".canvas", ".base", ".html", ".txt")
"""What may speak of other files of a vault."""


class LeftOutTexts(NamedTuple):
    """The text of notes that were left out; `unread` is the first that was not read."""

    texts: tuple[str, ...] = ()
    unread: str = ""


@dataclass(frozen=True, slots=True)
class LeftOutNames:
    """What files are called that were left out, as far as they may be told of.

    `files` opens those of whoever asks. Only a file whose name is asked for is judged.
    """

    places: Mapping[str, Collection[str]]
    files: Callable[[], VaultFiles]

    def __contains__(self, name: object) -> bool:
        places = self.places.get(str(name), ())
        if not places:
            return False
        try:
            with self.files() as files:
                return any(files.may_tell_skipped(path) for path in places)
        except VaultMissing:
            return False


def unindexed(root: Path, known: Collection[str]) -> Iterator[NotePath]:
    """Yield the files that are there and not among those known, by path.

    No file is opened and no link followed. Hidden files are none of them, nor are those
    of programs.
    """
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and not _is_of_programs(name)
        )
        below = os.path.relpath(folder, root).replace(os.sep, "/")
        above = "" if below == "." else f"{below}/"
        for name in sorted(names):
            path = normalize("NFC", above + name)
            if not name.startswith(".") and path not in known:
                yield NotePath(path)


def left_out_names(
    root: Path, skipped: Iterable[str], files: Callable[[], VaultFiles]
) -> LeftOutNames:
    """Return what links would call the files that were skipped, alone or in a folder.

    No link is followed, and none of the `files` is opened before it is asked for. A
    folder that cannot be listed has no names, nor have those of programs: no link means
    a file of theirs.
    """
    found: dict[str, list[str]] = {}
    for path in skipped:
        if _is_of_programs(path):
            continue
        _name(found, path)
        for folder, folders, names in os.walk(root / path):
            folders.sort()
            below = Path(folder).relative_to(root).as_posix()
            for name in names:
                _name(found, normalize("NFC", f"{below}/{name}"))
            if len(found) > MOST_NAMES:
                return LeftOutNames(found, files)
    return LeftOutNames(found, files)


def _name(found: dict[str, list[str]], path: str) -> None:
    for key in {name_key(path), fold(path.rpartition("/")[2])}:
        found.setdefault(key, []).append(path)


def is_left_out(target: str, names: Container[str]) -> bool:
    """Whether a link that finds no indexed file means one of those left out."""
    return name_key(target) in names or fold(target.rpartition("/")[2]) in names


def left_out_texts(
    root: Path, skipped: Iterable[str], files: Callable[[], VaultFiles]
) -> LeftOutTexts:
    """Return the text of the notes that were skipped, alone or in a folder.

    They are read as `files` lets them be. The folders of programs, which no vault has
    notes in, are not looked at.

    Raises:
        VaultMissing: the root is no folder that can be opened.
    """
    texts: list[str] = []
    unread, left = "", MOST_BYTES
    with files() as opened:
        for path in _texts_below(root, skipped):
            if not opened.may_tell_skipped(path):
                continue
            try:
                if len(texts) == MOST_READ:
                    return LeftOutTexts(tuple(texts), unread or path)
                raw = opened.read(path, limit_bytes=left)
            except FileGone:
                continue
            except VaultError:
                unread = unread or path
                continue
            left -= len(raw)
            texts.append(raw.decode("utf-8", "replace"))
    return LeftOutTexts(tuple(texts), unread)


def _is_of_programs(path: str) -> bool:
    return fold(path.rpartition("/")[2]) in DEFAULT_IGNORE_DIRS


def _texts_below(root: Path, skipped: Iterable[str]) -> Iterator[str]:
    for path in skipped:
        if _is_of_programs(path):
            continue
        if path.endswith(TEXTS):
            yield path
        for folder, folders, names in os.walk(root / path):
            folders[:] = sorted(one for one in folders if not one.startswith("."))
            below = Path(folder).relative_to(root).as_posix()
            for name in sorted(names):
                if name.endswith(TEXTS):
                    yield f"{below}/{normalize('NFC', name)}"


def is_free(root: Path, path: str) -> bool:
    """Whether nothing on disk stands at a path of the vault, be it indexed or not."""
    return not os.path.lexists(root / path)
