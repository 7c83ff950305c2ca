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
from typing import Any, Final, NamedTuple

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


class Structure:
    """A note and what the pass saw in its body, each list in the order of the text.

    Offsets are bytes of `source`, the text in UTF-8; `starts` are those of its lines,
    and `body` is where the frontmatter ends. `text_starts` and `text_ends` are the
    stretches of plain text, `ends` where paragraphs, headings and the own text of list
    items end.
    """

    def __init__(self, text: str, body: int) -> None:
        self.text, self.body = text, body
        self.source = text.encode()
        self.starts = line_starts(self.source)
        self.text_starts: list[int] = []
        self.text_ends: list[int] = []
        self.ends: list[int] = []
        self.blocks: list[tuple[RegionKind, int, int, str]] = []
        self.regions: list[Region] = []
        self.tables: list[tuple[int, int]] = []
        self.quotes: list[tuple[int, int]] = []
        self.titles: list[tuple[int, str, int, int]] = []
        self.items: list[ListItem] = []
        self.references: list[MarkdownLink] = []
        self.html: list[InlineTag] = []
        self.footnotes: list[tuple[str, bool, int, int]] = []
        self.equations: list[tuple[int, int]] = []
        self.comments: list[tuple[int, int]] = []

    def line_at(self, offset: int) -> int:
        return bisect_right(self.starts, offset)

    def region_mask(self) -> "Mask":
        return Mask.of((start, end) for _, start, end, _ in self.regions)

    def text_mask(self) -> "Mask":
        """Return the stretches of plain text; those that touch are one."""
        mask = Mask([], [])
        for start, end in sorted(zip(self.text_starts, self.text_ends, strict=True)):
            if mask.ends and start == mask.ends[-1]:
                mask.ends[-1] = end
            else:
                mask.starts.append(start)
                mask.ends.append(end)
        return mask

    def html_elements(self) -> list[tuple[int, int]]:
        """Return the tags of inline HTML, and what pairs of them enclose."""
        found: list[tuple[int, int]] = []
        waiting: dict[str, list[InlineTag]] = {}
        leaf = -1
        for tag in self.html:
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


def read_structure(text: str, body: int = 0) -> Structure:
    """Return the skeleton of a note whose frontmatter takes `body` bytes."""
    structure = Structure(text, body)
    if body:
        # Blank lines in the place of the frontmatter keep every offset true.
        text = "\n" * body + text[len(structure.source[:body].decode()) :]
    _Walk(text, structure).run()
    structure.equations = _equations(structure)
    if structure.equations:
        inside = Mask.of(structure.equations)
        regions = [
            region for region in structure.regions if not inside.covers(region.start)
        ]
        regions += [
            Region("math_block", start, end) for start, end in structure.equations
        ]
        structure.regions = sorted(regions, key=lambda region: region.start)
    structure.comments = _comments(structure)
    return structure


