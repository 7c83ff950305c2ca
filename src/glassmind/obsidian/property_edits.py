"""Set, unset, add to and remove from properties; only the bytes that change change.

A few ways to write the change are tried. The first that, read again, changes exactly
this property is used; if none does, nothing is written.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from msgspec import Struct

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
_QUOTES = ("'", '"')


class PropertyChange(NamedTuple):
    """A property as it is and as it should be; `gone` means that it should not be.

    `by_items` means that items are added to it or removed from it.
    """

    name: str
    now: PropertyValue
    wanted: PropertyValue
    gone: bool = False
    by_items: bool = False


class TextCut(NamedTuple):
    start: int
    end: int
    text: str


class _Block(Struct, frozen=True):
    text: str
    root: Node | None
    newline: str

    @property
    def entries(self) -> list[tuple[Node, Node]]:
        root = self.root
        return list(zip(root.keys, root.items, strict=True)) if root else []

    def entry(self, name: str) -> tuple[Node, Node] | None:
        return next((entry for entry in self.entries if entry[0].text == name), None)

    @property
    def margin(self) -> str:
        if not self.entries:
            return ""
        first = self.entries[0][0].start
        margin = self.text[_line_start(self.text, first) : first]
        return margin if margin.isspace() else ""

    @property
    def list_margin(self) -> str:
        for key, held in self.entries:
            if held.kind == "list" and held.style == "block":
                dash = _dash_before(self.text, held.items[0])
                if dash is not None and key.start < held.start:
                    return dash[1]
        return self.margin + " " * INDENT


def changed_property(
    path: NotePath, text: str, change: ChangeProperty, newline: str
) -> list[Splice]:
    """Return what to change in the UTF-8 bytes of a note's text; often nothing.

    `newline` ends the lines that are added. The text has no byte order mark.
    """
    _check_change(change)
    head = read_head(text)
    _check_readable(path, head)
    target = _target(path, head.frontmatter.properties, change)
    if target is None:
        return []
    start, block = 0, _Block("", None, newline)
    if head.length:
        start, block = _block(text, head, newline)
        candidates = _candidates(block, target)
    else:
        _check_closed(path, text)
        candidates = _first_property(block, target)
    for cuts in candidates:
        splices = _splices(text, start, cuts)
        if _is_right(text, head, spliced(text.encode(), splices).decode(), target):
            return splices
    raise NotEditable(path, _reason(block, target))


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


def _check_readable(path: NotePath, head: Head) -> None:
    frontmatter = head.frontmatter
    if frontmatter.error is not None:
        raise NotEditable(path, f"{frontmatter.error} Fix that first")
    if frontmatter.warnings:
        raise NotEditable(path, f"{frontmatter.warnings[0]} Keep one of them first")


def _check_closed(path: NotePath, text: str) -> None:
    opening = text.partition("\n")[0]
    if opening.startswith("---") and not opening[3:].strip():
        raise NotEditable(
            path, "its first line begins properties, and no line --- ends them"
        )


def _target(
    path: NotePath, properties: Mapping[str, PropertyValue], change: ChangeProperty
) -> PropertyChange | None:
    name = _key(path, properties, change.name)
    known, now = name in properties, properties.get(name)
    if change.act == "set":
        same = known and is_same(now, change.value)
        return None if same else PropertyChange(name, now, change.value)
    if change.act == "unset":
        return PropertyChange(name, now, None, gone=True) if known else None
    if isinstance(now, dict):
        raise BadEdit(f"{name} is not a list: it holds properties of its own")
    items = _as_list(change.value)
    wanted = _added(name, now, items) if change.act == "add" else None
    if change.act == "remove" and known:
        wanted = _removed(name, now, items)
    if wanted is None:
        return None
    return PropertyChange(name, now, wanted, by_items=True)


def _added(
    name: str, now: PropertyValue, items: Sequence[PropertyValue]
) -> list[PropertyValue] | None:
    whole = [] if now in _EMPTY else _as_list(now)
    held = _items(name, now) if whole else []
    new: list[PropertyValue] = []
    for item in items:
        if not any(_is_equal(name, item, other) for other in (*whole, *held, *new)):
            new.append(item)
    return [*held, *new] if new else None


def _removed(
    name: str, now: PropertyValue, items: Sequence[PropertyValue]
) -> list[PropertyValue] | None:
    for held in (_as_list(now), _items(name, now)):
        kept = [
            other
            for other in held
            if not any(_is_equal(name, item, other) for item in items)
        ]
        if len(kept) < len(held):
            return kept
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
        return _tag(item) == _tag(other)
    return is_same(item, other)


def _tag(text: str) -> str:
    return text.strip().removeprefix("#").lower()


def _key(path: NotePath, properties: Mapping[str, PropertyValue], name: str) -> str:
    if name in properties:
        return name
    similar = [key for key in properties if key.lower() == name.lower()]
    if len(similar) > 1:
        raise NotEditable(path, f"it has {' and '.join(similar)}; say which")
    return similar[0] if similar else name


def _block(text: str, head: Head, newline: str) -> tuple[int, _Block]:
    start = text.index("\n") + 1
    end = text.rfind("\n", 0, head.length - 1) + 1  # where the closing line begins
    lines = text[start:end]
    is_json = lines.lstrip().startswith("{")
    root = read_nodes(lines.replace("\t", " ") if is_json else lines)
    return start, _Block(lines, root, newline)


def _first_property(block: _Block, target: PropertyChange) -> Iterator[list[TextCut]]:
    lines = ("---", *_new_lines(block, target), "---")
    yield [TextCut(0, 0, "".join(line + block.newline for line in lines))]


def _candidates(block: _Block, target: PropertyChange) -> Iterator[list[TextCut]]:
    entry = block.entry(target.name)
    if entry is not None and target.by_items and _is_closed(block, entry[1], target):
        return
    if block.root is not None and block.root.style == "flow":
        return  # properties in braces: JSON, or YAML in one line
    if entry is None:
        lines = "".join(line + block.newline for line in _new_lines(block, target))
        yield [TextCut(len(block.text), len(block.text), lines)]
    elif target.gone:
        key, held = entry
        begin = _line_start(block.text, key.start)
        yield [TextCut(begin, _next_line(block.text, max(held.end, key.end)), "")]
    else:
        yield from _in_lines(block, entry, target)


def _new_lines(block: _Block, target: PropertyChange) -> list[str]:
    key = block.margin + scalar(target.name)
    if isinstance(target.wanted, list) and target.wanted:
        return [f"{key}:", *_list_lines(block, target.wanted)]
    if target.wanted is None:
        return [f"{key}:"]
    return [f"{key}: {inline(target.wanted)}"]


def _list_lines(block: _Block, values: Sequence[PropertyValue]) -> list[str]:
    return [f"{block.list_margin}- {inline(value)}" for value in values]


def _in_lines(
    block: _Block, entry: tuple[Node, Node], target: PropertyChange
) -> Iterator[list[TextCut]]:
    held, wanted = entry[1], target.wanted
    if isinstance(wanted, list) and isinstance(target.now, list):
        yield from _in_list(block, held, target.now, wanted)
    if not isinstance(wanted, list) or not wanted:
        written = "" if wanted is None else inline(wanted, _quote_of(held))
        yield _put_value(block, entry, written)
        return
    lines = _list_lines(block, wanted)
    written = block.text[held.start : held.end]
    if written and "\n" not in written and is_same(target.now, wanted[0]):
        kept = f"{block.list_margin}- {written}"  # as it is written
        yield _put_value(block, entry, "", [kept, *lines[1:]])
    yield _put_value(block, entry, "", lines)


def _in_list(
    block: _Block,
    held: Node,
    now: Sequence[PropertyValue],
    wanted: Sequence[PropertyValue],
) -> Iterator[list[TextCut]]:
    if held.kind != "list" or len(held.items) != len(now):
        return
    if held.style == "block":
        if wanted:
            yield _changed_lines(block, held, now, wanted)
        return
    quote = _quote_of(held)
    pieces = [block.text[item.start : item.end] for item in held.items]
    written = dict(zip(map(repr, now), pieces, strict=True))
    new = [written.get(repr(value)) or inline(value, quote) for value in wanted]
    opening = block.text.index("[", held.start)
    spans = [(item.start, item.end) for item in held.items]
    yield from _between_brackets(block.text, (opening, held.end), spans, new)


def _between_brackets(
    text: str,
    brackets: tuple[int, int],
    old: Sequence[tuple[int, int]],
    new: Sequence[str],
) -> Iterator[list[TextCut]]:
    start, end = brackets[0] + 1, brackets[1] - 1
    gaps = _gaps(text, (start, end), old)
    if any("#" in gap for gap in gaps):
        return
    lead, tail = (gaps[0], gaps[-1]) if old else ("", "")
    joint = f",{lead}" if "\n" in lead else ", "
    yield [TextCut(start, end, lead + joint.join(new) + tail if new else "")]


def _gaps(
    text: str, inside: tuple[int, int], spans: Iterable[tuple[int, int]]
) -> list[str]:
    edges = [inside[0], *(edge for span in spans for edge in span), inside[1]]
    return [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _put_value(
    block: _Block, entry: tuple[Node, Node], written: str, lines: Sequence[str] = ()
) -> list[TextCut]:
    key, held = entry
    text = block.text
    found = _COLON.match(text, key.end)
    if found is None:
        return []
    colon, behind = found.end(), _line_end(text, found.end())
    below = "".join(block.newline + line for line in lines)
    lead = f" {written}" if written else ""
    if held.style in ("|", ">") and held.start <= behind:
        header = _HEADER.search(text, held.start, behind)
        stop = header.end() if header else colon
        rest = TextCut(behind, max(held.end, behind), below)
        return [TextCut(colon, stop, lead), rest]
    if held.start == held.end:  # nothing, perhaps behind a mark
        return [TextCut(colon, colon, lead), TextCut(behind, behind, below)]
    if held.start <= behind and held.style != "block":
        stop = _line_end(text, held.end)
        return [TextCut(colon, held.end, lead), TextCut(stop, stop, below)]
    marks = _MARKS.match(text, colon)
    first = _first_content(text, _next_line(text, colon))
    gone = TextCut(first, _next_line(text, held.end), "")
    stop = marks.end() if marks else colon
    return [TextCut(colon, stop, lead), TextCut(behind, behind, below), gone]


def _changed_lines(
    block: _Block,
    held: Node,
    now: Sequence[PropertyValue],
    wanted: Sequence[PropertyValue],
) -> list[TextCut]:
    text = block.text
    cuts: list[TextCut] = []
    match = SequenceMatcher(
        None, list(map(repr, now)), list(map(repr, wanted)), autojunk=False
    )
    for kind, a, a_end, b, b_end in match.get_opcodes():
        if kind == "equal":
            continue
        paired = min(a_end - a, b_end - b)
        for item, value in zip(held.items[a : a + paired], wanted[b:], strict=False):
            cuts.append(TextCut(item.start, item.end, inline(value, _quote_of(item))))
        for item in held.items[a + paired : a_end]:
            begin = _line_start(text, item.start)
            cuts.append(TextCut(begin, _next_line(text, item.end), ""))
        cuts += _new_item_lines(block, held, a + paired, wanted[b + paired : b_end])
    return cuts


def _new_item_lines(
    block: _Block, held: Node, at: int, values: Sequence[PropertyValue]
) -> list[TextCut]:
    if not values:
        return []
    text = block.text
    dashes = (_dash_before(text, item) for item in held.items)
    lead = next((dash[0] for dash in dashes if dash), f"{block.list_margin}- ")
    lines = [lead + inline(value, _quote_of(held)) for value in values]
    if not at:
        place = _line_start(text, held.items[0].start)
        return [TextCut(place, place, "".join(line + block.newline for line in lines))]
    place = _line_end(text, held.items[at - 1].end)
    return [TextCut(place, place, "".join(block.newline + line for line in lines))]


def _dash_before(text: str, item: Node) -> re.Match[str] | None:
    return _DASH.fullmatch(text, _line_start(text, item.start), item.start)


def _quote_of(node: Node) -> str:
    styles = (
        {item.style for item in node.items} if node.kind == "list" else {node.style}
    )
    quote = styles.pop() if len(styles) == 1 else ""
    return quote if quote in _QUOTES else ""


def _first_content(text: str, at: int) -> int:
    while at < len(text):
        line = text[at : _line_end(text, at)].strip()
        if line and not line.startswith("#"):
            break
        at = _next_line(text, at)
    return at


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


def _is_closed(block: _Block, held: Node, target: PropertyChange) -> bool:
    if held.kind == "alias" and isinstance(target.now, list):
        return True
    return _is_bare_link(block, held) or _has_comments(block, held)


def _has_comments(block: _Block, held: Node) -> bool:
    if held.kind != "list" or held.style != "flow":
        return False
    spans = [(item.start, item.end) for item in held.items]
    inside = block.text.index("[", held.start) + 1, held.end - 1
    return any("#" in gap for gap in _gaps(block.text, inside, spans))


def _is_bare_link(block: _Block, held: Node) -> bool:
    return held.kind == "list" and block.text.startswith("[[", held.start)


def _is_right(text: str, before: Head, after_text: str, target: PropertyChange) -> bool:
    after = read_head(after_text)
    expected = dict(before.frontmatter.properties)
    if target.gone:
        expected.pop(target.name, None)
    else:
        expected[target.name] = target.wanted
    return (
        after.frontmatter.error is None
        and not after.frontmatter.warnings
        and after.length > 0
        and after_text[after.length :] == text[before.length :]
        and is_same(dict(after.frontmatter.properties), expected)
    )


def _reason(block: _Block, target: PropertyChange) -> str:
    entry = block.entry(target.name)
    if entry is None:
        return f"{target.name} cannot be added to its properties as they are written"
    if _is_bare_link(block, entry[1]):
        return f"{target.name} holds a link without quotes, which YAML reads as a list"
    return f"{target.name} is written in a way that cannot be changed by itself"


def _splices(text: str, base: int, cuts: Iterable[TextCut]) -> list[Splice]:
    found: list[Splice] = []
    for start, end, new in sorted(cuts, key=lambda cut: cut[:2]):
        old = text[base + start : base + end]
        if old != new:
            first = len(text[: base + start].encode())
            found.append(Splice(first, first + len(old.encode()), new.encode()))
    return found
