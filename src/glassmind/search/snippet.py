"""Cutting the stretch of a passage that shows why it was found."""

from collections.abc import Callable, Sequence

from glassmind.model.search import Snippet

WIDTH, LEAD, REACH = 240, 60, 180
"""Characters: about three lines on a terminal, what stands before the first match, and
how far from it another may begin."""

MarkWords = Callable[[str], list[tuple[int, int]]]
"""Tells which ranges of a text match."""


def cut_snippet(text: str, places: Sequence[int], mark: MarkWords) -> Snippet:
    """Return the stretch where the most of the query stands, on one line and marked.

    `places` are where each word of the query is first met, in order. Without one it is
    the beginning of the passage. Only the stretch is marked, not the passage: a hit has
    a few microseconds.
    """
    start, end = _whole_words(text, _best_start(places))
    line = " ".join(text[start:end].split())
    return Snippet(line, tuple(mark(line)))


def _best_start(places: Sequence[int]) -> int:
    if not places or places[-1] <= REACH:
        return 0
    best, most = 0, 0
    for number, place in enumerate(places):
        count = sum(other <= place + REACH for other in places[number:])
        if count > most:
            best, most = max(0, place - LEAD), count
    return best


def _whole_words(text: str, start: int) -> tuple[int, int]:
    """Return the ends of the window, moved inwards to blanks where they are near."""
    end = min(len(text), start + WIDTH)
    if start > 0:
        blank = text.find(" ", start, start + 30)
        start = blank + 1 if blank >= 0 else start
    if end < len(text):
        blank = text.rfind(" ", max(start, end - 30), end)
        end = blank if blank >= 0 else end
    return start, end
