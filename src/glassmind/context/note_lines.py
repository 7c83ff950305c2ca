"""The items, paragraphs and rows of a note, by lines or by characters."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from glassmind.model import Span
from glassmind.model.context import OPEN_BOXES, SectionHeading
from glassmind.obsidian.prose import without_comments
from glassmind.obsidian.text import HEADING as MARKED_HEADING
from glassmind.obsidian.text import PROPERTY, first_day

ITEM = re.compile(
    r"(?P<lead>[ \t>]*)(?P<mark>[-*+]|\d{1,9}[.)])[ \t]+(?:\[(?P<box>.)\][ \t]+)?"
)
"""What makes a line an item of a list, and a task."""

HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]")
_FENCE = re.compile(r"[ \t>]*(?P<mark>`{3,}|~{3,})")
_RULE = re.compile(r"[ \t]{0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_UNDER = re.compile(r"=+[ \t]*$")
_TABLE_RULE = re.compile(r"[ \t:|-]+$")
_CALLOUT = re.compile(r"(?:[ \t]*>)+[ \t]*\[!(?P<kind>[^\]]+)\][+-]?[ \t]*")
_QUOTED = re.compile(r"(?:[ \t]*>)+[ \t]?")
_WAITING = re.compile(r"> \[!agent\]")
_TAGS_ALONE = re.compile(r"(?:\s*#[^\s#]+)+\s*$")
_DATED = re.compile(r"[\s*_(\[`|]*(?=\d{4}-\d{2}-\d{2})")
_TOLD = re.compile(
    r"[\[(]?\b(?:date|decided|created|on|datum)::[ \t]*(\d{4}-\d{2}-\d{2})"
)

LONGEST_BLOCK = 12
"""Lines of one decision or question; what goes on longer is cut at a line."""


class NoteLines:
    """A note's lines with its headings; lines count from 1."""

    def __init__(
        self, lines: Sequence[str], headings: Sequence[SectionHeading] = ()
    ) -> None:
        self.lines, self.headings = lines, headings
        self._heads = [heading.line for heading in headings]

    @cached_property
    def body(self) -> int:
        if not self.lines or self.lines[0].rstrip() != "---":
            return 1
        for number, line in enumerate(self.lines[1:], 2):
            if line.rstrip() in ("---", "..."):
                return number + 1
        return 1

    @cached_property
    def whole(self) -> str:
        return "\n".join(self.lines)

    @cached_property
    def seen(self) -> Sequence[str]:
        """The lines as who reads the note sees them, without comments."""
        text = without_comments(self.whole)
        lines = self.lines if text == self.whole else text.split("\n")
        return lines if len(lines) == len(self.lines) else self.lines

    @cached_property
    def unseen(self) -> frozenset[int]:
        """The lines that hold nothing but comments."""
        if self.seen is self.lines:  # as in most notes
            return frozenset()
        both = enumerate(zip(self.lines, self.seen, strict=True), 1)
        return frozenset(
            number
            for number, (line, seen) in both
            if line != seen and not unmarked(seen).strip(" \t>")
        )

    @cached_property
    def fenced(self) -> frozenset[int]:
        text = self.whole  # looked through at once, not line by line
        if not any(sign[0] in text and sign in text for sign in ("```", "~~~")):
            return frozenset()
        found, mark = set(), ""
        for number, line in enumerate(self.lines, 1):
            fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
            if fence and not mark:
                mark = fence["mark"]
                found.add(number)
            elif mark:
                found.add(number)
                if fence and fence["mark"].startswith(mark):
                    mark = ""
        return frozenset(found)

    def said(self) -> int:
        """Return the first line of what a note of the agent folder says itself.

        Above it may stand who captured it, and a box for a person to tick.
        """
        at = self._first_written(self.body)
        if at <= len(self.lines) and _WAITING.match(self.lines[at - 1]):
            while at <= len(self.lines) and self.lines[at - 1].startswith(">"):
                at += 1
            at = self._first_written(at)
            box = at <= len(self.lines) and ITEM.match(self.lines[at - 1])
            if box and box["box"]:
                at = self._first_written(at + 1)
        return at

    def text_span(self) -> Span | None:
        """Return all lines of what a note of the agent folder says; None for none."""
        start, end = self.said(), len(self.lines)
        while end >= start and not self.lines[end - 1].strip():
            end -= 1
        return Span(start, end) if end >= start else None

    def _first_written(self, line: int) -> int:
        while line <= len(self.lines) and not self.lines[line - 1].strip():
            line += 1
        return line

    def heading_path(self, line: int) -> tuple[str, ...]:
        path: list[SectionHeading] = []
        for heading in self.headings[: bisect_right(self._heads, line)]:
            while path and path[-1].level >= heading.level:
                path.pop()
            path.append(heading)
        return tuple(heading.text for heading in path)

    def below(self, heading: SectionHeading) -> Span:
        """Return the lines under a heading, up to the next of its rank."""
        after = self.headings[bisect_right(self._heads, heading.line) :]
        ends = (h.line - 1 for h in after if h.level <= heading.level)
        return Span(heading.line + 1, next(ends, len(self.lines)))

    def blocks(self, span: Span) -> Iterator[Span]:
        """Yield the items, paragraphs and rows in some lines, each with its own lines.

        An item goes without those nested in it; headings, rules, code and comments are
        none.
        """
        at, indent = span.start, -1
        while at <= min(span.end, len(self.lines)):
            block = self.block_from(at, span.end)
            if block is None:
                indent = -1 if self._is_heading(at) else indent
                at += 1
                continue
            item = ITEM.match(self.lines[at - 1])
            depth = self.depth(at) if item else -1
            if item is None or indent < 0 or depth <= indent:
                indent = depth
                yield block
            at = block.end + 1

    def items_from(self, first: Span) -> Iterator[Span]:
        """Yield an item and those behind it in its list, without what is nested.

        What is no item is yielded alone.
        """
        depth, sign = self.depth(first.start), self._sign(first.start)
        at = first.end + 1
        yield first
        for block in self.blocks(Span(at, len(self.lines))) if sign else ():
            between = range(at, block.start)
            if any(self.depth(line) <= depth for line in between if self._shows(line)):
                return
            far, at = self.depth(block.start), block.end + 1
            if far < depth or (far == depth and self._sign(block.start) != sign):
                return
            if far == depth:
                yield block

    def depth(self, line: int) -> int:
        """Return how far a line stands from the margin, in quotations too."""
        text = self.lines[line - 1]
        return len(text[: len(text) - len(text.lstrip(" \t>"))].expandtabs(4))

    def block_from(self, line: int, last: int | None = None) -> Span | None:
        """Return the block that begins at a line; None where none does that is seen.

        Comments behind it are none of it.
        """
        block = None if line in self.unseen else self.written_from(line, last)
        if block is None:
            return None
        end = block.end
        while end in self.unseen:
            end -= 1
        return Span(line, end)

    def written_from(self, line: int, last: int | None = None) -> Span | None:
        text = self.lines[line - 1]
        if not text.strip(" \t>") or self._is_bare(line):
            return None
        if _is_row(text):
            return None if self._heads_table(line) else Span(line, line)
        end, most = line, min(last or len(self.lines), line + LONGEST_BLOCK - 1)
        while end < min(most, len(self.lines)) and self._goes_on(end + 1):
            end += 1
        return Span(line, end)

    def block_at(self, line: int) -> Span | None:
        first, lowest = line, max(self.body, line - LONGEST_BLOCK + 1)
        while first > lowest and self._goes_on(first) and self._is_text(first - 1):
            first -= 1
        while first < line and first in self.unseen:
            first += 1
        return self.block_from(first)

    def nested(self, span: Span) -> Sequence[str]:
        item = ITEM.match(self.lines[span.start - 1])
        if item is None:
            return ()
        depth, end = len(item["lead"]), span.end
        while end < len(self.lines) and (
            len(line := self.lines[end]) - len(line.lstrip(" \t>")) > depth
        ):
            end += 1
        return self.lines[span.end : end]

    def text(self, span: Span) -> str:
        """Return what some lines say, without the marks at their beginning."""
        return "\n".join(map(unmarked, self.raw(span).split("\n"))).strip()

    def says(self, span: Span) -> bool:
        """Whether something is seen in some lines but the marks they begin with."""
        return any(
            unmarked(line).strip() for line in self.seen[span.start - 1 : span.end]
        )

    def raw(self, span: Span) -> str:
        return "\n".join(self.lines[span.start - 1 : span.end])

    def first_block(self, line: int) -> Span | None:
        for block in self.blocks(Span(line, len(self.lines))):
            if not self.is_tags(block.start):
                return block
        return None

    def callout(self, line: int) -> str:
        head = _CALLOUT.match(self.lines[line - 1])
        return head["kind"].strip().lower() if head else ""

    def is_next(self, line: int, other: int) -> bool:
        """Whether nothing that is seen stands between two lines."""
        return not any(map(self._shows, range(line + 1, other)))

    def is_item(self, line: int) -> bool:
        text = self.lines[line - 1]
        return bool(ITEM.match(text)) or _is_row(text)

    def is_ticked(self, line: int) -> bool:
        """Whether a line is a task that is not open: done, given up, no task at all."""
        box = ITEM.match(self.lines[line - 1])
        return box is not None and bool(box["box"]) and box["box"] not in OPEN_BOXES

    def is_open(self, line: int) -> bool:
        box = ITEM.match(self.lines[line - 1])
        return box is not None and box["box"] in OPEN_BOXES

    def is_tags(self, line: int) -> bool:
        return bool(_TAGS_ALONE.match(unmarked(self.lines[line - 1])))

    def _shows(self, line: int) -> bool:
        return bool(self.seen[line - 1].strip(" \t>"))

    def _sign(self, line: int) -> str:
        item = ITEM.match(self.lines[line - 1])
        return item["mark"][-1] if item else ""

    def _is_bare(self, line: int) -> bool:
        text = self.lines[line - 1]
        if text[:1] == "=" and _UNDER.match(text) and self._is_heading(line - 1):
            return True
        return bool(
            line in self.fenced or HEADING.match(text) or _RULE.match(text)
        ) or self._is_heading(line)

    def _is_heading(self, line: int) -> bool:
        at = bisect_right(self._heads, line) - 1
        return at >= 0 and self._heads[at] == line

    def _is_text(self, line: int) -> bool:
        text = self.lines[line - 1]
        blank = not text.strip(" \t>")
        return not (blank or self._is_bare(line) or _is_row(text))

    def _goes_on(self, line: int) -> bool:
        return self._is_text(line) and not ITEM.match(self.lines[line - 1])

    def _heads_table(self, line: int) -> bool:
        after = self.lines[line] if line < len(self.lines) else ""
        return any(
            "-" in text and _TABLE_RULE.match(text)
            for text in (self.lines[line - 1], after)
        )


