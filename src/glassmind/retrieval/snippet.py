"""Cutting the stretch of a passage that shows why it was found."""

from collections.abc import Sequence

from glassmind.types.search import Snippet

WIDTH = 240
"""Characters: about three lines on a terminal."""


def cut_snippet(text: str, marks: Sequence[tuple[int, int]]) -> Snippet:
    """Return the window with the most different matches, on one line.

    Without a match it is the beginning of the passage.
    """
    start = _best_start(text, marks)
    end = min(len(text), start + WIDTH)
    start, end = _whole_words(text, start, end)
    inside = [(a, b) for a, b in marks if a < end and b > start]
    placed = []
    for a, b in inside:
        before = text[start : max(a, start)]
        at = len(_squeezed(before)) + (before[-1:].isspace() and not before.isspace())
        placed.append((at, at + min(b, end) - max(a, start)))
    return Snippet(_squeezed(text[start:end]), tuple(placed))


def _squeezed(text: str) -> str:
    """Return the text on one line, each run of blanks made one."""
    return " ".join(text.split())


def _best_start(text: str, marks: Sequence[tuple[int, int]]) -> int:
    if not marks or marks[-1][1] <= WIDTH:
        return 0
    best, best_value, last = 0, (-1, -1), 0
    for first, (begin, _) in enumerate(marks):
        while last < len(marks) and marks[last][1] <= begin + WIDTH * 3 // 4:
            last += 1
        last = max(last, first + 1)
        if last - first < best_value[0]:
            continue  # fewer matches cannot be more different ones
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
