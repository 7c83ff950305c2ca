"""How alike two notes must be: one level for every model, on a scale of its own.

The cosines of one model lie low and those of another high: of two notes of SciFact that
have nothing to do with each other, the default model says 0.14 and bge-small 0.62. So
a level is meant for the usual case, and moved by what the vault's own notes say of
themselves: the share of the way from two notes at random to two that are the same.
"""

import numpy as np
from numpy.typing import NDArray

USUAL = 0.22
"""The median cosine of two notes by the default model: .10 on lyz, .14 on SciFact, .22
in the sample vault, .32 and .40 in two small ones about one thing each."""

SAMPLE = 1_000
"""Notes that are compared with each other to find the median: half a million pairs."""

AS_IF = 30
"""Notes of the usual kind that are counted in, so that a few notes say little."""

STEPS = 100
"""Thresholds are whole hundredths: one note more must not move them at every turn."""

LOWEST, HIGHEST = 0.05, 0.99


def threshold_for(level: float, sample: NDArray[np.float32]) -> float:
    """Return the cosine from which notes count as alike, in whole hundredths."""
    count = len(sample)
    usual = USUAL
    if count > 1:
        cosines = sample @ sample.T
        # both halves: the median is that of one
        median = float(np.median(cosines[~np.eye(count, dtype=np.bool_)]))
        usual = (median * count + USUAL * AS_IF) / (count + AS_IF)
    moved = 1 - (1 - level) * (1 - usual) / (1 - USUAL)
    return min(HIGHEST, max(LOWEST, round(moved * STEPS) / STEPS))
