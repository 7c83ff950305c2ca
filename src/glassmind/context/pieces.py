"""What of a passage can be told by itself: a sentence, an item, a row, a property.

Every piece is whole lines or sentences of the note; what is shown of it has no marks of
lists and quotations, and a row of a table says which column each value is of.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from glassmind.context.passages import Stretch
from glassmind.markdown.sentences import MARKER, sentence_spans
from glassmind.render.quoted import holds_hidden

PieceKind: TypeAlias = Literal["sentence", "row", "property"]

FEWEST_CHARS, MOST_CHARS = 6, 600
"""Less says nothing, and more is no answer but a passage."""

_FENCE = re.compile(r"[\s>]*(?:```|~~~|\$\$)")
_HEADING = re.compile(r"[\s>]*#{1,6}\s")
_ITEM = re.compile(r"[\s>]*(?:[-+*]|\d{1,3}[.)])\s")
_ROW = re.compile(r"[\s>]*\|.*\|\s*$")
_RULED = re.compile(r"[\s>|:-]*-[\s>|:-]*$")
"""The line under the head of a table, and a line across the page."""
_CALLOUT = re.compile(r"^[\s>]*\[![\w-]+\][-+]?\s*")
_PROPERTY = re.compile(r"[^\s#:-][^:\n]*:(?:\s|$)")
_CELL = re.compile(r"(?<!\\)\|")
_ASKS, _CLOSERS = ("?", "\uff1f", "\u061f"), " *_)\"'\u201d\u2019"
"""How a question ends, which answers none."""
_MARKUP = ("![[", "<%", "{{", "`=", "`$=")
"""What is made of something else when the note is shown."""


class Piece(NamedTuple):
    """Characters of a stretch that can be told, and how; `text` is one line."""

    start: int
    end: int
    text: str
    kind: PieceKind = "sentence"


def pieces_of(stretch: Stretch) -> list[Piece]:
    """Return the pieces of a passage in order: those of its focus."""
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
    ]


def _properties(stretch: Stretch) -> Iterator[Piece]:
    """Yield the properties of a note with what stands below their names."""
    over, at = stretch.body, stretch.text.find("\n") + 1
    begun: int | None = None
    while at < over:
        end = stretch.text.find("\n", at)
        end = over if end < 0 else end
        line = stretch.text[at:end]
        closes = line.rstrip() == "---"
        if closes or _PROPERTY.match(line):
            if begun is not None:
                yield _property(stretch.text, begun, at - 1)
            begun = None if closes else at
        at = end + 1


def _property(text: str, start: int, end: int) -> Piece:
    name, _, value = text[start:end].partition(":")
    values = [part.strip(" -\t\r\"'") for part in value.split("\n")]
    said = ", ".join(part for part in values if part)
    return Piece(start, end, f"{name.strip()}: {said}" if said else "", "property")


def _told(stretch: Stretch) -> Iterator[Piece]:
    """Yield sentences, items and rows behind the properties."""
    text, at, head, before = stretch.text, stretch.body, "", ""
    while at < len(text):
        end = _line_end(text, at)
        line = text[at:end]
        if _FENCE.match(line):
            at = _behind_fence(text, end)
            continue
        if _RULED.match(line):
            head = before
        elif _ROW.match(line):
            if not _RULED.match(text[end + 1 : _line_end(text, end + 1)]):
                yield Piece(at, end, _row(line, head), "row")
        elif line.strip(" \t>\r") and not _HEADING.match(line):
            end = _block_end(text, end)
            yield from _sentences(text, at, end)
        if not _ROW.match(line) and not _RULED.match(line):
            head = ""
        before = line
        at = end + 1


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _behind_fence(text: str, at: int) -> int:
    """Return where a line begins behind the end of code or mathematics."""
    while at < len(text):
        end = _line_end(text, at + 1)
        if _FENCE.match(text[at + 1 : end]):
            return end + 1
        at = end
    return len(text)


def _block_end(text: str, end: int) -> int:
    """Return where a paragraph or item ends of which a line ends here."""
    while end < len(text):
        over = _line_end(text, end + 1)
        line = text[end + 1 : over]
        alone = _ITEM.match(line) or _HEADING.match(line) or _FENCE.match(line)
        if alone or _ROW.match(line) or not line.strip(" \t>\r"):
            break
        end = over
    return end


def _sentences(text: str, start: int, end: int) -> Iterator[Piece]:
    block = text[start:end]
    for first, last in sentence_spans(block):
        said = block[first:last]
        if said.strip():
            yield Piece(start + first, start + last, plain(said))


def plain(said: str) -> str:
    """Return words of a note in one line, without the marks that lines begin with."""
    lines = [MARKER.sub("", line).strip() for line in said.split("\n")]
    return _CALLOUT.sub("", " ".join(line for line in lines if line)).strip()


def _row(line: str, head: str) -> str:
    """Return a row with the names of its columns, as far as there are any."""
    cells, names = _cells(line), _cells(head)
    said = []
    for number, cell in enumerate(cells):
        name = names[number] if number < len(names) else ""
        if cell:
            said.append(f"{name}: {cell}" if name else cell)
    return "; ".join(said)


def _cells(line: str) -> list[str]:
    inside = line.strip(" \t>\r").strip("|") if line else ""
    return [cell.strip() for cell in _CELL.split(inside)] if inside else []
