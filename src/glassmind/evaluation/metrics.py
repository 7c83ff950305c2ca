"""How good a ranking is, how sure we are of the mean, and of a difference of means.

A ranking is a list of paths, best first; the grades say how relevant each judged note
is (0 or absent: not at all). nDCG takes a grade as its gain, as trec_eval does and with
it most published figures. Doubt comes from a bootstrap over queries: the queries at
hand are a sample of those that could be asked. Queries that share a target are alike,
so where groups are given whole groups are drawn.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray


class Interval(NamedTuple):
    """Where the true value lies, 95 times of 100."""

    low: float
    high: float


class Difference(NamedTuple):
    mean: float
    interval: Interval


Grades: TypeAlias = Mapping[str, float]

ROUNDS = 2_000
"""Samples drawn: the ends of a 95 % interval are then steady to about a tenth of it."""

BLOCK = 100  # samples drawn at once: 10,000 queries then take eight megabytes
DEEPEST = 100  # hits that a ranking is judged by


def scores(ranked: Sequence[str], grades: Grades) -> dict[str, float]:
    """Return every metric of one ranking, each from 0 to 1.

    Of a note named twice the first place counts. Without a relevant note all are 0.
    """
    found = list(dict.fromkeys(ranked))[:DEEPEST]
    return {
        "ndcg@10": ndcg(found, grades),
        "mrr": reciprocal_rank(found, grades),
        "hit@1": hit(found, grades, 1),
        "hit@5": hit(found, grades, 5),
        "hit@10": hit(found, grades, 10),
        "recall@10": recall(found, grades, 10),
        "recall@100": recall(found, grades, 100),
    }


def ndcg(ranked: Sequence[str], grades: Grades, depth: int = 10) -> float:
    best = _discounted(sorted(grades.values(), reverse=True)[:depth])
    got = _discounted([grades.get(path, 0.0) for path in ranked[:depth]])
    return got / best if best else 0.0


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(
        max(gain, 0.0) / math.log2(rank + 1) for rank, gain in enumerate(gains, 1)
    )


def reciprocal_rank(ranked: Sequence[str], grades: Grades) -> float:
    for rank, path in enumerate(ranked, 1):
        if grades.get(path, 0.0) > 0:
            return 1 / rank
    return 0.0


def hit(ranked: Sequence[str], grades: Grades, depth: int) -> float:
    return float(any(grades.get(path, 0.0) > 0 for path in ranked[:depth]))


def recall(ranked: Sequence[str], grades: Grades, depth: int) -> float:
    relevant = {path for path, grade in grades.items() if grade > 0}
    found = relevant.intersection(ranked[:depth])
    return len(found) / len(relevant) if relevant else 0.0


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    return float(np.quantile(values, share)) if values else 0.0


def confidence(
    values: Sequence[float], *, seed: int, groups: Sequence[str] | None = None
) -> Interval:
    if not values:
        return Interval(0.0, 0.0)
    means = np.concatenate(list(_resampled(values, seed, groups)))
    low, high = np.quantile(means, (0.025, 0.975))
    return Interval(float(low), float(high))


def difference(
    ours: Sequence[float],
    theirs: Sequence[float],
    *,
    seed: int,
    groups: Sequence[str] | None = None,
) -> Difference:
    pairs = [a - b for a, b in zip(ours, theirs, strict=True)]
    return Difference(mean(pairs), confidence(pairs, seed=seed, groups=groups))


def _resampled(
    values: Sequence[float], seed: int, groups: Sequence[str] | None
) -> Iterator[NDArray[np.float64]]:
    totals, sizes = _by_group(values, groups)
    count = len(totals)
    chance = np.random.default_rng(seed)
    even = np.full(count, 1 / count)
    for _ in range(0, ROUNDS, BLOCK):
        times = chance.multinomial(count, even, size=BLOCK)
        yield (times @ totals) / (times @ sizes)


def _by_group(
    values: Sequence[float], groups: Sequence[str] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if groups is None:
        return np.asarray(values, np.float64), np.ones(len(values))
    _, places = np.unique(np.asarray(groups), return_inverse=True)
    totals = np.bincount(places, weights=np.asarray(values, np.float64))
    return totals.astype(np.float64), np.bincount(places).astype(np.float64)
