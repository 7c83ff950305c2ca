"""Where a long section must not be cut: the stretches that only make sense whole.

A zone is a quote or a block of HTML that fits in a passage; a code block, formula,
table or callout, which may be `TIMES_WHOLE` as long; the opening lines of one that is
longer still (a callout's head, a table's header); or a heading with the beginning of
what it heads. Zones never overlap.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from glassmind.model.notes import Note
from glassmind.obsidian.split_outline import Outline, char_offsets
from glassmind.obsidian.tokens import weight

WHOLE: Final = frozenset(
    ("fence", "code", "math_block", "math", "table", "quote", "html", "frontmatter")
)
"""Kinds kept whole where they fit, and else cut between lines."""

UNCUT: Final = frozenset(("fence", "code", "math_block", "math", "table", "callout"))
"""Kinds kept whole even where they are longer than a passage: half of them misleads."""

TIMES_WHOLE: Final = 16
"""How many passages long they may be: 8,000 tokens by default, about what the longest
embedding models read at once. Beyond, they are listings, and cut between lines."""

INLINE: Final = frozenset(("code", "math"))
"""Kinds that begin and end inside a line when they are not root blocks."""

OPENING_LINES: Final = {"table": 3}
"""Lines kept together at the head of a block too long to keep; two for the rest."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in quarter tokens: a passage, its overlap, and what it may exceed by."""

    room: int
    overlap: int
    slack: int


@dataclass(frozen=True, slots=True)
class Zones:
    """Stretches that do not overlap, in order; `starts` and `ends` run in parallel."""

    starts: list[int]
    ends: list[int]

    def around(self, at: int) -> tuple[int, int] | None:
        """Return the zone that a cut at `at` would break, if any."""
        found = bisect_left(self.starts, at) - 1
        if found >= 0 and at < self.ends[found]:
            return self.starts[found], self.ends[found]
        return None


class Stretch(NamedTuple):
    """A block or region in characters."""

    start: int
    end: int
    kind: str


def stretches(note: Note) -> list[Stretch]:
    """Return the inner regions that are better kept whole, by start, longest first."""
    inner: list[tuple[int, int, str]]
    inner = [(r.start, r.end, r.kind) for r in note.regions if r.kind in WHOLE]
    inner.extend((c.start, c.end, "callout") for c in note.callouts)
    edges = sorted({edge for start, end, _ in inner for edge in (start, end)})
    chars = dict(zip(edges, char_offsets(note.text, edges), strict=True))
    found = [Stretch(chars[start], chars[end], kind) for start, end, kind in inner]
    return sorted(found, key=lambda s: (s.start, -s.end))


def zones(
    outlined: Outline, inner: list[Stretch], start: int, end: int, limits: Limits
) -> tuple[Zones, Zones]:
    """Return what stays whole between two block starts, and what is too long for that.

    The latter is to be cut between lines.
    """
    kept: list[tuple[int, int]] = []
    long: list[tuple[int, int]] = []
    head = -1
    for block in _blocks(outlined, start, end):
        head = block.start if head < 0 else head
        if block.kind == "heading":
            continue
        whole = block.kind in WHOLE
        room = _room(outlined.text, _meant(block, inner), limits)
        if whole and room:
            beside = fits(outlined.text, head, block.end, room + limits.slack)
            kept.append((head if beside else block.start, block.end))
        else:
            if whole:
                long.append((block.start, block.end))
            small: list[tuple[int, int]] = []
            for zone in _inner(outlined.text, inner, block, limits):
                fit = _room(outlined.text, zone, limits)
                (small if fit else long).append((zone.start, zone.end))
            opening = _opening(outlined.text, head, block, limits)
            kept += [*_clipped(opening, small), *small]
        head = -1
    return _apart(kept), _apart(long)


def fits(text: str, start: int, end: int, room: int) -> bool:
    """Whether a stretch of text is within `room` quarter tokens."""
    return end - start <= room and weight(text[start:end]) <= room


def _room(text: str, stretch: Stretch, limits: Limits) -> int:
    """Return the room in which a stretch stays whole; 0 when it is too long for any."""
    rooms = [limits.room]
    if stretch.kind in UNCUT:
        rooms.append(limits.room * TIMES_WHOLE)
    held = (room for room in rooms if fits(text, stretch.start, stretch.end, room))
    return next(held, 0)


def _meant(block: Stretch, inner: list[Stretch]) -> Stretch:
    """Return a quote that is a callout as one."""
    if block.kind != "quote":
        return block
    first = bisect_left(inner, block.start, key=lambda s: s.start)
    for at in range(first, len(inner)):
        if inner[at].start > block.start + INDENT:
            break
        if inner[at].kind == "callout":
            return block._replace(kind="callout")
    return block


INDENT: Final = 3
"""Blanks that a block may begin with, as CommonMark has it."""


def _blocks(outlined: Outline, start: int, end: int) -> Iterator[Stretch]:
    first = bisect_left(outlined.starts, start)
    last = bisect_left(outlined.starts, end)
    edges = [*outlined.starts[first:last], end]
    kinds = outlined.kinds[first:last]
    for kind, (begin, stop) in zip(kinds, pairwise(edges), strict=True):
        yield Stretch(begin, stop, kind)


def _opening(
    text: str, head: int, block: Stretch, limits: Limits
) -> list[tuple[int, int]]:
    """Keep the first lines of a block together, and with the heading above it."""
    far = min(block.end, block.start + limits.slack)
    if block.kind not in WHOLE:
        end = text.find("\n", block.start, far) + 1 or far
        kept = head < block.start
    else:
        end = block.start
        for _ in range(OPENING_LINES.get(block.kind, 2)):
            end = text.find("\n", end, block.end) + 1 or block.end
        kept = True
    return [(head, end)] if kept and fits(text, head, end, limits.room) else []


def _clipped(
    opening: list[tuple[int, int]], inner: list[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """End an opening before what would reach out of it, which is to stay whole too."""
    for head, end in opening:
        stop = min((a for a, b in inner if head < a < end < b), default=end)
        yield head, stop


def _inner(
    text: str, inner: list[Stretch], block: Stretch, limits: Limits
) -> Iterator[Stretch]:
    """Yield what stands inside a block, in whole lines unless these are too long."""
    first = bisect_left(inner, block.start, key=lambda s: s.start)
    last = bisect_left(inner, block.end, key=lambda s: s.start)
    line = line_end = -1  # the line in which the last stretch begins
    for stretch in inner[first:last]:
        found = stretch._replace(end=min(stretch.end, block.end))
        if stretch.kind in INLINE:
            yield found._replace(kind="inline")
            continue
        start, end = found.start, found.end
        if start >= line_end:
            line = text.rfind("\n", block.start, start) + 1 or block.start
            line_end = text.find("\n", start, block.end) + 1 or block.end
        stop = line_end
        if end > line_end:
            stop = text.find("\n", end - 1, block.end) + 1 or block.end
        lines = Stretch(line, stop, stretch.kind)
        whole = _room(text, lines, limits) or not _room(text, found, limits)
        yield lines if whole else found


def _apart(found: list[tuple[int, int]]) -> Zones:
    """Keep, of zones that overlap, the one that begins first, then the longest."""
    starts: list[int] = []
    ends: list[int] = []
    for start, end in sorted(found, key=lambda zone: (zone[0], -zone[1])):
        if not ends or start >= ends[-1]:
            starts.append(start)
            ends.append(end)
    return Zones(starts, ends)