class _Walk:
    """One pass over the events of the parser, and where it is."""

    def __init__(self, text: str, found: Structure) -> None:
        self.text, self.found = text, found
        self.leaf = self.text_mark = 0
        self.words: list[str] | None = None
        self.items: list[ListItem] = []
        self.links: list[tuple[dict[str, Any] | None, bool]] = []

    def run(self) -> None:
        structure = self.found
        depth = 0
        previous: Any = None
        begin_text, end_text = structure.text_starts.append, structure.text_ends.append
        opener, closer = _OPENERS.get, _CLOSERS.get
        events: Iterator[Any] = events_with_range(self.text, options=OPTIONS)
        # The branches stand in the order of how often they are taken.
        for event, at in events:
            if "Text" in event:
                begin_text(at["start"])
                end_text(at["end"])
                if self.words is not None:
                    self.words.append(event["Text"])
            elif "Start" in event:
                tag = event["Start"]
                name = tag if tag.__class__ is str else next(iter(tag))
                if not depth:
                    structure.blocks.append((_BLOCKS[name], at["start"], at["end"], ""))
                depth += 1
                if (opens := opener(name)) is not None:
                    opens(self, tag, at, depth)
            elif "End" in event:
                depth -= 1
                tag = event["End"]
                name = tag if tag.__class__ is str else next(iter(tag))
                if (closes := closer(name)) is not None:
                    closes(self, tag, at, previous)
            else:
                self._inline(event, at["start"], at["end"], depth)
            previous = at

    def _inline(self, event: Any, start: int, end: int, depth: int) -> None:
        if event == "Rule":
            if not depth:
                self.found.blocks.append(("rule", start, end, ""))
            self._end_own_text(start)
            return
        is_break = event.__class__ is str
        kind, value = (event, " ") if is_break else next(iter(event.items()))
        if kind == "InlineHtml":
            self.found.html.append(InlineTag(value, start, end, self.leaf))
        elif kind == "FootnoteReference":
            self.found.footnotes.append((value, False, start, end))
        else:
            if kind in _INLINE_REGIONS:
                self.found.regions.append(Region(_INLINE_REGIONS[kind], start, end))
            if self.words is not None and kind != "TaskListMarker":
                self.words.append(str(value))

    def _end_own_text(self, offset: int) -> None:
        if self.items and self.items[-1].own_end < 0:
            self.items[-1].own_end = offset
            self.found.ends.append(offset)

    def open_leaf(self, _tag: Any, at: Range, _depth: int) -> None:
        self.leaf = at["start"]

    def open_paragraph(self, _tag: Any, at: Range, _depth: int) -> None:
        self.leaf = at["start"]
        if self.items:
            item = self.items[-1]
            item.paragraphs += 1
            if item.paragraphs > 1:
                self._end_own_text(at["start"])

    def close_paragraph(self, _tag: Any, at: Range, _previous: Range) -> None:
        self.found.ends.append(at["end"])

    def open_heading(self, _tag: Any, at: Range, depth: int) -> None:
        self.leaf = at["start"]
        if depth == 1:
            self.words = []
        self._end_own_text(at["start"])

    def close_heading(self, tag: Any, at: Range, _previous: Range) -> None:
        self.found.ends.append(at["end"])
        if self.words is not None:
            text = "".join(self.words).replace("==", "").strip()
            level = int(tag["Heading"][1:])
            self.found.titles.append((level, text, at["start"], at["end"]))
            self.words = None

    def open_item(self, _tag: Any, at: Range, _depth: int) -> None:
        self.leaf = at["start"]
        # the parser counts what an item is indented by, where that is more than needed
        match = _LEAD.match(self.found.source, at["start"])
        start = match.end() if match is not None else at["start"]
        parent = self.items[-1].start if self.items else None
        item = ListItem(start, at["end"], len(self.items), parent)
        self.items.append(item)
        self.found.items.append(item)

    def close_item(self, _tag: Any, _at: Range, _previous: Range) -> None:
        self._end_own_text(self.items[-1].end)
        self.items.pop()

    def open_code(self, tag: Any, at: Range, depth: int) -> None:
        start, end = at["start"], at["end"]
        self._end_own_text(start)
        self.text_mark = len(self.found.text_starts)
        value = tag["CodeBlock"]
        fenced = value.__class__ is dict
        words = value["Fenced"].split(None, 1) if fenced else ()
        kind: RegionKind = "fence" if fenced else "code"
        region = Region(kind, start, end, words[0] if words else "")
        self.found.regions.append(region)
        if depth == 1:
            self.found.blocks[-1] = region

    def close_code(self, _tag: Any, _at: Range, _previous: Range) -> None:
        # What a code block holds comes as text events: it is not text.
        del self.found.text_starts[self.text_mark :]
        del self.found.text_ends[self.text_mark :]

    def open_nested(self, tag: Any, at: Range, _depth: int) -> None:
        start, end = at["start"], at["end"]
        self._end_own_text(start)
        if tag == "HtmlBlock":
            self.found.regions.append(Region("html", start, end))
        elif "BlockQuote" in tag:
            self.found.quotes.append((start, end))
        elif "Table" in tag:
            self.found.tables.append((start, end))

    def open_footnote(self, tag: Any, at: Range, _depth: int) -> None:
        name = tag["FootnoteDefinition"]
        self.found.footnotes.append((name, True, at["start"], at["end"]))

    def open_link(self, tag: Any, _at: Range, _depth: int) -> None:
        ((kind, link),) = tag.items()
        # wikilinks are scanned for in the source
        is_wiki = link["link_type"].__class__ is dict
        self.links.append((None if is_wiki else link, kind == "Image"))

    def close_link(self, _tag: Any, at: Range, previous: Range) -> None:
        link, embed = self.links.pop()
        if link is None:
            return
        start, end = at["start"], at["end"]
        label = start + 1 + embed
        # With nothing between the brackets, the event before is the link's beginning.
        empty = previous["start"] == start or len(self.links) >= DEEPEST_LABEL
        label_end = label if empty else previous["end"]
        self.found.references.append(
            MarkdownLink(link["dest_url"], label, label_end, start, end, embed)
        )


