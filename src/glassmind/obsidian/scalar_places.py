"""Where in the YAML of a scalar each of its letters stands.

A quoted scalar escapes letters and folds lines, so a stretch of its value is not the
same stretch of its source. Here the source is read letter by letter beside the value;
what does not come out as the value has no places.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

ScalarStyle: TypeAlias = Literal["plain", "single", "double", "block"]

_MARKS = re.compile(r"(?:[&!]\S*\s+)*")
_SPACE = " \t\r\n"
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v",
    "f": "\f", "r": "\r", "e": "\x1b", " ": " ", '"': '"', "/": "/", "\\": "\\",
    "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_WIDTHS = {"x": 2, "u": 4, "U": 8}

_Letters: TypeAlias = Iterator[tuple[str, int]]


class Scalar(NamedTuple):
    """How a scalar is written, and where each letter of its value begins in it.

    One place more than the value has letters: where the last of them ends.
    """

    style: ScalarStyle
    places: tuple[int, ...]


def scalar_places(written: str, value: str) -> Scalar | None:
    """Return where the letters of a value stand in its YAML; None for an alias."""
    marks = _MARKS.match(written)
    start = marks.end() if marks else 0
    letters: list[tuple[str, int]]
    style: ScalarStyle
    match written[start : start + 1]:
        case '"':
            style, letters = "double", list(_quoted(written, start + 1, '"'))
        case "'":
            style, letters = "single", list(_quoted(written, start + 1, "'"))
        case "|" | ">":
            style, letters = "block", _fitted(list(_block(written, start)), value)
        case _:
            style, letters = "plain", list(_quoted(written, start, ""))
    if "".join(letter for letter, _ in letters[: len(value)]) != value:
        return None
    places = [place for _, place in letters[: len(value)]]
    last = letters[len(value)][1] if len(letters) > len(value) else len(written)
    return Scalar(style, (*places, last))


def in_scalar(text: str, style: str) -> str:
    """Return a text as it is written inside of a scalar of that style."""
    if style == "double":
        return text.replace("\\", "\\\\").replace('"', '\\"')
    return text.replace("'", "''") if style == "single" else text


def _quoted(written: str, at: int, quote: str) -> _Letters:
    """Yield letters and places up to the closing quote, and the place of that."""
    end = len(written)
    while at < end:
        sign = written[at]
        if sign == "\\" and quote == '"':
            letter, after = _escaped(written, at)
            if letter is not None:
                yield letter, at
            at = after
        elif sign == quote:
            if quote != "'" or written[at + 1 : at + 2] != "'":
                break
            yield "'", at
            at += 2
        elif sign in _SPACE:
            after = at
            while after < end and written[after] in _SPACE:
                after += 1
            yield from _blanks(written, at, after)
            at = after
        else:
            yield sign, at
            at += 1
    yield "", at


def _blanks(written: str, at: int, after: int) -> _Letters:
    """Yield a run of blanks; one with line ends in it is folded."""
    breaks = written.count("\n", at, after)
    if not breaks:
        yield from ((written[place], place) for place in range(at, after))
    elif breaks == 1:
        yield " ", at
    else:
        yield from (("\n", at) for _ in range(breaks - 1))


def _escaped(written: str, at: int) -> tuple[str | None, int]:
    """Return the letter of an escape, None for a line that goes on, and its end."""
    sign = written[at + 1 : at + 2]
    if sign in _WIDTHS:
        end = at + 2 + _WIDTHS[sign]
        try:
            return chr(int(written[at + 2 : end], 16)), end
        except (ValueError, OverflowError):
            return "\ufffd", end
    if sign in ("\r", "\n"):
        end = at + 1
        while written[end : end + 1] and written[end] in _SPACE:
            end += 1
        return None, end
    return _ESCAPES.get(sign, sign), at + 2


def _block(written: str, start: int) -> _Letters:
    """Yield the letters of a block scalar without its indentation, lines not folded."""
    at = written.find("\n", start) + 1
    lines = written[at:].splitlines(keepends=True) if at else []
    widths = [len(line) - len(line.lstrip(" ")) for line in lines if line.strip()]
    indent = min(widths, default=0)
    for line in lines:
        body = line.rstrip("\r\n")
        for place in range(indent, len(body)):
            yield body[place], at + place
        if len(body) < len(line):
            yield "\n", at + len(body)
        at += len(line)


def _fitted(letters: list[tuple[str, int]], value: str) -> list[tuple[str, int]]:
    """Return those letters that make up the value, where lines may be folded."""
    found: list[tuple[str, int]] = []
    at = 0
    for sign in value:
        while at < len(letters) and not _fits(letters[at][0], sign):
            if letters[at][0] != "\n":
                return []
            at += 1
        if at == len(letters):
            return []
        found.append((sign, letters[at][1]))
        at += 1
    if at < len(letters):
        found.append(("", letters[at][1]))
    return found


def _fits(written: str, meant: str) -> bool:
    return written == meant or (written == "\n" and meant == " ")
