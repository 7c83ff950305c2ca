"""Two changes of one text brought together, line by line.

Lines are compared as bytes, with whatever ends them. Lines that stand once in both
texts are found first, as they part long texts into short ones (Cohen's patience diff);
what lies between is compared by `difflib`. Changes that do not overlap are both kept;
so are those that touch, where one of them only adds lines. Otherwise one side has to
give way, and the place is named.

A last line that nothing ends is compared as if it were ended, so that to add a line
behind it is no change of it; whether the text ends so is settled by itself.
"""

from bisect import bisect_left
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from io import BytesIO
from typing import NamedTuple

from glassmind.model import Span

MOST_PAIRS = 200_000
"""Pairs of equal lines that are weighed in one stretch: two tenths of a second at most.
Beyond them, as in thousands of lines all alike, it counts as changed as a whole."""


class Hunk(NamedTuple):
    """Lines of one text, half open, in whose place the other has others."""

    start: int
    end: int
    other_start: int
    other_end: int


class Merged(NamedTuple):
    """A text with two changes in it; `conflicts` are lines where ours was kept."""

    raw: bytes
    conflicts: tuple[Span, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether both changes are in it whole."""
        return not self.conflicts


def lines_in(raw: bytes) -> list[bytes]:
    """Return the lines of a text, each with its end; joined they are the text."""
    return BytesIO(raw).readlines()


def hunks_between(one: Sequence[bytes], other: Sequence[bytes]) -> list[Hunk]:
    """Return where two lists of lines differ, in order; no two hunks touch."""
    begin, end = _same_ends(one, other)
    found: list[Hunk] = []
    at, other_at = begin, begin
    stop = (len(one) - end, len(other) - end)
    for here, there in [*_anchors(one, other, begin, end), stop]:
        found += _stretch(one, other, Hunk(at, here, other_at, there))
        at, other_at = here + 1, there + 1
    return _joined(found)


def merge(base: bytes, ours: bytes, theirs: bytes) -> Merged:
    """Bring two changes of one text together.

    Where both changed the same lines, or replaced lines that touch, in different ways,
    ours stands; the conflict names the lines of `ours`. Of what both add at one place
    ours comes first. A file with NUL bytes is one line. A byte order mark that all have
    is a part of no line.
    """
    if all(raw.startswith(BOM_UTF8) for raw in (base, ours, theirs)):
        bare = (raw.removeprefix(BOM_UTF8) for raw in (base, ours, theirs))
        merged = merge(*bare)
        return merged._replace(raw=BOM_UTF8 + merged.raw)
    if theirs in (base, ours):
        return Merged(ours)
    if base == ours:
        return Merged(theirs)
    texts = (base, ours, theirs)
    if any(b"\0" in raw for raw in texts):
        return Merged(ours, (Span(1, max(1, len(lines_in(ours)))),))
    newline = _newline(texts)
    old, mine, yours = (lines_in(_ended(raw, newline)) for raw in texts)
    merged = _merged(old, mine, yours)
    was, here, there = map(_is_ended, texts)
    if there if here == was else here:
        return merged
    return merged._replace(raw=merged.raw.removesuffix(newline))


def _is_ended(raw: bytes) -> bool:
    return not raw or raw.endswith(b"\n")


def _ended(raw: bytes, newline: bytes) -> bytes:
    return raw if _is_ended(raw) else raw + newline


def _newline(texts: Sequence[bytes]) -> bytes:
    """Return what ends the first line of the first text that has an ended one."""
    first = next((lines_in(raw)[0] for raw in texts if b"\n" in raw), b"")
    return b"\r\n" if first.endswith(b"\r\n") else b"\n"


def _merged(old: list[bytes], mine: list[bytes], yours: list[bytes]) -> Merged:
    out: list[bytes] = []
    conflicts: list[Span] = []
    at = 0
    for left, right in _groups(hunks_between(old, mine), hunks_between(old, yours)):
        begin = min(hunk.start for hunk in (*left, *right))
        end = max(hunk.end for hunk in (*left, *right))
        out += old[at:begin]
        at = end
        my_begin, my_end = _over(left, begin, end)
        first, last = _over(right, begin, end)
        ours, theirs = mine[my_begin:my_end], yours[first:last]
        if left and right and ours != theirs:
            if begin == end:  # both only add
                ours += theirs
            else:
                conflicts.append(Span(my_begin + 1, max(my_begin + 1, my_end)))
        out += ours if left else theirs
    out += old[at:]
    return Merged(b"".join(out), tuple(conflicts))


def _over(hunks: Sequence[Hunk], begin: int, end: int) -> tuple[int, int]:
    """Return the lines of the other text that stand for some lines of the base."""
    if not hunks:
        return begin, end
    first, last = hunks[0], hunks[-1]
    return first.other_start - (first.start - begin), last.other_end + end - last.end


def _groups(
    left: Sequence[Hunk], right: Sequence[Hunk]
) -> Iterator[tuple[list[Hunk], list[Hunk]]]:
    """Yield the hunks of both sides that are in each other's way, together.

    Hunks that both add lines at one place are, too.
    """
    sided = [(hunk, 0) for hunk in left] + [(hunk, 1) for hunk in right]
    group: tuple[list[Hunk], list[Hunk]] = ([], [])
    known: Hunk | None = None  # all of the group in one
    for hunk, side in sorted(sided, key=lambda one: one[0][:2]):
        if known is not None and not _is_in_the_way(known, hunk):
            yield group
            group, known = ([], []), None
        group[side].append(hunk)
        known = hunk if known is None else known._replace(end=max(known.end, hunk.end))
    if known is not None:
        yield group


def _is_in_the_way(known: Hunk, hunk: Hunk) -> bool:
    """Whether a hunk overlaps what begins before it, or touches it and is alike."""
    if hunk.start != known.end:
        return hunk.start < known.end
    return (hunk.start < hunk.end) == (known.start < known.end)


def _same_ends(one: Sequence[bytes], other: Sequence[bytes]) -> tuple[int, int]:
    """Return how many lines are the same at the beginning, and at the end."""
    most = min(len(one), len(other))
    begin = 0
    while begin < most and one[begin] == other[begin]:
        begin += 1
    end = 0
    while end < most - begin and one[-1 - end] == other[-1 - end]:
        end += 1
    return begin, end


def _anchors(
    one: Sequence[bytes], other: Sequence[bytes], begin: int, end: int
) -> list[tuple[int, int]]:
    """Return lines that stand once in both, as many as are in the same order."""
    mine, theirs = one[begin : len(one) - end], other[begin : len(other) - end]
    here, there = Counter(mine), Counter(theirs)
    places = {line: at for at, line in enumerate(theirs, begin) if there[line] == 1}
    pairs = [
        (at, places[line])
        for at, line in enumerate(mine, begin)
        if here[line] == 1 and line in places
    ]
    return _rising(pairs)


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest run of pairs in which both numbers grow."""
    ends: list[int] = []
    tops: list[int] = []
    before: list[int] = []
    for at, (_, there) in enumerate(pairs):
        pile = bisect_left(ends, there)
        before.append(tops[pile - 1] if pile else -1)
        ends[pile : pile + 1] = [there]
        tops[pile : pile + 1] = [at]
    found: list[tuple[int, int]] = []
    at = tops[-1] if tops else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _stretch(
    one: Sequence[bytes], other: Sequence[bytes], part: Hunk
) -> Iterator[Hunk]:
    """Yield where two stretches differ."""
    mine, theirs = one[part.start : part.end], other[part.other_start : part.other_end]
    if not mine and not theirs:
        return
    here, there = Counter(mine), Counter(theirs)
    pairs = sum(count * there[line] for line, count in here.items())
    if not pairs or pairs > MOST_PAIRS:
        yield from _trimmed(mine, theirs, part)
        return
    for tag, a, b, c, d in SequenceMatcher(
        None, mine, theirs, autojunk=False
    ).get_opcodes():
        if tag != "equal":
            first, second = part.start, part.other_start
            yield Hunk(first + a, first + b, second + c, second + d)


def _trimmed(
    mine: Sequence[bytes], theirs: Sequence[bytes], part: Hunk
) -> Iterator[Hunk]:
    begin, end = _same_ends(mine, theirs)
    hunk = Hunk(
        part.start + begin, part.end - end, part.other_start + begin,
        part.other_end - end,
    )  # fmt: skip
    if hunk.start < hunk.end or hunk.other_start < hunk.other_end:
        yield hunk


def _joined(hunks: Sequence[Hunk]) -> list[Hunk]:
    """Make one of hunks that touch."""
    found: list[Hunk] = []
    for hunk in hunks:
        if found and (found[-1].end, found[-1].other_end) == hunk[::2]:
            known = found.pop()
            hunk = Hunk(known.start, hunk.end, known.other_start, hunk.other_end)  # noqa: PLW2901
        found.append(hunk)
    return found
