"""Properties set, unset, added to and taken from: only the bytes that change change.

A property is found where the YAML parser sees it, and a few ways to write the change
there are tried. Each is read again: the first that changes this property to exactly
that value, and no other, is taken. Where none does, nothing is written.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, pairwise
from typing import NamedTuple

from glassmind.errors.editing import BadEdit, EditRefused, NotEditable
from glassmind.model import NotePath, PropertyValue
from glassmind.model.editing import ChangeProperty, Splice
from glassmind.obsidian.frontmatter import Head, read_head
from glassmind.obsidian.yaml_text import (
    JSON_QUOTE,
    Node,
    check_text,
    check_value,
    colon_behind,
    common_quote,
    inline,
    is_same,
    name_as_key,
    read_nodes,
)

_COMMA = re.compile(r"[ \t]*,")
_COMMENT = re.compile(r"(?<=[\s,])#")
_ONLY_PIECE = re.compile(r"\n([ \t]*)$")


class TextCut(NamedTuple):
    """Characters of a text, half open, and what is to stand in their place."""

    start: int
    end: int
    text: str


class Brackets(NamedTuple):
    """Where brackets open and close in a text, and the pieces between them."""

    start: int
    end: int
    pieces: Sequence[tuple[int, int]]


def with_pieces(
    text: str, brackets: Brackets, new: Sequence[str], newline: str
) -> list[TextCut]:
    """Return the cuts that add pieces at the end.

    Where the last piece stands on a line of its own, so do the new ones.
    """
    if not brackets.pieces:
        inside = text[brackets.start + 1 : brackets.end - 1]
        at = brackets.start + 1
        stop = at if inside.strip() else brackets.end - 1
        return [TextCut(at, stop, ", ".join(new))]
    begin, end = brackets.pieces[-1]
    own_line = _ONLY_PIECE.search(text, 0, begin)
    comma = _COMMA.match(text, end)
    if own_line is None:
        return [TextCut(end, end, "".join(f", {piece}" for piece in new))]
    lead = newline + own_line[1]
    at = line_end(text, comma.end() if comma else end)
    if at >= brackets.end:  # the closing bracket stands on that line
        at = comma.end() if comma else end
    trailing = "," if comma else ""
    added = lead + f",{lead}".join(new) + trailing
    if comma:
        return [TextCut(at, at, added)]
    if at == end:
        return [TextCut(end, end, f",{added}")]
    return [TextCut(end, end, ","), TextCut(at, at, added)]


def without_pieces(text: str, brackets: Brackets, gone: Sequence[int]) -> list[TextCut]:
    """Return the cuts that take pieces away, given by number in rising order.

    A comment goes with its piece: with that before it on its line, or on the next.
    """
    pieces = brackets.pieces
    if len(gone) == len(pieces):
        return [TextCut(brackets.start + 1, brackets.end - 1, "")]
    last = max(number for number in range(len(pieces)) if number not in set(gone))
    cuts = [
        TextCut(pieces[number][0], _next_kept(text, brackets, number, gone), "")
        for number in gone
        if number < last
    ]
    if last < len(pieces) - 1:
        cuts += _without_end(text, brackets, last)
    return cuts


def _next_kept(text: str, brackets: Brackets, number: int, gone: Sequence[int]) -> int:
    """Return where begins what stays behind a piece: another, or a comment of it."""
    start, end = brackets.pieces[number]
    following = brackets.pieces[number + 1][0]
    if number + 1 in gone:
        return following
    at = end
    before = [one[1] for place, one in enumerate(brackets.pieces) if place not in gone]
    if not any(line_start(text, start) <= stop <= start for stop in before):
        at = next_line(text, end)  # its own comment goes too
    comment = _COMMENT.search(text, at, following) if at < following else None
    return comment.start() if comment else following


def _without_end(text: str, brackets: Brackets, last: int) -> list[TextCut]:
    """Return the cuts that take all pieces away behind one, which becomes the last."""
    stays, (follows, _) = brackets.pieces[last][1], brackets.pieces[last + 1]
    end, close = brackets.pieces[-1][1], brackets.end - 1
    line = line_end(text, stays)
    if line > follows or not _COMMENT.search(text, stays, close):
        return [TextCut(stays, end, "")]
    comma, trailing = _COMMA.match(text, stays), _COMMA.match(text, end)
    stop = line_end(text, end)
    if stop > close:  # the closing bracket stands there, and in no comment
        return [
            *_cut(stays, comma),
            TextCut(follows, trailing.end() if trailing else end, ""),
        ]
    return [*([] if trailing else _cut(stays, comma)), TextCut(line, stop, "")]


def _cut(at: int, comma: "re.Match[str] | None") -> list[TextCut]:
    return [TextCut(at, comma.end(), "")] if comma else []


def line_start(text: str, at: int) -> int:
    """Return where the line of a character begins."""
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """Return where the line of a character ends, before what ends it."""
    stop = text.find("\n", at)
    if stop < 0:
        return len(text)
    return stop - 1 if stop > at and text[stop - 1] == "\r" else stop


def next_line(text: str, at: int) -> int:
    """Return where the line behind that of a character begins."""
    stop = text.find("\n", at)
    return len(text) if stop < 0 else stop + 1


def with_cuts(text: str, cuts: Sequence[TextCut]) -> str:
    """Return a text with every cut made; those at one place keep their order."""
    parts: list[str] = []
    at = 0
    for start, end, new in sorted(cuts, key=lambda cut: cut[:2]):
        parts += (text[at:start], new)
        at = end
    return "".join((*parts, text[at:]))


INDENT = 2
"""How far a list stands in where a block has none yet; Obsidian writes it so."""

_DASH = re.compile(r"([ \t]*)-([ \t]+)")
_MARKS = re.compile(r"(?:[ \t]+[&!][^\s]*)*")
_HEADER = re.compile(r"[|>][-+0-9]*")
_QUOTES = ("'", '"')


@dataclass(frozen=True, slots=True)
class PropertyBlock:
    """The lines between `---` and `---`, their values, and how lines end there.

    `quote` is what all text is written in, if anything.
    """

    text: str
    root: Node | None
    newline: str
    quote: str = ""

    @property
    def in_brackets(self) -> bool:
        """Whether the properties stand in braces, as in JSON."""
        return self.root is not None and self.root.style == "flow"

    def entry(self, name: str) -> tuple[Node, Node] | None:
        """Return a property, its key and its value as they are written."""
        if self.root is None:
            return None
        pairs = zip(self.root.keys, self.root.items, strict=True)
        return next(((key, held) for key, held in pairs if key.text == name), None)

    @property
    def margin(self) -> str:
        """What stands before each name."""
        if self.root is None or not self.root.keys:
            return ""
        first = self.root.keys[0].start
        margin = self.text[line_start(self.text, first) : first]
        return margin if margin.isspace() else ""

    @property
    def list_margin(self) -> str:
        """What stands before the dashes of lists here, by the first that there is."""
        for key, held in self._pairs():
            if held.kind == "list" and held.style == "block":
                found = dash_before(self.text, held.items[0])
                if found is not None and key.start < held.start:
                    return found[1]
        return self.margin + " " * INDENT

    def _pairs(self) -> Sequence[tuple[Node, Node]]:
        root = self.root
        return list(zip(root.keys, root.items, strict=True)) if root else []


def dash_before(text: str, item: Node) -> re.Match[str] | None:
    """Return the dash of an item that begins on the line of its dash."""
    begin = line_start(text, item.start)
    return _DASH.fullmatch(text, begin, item.start)


def quote_of(node: Node) -> str:
    """Return the quote that a value, or every text of a list, is written in."""
    if node.kind == "list":
        quote = common_quote([item.style for item in node.items])
        return quote if quote in _QUOTES else ""
    return node.style if node.style in _QUOTES else ""


def lines_of_list(block: PropertyBlock, values: Sequence[PropertyValue]) -> list[str]:
    """Return the lines of a new list, each with what stands before its dash."""
    return [f"{block.list_margin}- {inline(value, block.quote)}" for value in values]


def put_value(
    block: PropertyBlock,
    entry: tuple[Node, Node],
    written: str,
    lines: Sequence[str] = (),
) -> list[TextCut]:
    """Return the cuts that put a value in the place of one, and lines below its key.

    A comment at the end of the key's line stays, and so do lines of comments before the
    value.
    """
    key, held = entry
    colon = colon_behind(key, block.text)
    if colon is None:
        return []
    text, behind = block.text, line_end(block.text, colon)
    below = "".join(block.newline + line for line in lines)
    lead = f" {written}" if written else ""
    if held.style in ("|", ">") and held.start <= behind:
        header = _HEADER.search(text, held.start, behind)
        if header is None:
            return []
        rest = TextCut(behind, max(held.end, behind), below)
        return [TextCut(colon, header.end(), lead), rest]
    if held.start == held.end:  # nothing, perhaps behind a mark
        return [TextCut(colon, colon, lead), TextCut(behind, behind, below)]
    if held.start <= behind and held.style != "block":
        stop = line_end(text, held.end)
        return [TextCut(colon, held.end, lead), TextCut(stop, stop, below)]
    marks = _MARKS.match(text, colon)
    first = first_content(text, next_line(text, colon))
    gone = TextCut(first, next_line(text, held.end), "")
    stop = marks.end() if marks else colon
    return [TextCut(colon, stop, lead), TextCut(behind, behind, below), gone]


def first_content(text: str, at: int) -> int:
    """Return where the first line begins that is neither blank nor a comment."""
    while at < len(text):
        line = text[at : line_end(text, at)].strip()
        if line and not line.startswith("#"):
            return at
        at = next_line(text, at)
    return at


def without_entry(block: PropertyBlock, entry: tuple[Node, Node]) -> list[TextCut]:
    """Return the cut that takes the lines of a property away."""
    key, held = entry
    last = max(held.end, key.end)
    return [TextCut(line_start(block.text, key.start), next_line(block.text, last), "")]


def without_items(
    block: PropertyBlock, held: Node, gone: Sequence[int]
) -> list[TextCut]:
    """Return the cuts that take the lines of items away."""
    return [_lines_of(block.text, held.items[number]) for number in gone]


def with_items(
    block: PropertyBlock, held: Node, behind: int, values: Sequence[PropertyValue]
) -> list[TextCut]:
    """Return the cut that adds items behind the item of a number; -1 for before all."""
    if not values:
        return []
    text = block.text
    dashes = (dash_before(text, item) for item in held.items)
    dash = next((found[0] for found in dashes if found), "")
    lead = dash or f"{block.list_margin}- "
    lines = [lead + inline(value, quote_of(held)) for value in values]
    if behind < 0:
        at = line_start(text, held.items[0].start)
        return [TextCut(at, at, "".join(line + block.newline for line in lines))]
    at = line_end(text, held.items[behind].end)
    return [TextCut(at, at, "".join(block.newline + line for line in lines))]


def other_items(
    block: PropertyBlock,
    held: Node,
    before: Sequence[PropertyValue],
    after: Sequence[PropertyValue],
) -> list[TextCut]:
    """Return the cuts that make a list of lines hold other items, those in both kept.

    `before` are its values; a kept item keeps its line and its comment.
    """
    keys = [[repr(value) for value in values] for values in (before, after)]
    cuts: list[TextCut] = []
    match = SequenceMatcher(None, keys[0], keys[1], autojunk=False)
    for _, a, a_end, b, b_end in match.get_opcodes():
        if before[a:a_end] and repr(before[a:a_end]) == repr(after[b:b_end]):
            continue
        paired = min(a_end - a, b_end - b)
        for step in range(paired):
            item = held.items[a + step]
            quote = quote_of(item)
            cuts.append(TextCut(item.start, item.end, inline(after[b + step], quote)))
        cuts += without_items(block, held, range(a + paired, a_end))
        cuts += with_items(block, held, a + paired - 1, after[b + paired : b_end])
    return cuts


def _lines_of(text: str, item: Node) -> TextCut:
    begin = line_start(text, item.start)
    return TextCut(begin, next_line(text, max(item.end, item.start)), "")


LONGEST_NAME = 200
"""Characters of a property's name; YAML lets a key have 1,024 bytes."""

