"""From hits to passages: chunks with their neighbours, joined to whole lines."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from glassmind.context.items import is_pattern, is_unapproved
from glassmind.model import NotePath, Span
from glassmind.model.context import Excerpt
from glassmind.model.search import ChannelName, Hit, PackedNote, PlacedChunk
from glassmind.obsidian.hidden_text import holds_hidden
from glassmind.obsidian.receipts import receipt_of
from glassmind.obsidian.text import heading_address
from glassmind.store.protocol import Rows

_HEADINGS = re.compile(r"^#{1,6}\s.*$", re.MULTILINE)
"""What is named above a passage, and need not be shown in it."""


class LineRange(NamedTuple):
    """Whole lines of a note in a row, the passage that was found among them.

    `focus` are the characters of that passage in `text`, and `headings` where another
    heading path begins. `ends` where the note does.
    """

    text: str
    first_line: int
    focus: tuple[int, int]
    headings: tuple[tuple[int, tuple[str, ...]], ...]
    ends: bool = False

    @property
    def found(self) -> str:
        return self.text[slice(*self.focus)]

    @property
    def body(self) -> int:
        """Where the properties of the note end, if they stand in the text."""
        text = self.text
        if self.first_line > 1 or not text.startswith(("---\n", "---\r\n")):
            return 0
        at = text.find("\n---", 3)
        while at >= 0:
            over = text.find("\n", at + 1)
            over = len(text) if over < 0 else over
            if text[at + 1 : over].rstrip() == "---":
                return min(over + 1, len(text))
            at = text.find("\n---", over)
        return 0

    @property
    def begins(self) -> int:
        """Where its lines begin: behind the properties, unless there is nothing."""
        body = self.body
        return body if body and self.text[body:].strip() else 0

    def heading_path(self, start: int) -> tuple[str, ...]:
        path = self.headings[0][1]
        for at, other in self.headings[1:]:
            if at > start:
                break
            path = other
        return path

    def lines(self, start: int, end: int) -> tuple[int, int]:
        last = self.text.find("\n", end)
        return self.text.rfind("\n", 0, start) + 1, len(self.text) if last < 0 else last

    def goes_on(self, start: int, end: int) -> bool:
        """Whether the passage, or a line of it, has more than some characters.

        Properties are no part of it where other lines are.
        """
        first, last = self.lines(start, end)
        before = self.text[max(self.begins, min(first, self.focus[0])) : start]
        after = self.text[end : max(last, self.focus[1])]
        return bool(_HEADINGS.sub("", before).strip() or after.strip())

    def excerpt(self, path: NotePath, start: int, end: int) -> Excerpt:
        """Return some characters, under the receipt of their whole lines."""
        first, last = self.lines(start, end)
        top = self.first_line + self.text.count("\n", 0, first)
        span = Span(top, top + self.text.count("\n", first, last))
        under = self.heading_path(start)
        heading = under[-1] if under else ""
        said = self.text[start:end]
        return Excerpt(
            under,
            span,
            said,
            receipt_of(path, heading, span, self.text[first:last]),
            self.goes_on(start, end),
            holds_hidden(said),
            heading_address(path, under),
        )


def part_of(stretch: LineRange, start: int, end: int) -> LineRange:
    text = stretch.text[start:end]
    return stretch._replace(
        text=text,
        first_line=stretch.first_line + stretch.text.count("\n", 0, start),
        focus=(0, len(text)),
        headings=tuple((max(at - start, 0), path) for at, path in stretch.headings),
    )


class NoteRequest(NamedTuple):
    """A note that may matter, why, and which of its chunks, the best first.

    `quoted` are other notes that the reason quotes.
    """

    path: NotePath
    relevance: float
    why: str
    channels: tuple[ChannelName, ...]
    indexes: tuple[int, ...]
    quoted: tuple[NotePath, ...] = ()


class BundleCandidate(NamedTuple):
    """A note that may come into a bundle, with its passages, the best first."""

    note: PackedNote
    request: NoteRequest
    passages: tuple[LineRange, ...]


def may_answer(candidate: BundleCandidate, agent: str) -> bool:
    """Return false for what an agent wrote and nobody approved, and what is no note."""
    path, generated = candidate.note.path, candidate.note.generated
    return path.endswith(".md") and not is_unapproved(path, agent, generated=generated)


def says_little(candidate: BundleCandidate) -> bool:
    """Whether a note is a pattern, a view of others, or nothing but embeds."""
    path = candidate.note.path
    if is_pattern(path) or path.endswith(".base"):
        return True
    stretch = candidate.passages[0]
    if "![[" not in stretch.text:
        return False
    lines = stretch.text[stretch.body :].split("\n")
    return all(_SAYS_NOTHING.match(line) for line in lines)


_SAYS_NOTHING = re.compile(r"\s*(?:$|#{1,6}\s|(?:[-+*]\s+)?!\[\[[^\]]*\]\]\s*$)")


def requests_of(hits: Sequence[Hit]) -> list[NoteRequest]:
    """Return what hits ask for: their own chunk, and the others that were found."""
    return [
        NoteRequest(
            hit.path,
            hit.relevance,
            hit.match_reason,
            hit.channels,
            (hit.chunk_index, *(passage.chunk_index for passage in hit.more)),
            tuple(
                NotePath(evidence.quoted)
                for evidence in hit.evidence
                if evidence.quoted
            ),
        )
        for hit in hits
    ]


GROWING = 12
"""Notes, from the best, of which neighbouring and further passages are read too: what
others have shown of themselves is all that there is room for."""


def candidates(asked: Sequence[NoteRequest], rows: Rows) -> list[BundleCandidate]:
    notes = rows.packed_notes([request.path for request in asked])
    there = [
        (request, notes[request.path]) for request in asked if request.path in notes
    ]
    wanted = {
        (note.note_id, index + near)
        for request, note in there[:GROWING]
        for index in request.indexes
        for near in _near(index)
    }
    wanted |= {(note.note_id, request.indexes[0]) for request, note in there[GROWING:]}
    # what comes first may be the properties alone, which say little by themselves
    wanted |= {(note.note_id, 1) for request, note in there if not request.indexes[0]}
    chunks = rows.placed_chunks(sorted(wanted))
    bundle_candidates = []
    for request, note in there:
        passages = _passages(note.note_id, request.indexes, chunks, rows)
        if passages:
            bundle_candidates.append(BundleCandidate(note, request, passages))
    return bundle_candidates


def _passages(
    note_id: int,
    indexes: Sequence[int],
    chunks: Mapping[tuple[int, int], PlacedChunk],
    rows: Rows,
) -> tuple[LineRange, ...]:
    ranges: list[LineRange] = []
    for index in indexes:
        if (note_id, index) not in chunks:
            continue
        places = [(note_id, index + near) for near in _near(index)]
        stretch = stretch_of([chunks[at] for at in places if at in chunks], index)
        if stretch is None:  # it begins or ends in the middle of a line
            stretch = stretch_of(rows.every_chunk(note_id), index)
        if stretch is not None:
            ranges.append(stretch)
    return tuple(ranges)


def _near(index: int) -> tuple[int, ...]:
    """Return which chunks come with one: two with the first, often properties."""
    return (-1, 0, 1) if index else (0, 1, 2)


def stretch_of(chunks: Sequence[PlacedChunk], index: int) -> LineRange | None:
    """Return chunks in a row as whole lines; None where that of `index` is cut off."""
    at, focus = 0, (0, 0)
    headings = []
    for chunk in chunks:
        size = len(chunk.text)
        if chunk.number == index:
            focus = (at, at + size)
        headings.append((at, chunk.heading_path))
        at += size
    first, last = chunks[0], chunks[-1]
    text = first.text if first is last else "".join([chunk.text for chunk in chunks])
    over = at if last.is_last else text.rfind("\n") + 1
    if first.begins:  # as most do
        if over < focus[1]:
            return None
        said = text if over == at else text[:over]
        return LineRange(said, first.first_line, focus, tuple(headings), last.is_last)
    begun = text.find("\n") + 1
    if not begun or begun > focus[0] or over < focus[1]:
        return None
    moved = tuple([(max(at - begun, 0), path) for at, path in headings])
    place = (focus[0] - begun, focus[1] - begun)
    return LineRange(text[begun:over], first.first_line + 1, place, moved, last.is_last)


SAID = 0.8
"""Share of its runs of three words that makes a passage one that was shown already."""


class ShownPassages:
    """The passages that a bundle shows already, by their runs of three words."""

    def __init__(self) -> None:
        self._runs: set[tuple[str, ...]] = set()

    def add(self, text: str) -> None:
        self._runs |= _runs(text)

    def has(self, text: str) -> bool:
        runs = _runs(text)
        return len(runs & self._runs) >= SAID * len(runs)


def _runs(text: str) -> set[tuple[str, ...]]:
    words = text.lower().split()
    return {*zip(words, words[1:], words[2:], strict=False)} or {tuple(words)}
