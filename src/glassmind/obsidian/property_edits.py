"""Properties set, unset, added to and taken from: only the bytes that change change.

A property is found where the YAML parser sees it, and a few ways to write the change
there are tried. Each is read again: the first that changes this property to exactly
that value, and no other, is taken. Where none does, nothing is written.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from glassmind.errors.editing import NotEditable
from glassmind.model import NotePath, PropertyValue
from glassmind.model.editing import ChangeProperty, Splice
from glassmind.obsidian.flow_edits import (
    Brackets,
    Cut,
    with_cuts,
    with_pieces,
    without_pieces,
)
from glassmind.obsidian.frontmatter import Head, read_head
from glassmind.obsidian.property_lines import (
    Block,
    lines_of_list,
    other_items,
    put_value,
    quote_of,
    with_items,
    without_entry,
    without_items,
)
from glassmind.obsidian.property_wishes import Wish, as_list, check_change, wish_of
from glassmind.obsidian.splices import spliced
from glassmind.obsidian.yaml_nodes import Node, read_nodes
from glassmind.obsidian.yaml_values import (
    JSON_QUOTE,
    inline,
    is_same,
    name_as_key,
)


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
    wish = wish_of(path, head.frontmatter.properties, change)
    if wish is None:
        return []
    _check_closed(path, text, head)
    start, end, block = _block(text, head, newline)
    for cuts in _ways(block, wish) if end else _first(wish, newline):
        moved = [Cut(start + cut.start, start + cut.end, cut.text) for cut in cuts]
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


def _block(text: str, head: Head, newline: str) -> tuple[int, int, Block]:
    """Return where the lines of the properties begin and end, and what they are."""
    if not head.length:
        return 0, 0, Block("", None, newline)
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
    return start, end, Block(lines, root, newline, quote)


def _first(wish: Wish, newline: str) -> Iterator[list[Cut]]:
    """Yield the way to write the first property of a note without any."""
    lines = _new_lines(Block("", None, newline), wish)
    yield [Cut(0, 0, "".join(line + newline for line in ("---", *lines, "---")))]


def _ways(block: Block, wish: Wish) -> Iterator[list[Cut]]:
    """Yield the ways to write a change, the most faithful first."""
    entry = block.entry(wish.name)
    if block.in_brackets:
        yield from _ways_in_brackets(block, entry, wish)
    elif entry is None:
        lines = _new_lines(block, wish)
        at = len(block.text)
        yield [Cut(at, at, "".join(line + block.newline for line in lines))]
        if block.root is not None:  # before what ends a document
            at = block.text.find("\n", block.root.end) + 1
            yield [Cut(at, at, "".join(line + block.newline for line in lines))]
    elif wish.gone:
        yield without_entry(block, entry)
    else:
        yield from _ways_in_lines(block, entry, wish)


def _new_lines(block: Block, wish: Wish) -> list[str]:
    key = block.margin + name_as_key(wish.name)
    if isinstance(wish.wanted, list) and wish.wanted:
        return [f"{key}:", *lines_of_list(block, wish.wanted)]
    if wish.wanted is None:
        return [f"{key}:"]
    return [f"{key}: {inline(wish.wanted)}"]


def _ways_in_lines(
    block: Block, entry: tuple[Node, Node], wish: Wish
) -> Iterator[list[Cut]]:
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


def _lists(block: Block, entry: tuple[Node, Node], wish: Wish) -> Iterator[list[Cut]]:
    """Yield ways to write a list where there is none: what was there stays as it is."""
    held, wanted = entry[1], as_list(wish.wanted)
    if wish.more and not isinstance(wish.now, list) and held.end > held.start:
        written = block.text[held.start : held.end]
        if "\n" not in written and len(wanted) > len(wish.more):
            first = f"{block.list_margin}- {written}"
            yield put_value(block, entry, "", [first, *lines_of_list(block, wish.more)])
    yield put_value(block, entry, "", lines_of_list(block, wanted))


def _ways_in_list(block: Block, held: Node, wish: Wish) -> Iterator[list[Cut]]:
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


def _ways_in_flow(block: Block, held: Node, wish: Wish) -> Iterator[list[Cut]]:
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
    block: Block, entry: tuple[Node, Node] | None, wish: Wish
) -> Iterator[list[Cut]]:
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
        yield [Cut(held.start, held.end, lead + new)]


def _as_block(
    block: Block, held: Node, wanted: PropertyValue
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


def _depth(block: Block, held: Node) -> int:
    """Return how far the lines of a block of text stand in, against its key."""
    lines = block.text[held.start : held.end].split("\n")[1:]
    first = next((line for line in lines if line.strip()), "")
    depth = len(first) - len(first.lstrip(" ")) - len(block.margin)
    return depth if depth > 0 else 2


def _is_closed(block: Block, held: Node, wish: Wish) -> bool:
    """Return whether a list is none that items can be added to or taken from."""
    repeats = held.kind == "alias" and isinstance(wish.now, list)
    return repeats or _is_bare_link(block, held)


def _is_bare_link(block: Block, held: Node) -> bool:
    """Return whether a value is `[[Note]]` without quotes: YAML takes it for lists."""
    if held.kind != "list" or held.style != "flow":
        return False
    return block.text[held.start : held.start + 2] == "[["


def _is_right(text: str, before: Head, after_text: str, wish: Wish) -> bool:
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


def _reason(block: Block, wish: Wish) -> str:
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


def _splices(text: str, cuts: Sequence[Cut]) -> list[Splice]:
    """Return cuts as bytes, in order and apart, without those that change nothing."""
    apart: list[Cut] = []
    for cut in sorted(cuts, key=lambda cut: cut[:2]):
        if text[cut.start : cut.end] == cut.text:
            continue
        if apart and apart[-1].end == cut.start:
            last = apart.pop()
            cut = Cut(last.start, cut.end, last.text + cut.text)  # noqa: PLW2901
        apart.append(cut)
    marks = [mark for cut in apart for mark in (cut.start, cut.end)]
    sizes = (len(text[a:b].encode()) for a, b in pairwise([0, *marks]))
    places = list(accumulate(sizes))
    return [
        Splice(places[2 * n], places[2 * n + 1], cut.text.encode())
        for n, cut in enumerate(apart)
    ]
