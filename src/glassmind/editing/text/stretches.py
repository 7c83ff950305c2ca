"""Which bytes of a file several changes in a row have touched, before and after."""

from collections.abc import Sequence
from typing import NamedTuple

from glassmind.types.editing import Splice


class Stretch(NamedTuple):
    """Bytes of a file, half open, and where stands what took their place."""

    start: int
    end: int
    new_start: int
    new_end: int


def joined(done: Sequence[Stretch], splices: Sequence[Splice]) -> list[Stretch]:
    """Return what was touched by now, when these splices follow what was done.

    Both are in order and disjoint; the splices count in the file as it is by now.
    Stretches that meet become one.
    """
    moves = [
        (s.new_start, s.new_end, (s.end - s.start) - (s.new_end - s.new_start), 0)
        for s in done
    ]
    moves += [(s.start, s.end, 0, len(s.text) - (s.end - s.start)) for s in splices]
    found: list[Stretch] = []
    old = new = 0  # how far places before and after are off from those of now
    for start, end, back, ahead in _groups(moves):
        found.append(
            Stretch(start + old, end + old + back, start + new, end + new + ahead)
        )
        old, new = old + back, new + ahead
    return found


def _groups(
    moves: Sequence[tuple[int, int, int, int]],
) -> list[tuple[int, int, int, int]]:
    groups: list[tuple[int, int, int, int]] = []
    for start, end, back, ahead in sorted(moves):
        if groups and start <= groups[-1][1]:
            first, last, so_far, gained = groups[-1]
            groups[-1] = (first, max(last, end), so_far + back, gained + ahead)
        else:
            groups.append((start, end, back, ahead))
    return groups
