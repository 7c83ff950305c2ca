"""From what an answer looks like to how likely the vault holds one.

A logistic regression over a few features of a reply, standardised, with a small ridge,
fitted by Newton's method. It is judged by how well its probabilities hold (expected
calibration error over bins of equal mass) and how well it parts what can be answered
from what cannot (the area under the ROC curve), on vaults that it was not fitted on.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from glassmind.types.evaluation import Bin, Quality

Features: TypeAlias = Mapping[str, float]
"""What is seen of a reply, by name; a name that is missing counts as 0."""

Column: TypeAlias = NDArray[np.float64]

RIDGE = 1.0
"""Pull of each weight towards 0, as of one example: no feature parts them for sure."""

STEPS = 100
"""Newton's method takes about eight; more where one feature parts all examples."""

BINS = 15
"""As the literature has it (Guo et al. 2017), here with as many examples in each."""


class Example(NamedTuple):
    """A reply, and whether the vault holds an answer; `group` is the vault's name."""

    features: Features
    answerable: bool
    group: str = ""


class Calibration(NamedTuple):
    """What turns features into a probability.

    `weights` go with `names`, and hold for features as they are: no scaling is left.
    """

    names: tuple[str, ...]
    weights: tuple[float, ...]
    bias: float

    def probability(self, features: Features) -> float:
        """Return how likely the vault holds an answer, from 0 to 1."""
        pairs = zip(self.names, self.weights, strict=True)
        total = self.bias + sum(
            weight * features.get(name, 0.0) for name, weight in pairs
        )
        return float(_logistic(np.array([total]))[0])


def fit(examples: Sequence[Example], *, ridge: float = RIDGE) -> Calibration:
    """Return the calibration that these examples give; the same for the same ones.

    Raises:
        ValueError: all examples are of one kind, so that there is nothing to learn.
    """
    labels = np.array([float(example.answerable) for example in examples])
    if not 0 < labels.sum() < len(labels):
        raise ValueError("examples of both kinds are needed")
    names = tuple(sorted({name for example in examples for name in example.features}))
    table = _table(examples, names)
    means, scales = table.mean(axis=0), table.std(axis=0)
    scales[scales == 0] = 1.0
    solved = _newton((table - means) / scales, labels, ridge)
    weights = solved[1:] / scales
    bias = float(solved[0] - weights @ means)
    return Calibration(names, tuple(float(weight) for weight in weights), bias)


def _table(examples: Sequence[Example], names: Sequence[str]) -> NDArray[np.float64]:
    rows = [[one.features.get(name, 0.0) for name in names] for one in examples]
    return np.array(rows, np.float64).reshape(len(examples), len(names))


def _newton(table: NDArray[np.float64], labels: Column, ridge: float) -> Column:
    """Return bias and weights that fit best; the bias is not pulled."""
    inputs = np.column_stack([np.ones(len(labels)), table])
    pull = np.diag([1e-9, *([ridge] * table.shape[1])])
    found = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        expected = _logistic(inputs @ found)
        slope = inputs.T @ (labels - expected) - pull @ found
        curve = (inputs.T * (expected * (1 - expected))) @ inputs + pull
        step = np.linalg.solve(curve, slope)
        # A step too far, from examples that are nearly parted, would never come back.
        step *= min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-12))
        found = found + step
        if float(np.abs(step).max()) < 1e-10:  # noqa: PLR2004 - beyond any use
            break
    return found


def _logistic(values: Column) -> Column:
    found: Column = 1 / (1 + np.exp(-np.clip(values, -500, 500)))
    return found


def quality(probabilities: Sequence[float], answerable: Sequence[bool]) -> Quality:
    """Return how well probabilities hold and how well they part the two kinds."""
    bins = reliability(probabilities, answerable)
    total = max(len(probabilities), 1)
    error = sum(abs(one.predicted - one.actual) * one.examples for one in bins) / total
    area = auroc(probabilities, answerable)
    return Quality(error, area, bins, len(probabilities))


def reliability(
    probabilities: Sequence[float], answerable: Sequence[bool], count: int = BINS
) -> tuple[Bin, ...]:
    """Return bins of equal mass, the least likely first; equals may be parted."""
    order = np.argsort(np.asarray(probabilities), kind="stable")
    sure, right = np.asarray(probabilities)[order], np.asarray(answerable, float)[order]
    parts = [part for part in np.array_split(np.arange(len(order)), count) if len(part)]
    return tuple(
        Bin(float(sure[part].mean()), float(right[part].mean()), len(part))
        for part in parts
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


def across_groups(
    examples: Sequence[Example], *, ridge: float = RIDGE
) -> dict[str, Quality]:
    """Return, for each vault, the quality of a calibration that never saw it."""
    found = {}
    for group in sorted({example.group for example in examples}):
        apart = [example for example in examples if example.group == group]
        rest = [example for example in examples if example.group != group]
        made = fit(rest, ridge=ridge)
        guessed = [made.probability(example.features) for example in apart]
        found[group] = quality(guessed, [example.answerable for example in apart])
    return found