_TAGS = "tags"
_TAG_ENDS, _ALIAS_ENDS = re.compile(r"[,\s]+"), re.compile(r"\s*,\s*")
_PARTED = {
    "tags": _TAG_ENDS,
    "tag": _TAG_ENDS,
    "aliases": _ALIAS_ENDS,
    "alias": _ALIAS_ENDS,
}
"""What parts a text into items, as Obsidian did before 1.9 and Dataview does."""

_NOTHING: tuple[PropertyValue, ...] = (None, "")


class PropertyChange(NamedTuple):
    """A property as it is and as it should be; `gone` means that it should not be.

    For a list, `more` are the items to add and `less` the numbers of those to take
    away, where that is all.
    """

    name: str
    now: PropertyValue
    wanted: PropertyValue
    gone: bool = False
    more: tuple[PropertyValue, ...] = ()
    less: tuple[int, ...] = ()


def check_change(change: ChangeProperty) -> None:
    """Refuse a name or a value that no property can have; raises `BadEdit`."""
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


def property_change(
    path: NotePath, properties: Mapping[str, PropertyValue], change: ChangeProperty
) -> PropertyChange | None:
    """Return what a change comes to; None where it is so already.

    Raises:
        BadEdit: items are added to something that has properties of its own.
        NotEditable: two names differ from the one asked for only in their case.
    """
    name = _key(path, properties, change.name)
    known, now = name in properties, properties.get(name)
    match change.act:
        case "set":
            if known and is_same(now, change.value):
                return None
            return PropertyChange(name, now, change.value)
        case "unset":
            return PropertyChange(name, now, None, gone=True) if known else None
    items = as_list(change.value)
    if isinstance(now, dict):
        raise BadEdit(f"{name} is no list: it holds properties of its own")
    if change.act == "add":
        return _wish_to_add(PropertyChange(name, now, None), items)
    return _wish_to_remove(PropertyChange(name, now, None), items) if known else None


