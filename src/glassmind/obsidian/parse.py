"""A note from its text: everything Obsidian sees in it, each thing with its place."""

import re
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from posixpath import basename, splitext
from typing import TypeVar

from glassmind.model import NotePath, PropertyValue
from glassmind.model.notes import (
    BlockId,
    Callout,
    Heading,
    Link,
    Note,
    Region,
    Task,
    all_of,
)
from glassmind.obsidian.blocks import (
    block_ids,
    callouts,
    footnotes,
    root_blocks,
    trimmed,
)
from glassmind.obsidian.comments import comments, inline_elements
from glassmind.obsidian.equations import block_equations, with_equations
from glassmind.obsidian.fields import inline_fields
from glassmind.obsidian.frontmatter import Property, read_head
from glassmind.obsidian.links import markdown_links, property_links, wikilinks
from glassmind.obsidian.masks import Mask
from glassmind.obsidian.positions import line_at, line_starts
from glassmind.obsidian.structure import Structure, Title, read_structure
from glassmind.obsidian.tags import inline_tags, property_tags
from glassmind.obsidian.tasks import tasks

_SURROGATE = re.compile("[\ud800-\udfff]")
_START = attrgetter("start")
_Placed = TypeVar("_Placed", Heading, Task, Callout, BlockId)


def parse_note(path: NotePath, text: str) -> Note:
    """Return what stands in a Markdown note.

    A byte order mark is dropped and a lone surrogate becomes U+FFFD; the offsets are
    those of the text in the note that is returned. Never raises, whatever the text.
    """
    text, source = _encoded(text)
    starts = line_starts(source)
    head = read_head(text)
    body = head.frontmatter.end
    # Blank lines in the place of the frontmatter keep every offset true.
    structure = read_structure("\n" * body + text[head.length :] if body else text)
    equations = block_equations(source, body, structure)
    structure.regions = with_equations(structure.regions, equations)
    hidden = comments(source, body, structure)
    concealed = Mask.of((*equations, *hidden))
    links = wikilinks(source, body, structure, starts)
    barred = _barred(structure, links, equations)
    joined = _joined(equations, hidden)
    return Note(
        path=path,
        kind="markdown",
        title=splitext(basename(path))[0],
        text=text,
        frontmatter=head.frontmatter,
        aliases=_aliases(head.frontmatter.properties.items()),
        tags=(
            *property_tags(source, head.properties, starts),
            *inline_tags(source, body, structure, barred, starts),
        ),
        headings=_shown(_headings(source, structure.titles, starts), concealed),
        links=_all_links(source, structure, links, head.properties, starts),
        tasks=_shown(tasks(source, structure.items, starts), concealed),
        block_ids=_shown(block_ids(source, body, structure, starts), concealed),
        callouts=_shown(callouts(source, structure.quotes, starts), concealed),
        fields=tuple(inline_fields(text, body, structure.items, source, starts)),
        footnotes=tuple(footnotes(source, body, structure, starts)),
        blocks=tuple(root_blocks(source, body, structure, joined)),
        regions=_regions(source, structure, hidden),
        warnings=head.frontmatter.warnings,
    )


def _encoded(text: str) -> tuple[str, bytes]:
    text = text.removeprefix("\ufeff")
    try:
        return text, text.encode()
    except UnicodeEncodeError:
        text = _SURROGATE.sub("\ufffd", text)
        return text, text.encode()


def _aliases(properties: Iterable[tuple[str, PropertyValue]]) -> tuple[str, ...]:
    """Return the items of the list called `aliases`; a text value is no list."""
    for name, value in properties:
        if name.lower() == "aliases" and isinstance(value, list):
            written = (
                str(item).strip()
                for item in value
                if isinstance(item, str | int | float) and not isinstance(item, bool)
            )
            return tuple(alias for alias in written if alias)
    return ()


def _barred(
    structure: Structure, links: Iterable[Link], equations: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield where text holds no tags: in wikilinks, inline HTML and equations."""
    for link in links:
        yield link.start, link.end
    yield from inline_elements(structure.html)
    yield from equations


def _all_links(
    source: bytes,
    structure: Structure,
    wiki: Sequence[Link],
    properties: Sequence[Property],
    starts: Sequence[int],
) -> tuple[Link, ...]:
    named = property_links(source, properties, starts)
    marked = markdown_links(source, structure.references, starts)
    found = sorted((*wiki, *marked), key=_START) if wiki and marked else wiki or marked
    return (*named, *found)


def _headings(
    source: bytes, titles: Iterable[Title], starts: Sequence[int]
) -> list[Heading]:
    return all_of(Heading, [
        (level, text, line_at(starts, start), start, trimmed(source, start, end))
        for level, text, start, end in titles
    ])  # fmt: skip


def _shown(found: Iterable[_Placed], concealed: Mask) -> tuple[_Placed, ...]:
    """Return what does not stand in a comment or an equation."""
    if not concealed.starts:
        return tuple(found)
    return tuple(item for item in found if not concealed.covers(item.start))


def _joined(
    equations: Iterable[tuple[int, int]], hidden: Iterable[tuple[int, int]]
) -> list[Region]:
    """Return what may join several root blocks into one of its own kind."""
    found = [Region("math_block", start, end) for start, end in equations]
    found.extend(Region("comment", start, end) for start, end in hidden)
    return sorted(found, key=_START)


def _regions(
    source: bytes, structure: Structure, hidden: Sequence[tuple[int, int]]
) -> tuple[Region, ...]:
    found = [
        Region(kind, start, trimmed(source, start, end), language)
        for kind, start, end, language in structure.regions
    ]
    if structure.html or hidden:
        elements = Mask.of(inline_elements(structure.html))
        pairs = zip(elements.starts, elements.ends, strict=True)
        found.extend(Region("html", start, end) for start, end in pairs)
        found.extend(Region("comment", start, end) for start, end in hidden)
        found.sort(key=lambda region: (region.start, -region.end))
    return tuple(found)
