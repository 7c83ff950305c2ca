"""The skeleton of a note: one pass over the events of the CommonMark parser.

What Obsidian adds to CommonMark is scanned for in the source by the other modules; this
pass tells them where text is text.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, count
from operator import add
from typing import Any, Final, NamedTuple, TypeAlias

from msgspec import Struct
from pyromark import Options, events_with_range

from glassmind.model import Span
from glassmind.model.notes import Region, RegionKind

OPTIONS: Final = (
    Options.ENABLE_TABLES
    | Options.ENABLE_FOOTNOTES
    | Options.ENABLE_STRIKETHROUGH
    | Options.ENABLE_TASKLISTS
    | Options.ENABLE_MATH
    | Options.ENABLE_GFM
    | Options.ENABLE_WIKILINKS
)
"""Metadata blocks stay off: the parser finds them in the middle of notes, too."""

DEEPEST_LABEL = 8
"""Links inside the labels of links that keep their own label.

An image may stand in a link. Labels nested without bound would be quadratic in size.
"""

Range = Mapping[str, Any]
RootBlock: TypeAlias = tuple[RegionKind, int, int, str]
Title: TypeAlias = tuple[int, str, int, int]

_BLOCKS: Final[dict[str, RegionKind]] = {
    "Paragraph": "paragraph",
    "Heading": "heading",
    "BlockQuote": "quote",
    "CodeBlock": "fence",
    "List": "list",
    "Table": "table",
    "HtmlBlock": "html",
    "FootnoteDefinition": "footnote",
}

_LEAD = re.compile(rb"[ \t\r\n>]*")


class ListItem(Struct):
    start: int
    end: int
    depth: int
    parent: int | None
    own_end: int = -1
    paragraphs: int = 0


class MarkdownLink(Struct):
    destination: str
    label_start: int
    label_end: int
    start: int
    end: int
    embed: bool


class InlineTag(Struct):
    html: str
    start: int
    end: int
    leaf: int


class Structure(Struct):
    """What the pass saw, each list in the order of the text.

    `text_starts` and `text_ends` are the stretches of plain text, `ends` where
    paragraphs, headings and the own text of list items end.
    """

    text_starts: list[int] = []
    text_ends: list[int] = []
    ends: list[int] = []
    blocks: list[RootBlock] = []
    regions: list[Region] = []
    tables: list[tuple[int, int]] = []
    quotes: list[tuple[int, int]] = []
    titles: list[Title] = []
    items: list[ListItem] = []
    references: list[MarkdownLink] = []
    html: list[InlineTag] = []
    footnotes: list[tuple[str, bool, int, int]] = []


class _Walk(Struct):
    """Where the pass stands; `source` is `text` in UTF-8, once an item asks for it."""

    seen: Structure
    text: str
    source: bytes = b""
    leaf: int = 0
    text_mark: int = 0
    words: list[str] | None = None
    items: list[ListItem] = []
    links: list[tuple[dict[str, Any] | None, bool]] = []


def read_structure(text: str) -> Structure:
    """Return the skeleton of `text`; offsets are bytes of its UTF-8 encoding."""
    seen = Structure()
    walk = _Walk(seen, text)
    depth = 0
    previous: Any = None
    add_block = seen.blocks.append
    begin_text, end_text = seen.text_starts.append, seen.text_ends.append
    opener, closer = _OPENERS.get, _CLOSERS.get
    events: Iterator[Any] = events_with_range(text, options=OPTIONS)
    # The branches stand in the order of how often they are taken.
    for event, at in events:
        if "Text" in event:
            begin_text(at["start"])
            end_text(at["end"])
            if walk.words is not None:
                walk.words.append(event["Text"])
        elif "Start" in event:
            tag = event["Start"]
            name = tag if tag.__class__ is str else next(iter(tag))
            if not depth:
                add_block((_BLOCKS[name], at["start"], at["end"], ""))
            depth += 1
            if (opens := opener(name)) is not None:
                opens(walk, tag, at, depth)
        elif "End" in event:
            depth -= 1
            tag = event["End"]
            name = tag if tag.__class__ is str else next(iter(tag))
            if (closes := closer(name)) is not None:
                closes(walk, tag, at, previous)
        elif event.__class__ is str:
            _mark(walk, event, at, depth)
        else:
            ((kind, value),) = event.items()
            _inline(walk, kind, value, at)
        previous = at
    return seen


def _mark(walk: _Walk, event: str, at: Range, depth: int) -> None:
    if event == "Rule":
        if not depth:
            walk.seen.blocks.append(("rule", at["start"], at["end"], ""))
        _end_own_text(walk, at["start"])
    elif walk.words is not None:
        walk.words.append(" ")


def _inline(walk: _Walk, kind: str, value: Any, at: Range) -> None:
    start, end = at["start"], at["end"]
    if kind == "Code":
        walk.seen.regions.append(Region("code", start, end))
    elif kind == "InlineMath":
        walk.seen.regions.append(Region("math", start, end))
    elif kind == "DisplayMath":
        walk.seen.regions.append(Region("math_block", start, end))
    elif kind == "InlineHtml":
        walk.seen.html.append(InlineTag(value, start, end, walk.leaf))
        return
    elif kind == "FootnoteReference":
        walk.seen.footnotes.append((value, False, start, end))
        return
    if walk.words is not None and kind != "TaskListMarker":
        walk.words.append(str(value))


def _close_paragraph(walk: _Walk, _tag: Any, at: Range, _previous: Range) -> None:
    walk.seen.ends.append(at["end"])


def _close_item(walk: _Walk, _tag: Any, _at: Range, _previous: Range) -> None:
    item = walk.items.pop()
    if item.own_end < 0:
        item.own_end = item.end
        walk.seen.ends.append(item.end)


def _close_code(walk: _Walk, _tag: Any, _at: Range, _previous: Range) -> None:
    # What a code block holds comes as text events: it is not text.
    del walk.seen.text_starts[walk.text_mark :]
    del walk.seen.text_ends[walk.text_mark :]


def _close_heading(walk: _Walk, tag: Any, at: Range, _previous: Range) -> None:
    walk.seen.ends.append(at["end"])
    if walk.words is not None:
        text = "".join(walk.words).replace("==", "").strip()
        level = int(tag["Heading"][1:])
        walk.seen.titles.append((level, text, at["start"], at["end"]))
        walk.words = None


def _close_link(walk: _Walk, _tag: Any, at: Range, previous: Range) -> None:
    link, embed = walk.links.pop()
    if link is None:
        return
    start, end = at["start"], at["end"]
    label = start + 1 + embed
    # With nothing between the brackets, the event before is the link's own beginning.
    empty = previous["start"] == start or len(walk.links) >= DEEPEST_LABEL
    label_end = label if empty else previous["end"]
    walk.seen.references.append(
        MarkdownLink(link["dest_url"], label, label_end, start, end, embed)
    )


def _open_paragraph(walk: _Walk, _tag: Any, at: Range, _depth: int) -> None:
    walk.leaf = at["start"]
    if walk.items:
        item = walk.items[-1]
        item.paragraphs += 1
        if item.paragraphs > 1:
            _end_own_text(walk, at["start"])


def _open_leaf(walk: _Walk, _tag: Any, at: Range, _depth: int) -> None:
    walk.leaf = at["start"]


def _open_heading(walk: _Walk, _tag: Any, at: Range, depth: int) -> None:
    walk.leaf = at["start"]
    if depth == 1:
        walk.words = []
    _end_own_text(walk, at["start"])


def _open_item(walk: _Walk, _tag: Any, at: Range, _depth: int) -> None:
    walk.leaf = at["start"]
    walk.source = walk.source or walk.text.encode()
    # the parser counts what an item is indented by, where that is more than needed
    lead = _LEAD.match(walk.source, at["start"])
    start = lead.end() if lead is not None else at["start"]
    parent = walk.items[-1].start if walk.items else None
    item = ListItem(start, at["end"], len(walk.items), parent)
    walk.items.append(item)
    walk.seen.items.append(item)


def _open_code(walk: _Walk, tag: Any, at: Range, depth: int) -> None:
    start, end = at["start"], at["end"]
    _end_own_text(walk, start)
    walk.text_mark = len(walk.seen.text_starts)
    value = tag["CodeBlock"]
    fenced = value.__class__ is dict
    words = value["Fenced"].split(None, 1) if fenced else ()
    kind: RegionKind = "fence" if fenced else "code"
    region = Region(kind, start, end, words[0] if words else "")
    walk.seen.regions.append(region)
    if depth == 1:
        walk.seen.blocks[-1] = region


def _open_nested(walk: _Walk, tag: Any, at: Range, _depth: int) -> None:
    start, end = at["start"], at["end"]
    _end_own_text(walk, start)
    if tag == "HtmlBlock":
        walk.seen.regions.append(Region("html", start, end))
    elif tag.__class__ is dict:
        place = walk.seen.quotes if "BlockQuote" in tag else walk.seen.tables
        if "List" not in tag:
            place.append((start, end))


def _open_footnote(walk: _Walk, tag: Any, at: Range, _depth: int) -> None:
    walk.seen.footnotes.append(
        (tag["FootnoteDefinition"], True, at["start"], at["end"])
    )


def _open_link(walk: _Walk, tag: Any, _at: Range, _depth: int) -> None:
    ((kind, link),) = tag.items()
    is_wiki = link["link_type"].__class__ is dict  # those are scanned for in the source
    walk.links.append((None if is_wiki else link, kind == "Image"))


def _end_own_text(walk: _Walk, offset: int) -> None:
    if walk.items and walk.items[-1].own_end < 0:
        walk.items[-1].own_end = offset
        walk.seen.ends.append(offset)


_OPENERS: Final[dict[str, Callable[[_Walk, Any, Range, int], None]]] = {
    "Paragraph": _open_paragraph,
    "TableCell": _open_leaf,
    "Heading": _open_heading,
    "Item": _open_item,
    "CodeBlock": _open_code,
    "HtmlBlock": _open_nested,
    "BlockQuote": _open_nested,
    "Table": _open_nested,
    "List": _open_nested,
    "FootnoteDefinition": _open_footnote,
    "Link": _open_link,
    "Image": _open_link,
}

_CLOSERS: Final[dict[str, Callable[[_Walk, Any, Range, Range], None]]] = {
    "Paragraph": _close_paragraph,
    "Heading": _close_heading,
    "Item": _close_item,
    "CodeBlock": _close_code,
    "Link": _close_link,
    "Image": _close_link,
}


class Mask(NamedTuple):
    """Disjoint half-open stretches in order of their start."""

    starts: list[int]
    ends: list[int]

    @classmethod
    def of(cls, stretches: Iterable[tuple[int, int]]) -> "Mask":
        """Return the mask of stretches given in any order; overlaps are joined."""
        ordered = sorted(stretches)
        if not ordered:
            return _NOTHING
        starts: list[int] = []
        ends: list[int] = []
        for start, end in ordered:
            if ends and start < ends[-1]:
                ends[-1] = max(ends[-1], end)
            else:
                starts.append(start)
                ends.append(end)
        return cls(starts, ends)

    def end_at(self, offset: int) -> int | None:
        index = bisect_right(self.starts, offset) - 1
        if index < 0 or self.ends[index] <= offset:
            return None
        return self.ends[index]

    def covers(self, offset: int) -> bool:
        index = bisect_right(self.starts, offset) - 1
        return index >= 0 and offset < self.ends[index]


_NOTHING = Mask([], [])


def line_starts(source: bytes) -> list[int]:
    """Return the offset at which each line begins; lines end at a line feed."""
    if b"\r" in source:
        lengths = accumulate(map(len, source.split(b"\n")[:-1]))
        return [0, *map(add, lengths, count(1))]
    starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]
    if len(starts) > 1 and not source.endswith(b"\n"):
        starts.pop()
    return starts


def line_at(starts: Sequence[int], offset: int) -> int:
    return bisect_right(starts, offset)


def span_at(starts: Sequence[int], start: int, end: int) -> Span:
    """Return the lines of a half-open stretch; an empty one stands on one line."""
    first = bisect_right(starts, start)
    if first == len(starts) or end <= starts[first]:
        return span_of(first, first)
    return span_of(first, bisect_right(starts, end - 1))


@lru_cache(maxsize=4096)
def span_of(first: int, last: int) -> Span:
    """Return a span; notes are of like length, so the same few come again and again."""
    return Span(first, last)


_MARK = re.compile(rb"%%")
_LEADING_MARK = re.compile(rb"^[ \t>]*(?=%%)", re.MULTILINE)
_BLANK_LINE = re.compile(rb"\n[ \t>]*\r?\n")
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta",
     "source", "track", "wbr")
)  # fmt: skip
_TAG_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)")


def comments(source: bytes, body: int, structure: Structure) -> list[tuple[int, int]]:
    """Return the comments of the body, marks included, in order.

    One that begins a line runs to the next mark, or to the end of the note when there
    is none. One inside a line must close before the next blank line, else it is no
    comment.
    """
    # One byte is found faster than two, and most notes have not even that.
    if source.find(b"%", body) < 0 or source.find(b"%%", body) < 0:
        return []
    masked = Mask.of((start, end) for _, start, end, _ in structure.regions)
    marks = [
        match.start()
        for match in _MARK.finditer(source, body)
        if not masked.covers(match.start())
    ]
    leading = {match.end() for match in _LEADING_MARK.finditer(source, body)}
    found: list[tuple[int, int]] = []
    index = 0
    while index < len(marks):
        start = marks[index]
        closed = index + 1 < len(marks)
        end = marks[index + 1] + 2 if closed else len(source)
        if start in leading or (closed and not _BLANK_LINE.search(source, start, end)):
            found.append((start, end))
            index += 1
        index += 1
    return found


def inline_elements(tags: list[InlineTag]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    waiting: dict[str, list[InlineTag]] = {}
    leaf = -1
    for tag in tags:
        if tag.leaf != leaf:
            waiting, leaf = {}, tag.leaf
        found.append((tag.start, tag.end))
        name_match = _TAG_NAME.match(tag.html)
        if name_match is None:
            continue
        name = name_match[1].lower()
        if tag.html.startswith("</"):
            if waiting.get(name):
                found.append((waiting[name].pop().start, tag.end))
        elif name not in _VOID and not tag.html.endswith("/>"):
            waiting.setdefault(name, []).append(tag)
    return found


_LEADING_MATH_MARK = re.compile(rb"^[ \t>]*(?=\$\$)", re.MULTILINE)


def block_equations(
    source: bytes, body: int, structure: Structure
) -> list[tuple[int, int]]:
    # One byte is found faster than two, and most notes have not even that.
    if source.find(b"$", body) < 0 or source.find(b"$$", body) < 0:
        return []
    known = Mask.of((start, end) for _, start, end, _ in structure.regions)
    found: list[tuple[int, int]] = []
    last = body
    for match in _LEADING_MATH_MARK.finditer(source, body):
        start = match.end()
        if start < last or known.covers(start):
            continue
        end = source.find(b"$$", start + 2)
        while end >= 0 and known.covers(end):
            end = source.find(b"$$", known.end_at(end))
        if end < 0:
            break
        last = end + 2
        found.append((start, last))
    return found


def with_equations(
    regions: Sequence[Region], equations: Sequence[tuple[int, int]]
) -> list[Region]:
    if not equations:
        return list(regions)
    inside = Mask.of(equations)
    kept = [region for region in regions if not inside.covers(region.start)]
    kept.extend(Region("math_block", start, end) for start, end in equations)
    return sorted(kept, key=lambda region: region.start)
