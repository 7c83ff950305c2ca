"""The blocks of a text that a quote may be of: paragraphs, items, rows, properties.

A quote never runs from one into the next, since what stands in two rows of a table is
nobody's sentence. Headings and the heads of tables are no blocks: they say what is
spoken of, and nothing about it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from glassmind.obsidian.text import HEADING, PROPERTY, sentence_spans

BlockKind: TypeAlias = Literal["prose", "row", "property", "code"]

_MARKS = re.compile(r"[\s>]*")
_ITEM = re.compile(r"(?:[-+*]|\d{1,9}[.)])(?:[ \t]+|$)(?:\[.\](?:[ \t]+|$))?")
_RULE = re.compile(r"(?:=+|-{2,}|(?:[-*_][ \t]*){3,})")
_UNDER_HEAD = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
_CALLOUT = re.compile(r"\[![^\]\n]+\]")
_FENCE = re.compile(r"`{3,}(?=[^`]*$)|~{3,}")


class Block(NamedTuple):
    """Characters of a text, behind the mark of an item; `head` names the columns."""

    start: int
    end: int
    kind: BlockKind = "prose"
    head: str = ""


class _Line(NamedTuple):
    """A line; `said` is what stands behind its quotation marks."""

    start: int
    end: int
    said: str
    depth: int

    @property
    def begins(self) -> int:
        """Where it begins to say something, behind the mark of an item."""
        item = _ITEM.match(self.said)
        return self.end - len(self.said) + (item.end() if item else 0)


def blocks_of(text: str) -> list[Block]:
    """Return the blocks of a text, in order."""
    lines = list(_lines(text))
    found: list[Block] = []
    at = _properties(lines, found)
    while at < len(lines):
        at = _taken(lines, at, found)
    return [block for block in found if block.start < block.end]


def around(text: str, block: Block, start: int, end: int) -> tuple[int, int]:
    """Return the whole sentences, lines of code, or row that hold characters."""
    if block.kind == "code":
        first = text.rfind("\n", block.start, start) + 1 or block.start
        last = text.find("\n", end, block.end)
        return first, block.end if last < 0 else last
    if block.kind != "prose":
        return block.start, block.end
    spans = sentence_spans(text[block.start : block.end])
    moved = [(block.start + one, block.start + over) for one, over in spans]
    touched = [(one, over) for one, over in moved if over > start and one < end]
    if not touched:
        return start, end
    return min(start, touched[0][0]), max(end, touched[-1][1])


def cell_around(text: str, block: Block, start: int, end: int) -> tuple[int, int]:
    """Return the cells of a row that hold characters; of any other block, all of it."""
    if block.kind != "row":
        return block.start, block.end
    first = text.rfind("|", block.start, start) + 1 or block.start
    last = text.find("|", end, block.end)
    return first, block.end if last < 0 else last


def _lines(text: str) -> Iterator[_Line]:
    at = 0
    for line in text.split("\n"):
        marks = _MARKS.match(line)
        before = marks[0] if marks else ""
        end = at + len(line.rstrip())
        yield _Line(at, end, line[len(before) :].rstrip(), before.count(">"))
        at += len(line) + 1


def _properties(lines: Sequence[_Line], found: list[Block]) -> int:
    """Add each property of a note, and return the line behind them."""
    if not lines or lines[0].said != "---":
        return 0
    ends = (at for at, line in enumerate(lines) if at and line.said == "---")
    over = next(ends, 0)
    for line in lines[1:over]:
        if not found or PROPERTY.match(line.said):
            found.append(Block(line.start, line.end, "property"))
        else:
            found[-1] = found[-1]._replace(end=line.end)
    return over + 1 if over else 0


def _taken(lines: Sequence[_Line], at: int, found: list[Block]) -> int:
    """Add what begins with a line, and return the line behind it."""
    line = lines[at]
    fence = _FENCE.match(line.said)
    if fence:
        over = at + 1
        while over < len(lines) and not lines[over].said.startswith(fence[0]):
            over += 1
        if over > at + 1:
            found.append(Block(lines[at + 1].start, lines[over - 1].end, "code"))
        return over + 1
    if _is_head(lines, at):
        return _rows(lines, at + 2, line.said, found)
    if line.said.startswith("|"):
        return _rows(lines, at, "", found)
    if not line.said or HEADING.match(line.said) or _RULE.fullmatch(line.said):
        return at + 1
    over = _prose_end(lines, at)
    if not _is_underlined(lines, at, over):
        found.append(Block(line.begins, lines[over - 1].end))
    return over


def _rows(lines: Sequence[_Line], at: int, head: str, found: list[Block]) -> int:
    while at < len(lines) and "|" in lines[at].said:
        line = lines[at]
        if not _UNDER_HEAD.fullmatch(line.said):
            found.append(Block(line.begins, line.end, "row", head))
        at += 1
    return at


def _is_head(lines: Sequence[_Line], at: int) -> bool:
    if "|" not in lines[at].said or at + 1 == len(lines):
        return False
    below = lines[at + 1].said
    return "-" in below and "|" in below and bool(_UNDER_HEAD.fullmatch(below))


def _prose_end(lines: Sequence[_Line], at: int) -> int:
    """Return the line behind the paragraph or item that begins with one."""
    if _CALLOUT.match(lines[at].said):  # its title stands alone
        return at + 1
    depth, at = lines[at].depth, at + 1
    while at < len(lines):
        said = lines[at].said
        apart = not said or _ITEM.match(said) or HEADING.match(said)
        drawn = _RULE.fullmatch(said) or _FENCE.match(said) or said.startswith("|")
        if apart or drawn or lines[at].depth > depth or _is_head(lines, at):
            break
        at += 1
    return at


def _is_underlined(lines: Sequence[_Line], at: int, over: int) -> bool:
    """Whether a paragraph is a heading by the line that is drawn below it."""
    if over == len(lines) or _ITEM.match(lines[at].said):
        return False
    below = lines[over]
    return below.depth == lines[at].depth and bool(re.fullmatch("=+|-+", below.said))
