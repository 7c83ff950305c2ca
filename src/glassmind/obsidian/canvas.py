"""Read a canvas as a note: its cards written out as one readable text.

The JSON of a canvas is nothing to retrieve, so the text of the note is a rendering: the
cards in reading order (top to bottom, then left to right, then by id), each group a
heading with its own cards before its inner groups, and the labelled edges at the end as
`One card -> another: label`. Lines and offsets are those of this rendering, not of the
file.

A card's Markdown is read by itself, so an unclosed fence harms no other card; its
headings rank below its group. Where a card with headings is followed by another card,
the heading of the group (of the canvas, outside of groups) is repeated, for the next
card stands under that one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from posixpath import basename, splitext
from typing import Any, Final, TypeVar

from glassmind.model import NotePath, Span
from glassmind.model.notes import (
    BlockId,
    Callout,
    Field,
    Footnote,
    Heading,
    Link,
    Note,
    Region,
    RegionKind,
    Tag,
    Task,
)
from glassmind.obsidian.canvas_layout import Canvas, Card, Edge, Group, read_canvas
from glassmind.obsidian.parse import parse_note

CONNECTIONS: Final = "Connections"
"""The heading above the labelled edges."""

LOWEST: Final = 6
"""The lowest rank a heading can have."""

URL_CHARS: Final = 2000
"""How much of an address is kept: some hold whole files."""

_Placed = TypeVar(
    "_Placed", BlockId, Callout, Field, Footnote, Heading, Link, Region, Tag, Task
)


@dataclass(slots=True)
class _Sheet:
    """The rendering as it grows.

    `parts` are notes in the order of the text, their places those in the whole. `under`
    is the group whose heading the next line would stand under.
    """

    path: NotePath
    under: Group | None
    texts: list[str] = field(default_factory=list)
    parts: list[Note] = field(default_factory=list)
    length: int = 0
    line: int = 1


def parse_canvas(path: NotePath, text: str) -> Note:
    """Return a canvas as a note; one that cannot be read is empty, with a warning.

    File cards are embedding links of kind "canvas"; the links, tags and tasks of text
    cards are found as in a note. Never raises, whatever the text.
    """
    canvas = read_canvas(text.removeprefix("\ufeff"))
    sheet = _Sheet(path, canvas.root)
    _write_group(sheet, canvas.root, (), 0)
    _write_edges(sheet, canvas.edges)
    return _note(sheet, canvas)


def _title(path: NotePath) -> str:
    return splitext(basename(path))[0]


def _write_group(
    sheet: _Sheet, group: Group, above: tuple[Group, ...], depth: int
) -> None:
    """Write a group's cards, then its groups; one without a label is its outer one."""
    home = group
    if group.card.body:
        depth += 1
    elif above:
        home = above[-1]
    for card in group.cards:
        _return_to(sheet, home, depth)
        _write_card(sheet, card, depth)
    if not group.cards and group.card.body:
        _return_to(sheet, home, depth)
    for inner in group.groups:
        _write_group(sheet, inner, (*above, home), depth)


def _return_to(sheet: _Sheet, group: Group, depth: int) -> None:
    if sheet.under is not group:
        label = group.card.body or _title(sheet.path)
        _write_heading(sheet, label, max(depth, 1))
        sheet.under = group


def _write_heading(sheet: _Sheet, label: str, depth: int) -> None:
    level = min(depth, LOWEST)
    text = f"{'#' * level} {label}"
    start, line = _write(sheet, text)
    end = start + len(text.encode())
    heading = Heading(level, label, line, start, end)
    block = Region("heading", start, end)
    sheet.parts.append(_part(sheet, headings=(heading,), blocks=(block,)))


def _write_card(sheet: _Sheet, card: Card, depth: int) -> None:
    if card.kind == "text":
        _write_text(sheet, card.body.strip("\r\n"), depth)
    elif card.kind == "file":
        text = f"![[{card.body}{card.subpath}]]"
        line, block = _write_block(sheet, "paragraph", text)
        link = Link(
            kind="canvas",
            target=card.body,
            subpath=card.subpath or None,
            display=None,
            embed=True,
            line=line,
            start=block.start,
            end=block.end,
        )
        sheet.parts.append(_part(sheet, links=(link,), blocks=(block,)))
    else:
        _, block = _write_block(sheet, "paragraph", card.body[:URL_CHARS])
        sheet.parts.append(_part(sheet, blocks=(block,)))


