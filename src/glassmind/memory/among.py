"""Which memos of a note of several a passage is about.

Short sections share a passage, so that its lines tell which memos it holds, and its
words which of these answer.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from glassmind.memory.cabinet import Cabinet
from glassmind.memory.kept import KnownMemo
from glassmind.memory.memo_sections import sections_in
from glassmind.model import NotePath, Span

if TYPE_CHECKING:
    from glassmind.model.search import Hit

_WORD = re.compile(r"\w+")


class _Lines(NamedTuple):
    """A memo of a note: the lines up to the next one, and what stands there."""

    span: Span
    text: str


class Among:
    """Tells the memos of passages that one query found; notes are read once."""

    def __init__(self, cabinet: Cabinet, query: str) -> None:
        self._cabinet, self._words = cabinet, set(_WORD.findall(query.casefold()))
        self._notes: dict[NotePath, dict[str, _Lines]] = {}

    def of(self, hit: "Hit", memos: Sequence[KnownMemo]) -> list[KnownMemo]:
        """Return the memos of a note that a passage of it is about, best first.

        Where some of those that stand in it say a word of the query, these alone.
        """
        if not any(memo.section for memo in memos):
            return list(memos)
        lines = self._lines(hit.path)
        there = [
            (self._said(known.text, hit), memo)
            for memo in memos
            if (known := lines.get(memo.section)) and _meet(known.span, hit.lines)
        ]
        most = max((count for count, _ in there), default=0)
        there.sort(key=lambda one: -one[0])
        return [memo for count, memo in there if count or not most]

    def _said(self, text: str, hit: "Hit") -> int:
        """Return how many words of a query stand in a text, as they matched or not."""
        marked = {hit.snippet.text[start:end] for start, end in hit.snippet.marks}
        wanted = self._words | {word.casefold() for word in marked}
        return len(wanted & set(_WORD.findall(text.casefold())))

    def _lines(self, path: NotePath) -> dict[str, _Lines]:
        if path not in self._notes:
            text = self._cabinet.memos().texts([path]).get(path, "")
            self._notes[path] = _lines_of(text)
        return self._notes[path]


def _meet(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def _lines_of(text: str) -> dict[str, _Lines]:
    sections = sections_in(text)
    ends = [*(one.start for one in sections[1:]), len(text)]
    found: dict[str, _Lines] = {}
    line, at = 1, 0
    for one, end in zip(sections, ends, strict=True):
        line, at = line + text.count("\n", at, one.start), one.start
        last = line + max(0, text.count("\n", one.start, end) - (end < len(text)))
        said = f"{one.heading}\n{one.block}{one.body}"
        found.setdefault(one.heading, _Lines(Span(line, last), said))
    return found
