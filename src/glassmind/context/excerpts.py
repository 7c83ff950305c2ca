"""What is shown of a passage: the lines that say most to the question.

A passage is split into lines, and long lines into sentences. Of all runs of them that
fit the room, the one with the most words of the question is taken, rare words counting
more; without any, the beginning. Weights are estimated, since counting the tokens of
every line would take longer than all the rest.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from msgspec import UNSET

from glassmind.context.markdown import (
    NUMBER,
    excerpt_label,
    source_line,
    title_line,
)
from glassmind.context.passages import BundleCandidate, LineRange
from glassmind.context.question_words import Lookup, in_link
from glassmind.model import Span
from glassmind.model.context import BundleNote, Receipt
from glassmind.model.search import PackedNote
from glassmind.obsidian.receipts import receipt_text
from glassmind.obsidian.text import QUARTERS, fenced, iso_time, weight

LONG_LINE, SHORT_PART = 120, 20
"""Characters after which a line is split into sentences, and the fewest of a part."""

AROUND, REPEATED = 0.8, 0.5
"""What a word counts beside the passage that was found; and the power by which one
counts less that many lines have. Words in links count where there are no others."""

REQUIRED = 1_000.0
"""What a sentence counts that has to be shown; more than all words together."""

TRIES = 8
"""How often a passage is cut shorter where the estimate of its length was too low."""

DIGEST_TOKENS = 12
"""Sixteen digits of a digest are 9 to 12 tokens, unknown while a label is counted."""

_STOP = re.compile(r"[.!?。！？](?:(?<=[。！？])|\s+)")  # noqa: RUF001 - in Chinese
_SKIPPED = re.compile(r"\s*(?:#{1,6}\s|$|---\s*$)")
"""A heading, which is named above the passage already, a blank line, a break."""

_ENDS, _LAST = ("", "\n", "\r"), ".!?:;。！？"  # noqa: RUF001 - as above
_LINES, _EMPTY, _FLAG = Span(10, 100), fenced(""), "; goes on"
"""Stand for the lines, the text and the flags of a passage while a label is counted."""


class Row(NamedTuple):
    """The lines and sentences of a passage in order, as characters of its text.

    `weights` are in quarters of a token; `opening` is the first one of what was found.
    """

    units: list[tuple[int, int]]
    weights: list[int]
    scores: list[float]
    opening: int


class PassageScore:
    """One passage, scored for a question; `required` are characters it must show."""

    def __init__(
        self, stretch: LineRange, words: Lookup, required: tuple[int, int] | None = None
    ) -> None:
        self.stretch, self.required = stretch, required
        self._words = words

    @cached_property
    def _row(self) -> Row:
        text, begins = self.stretch.text, self.stretch.begins
        first, last = (max(begins, at) for at in self.stretch.focus)
        ends = (begins, first), (first, last), (last, len(text))
        units = [unit for part in ends for unit in parted(text, *part)]
        if text.isascii():  # the usual case, at a tenth of the cost
            weights = [end - start + 1 for start, end in units]
        else:
            weights = [weight(text[start:end]) + 1 for start, end in units]
        opening = bisect_left(units, (self.stretch.focus[0], 0)) if units else 0
        return Row(
            units, weights, self._scores(units), opening if opening < len(units) else 0
        )

    def _scores(self, units: Sequence[tuple[int, int]]) -> list[float]:
        scores, linked = [0.0] * len(units), [0.0] * len(units)
        first, last = self.stretch.focus
        for word, where in self._held(units).items():
            counts = self._words.weights.get(word, 0.0) / len(where) ** REPEATED
            for at, is_plain in where.items():
                near = 1.0 if first <= units[at][0] < last else AROUND
                (scores if is_plain else linked)[at] += counts * near
        if not any(scores):
            scores = linked
        if self.required:
            for at, (start, end) in enumerate(units):
                if start < self.required[1] and self.required[0] < end:
                    scores[at] += REQUIRED
        return scores

    def _held(self, units: Sequence[tuple[int, int]]) -> dict[str, dict[int, bool]]:
        """Return the units that hold each word, and whether outside a link."""
        held: dict[str, dict[int, bool]] = {}
        text, starts = self.stretch.text, [start for start, _ in units]
        for place, word in self._words.places(text) if units else ():
            at = bisect_right(starts, place) - 1
            if at < 0 or place >= units[at][1]:
                at += 1  # a word of a heading counts for the line below it
                if not text.startswith("##", text.rfind("\n", 0, place) + 1):
                    continue
            if at < len(units):
                where = held.setdefault(word, {})
                where[at] = where.get(at, False) or not in_link(text, place)
        return held

    @property
    def size(self) -> int:
        return sum(self._row.weights)

    def best(self, room: int) -> tuple[int, int] | None:
        """Return the characters that say most within a room, in quarters of a token."""
        units, weights, scores, opening = self._row
        if not units or room <= 0:
            return None
        first, last = run(weights, scores, opening, room)
        start, end = units[self._table_head(first, last, room)][0], units[last][1]
        if first == last and weights[first] > room:
            end = start + _cut(self.stretch.text[start:end], room)
        return start, end

    def _table_head(self, first: int, last: int, room: int) -> int:
        """Return where to begin: at the head of a table if that is near.

        Else its rows that say nothing are left out.
        """
        units, text = self._row.units, self.stretch.text
        at, held = first, 0
        while at and text.startswith("|", units[at][0]) and held <= room // 2:
            if not text.startswith("|", units[at - 1][0]):
                return at
            at -= 1
            held += self._row.weights[at]
        while first < last and text.startswith("|", units[first][0]):
            if self._row.scores[first]:
                break
            first += 1
        return first

    def whole(self) -> tuple[int, int] | None:
        units = self._row.units
        return (units[0][0], len(self.stretch.text.rstrip())) if units else None


def parted(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the lines of a text but headings and blanks, long ones by sentences."""
    made = []
    while start < end:
        over = text.find("\n", start, end)
        over = end if over < 0 else over
        if _SKIPPED.match(text[start:over]):
            start = over + 1
            continue
        if over - start > LONG_LINE:
            for stop in _STOP.finditer(text, start + SHORT_PART, over):
                if stop.end() - start > SHORT_PART:
                    made.append((start, stop.start() + 1))
                    start = stop.end()
        if text[start:over].strip():
            made.append((start, start + len(text[start:over].rstrip())))
        start = over + 1
    return made


