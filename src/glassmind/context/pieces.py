"""What of a passage can be told by itself: a sentence, an item, a row, a property.

Every piece is whole lines or sentences of the note; what is shown of it has no marks of
lists and quotations, and a row of a table says which column each value is of. Code,
mathematics, headings and comments are none. All of it takes time by the length of the
passage, whatever stands there.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from glassmind.context.passages import Stretch
from glassmind.obsidian.hidden_text import holds_hidden
from glassmind.obsidian.sentences import HEADING, MARKER, PROPERTY, sentence_spans

PieceKind: TypeAlias = Literal["sentence", "row", "property"]

FEWEST_CHARS, MOST_CHARS = 6, 600
"""Less says nothing, and more is no answer but a passage."""

AROUND = 2 * MOST_CHARS
"""Characters around what was found in which sentences are looked for: a line may be as
long as a book, and what begins elsewhere or goes on for longer is not told."""

_QUOTED = re.compile(r"[\s>]*")
_FENCE = re.compile(
    r"(?:(?:[-+*]|\d{1,9}[.)])\s+)*(`{3,}+(?=[^`]*$)|~{3,}+|\$\$(?!.*\$\$))"
)
"""What code and mathematics of several lines begin with, be it in an item."""
_COMMENT = re.compile(r"(`+)[^`]*`+|%%|<!--")
"""Where a comment may begin; in code none does."""
_ITEM = re.compile(r"(?:[-+*]|\d{1,9}[.)])\s")
_CALLOUT = re.compile(r"\[![^\]\n]+\][-+]?(?:\s+|$)")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:\s*")
_BLOCK_ID = re.compile(r"(?:^|\s)\^[A-Za-z0-9-]+$")
_SCALAR = re.compile(r"[|>][-+]?\d?")
"""What a value of several lines begins with."""
_CELL = re.compile(r"(?<!\\)\|")
_UNDER_HEAD = re.compile(r":?-+:?")
_ASKS, _CLOSERS = ("?", "\uff1f", "\u061f"), " *_)\"'\u201d\u2019"
"""How a question ends, which answers none."""
_LINK = re.compile(r"\[\[[^\[\]\n]*\]\]|\[[^\[\]\n]*\]\([^()\n]*\)")
_OWN_WORD = re.compile(r"\w+")
_SEE = frozenset(
    ("see", "also", "compare", "cf", "siehe", "auch", "vgl", "voir", "ver")
)
"""Words around a link that say nothing beside it."""
_MARKUP = ("![[", "<%", "{{", "`=", "`$=")
"""What is made of something else when the note is shown."""


class Piece(NamedTuple):
    """Characters of a stretch that can be told, and how; `text` is one line."""

    start: int
    end: int
    text: str
    kind: PieceKind = "sentence"


def pieces_of(stretch: Stretch) -> list[Piece]:
    """Return the pieces of a passage in order: those that begin in its focus."""
    first, last = stretch.focus
    found = [*_properties(stretch), *_told(stretch)]
    return [
        one
        for one in found
        if first <= one.start < last
        and FEWEST_CHARS <= len(one.text) <= MOST_CHARS
        and not holds_hidden(stretch.text[one.start : one.end])
        and not one.text.rstrip(_CLOSERS).endswith(_ASKS)
        and not any(sign in one.text for sign in _MARKUP)
        and not (one.kind == "sentence" and _points_only(one.text))
    ]


def _points_only(text: str) -> bool:
    """Whether a sentence does nothing but lead to another place."""
    if "[[" not in text and "](" not in text:
        return False
    own = _LINK.sub(" ", text).lower()
    return all(word in _SEE for word in _OWN_WORD.findall(own))


def plain(said: str) -> str:
    """Return words of a note in one line, without the marks that lines begin with."""
    lines = [MARKER.sub("", line).strip() for line in said.split("\n")]
    titled = _CALLOUT.match(lines[0])
    if titled and len(lines) > 1 and lines[0][titled.end() :][-1:].isalnum():
        lines[0] += ":"
    line = " ".join(line for line in lines if line)
    for mark in (_CALLOUT, _FOOTNOTE):
        begun = mark.match(line)
        line = line[begun.end() :] if begun else line
    return _BLOCK_ID.sub("", line).strip()


def _properties(stretch: Stretch) -> Iterator[Piece]:
    """Yield the properties of a note with what stands below their names."""
    over, at = stretch.body, stretch.text.find("\n") + 1
    begun: int | None = None
    while at < over:
        end = _line_end(stretch.text, at)
        line = stretch.text[at:end]
        closes = line.rstrip() == "---"
        if closes or PROPERTY.match(line):
            if begun is not None:
                yield _property(stretch.text, begun, at - 1)
            begun = None if closes else at
        at = end + 1


def _property(text: str, start: int, end: int) -> Piece:
    name, _, value = text[start:end].partition(":")
    lines = [line for line in value.split("\n") if not line.startswith("#")]
    values = [line.strip(" -\t\r\"'") for line in lines]
    if _SCALAR.fullmatch(values[0]):
        values[0] = ""
    said = ", ".join(one for one in values if one)
    name = name.strip(" \"'")
    return Piece(start, end, f"{name}: {said}" if said else "", "property")


class _Line(NamedTuple):
    """A line; `said` is empty where nothing is shown, `depth` counts quotations."""

    start: int
    end: int
    said: str
    depth: int = 0

    @property
    def stands_alone(self) -> bool:
        """Whether it belongs to no paragraph that has begun before it."""
        said = self.said
        begins = _ITEM.match(said) or HEADING.match(said) or _CALLOUT.match(said)
        return bool(begins or _FOOTNOTE.match(said)) or _is_rule(said) or not said


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


class _Shown:
    """Reads lines, and knows what code or comment one of them stands in."""

    def __init__(self) -> None:
        self._until, self._depth = "", 0

    def shown(self, said: str, depth: int) -> str:
        """Return what is told of the next line: nothing of code and comments."""
        if self._until and depth < self._depth:  # a quotation ends, and what is in it
            self._until = ""
        if self._until:
            if self._closes(said):
                self._until = ""
            return ""
        fence = _FENCE.match(said)
        left_open = "".join(one.left_open for one in _comments(said))
        self._until = fence[1] if fence else left_open
        self._depth = depth if fence else 0
        return "" if self._until else said

    def _closes(self, said: str) -> bool:
        sign = self._until
        if sign[0] in "`~":
            return said.startswith(sign) and not said.strip(sign[0])
        return sign in said


class _Comment(NamedTuple):
    """Where a comment stands; `left_open` is what would end it, if nothing does."""

    start: int
    end: int
    left_open: str = ""


def _comments(said: str) -> Iterator[_Comment]:
    at = 0
    while found := _COMMENT.search(said, at):
        at = found.end()
        if found[1] is not None:  # code
            continue
        closes = "%%" if found[0] == "%%" else "-->"
        over = said.find(closes, at)
        if over < 0:
            yield _Comment(found.start(), len(said), closes)
            return
        at = over + len(closes)
        yield _Comment(found.start(), at)


def _lines(text: str, at: int) -> list[_Line]:
    """Return the lines from a place on, with what is told of each."""
    found, reading = [], _Shown()
    while at < len(text):
        end = _line_end(text, at)
        line = text[at:end]
        marks = _QUOTED.match(line)
        before = marks[0] if marks else ""
        depth = before.count(">")
        said = reading.shown(line[len(before) :].rstrip(), depth)
        found.append(_Line(at, end, said, depth))
        at = end + 1
    return found


def _told(stretch: Stretch) -> Iterator[Piece]:
    """Yield sentences, items and rows behind the properties."""
    lines, at = _lines(stretch.text, stretch.body), 0
    while at < len(lines):
        line = lines[at]
        if _is_head(lines, at):
            over = _table_end(lines, at + 2)
            names = _cells(line.said)
            for row in lines[at + 2 : over]:
                yield Piece(row.start, row.end, _row(row.said, names), "row")
            at = over
        elif _is_row(line.said):  # of a table that begins before the passage
            if not _is_under_head(line.said):
                yield Piece(line.start, line.end, _row(line.said, ()), "row")
            at += 1
        elif not line.said or HEADING.match(line.said) or _is_rule(line.said):
            at += 1
        else:
            over = _block_end(lines, at)
            if not _is_underlined(lines, at, over):
                yield from _sentences(stretch, line.start, lines[over - 1].end)
            at = over


def _block_end(lines: Sequence[_Line], at: int) -> int:
    """Return where the lines of a paragraph or item end that begins with a line."""
    depth, at = lines[at].depth, at + 1
    while at < len(lines):
        line = lines[at]
        table = _is_row(line.said) or _is_head(lines, at)
        if line.stands_alone or line.depth > depth or table:
            break
        at += 1
    return at


def _is_rule(said: str) -> bool:
    """Whether a line is drawn across the page, or under a heading."""
    bare = said.replace(" ", "").replace("\t", "")
    return bool(bare) and bare[0] in "-*_=" and not bare.strip(bare[0])


def _is_underlined(lines: Sequence[_Line], at: int, over: int) -> bool:
    """Whether the lines of a paragraph are a heading by the line below them."""
    if over == len(lines) or _ITEM.match(lines[at].said):
        return False
    below = lines[over]
    drawn = bool(below.said) and (
        not below.said.strip("=") or not below.said.strip("-")
    )
    return drawn and below.depth == lines[at].depth


def _is_row(said: str) -> bool:
    return len(said) > 1 and said[0] == said[-1] == "|"


def _is_under_head(said: str) -> bool:
    """Whether a line is the one under the names of columns."""
    if "-" not in said or said.strip("|:- \t"):
        return False
    return all(_UNDER_HEAD.fullmatch(cell) for cell in _cells(said))


def _is_head(lines: Sequence[_Line], at: int) -> bool:
    """Whether a table begins with a line: as many columns stand on the next."""
    if at + 1 == len(lines) or "|" not in lines[at].said:
        return False
    head, below = lines[at].said, lines[at + 1].said
    return _is_under_head(below) and len(_cells(head)) == len(_cells(below))


def _table_end(lines: Sequence[_Line], at: int) -> int:
    while at < len(lines) and not lines[at].stands_alone:
        at += 1
    return at


def _sentences(stretch: Stretch, start: int, end: int) -> Iterator[Piece]:
    """Yield the sentences of a block, of a long one those where the focus is."""
    first = max(start, stretch.focus[0] - AROUND)
    last = min(end, stretch.focus[1] + AROUND)
    block = stretch.text[first:last]
    hidden = list(_comments(block))
    for begun, over in sentence_spans(block):
        said = block[begun:over]
        torn = (first > start and not begun) or (last < end and over == len(block))
        conceals = any(one.start < over and begun < one.end for one in hidden)
        if said.strip() and not (torn or conceals):
            yield Piece(first + begun, first + over, plain(said))


def _row(said: str, names: Sequence[str]) -> str:
    """Return a row with the names of its columns, as far as there are any."""
    shown = []
    for number, cell in enumerate(_cells(said)):
        name = names[number] if number < len(names) else ""
        if cell:
            shown.append(f"{name}: {cell}" if name else cell)
    return "; ".join(shown)


def _cells(said: str) -> list[str]:
    """Return the cells of a row, with or without a line at its sides."""
    cells = [cell.strip().replace("\\|", "|") for cell in _CELL.split(said.strip())]
    if len(cells) > 1 and not cells[0]:
        cells = cells[1:]
    return cells[:-1] if len(cells) > 1 and not cells[-1] else cells
