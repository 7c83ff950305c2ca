"""Cut a section that is too long for one passage.

Each cut is sought backwards from the farthest point the passage may reach: the start of
a block, then the end of a line, of a sentence, of a word, each in the passage's second
half; and never inside a zone (see `split_zones`). Every step reads about one passage,
so the cost grows with the text and not with what stands in it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from glassmind.obsidian.split_outline import Outline
from glassmind.obsidian.split_zones import Limits, Zones, fits
from glassmind.obsidian.tokens import reach, weight

_SENTENCE: Final = re.compile(
    "[.!?\u2026][\"')\\]*_\u2019\u201d]*\\s+|[\u3002\uff01\uff1f]+|\n"
)
_SPACE: Final = re.compile(r"\s")


class Piece(NamedTuple):
    """A passage in characters: `back` to `start` repeats the end of the one before."""

    back: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Cutting:
    """One group of sections to cut: its blocks, and what to cut with care.

    `zones` stay whole, `long` stretches are cut between lines, and `sections` tells
    where the sections begin.
    """

    outlined: Outline
    zones: Zones
    long: Zones
    limits: Limits
    sections: frozenset[int]


def pieces(job: Cutting, start: int, end: int) -> Iterator[Piece]:
    """Yield the passages of a section in order, each within the limits."""
    text, limits = job.outlined.text, job.limits
    back = start
    while start < end:
        room = limits.room - weight(text[back:start])
        at = end
        if not fits(text, start, end, room + limits.slack):
            at = _cut(job, start, reach(text, start, end, room), end)
        yield Piece(back, start, at)
        back = _overlap(job, start, at)
        start = at


def _cut(job: Cutting, start: int, high: int, end: int) -> int:
    low = start + (high - start) // 2
    block = _last_block(job, low, high)
    if block is not None:
        return block
    at = _around_zone(job, start, high) or _between_lines(job, start, high)
    if at is None:
        at = _in_prose(job, low, _before_zone(job, high))
    text = job.outlined.text
    if text[at - 1] == "\r" and text[at : at + 1] == "\n":
        at += 1
    return min(at, end)


def _last_block(job: Cutting, low: int, high: int) -> int | None:
    starts = job.outlined.starts
    found = bisect_right(starts, high) - 1
    while found >= 0 and starts[found] > low:
        if job.zones.around(starts[found]) is None:
            return starts[found]
        found -= 1
    return None


def _around_zone(job: Cutting, start: int, high: int) -> int | None:
    """Cut before a zone of whole lines, or after it where little stands before."""
    zone = job.zones.around(high)
    if zone is None:
        return None
    if fits(job.outlined.text, start, zone[0], job.limits.slack):
        return zone[1]
    return zone[0] if _begins_line(job, zone[0]) else None


def _before_zone(job: Cutting, high: int) -> int:
    zone = job.zones.around(high)
    return high if zone is None else zone[0]


def _begins_line(job: Cutting, at: int) -> bool:
    return at == 0 or job.outlined.text[at - 1] == "\n"


def _between_lines(job: Cutting, start: int, high: int) -> int | None:
    """Cut a block that is better whole at the end of a line, if it has lines."""
    stretch = job.long.around(high)
    if stretch is None:
        return None
    text = job.outlined.text
    line = _last_line(job, max(start, stretch[0]), high)
    if not fits(text, start, line, job.limits.slack):
        return line
    room = job.limits.room + job.limits.slack
    after = text.find("\n", high, start + room) + 1
    return after if after and fits(text, start, after, room) else None


def _last_line(job: Cutting, low: int, high: int) -> int:
    """Return the last line start between the two that breaks no zone, else `low`."""
    text = job.outlined.text
    while high > low:
        at = text.rfind("\n", low, high) + 1
        zone = job.zones.around(at) if at else None
        if not at:
            return low
        if zone is None:
            return at
        if zone[0] <= low or _begins_line(job, zone[0]):
            return max(low, zone[0])
        high = zone[0]
    return low


def _in_prose(job: Cutting, low: int, high: int) -> int:
    """Return the best place to cut running text: line, sentence, word, character."""
    line = _last_line(job, min(low, high), high)
    if line > low:
        return line
    text = job.outlined.text
    for boundary in (_SENTENCE, _SPACE):
        ends = [match.end() for match in boundary.finditer(text, low, high)]
        for at in reversed(ends):
            if job.zones.around(at) is None:
                return at
    return high


def _overlap(job: Cutting, start: int, at: int) -> int:
    """Return where the next passage begins to repeat this one; `at` for not at all."""
    block = bisect_right(job.outlined.starts, at) - 1
    at_fence = (job.outlined.starts[block], job.outlined.kinds[block]) == (at, "fence")
    if at in job.sections or at_fence:
        return at
    back = _repeat_from(job, start, at, lines_only=job.long.around(at) is not None)
    stretch = job.long.around(back)
    if stretch is not None and stretch[1] <= at:
        back = stretch[1]
    zone = job.zones.around(back)
    back = back if zone is None else zone[1]
    if back >= at or job.outlined.text[back:at].isspace():
        return at
    return back if _leaves_room(job, back, at) else at


def _repeat_from(job: Cutting, start: int, at: int, *, lines_only: bool) -> int:
    text, wanted = job.outlined.text, job.limits.overlap
    low = max(start + 1, at - wanted)
    while low < at and (found := weight(text[low:at])) > wanted:
        low = at - (at - low) * wanted // found
    if lines_only:
        return text.find("\n", low - 1, at) + 1 or at
    for boundary in (_SENTENCE, _SPACE):
        match = boundary.search(text, low - 1, at)
        if match is not None and match.end() < at:
            return match.end()
    return low


def _leaves_room(job: Cutting, back: int, at: int) -> bool:
    """Whether a zone that begins the next passage fits beside the overlap."""
    zone = job.zones.around(at + 1)
    if zone is None or zone[0] != at:
        return True
    return fits(job.outlined.text, back, zone[1], job.limits.room)
