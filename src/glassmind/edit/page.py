"""A Markdown note that is edited: its bytes, its parts, and how alike texts are."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from heapq import nlargest
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from glassmind.errors import BadEdit, NotEditable
from glassmind.files.read import Unreadable, decode
from glassmind.model import NotePath
from glassmind.model.edits import Splice
from glassmind.model.notes import Note
from glassmind.obsidian.notes import read_note
from glassmind.obsidian.property_edits import spliced
from glassmind.obsidian.structure import line_at, line_starts

_LINE_END = re.compile(r"\r\n?")

_KINDS = {
    "excalidraw": "it is a drawing, whose text is kept twice; draw it in Obsidian",
    "canvas": "it is a canvas, which is JSON and no text",
    "base": "it is a base, which is a query and no text",
}


def check_text(text: str) -> None:
    if "\0" in text:
        raise BadEdit("the text holds a NUL character, which no note may")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise BadEdit("the text holds half a character (a surrogate)")


@dataclass(frozen=True, slots=True)
class EditedPage:
    """A Markdown note with its bytes.

    `source` is the text in UTF-8 without a byte order mark: every offset of `note`
    counts its bytes. `starts` are those at which lines begin. `mark` stands before the
    text in the file, and `newline` ends most of its lines.
    """

    path: NotePath
    raw: bytes
    note: Note
    source: bytes
    starts: Sequence[int]
    newline: str
    mark: bytes

    @classmethod
    def of(cls, path: NotePath, raw: bytes) -> "EditedPage":
        found = decode(raw)
        if isinstance(found, Unreadable):
            raise NotEditable(path, found.reason)
        if found.flagged:
            raise NotEditable(path, found.reason)
        if found.encoding != "utf-8":
            raise NotEditable(path, f"it is {found.encoding}; save it as UTF-8")
        note = read_note(path, found.text)
        if note.kind in _KINDS:
            raise NotEditable(path, _KINDS[note.kind])
        source = note.text.encode()
        mark = raw[: len(raw) - len(source)]
        crlf, lines = source.count(b"\r\n"), source.count(b"\n")
        newline = "\r\n" if crlf * 2 > lines else "\n"
        starts = line_starts(source)
        return cls(path, raw, note, source, starts, newline, mark)

    @property
    def end_of_line(self) -> bytes:
        return self.newline.encode()

    @property
    def lines(self) -> int:
        """How many lines there are; what follows the last line feed is none."""
        ended = not self.source or self.source.endswith(b"\n")
        return len(self.starts) - ended

    def line_start(self, line: int) -> int:
        return self.starts[line - 1] if line <= len(self.starts) else len(self.source)

    def line_end(self, line: int) -> int:
        return self.starts[line] if line < len(self.starts) else len(self.source)

    def line_of(self, offset: int) -> int:
        return line_at(self.starts, offset)

    def text_end(self, end: int) -> int:
        if self.source.endswith(b"\r\n", 0, end):
            return end - 2
        return end - 1 if self.source.endswith(b"\n", 0, end) else end

    def is_blank(self, line: int) -> bool:
        return not self.source[self.line_start(line) : self.line_end(line)].strip()

    def written(self, text: str) -> bytes:
        text = _LINE_END.sub("\n", text.removeprefix("\ufeff"))
        check_text(text)
        return text.replace("\n", self.newline).encode()

    def with_splices(self, splices: Sequence[Splice]) -> bytes:
        return spliced(self.raw, self.places(splices))

    def places(self, splices: Sequence[Splice]) -> list[Splice]:
        ordered = sorted(splices, key=lambda splice: splice[:2])
        last = 0
        for start, end, _ in ordered:
            if not last <= start <= end <= len(self.source):
                raise BadEdit("the changes overlap, or lie outside of the note")
            last = end
        lead = len(self.mark)
        return [Splice(lead + s.start, lead + s.end, s.text) for s in ordered]


class PlannedEdit(NamedTuple):
    splices: Sequence[Splice]
    facts: Mapping[str, object] = {}


WriteLink: TypeAlias = Callable[[str, EditedPage], str]
"""Writes a link to the note of a name as this page should hold it."""


LONGEST_CHARS = 4_000
"""A longer text is not looked for loosely: a column would be too long."""

NEAREST = 3
"""How many of the nearest are named where nothing is called so."""

_SHORTLIST = 200
"""Places that are looked at closely; those beyond are far from the best."""

_SCRIPT = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_PIECE = re.compile(rf"[{_SCRIPT}]|[^\s{_SCRIPT}]+")
"""A sign of a script without blanks, or what stands between two blanks."""


class Window(NamedTuple):
    """A stretch of a text, in characters, from word to word."""

    start: int
    end: int
    similarity: float


def similarity(one: str, other: str) -> float:
    """Return how similar two texts are, from 0 to 1; case and blanks do not count."""
    first, second = (" ".join(text.lower().split()) for text in (one, other))
    longest = max(len(first), len(second))
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / longest if longest else 1.0


def closest(
    sought: str, texts: Iterable[tuple[int, str]]
) -> list[tuple[int, str, float]]:
    """Return the texts most similar to one, each with its line and similarity."""
    scored = [(line, text, similarity(text, sought)) for line, text in texts]
    return sorted(scored, key=lambda each: (-each[2], each[0]))[:NEAREST]


def nearest(text: str, sought: str, *, least: float, limit: int) -> list[Window]:
    """Return the stretches of words most similar to a text, best first, disjoint."""
    places = [match.span() for match in _PIECE.finditer(text)]
    words = len(_PIECE.findall(sought))
    if not words:
        return []
    pairs = {pair for word in _PIECE.findall(sought) for pair in _pairs(word)}
    shared = [len(pairs & _pairs(text[start:end])) for start, end in places]
    sums = [0, *accumulate(shared)]
    spans = (
        ((sums[first + size] - sums[first]) / size, first, first + size)
        for size in {max(1, words - 1), words, words + 1}
        for first in range(len(places) - size + 1)
    )
    windows = []
    for _, first, last in nlargest(_SHORTLIST, spans):
        start, end = places[first][0], places[last - 1][1]
        if sought.strip()[0].isalnum():
            while start < end - 1 and not text[start].isalnum():
                start += 1
        if sought.strip()[-1].isalnum():
            while end > start + 1 and not text[end - 1].isalnum():
                end -= 1
        score = similarity(text[start:end], sought)
        if score >= least:
            windows.append(Window(start, end, score))
    chosen: list[Window] = []
    for window in sorted(windows, key=lambda w: (-w.similarity, w.start, w.end)):
        if all(window.end <= w.start or w.end <= window.start for w in chosen):
            chosen.append(window)
    return chosen[:limit]


def _pairs(word: str) -> set[str]:
    marked = f" {word.lower()}"
    return {marked[at : at + 2] for at in range(len(marked) - 1)}
