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
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import xxhash

from glassmind.model import Digest, Span
from glassmind.model.index import SplitRules
from glassmind.model.notes import Chunk, ChunkKind, Note, all_of
from glassmind.obsidian.structure import span_of
from glassmind.obsidian.text import QUARTERS, estimate_tokens, reach, weight

PATH_HEADING_CHARS = 500
"""How much of a heading a path repeats: each passage below it carries the path."""

WHOLE: Final = frozenset(
    ("fence", "code", "math_block", "math", "table", "quote", "html", "frontmatter")
)
"""Kinds kept whole where they fit, and else cut between lines."""

UNCUT: Final = frozenset(("fence", "code", "math_block", "math", "table", "callout"))
"""Kinds kept whole even where they are longer than a passage: half of them misleads."""

TIMES_WHOLE: Final = 16
"""How many passages long they may be: 8,000 tokens by default, about what the longest
embedding models read at once. Beyond, they are listings, and cut between lines."""

_INLINE: Final = frozenset(("code", "math"))
"""Kinds that begin and end inside a line when they are not root blocks."""

_CODE: Final = frozenset(("fence", "code"))
_LINE: Final = re.compile("\n")
_SENTENCE: Final = re.compile(
    "[.!?\u2026][\"')\\]*_\u2019\u201d]*\\s+|[\u3002\uff01\uff1f]+|\n"
)
_SPACE: Final = re.compile(r"\s")


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
        empty = _digest("")
        title = Chunk(0, "heading_section", (), Span(1, 1), "", 0, 0, empty)
        return Split((title,))
    outline = _outline(note)
    parts = _parts(note, outline, rules)
    warnings: tuple[str, ...] = ()
    most = max(rules.max_chunks, 1)
    if len(parts) > most:
        joined = _joined(parts, most, outline.body)
        warnings = (
            f"The note is long: {len(parts)} passages joined into {len(joined)}.",
        )
        parts = joined
    return Split(tuple(all_of(Chunk, _chunks(note, outline, parts))), warnings)


class _Section(NamedTuple):
    """A stretch under one heading path; `closed` when a thematic break ends it."""

    start: int
    end: int
    path: tuple[str, ...]
    headed: bool
    closed: bool


class _Outline(NamedTuple):
    """Where the blocks and sections of a note begin, in characters.

    `starts` and `kinds` run in parallel. `body` is where the frontmatter and the blank
    lines after it end.
    """

    body: int
    starts: list[int]
    kinds: list[str]
    sections: list[_Section]


def _outline(note: Note) -> _Outline:
    text, front = note.text, note.frontmatter.end
    blocks = [block for block in note.blocks if block.start >= front]
    body, *offsets = _char_offsets(text, [front, *(block.start for block in blocks)])
    first = offsets[0] if offsets else len(text)
    if body and not text[body:first].strip():
        body = max(body, _line_start(text, first)) if first < len(text) else first
    by_start = {heading.start: heading for heading in note.headings}
    starts: list[int] = []
    kinds: list[str] = []
    titles: list[tuple[int, str] | None] = []
    for block, offset in zip(blocks, offsets, strict=True):
        start = _line_start(text, offset) if starts else body
        if starts and start <= starts[-1]:
            continue
        starts.append(start)
        kinds.append(
            "callout" if block.kind == "quote" and block.language else block.kind
        )
        heading = by_start.get(block.start) if block.kind == "heading" else None
        titles.append(heading and (heading.level, heading.text[:PATH_HEADING_CHARS]))
    if not starts and body < len(text):
        starts, kinds, titles = [body], ["paragraph"], [None]
    sections = list(_sections(len(text), starts, kinds, titles))
    if body:
        starts.insert(0, 0)
        kinds.insert(0, "frontmatter")
        sections.insert(0, _Section(0, body, (), headed=False, closed=True))
    return _Outline(body, starts, kinds, sections)


def _char_offsets(text: str, offsets: list[int]) -> list[int]:
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