_INLINE_REGIONS: Final[dict[str, RegionKind]] = {
    "Code": "code",
    "InlineMath": "math",
    "DisplayMath": "math_block",
}
_OPENERS: Final[dict[str, Callable[[_Walk, Any, Range, int], None]]] = {
    "Paragraph": _Walk.open_paragraph,
    "TableCell": _Walk.open_leaf,
    "Heading": _Walk.open_heading,
    "Item": _Walk.open_item,
    "CodeBlock": _Walk.open_code,
    "HtmlBlock": _Walk.open_nested,
    "BlockQuote": _Walk.open_nested,
    "Table": _Walk.open_nested,
    "List": _Walk.open_nested,
    "FootnoteDefinition": _Walk.open_footnote,
    "Link": _Walk.open_link,
    "Image": _Walk.open_link,
}
_CLOSERS: Final[dict[str, Callable[[_Walk, Any, Range, Range], None]]] = {
    "Paragraph": _Walk.close_paragraph,
    "Heading": _Walk.close_heading,
    "Item": _Walk.close_item,
    "CodeBlock": _Walk.close_code,
    "Link": _Walk.close_link,
    "Image": _Walk.close_link,
}


class Mask(NamedTuple):
    """Disjoint half-open stretches in order of their start."""

    starts: list[int]
    ends: list[int]

    @classmethod
    def of(cls, stretches: Iterable[tuple[int, int]]) -> "Mask":
        """Return the mask of stretches given in any order; overlaps are joined."""
        starts: list[int] = []
        ends: list[int] = []
        for start, end in sorted(stretches):
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


def _comments(note: Structure) -> list[tuple[int, int]]:
    """Return the comments of the body, marks included, in order.

    One that begins a line runs to the next mark, or to the end of the note when there
    is none. One inside a line must close before the next blank line, else it is no
    comment.
    """
    source, body = note.source, note.body
    # One byte is found faster than two, and most notes have not even that.
    if source.find(b"%", body) < 0 or source.find(b"%%", body) < 0:
        return []
    masked = note.region_mask()
    starts = [match.start() for match in _MARK.finditer(source, body)]
    marks = [start for start in starts if not masked.covers(start)]
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


_LEADING_MATH_MARK = re.compile(rb"^[ \t>]*(?=\$\$)", re.MULTILINE)


def _equations(note: Structure) -> list[tuple[int, int]]:
    """Return the block equations, in order: also those the parser does not know."""
    source, body = note.source, note.body
    if source.find(b"$", body) < 0 or source.find(b"$$", body) < 0:
        return []
    known = note.region_mask()
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
