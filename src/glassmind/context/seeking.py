"""Looking in a text for lines of which only the digest is known.

No text can be searched for what is not known, so as many lines as there were are
hashed at every place, those nearest to the former one first.
"""

from collections.abc import Iterator, Sequence

from glassmind.model import Span
from glassmind.obsidian.receipts import full_digest

MOST_CHARS = 128_000_000
"""Characters hashed for one call: about a second; thousands of notes, or one of 50 MB
when some line is looked for."""

PLACE_CHARS = 200
"""What looking at a place costs beside its text, in characters hashed."""


class Effort:
    """How much may still be looked at before a search is given up."""

    def __init__(self, chars: int = MOST_CHARS) -> None:
        self._left = chars

    @property
    def left(self) -> int:
        """Characters that may still be looked at."""
        return max(self._left, 0)

    @property
    def is_spent(self) -> bool:
        """Whether nothing more may be looked at."""
        return self._left <= 0

    def spend(self, chars: int) -> None:
        """Take on record that a place was looked at."""
        self._left -= chars + PLACE_CHARS


def plain_lines(text: str) -> list[str]:
    """Return the lines of a text without their ends, as the index counts them."""
    lines = [line.rstrip("\r") for line in text.split("\n")]
    return lines if lines[-1] else lines[:-1]


def stands_at(lines: Sequence[str], span: Span, digest: str) -> bool:
    """Whether these lines are all there, and have the digest or one that begins so."""
    if span.end > max(len(lines), 1):
        return False
    there = "\n".join(lines[span.start - 1 : span.end])
    return full_digest(there).startswith(digest)


def seek(lines: Sequence[str], span: Span, digest: str, effort: Effort) -> Span | None:
    """Return where lines stand now, the nearest place to where they stood.

    None when they are nowhere, or when the effort is spent.
    """
    count = span.end - span.start + 1
    for start in _outward(min(span.start, len(lines)), len(lines)):
        if effort.is_spent:
            return None
        there = "\n".join(lines[start - 1 : start - 1 + count])
        effort.spend(len(there))
        if full_digest(there).startswith(digest):
            return Span(start, min(start + count - 1, len(lines)))
    return None


def _outward(middle: int, count: int) -> Iterator[int]:
    """Yield the numbers from 1 to `count`, the nearest to one of them first."""
    for away in range(count):
        if middle + away <= count:
            yield middle + away
        if away and middle - away >= 1:
            yield middle - away
