"""What rows of tables state: the first cell names a thing, the head says what of it.

A row counts only where its first cell is the name of a note: others are records.
"""

import re
from collections.abc import Iterator, Sequence

from glassmind.context.conflicts.values import Value, property_value
from glassmind.context.note_lines import NoteLines

WIDEST = 8
"""Cells of a row that is read: what is wider was seldom written by hand."""

_TABLE = re.compile(
    r"^\|(?P<head>[^\n]*)\n\|[ \t:|-]*-[ \t:|-]*\n(?P<rows>(?:\|[^\n]*(?:\n|\Z))+)",
    re.MULTILINE,
)
_CELL = re.compile(r"(?<!\\)\|")
_DIGIT = re.compile(r"\d")


def row_values(text: str, body: int) -> Iterator[tuple[int, str, str, Value]]:
    """Yield the lines of the rows below a head, the first cells, heads and values.

    Words are no values here: a cell may say anything.
    """
    if "\n|" not in text:
        return
    fenced = (
        NoteLines(text.split("\n")).fenced if "```" in text or "~~~" in text else ()
    )
    for table in _TABLE.finditer(text):
        first = text.count("\n", 0, table.start()) + 1
        if first < body or first in fenced:
            continue
        heads = _cells(table["head"])
        for number, line in enumerate(table["rows"].split("\n"), first + 2):
            if _DIGIT.search(line):
                yield from _values(number, heads, _cells(line))


def _values(
    number: int, heads: Sequence[str], cells: Sequence[str]
) -> Iterator[tuple[int, str, str, Value]]:
    if not len(heads) == len(cells) <= WIDEST or not cells[0]:
        return
    for head, cell in zip(heads[1:], cells[1:], strict=True):
        value = property_value(cell) if head and cell else None
        if value is not None and value.kind != "text":
            yield number, cells[0], head, value


def _cells(line: str) -> list[str]:
    inner = line.strip().strip("|")
    return [cell.replace("\\|", "|").strip(" *_`") for cell in _CELL.split(inner)]
