"""Choosing what of a passage is shown: the lines that say most to the question.

A passage is parted into lines, and long lines into sentences. Of all runs of them that
fit the room, the one with the most of the question's words is taken, rare words
counting more; without any, the passage's beginning. Weights are estimated here, since
counting the tokens of every line would take longer than all the rest.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from msgspec import UNSET

from glassmind.context.markdown import (
    excerpt_label,
    source_line,
    title_line,
)
from glassmind.context.passages import Candidate, Stretch, part_of
from glassmind.context.question_words import Lookup, in_link
from glassmind.model import NotePath, Span
from glassmind.model.context import BundleNote, Excerpt, Receipt
from glassmind.model.search import PackedNote
from glassmind.obsidian.receipts import receipt_text
from glassmind.obsidian.text import fenced, iso_time, weight

LONG_LINE, SHORT_PART = 120, 20
"""Characters after which a line is parted into sentences, and the fewest of a part."""

_STOP = re.compile(r"[.!?。！？](?:(?<=[。！？])|\s+)")  # noqa: RUF001 - in Chinese
"""Where a sentence seems to end: for a cut, an abbreviation is as good. A pattern that
begins with a set of signs is sought several times as fast as two that do."""

_OPENER = re.compile(r"\s*(#{1,6}\s|$|---\s*$)")
"""A heading, which is named above the passage already, a blank line, a break."""

_HEADING = re.compile(r"\s*#{1,6}\s+(.*?)\s*\n")
_ENDS, _LAST = ("", "\n", "\r"), ".!?:;。！？"  # noqa: RUF001 - as above


AROUND, REPEATED = 0.8, 0.5
"""What a word counts beside the passage that was found, and the power by which one
counts less that many lines have: else a list in which each names it wins."""

LINKED = 0.5
"""What a word counts in the name of another note, beside one of the title."""

MUTE = 96
"""Quarters of a token below which lines that only name what was asked say nothing."""

SURE = 1_000.0
"""What a sentence counts that has to be shown; more than all words together."""


class Row(NamedTuple):
    """The lines and sentences of a passage in order, as characters of its text.

    `weights` are in quarters of a token; `opening` is where it says something, behind
    its properties and its heading. `by_name` where only names have words of a question.
    """

    units: list[tuple[int, int]]
    weights: list[int]
    scores: list[float]
    opening: int
    by_name: bool


class Reading:
    """One passage, read for a question; `told` are characters it must show."""

    def __init__(
        self, stretch: Stretch, words: Lookup, told: tuple[int, int] | None = None
    ) -> None:
        self.stretch = stretch
        self.told = told
        self._words = words
        self._best: dict[int, tuple[int, int] | None] = {}

    @cached_property
    def _row(self) -> Row:
        text = self.stretch.text
        units = _units(self.stretch)
        if text.isascii():  # the usual case, at a tenth of the cost
            weights = [end - start + 1 for start, end in units]
        else:
            weights = [weight(text[start:end]) + 1 for start, end in units]
        scores, by_name = self._scored(units)
        return Row(units, weights, scores, _opening(self.stretch, units), by_name)

    def _scored(self, units: Sequence[tuple[int, int]]) -> tuple[list[float], bool]:
        """Return what each of the units says, and whether that is but a name."""
        text, begins = self.stretch.text, self.stretch.begins
        scores, named = [0.0] * len(units), [0.0] * len(units)
        for word, where in self._held(units).items():
            often = sum(where.values()) or len(where)
            counts = self._words.weights.get(word, 0.0) / often**REPEATED
            for at, plain in where.items():
                start = units[at][0]
                if start < begins:  # a property is a passage of its own
                    continue
                if text.startswith("# ", start):
                    named[at] += counts
                elif plain:
                    scores[at] += counts * self._share(start)
                else:
                    named[at] += LINKED * counts
        by_name = not any(scores)
        if by_name:  # they are shown if what was asked is nowhere else
            scores = named
        if self.told:
            for at, (start, end) in enumerate(units):
                if start < self.told[1] and self.told[0] < end:
                    scores[at] += SURE
        return scores, by_name and not self.told

    def _held(self, units: Sequence[tuple[int, int]]) -> dict[str, dict[int, bool]]:
        """Return the units that hold each word, and whether other than in a link.

        What a heading says, the line below it is about.
        """
        held: dict[str, dict[int, bool]] = {}
        text, at, last = self.stretch.text, 0, len(units) - 1
        for place, word in self._words.places(text) if units else ():
            while at < last and units[at][1] <= place:
                at += 1
            where, said = held.setdefault(word, {}), at
            if at < last and text.startswith("##", units[at][0]):
                said += not text.startswith("#", units[at + 1][0])
            if not where.get(said):
                where[said] = not in_link(text, place)
        return held

    def _share(self, start: int) -> float:
        """Return what words count in the line that begins here."""
        first, last = self.stretch.focus
        return 1.0 if first <= start < last else AROUND

    @property
    def speaks(self) -> bool:
        """Whether a line of it holds a word of the question."""
        return any(self._row.scores)

    @property
    def bound(self) -> float:
        """How much it says at most behind the properties, whatever the room."""
        body = self.stretch.body
        found = {w for at, w in self._words.places(self.stretch.text) if at >= body}
        return sum(self._words.weights.get(word, 0.0) for word in sorted(found))

    def peak(self, room: int) -> float:
        """Return how much the best says within a room."""
        row = self._row
        if not self.speaks:
            return 0.0
        first, last = run(row.weights, row.scores, row.opening, room)
        return sum(row.scores[first : last + 1])

    @property
    def size(self) -> int:
        """The weight of the whole passage."""
        return sum(self._row.weights)

    def best(self, room: int) -> tuple[int, int] | None:
        """Return the characters that say most within a room, in quarters of a token."""
        if room not in self._best:
            self._best[room] = self._chosen(room) if room > 0 else None
        return self._best[room]

    def _chosen(self, room: int) -> tuple[int, int] | None:
        units, weights, scores, opening, by_name = self._row
        if not units:
            return None
        text = self.stretch.text
        first, last = run(weights, scores, opening, room)
        if by_name and sum(weights[first : last + 1]) < MUTE:
            first, last = opening, _filled(weights, opening, room)
        if text.startswith("#", units[last][0]):
            first, last = self._below(first, last)
        start, end = units[first][0], units[last][1]
        if text.startswith("|", start):
            start = units[self._begun(first, last, room)][0]
        if first == last and weights[first] > room:
            end = start + _cut(text[start:end], room)
        return _trimmed(text, self._behind_title(start, end), end)

    def _below(self, first: int, last: int) -> tuple[int, int]:
        """Return units in a row, or what follows them where they are but headings."""
        text, units = self.stretch.text, self._row.units
        if any(not _OPENER.match(text, *units[at]) for at in range(first, last + 1)):
            return first, last
        for at in range(last + 1, len(units)):
            if not _OPENER.match(text, *units[at]):
                return at, at
        return first, last

    def _behind_title(self, start: int, end: int) -> int:
        """Return where a part goes on behind a heading that is named above it."""
        text = self.stretch.text
        if not (text.startswith("#", start) or text[start : start + 1].isspace()):
            return start
        named = self.stretch.heading_path(start)
        while (found := _HEADING.match(text, start, end)) and found[1] in named:
            start = found.end()
        return start

    def stub(self, room: int) -> tuple[int, int] | None:
        """Return the best, rather half as much again than with half a sentence."""
        found = self.best(room)
        if found and self._is_broken(found[1]):
            longer = self.best(room * 3 // 2)
            return longer if longer and not self._is_broken(longer[1]) else found
        return found

    def _is_broken(self, end: int) -> bool:
        """Whether a part of the text that ends here ends within a sentence."""
        text = self.stretch.text
        return text[end : end + 1] not in _ENDS and text[end - 1] not in _LAST

    def _begun(self, first: int, last: int, room: int) -> int:
        """Return where to begin: at the head of a table whose row is the first.

        Where that is far, rows that say nothing to the question are left out.
        """
        head, held = first, 0
        while self._is_row(head) and held <= room // 2:
            if not head or not self._is_row(head - 1):
                return head
            head -= 1
            held += self._row.weights[head]
        while first < last and self._is_row(first) and not self._row.scores[first]:
            first += 1
        return first

    def _is_row(self, number: int) -> bool:
        return self.stretch.text.startswith("|", self._row.units[number][0])

    def beyond(self) -> tuple[int, int] | None:
        """Return all of the passage and of what stands around it."""
        text, start = self.stretch.text, self.stretch.begins
        return _trimmed(text, self._behind_title(start, len(text)), len(text))


def _units(stretch: Stretch) -> list[tuple[int, int]]:
    """Return the lines and sentences of a passage, none of which leaves its focus."""
    text, (first, last) = stretch.text, stretch.focus
    if all(not at or text[at - 1] == "\n" for at in (first, last)):
        return parted(text, 0, len(text))
    return [
        *parted(text, 0, first),
        *parted(text, first, last),
        *parted(text, last, len(text)),
    ]


def _opening(stretch: Stretch, units: Sequence[tuple[int, int]]) -> int:
    """Return the unit where a passage says something."""
    text, begins = stretch.text, stretch.begins
    for first in (max(stretch.focus[0], begins), begins):
        for number in range(bisect_left(units, (first, 0)), len(units)):
            start, end = units[number]
            if not _OPENER.match(text[start:end]):
                return number
    return bisect_left(units, (begins, 0)) if begins else 0


def parted(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the lines of a part of a text, long ones by their sentences."""
    made = []
    while start < end:
        over = text.find("\n", start, end)
        over = end if over < 0 else over
        if over - start > LONG_LINE and may_stop(text, start + SHORT_PART, over):
            for stop in _STOP.finditer(text, start + SHORT_PART, over):
                if stop.end() - start > SHORT_PART:
                    made.append((start, stop.start() + 1))
                    start = stop.end()
        if over > start:
            made.append((start, over))
        start = over + 1
    return made


