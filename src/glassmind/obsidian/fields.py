"""Inline Dataview fields: `key:: value` lines, `[key:: value]`, `(key:: value)`.

Dataview reads the raw lines, so fields inside code and comments count as well. A line
that holds a bracketed field is not read as a whole-line field.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from glassmind.model.notes import Field, FieldForm
from glassmind.obsidian.positions import line_at
from glassmind.obsidian.structure import Item

LONGEST_LINE = 32_768
"""Dataview skips longer lines."""

_KEY = re.compile(r"[\[(]([^\[\]()]*?)::")
_BRACKET = re.compile(r"\\.|[\[\]()]")
_WHOLE = re.compile(r"\W*+([\w\s/-]*+)[*~`]*+")
_LIST_MARK = re.compile(r"[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+(\[.\][ \t])?")
_EMOJI = re.compile(
    "(\u2795|\U0001f6eb|\u23f3|\U0001f4c5|\U0001f4c6|\U0001f5d3\ufe0f?|\u2705)"
    r"\s*(\d{4}-\d{2}-\d{2})"
)
_SIGNS = (
    "\u2795", "\u23f3", "\u2705",
    "\U0001f6eb", "\U0001f4c5", "\U0001f4c6", "\U0001f5d3",
)  # fmt: skip
_MEANING = {
    "\u2795": "created",
    "\U0001f6eb": "start",
    "\u23f3": "scheduled",
    "\u2705": "completion",
}
"""What a sign before a date says; the calendar signs say "due"."""


@dataclass(frozen=True, slots=True)
class Found:
    """A field in a line: key, value, form, and its characters."""

    key: str
    value: str
    form: FieldForm
    start: int
    end: int


def bracketed_fields(line: str) -> list[Found]:
    """Return the fields in brackets or parentheses, in order.

    Inner brackets of the same shape balance and a backslash hides one. Of two fields
    with nothing between them only the first counts.
    """
    closing = _closings(line)
    found: list[Found] = []
    cursor = 0
    while match := _KEY.search(line, cursor):
        start = match.start()
        end = closing.get(start)
        if end is None or end < match.end():
            cursor = start + 1
            continue
        form: FieldForm = "bracket" if line[start] == "[" else "paren"
        value = line[match.end() : end].strip()
        found.append(Found(match[1].strip(), value, form, start, end + 1))
        cursor = end + 2
    return found


def dated_fields(line: str) -> list[Found]:
    """Return the dates that an emoji explains, as the Tasks plugin writes them."""
    return [
        Found(_MEANING.get(sign[1], "due"), sign[2], "emoji", sign.start(), sign.end())
        for sign in _EMOJI.finditer(line)
    ]


def whole_line_field(line: str) -> Found | None:
    """Return the field that the whole line is, if words stand before its first `::`."""
    mark = line.find("::")
    if mark < 0:
        return None
    key = _WHOLE.fullmatch(line, 0, mark)
    if key is None:
        return None
    value = line[mark + 2 :]
    end = len(line.rstrip())
    return Found(
        key[1].strip(), value.strip(), "line", key.start(1), max(end, mark + 2)
    )


def inline_fields(
    text: str, body: int, items: Sequence[Item], source: bytes, starts: Sequence[int]
) -> list[Field]:
    """Return the fields of the body, in order; those without a key are left out.

    `source` is `text` in bytes.
    """
    marks = [b"::"] if source.find(b"::", body) >= 0 else []
    if items and not text.isascii():
        # One wide character is found much faster in text than its bytes in the source.
        marks.extend(sign.encode() for sign in _SIGNS if sign in text)
    if not marks:
        return []
    listed = {line_at(starts, item.start) for item in items}
    found: list[Field] = []
    for number in _lines_with(marks, source, body, listed, starts):
        start = starts[number - 1]
        end = starts[number] - 1 if number < len(starts) else len(source)
        if end - start > 4 * LONGEST_LINE:
            continue
        line = source[start:end].decode().rstrip("\r")
        if len(line) > LONGEST_LINE:
            continue
        for item in line_fields(line, listed=number in listed):
            if not item.key:
                continue
            first = start + len(line[: item.start].encode())
            last = first + len(line[item.start : item.end].encode())
            found.append(Field(item.key, item.value, item.form, number, first, last))
    return found


def line_fields(line: str, *, listed: bool) -> list[Found]:
    """Return the fields of one line; `listed` says that a list item begins on it."""
    found = bracketed_fields(line) if "::" in line else []
    mark = _LIST_MARK.match(line) if listed else None
    if listed:
        found = sorted(found + dated_fields(line), key=lambda item: item.start)
    if found or "::" not in line or (mark and mark[1]):
        return found
    lead = mark.end() if mark else 0
    whole = whole_line_field(line[lead:])
    if whole is None:
        return []
    start, end = whole.start + lead, whole.end + lead
    return [Found(whole.key, whole.value, whole.form, start, end)]


def _lines_with(
    marks: Iterable[bytes],
    source: bytes,
    body: int,
    listed: set[int],
    starts: Sequence[int],
) -> list[int]:
    """Return the numbers of the lines worth reading, in order."""
    numbers: set[int] = set()
    for mark in marks:
        at = source.find(mark, body)
        while at >= 0:
            number = line_at(starts, at)
            if mark == b"::" or number in listed:
                numbers.add(number)
            at = source.find(mark, starts[number]) if number < len(starts) else -1
    return sorted(numbers)


def _closings(line: str) -> dict[int, int]:
    """Return, for each opening bracket, where the one that closes it stands."""
    waiting: dict[str, list[int]] = {"]": [], ")": []}
    closing: dict[int, int] = {}
    for match in _BRACKET.finditer(line):
        mark = match[0]
        if mark in "[(":
            waiting["]" if mark == "[" else ")"].append(match.start())
        elif mark in "])" and waiting[mark]:
            closing[waiting[mark].pop()] = match.start()
    return closing