def unmarked(line: str) -> str:
    """Return a line without what makes it a quotation, a callout, an item or a task."""
    if line[:1].isalpha():  # as most lines begin, and no such mark
        return line.strip()
    head = _CALLOUT.match(line) or _QUOTED.match(line)
    rest = line[head.end() :] if head else line
    item = ITEM.match(rest)
    return rest[item.end() :] if item else rest.strip()


def day_told(text: str) -> str | None:
    lead = _DATED.match(text)
    if lead:
        return first_day(text[lead.end() :])
    told = _TOLD.search(text)
    return first_day(told[1]) if told else None


def _is_row(text: str) -> bool:
    return text.lstrip(" \t>").startswith("|")


# --- blocks by characters -----------------------------------------------------------

BlockKind: TypeAlias = Literal["prose", "row", "property", "code"]

_MARKS = re.compile(r"[\s>]*")
_BULLET = re.compile(r"(?:[-+*]|\d{1,9}[.)])(?:[ \t]+|$)(?:\[.\](?:[ \t]+|$))?")
_DRAWN = re.compile(r"(?:=+|-+|(?:[-*_][ \t]*){3,})")
_COLUMNS = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
_TITLED = re.compile(r"\[![^\]\n]+\]")
_NOTED = re.compile(r"\[\^[^\]\s]+\]:")
_OPENS = re.compile(
    r"(?:(?:[-+*]|\d{1,9}[.)])\s+)*(?P<sign>`{3,}+(?=[^`]*$)|~{3,}+|\$\$(?!.*\$\$))"
)
"""What code and formulas of several lines begin with, also in an item."""


