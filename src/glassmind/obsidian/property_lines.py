"""Where properties stand in a block of lines, and the cuts that change their lines."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from glassmind.model import PropertyValue
from glassmind.obsidian.flow_edits import Cut, line_end, line_start, next_line
from glassmind.obsidian.yaml_nodes import Node, colon_behind
from glassmind.obsidian.yaml_values import common_quote, inline

INDENT = 2
"""How far a list stands in where a block has none yet; Obsidian writes it so."""

_DASH = re.compile(r"([ \t]*)-([ \t]+)")
_MARKS = re.compile(r"(?:[ \t]+[&!][^\s]*)*")
_HEADER = re.compile(r"[|>][-+0-9]*")
_QUOTES = ("'", '"')


@dataclass(frozen=True, slots=True)
class Block:
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


def lines_of_list(block: Block, values: Sequence[PropertyValue]) -> list[str]:
    """Return the lines of a new list, each with what stands before its dash."""
    return [f"{block.list_margin}- {inline(value, block.quote)}" for value in values]


def put_value(
    block: Block, entry: tuple[Node, Node], written: str, lines: Sequence[str] = ()
) -> list[Cut]:
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
        rest = Cut(behind, max(held.end, behind), below)
        return [Cut(colon, header.end(), lead), rest]
    if held.start == held.end:  # nothing, perhaps behind a mark
        return [Cut(colon, colon, lead), Cut(behind, behind, below)]
    if held.start <= behind and held.style != "block":
        stop = line_end(text, held.end)
        return [Cut(colon, held.end, lead), Cut(stop, stop, below)]
    marks = _MARKS.match(text, colon)
    first = first_content(text, next_line(text, colon))
    gone = Cut(first, next_line(text, held.end), "")
    stop = marks.end() if marks else colon
    return [Cut(colon, stop, lead), Cut(behind, behind, below), gone]


def first_content(text: str, at: int) -> int:
    """Return where the first line begins that is neither blank nor a comment."""
    while at < len(text):
        line = text[at : line_end(text, at)].strip()
        if line and not line.startswith("#"):
            return at
        at = next_line(text, at)
    return at


def without_entry(block: Block, entry: tuple[Node, Node]) -> list[Cut]:
    """Return the cut that takes the lines of a property away."""
    key, held = entry
    last = max(held.end, key.end)
    return [Cut(line_start(block.text, key.start), next_line(block.text, last), "")]


def without_items(block: Block, held: Node, gone: Sequence[int]) -> list[Cut]:
    """Return the cuts that take the lines of items away."""
    return [_lines_of(block.text, held.items[number]) for number in gone]


def with_items(
    block: Block, held: Node, behind: int, values: Sequence[PropertyValue]
) -> list[Cut]:
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
        return [Cut(at, at, "".join(line + block.newline for line in lines))]
    at = line_end(text, held.items[behind].end)
    return [Cut(at, at, "".join(block.newline + line for line in lines))]


def other_items(
    block: Block,
    held: Node,
    before: Sequence[PropertyValue],
    after: Sequence[PropertyValue],
) -> list[Cut]:
    """Return the cuts that make a list of lines hold other items, those in both kept.

    `before` are its values; a kept item keeps its line and its comment.
    """
    keys = [[repr(value) for value in values] for values in (before, after)]
    cuts: list[Cut] = []
    match = SequenceMatcher(None, keys[0], keys[1], autojunk=False)
    for _, a, a_end, b, b_end in match.get_opcodes():
        if before[a:a_end] and repr(before[a:a_end]) == repr(after[b:b_end]):
            continue
        paired = min(a_end - a, b_end - b)
        for step in range(paired):
            item = held.items[a + step]
            quote = quote_of(item)
            cuts.append(Cut(item.start, item.end, inline(after[b + step], quote)))
        cuts += without_items(block, held, range(a + paired, a_end))
        cuts += with_items(block, held, a + paired - 1, after[b + paired : b_end])
    return cuts


def _lines_of(text: str, item: Node) -> Cut:
    begin = line_start(text, item.start)
    return Cut(begin, next_line(text, max(item.end, item.start)), "")
