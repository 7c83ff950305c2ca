"""Where in a text credentials are hidden, to the letter.

What hides them says what a text reads like afterwards. From that it is told back, line
by line, which letters went: those between the words that are still there.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from glassmind.obsidian.secrets import redacted

_SAID = re.compile(r"\(hidden: [^()\n]{1,40}\)")


class Letters(NamedTuple):
    """Some letters of a text that are hidden: the first, and the one behind them."""

    start: int
    end: int


def hidden_letters(text: str) -> list[Letters]:
    """Return which letters of a text are hidden, in order; none holds a line end.

    Where it could be told in several ways, they are all that are hidden in any.
    """
    safe = redacted(text)
    if safe == text:
        return []
    found: list[Letters] = []
    at = 0
    for before, after in zip(text.split("\n"), safe.split("\n"), strict=True):
        if before != after:
            found += _joined([_moved(one, at) for one in _gone(before, after)])
        at += len(before) + 1
    return found


def _gone(before: str, after: str) -> list[Letters]:
    """Return what of a line is not there any more where marks are."""
    kept = _SAID.split(after)
    left, right = _firsts(before, kept), _lasts(before, kept)
    if left is None or right is None:  # a mark that was half there before
        return [Letters(0, len(before))]
    ends = [start + len(said) for start, said in zip(left, kept, strict=True)]
    spans = [Letters(*both) for both in zip(ends, right[1:], strict=False)]
    return [one for one in spans if not _SAID.fullmatch(before[one.start : one.end])]


def _firsts(line: str, kept: Sequence[str]) -> list[int] | None:
    """Return the first place where each piece can stand, with letters in between."""
    found, at = [0], len(kept[0])
    for piece in kept[1:-1]:
        start = line.find(piece, at + 1)
        if start < 0:
            return None
        found.append(start)
        at = start + len(piece)
    return [*found, len(line) - len(kept[-1])]


def _lasts(line: str, kept: Sequence[str]) -> list[int] | None:
    """Return the last place where each piece can stand."""
    at = len(line) - len(kept[-1])
    found = [at]
    for piece in reversed(kept[1:-1]):
        at = line.rfind(piece, 0, max(0, at - 1))
        if at < 0:
            return None
        found.append(at)
    return [0, *reversed(found)]


def _moved(letters: Letters, by: int) -> Letters:
    return Letters(letters.start + by, letters.end + by)


def _joined(spans: Sequence[Letters]) -> list[Letters]:
    """Return spans that do not overlap."""
    found: list[Letters] = []
    for start, end in sorted(spans):
        if found and start < found[-1].end:
            found[-1] = Letters(found[-1].start, max(end, found[-1].end))
        elif start < end:
            found.append(Letters(start, end))
    return found