def _wish_to_add(
    wish: PropertyChange, items: Sequence[PropertyValue]
) -> PropertyChange | None:
    now = wish.now
    whole = [] if now in _NOTHING else as_list(now)
    held = _items(wish.name, now) if whole else []
    more: list[PropertyValue] = []
    for item in items:
        if not any(_equal(wish.name, item, one) for one in (*whole, *held, *more)):
            more.append(item)
    if not more:
        return None
    return wish._replace(wanted=[*held, *more], more=tuple(more))


def _wish_to_remove(
    wish: PropertyChange, items: Sequence[PropertyValue]
) -> PropertyChange | None:
    held = as_list(wish.now)
    less = _found(wish.name, held, items)
    if not less:
        held = _items(wish.name, wish.now)
        less = _found(wish.name, held, items)
    if not less:
        return None
    kept = [one for number, one in enumerate(held) if number not in less]
    return wish._replace(wanted=kept, less=tuple(less))


def _found(
    name: str, held: Sequence[PropertyValue], items: Sequence[PropertyValue]
) -> list[int]:
    return [
        number
        for number, one in enumerate(held)
        if any(_equal(name, item, one) for item in items)
    ]


def _items(name: str, value: PropertyValue) -> list[PropertyValue]:
    """Return the items of a property; a text with several of them is parted."""
    ends = _PARTED.get(name.lower())
    if ends is None or not isinstance(value, str):
        return as_list(value)
    return [item for item in ends.split(value.strip()) if item]


