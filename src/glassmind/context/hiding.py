"""Notes as they may be shown: without credentials, and for a model without comments.

What makes a line a part of a private key, or of a comment, may stand far above it. So
whole notes are looked at, and the lines of a passage are taken out of what is left.
"""

from typing import NamedTuple

from glassmind.context.passages import PassageReader, Stretch
from glassmind.model import Span
from glassmind.obsidian.secrets import redacted
from glassmind.obsidian.unseen import seen


class _Lines(NamedTuple):
    """The lines of a note from `first` on: as they are, safe, and as they are seen."""

    first: int
    said: list[str]
    safe: list[str]
    seen: list[str]


class Hiding:
    """The notes of one answer, each looked at once."""

    def __init__(self, rows: PassageReader) -> None:
        self._rows = rows
        self._known: dict[int, _Lines | None] = {}

    def safe(self, note_id: int, stretch: Stretch) -> Stretch:
        """Return a stretch in which credentials are hidden, each in its line."""
        lines, count = self._lines(note_id), stretch.text.count("\n") + 1
        top = stretch.first_line
        there = lines and _part(lines, lines.said, top, count)
        if lines is None or there != stretch.text:
            return with_text(stretch, redacted(stretch.text))
        return with_text(stretch, _part(lines, lines.safe, top, count))

    def fact(self, stretch: Stretch) -> Stretch:
        """Return what is in no note in which credentials are hidden."""
        return with_text(stretch, redacted(stretch.text))

    def shown(self, note_id: int, span: Span, said: str) -> str:
        """Return some lines as a model may read them; `said` is what they are.

        Empty where that is not known.
        """
        lines, count = self._lines(note_id), said.count("\n") + 1
        if lines is None or _part(lines, lines.said, span.start, count) != said:
            return ""
        return _part(lines, lines.seen, span.start, count)

    def _lines(self, note_id: int) -> _Lines | None:
        if note_id not in self._known:
            self._known[note_id] = self._read(note_id)
        return self._known[note_id]

    def _read(self, note_id: int) -> _Lines | None:
        """Return the lines of a note; None where its chunks do not make them up."""
        chunks = self._rows.every(note_id)
        text = ""
        for chunk in chunks:
            if chunk.first_line != chunks[0].first_line + text.count("\n"):
                return None
            text += chunk.text
        safe = redacted(text)
        made = _Lines(
            chunks[0].first_line if chunks else 1,
            text.split("\n"),
            safe.split("\n"),
            seen(safe).split("\n"),
        )
        same = len(made.said) == len(made.safe) == len(made.seen)
        return made if same else None


def _part(lines: _Lines, kind: list[str], first_line: int, count: int) -> str:
    top = first_line - lines.first
    return "\n".join(kind[top : top + count]) if top >= 0 else ""


def with_text(stretch: Stretch, text: str) -> Stretch:
    """Return a stretch with another text of as many lines, and its places in that."""
    if text == stretch.text:
        return stretch

    def moved(at: int) -> int:
        line = stretch.text.count("\n", 0, at)
        start, end = place_of(text, line, line)
        return min(start + at - (stretch.text.rfind("\n", 0, at) + 1), end)

    return stretch._replace(
        text=text,
        focus=(moved(stretch.focus[0]), moved(stretch.focus[1])),
        headings=tuple((moved(at), path) for at, path in stretch.headings),
    )


def place_of(text: str, first: int, last: int) -> tuple[int, int]:
    """Return the characters of some lines, counted from 0."""
    start = 0
    for _ in range(first):
        start = text.find("\n", start) + 1
    end = start
    for _ in range(first, last):
        end = text.find("\n", end) + 1
    over = text.find("\n", end)
    return start, len(text) if over < 0 else over