def _line_start(text: str, at: int) -> int:
    while at and text[at - 1] in " \t":
        at -= 1
    return at


def _sections(
    end: int,
    starts: list[int],
    kinds: list[str],
    titles: list[tuple[int, str] | None],
) -> Iterator[_Section]:
    """Yield sections; a thematic break closes the one it stands in."""
    levels: list[int] = []
    path: tuple[str, ...] = ()
    opened, headed, closed = (starts[0] if starts else end), False, False
    bare = True
    for start, kind, title in zip(starts, kinds, titles, strict=True):
        if kind == "rule":
            closed, bare = closed or not bare, True
            continue
        if closed:
            yield _Section(opened, start, path, headed, closed=True)
            opened, headed, closed = start, False, False
        if title is not None:
            if not bare:
                yield _Section(opened, start, path, headed, closed=False)
                opened = start
            level, text = title
            while levels and levels[-1] >= level:
                levels.pop()
            path, headed = (*path[: len(levels)], text), True
            levels.append(level)
        bare = False
    if opened < end:
        yield _Section(opened, end, path, headed, closed=closed)


class _Part(NamedTuple):
    """A passage in characters: `back` to `start` repeats the end of the one before."""

    back: int
    start: int
    end: int


def _parts(note: Note, outline: _Outline, rules: SplitRules) -> list[_Part]:
    text = note.text
    room = max(rules.target_tokens, 1) * QUARTERS
    slack = min(max(rules.min_chars, 0), room // 4)
    overlap = min(max(rules.overlap_tokens, 0) * QUARTERS, room // 2)
    cutter: _Cutter | None = None
    parts: list[_Part] = []
    for group in _groups(text, outline.sections, rules.min_chars, room + slack):
        start, end = group[0].start, group[-1].end
        if _fits(text, start, end, room + slack):
            parts.append(_Part(start, start, end))
            continue
        cutter = cutter or _Cutter(note, outline, room, slack, overlap)
        parts += cutter.parts(start, end)
    return parts


def _fits(text: str, start: int, end: int, room: int) -> bool:
    return end - start <= room and weight(text[start:end]) <= room


def _groups(
    text: str, sections: list[_Section], min_chars: int, room: int
) -> list[list[_Section]]:
    """Group small sections with their neighbours under the same parent.

    A group shorter than `min_chars` takes in what follows it, down to the end of the
    section its first member stands in; failing that it joins what stands before it,
    unless this would make a passage that fits into one that does not. No group crosses
    a thematic break.
    """
    groups: list[list[_Section]] = []
    group: list[_Section] = []

    def add_group() -> None:
        start, end, parent = group[0].start, group[-1].end, group[0].path[:-1]
        if groups and end - start < min_chars and not groups[-1][-1].closed:
            before = groups[-1]
            first = before[0].start
            near = before[-1].path[: len(parent)] == parent
            whole = not _fits(text, first, before[-1].end, room)
            if near and (whole or _fits(text, first, end, room)):
                before.extend(group)
                return
        groups.append(group)

    for section in sections:
        if group:
            parent = group[0].path[:-1]
            # A path as long as the parent's is a later heading of the same name.
            inside = len(section.path) > len(parent)
            inside = inside and section.path[: len(parent)] == parent
            small = group[-1].end - group[0].start < min_chars
            if not (small and inside and not group[-1].closed):
                add_group()
                group = []
        group.append(section)
    if group:
        add_group()
    return groups


class _Zones:
    """Stretches that do not overlap; of two that do, the one that begins first."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
            if not self.ends or start >= self.ends[-1]:
                self.starts.append(start)
                self.ends.append(end)

    def around(self, at: int) -> tuple[int, int] | None:
        """Return the stretch that a cut at `at` would part."""
        index = bisect_left(self.starts, at) - 1
        if index >= 0 and at < self.ends[index]:
            return self.starts[index], self.ends[index]
        return None


class _Cutter:
    """Cuts sections that are too long: between blocks, lines, sentences or words.

    Sizes are in quarters of a token. `whole` is what stays whole, with the heading
    above it; what is in `long` is cut between lines and not repeated.
    """

    def __init__(
        self, note: Note, outline: _Outline, room: int, slack: int, overlap: int
    ) -> None:
        self.text, self.outline = note.text, outline
        self.room, self.slack, self.overlap = room, slack, overlap
        self.heads = frozenset(section.start for section in outline.sections)
        whole: list[tuple[int, int]] = []
        long: list[tuple[int, int]] = []
        inner = _inner_regions(note)
        head = -1
        ends = [*outline.starts[1:], len(note.text)]
        for start, end, kind in zip(outline.starts, ends, outline.kinds, strict=True):
            if kind == "heading":
                head = start if head < 0 else head
                continue
            first, head = (start if head < 0 else head), -1
            if self._stays_whole(start, end, kind):
                if not self._fits(first, end, room + slack):
                    first = start
                whole.append((first, end))
                continue
            if kind in WHOLE:
                long.append((start, end))
            inside: list[tuple[int, int]] = []
            for a, b, inner_kind in self._within(inner, start, end):
                stays = self._stays_whole(a, b, inner_kind)
                (inside if stays else long).append((a, b))
            if first < start and self._fits(first, start, slack):
                if inside and inside[0][0] == start:
                    inside[0] = (first, inside[0][1])
                else:  # a heading is not parted from what it is about
                    inside.insert(0, (first, start + 1))
            whole += inside
        self.whole, self.long = _Zones(whole), _Zones(long)

    def _fits(self, start: int, end: int, room: int) -> bool:
        return _fits(self.text, start, end, room)

    def _stays_whole(self, start: int, end: int, kind: str) -> bool:
        if kind in UNCUT and self._fits(start, end, self.room * TIMES_WHOLE):
            return True
        return kind in WHOLE and self._fits(start, end, self.room)

    def _within(
        self, inner: list[tuple[int, int, str]], start: int, end: int
    ) -> Iterator[tuple[int, int, str]]:
        """Yield what is inside a block, in whole lines unless these are too long."""
        first = bisect_left(inner, (start,))
        for a, inner_end, kind in inner[first : bisect_left(inner, (end,))]:
            b = min(inner_end, end)
            if kind in _INLINE:
                yield a, b, kind
                continue
            line = self.text.rfind("\n", start, a) + 1 or start
            stop = self.text.find("\n", b - 1, end) + 1 or end
            if self._stays_whole(line, stop, kind) or not self._stays_whole(a, b, kind):
                yield line, stop, kind
            else:
                yield a, b, kind

    def parts(self, start: int, end: int) -> Iterator[_Part]:
        back = start
        while start < end:
            room = self.room - weight(self.text[back:start])
            at = end
            if not self._fits(start, end, room + self.slack):
                at = self._cut(start, reach(self.text, start, end, room))
                if self.text[at - 1 : at + 1] == "\r\n":
                    at += 1
                at = min(at, end)
            yield _Part(back, start, at)
            back = self._repeat_from(start, at)
            start = at

    def _cut(self, start: int, high: int) -> int:
        """Return where a passage from `start` ends, at `high` or a little before."""
        text, low = self.text, start + (high - start) // 2
        starts = self.outline.starts
        for block in range(bisect_right(starts, high) - 1, -1, -1):
            if starts[block] <= low:
                break
            if self.whole.around(starts[block]) is None:
                return starts[block]
        zone = self.whole.around(high)
        if zone is not None:
            if self._fits(start, zone[0], self.slack):
                return zone[1]
            high = zone[0]
            if text[high - 1] == "\n":
                return high
        if self.long.around(high) is not None:
            line = text.rfind("\n", start, high) + 1
            return line if line > start else high
        return self._cut_prose(low, high)

    def _cut_prose(self, low: int, high: int) -> int:
        for boundary in (_LINE, _SENTENCE, _SPACE):
            matches = boundary.finditer(self.text, min(low, high), high)
            for at in reversed([match.end() for match in matches]):
                if at > low and self.whole.around(at) is None:
                    return at
        return high

    def _repeat_from(self, start: int, at: int) -> int:
        """Return where the next passage begins to repeat this one, at most `at`."""
        text, overlap = self.text, self.overlap
        block = bisect_right(self.outline.starts, at) - 1
        at_code = self.outline.starts[block] == at
        at_code = at_code and self.outline.kinds[block] == "fence"
        if at in self.heads or at_code or self.long.around(at + 1):
            return at
        low = max(start + 1, at - overlap)
        while low < at and (size := weight(text[low:at])) > overlap:
            low = at - (at - low) * overlap // size
        back = low
        for boundary in (_SENTENCE, _SPACE):
            match = boundary.search(text, low - 1, at)
            if match is not None and match.end() < at:
                back = match.end()
                break
        for zones in (self.long, self.whole):
            zone = zones.around(back)
            back = zone[1] if zone else back
        if back >= at or text[back:at].isspace():
            return at
        following = self.whole.around(at + 1)
        if following and not self._fits(back, following[1], self.room):
            return at
        return back


def _inner_regions(note: Note) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]]
    found = [(r.start, r.end, r.kind) for r in note.regions if r.kind in WHOLE]
    found += [(callout.start, callout.end, "callout") for callout in note.callouts]
    edges = sorted({edge for start, end, _ in found for edge in (start, end)})
    chars = dict(zip(edges, _char_offsets(note.text, edges), strict=True))
    return sorted((chars[start], chars[end], kind) for start, end, kind in found)


def _joined(parts: list[_Part], most: int, body: int) -> list[_Part]:
    room = -(-parts[-1].end // most)
    while True:
        joined: list[_Part] = []
        for part in parts:
            apart = most > 1 and part.start == body
            last = joined[-1] if joined else None
            if last is None or apart or part.end - last.start > room:
                joined.append(part)
            else:
                joined[-1] = last._replace(end=part.end)
        if len(joined) <= most:
            return joined
        room += -(-room // 4)


def _chunks(
    note: Note, outline: _Outline, parts: list[_Part]
) -> Iterator[tuple[Any, ...]]:
    text = note.text
    task_lines = sorted({task.line for task in note.tasks})
    heading_lines = sorted({h.line for h in note.headings}) if task_lines else []
    opened = [section.start for section in outline.sections]
    line = 1
    for index, (back, start, end) in enumerate(parts):
        breaks = text.count("\n", start, end)
        last = max(line, line + breaks - (text[end - 1] == "\n"))
        top = line - text.count("\n", back, start)
        first = bisect_right(opened, start) - 1
        sections = outline.sections[first : bisect_left(opened, end)]
        kind = _kind(outline, sections[0], start, end)
        tasks = _count_between(task_lines, line, last)
        if tasks and kind != "frontmatter":
            lines = sum(1 for held in text[start:end].split("\n") if held.strip())
            lines -= _count_between(heading_lines, line, last)
            kind = "task_block" if 2 * tasks > lines else kind
        path = sections[0].path
        for section in sections[1:]:
            while section.path[: len(path)] != path:
                path = path[:-1]
        passage = text[back:end]
        span, tokens = span_of(top, last), estimate_tokens(passage)
        yield index, kind, path, span, passage, start - back, tokens, _digest(passage)
        line += breaks


def _kind(outline: _Outline, section: _Section, start: int, end: int) -> ChunkKind:
    if start < outline.body:
        return "frontmatter"
    if section.headed and section.start == start:
        return "heading_section"
    first = bisect_right(outline.starts, start) - 1
    last = bisect_left(outline.starts, end)
    only_code = _CODE.issuperset(outline.kinds[first:last])
    return "code_block" if only_code else "paragraph"


def _count_between(lines: list[int], first: int, last: int) -> int:
    return bisect_right(lines, last) - bisect_left(lines, first)


def _digest(text: str) -> Digest:
    return Digest(xxhash.xxh3_128_hexdigest(text.encode("utf-8", "surrogatepass")))