class Block(NamedTuple):
    """Characters of a text, behind the mark of an item; `head` names the columns."""

    start: int
    end: int
    kind: BlockKind = "prose"
    head: str = ""


class _Line(NamedTuple):
    """A line; `text` is what follows its quotation marks."""

    start: int
    end: int
    text: str
    depth: int

    @property
    def begins(self) -> int:
        item = _BULLET.match(self.text)
        return self.end - len(self.text) + (item.end() if item else 0)


def blocks_of(text: str, start: int = 0) -> list[Block]:
    """Return the paragraphs, items, rows and code of a text from a place on, in order.

    Headings, rules and the heads of tables are not blocks. Properties are, if the text
    begins with them.
    """
    lines = list(_lines(text, start))
    found: list[Block] = []
    at = 0 if start else _add_properties(lines, found)
    while at < len(lines):
        at = _add_block(lines, at, found)
    return [block for block in found if block.start < block.end]


def cells_of(row: str) -> list[str]:
    cells = [cell.strip().replace("\\|", "|") for cell in _CELL.split(row.strip())]
    if len(cells) > 1 and not cells[0]:
        cells = cells[1:]
    return cells[:-1] if len(cells) > 1 and not cells[-1] else cells


_CELL = re.compile(r"(?<!\\)\|")


