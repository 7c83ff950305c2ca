"""Reading single notes as they stand on disk, and listing what the index holds."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from glassmind.errors import (
    AmbiguousHeading,
    FileUnreadable,
    HeadingNotFound,
    LinesOutOfRange,
)
from glassmind.markdown.read import read_note
from glassmind.types import NotePath, Span
from glassmind.types.catalogue import ChunkText, NoteList, NoteText, Stats
from glassmind.types.notes import Heading, Note
from glassmind.vault.decode import Unreadable, decode
from glassmind.vault.names import NamedNote, find_note
from glassmind.vault.read import VaultFiles, digest_of


class Catalogue(Protocol):
    """Lists and counts over the rows."""

    def stats(self, *, folder: str, index_bytes: int) -> Stats:
        """Return how much there is."""

    def notes(self, wanted: Mapping[str, Any], *, newest: bool = False) -> NoteList:
        """Return the notes that pass."""

    def chunks_of(self, path: NotePath, /) -> list[ChunkText]:
        """Return a note's chunks in order."""


class NamedRows(Protocol):
    """Names of every note."""

    def named(self) -> list[tuple[NotePath, str, tuple[str, ...]]]:
        """Return path, title and aliases of every note."""


class NoteReader:
    """Finds notes by the names people type, and reads them."""

    def __init__(
        self,
        root: Path,
        folder: Path,
        rows: Callable[[], NamedRows],
        catalogue: Callable[[], Catalogue],
    ) -> None:
        self._root, self._folder = root, folder
        self._rows, self._catalogue = rows, catalogue

    def find(self, name: str) -> NotePath:
        """Return the note a person means.

        Raises:
            NoteNotFound, AmbiguousName: nothing, or too much, is called so.
        """
        return find_note(name, [NamedNote(*row) for row in self._rows().named()])

    def read(
        self, name: str, *, heading: str = "", lines: tuple[int, int] | None = None
    ) -> NoteText:
        """Return a note, one section of it, or some of its lines, as on disk now.

        The name may say the section too, as `Note#Heading`.

        Raises:
            NoteNotFound, AmbiguousName: no one note is called so.
            HeadingNotFound, AmbiguousHeading, LinesOutOfRange: it has no one such part.
            FileUnreadable: the file is gone or holds no text.
        """
        name, heading = self._parted(name, heading)
        path = self.find(name)
        with VaultFiles(self._root) as files:
            raw = files.read(path)
        decoded = decode(raw)
        if isinstance(decoded, Unreadable):
            raise FileUnreadable(path, decoded.reason)
        note = read_note(path, decoded.text)
        parts = decoded.text.splitlines(keepends=True)
        span = Span(1, max(len(parts), 1))
        under: tuple[str, ...] = ()
        if heading:
            span, under = section_of(note, heading, span.end)
        if lines is not None:
            span = _within(path, lines, span.end)
        text = decoded.text if not heading and lines is None else ""
        text = text or "".join(parts[span.start - 1 : span.end])
        return NoteText(path, note.title, text, span, digest_of(raw), under)

    def _parted(self, name: str, heading: str) -> tuple[str, str]:
        """Return the name and the heading of `Note#Heading`, as a search shows it."""
        note, sharp, inside = name.partition("#")
        if not sharp or heading or not note.strip() or name.lstrip().startswith("[["):
            return name, heading
        if any(path == name for path, _, _ in self._rows().named()):
            return name, heading
        return note, inside

    def chunks(self, name: str) -> tuple[NotePath, list[ChunkText]]:
        """Return the chunks of a note as they are indexed."""
        path = self.find(name)
        return path, self._catalogue().chunks_of(path)

    def list(self, wanted: Mapping[str, Any], *, newest: bool = False) -> NoteList:
        """Return the notes that pass the filters."""
        return self._catalogue().notes(wanted, newest=newest)

    def stats(self) -> Stats:
        """Return how much the index holds and how much room it takes."""
        files = (f for f in self._folder.rglob("*") if f.is_file())
        size = sum(file.stat().st_size for file in files)
        return self._catalogue().stats(folder=str(self._folder), index_bytes=size)


def section_of(note: Note, wanted: str, last: int) -> tuple[Span, tuple[str, ...]]:
    """Return the lines of the section under a heading, and its heading path.

    `wanted` is the heading's text, or several from the outside in with `#` between
    them. Case and blanks at the ends do not matter.

    Raises:
        HeadingNotFound, AmbiguousHeading: no one heading is meant.
    """
    names = [part.strip().lower() for part in wanted.strip("# ").split("#")]
    found = [
        (i, path)
        for i, path in enumerate(_paths(note.headings))
        if _ends_with(path, names)
    ]
    if not found:
        there = tuple(heading.text for heading in note.headings)
        raise HeadingNotFound(note.path, wanted, there)
    if len(found) > 1:
        lines = tuple(note.headings[i].line for i, _ in found)
        raise AmbiguousHeading(note.path, wanted, lines)
    at, path = found[0]
    first = note.headings[at]
    later = (h.line for h in note.headings[at + 1 :] if h.level <= first.level)
    return Span(first.line, next(later, last + 1) - 1), path


def _paths(headings: Sequence[Heading]) -> list[tuple[str, ...]]:
    open_ones: list[Heading] = []
    paths = []
    for heading in headings:
        while open_ones and open_ones[-1].level >= heading.level:
            open_ones.pop()
        open_ones.append(heading)
        paths.append(tuple(h.text for h in open_ones))
    return paths


def _ends_with(path: tuple[str, ...], names: Sequence[str]) -> bool:
    """Whether the names stand in the path in this order, the last at its end."""
    folded = [text.strip().lower() for text in path]
    if not names or folded[-1] != names[-1]:
        return False
    rest = iter(folded[:-1])
    return all(name in rest for name in names[:-1])


def _within(path: str, lines: tuple[int, int], count: int) -> Span:
    first, last = lines
    if first < 1 or first > count or last < first:
        raise LinesOutOfRange(path, f"{first}-{last}", count)
    return Span(first, min(last, count))
