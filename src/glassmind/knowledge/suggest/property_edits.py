"""Edits that put a link into a property, as its YAML is written there."""

import json
import re
from collections.abc import Iterator

from glassmind.knowledge.suggest.edits import Page, Pen, tried
from glassmind.markdown.frontmatter import Property, read_head
from glassmind.types import NotePath
from glassmind.types.suggestions import ProposedEdit


def edit_for_property(
    page: Page, name: str, target: NotePath, pen: Pen, *, many: bool = True
) -> ProposedEdit | None:
    """Return the edit that adds a link to a property, or the property with it.

    With `many` the property is a list where it is new. None where the frontmatter
    cannot be read, or is written in a way we do not dare to change.
    """
    if page.note.frontmatter.error is not None:
        return None
    wiki = Pen(pen.files)  # Obsidian knows no other links in properties
    for link in wiki.written(page.note.path, target, ""):
        quoted = json.dumps(link, ensure_ascii=False)
        for place, text in _ways(page, name, quoted, many=many):
            edit = tried(page, place, text, target, wiki, name=name)
            if edit is not None:
                return edit
    return None


def _ways(
    page: Page, name: str, quoted: str, *, many: bool
) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the places and texts to try, in the order of what people write."""
    source, new = page.note.text.encode(), page.newline
    line = f"{name}:{new}  - {quoted}{new}" if many else f"{name}: {quoted}{new}"
    end = page.note.frontmatter.end
    if not end:
        yield (0, 0), f"---{new}{line}---{new}"
        return
    held = [
        item
        for item in read_head(page.note.text).properties
        if str(item.leaf.path[0]).lower() == name.lower()
    ]
    present = any(
        key.lower() == name.lower() for key in page.note.frontmatter.properties
    )
    if not present:
        at = source[:end].rstrip().rfind(b"\n") + 1  # before the closing line
        yield (at, at), line
        return
    yield from _into(source, name, held, quoted, new)


def _into(
    source: bytes, name: str, held: list[Property], quoted: str, new: str
) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the ways to add an item to a property that is there."""
    last = held[-1] if held else None
    if last is not None and len(last.leaf.path) > 1:
        begin = source.rfind(b"\n", 0, last.start) + 1
        indent = re.match(rb"[ \t]*-[ \t]+", source[begin : last.start])
        if indent is not None:
            stop = source.find(b"\n", last.end)
            at = begin + len(source[begin:stop].rstrip())
            yield (at, at), f"{new}{indent[0].decode()}{quoted}"
        else:
            yield (last.end, last.end), f", {quoted}"
        return
    if last is not None and isinstance(last.leaf.value, str) and last.leaf.value:
        written = source[last.start : last.end].decode()
        yield (last.start, last.end), f"[{written}, {quoted}]"
        return
    empty = rb"^" + re.escape(name.encode()) + rb"[ \t]*:([ \t]*(?:\[\])?[ \t]*)\r?$"
    found = re.search(empty, source, re.MULTILINE | re.IGNORECASE)
    if found is not None:
        yield found.span(1), f" {quoted}"
