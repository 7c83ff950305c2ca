"""Cutting the stretch of a passage that shows why it was found."""

import re
from collections.abc import Sequence

from glassmind.types.search import Snippet

WIDTH = 240
"""Characters: about three lines on a terminal."""

_BLANKS = re.compile(r"\s+")


def cut_snippet(text: str, marks: Sequence[tuple[int, int]]) -> Snippet:
    """Return the window with the most different matches, on one line.

    Without a match it is the beginning of the passage.
    """
    start = _best_start(text, marks)
    end = min(len(text), start + WIDTH)
    start, end = _whole_words(text, start, end)
    inside = [(max(a, start), min(b, end)) for a, b in marks if a < end and b > start]
    return _on_one_line(text, start, end, inside)


def _best_start(text: str, marks: Sequence[tuple[int, int]]) -> int:
    best, best_value = 0, (-1, -1)
    last = 0
    for first, (begin, _) in enumerate(marks):
        last = max(last, first)
        while last < len(marks) and marks[last][1] <= begin + WIDTH * 3 // 4:
            last += 1
        seen = {text[a:b].lower() for a, b in marks[first:last]}
        value = (len(seen), last - first)
        if value > best_value:
            best, best_value = max(0, begin - WIDTH // 4), value
    return best


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Move both ends inwards to the nearest blank, a word's length at most."""
    if start > 0:
        blank = text.find(" ", start, start + 30)
        start = blank + 1 if blank >= 0 else start
    if end < len(text):
        blank = text.rfind(" ", max(start, end - 30), end)
        end = blank if blank >= 0 else end
    return start, end


def _on_one_line(
    text: str, start: int, end: int, marks: Sequence[tuple[int, int]]
) -> Snippet:
    pieces: list[str] = []
    placed: list[tuple[int, int]] = []
    length, at = 0, start
    for a, b in [*marks, (end, end)]:
        between = _BLANKS.sub(" ", text[at:a])
        if not pieces:
            between = between.lstrip()
        pieces.append(between)
        length += len(between)
        matched = _BLANKS.sub(" ", text[a:b])
        if matched:
            placed.append((length, length + len(matched)))
        pieces.append(matched)
        length += len(matched)
        at = b
    return Snippet("".join(pieces).rstrip(), tuple(placed))