def _write_text(sheet: _Sheet, text: str, depth: int) -> None:
    # A line before the card keeps `---` on its first line from being frontmatter.
    card = parse_note(sheet.path, "\n" + text)
    start, line = _write(sheet, text)
    part = _moved_note(card, start - 1, line - 2)
    ranked = tuple(
        heading._replace(level=min(heading.level + depth, LOWEST))
        for heading in part.headings
    )
    sheet.parts.append(part._replace(headings=ranked))
    if ranked:
        sheet.under = None


def _write_edges(sheet: _Sheet, edges: Iterable[Edge]) -> None:
    lines = [f"{e.source} {e.arrow} {e.target}: {e.label}" for e in edges]
    if lines:
        _write_heading(sheet, CONNECTIONS, 1)
        _, block = _write_block(sheet, "list", "\n".join(lines))
        sheet.parts.append(_part(sheet, blocks=(block,)))


def _write_block(sheet: _Sheet, kind: RegionKind, text: str) -> tuple[int, Region]:
    """Add a block; return the line it begins at, and the block."""
    start, line = _write(sheet, text)
    return line, Region(kind, start, start + len(text.encode()))


def _write(sheet: _Sheet, text: str) -> tuple[int, int]:
    """Add a paragraph; return the byte and the line it begins at."""
    if sheet.texts:
        sheet.texts.append("\n")
        sheet.length += 1
        sheet.line += 1
    start, line = sheet.length, sheet.line
    sheet.texts.append(text + "\n")
    sheet.length += len(text.encode()) + 1
    sheet.line += text.count("\n") + 1
    return start, line


def _part(sheet: _Sheet, **values: Any) -> Note:
    return Note(sheet.path, "canvas", "", "", **values)


def _moved_note(note: Note, by: int, lines: int) -> Note:
    return note._replace(
        tags=tuple(_moved(note.tags, by, lines)),
        headings=tuple(_moved(note.headings, by, lines)),
        links=tuple(_moved(note.links, by, lines)),
        tasks=tuple(
            task._replace(parent_line=task.parent_line and task.parent_line + lines)
            for task in _moved(note.tasks, by, lines)
        ),
        block_ids=tuple(_moved(note.block_ids, by, lines)),
        callouts=tuple(_moved(note.callouts, by, lines)),
        fields=tuple(_moved(note.fields, by, lines)),
        footnotes=tuple(_moved(note.footnotes, by, lines)),
        blocks=tuple(_moved(note.blocks, by, lines)),
        regions=tuple(_moved(note.regions, by, lines)),
    )


def _moved(values: Iterable[_Placed], by: int, lines: int) -> Iterator[_Placed]:
    for value in values:
        place: dict[str, Any] = {"start": value.start + by, "end": value.end + by}
        if isinstance(value, Callout):
            place["span"] = Span(value.span.start + lines, value.span.end + lines)
        elif not isinstance(value, Region):
            place["line"] = value.line + lines
        yield value._replace(**place)


def _note(sheet: _Sheet, canvas: Canvas) -> Note:
    parts = sheet.parts
    return Note(
        path=sheet.path,
        kind="canvas",
        title=_title(sheet.path),
        text="".join(sheet.texts),
        tags=tuple(chain.from_iterable(part.tags for part in parts)),
        headings=tuple(chain.from_iterable(part.headings for part in parts)),
        links=tuple(chain.from_iterable(part.links for part in parts)),
        tasks=tuple(chain.from_iterable(part.tasks for part in parts)),
        block_ids=tuple(chain.from_iterable(part.block_ids for part in parts)),
        callouts=tuple(chain.from_iterable(part.callouts for part in parts)),
        fields=tuple(chain.from_iterable(part.fields for part in parts)),
        footnotes=tuple(chain.from_iterable(part.footnotes for part in parts)),
        blocks=tuple(chain.from_iterable(part.blocks for part in parts)),
        regions=tuple(chain.from_iterable(part.regions for part in parts)),
        warnings=canvas.warnings,
    )