def as_list(value: PropertyValue) -> list[PropertyValue]:
    """Return a list as it is, and anything else as a list of it."""
    return value if isinstance(value, list) else [value]


def _equal(name: str, one: PropertyValue, other: PropertyValue) -> bool:
    """Return whether two items are one; tags are so in any case, and with a `#`."""
    if name.lower() == _TAGS and isinstance(one, str) and isinstance(other, str):
        return _tag(one) == _tag(other)
    return is_same(one, other)


def _tag(text: str) -> str:
    return text.strip().removeprefix("#").lower()


def _key(path: NotePath, properties: Mapping[str, PropertyValue], name: str) -> str:
    """Return what a property is called there: exactly so, or else in another case."""
    if name in properties:
        return name
    alike = [key for key in properties if key.lower() == name.lower()]
    if len(alike) > 1:
        raise NotEditable(path, f"it has {' and '.join(alike)}; say which")
    return alike[0] if alike else name


def changed_property(
    path: NotePath, text: str, change: ChangeProperty, newline: str
) -> list[Splice]:
    """Return what to change in the UTF-8 bytes of a note's text; often nothing.

    `newline` ends the lines that are added. The text has no byte order mark.

    Raises:
        BadEdit: no property can have that name or value.
        NotEditable: the properties cannot be read, are said twice, or are written in a
            way that cannot be changed without changing more.
    """
    check_change(change)
    head = read_head(text)
    _check_readable(path, head)
    wish = property_change(path, head.frontmatter.properties, change)
    if wish is None:
        return []
    _check_closed(path, text, head)
    start, end, block = _block(text, head, newline)
    for cuts in _ways(block, wish) if end else _first(wish, newline):
        moved = [TextCut(start + cut.start, start + cut.end, cut.text) for cut in cuts]
        if _is_right(text, head, with_cuts(text, moved), wish):
            return _splices(text, moved)
    raise NotEditable(path, _reason(block, wish))


