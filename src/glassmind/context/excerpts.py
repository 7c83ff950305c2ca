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
from glassmind.context.passages import Candidate, Stretch
from glassmind.context.question_words import Lookup, in_link
from glassmind.model import Span
from glassmind.model.context import BundleNote, Receipt
from glassmind.model.search import PackedNote
from glassmind.obsidian.receipts import receipt_text
from glassmind.obsidian.text import QUARTERS, fenced, iso_time, weight

LONG_LINE, SHORT_PART = 120, 20
"""Characters after which a line is split into sentences, and the fewest of a part."""

AROUND, LINKED, REPEATED = 0.8, 0.5, 0.5
"""What a word counts beside the passage that was found, and in a link; and the power by
which one counts less that many lines have."""

REQUIRED = 1_000.0
"""What a sentence counts that has to be shown; more than all words together."""

TRIES = 8
"""How often a passage is cut shorter where the estimate of its length was too low."""

DIGEST_TOKENS = 12
"""Sixteen digits of a digest are 9 to 12 tokens, unknown while a label is counted."""

_STOP = re.compile(r"[.!?。！？](?:(?<=[。！？])|\s+)")  # noqa: RUF001 - in Chinese
_OPENER = re.compile(r"\s*(#{1,6}\s|$|---\s*$)")
"""A heading, which is named above the passage already, a blank line, a break."""
_HEADING = re.compile(r"\s*#{1,6}\s+(.*?)\s*\n")

_ENDS, _LAST = ("", "\n", "\r"), ".!?:;。！？"  # noqa: RUF001 - as above
_LINES, _EMPTY, _FLAG = Span(10, 100), fenced(""), "; goes on"
"""Stand for the lines, the text and the flags of a passage while a label is counted."""


class Row(NamedTuple):
    """The lines and sentences of a passage in order, as characters of its text.

    `weights` are in quarters of a token; `opening` is the first one behind the
    properties and the heading.
    """

    units: list[tuple[int, int]]
    weights: list[int]
    scores: list[float]
    opening: int


