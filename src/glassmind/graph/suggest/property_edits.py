"""Edits that put a link into a property, as its YAML is written there."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from glassmind.files.spelling import Pen
from glassmind.graph.suggest.edits import Page, tried
from glassmind.model import NotePath, PropertyValue
from glassmind.model.suggestions import ProposedEdit
from glassmind.obsidian.frontmatter import Property, read_head

_EMPTY = rb"^[\"']?%b[\"']?[ \t]*:([ \t]*(\[[ \t]*\])?%b?[ \t]*)(?:#.*)?\r?$"
_NOTHING = rb"(?:null|Null|NULL|~|\"\"|'')"
"""How people write that a property has no value, besides writing nothing."""


def edit_for_property(
    page: Page, name: str, target: NotePath, pen: Pen, *, many: bool = True
) -> ProposedEdit | None:
    """Return the edit that adds a link to a property, or the property with it.

    With `many` the property is a list where it is new or empty. None where the
    frontmatter cannot be read, or is written in a way we do not dare to change: lists
    in lists, such as a link without quotes, numbers, texts of several lines.
    """
    properties = page.note.frontmatter.properties
    if page.note.frontmatter.error is not None:
        return None
    key = next((one for one in properties if one.lower() == name.lower()), name)
    wiki = replace(pen, markdown=False)  # Obsidian knows no other links in properties
    for link in wiki.written(page.note.path, target, ""):
        quoted = json.dumps(link, ensure_ascii=False)
        for place, text in _ways(page, key, quoted, many=many):
            edit = tried(page, place, text, target, wiki, name=key)
            if edit is not None:
                return edit
    return None


def _ways(
    page: Page, key: str, quoted: str, *, many: bool
) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the places and texts to try, in the order of what people write."""
    source, new = page.note.text.encode(), page.newline
    line = f"{key}:{new}  - {quoted}{new}" if many else f"{key}: {quoted}{new}"
    end = page.note.frontmatter.end
    properties = page.note.frontmatter.properties
    if not end:
        if not source.startswith(b"---"):  # a head that is not closed may begin there
            yield (0, 0), f"---{new}{line}---{new}"
    elif key not in properties:
        at = source[:end].rstrip().rfind(b"\n") + 1  # before the closing line
        yield (at, at), line
    elif not _is_said(properties[key]):
        yield from _into_nothing(source[:end], key, quoted, new if many else "")
    else:
        held = [
            item
            for item in read_head(page.note.text).properties
            if item.leaf.path[0] == key
        ]
        yield from _beside(source, properties[key], held, quoted, new)


def _is_said(value: PropertyValue) -> bool:
    return value not in (None, "", [])


def _into_nothing(
    head: bytes, key: str, quoted: str, new: str
) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the ways to fill a property that has no value; `new` begins a list."""
    empty = _EMPTY % (re.escape(key.encode()), _NOTHING)
    found = re.search(empty, head, re.MULTILINE)
    if found is None:
        return
    if found[2] is not None:
        yield found.span(2), f"[{quoted}]"
    elif found.end(1) < found.end() and head[found.end(1) : found.end(1) + 1] == b"#":
        yield found.span(1), f" [{quoted}] " if new else f" {quoted} "
    else:
        yield found.span(1), f"{new}  - {quoted}" if new else f" {quoted}"


def _beside(
    source: bytes, value: PropertyValue, held: list[Property], quoted: str, new: str
) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the ways to add an item to a property that has some."""
    if not held:
        return
    last = held[-1]
    if isinstance(value, list):
        if any(isinstance(item, list | dict) for item in value):
            return
        begin = source.rfind(b"\n", 0, last.start) + 1
        indent = re.match(rb"[ \t]*-[ \t]+", source[begin : last.start])
        if indent is None:
            yield (last.end, last.end), f", {quoted}"
            return
        stop = source.find(b"\n", last.end)
        at = begin + len(source[begin:stop].rstrip())
        yield (at, at), f"{new}{indent[0].decode()}{quoted}"
    elif isinstance(value, str):
        written = source[last.start : last.end].decode()
        if "\n" not in written:
            yield (last.start, last.end), f"[{written}, {quoted}]"
            told = json.dumps(value, ensure_ascii=False)
            yield (last.start, last.end), f"[{told}, {quoted}]"
