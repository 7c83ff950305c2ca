"""How well a vault is, from 0 to 100, and what each check has to do with it.

Each check that was made can cost points by its severity; those of all make 100. It
costs half of them when it finds as many things as its severity allows for the notes
that are sound, and ever more, never all, beyond: with `n` findings and `room` for so
many, `n / (n + room)` of its points.

Room goes by the notes in which nothing was found, not by all: whoever mends a note gets
more room everywhere, and whoever deletes it loses none. So mending never costs a point.
Things that are found in no single note, such as ghosts, make no note unsound.
"""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from glassmind.types.health import ScorePart, Severity

POINTS: Mapping[Severity, float] = {"high": 10, "medium": 5, "low": 2}
"""What checks can cost against each other. A judgement: something lost or about to be
lost counts as much as five things that are merely untidy."""

ROOM: Mapping[Severity, float] = {"high": 0.01, "medium": 0.05, "low": 0.2}
"""The share of sound notes that has half the points: one note in a hundred, in twenty,
in five. A judgement."""


class Counted(NamedTuple):
    """What one check found: so many things, and the notes they were found in.

    `notes` are empty for a check that is not about single notes.
    """

    check: str
    severity: Severity
    found: int
    notes: frozenset[str] = frozenset()


def sound_notes(notes: int, counted: Iterable[Counted]) -> int:
    """Return how many notes nothing was found in."""
    marked: set[str] = set()
    for one in counted:
        marked |= one.notes
    return max(0, notes - len(marked))


def scored(counted: Iterable[Counted], sound: int) -> tuple[int, tuple[ScorePart, ...]]:
    """Return the score, rounded down, and the part of each check in the order given.

    A hundred means that nothing was found.
    """
    checks = list(counted)
    whole = math.fsum(POINTS[one.severity] for one in checks)
    parts = tuple(
        ScorePart(
            one.check,
            (points := 100 * POINTS[one.severity] / whole),
            points * one.found / (one.found + _room(one.severity, sound)),
        )
        for one in checks
    )
    return math.floor(100 - math.fsum(part.lost for part in parts)), parts


def _room(severity: Severity, sound: int) -> float:
    return max(1.0, ROOM[severity] * sound)
