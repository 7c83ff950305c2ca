"""Edits inside brackets: a piece more or less in `[a, b]` and `{a: 1}`, as written."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_COMMA = re.compile(r"[ \t]*,")
_COMMENT = re.compile(r"(?<=[\s,])#")
_ONLY_PIECE = re.compile(r"\n([ \t]*)$")


class Cut(NamedTuple):
    """Characters of a text, half open, and what is to stand in their place."""

    start: int
    end: int
    text: str


class Brackets(NamedTuple):
    """Where brackets open and close in a text, and the pieces between them."""

    start: int
    end: int
    pieces: Sequence[tuple[int, int]]


def with_pieces(
    text: str, brackets: Brackets, new: Sequence[str], newline: str
) -> list[Cut]:
    """Return the cuts that add pieces at the end.

    Where the last piece stands on a line of its own, so do the new ones.
    """
    if not brackets.pieces:
        inside = text[brackets.start + 1 : brackets.end - 1]
        at = brackets.start + 1
        stop = at if inside.strip() else brackets.end - 1
        return [Cut(at, stop, ", ".join(new))]
    begin, end = brackets.pieces[-1]
    own_line = _ONLY_PIECE.search(text, 0, begin)
    comma = _COMMA.match(text, end)
    if own_line is None:
        return [Cut(end, end, "".join(f", {piece}" for piece in new))]
    lead = newline + own_line[1]
    at = line_end(text, comma.end() if comma else end)
    if at >= brackets.end:  # the closing bracket stands on that line
        at = comma.end() if comma else end
    trailing = "," if comma else ""
    added = lead + f",{lead}".join(new) + trailing
    if comma:
        return [Cut(at, at, added)]
    if at == end:
        return [Cut(end, end, f",{added}")]
    return [Cut(end, end, ","), Cut(at, at, added)]


def without_pieces(text: str, brackets: Brackets, gone: Sequence[int]) -> list[Cut]:
    """Return the cuts that take pieces away, given by number in rising order.

    A comment goes with its piece: with that before it on its line, or on the next.
    """
    pieces = brackets.pieces
    if len(gone) == len(pieces):
        return [Cut(brackets.start + 1, brackets.end - 1, "")]
    last = max(number for number in range(len(pieces)) if number not in set(gone))
    cuts = [
        Cut(pieces[number][0], _next_kept(text, brackets, number, gone), "")
        for number in gone
        if number < last
    ]
    if last < len(pieces) - 1:
        cuts += _without_end(text, brackets, last)
    return cuts


def _next_kept(text: str, brackets: Brackets, number: int, gone: Sequence[int]) -> int:
    """Return where begins what stays behind a piece: another, or a comment of it."""
    start, end = brackets.pieces[number]
    following = brackets.pieces[number + 1][0]
    if number + 1 in gone:
        return following
    at = end
    before = [one[1] for place, one in enumerate(brackets.pieces) if place not in gone]
    if not any(line_start(text, start) <= stop <= start for stop in before):
        at = next_line(text, end)  # its own comment goes too
    comment = _COMMENT.search(text, at, following) if at < following else None
    return comment.start() if comment else following


def _without_end(text: str, brackets: Brackets, last: int) -> list[Cut]:
    """Return the cuts that take all pieces away behind one, which becomes the last."""
    stays, (follows, _) = brackets.pieces[last][1], brackets.pieces[last + 1]
    end, close = brackets.pieces[-1][1], brackets.end - 1
    line = line_end(text, stays)
    if line > follows or not _COMMENT.search(text, stays, close):
        return [Cut(stays, end, "")]
    comma, trailing = _COMMA.match(text, stays), _COMMA.match(text, end)
    stop = line_end(text, end)
    if stop > close:  # the closing bracket stands there, and in no comment
        return [
            *_cut(stays, comma),
            Cut(follows, trailing.end() if trailing else end, ""),
        ]
    return [*([] if trailing else _cut(stays, comma)), Cut(line, stop, "")]


def _cut(at: int, comma: "re.Match[str] | None") -> list[Cut]:
    return [Cut(at, comma.end(), "")] if comma else []


def line_start(text: str, at: int) -> int:
    """Return where the line of a character begins."""
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """Return where the line of a character ends, before what ends it."""
    stop = text.find("\n", at)
    if stop < 0:
        return len(text)
    return stop - 1 if stop > at and text[stop - 1] == "\r" else stop


def next_line(text: str, at: int) -> int:
    """Return where the line behind that of a character begins."""
    stop = text.find("\n", at)
    return len(text) if stop < 0 else stop + 1


def with_cuts(text: str, cuts: Sequence[Cut]) -> str:
    """Return a text with every cut made; those at one place keep their order."""
    parts: list[str] = []
    at = 0
    for start, end, new in sorted(cuts, key=lambda cut: cut[:2]):
        parts += (text[at:start], new)
        at = end
    return "".join((*parts, text[at:]))