def may_stop(text: str, start: int, end: int) -> bool:
    """Whether a part of a text may hold the end of a sentence before its own.

    To look for a sign costs a tenth of what the expressions for such ends do.
    """
    return (
        text.find(".", start, end - 1) >= 0
        or text.find("!", start, end - 1) >= 0
        or text.find("?", start, end - 1) >= 0
        or not text.isascii()
    )


def run(
    weights: Sequence[int], scores: Sequence[float], opening: int, room: int
) -> tuple[int, int]:
    """Return the first and last of the best units in a row that fit a room.

    Of equal runs the last, so that what was asked for comes first and what follows it
    is shown; without a score, the run from `opening` on. One unit is always taken.
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
    """Return the last unit that a room holds from one on."""
    last, held = first, weights[first]
    while last + 1 < len(weights) and held + weights[last + 1] <= room:
        last += 1
        held += weights[last]
    return last


def _cut(text: str, room: int) -> int:
    """Return how much of a long sentence fits, up to a clause or a blank if any.

    No word is cut, unless it is longer than a word is, or of a script without blanks.
    """
    end = min(len(text), room)
    while end > 1 and weight(text[:end]) > room:
        end = end * 3 // 4
    clause = max([text.rfind(sign, end // 2, end) for sign in (", ", "; ", ": ")])
    blank = clause + 1 if clause > 0 else text.rfind(" ", end // 2, end)
    if blank <= 0 and text[end - 1 : end].isascii():
        blank = text.rfind(" ", 0, end)
    return blank if blank > 0 else max(end, 1)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return a part of a text without blank lines at its ends; None when it is blank.

    Blanks before the first word of a line are a part of it; the heading of something
    that is not shown is none.
    """
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