def with_property(
    path: NotePath, text: str, change: ChangeProperty, newline: str
) -> str:
    """Return a note's text with a property changed, as `changed_property` does it."""
    splices = changed_property(path, text, change, newline)
    return spliced(text.encode(), splices).decode()


def _check_readable(path: NotePath, head: Head) -> None:
    frontmatter = head.frontmatter
    if frontmatter.error is not None:
        raise NotEditable(path, f"{frontmatter.error} Mend that first")
    if frontmatter.warnings:
        raise NotEditable(path, f"{frontmatter.warnings[0]} Keep one of them first")


def _check_closed(path: NotePath, text: str, head: Head) -> None:
    opening = text.partition("\n")[0]
    if not head.length and opening.startswith("---") and not opening[3:].strip():
        raise NotEditable(
            path, "its first line begins properties, and no line --- ends them"
        )


def _block(text: str, head: Head, newline: str) -> tuple[int, int, PropertyBlock]:
    """Return where the lines of the properties begin and end, and what they are."""
    if not head.length:
        return 0, 0, PropertyBlock("", None, newline)
    start = text.index("\n") + 1
    end = text.rfind("\n", 0, head.length - 1) + 1  # where the closing line begins
    lines = text[start:end]
    in_json = lines.lstrip().startswith("{")
    root = read_nodes(lines.replace("\t", " ") if in_json else lines)
    quote = ""
    if root is not None and root.style == "flow" and root.keys:
        quote = JSON_QUOTE if all(key.style == '"' for key in root.keys) else ""
    elif in_json:
        quote = JSON_QUOTE
    return start, end, PropertyBlock(lines, root, newline, quote)


def _first(wish: PropertyChange, newline: str) -> Iterator[list[TextCut]]:
    """Yield the way to write the first property of a note without any."""
    lines = _new_lines(PropertyBlock("", None, newline), wish)
    yield [TextCut(0, 0, "".join(line + newline for line in ("---", *lines, "---")))]


def _ways(block: PropertyBlock, wish: PropertyChange) -> Iterator[list[TextCut]]:
    """Yield the ways to write a change, the most faithful first."""
    entry = block.entry(wish.name)
    if block.in_brackets:
        yield from _ways_in_brackets(block, entry, wish)
    elif entry is None:
        lines = _new_lines(block, wish)
        at = len(block.text)
        yield [TextCut(at, at, "".join(line + block.newline for line in lines))]
        if block.root is not None:  # before what ends a document
            at = block.text.find("\n", block.root.end) + 1
            yield [TextCut(at, at, "".join(line + block.newline for line in lines))]
    elif wish.gone:
        yield without_entry(block, entry)
    else:
        yield from _ways_in_lines(block, entry, wish)


def _new_lines(block: PropertyBlock, wish: PropertyChange) -> list[str]:
    key = block.margin + name_as_key(wish.name)
    if isinstance(wish.wanted, list) and wish.wanted:
        return [f"{key}:", *lines_of_list(block, wish.wanted)]
    if wish.wanted is None:
        return [f"{key}:"]
    return [f"{key}: {inline(wish.wanted)}"]


