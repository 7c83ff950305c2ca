"""How good probabilities are: whether they hold, and how well they part two kinds.

They hold as far as the expected calibration error over bins of equal mass is small; how
well they part what can be answered from what cannot is the area under the ROC curve.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Column: TypeAlias = NDArray[np.float64]

BINS = 15
"""As the literature has it (Guo et al. 2017), here with as much mass in each."""


class Bin(NamedTuple):
    """Some replies of like confidence: how sure, how often rightly so, how many.

    `share` is how much of all it counts.
    """

    predicted: float
    actual: float
    examples: int
    share: float


class Quality(NamedTuple):
    """How good probabilities are.

    `ece` is how far they are off on average, `auroc` how well they part what can be
    answered from what cannot; `bins` are the reliability table.
    """

    ece: float
    auroc: float
    bins: Sequence[Bin]
    examples: int


def quality(probabilities: Sequence[float], answerable: Sequence[bool]) -> Quality:
    """Return how well probabilities hold and how well they part the two kinds.

    Each kind counts half, however many there are of it: a probability is one among
    questions of which every second has an answer.
    """
    counts = _halves(np.asarray(answerable, bool))
    bins = reliability(probabilities, answerable, counts=counts)
    area = auroc(probabilities, answerable)
    return Quality(error_of(bins), area, bins, len(probabilities))


def error_of(bins: Iterable[Bin]) -> float:
    """Return how far what was said is from what was, on average."""
    return sum(abs(one.predicted - one.actual) * one.share for one in bins)


def _halves(labels: NDArray[np.bool_]) -> Column:
    """Return how much each example counts, so that both kinds count alike."""
    yes = int(labels.sum())
    no = len(labels) - yes
    return np.where(labels, 0.5 / max(yes, 1), 0.5 / max(no, 1))


def reliability(
    probabilities: Sequence[float],
    answerable: Sequence[bool],
    count: int = BINS,
    *,
    counts: Column | None = None,
) -> tuple[Bin, ...]:
    """Return bins of equal mass, the least likely first; equals may be parted.

    `counts` says how much each example counts, by default all alike.
    """
    mass = np.ones(len(probabilities)) if counts is None else counts
    order = np.argsort(np.asarray(probabilities), kind="stable")
    sure, right = np.asarray(probabilities)[order], np.asarray(answerable, float)[order]
    mass = mass[order] / (mass.sum() or 1.0)
    places = np.minimum((count * (np.cumsum(mass) - mass / 2)).astype(int), count - 1)
    return tuple(
        Bin(
            float(np.average(sure[part], weights=mass[part])),
            float(np.average(right[part], weights=mass[part])),
            len(part),
            float(mass[part].sum()),
        )
        for part in (np.flatnonzero(places == at) for at in range(count))
        if len(part)
    )


def auroc(probabilities: Sequence[float], answerable: Sequence[bool]) -> float:
    """Return how often an answerable one is above one that is not; equals are half.

    0.5 when one of the two kinds is missing.
    """
    values, labels = np.asarray(probabilities), np.asarray(answerable, bool)
    yes, no = int(labels.sum()), int((~labels).sum())
    if not yes or not no:
        return 0.5
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    # The mean rank of each value, equals sharing theirs.
    ranks = np.cumsum(counts) - (counts - 1) / 2
    total = float(ranks[places][labels].sum())
    return (total - yes * (yes + 1) / 2) / (yes * no)
