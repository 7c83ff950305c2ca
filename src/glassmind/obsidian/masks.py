"""Stretches of a note that an offset may fall into, asked quickly."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple


class Mask(NamedTuple):
    """Disjoint half-open stretches in order of their start."""

    starts: list[int]
    ends: list[int]

    @classmethod
    def of(cls, stretches: Iterable[tuple[int, int]]) -> "Mask":
        """Return the mask of stretches given in any order; overlaps are joined."""
        ordered = sorted(stretches)
        if not ordered:
            return _NOTHING
        starts: list[int] = []
        ends: list[int] = []
        for start, end in ordered:
            if ends and start < ends[-1]:
                ends[-1] = max(ends[-1], end)
            else:
                starts.append(start)
                ends.append(end)
        return cls(starts, ends)

    def end_at(self, offset: int) -> int | None:
        """Return where the stretch that covers `offset` ends; None when none does."""
        index = bisect_right(self.starts, offset) - 1
        if index < 0 or self.ends[index] <= offset:
            return None
        return self.ends[index]

    def covers(self, offset: int) -> bool:
        """Return whether the byte at `offset` lies in a stretch."""
        index = bisect_right(self.starts, offset) - 1
        return index >= 0 and offset < self.ends[index]


_NOTHING = Mask([], [])