def _ways_in_lines(
    block: PropertyBlock, entry: tuple[Node, Node], wish: PropertyChange
) -> Iterator[list[TextCut]]:
    held, wanted = entry[1], wish.wanted
    if (wish.more or wish.less) and _is_closed(block, held, wish):
        return
    if held.kind == "list" and isinstance(wish.now, list):
        yield from _ways_in_list(block, held, wish)
    if isinstance(wanted, list) and wanted:
        if held.style == "flow" and held.kind == "list":
            yield put_value(block, entry, inline(wanted, quote_of(held)))
        yield from _lists(block, entry, wish)
    elif wanted is None:
        yield put_value(block, entry, "")
    else:
        yield from (
            put_value(block, entry, first, rest)
            for first, *rest in _as_block(block, held, wanted)
        )
        yield put_value(block, entry, inline(wanted, quote_of(held)))


def _lists(
    block: PropertyBlock, entry: tuple[Node, Node], wish: PropertyChange
) -> Iterator[list[TextCut]]:
    """Yield ways to write a list where there is none: what was there stays as it is."""
    held, wanted = entry[1], as_list(wish.wanted)
    if wish.more and not isinstance(wish.now, list) and held.end > held.start:
        written = block.text[held.start : held.end]
        if "\n" not in written and len(wanted) > len(wish.more):
            first = f"{block.list_margin}- {written}"
            yield put_value(block, entry, "", [first, *lines_of_list(block, wish.more)])
    yield put_value(block, entry, "", lines_of_list(block, wanted))


def _ways_in_list(
    block: PropertyBlock, held: Node, wish: PropertyChange
) -> Iterator[list[TextCut]]:
    """Yield ways to write other items into a list that stays."""
    now, wanted = as_list(wish.now), wish.wanted
    if not isinstance(wanted, list) or len(held.items) != len(now):
        return
    if held.style == "flow":
        yield from _ways_in_flow(block, held, wish)
    elif wanted and wish.more:
        yield with_items(block, held, len(held.items) - 1, wish.more)
    elif wanted and wish.less:
        yield without_items(block, held, wish.less)
    elif wanted:
        yield other_items(block, held, now, wanted)


def _ways_in_flow(
    block: PropertyBlock, held: Node, wish: PropertyChange
) -> Iterator[list[TextCut]]:
    opening = block.text.index("[", held.start)
    pieces = [(item.start, item.end) for item in held.items]
    brackets = Brackets(opening, held.end, pieces)
    quote = block.quote or quote_of(held)
    if wish.more:
        new = [inline(value, quote) for value in wish.more]
        yield with_pieces(block.text, brackets, new, block.newline)
    elif wish.less:
        yield without_pieces(block.text, brackets, wish.less)


def _ways_in_brackets(
    block: PropertyBlock, entry: tuple[Node, Node] | None, wish: PropertyChange
) -> Iterator[list[TextCut]]:
    """Yield the ways to change properties in braces: JSON, or YAML in one line."""
    root, text = block.root, block.text
    if root is None:
        return
    pairs = list(zip(root.keys, root.items, strict=True))
    pieces = [(key.start, max(key.end, held.end)) for key, held in pairs]
    brackets = Brackets(text.index("{", root.start), root.end, pieces)
    if entry is None:
        key = name_as_key(wish.name, block.quote)
        piece = f"{key}: {inline(wish.wanted, block.quote)}"
        yield with_pieces(text, brackets, [piece], block.newline)
        return
    if wish.gone:
        yield without_pieces(text, brackets, [pairs.index(entry)])
        return
    held = entry[1]
    if (wish.more or wish.less) and _is_closed(block, held, wish):
        return
    if held.kind == "list" and isinstance(wish.now, list):
        yield from _ways_in_list(block, held, wish)
    new = inline(wish.wanted, block.quote or quote_of(held))
    for lead in ("", " ", ": "):
        yield [TextCut(held.start, held.end, lead + new)]


