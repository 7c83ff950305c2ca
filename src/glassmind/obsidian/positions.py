"""Byte offsets to lines: where a thing stands, said the way an editor says it."""

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, count
from operator import add

from glassmind.model import Span


def line_starts(source: bytes) -> list[int]:
    """Return the offset at which each line begins; lines end at a line feed."""
    if b"\r" in source:
        lengths = accumulate(map(len, source.split(b"\n")[:-1]))
        return [0, *map(add, lengths, count(1))]
    starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]
    if len(starts) > 1 and not source.endswith(b"\n"):
        starts.pop()
    return starts


def line_at(starts: Sequence[int], offset: int) -> int:
    """Return the number of the line that holds the byte at `offset`, from 1."""
    return bisect_right(starts, offset)


def span_at(starts: Sequence[int], start: int, end: int) -> Span:
    """Return the lines of a half-open stretch; an empty one stands on one line."""
    first = bisect_right(starts, start)
    if first == len(starts) or end <= starts[first]:
        return span_of(first, first)
    return span_of(first, bisect_right(starts, end - 1))


@lru_cache(maxsize=4096)
def span_of(first: int, last: int) -> Span:
    """Return a span; notes are of like length, so the same few come again and again."""
    return Span(first, last)
