"""Logistic regression that is pulled toward weights known before."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Column: TypeAlias = NDArray[np.float64]
Table: TypeAlias = NDArray[np.float64]

STEPS = 100
"""Newton's method takes about eight; more where one feature parts all examples."""

FARTHEST = 5.0
"""A step too far, from examples that are nearly parted, would never come back."""


def logistic(values: Column) -> Column:
    """Return the probability of each value."""
    found: Column = 1 / (1 + np.exp(-np.clip(values, -500, 500)))
    return found


def fitted(
    rows: Sequence[Sequence[float]] | Table,
    labels: Sequence[float] | Column,
    counts: Sequence[float] | Column,
    toward: Sequence[float] | Column,
    pull: Sequence[float] | Column,
) -> list[float]:
    """Return bias and weights that fit best, the bias first.

    `counts` says how much each example counts; `toward` is what bias and weights would
    be without any, and `pull` how many examples that is worth, for each of them. It is
    scaled as the features are, so that their units do not matter.
    """
    table, mass, usual = np.asarray(rows), np.asarray(counts), np.asarray(toward)
    means = (mass @ table) / mass.sum()
    scales = np.sqrt((mass @ (table - means) ** 2) / mass.sum())
    scales[scales == 0] = 1.0
    inputs = np.column_stack([np.ones(len(table)), (table - means) / scales])
    start = np.append(usual[0] + usual[1:] @ means, usual[1:] * scales)
    found = _newton(inputs, np.asarray(labels), mass, start, np.diag(pull))
    weights = found[1:] / scales
    return [float(found[0] - weights @ means), *map(float, weights)]


def _newton(
    inputs: Table, labels: Column, counts: Column, start: Column, pull: Table
) -> Column:
    found = start.copy()
    for _ in range(STEPS):
        expected = logistic(inputs @ found)
        slope = inputs.T @ (counts * (labels - expected)) - pull @ (found - start)
        curve = (inputs.T * (counts * expected * (1 - expected))) @ inputs + pull
        step = np.linalg.solve(curve, slope)
        step *= min(1.0, FARTHEST / max(float(np.abs(step).max()), 1e-12))
        found = found + step
        if float(np.abs(step).max()) < 1e-10:
            break
    return found