def _as_block(
    block: PropertyBlock, held: Node, wanted: PropertyValue
) -> Iterator[tuple[str, ...]]:
    """Yield a text as the lines of a block, `|` or `>`, where it was one before."""
    if held.style not in ("|", ">") or not isinstance(wanted, str) or not wanted:
        return
    body = wanted.rstrip("\n")
    lines = body.split("\n")
    if not all(line.isprintable() for line in lines) or not body.strip():
        return
    chomp = {0: "-", 1: ""}.get(len(wanted) - len(body), "+")
    margin = block.margin + " " * _depth(block, held)
    rest = [""] * (len(wanted) - len(body) - 1)
    yield (
        held.style + chomp,
        *(margin + line if line else "" for line in lines),
        *rest,
    )


def _depth(block: PropertyBlock, held: Node) -> int:
    """Return how far the lines of a block of text stand in, against its key."""
    lines = block.text[held.start : held.end].split("\n")[1:]
    first = next((line for line in lines if line.strip()), "")
    depth = len(first) - len(first.lstrip(" ")) - len(block.margin)
    return depth if depth > 0 else 2


def _is_closed(block: PropertyBlock, held: Node, wish: PropertyChange) -> bool:
    """Return whether a list is none that items can be added to or taken from."""
    repeats = held.kind == "alias" and isinstance(wish.now, list)
    return repeats or _is_bare_link(block, held)


def _is_bare_link(block: PropertyBlock, held: Node) -> bool:
    """Return whether a value is `[[Note]]` without quotes: YAML takes it for lists."""
    if held.kind != "list" or held.style != "flow":
        return False
    return block.text[held.start : held.start + 2] == "[["


def _is_right(text: str, before: Head, after_text: str, wish: PropertyChange) -> bool:
    """Return whether a text says what is wished, and else the same as before."""
    after = read_head(after_text)
    expected = dict(before.frontmatter.properties)
    if wish.gone:
        expected.pop(wish.name, None)
    else:
        expected[wish.name] = wish.wanted
    return (
        after.frontmatter.error is None
        and not after.frontmatter.warnings
        and after.length > 0
        and after_text[after.length :] == text[before.length :]
        and is_same(dict(after.frontmatter.properties), expected)
    )


def _reason(block: PropertyBlock, wish: PropertyChange) -> str:
    """Return why no way was found, as far as it can be told."""
    entry = block.entry(wish.name)
    if entry is None:
        return f"{wish.name} cannot be added to its properties as they are written"
    if _is_bare_link(block, entry[1]):
        return f"{wish.name} holds a link without quotes, which YAML reads as a list"
    own = {id(node) for half in entry for node in half.walk()}
    anchors = {node.anchor for half in entry for node in half.walk() if node.anchor}
    for node in block.root.walk() if block.root else ():
        if node.refers in anchors and id(node) not in own:
            return f"*{node.refers} repeats {wish.name} in another property"
    if entry[1].kind == "alias":
        return f"{wish.name} repeats another property by *{entry[1].refers}"
    return f"{wish.name} is written in a way that cannot be changed by itself"


def _splices(text: str, cuts: Sequence[TextCut]) -> list[Splice]:
    """Return cuts as bytes, in order and apart, without those that change nothing."""
    apart: list[TextCut] = []
    for cut in sorted(cuts, key=lambda cut: cut[:2]):
        if text[cut.start : cut.end] == cut.text:
            continue
        if apart and apart[-1].end == cut.start:
            last = apart.pop()
            cut = TextCut(last.start, cut.end, last.text + cut.text)  # noqa: PLW2901
        apart.append(cut)
    marks = [mark for cut in apart for mark in (cut.start, cut.end)]
    sizes = (len(text[a:b].encode()) for a, b in pairwise([0, *marks]))
    places = list(accumulate(sizes))
    return [
        Splice(places[2 * n], places[2 * n + 1], cut.text.encode())
        for n, cut in enumerate(apart)
    ]


def spliced(source: bytes, splices: Iterable[Splice]) -> bytes:
    """Return bytes with some stretches replaced, in whatever order they are given.

    Of several that add something at one place, the first stands first.

    Raises:
        EditRefused: two of them overlap.
    """
    pieces: list[bytes] = []
    last = 0
    for start, end, text in sorted(splices, key=lambda splice: splice[:2]):
        if start < last:
            raise EditRefused("two changes of one place")
        pieces += (source[last:start], text)
        last = end
    return b"".join((*pieces, source[last:]))