def run(
    weights: Sequence[int], scores: Sequence[float], opening: int, room: int
) -> tuple[int, int]:
    """Return the first and last of the best units in a row that fit a room.

    Of equal runs the last, so that what matches comes first; without a score, the run
    from `opening` on. One unit is always taken.
    """
    held_to = list(accumulate(weights, initial=0))
    said_to = list(accumulate(scores, initial=0.0))

    def last_from(start: int) -> int:
        return max(start + 1, bisect_right(held_to, held_to[start] + room) - 1) - 1

    best, first, last = 0.0, opening, last_from(opening)
    for start, own in enumerate(scores):
        if own > 0:
            end = last_from(start)
            score = said_to[end + 1] - said_to[start]
            if score >= best - 1e-9:
                best, first, last = max(best, score), start, end
    held = held_to[last + 1] - held_to[first]
    while first > opening and held + weights[first - 1] <= room:
        first -= 1
        held += weights[first]
    return first, last


def _cut(text: str, room: int) -> int:
    """Return how much of a long sentence fits, up to a clause or a blank if any."""
    end = min(len(text), room)
    while end > 1 and weight(text[:end]) > room:
        end = end * 3 // 4
    clause = max([text.rfind(sign, end // 2, end) for sign in (", ", "; ", ": ")])
    blank = clause + 1 if clause > 0 else text.rfind(" ", end // 2, end)
    if blank <= 0 and text[end - 1 : end].isascii():
        blank = text.rfind(" ", 0, end)
    return blank if blank > 0 else max(end, 1)


# --- cuts of passages, and the notes they are of ------------------------------------


@dataclass(slots=True, eq=False)
class Cut:
    """What is shown of a passage: its characters, and the tokens of these."""

    reading: PassageScore
    start: int
    end: int
    tokens: int

    @property
    def text(self) -> str:
        return self.reading.stretch.text[self.start : self.end]

    @property
    def goes_on(self) -> bool:
        return self.reading.stretch.goes_on(self.start, self.end)

    @property
    def is_torn(self) -> bool:
        behind = self.reading.stretch.text[self.end : self.end + 1]
        return behind not in _ENDS and self.text[-1:] not in _LAST

    @property
    def lines(self) -> tuple[int, int]:
        stretch = self.reading.stretch
        first = stretch.first_line + stretch.text.count("\n", 0, self.start)
        return first, first + stretch.text.count("\n", self.start, self.end)

    def overlaps(self, other: "Cut") -> bool:
        """Return true if two cuts of a note show a line twice."""
        return self.lines[0] <= other.lines[1] and other.lines[0] <= self.lines[1]


class ExcerptCutter:
    """Cuts passages to a room in tokens; `texts` are samples of what it will cut."""

    def __init__(self, count: Callable[[str], int], texts: Sequence[str]) -> None:
        self._count = count
        sample = "\n".join(text[:400] for text in texts[:4])
        held = weight(sample)
        self._ratio = max(1.0, count(sample) / held * QUARTERS) if held else 1.0

    def stub(self, reading: PassageScore, size: int, room: int) -> Cut | None:
        """Return a short cut, half as long again if that ends with a whole sentence."""
        cut = self.cut(reading, min(size, room))
        if cut and cut.is_torn:
            longer = self.cut(reading, min(size * 3 // 2, room))
            return longer if longer and not longer.is_torn else cut
        return cut

    def cut(self, reading: PassageScore, room: int) -> Cut | None:
        quarters = int(room * QUARTERS / self._ratio)
        for _ in range(TRIES):
            wide = quarters >= reading.size
            found = reading.whole() if wide else reading.best(quarters)
            if found is None:
                return None
            tokens = self._count(reading.stretch.text[slice(*found)])
            if tokens <= room:
                return Cut(reading, *found, tokens)
            quarters = quarters * room // (tokens + 1)
        return None


@dataclass(slots=True)
class BundleEntry:
    """A note on its way into a bundle; `spare` are passages it does not show yet."""

    candidate: BundleCandidate
    cuts: list[Cut]
    spare: list[LineRange]

    @property
    def first(self) -> Cut:
        return self.cuts[0]

    def note(self) -> BundleNote:
        note, request = self.candidate.note, self.candidate.request
        excerpts = tuple(
            cut.reading.stretch.excerpt(note.path, cut.start, cut.end)
            for cut in sorted(self.cuts, key=lambda cut: cut.lines)
        )
        return BundleNote(
            note.path,
            note.title,
            _day(note),
            request.relevance,
            request.why,
            request.channels,
            excerpts,
            note.generated,
            note.superseded_by,
            request.quoted or UNSET,
        )


def label_of(candidate: BundleCandidate, further: LineRange | None = None) -> str:
    """Return the text around a passage, its source included, but for the digest.

    The first of a note has its title above it, a `further` one does not.
    """
    stretch, note = further or candidate.passages[0], candidate.note
    under = stretch.heading_path(stretch.focus[0])
    heading = under[-1] if under else ""
    receipt = receipt_text(Receipt(note.path, heading, _LINES, ""))
    label = excerpt_label(under, _LINES, NUMBER, _FLAG)
    title = (
        ""
        if further
        else title_line(
            note.title,
            _day(note),
            candidate.request.channels,
            generated=note.generated,
            superseded_by=note.superseded_by,
        )
    )
    return f"{title}{label}{_EMPTY}{source_line(receipt, NUMBER)}"


def _day(note: PackedNote) -> str:
    return note.day or ("" if note.at_once else iso_time(note.mtime_ns)[:10])