LONGEST_ENDING = 2
"""Letters by which a name may be longer than the word for it: `launches`."""

LONGEST_CHARS = 240
"""Characters of the properties that are shown: a few lines. Two that stand further
apart are not shown together, and one that is longer is a list to be read by itself."""


def asked_property(
    stretch: Stretch, words: Lookup, *, by_value: bool
) -> Stretch | None:
    """Return the properties whose names are words of a question.

    Whole lines, with all that stands below them; of several that stand too far apart,
    the one with most of these words. Where none is named, that whose value holds some,
    if `by_value`.
    """
    body = stretch.body
    named: dict[int, float] = {}
    valued: dict[int, float] = {}
    for place, word in words.places(stretch.text) if body else ():
        if place >= body:
            break
        start = stretch.text.rfind("\n", 0, place) + 1
        over = stretch.text.find(":", start, stretch.text.find("\n", place))
        found = valued if over < place else named
        if found is named and not _is_name(stretch.text, place, word):
            continue
        found[start] = found.get(start, 0.0) + words.weights.get(word, 0.0)
    lines = _shown(stretch, named) or (_shown(stretch, valued) if by_value else None)
    if lines is None:
        return None
    start, end = lines
    return part_of(stretch, start, start + len(stretch.text[start:end].rstrip()))


