"""How well a vault is, from 0 to 100, and what each check has to do with it.

What a check finds weighs by its severity and by how much of the vault it concerns:
findings that are each of a note by their share of the notes, so that half a vault of
orphans weighs half of what a whole one does. Things that are found in no single note,
such as names without a file, weigh `n / (n + notes)`: there may be more of them than
notes, and no number of them is worse than anything else.

With the weight of all together the score is `100 / (1 + weight)`. Every finding less is
less weight, whatever else is found and whether or not other checks could be made: one
that could not weighs nothing, as one that finds nothing.
"""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from glassmind.model.health import ScorePart, Severity

WEIGHTS: Mapping[Severity, float] = {"high": 4.0, "medium": 2.0, "low": 0.8}
"""What a finding in every note weighs. A judgement: something lost or about to be lost
counts as much as five things that are merely untidy, and a vault of orphans, in which
all else is well, has a third of the points."""


class Counted(NamedTuple):
    """What one check found: so many things, and the notes they were found in.

    `notes` are None for a check that is not about single notes.
    """

    check: str
    severity: Severity
    found: int
    notes: frozenset[str] | None = None


def sound_notes(notes: int, counted: Iterable[Counted]) -> int:
    """Return how many notes nothing was found in."""
    marked: set[str] = set()
    for one in counted:
        marked |= one.notes or frozenset()
    return max(0, notes - len(marked))


def scored(counted: Iterable[Counted], notes: int) -> tuple[int, tuple[ScorePart, ...]]:
    """Return the score, rounded down, and the part of each check in the order given.

    A hundred means that nothing was found.
    """
    checks = list(counted)
    many = max(1, notes)
    weights = [_weight(one, one.found, many) for one in checks]
    whole = 1 + math.fsum(weights)
    parts = tuple(
        ScorePart(
            one.check,
            round(_alone(_weight(one, many, many)), 2),
            round(100 * weight / whole, 2),
        )
        for one, weight in zip(checks, weights, strict=True)
    )
    return math.floor(100 / whole), parts


def _weight(one: Counted, found: int, notes: int) -> float:
    share = found / (found + notes) if one.notes is None else found / notes
    return WEIGHTS[one.severity] * share


def _alone(weight: float) -> float:
    """Return the points that a weight costs where nothing else was found."""
    return 100 * weight / (1 + weight)
