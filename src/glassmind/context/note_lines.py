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
    def visible(self) -> Sequence[str]:
        """The lines as who reads the note sees them, without comments."""
        text = without_comments(self.whole)
        lines = self.lines if text == self.whole else text.split("\n")
        return lines if len(lines) == len(self.lines) else self.lines

    @cached_property
    def hidden(self) -> frozenset[int]:
        """The lines that hold nothing but comments."""
        if self.visible is self.lines:  # as in most notes
            return frozenset()
        both = enumerate(zip(self.lines, self.visible, strict=True), 1)
        return frozenset(
            number
            for number, (line, shown) in both
            if line != shown and not unmarked(shown).strip(" \t>")
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

    def text_span(self) -> Span | None:
        """Return the lines of what a note of the agent folder says; None for none.

        Above them may stand who captured it, and a box for a person to tick.
        """
        at = self._first_written(self.body)
        if at <= len(self.lines) and _WAITING.match(self.lines[at - 1]):
            while at <= len(self.lines) and self.lines[at - 1].startswith(">"):
                at += 1
            at = self._first_written(at)
            box = at <= len(self.lines) and ITEM.match(self.lines[at - 1])
            if box and box["box"]:
                at = self._first_written(at + 1)
        end = len(self.lines)
        while end >= at and not self.lines[end - 1].strip():
            end -= 1
        return Span(at, end) if end >= at else None

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
            if any(self.depth(line) <= depth for line in between if self.shows(line)):
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
        block = None if line in self.hidden else self.written_from(line, last)
        if block is None:
            return None
        end = block.end
        while end in self.hidden:
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
        while first < line and first in self.hidden:
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
            unmarked(line).strip() for line in self.visible[span.start - 1 : span.end]
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

    def shows(self, line: int) -> bool:
        """Return whether something is seen in a line."""
        return bool(self.visible[line - 1].strip(" \t>"))

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
    match = _TOLD.search(text)
    return first_day(match[1]) if match else None


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


def blocks_of(text: str, start: int = 0) -> list[Block]:
    """Return the paragraphs, items, rows and code of a text from a place on, in order.

    Headings, rules and the heads of tables are not blocks. Properties are, if the text
    begins with them.
    """
    lines = text[start:].split("\n")
    reader = _BlockReader([] if start else lines)
    bodies = [line[_lead(line) :].rstrip() for line in lines] + [""]
    place = start
    for at, line in enumerate(lines):
        end = place + len(line.rstrip())
        depth = line.count(">", 0, _lead(line))
        reader.read(bodies[at], bodies[at + 1], end, depth, place)
        place += len(line) + 1
    return [block for block in reader.found if block.start < block.end]


def _lead(line: str) -> int:
    marks = _MARKS.match(line)
    return marks.end() if marks else 0


class _BlockReader:
    """Reads a text line by line; `lines` are those that may begin with properties."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.found: list[Block] = []
        marks = [at for at, line in enumerate(lines) if line.strip() == "---"][:2]
        self._properties = marks[1] + 1 if marks[:1] == [0] and marks[1:] else 0
        self._fence, self._depth = "", 0
        self._head: str | None = None  # of the table that is read
        self._is_open = self._is_item = False  # whether the last block goes on

    def read(self, body: str, below: str, end: int, depth: int, start: int) -> None:
        """Take a line without its quotation marks, whose text ends at a place."""
        begin = end - len(body)
        if self._properties:
            self._properties -= 1
            self._add_property(body, begin, end)
        elif self._fence and depth >= self._depth:
            if body.startswith(self._fence) and not body.strip(self._fence[0]):
                self._fence, self._is_open = "", False
            else:
                self._add(start if not self._is_open else begin, end, "code")
        else:
            self._fence = ""
            self._read_text(body, below, begin, end, depth)

    def _add_property(self, body: str, begin: int, end: int) -> None:
        if body == "---":
            return
        self._is_open = not PROPERTY.match(body)
        self._add(begin, end, "property")
        self._is_open = False

    def _add(self, begin: int, end: int, kind: BlockKind, head: str = "") -> None:
        """Add a block, or let the last one go on."""
        if self._is_open and self.found:
            self.found[-1] = self.found[-1]._replace(end=end)
        else:
            self.found.append(Block(begin, end, kind, head))
        self._is_open = kind != "row"

    def _read_text(
        self, body: str, below: str, begin: int, end: int, depth: int
    ) -> None:
        is_table = self._head is not None and "|" in body
        self._head = self._head if is_table else None
        if opens := _OPENS.match(body):
            self._fence, self._depth, self._is_open = opens["sign"], depth, False
        elif is_table or (body.startswith("|") and len(body) > 1):
            self._is_open, self._head = False, self._head or ""
            if not self._head and _is_head(body, below):
                self._head = body
            elif not _COLUMNS.fullmatch(body):
                self._add(begin, end, "row", self._head)
        elif _is_head(body, below):
            self._is_open, self._head = False, body
        elif not body or MARKED_HEADING.match(body) or _DRAWN.fullmatch(body):
            goes_on = self._is_open and not self._is_item and self._depth == depth
            if goes_on and re.fullmatch("=+|-+", body):  # what is above is a heading
                self.found.pop()
            self._is_open = False
        else:
            self._read_prose(body, begin, end, depth)

    def _read_prose(self, body: str, begin: int, end: int, depth: int) -> None:
        item, title = _BULLET.match(body), _TITLED.match(body)
        if item or title or _NOTED.match(body) or depth > self._depth:
            self._is_open = False
        if not self._is_open:
            self._is_item, self._depth = item is not None, depth
        self._add(begin + (item.end() if item else 0), end, "prose")
        self._is_open = not title


def _is_head(body: str, below: str) -> bool:
    return (
        "|" in body
        and "-" in below
        and "|" in below
        and bool(_COLUMNS.fullmatch(below))
    )


def cells_of(row: str) -> list[str]:
    cells = [cell.strip().replace("\\|", "|") for cell in _CELL.split(row.strip())]
    if len(cells) > 1 and not cells[0]:
        cells = cells[1:]
    return cells[:-1] if len(cells) > 1 and not cells[-1] else cells


_CELL = re.compile(r"(?<!\\)\|")
