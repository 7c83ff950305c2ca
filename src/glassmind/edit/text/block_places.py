"""Where a block with an id stands: what of it is replaced, and what leads its lines."""

import re
from typing import NamedTuple

from glassmind.edit.text.page import Page
from glassmind.errors.editing import NotEditable
from glassmind.model.notes import BlockId, Region
from glassmind.obsidian.structure import Item, read_structure
from glassmind.obsidian.subpaths import heading_words

MARKER = re.compile(rb"([-*+]|([0-9]{1,9})([.)]))([ \t]+)(\[[^\r\n]{1,4}?\][ \t]+)?")
"""What makes a list item: a bullet or a number, its blanks, and maybe a box."""

_LEAD = re.compile(rb"[ \t>]*")
_OPENING = re.compile(
    rb"\[![^\]\r\n]*\][+-]?[ \t]*|\[\^[^\]\r\n]+\]:[ \t]*|" + MARKER.pattern
)
"""What begins a callout, a footnote or an item, and is no part of its text."""


class Place(NamedTuple):
    """A block with an id.

    What is replaced stands from `start` to `end`. `first` and `last` are the lines of
    the whole, with its id and what is nested in it. Each further line of its text
    begins with `lead`. An item has a `marker`, and stands behind `indent`.
    """

    start: int
    end: int
    first: int
    last: int
    lead: bytes = b""
    marker: bytes = b""
    indent: bytes = b""
    kind: str = "paragraph"


def place_of(page: Page, named: BlockId) -> Place:
    """Return where the block of an id stands.

    Raises:
        NotEditable: the id stands alone inside of a quote or a list, or in a heading
            whose lines end as they rarely do.
    """
    at = next(
        (n for n, b in enumerate(page.note.blocks) if b.start <= named.start < b.end),
        None,
    )
    root = None if at is None else page.note.blocks[at]
    if root is not None and root.kind == "heading":
        return _heading(page, named)
    if at is not None and root is not None and root.kind == "paragraph":
        return _paragraph(page, named, at, root)
    top = named.line if root is None else page.line_of(root.start)
    items = [i for i in _items(page) if i.start <= named.start < i.end]
    if items and named.end <= items[-1].own_end:
        found = _item(page, named, items[-1])
        if found is not None:
            return found
    return _inner(page, named, top)


def _heading(page: Page, named: BlockId) -> Place:
    heading = next(h for h in page.note.headings if h.start <= named.start < h.end)
    start, end = heading_words(page.source, heading)
    if not heading.start <= start <= end <= named.start:
        reason = f"the words of the heading with ^{named.name} cannot be told"
        raise NotEditable(page.path, f"{reason}; edit it by its line")
    last = page.line_of(heading.end - 1)
    return Place(start, end, heading.line, last, kind="heading")


def _paragraph(page: Page, named: BlockId, at: int, root: Region) -> Place:
    end = len(page.source[: named.start].rstrip())
    first = page.line_of(root.start)
    if end > root.start:
        return Place(root.start, end, first, named.line)
    before = page.note.blocks[at - 1] if at else None
    if before is None or before.kind in ("frontmatter", "heading"):
        return Place(named.start, named.start, first, named.line)
    line = page.line_of(before.start)
    start = page.line_start(line)
    return Place(start, before.end, line, named.line, kind="alone")


def _items(page: Page) -> list[Item]:
    body = page.note.frontmatter.end
    text = page.source[body:].decode()
    return read_structure("\n" * body + text).items


def _item(page: Page, named: BlockId, item: Item) -> Place | None:
    source = page.source
    marker = MARKER.match(source, item.start)
    line = page.line_of(item.start)
    lead = source[page.line_start(line) : item.start]
    indent = re.sub(rb"[^> \t]", b" ", lead)
    if marker is None:
        return None
    width = marker.end(4) - marker.start()
    last = page.line_of(len(source[: item.end].rstrip(b"> \t\r\n")) - 1)
    return Place(
        marker.end(),
        max(marker.end(), len(source[: named.start].rstrip())),
        line,
        max(last, named.line),
        indent + b" " * width,
        marker[0],
        indent,
        kind="item",
    )


def _inner(page: Page, named: BlockId, top: int) -> Place:
    """Return a paragraph inside of a quote, an item or a footnote, by its lines.

    `top` is the first line of what it stands in.
    """
    line, lead, opening = named.line, *_opened(page, named.line)
    while not opening and line > top:
        above_lead, above = _opened(page, line - 1)
        start = page.line_start(line - 1) + len(above_lead)
        if not page.source[start : page.line_end(line - 1)].strip():
            break
        if above.startswith(b"[!"):  # the title of a callout is none of its text
            break
        line, opening = line - 1, above
    first_lead, opening = _opened(page, line)
    start = page.line_start(line) + len(first_lead) + len(opening)
    end = len(page.source[: named.start].rstrip(b"> \t\r\n"))
    if end <= start:
        reason = f"^{named.name} stands alone inside of a quote or a list"
        raise NotEditable(page.path, f"{reason}; edit it by its lines")
    return Place(start, end, line, named.line, lead)


def _opened(page: Page, line: int) -> tuple[bytes, bytes]:
    """Return what leads a line, and what it opens, if anything."""
    start = page.line_start(line)
    found = _LEAD.match(page.source, start)
    lead = found[0] if found else b""
    opening = _OPENING.match(page.source, start + len(lead))
    return lead, opening[0] if opening else b""