def value_in(text: str) -> str:
    """Return the value of the first property in a text."""
    return text.partition(":")[2].strip(" \t\r\n\"'")


def _is_name(text: str, place: int, word: str) -> bool:
    """Whether a word of a name is one of the question, but for a short ending.

    Who decided is not asked by what was.
    """
    over = place + len(word)
    return not text[over : over + LONGEST_ENDING + 1].isalnum()


def _shown(stretch: Stretch, lines: dict[int, float]) -> tuple[int, int] | None:
    """Return those of some lines that say something and are not too long."""
    parts = {start: _block(stretch, start) for start in lines}
    told = [
        (start, end) for start, end in parts.items() if _speaks(stretch, start, end)
    ]
    if not told:
        return None
    first, last = min(told)[0], max(end for _, end in told)
    if last - first <= LONGEST_CHARS:
        return first, last
    short = [one for one in told if one[1] - one[0] <= LONGEST_CHARS]
    return max(short, key=lambda one: (lines[one[0]], -one[0]), default=None)


def _block(stretch: Stretch, start: int) -> int:
    """Return where a property ends that begins with a line."""
    text, end = stretch.text, stretch.text.find("\n", start)
    depth = _depth(text, start)
    while end + 1 < stretch.body and not text.startswith("---", end + 1):
        below = _depth(text, end + 1)
        listed = below == depth and text.startswith("- ", end + 1 + below)
        if below <= depth and not (listed and not text.startswith("-", start + depth)):
            break
        end = text.find("\n", end + 1)
    return end


def _depth(text: str, start: int) -> int:
    """Return how many blanks a line begins with."""
    at = start
    while text[at : at + 1] in {" ", "\t"}:
        at += 1
    return at - start


def _speaks(stretch: Stretch, start: int, end: int) -> bool:
    """Whether a property has a value."""
    name, colon, value = stretch.text[start:end].partition(":")
    said = value if colon else name
    return bool(said.strip(" \t\r\n\"'[]{}-#"))


Part = tuple[Stretch, int, int]
"""Lines of a note, and the characters of them that are shown."""

NUMBER = "[10]"
"""Stands for the number of a source while its length is counted."""

LINES, DIGEST, DIGEST_TOKENS = Span(10, 100), "", 12
"""Stand for lines and digest of a receipt while its length is counted. Sixteen digits
of a digest are 9 to 12 tokens, and nobody knows them beforehand."""


EMPTY, EVERY_FLAG = fenced(""), "; goes on"
"""A fence around nothing, and what is told of most passages."""


@dataclass(slots=True, eq=False)
class Cut:
    """What is shown of a passage: its characters, and the tokens of these."""

    reading: Reading
    start: int
    end: int
    tokens: int

    @property
    def text(self) -> str:
        """The characters."""
        return self.reading.stretch.text[self.start : self.end]

    @property
    def goes_on(self) -> bool:
        """Whether the passage has more than is shown."""
        return self.reading.stretch.goes_on(self.start, self.end)


@dataclass(slots=True)
class BundleEntry:
    """A note on its way into a bundle; `spare` are passages it does not show yet."""

    candidate: Candidate
    cuts: list[Cut]
    spare: list[Stretch]
    made: BundleNote | None = None

    @property
    def first(self) -> Cut:
        """The best of its passages, which grows first."""
        return self.cuts[0]

    def note(self) -> BundleNote:
        """Return the note with its passages in the order of their lines."""
        if self.made is None:
            path = self.candidate.note.path
            excerpts = [
                stretch.excerpt(path, start, end)
                for stretch, start, end in joined(self.cuts)
            ]
            self.made = _note_of(self.candidate, tuple(excerpts))
        return self.made

    def receipt(self, cut: Cut) -> str:
        """Return that of the passage which holds one, or is it."""
        first, last = _lines(cut)
        return next(
            one.receipt
            for one in self.note().excerpts
            if one.lines.start <= first and last <= one.lines.end
        )

    def show(self, cut: Cut, instead: Cut | None = None) -> None:
        """Show a passage, in place of a shorter one if that is given."""
        if instead is None:
            self.cuts.append(cut)
        else:
            self.cuts[self.cuts.index(instead)] = cut
        self.made = None

    def hide(self) -> None:
        """Show no longer what was shown last."""
        self.cuts.pop()
        self.made = None


