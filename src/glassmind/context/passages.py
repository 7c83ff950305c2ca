"""From hits to passages: chunks with their neighbours, joined to whole lines."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from glassmind.markdown.receipts import receipt_of
from glassmind.render.quoted import holds_hidden
from glassmind.types import NotePath, Span
from glassmind.types.context import Excerpt
from glassmind.types.passages import PackedNote, PlacedChunk
from glassmind.types.search import ChannelName, Hit


class PassageReader(Protocol):
    """What is asked of the rows, at one moment of reading."""

    def notes(self, paths: Collection[NotePath], /) -> Mapping[NotePath, PackedNote]:
        """Return those of some notes that are there, by path."""

    def chunks(
        self, places: Collection[tuple[int, int]], /
    ) -> Mapping[tuple[int, int], PlacedChunk]:
        """Return those of some chunks that are there, by note and index."""

    def openings(self, note_ids: Collection[int], /) -> Mapping[int, int]:
        """Return the index of the first chunk of each note behind its properties."""

    def every(self, note_id: int, /) -> Sequence[PlacedChunk]:
        """Return the chunks of a note in order."""


class Stretch(NamedTuple):
    """Whole lines of a note in a row, the passage that was found among them.

    `focus` are the characters of that passage in `text`, and `headings` where another
    heading path begins.
    """

    text: str
    first_line: int
    focus: tuple[int, int]
    headings: tuple[tuple[int, tuple[str, ...]], ...]

    def excerpt(self, path: NotePath, start: int, end: int) -> Excerpt:
        """Return some characters of it, under the receipt of their whole lines."""
        text = self.text
        first = text.rfind("\n", 0, start) + 1
        last = text.find("\n", end)
        last = len(text) if last < 0 else last
        top = self.first_line + text.count("\n", 0, first)
        span = Span(top, top + text.count("\n", first, last))
        under = next(path for at, path in reversed(self.headings) if at <= start)
        rest = text[min(first, self.focus[0]) : start] + text[end : self._over(last)]
        said, whole = text[start:end], text[first:last]
        receipt = receipt_of(path, under[-1] if under else "", span, whole)
        hidden = holds_hidden(said)
        return Excerpt(
            under, span, said, receipt, not rest.isspace() and rest != "", hidden
        )

    def _over(self, last: int) -> int:
        return max(last, self.focus[1])


class Asked(NamedTuple):
    """A note that may matter, why, and which of its chunks, the best first."""

    path: NotePath
    relevance: float
    why: str
    channels: tuple[ChannelName, ...]
    indexes: tuple[int, ...]


class Candidate(NamedTuple):
    """A note that may come into a bundle, with its passages, the best first."""

    note: PackedNote
    relevance: float
    why: str
    channels: tuple[ChannelName, ...]
    passages: tuple[Stretch, ...]


def asked_of(hits: Sequence[Hit]) -> list[Asked]:
    """Return what hits ask for: their own chunk, and the others that were found."""
    return [
        Asked(
            hit.path,
            hit.relevance,
            hit.match_reason,
            hit.channels,
            (hit.chunk_index, *(passage.chunk_index for passage in hit.more)),
        )
        for hit in hits
    ]


def candidates(asked: Sequence[Asked], rows: PassageReader) -> list[Candidate]:
    """Return the notes that are there, in their order, with their passages read."""
    notes = rows.notes([one.path for one in asked])
    there = [(one, notes[one.path]) for one in asked if one.path in notes]
    wanted = {
        (note.note_id, index + near)
        for one, note in there
        for index in one.indexes
        for near in (-1, 0, 1)
        if index + near >= 0
    }
    chunks = rows.chunks(sorted(wanted))
    found = []
    for one, note in there:
        passages = _passages(note.note_id, one.indexes, chunks, rows)
        if passages:
            found.append(
                Candidate(note, one.relevance, one.why, one.channels, passages)
            )
    return found


def _passages(
    note_id: int,
    indexes: Sequence[int],
    chunks: Mapping[tuple[int, int], PlacedChunk],
    rows: PassageReader,
) -> tuple[Stretch, ...]:
    made: list[Stretch] = []
    for index in indexes:
        around = [chunks.get((note_id, index + near)) for near in (-1, 0, 1)]
        if around[1] is None:
            continue
        stretch = stretch_of([one for one in around if one is not None], index)
        if stretch is None:  # a line that is longer than three chunks
            stretch = stretch_of(rows.every(note_id), index)
        if stretch is not None:
            made.append(stretch)
    return tuple(made)


def stretch_of(chunks: Sequence[PlacedChunk], index: int) -> Stretch | None:
    """Return chunks in a row as whole lines; None where one of `index` has none."""
    text, at = "", 0
    focus = (0, 0)
    headings = []
    for number, chunk in enumerate(chunks):
        own = chunk.text if number == 0 else chunk.text[chunk.overlap :]
        if chunk.index == index:
            focus = (at, at + len(own))
        headings.append((at, chunk.heading_path))
        text += own
        at += len(own)
    begun = text.find("\n") + 1 if chunks[0].index > 0 else 0
    over = len(text) if chunks[-1].is_last else text.rfind("\n") + 1
    cut = chunks[0].index > 0 and not begun
    if cut or begun > focus[0] or over < focus[1]:
        return None
    moved = tuple((max(at - begun, 0), path) for at, path in headings)
    line = chunks[0].span.start + (1 if begun else 0)
    return Stretch(text[begun:over], line, (focus[0] - begun, focus[1] - begun), moved)