def _lines(text: str, at: int) -> Iterator[_Line]:
    for line in text[at:].split("\n"):
        marks = _MARKS.match(line)
        before = marks[0] if marks else ""
        end = at + len(line.rstrip())
        yield _Line(at, end, line[len(before) :].rstrip(), before.count(">"))
        at += len(line) + 1


def _add_properties(lines: Sequence[_Line], found: list[Block]) -> int:
    if lines[0].text != "---":
        return 0
    over = next((at for at, line in enumerate(lines) if at and line.text == "---"), 0)
    for line in lines[1:over]:
        if not found or PROPERTY.match(line.text):
            found.append(Block(line.start, line.end, "property"))
        else:
            found[-1] = found[-1]._replace(end=line.end)
    return over + 1 if over else 0


def _add_block(lines: Sequence[_Line], at: int, found: list[Block]) -> int:
    line = lines[at]
    if opens := _OPENS.match(line.text):
        return _add_code(lines, at, opens["sign"], found)
    if _is_head(lines, at):
        return _add_rows(lines, at + 2, line.text, found)
    if line.text.startswith("|") and len(line.text) > 1:
        return _add_rows(lines, at, "", found)
    if not line.text or MARKED_HEADING.match(line.text) or _DRAWN.fullmatch(line.text):
        return at + 1
    over = _prose_end(lines, at)
    if not _is_underlined(lines, at, over):
        found.append(Block(line.begins, lines[over - 1].end))
    return over


def _add_code(lines: Sequence[_Line], at: int, sign: str, found: list[Block]) -> int:
    over, depth = at + 1, lines[at].depth
    while over < len(lines) and lines[over].depth >= depth:
        text = lines[over].text
        if text.startswith(sign) and not text.strip(sign[0]):
            break
        over += 1
    if over > at + 1:
        found.append(Block(lines[at + 1].start, lines[over - 1].end, "code"))
    is_closed = over < len(lines) and lines[over].depth >= depth
    return over + 1 if is_closed else over


def _add_rows(lines: Sequence[_Line], at: int, head: str, found: list[Block]) -> int:
    while at < len(lines) and "|" in lines[at].text:
        line = lines[at]
        if not _COLUMNS.fullmatch(line.text):
            found.append(Block(line.end - len(line.text), line.end, "row", head))
        at += 1
    return at


def _is_head(lines: Sequence[_Line], at: int) -> bool:
    if "|" not in lines[at].text or at + 1 == len(lines):
        return False
    below = lines[at + 1].text
    return "-" in below and "|" in below and bool(_COLUMNS.fullmatch(below))


def _prose_end(lines: Sequence[_Line], at: int) -> int:
    if _TITLED.match(lines[at].text):  # the title of a callout is a block of its own
        return at + 1
    depth, at = lines[at].depth, at + 1
    while at < len(lines) and not _stands_alone(lines[at].text):
        if lines[at].depth > depth or _is_head(lines, at):
            break
        at += 1
    return at


def _stands_alone(text: str) -> bool:
    marks = (_BULLET, MARKED_HEADING, _OPENS, _TITLED, _NOTED)
    begins = not text or text.startswith("|") or _DRAWN.fullmatch(text)
    return bool(begins or any(mark.match(text) for mark in marks))


def _is_underlined(lines: Sequence[_Line], at: int, over: int) -> bool:
    if over == len(lines) or _BULLET.match(lines[at].text):
        return False
    below = lines[over]
    return below.depth == lines[at].depth and bool(re.fullmatch("=+|-+", below.text))
