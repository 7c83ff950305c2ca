"""Cutting the stretch of a passage that shows why it was found."""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import xxhash

from glassmind.errors import IndexDamaged
from glassmind.model import NotePath, Span
from glassmind.model.search import Snippet

if TYPE_CHECKING:
    from glassmind.ports.retrieval import AskedWords


WIDTH, LEAD, REACH = 240, 60, 180
"""Characters: about three lines on a terminal, what stands before the first match, and
how far from it another may begin."""

MarkWords = Callable[[str], list[tuple[int, int]]]
"""Tells which ranges of a text match."""


def cut_snippet(text: str, places: Sequence[int], mark: MarkWords) -> Snippet:
    """Return the stretch where the most of the query stands, on one line and marked.

    `places` are where each word of the query is first met, in order. Without one it is
    the beginning of the passage. Only the stretch is marked, not the passage: a hit has
    a few microseconds.
    """
    start, end = _whole_words(text, _best_start(places))
    line = " ".join(text[start:end].split())
    return Snippet(line, tuple(mark(line)))


def _best_start(places: Sequence[int]) -> int:
    if not places or places[-1] <= REACH:
        return 0
    best, most = 0, 0
    for number, place in enumerate(places):
        count = sum(other <= place + REACH for other in places[number:])
        if count > most:
            best, most = max(0, place - LEAD), count
    return best


def _whole_words(text: str, start: int) -> tuple[int, int]:
    """Return the ends of the window, moved inwards to blanks where they are near."""
    end = min(len(text), start + WIDTH)
    if start > 0:
        blank = text.find(" ", start, start + 30)
        start = blank + 1 if blank >= 0 else start
    if end < len(text):
        blank = text.rfind(" ", max(start, end - 30), end)
        end = blank if blank >= 0 else end
    return start, end


class Shown(NamedTuple):
    """A chunk as a hit shows it."""

    chunk_id: int
    path: NotePath
    title: str
    heading_path: tuple[str, ...]
    span: Span
    chunk_index: int
    digest: str
    mtime_ns: int
    text: str
    note_id: int
    generated: bool


def shown_of(row: tuple[Any, ...]) -> Shown:
    """Return a row of `HitRows.hit_rows`, with its text held to its digest.

    Raises:
        IndexDamaged: the passage is not the text that was indexed.
    """
    *first_of, digest, mtime_ns, text, note, generated = row
    chunk, path, title, under, first, last, index = first_of
    if xxhash.xxh3_128_hexdigest(text.encode()) != digest:
        raise IndexDamaged("index.db", f"a passage of {path} is not what was indexed")
    span = Span(first, last)
    above = _heading_path(under)
    return Shown(
        chunk,
        path,
        title,
        above,
        span,
        index,
        digest,
        mtime_ns,
        text,
        note,
        bool(generated),
    )


@lru_cache(maxsize=1_000)
def _heading_path(text: str) -> tuple[str, ...]:
    """Return the headings of a row; passages of one note share most of theirs."""
    return tuple(json.loads(text))


def snippet_of(shown: Shown, asked: "AskedWords") -> Snippet:
    """Return the stretch of a passage where the most of the query stands."""
    return cut_snippet(shown.text, asked.places(shown.text), asked.mark)


MOST_WORDS = 5
"""Words a reason names; more would say less."""


def word_reason(score: float, snippet: Snippet, asked: "AskedWords") -> str:
    """Say which words of the query brought a passage here."""
    if not score:
        return "passes the filters"
    found = {snippet.text[start:end].lower(): None for start, end in snippet.marks}
    if not found:
        return "words found in the note's title, headings, tags, properties or folder"
    named = [
        f"{word} (for {typed})" if (typed := asked.typed(word)) else word
        for word in list(found)[:MOST_WORDS]
    ]
    return f"words found: {', '.join(named)}"


def waits_in_inbox(path: NotePath, agent: str) -> bool:
    """Whether a note is in the inbox of the agent folder, where nobody approved it."""
    return path.startswith(f"{agent.strip('/')}/inbox/")
