"""The sections of a note, in characters: what splitting starts from.

The text is laid out as root blocks without gaps (a block owns the blank lines after
it), and the blocks are gathered into sections at headings and thematic breaks. Small
sections are then grouped: a passage of one line is a poor thing to retrieve, and its
heading is still found in the text of its group.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from glassmind.model.notes import Heading, Note, Region

HEADING_CHARS = 500
"""How much of a heading a path repeats: each passage below it carries the path."""


class Section(NamedTuple):
    """A stretch under one heading path; `closed` when a thematic break ends it."""

    start: int
    end: int
    path: tuple[str, ...]
    headed: bool
    closed: bool


class Outline(NamedTuple):
    """A note as characters: where its blocks and sections begin.

    `starts` and `kinds` run in parallel. `body` is where the frontmatter and the blank
    lines after it end.
    """

    text: str
    body: int
    starts: list[int]
    kinds: list[str]
    sections: list[Section]


def outline(note: Note) -> Outline:
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
        front = Section(0, body, (), headed=False, closed=True)
        sections.insert(0, front)
    return Outline(text, body, starts, kinds, sections)


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
    """Where the frontmatter's passage ends: blank lines after it are its own."""
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
) -> Iterator[Section]:
    """Yield sections; a thematic break closes the one it stands in.

    A break with nothing to close belongs to what stands before it, or opens the note.
    """
    levels: list[int] = []
    path: tuple[str, ...] = ()
    opened, headed, closed = (starts[0] if starts else end), False, False
    bare = True
    for start, kind, heading in zip(starts, kinds, headings, strict=True):
        if kind == "rule":
            closed, bare = closed or not bare, True
            continue
        if closed:
            yield Section(opened, start, path, headed, closed=True)
            opened, headed, closed = start, False, False
        if heading is not None:
            if not bare:
                yield Section(opened, start, path, headed, closed=False)
                opened = start
            level, text = heading[:2]
            while levels and levels[-1] >= level:
                levels.pop()
            path, headed = (*path[: len(levels)], text[:HEADING_CHARS]), True
            levels.append(level)
        bare = False
    if opened < end:
        yield Section(opened, end, path, headed, closed=closed)


def gather(
    sections: list[Section], *, min_chars: int, fits: Callable[[int, int], bool]
) -> list[list[Section]]:
    """Group small sections with their neighbours under the same parent.

    A group shorter than `min_chars` takes in what follows it, down to the end of the
    section its first member stands in; failing that it joins what stands before it,
    unless this would make a passage that fits into one that does not. No group crosses
    a thematic break.
    """
    groups: list[list[Section]] = []
    group: list[Section] = []
    for section in sections:
        if group and not (_is_small(group, min_chars) and _follows(group, section)):
            _settle(groups, group, min_chars, fits)
            group = []
        group.append(section)
    if group:
        _settle(groups, group, min_chars, fits)
    return groups


def _is_small(group: list[Section], min_chars: int) -> bool:
    return group[-1].end - group[0].start < min_chars


def _follows(group: list[Section], section: Section) -> bool:
    parent = group[0].path[:-1]
    # A path as long as the parent's is a later heading of the same name.
    inside = len(section.path) > len(parent) and _is_under(section.path, parent)
    return inside and not group[-1].closed


def _is_under(path: tuple[str, ...], parent: tuple[str, ...]) -> bool:
    return path[: len(parent)] == parent


def _settle(
    groups: list[list[Section]],
    group: list[Section],
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
