"""Split a note into the passages that are retrieved.

A passage is a section with its heading. Small sections are grouped with neighbours,
long ones are cut where it hurts least, and nothing is lost: the passages, overlaps
removed, are the note.

The path of a passage is what all its sections have in common. It is a `task_block` when
more than half of its lines are tasks, a `code_block` when it holds code alone, and a
`heading_section` when it begins with a heading.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Final, NamedTuple

import xxhash
from msgspec import Struct

from glassmind.model import Digest, Span
from glassmind.model.index import SplitRules
from glassmind.model.notes import Chunk, ChunkKind, Heading, Note, Region, all_of
from glassmind.obsidian.structure import span_of
from glassmind.obsidian.text import QUARTERS, estimate_tokens, reach, weight

PATH_HEADING_CHARS = 500
"""How much of a heading a path repeats: each passage below it carries the path."""


class NoteSection(NamedTuple):
    """A stretch under one heading path; `closed` when a thematic break ends it."""

    start: int
    end: int
    path: tuple[str, ...]
    headed: bool
    closed: bool


class SectionOutline(NamedTuple):
    """A note as characters: where its blocks and sections begin.

    `starts` and `kinds` run in parallel. `body` is where the frontmatter and the blank
    lines after it end.
    """

    text: str
    body: int
    starts: list[int]
    kinds: list[str]
    sections: list[NoteSection]


def outline(note: Note) -> SectionOutline:
    """Return the blocks and sections of a note; they cover its text exactly."""
    text, end = note.text, note.frontmatter.end
    blocks = [block for block in note.blocks if block.start >= end]
    offsets = char_offsets(text, [end, *[start for _, start, _, _ in blocks]])
    body = _body(text, offsets)
    starts, kinds, headings = _blocks(note, body, blocks, offsets[1:])
    sections = list(_sections(len(text), starts, kinds, headings))
    if body:
        starts.insert(0, 0)
        kinds.insert(0, "frontmatter")
        front = NoteSection(0, body, (), headed=False, closed=True)
        sections.insert(0, front)
    return SectionOutline(text, body, starts, kinds, sections)


def char_offsets(text: str, offsets: list[int]) -> list[int]:
    """Turn rising byte offsets into character offsets."""
    if text.isascii():
        return offsets
    encoded = text.encode("utf-8", "surrogatepass")
    chars: list[int] = []
    at = count = 0
    for offset in offsets:
        piece = encoded[at:offset]
        ascii_only = piece.isascii()
        count += len(piece if ascii_only else piece.decode("utf-8", "surrogatepass"))
        chars.append(count)
        at = max(at, offset)
    return chars


def _body(text: str, offsets: list[int]) -> int:
    end = offsets[0]
    first = offsets[1] if len(offsets) > 1 else len(text)
    if not end or text[end:first].strip():
        return end
    return max(end, _line_start(text, first)) if first < len(text) else first


def _line_start(text: str, at: int) -> int:
    while at and text[at - 1] in " \t":
        at -= 1
    return at


def _blocks(
    note: Note, body: int, blocks: list[Region], offsets: list[int]
) -> tuple[list[int], list[str], list[Heading | None]]:
    text = note.text
    # Lone carriage returns may put two headings on a line: the last one speaks for it.
    by_line = {heading.line: heading for heading in note.headings}
    titles = {heading.start: by_line[heading.line] for heading in note.headings}
    starts: list[int] = []
    kinds: list[str] = []
    headings: list[Heading | None] = []
    before = -1
    for (kind, byte, _, _), offset in zip(blocks, offsets, strict=True):
        start = body
        if starts:
            start = offset if text[offset - 1] == "\n" else _line_start(text, offset)
            if start <= before:
                continue
        before = start
        starts.append(start)
        kinds.append(kind)
        headings.append(titles.get(byte) if kind == "heading" else None)
    if not starts and body < len(text):
        return [body], ["paragraph"], [None]
    return starts, kinds, headings


def _sections(
    end: int, starts: list[int], kinds: list[str], headings: list[Heading | None]
) -> Iterator[NoteSection]:
    """Yield sections; a thematic break closes the one it stands in."""
    levels: list[int] = []
    path: tuple[str, ...] = ()
    opened, headed, closed = (starts[0] if starts else end), False, False
    bare = True
    for start, kind, heading in zip(starts, kinds, headings, strict=True):
        if kind == "rule":
            closed, bare = closed or not bare, True
            continue
        if closed:
            yield NoteSection(opened, start, path, headed, closed=True)
            opened, headed, closed = start, False, False
        if heading is not None:
            if not bare:
                yield NoteSection(opened, start, path, headed, closed=False)
                opened = start
            level, text = heading[:2]
            while levels and levels[-1] >= level:
                levels.pop()
            path, headed = (*path[: len(levels)], text[:PATH_HEADING_CHARS]), True
            levels.append(level)
        bare = False
    if opened < end:
        yield NoteSection(opened, end, path, headed, closed=closed)


def gather(
    sections: list[NoteSection], *, min_chars: int, fits: Callable[[int, int], bool]
) -> list[list[NoteSection]]:
    """Group small sections with their neighbours under the same parent.

    A group shorter than `min_chars` takes in what follows it, down to the end of the
    section its first member stands in; failing that it joins what stands before it,
    unless this would make a passage that fits into one that does not. No group crosses
    a thematic break.
    """
    groups: list[list[NoteSection]] = []
    group: list[NoteSection] = []
    for section in sections:
        if group and not (_is_small(group, min_chars) and _follows(group, section)):
            _settle(groups, group, min_chars, fits)
            group = []
        group.append(section)
    if group:
        _settle(groups, group, min_chars, fits)
    return groups


def _is_small(group: list[NoteSection], min_chars: int) -> bool:
    return group[-1].end - group[0].start < min_chars


def _follows(group: list[NoteSection], section: NoteSection) -> bool:
    parent = group[0].path[:-1]
    # A path as long as the parent's is a later heading of the same name.
    inside = len(section.path) > len(parent) and _is_under(section.path, parent)
    return inside and not group[-1].closed


def _is_under(path: tuple[str, ...], parent: tuple[str, ...]) -> bool:
    return path[: len(parent)] == parent


def _settle(
    groups: list[list[NoteSection]],
    group: list[NoteSection],
    min_chars: int,
    fits: Callable[[int, int], bool],
) -> None:
    if groups and _is_small(group, min_chars):
        before = groups[-1]
        start = before[0].start
        near = not before[-1].closed
        near = near and _is_under(before[-1].path, group[0].path[:-1])
        if near and (fits(start, group[-1].end) or not fits(start, before[-1].end)):
            before.extend(group)
            return
    groups.append(group)


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


class Limits(Struct, frozen=True):
    """Sizes in quarter tokens: a passage, its overlap, and what it may exceed by."""

    room: int
    overlap: int
    slack: int


class Zones(Struct, frozen=True):
    """Stretches that do not overlap, in order; `starts` and `ends` run in parallel."""

    starts: list[int]
    ends: list[int]

    def around(self, at: int) -> tuple[int, int] | None:
        found = bisect_left(self.starts, at) - 1
        if found >= 0 and at < self.ends[found]:
            return self.starts[found], self.ends[found]
        return None


class SplitRegion(NamedTuple):
    start: int
    end: int
    kind: str


def stretches(note: Note) -> list[SplitRegion]:
    inner: list[tuple[int, int, str]]
    inner = [(r.start, r.end, r.kind) for r in note.regions if r.kind in WHOLE]
    inner.extend((c.start, c.end, "callout") for c in note.callouts)
    edges = sorted({edge for start, end, _ in inner for edge in (start, end)})
    chars = dict(zip(edges, char_offsets(note.text, edges), strict=True))
    found = [SplitRegion(chars[start], chars[end], kind) for start, end, kind in inner]
    return sorted(found, key=lambda s: (s.start, -s.end))


def zones(
    outlined: SectionOutline,
    inner: list[SplitRegion],
    start: int,
    end: int,
    limits: Limits,
) -> tuple[Zones, Zones]:
    kept: list[tuple[int, int]] = []
    long: list[tuple[int, int]] = []
    head = -1
    for block in _block_regions(outlined, start, end):
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
    return end - start <= room and weight(text[start:end]) <= room


def _room(text: str, stretch: SplitRegion, limits: Limits) -> int:
    rooms = [limits.room]
    if stretch.kind in UNCUT:
        rooms.append(limits.room * TIMES_WHOLE)
    held = (room for room in rooms if fits(text, stretch.start, stretch.end, room))
    return next(held, 0)


def _meant(block: SplitRegion, inner: list[SplitRegion]) -> SplitRegion:
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


def _block_regions(
    outlined: SectionOutline, start: int, end: int
) -> Iterator[SplitRegion]:
    first = bisect_left(outlined.starts, start)
    last = bisect_left(outlined.starts, end)
    edges = [*outlined.starts[first:last], end]
    kinds = outlined.kinds[first:last]
    for kind, (begin, stop) in zip(kinds, pairwise(edges), strict=True):
        yield SplitRegion(begin, stop, kind)


def _opening(
    text: str, head: int, block: SplitRegion, limits: Limits
) -> list[tuple[int, int]]:
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
    for head, end in opening:
        stop = min((a for a, b in inner if head < a < end < b), default=end)
        yield head, stop


def _inner(
    text: str, inner: list[SplitRegion], block: SplitRegion, limits: Limits
) -> Iterator[SplitRegion]:
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
        lines = SplitRegion(line, stop, stretch.kind)
        whole = _room(text, lines, limits) or not _room(text, found, limits)
        yield lines if whole else found


def _apart(found: list[tuple[int, int]]) -> Zones:
    starts: list[int] = []
    ends: list[int] = []
    for start, end in sorted(found, key=lambda zone: (zone[0], -zone[1])):
        if not ends or start >= ends[-1]:
            starts.append(start)
            ends.append(end)
    return Zones(starts, ends)


_SENTENCE: Final = re.compile(
    "[.!?\u2026][\"')\\]*_\u2019\u201d]*\\s+|[\u3002\uff01\uff1f]+|\n"
)
_SPACE: Final = re.compile(r"\s")


class ChunkRange(NamedTuple):
    """A passage in characters: `back` to `start` repeats the end of the one before."""

    back: int
    start: int
    end: int


class Cutting(Struct, frozen=True):
    """One group of sections to cut: its blocks, and what to cut with care.

    `zones` stay whole, `long` stretches are cut between lines, and `sections` tells
    where the sections begin.
    """

    outlined: SectionOutline
    zones: Zones
    long: Zones
    limits: Limits
    sections: frozenset[int]


def pieces(job: Cutting, start: int, end: int) -> Iterator[ChunkRange]:
    text, limits = job.outlined.text, job.limits
    back = start
    while start < end:
        room = limits.room - weight(text[back:start])
        at = end
        if not fits(text, start, end, room + limits.slack):
            at = _cut(job, start, reach(text, start, end, room), end)
        yield ChunkRange(back, start, at)
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
    zone = job.zones.around(at + 1)
    if zone is None or zone[0] != at:
        return True
    return fits(job.outlined.text, back, zone[1], job.limits.room)


_CODE = frozenset(("fence", "code"))


class Split(NamedTuple):
    """The passages of a note in order, and what was unusual about making them."""

    chunks: tuple[Chunk, ...]
    warnings: tuple[str, ...] = ()


def split(note: Note, rules: SplitRules) -> Split:
    """Return the passages of a note; they cover it, and are `max_chunks` at most.

    A note that would give more has neighbouring passages joined, thematic breaks and
    headings notwithstanding, and a warning says so. An empty note has one empty
    passage, so that its title can be found.
    """
    if not note.text:
        return Split((_title_chunk(),))
    outlined = outline(note)
    parts = _pieces(note, outlined, _limits(rules), rules.min_chars)
    warnings: tuple[str, ...] = ()
    if len(parts) > max(rules.max_chunks, 1):
        joined = _joined(outlined, parts, max(rules.max_chunks, 1))
        long = f"The note is long: {len(parts)} passages joined into {len(joined)}."
        warnings = (long,)
        parts = joined
    return Split(tuple(all_of(Chunk, _chunks(note, outlined, parts))), warnings)


def _limits(rules: SplitRules) -> Limits:
    room = max(rules.target_tokens, 1) * QUARTERS
    overlap = min(max(rules.overlap_tokens, 0) * QUARTERS, room // 2)
    return Limits(room, overlap, slack=min(max(rules.min_chars, 0), room // 4))


def _pieces(
    note: Note, outlined: SectionOutline, limits: Limits, min_chars: int
) -> list[ChunkRange]:
    most = limits.room + limits.slack

    def is_whole(start: int, end: int) -> bool:
        return fits(note.text, start, end, most)

    inner = None
    found: list[ChunkRange] = []
    for group in gather(outlined.sections, min_chars=min_chars, fits=is_whole):
        start, end = group[0].start, group[-1].end
        if is_whole(start, end):
            found.append(ChunkRange(start, start, end))
            continue
        inner = stretches(note) if inner is None else inner
        kept, long = zones(outlined, inner, start, end, limits)
        heads = frozenset(section.start for section in group)
        found.extend(pieces(Cutting(outlined, kept, long, limits, heads), start, end))
    return found


def _joined(
    outlined: SectionOutline, parts: list[ChunkRange], most: int
) -> list[ChunkRange]:
    room = -(-len(outlined.text) // most)
    while True:
        joined: list[ChunkRange] = []
        for part in parts:
            apart = most > 1 and part.start == outlined.body
            last = joined[-1] if joined else None
            if last is None or apart or part.end - last.start > room:
                joined.append(part)
            else:
                joined[-1] = last._replace(end=part.end)
        if len(joined) <= most:
            return joined
        room += -(-room // 4)


def _chunks(
    note: Note, outlined: SectionOutline, parts: list[ChunkRange]
) -> Iterator[tuple[Any, ...]]:
    text = note.text
    task_lines = sorted({task.line for task in note.tasks})
    heading_lines = sorted({h.line for h in note.headings}) if task_lines else []
    opened = [section.start for section in outlined.sections]
    line = 1
    for index, (back, start, end) in enumerate(parts):
        breaks = text.count("\n", start, end)
        last = max(line, line + breaks - (text[end - 1] == "\n"))
        top = line - text.count("\n", back, start) if back < start else line
        first = bisect_right(opened, start) - 1
        sections = outlined.sections[first : bisect_left(opened, end)]
        kind = _kind(outlined, sections[0], start, end)
        tasked = _between(task_lines, line, last) if task_lines else 0
        if tasked and kind != "frontmatter":
            headings = _between(heading_lines, line, last)
            lines = _filled_lines(text[start:end]) - headings
            kind = "task_block" if 2 * tasked > lines else kind
        passage = text[back:end]
        path = _path(sections) if len(sections) > 1 else sections[0].path
        span, tokens = span_of(top, last), estimate_tokens(passage)
        overlap, digest = start - back, _digest(passage)
        yield index, kind, path, span, passage, overlap, tokens, digest
        line += breaks


def _kind(
    outlined: SectionOutline, section: NoteSection, start: int, end: int
) -> ChunkKind:
    if start < outlined.body:
        return "frontmatter"
    if section.headed and section.start == start:
        return "heading_section"
    first = bisect_right(outlined.starts, start) - 1
    last = bisect_left(outlined.starts, end)
    only_code = _CODE.issuperset(outlined.kinds[first:last])
    return "code_block" if only_code else "paragraph"


def _between(lines: list[int], first: int, last: int) -> int:
    return bisect_right(lines, last) - bisect_left(lines, first)


def _filled_lines(text: str) -> int:
    return sum(1 for line in text.split("\n") if line and not line.isspace())


def _path(sections: list[NoteSection]) -> tuple[str, ...]:
    common = sections[0].path
    for section in sections[1:]:
        while section.path[: len(common)] != common:
            common = common[:-1]
    return common


def _title_chunk() -> Chunk:
    empty = _digest("")
    return Chunk(0, "heading_section", (), Span(1, 1), "", 0, 0, empty)


def _digest(text: str) -> Digest:
    return Digest(xxhash.xxh3_128_hexdigest(text.encode("utf-8", "surrogatepass")))
