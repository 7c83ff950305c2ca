"""Cutting the stretch of a passage that shows why it was found."""

from collections.abc import Sequence

from glassmind.types.search import Snippet

WIDTH, LEAD, REACH = 240, 60, 180
"""Characters: about three lines on a terminal, what stands before the first match, and
how far from it another may end."""


def cut_snippet(text: str, marks: Sequence[tuple[int, int]]) -> Snippet:
    """Return the window with the most different matches, on one line.

    Without a match it is the beginning of the passage.
    """
    start = _best_start(text, marks)
    end = min(len(text), start + WIDTH)
    start, end = _whole_words(text, start, end)
    inside = [(a, b) for a, b in marks if a < end and b > start]
    return _on_one_line(text, start, end, inside)


def _on_one_line(
    text: str, start: int, end: int, marks: Sequence[tuple[int, int]]
) -> Snippet:
    """Return the window with each run of blanks made one, its marks moved along."""
    parts: list[str] = []
    placed: list[tuple[int, int]] = []
    length, at = 0, start
    for begin, stop in (*marks, (end, end)):
        gap = text[at : max(begin, at)]
        between = " ".join(gap.split())
        if gap[:1].isspace() and length:
            between = f" {between}"
        if gap[-1:].isspace() and between.strip():
            between += " "
        word = " ".join(text[max(begin, at) : min(stop, end)].split())
        length += len(between)
        if word:
            placed.append((length, length + len(word)))
        parts += (between, word)
        length += len(word)
        at = max(stop, at)
    return Snippet("".join(parts).rstrip(), tuple(placed))


def _best_start(text: str, marks: Sequence[tuple[int, int]]) -> int:
    """Return where the window begins that holds the most different words, then most."""
    if not marks or marks[-1][1] <= WIDTH:
        return 0
    words = [text[begin:end] for begin, end in marks]
    inside: dict[str, int] = {}
    best, best_value, last, count = 0, (0, 0), 0, len(marks)
    for first, (begin, _) in enumerate(marks):
        reach = begin + REACH
        while last < count and (last <= first or marks[last][1] <= reach):
            inside[words[last]] = inside.get(words[last], 0) + 1
            last += 1
        value = (len(inside), last - first)
        if value > best_value:
            best, best_value = max(0, begin - LEAD), value
        if inside[words[first]] == 1:
            del inside[words[first]]
        else:
            inside[words[first]] -= 1
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