def label_of(candidate: Candidate, further: Stretch | None = None) -> str:
    """Return what stands around a passage, its source included, but for the digest.

    The first of a note has its title above it; a `further` one has not.
    """
    stretch = further or candidate.passages[0]
    under = stretch.heading_path(stretch.focus[0])
    heading = under[-1] if under else ""
    receipt = receipt_text(Receipt(candidate.note.path, heading, LINES, DIGEST))
    label = excerpt_label(under, LINES, NUMBER, EVERY_FLAG)
    title = "" if further else _title_of(candidate)
    return f"{title}{label}{EMPTY}{source_line(receipt, NUMBER)}"


def _title_of(candidate: Candidate) -> str:
    note = candidate.note
    return title_line(
        note.title,
        _day(note),
        candidate.channels,
        generated=note.generated,
        superseded_by=note.superseded_by,
    )


def _note_of(candidate: Candidate, excerpts: tuple[Excerpt, ...]) -> BundleNote:
    note = candidate.note
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


def _day(note: PackedNote) -> str:
    """Return the day of a note; empty where its file was written with many others."""
    return note.day or ("" if note.at_once else iso_time(note.mtime_ns)[:10])


def marked(
    candidates: Sequence[Candidate], replaced: Mapping[NotePath, str]
) -> Sequence[Candidate]:
    """Return notes, those marked that another is in the place of, by its title."""
    if not replaced:  # as mostly
        return candidates
    return [
        one._replace(
            note=one.note._replace(superseded_by=replaced.get(one.note.path, ""))
        )
        for one in candidates
    ]


def overlap(one: Cut, other: Cut) -> bool:
    """Whether two passages of a note show a line twice."""
    first, second = (_lines(cut) for cut in (one, other))
    return first[0] <= second[1] and second[0] <= first[1]


def joined(cuts: Sequence[Cut]) -> list[Part]:
    """Return what is shown of a note in the order of its lines.

    Where nothing but blank lines stands between two, they are one.
    """
    if len(cuts) == 1:  # as of most notes
        (cut,) = cuts
        return [(cut.reading.stretch, cut.start, cut.end)]
    made: list[Part] = []
    for cut in sorted(cuts, key=_lines):
        part = (cut.reading.stretch, cut.start, cut.end)
        both = _both(made[-1], part) if made else None
        if both:
            made[-1] = both
        else:
            made.append(part)
    return made


def _both(one: Part, other: Part) -> Part | None:
    """Return two parts of a note as one; None where something stands between them."""
    (stretch, start, end), (next_one, begun, over) = one, other
    if end < len(stretch.text) and stretch.text[end] != "\n":
        return None  # it ends within a line
    if begun and next_one.text[begun - 1] != "\n":
        return None
    line = stretch.first_line + stretch.text.count("\n", 0, end)
    first = next_one.first_line + next_one.text.count("\n", 0, begun)
    blank = "\n" * (first - line)
    before, after = next_one.text[:begun], stretch.text[end:]
    if first != line + 1 and not (before.endswith(blank) or after.startswith(blank)):
        return None
    text = stretch.text[:end] + blank + next_one.text[begun:]
    moved = end + len(blank) - begun
    headings = (
        *((at, path) for at, path in stretch.headings if at <= end),
        *((at + moved, path) for at, path in next_one.headings if at >= begun),
    )
    focus = (min(stretch.focus[0], end), max(end, next_one.focus[1] + moved))
    whole = stretch._replace(
        text=text, focus=focus, headings=headings, ends=next_one.ends
    )
    return whole, start, over + moved


def _lines(cut: Cut) -> tuple[int, int]:
    stretch = cut.reading.stretch
    first = stretch.first_line + stretch.text.count("\n", 0, cut.start)
    return first, first + stretch.text.count("\n", cut.start, cut.end)


def found_text(candidate: Candidate) -> str:
    """Return the passage that a note was found by."""
    stretch = candidate.passages[0]
    return stretch.text[slice(*stretch.focus)]


def numbered(_: str) -> str:
    """Stand for what cites while its length is counted."""
    return NUMBER
