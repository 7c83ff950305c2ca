"""Set, unset, add to and remove from properties; only the bytes that change change.

A few ways to write the change are tried. The first that, read again, changes exactly
this property is used; if none does, nothing is written.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from glassmind.errors import BadEdit, EditRefused, NotEditable
from glassmind.model import NotePath, PropertyValue
from glassmind.model.edits import ChangeProperty, Splice
from glassmind.obsidian.frontmatter import Head, read_head
from glassmind.obsidian.yaml_text import (
    Node,
    check_text,
    check_value,
    inline,
    is_same,
    read_nodes,
    scalar,
)

LONGEST_NAME = 200
INDENT = 2
"""How far a list is indented where the block has none yet; Obsidian writes it so."""

_TAG_ENDS, _ALIAS_ENDS = re.compile(r"[,\s]+"), re.compile(r"\s*,\s*")
_SEPARATORS = {
    "tags": _TAG_ENDS,
    "tag": _TAG_ENDS,
    "aliases": _ALIAS_ENDS,
    "alias": _ALIAS_ENDS,
}
"""What splits a text into items, as in Obsidian before 1.9 and in Dataview."""

_EMPTY: tuple[PropertyValue, ...] = (None, "")
_COLON = re.compile(r"[ \t]*:")
_DASH = re.compile(r"([ \t]*)-([ \t]+)")
_MARKS = re.compile(r"(?:[ \t]+[&!][^\s]*)*")
_HEADER = re.compile(r"[|>][-+0-9]*")


class _Target(NamedTuple):
    """A property as it is and as it should be; `gone` means that it should not be.

    `by_items` means that items are added to it or removed from it.
    """

    name: str
    now: PropertyValue
    new: PropertyValue
    gone: bool = False
    by_items: bool = False


class _Cut(NamedTuple):
    """Characters of the block to replace."""

    start: int
    end: int
    text: str


def changed_property(
    path: NotePath, text: str, change: ChangeProperty, newline: str
) -> list[Splice]:
    """Return what to change in the UTF-8 bytes of a note's text; often nothing.

    `newline` ends the lines that are added. The text has no byte order mark.
    """
    _check_change(change)
    head = read_head(text)
    if head.frontmatter.error is not None:
        raise NotEditable(path, f"{head.frontmatter.error} Fix that first")
    if head.frontmatter.warnings:
        raise NotEditable(
            path, f"{head.frontmatter.warnings[0]} Keep one of them first"
        )
    target = _target(path, head.frontmatter.properties, change)
    if target is None:
        return []
    start, block = 0, _Block("", None, newline)
    candidates: Iterable[list[_Cut]]
    if head.length:
        start = text.index("\n") + 1
        # up to where the closing line begins
        lines = text[start : text.rfind("\n", 0, head.length - 1) + 1]
        is_json = lines.lstrip().startswith("{")
        root = read_nodes(lines.replace("\t", " ") if is_json else lines)
        block = _Block(lines, root, newline)
        candidates = block.candidates(target)
    else:
        opening = text.partition("\n")[0]
        if opening.startswith("---") and not opening[3:].strip():
            raise NotEditable(
                path, "its first line begins properties, and no line --- ends them"
            )
        lines = newline.join(("---", *block.new_lines(target), "---", ""))
        candidates = [[_Cut(0, 0, lines)]]
    for cuts in candidates:
        splices = []
        for first, last, new in sorted(cuts, key=lambda cut: cut[:2]):
            old = text[start + first : start + last]
            if old != new:
                at = len(text[: start + first].encode())
                splices.append(Splice(at, at + len(old.encode()), new.encode()))
        if _is_right(text, head, spliced(text.encode(), splices).decode(), target):
            return splices
    raise NotEditable(path, block.refusal(target))


def with_property(
    path: NotePath, text: str, change: ChangeProperty, newline: str
) -> str:
    splices = changed_property(path, text, change, newline)
    return spliced(text.encode(), splices).decode()


def spliced(source: bytes, splices: Iterable[Splice]) -> bytes:
    """Return bytes with some stretches replaced, in whatever order they are given.

    Of several that add something at one place, the first comes first.
    """
    pieces: list[bytes] = []
    last = 0
    for start, end, text in sorted(splices, key=lambda splice: splice[:2]):
        if start < last:
            raise EditRefused("two changes of one place")
        pieces += (source[last:start], text)
        last = end
    return b"".join((*pieces, source[last:]))


def _check_change(change: ChangeProperty) -> None:
    name = change.name
    if not name.strip() or name != name.strip():
        raise BadEdit("a property needs a name, without blanks around it")
    check_text(name)
    if not name.isprintable() or len(name) > LONGEST_NAME:
        raise BadEdit(f"no property can be called {name[:60]!r}")
    if change.act in ("add", "remove") and change.value in (None, []):
        raise BadEdit(f"say which item of {name} to {change.act}")
    if change.act != "unset":
        check_value(change.value)


def _target(
    path: NotePath, properties: Mapping[str, PropertyValue], change: ChangeProperty
) -> _Target | None:
    """Return what is to become of the property; None if it is so already."""
    name = change.name
    if name not in properties:
        similar = [key for key in properties if key.lower() == name.lower()]
        if len(similar) > 1:
            raise NotEditable(path, f"it has {' and '.join(similar)}; say which")
        name = similar[0] if similar else name
    known, now = name in properties, properties.get(name)
    if change.act == "set":
        same = known and is_same(now, change.value)
        return None if same else _Target(name, now, change.value)
    if change.act == "unset":
        return _Target(name, now, None, gone=True) if known else None
    if isinstance(now, dict):
        raise BadEdit(f"{name} is not a list: it holds properties of its own")
    items = _as_list(change.value)
    new = _added(name, now, items) if change.act == "add" else None
    if change.act == "remove" and known:
        new = _removed(name, now, items)
    return None if new is None else _Target(name, now, new, by_items=True)


def _added(
    name: str, now: PropertyValue, items: Sequence[PropertyValue]
) -> list[PropertyValue] | None:
    whole = [] if now in _EMPTY else _as_list(now)
    present = _items(name, now) if whole else []
    new: list[PropertyValue] = []
    for item in items:
        known = (*whole, *present, *new)
        if not any(_is_equal(name, item, other) for other in known):
            new.append(item)
    return [*present, *new] if new else None


def _removed(
    name: str, now: PropertyValue, items: Sequence[PropertyValue]
) -> list[PropertyValue] | None:
    for present in (_as_list(now), _items(name, now)):
        left = [
            other
            for other in present
            if not any(_is_equal(name, item, other) for item in items)
        ]
        if len(left) < len(present):
            return left
    return None


def _items(name: str, value: PropertyValue) -> list[PropertyValue]:
    separator = _SEPARATORS.get(name.lower())
    if separator is None or not isinstance(value, str):
        return _as_list(value)
    return [item for item in separator.split(value.strip()) if item]


def _as_list(value: PropertyValue) -> list[PropertyValue]:
    return value if isinstance(value, list) else [value]


def _is_equal(name: str, item: PropertyValue, other: PropertyValue) -> bool:
    """Return whether two items are the same; tags are in any case, and with a `#`."""
    if name.lower() == "tags" and isinstance(item, str) and isinstance(other, str):
        tags = [tag.strip().removeprefix("#").lower() for tag in (item, other)]
        return tags[0] == tags[1]
    return is_same(item, other)


class _Block:
    """The lines of the properties, and ways to write a change of one into them."""

    def __init__(self, text: str, root: Node | None, newline: str) -> None:
        self.text, self.root, self.newline = text, root, newline
        self.entries = list(zip(root.keys, root.items, strict=True)) if root else []
        self.margin = self.list_margin = ""
        if self.entries:
            first = self.entries[0][0].start
            margin = text[_line_start(text, first) : first]
            self.margin = margin if margin.isspace() else ""
        self.list_margin = self.margin + " " * INDENT
        for key, value in self.entries:
            if value.kind == "list" and value.style == "block":
                dash = _dash_before(text, value.items[0])
                if dash is not None and key.start < value.start:
                    self.list_margin = dash[1]
                    break

    def entry(self, name: str) -> tuple[Node, Node] | None:
        return next((entry for entry in self.entries if entry[0].text == name), None)

    def candidates(self, target: _Target) -> Iterator[list[_Cut]]:
        """Yield ways to write the change, the best first; not all are right."""
        entry, text = self.entry(target.name), self.text
        if self.root is not None and self.root.style == "flow":
            return  # properties in braces: JSON, or YAML in one line
        if entry is None:
            added = "".join(line + self.newline for line in self.new_lines(target))
            yield [_Cut(len(text), len(text), added)]
            return
        key, value = entry
        if target.by_items and self._is_closed(value, target):
            return
        if target.gone:
            end = _next_line(text, max(value.end, key.end))
            yield [_Cut(_line_start(text, key.start), end, "")]
            return
        if not isinstance(target.new, list):
            written = "" if target.new is None else inline(target.new, _quote_of(value))
            yield self._put(entry, written)
            return
        if isinstance(target.now, list):
            yield from self._list_changes(value, target.now, target.new)
        if not target.new:
            yield self._put(entry, "[]")
            return
        lines = self._list_lines(target.new)
        written = text[value.start : value.end]
        if written and "\n" not in written and is_same(target.now, target.new[0]):
            kept = f"{self.list_margin}- {written}"  # as it is written
            yield self._put(entry, "", [kept, *lines[1:]])
        yield self._put(entry, "", lines)

    def new_lines(self, target: _Target) -> list[str]:
        key = self.margin + scalar(target.name)
        if isinstance(target.new, list) and target.new:
            return [f"{key}:", *self._list_lines(target.new)]
        return [f"{key}:" if target.new is None else f"{key}: {inline(target.new)}"]

    def _list_lines(self, values: Sequence[PropertyValue]) -> list[str]:
        return [f"{self.list_margin}- {inline(value)}" for value in values]

    def _list_changes(
        self, held: Node, now: list[PropertyValue], new: list[PropertyValue]
    ) -> Iterator[list[_Cut]]:
        if held.kind != "list" or len(held.items) != len(now):
            return
        if held.style == "block":
            if new:
                yield self._changed_lines(held, now, new)
            return
        gaps = self._gaps(held)
        if any("#" in gap for gap in gaps):
            return
        text, quote = self.text, _quote_of(held)
        pieces = [text[item.start : item.end] for item in held.items]
        written = dict(zip(map(repr, now), pieces, strict=True))
        items = [written.get(repr(value)) or inline(value, quote) for value in new]
        lead, tail = (gaps[0], gaps[-1]) if now else ("", "")
        joint = f",{lead}" if "\n" in lead else ", "
        start = text.index("[", held.start) + 1
        inside = lead + joint.join(items) + tail if items else ""
        yield [_Cut(start, held.end - 1, inside)]

    def _gaps(self, held: Node) -> list[str]:
        """Return what is between the brackets of a list beside its items."""
        edges = [self.text.index("[", held.start) + 1]
        for item in held.items:
            edges += (item.start, item.end)
        edges.append(held.end - 1)
        return [self.text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]

    def _put(
        self, entry: tuple[Node, Node], written: str, lines: Sequence[str] = ()
    ) -> list[_Cut]:
        """Write a value behind the colon, and lines below it."""
        key, node = entry
        text = self.text
        match = _COLON.match(text, key.end)
        if match is None:
            return []
        colon, behind = match.end(), _line_end(text, match.end())
        below = "".join(self.newline + line for line in lines)
        lead = f" {written}" if written else ""
        if node.style in ("|", ">") and node.start <= behind:
            header = _HEADER.search(text, node.start, behind)
            stop = header.end() if header else colon
            rest = _Cut(behind, max(node.end, behind), below)
            return [_Cut(colon, stop, lead), rest]
        if node.start == node.end:  # nothing, perhaps behind a mark
            return [_Cut(colon, colon, lead), _Cut(behind, behind, below)]
        if node.start <= behind and node.style != "block":
            stop = _line_end(text, node.end)
            return [_Cut(colon, node.end, lead), _Cut(stop, stop, below)]
        marks = _MARKS.match(text, colon)
        first = _next_line(text, colon)
        while first < len(text):
            line = text[first : _line_end(text, first)].strip()
            if line and not line.startswith("#"):
                break
            first = _next_line(text, first)
        cut = _Cut(first, _next_line(text, node.end), "")
        stop = marks.end() if marks else colon
        return [_Cut(colon, stop, lead), _Cut(behind, behind, below), cut]

    def _changed_lines(
        self, held: Node, now: list[PropertyValue], new: list[PropertyValue]
    ) -> list[_Cut]:
        text = self.text
        dashes = (_dash_before(text, item) for item in held.items)
        lead = next((dash[0] for dash in dashes if dash), f"{self.list_margin}- ")
        cuts: list[_Cut] = []
        old_keys, new_keys = list(map(repr, now)), list(map(repr, new))
        match = SequenceMatcher(None, old_keys, new_keys, autojunk=False)
        for kind, a, a_end, b, b_end in match.get_opcodes():
            if kind == "equal":
                continue
            paired = min(a_end - a, b_end - b)
            for item, value in zip(held.items[a : a + paired], new[b:], strict=False):
                cuts.append(_Cut(item.start, item.end, inline(value, _quote_of(item))))
            for item in held.items[a + paired : a_end]:
                begin = _line_start(text, item.start)
                cuts.append(_Cut(begin, _next_line(text, item.end), ""))
            added = new[b + paired : b_end]
            lines = [lead + inline(value, _quote_of(held)) for value in added]
            if not lines:
                continue
            if a + paired:
                place = _line_end(text, held.items[a + paired - 1].end)
                lines = [self.newline + line for line in lines]
            else:
                place = _line_start(text, held.items[0].start)
                lines = [line + self.newline for line in lines]
            cuts.append(_Cut(place, place, "".join(lines)))
        return cuts

    def _is_closed(self, held: Node, target: _Target) -> bool:
        """Return whether items of a list cannot be changed one by one."""
        if held.kind == "alias" and isinstance(target.now, list):
            return True
        if held.kind != "list":
            return False
        in_brackets = held.style == "flow"
        comments = in_brackets and any("#" in gap for gap in self._gaps(held))
        return comments or self.text.startswith("[[", held.start)

    def refusal(self, target: _Target) -> str:
        name, entry = target.name, self.entry(target.name)
        if entry is None:
            return f"{name} cannot be added to its properties as they are written"
        if entry[1].kind == "list" and self.text.startswith("[[", entry[1].start):
            return f"{name} holds a link without quotes, which YAML reads as a list"
        return f"{name} is written in a way that cannot be changed by itself"


def _dash_before(text: str, item: Node) -> re.Match[str] | None:
    return _DASH.fullmatch(text, _line_start(text, item.start), item.start)


def _quote_of(node: Node) -> str:
    styles = (
        {item.style for item in node.items} if node.kind == "list" else {node.style}
    )
    quote = styles.pop() if len(styles) == 1 else ""
    return quote if quote in ("'", '"') else ""


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    stop = text.find("\n", at)
    if stop < 0:
        return len(text)
    return stop - 1 if stop > at and text[stop - 1] == "\r" else stop


def _next_line(text: str, at: int) -> int:
    stop = text.find("\n", at)
    return len(text) if stop < 0 else stop + 1


def _is_right(text: str, before: Head, after_text: str, target: _Target) -> bool:
    after = read_head(after_text)
    expected = dict(before.frontmatter.properties)
    if target.gone:
        expected.pop(target.name, None)
    else:
        expected[target.name] = target.new
    return (
        after.frontmatter.error is None
        and not after.frontmatter.warnings
        and after.length > 0
        and after_text[after.length :] == text[before.length :]
        and is_same(dict(after.frontmatter.properties), expected)
    )