class Reading:
    """One passage, scored for a question; `required` are characters it must show."""

    def __init__(
        self, stretch: Stretch, words: Lookup, required: tuple[int, int] | None = None
    ) -> None:
        self.stretch, self.required = stretch, required
        self._words = words

    @cached_property
    def _row(self) -> Row:
        text, units = self.stretch.text, _units(self.stretch)
        if text.isascii():  # the usual case, at a tenth of the cost
            weights = [end - start + 1 for start, end in units]
        else:
            weights = [weight(text[start:end]) + 1 for start, end in units]
        return Row(units, weights, self._scores(units), _opening(self.stretch, units))

    def _scores(self, units: Sequence[tuple[int, int]]) -> list[float]:
        body, (first, last) = self.stretch.body, self.stretch.focus
        scores, held = [0.0] * len(units), [0.0] * len(units)
        for word, where in self._held(units).items():
            counts = self._words.weights.get(word, 0.0) / len(where) ** REPEATED
            for at, share in where.items():
                start = units[at][0]
                near = 1.0 if first <= start < last else AROUND
                plain = share == 1.0 and start >= body
                (scores if plain else held)[at] += counts * share * near
        if not any(scores):
            scores = held
        if self.required:
            for at, (start, end) in enumerate(units):
                if start < self.required[1] and self.required[0] < end:
                    scores[at] += REQUIRED
        return scores

    def _held(self, units: Sequence[tuple[int, int]]) -> dict[str, dict[int, float]]:
        """Return the units that hold each word, and what it counts there.

        A word of a heading counts for the line below it; one of the title for nothing.
        """
        held: dict[str, dict[int, float]] = {}
        text, at, last = self.stretch.text, 0, len(units) - 1
        for place, word in self._words.places(text) if units else ():
            while at < last and units[at][1] <= place:
                at += 1
            start, unit = units[at][0], at
            if text.startswith("# ", start):
                continue
            if at < last and text.startswith("##", start):
                unit += not text.startswith("#", units[at + 1][0])
            share = LINKED if in_link(text, place) else 1.0
            where = held.setdefault(word, {})
            where[unit] = max(where.get(unit, 0.0), share)
        return held

    @property
    def size(self) -> int:
        return sum(self._row.weights)

    def best(self, room: int) -> tuple[int, int] | None:
        """Return the characters that say most within a room, in quarters of a token."""
        units, weights, scores, opening = self._row
        if not units or room <= 0:
            return None
        text = self.stretch.text
        first, last = run(weights, scores, opening, room)
        if text.startswith("#", units[last][0]):
            first, last = self._below(first, last)
        start, end = units[self._table_head(first, last, room)][0], units[last][1]
        if first == last and weights[first] > room:
            end = start + _cut(text[start:end], room)
        return _trimmed(text, self._behind_title(start, end), end)

    def _below(self, first: int, last: int) -> tuple[int, int]:
        text, units = self.stretch.text, self._row.units
        for at in (*range(first, last + 1), *range(last + 1, len(units))):
            if not _OPENER.match(text, *units[at]):
                return (first, last) if at <= last else (at, at)
        return first, last

    def _table_head(self, first: int, last: int, room: int) -> int:
        """Return where to begin: at the head of a table if that is near.

        Else its rows that say nothing are left out.
        """
        units, text = self._row.units, self.stretch.text
        head, held = first, 0
        while text.startswith("|", units[head][0]) and held <= room // 2:
            if not head or not text.startswith("|", units[head - 1][0]):
                return head
            head -= 1
            held += self._row.weights[head]
        while first < last and text.startswith("|", units[first][0]):
            if self._row.scores[first]:
                break
            first += 1
        return first

    def _behind_title(self, start: int, end: int) -> int:
        text, named = self.stretch.text, self.stretch.heading_path(start)
        while (found := _HEADING.match(text, start, end)) and found[1] in named:
            start = found.end()
        return start

    def stub(self, room: int) -> tuple[int, int] | None:
        """Return the best, half as much again if that ends with a whole sentence."""
        found = self.best(room)
        if found and self._is_broken(found[1]):
            longer = self.best(room * 3 // 2)
            return longer if longer and not self._is_broken(longer[1]) else found
        return found

    def _is_broken(self, end: int) -> bool:
        text = self.stretch.text
        return text[end : end + 1] not in _ENDS and text[end - 1] not in _LAST

    def beyond(self) -> tuple[int, int] | None:
        text, start = self.stretch.text, self.stretch.begins
        return _trimmed(text, self._behind_title(start, len(text)), len(text))


def _units(stretch: Stretch) -> list[tuple[int, int]]:
    """Return the lines and sentences of a passage, none across its focus.

    Properties are left out where there is other text.
    """
    text, begins = stretch.text, stretch.begins
    first, last = (max(begins, at) for at in stretch.focus)
    if all(not at or text[at - 1] == "\n" for at in (first, last)):
        return parted(text, begins, len(text))
    return [
        *parted(text, begins, first),
        *parted(text, first, last),
        *parted(text, last, len(text)),
    ]


def _opening(stretch: Stretch, units: Sequence[tuple[int, int]]) -> int:
    text, begins = stretch.text, stretch.begins
    for first in (max(stretch.focus[0], begins), begins):
        for number in range(bisect_left(units, (first, 0)), len(units)):
            start, end = units[number]
            if not _OPENER.match(text[start:end]):
                return number
    return bisect_left(units, (begins, 0)) if begins else 0


def parted(text: str, start: int, end: int) -> list[tuple[int, int]]:
    made = []
    while start < end:
        over = text.find("\n", start, end)
        over = end if over < 0 else over
        if over - start > LONG_LINE:
            for stop in _STOP.finditer(text, start + SHORT_PART, over):
                if stop.end() - start > SHORT_PART:
                    made.append((start, stop.start() + 1))
                    start = stop.end()
        if over > start:
            made.append((start, over))
        start = over + 1
    return made


def run(
    weights: Sequence[int], scores: Sequence[float], opening: int, room: int
) -> tuple[int, int]:
    """Return the first and last of the best units in a row that fit a room.

    Of equal runs the last, so that what matches comes first; without a score, the run
    from `opening` on. One unit is always taken.
    """
    if not any(scores):
        return opening, _filled(weights, opening, room)
    best, first, last = 0.0, opening, opening
    held_to = list(accumulate(weights, initial=0))
    said_to = list(accumulate(scores, initial=0.0))
    for start, own in enumerate(scores):
        if own > 0:
            end = max(start + 1, bisect_right(held_to, held_to[start] + room) - 1)
            score = said_to[end] - said_to[start]
            if score >= best - 1e-9:
                best, first, last = max(best, score), start, end - 1
    held = held_to[last + 1] - held_to[first]
    while first > opening and held + weights[first - 1] <= room:
        first -= 1
        held += weights[first]
    return first, last


def _filled(weights: Sequence[int], first: int, room: int) -> int:
    last, held = first, weights[first]
    while last + 1 < len(weights) and held + weights[last + 1] <= room:
        last += 1
        held += weights[last]
    return last


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


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return a part without blank lines at its ends, nor a heading without its text."""
    line = max(start, text.rfind("\n", start, end) + 1)
    ragged = start < end and (text[start].isspace() or text[end - 1].isspace())
    if start < end and not ragged and not text.startswith("#", line):
        return start, end  # the usual case
    body = text[start:end].rstrip()
    head, _, last = body.rpartition("\n")
    alone = last.startswith("#") and head.strip() and _OPENER.match(last)
    if alone and text[end : end + LONG_LINE].strip():
        body = head
    ended = start + len(body.rstrip())
    begun = start + len(body) - len(body.lstrip())
    begun = max(start, text.rfind("\n", 0, begun) + 1)
    return (begun, ended) if begun < ended else None


# --- cuts of passages, and the notes they are of ------------------------------------


@dataclass(slots=True, eq=False)
class Cut:
    """What is shown of a passage: its characters, and the tokens of these."""

    reading: Reading
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
    def lines(self) -> tuple[int, int]:
        stretch = self.reading.stretch
        first = stretch.first_line + stretch.text.count("\n", 0, self.start)
        return first, first + stretch.text.count("\n", self.start, self.end)

    def overlaps(self, other: "Cut") -> bool:
        """Return true if two cuts of a note show a line twice."""
        return self.lines[0] <= other.lines[1] and other.lines[0] <= self.lines[1]


class Clipper:
    """Cuts passages to a room in tokens; `texts` are samples of what it will cut."""

    def __init__(self, count: Callable[[str], int], texts: Sequence[str]) -> None:
        self._count = count
        sample = "\n".join(text[:400] for text in texts[:4])
        held = weight(sample)
        self._ratio = max(1.0, count(sample) / held * QUARTERS) if held else 1.0

    def stub(self, reading: Reading, stub: int, room: int) -> Cut | None:
        if reading.required:
            said = reading.stretch.text[slice(*reading.required)]
            stub = max(stub, self._count(said) + 8)
        found = reading.stub(int(stub * QUARTERS / self._ratio))
        if found is not None:
            tokens = self._count(reading.stretch.text[slice(*found)])
            if tokens <= min(2 * stub, room):
                return Cut(reading, *found, tokens)
        return self.cut(reading, min(stub, room))

    def cut(self, reading: Reading, room: int) -> Cut | None:
        quarters = int(room * QUARTERS / self._ratio)
        for _ in range(TRIES):
            wide = quarters >= reading.size
            found = reading.beyond() if wide else reading.best(quarters)
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

    candidate: Candidate
    cuts: list[Cut]
    spare: list[Stretch]

    @property
    def first(self) -> Cut:
        return self.cuts[0]

    def note(self) -> BundleNote:
        candidate, note = self.candidate, self.candidate.note
        excerpts = tuple(
            cut.reading.stretch.excerpt(note.path, cut.start, cut.end)
            for cut in sorted(self.cuts, key=lambda cut: cut.lines)
        )
        return BundleNote(
            note.path,
            note.title,
            _day(note),
            candidate.relevance,
            candidate.why,
            candidate.channels,
            excerpts,
            note.generated,
            note.superseded_by,
            candidate.quoted or UNSET,
        )


def label_of(candidate: Candidate, further: Stretch | None = None) -> str:
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
            candidate.channels,
            generated=note.generated,
            superseded_by=note.superseded_by,
        )
    )
    return f"{title}{label}{_EMPTY}{source_line(receipt, NUMBER)}"


def _day(note: PackedNote) -> str:
    return note.day or ("" if note.at_once else iso_time(note.mtime_ns)[:10])
