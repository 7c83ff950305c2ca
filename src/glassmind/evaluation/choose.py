"""Whether other settings are better beyond noise, on questions they were not chosen by.

The questions are parted into folds so that all about one note are in one fold. For each
fold the settings that score best on the other folds are compared, on that fold alone,
with those in force: what is found so is what choosing gives on questions nobody has
seen. It counts if four doubts are answered.

- Size: the gain is worth a change.
- Noise: the 95 % interval of the paired difference, drawn by note, lies above 0.
- Luck: of many settings that are as good as each other the luckiest wins every fold,
  and the interval does not know. So the procedure is repeated with the differences of
  each note given a sign by chance; it may hardly ever gain as much.
- Labels: the procedure is repeated with the answers dealt out anew among the questions.
  Settings that merely like popular notes gain there too, and so are refused.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from glassmind.evaluation.gold import GoldQuery
from glassmind.evaluation.metrics import difference
from glassmind.model.evaluation import Difference

FOLDS = 5
"""Parts of the questions; each choice sees four fifths of them."""

LEAST_GAIN = 0.005
"""nDCG@10 that is worth another line in a configuration file."""

MOST_LUCK, FLIPS = 0.01, 499
"""How often signs given by chance may gain as much, and of how many times.

With twelve equals that leaves 1 to 4 wrong acceptances in 100, against 6 to 10 by the
interval alone, and keeps nine in ten of the gains that are worth having.
"""

MOST_CHANCE, SHUFFLES = 0.05, 199
"""How often shuffled answers may gain as much, and of how many times."""

BY_LUCK = "the gain may be luck: the best of so many may gain as much by chance"
BY_CHANCE = "shuffled answers gain as much: it is not the questions that are met"

DEPTH = 10
_DISCOUNTS = 1 / np.log2(np.arange(2, DEPTH + 2))

Values: TypeAlias = NDArray[np.float64]
"""nDCG@10 by settings (the first are those in force) and query."""


class Choice(NamedTuple):
    """What was chosen, and how it does on questions that had no say.

    `best` is the place of what scores best on all questions; `agreeing` counts the
    folds that chose the same. `reason` says why it is taken, or why not. `luck` and
    `chance` are None where the figures before them spoke against it.
    """

    best: int
    accepted: bool
    reason: str
    folds: int
    agreeing: int
    before: float
    after: float
    held_out: Difference
    luck: float | None
    chance: float | None


def folds_of(groups: Sequence[str], count: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each query: whole groups, as evenly as these allow."""
    names, places, sizes = np.unique(
        np.asarray(groups), return_inverse=True, return_counts=True
    )
    order = np.random.default_rng(seed).permutation(len(names))
    fold, load = np.zeros(len(names), np.int64), np.zeros(count)
    # The large ones first; of equals, as chance has it.
    for group in sorted(order, key=lambda one: -sizes[one]):
        fold[group] = int(load.argmin())
        load[fold[group]] += sizes[group]
    return fold[places]


def choose(
    rankings: Sequence[Sequence[Sequence[str]]],
    queries: Sequence[GoldQuery],
    *,
    seed: int = 0,
    shuffles: int = SHUFFLES,
) -> Choice:
    """Return whether any settings beat the first, by the ranking each gave each query.

    The same for the same seed.
    """
    groups = [query.group for query in queries]
    folds = folds_of(groups, FOLDS, seed)
    judge = _Judge(rankings, queries)
    values = judge.values(np.arange(len(queries)))
    picks, ours = _held_out(values, folds)
    theirs = values[0]
    found = difference(list(ours), list(theirs), seed=seed, groups=groups)
    best = _best(values)
    luck = chance = None
    reason = _objection(best, found)
    if not reason:
        luck = _luck(values, folds, groups, found.mean, seed)
        reason = BY_LUCK if luck > MOST_LUCK else ""
    if not reason:
        chance = _chance(judge, folds, found.mean, seed, shuffles)
        reason = BY_CHANCE if chance > MOST_CHANCE else ""
    return Choice(
        best=best,
        accepted=not reason,
        reason=reason or "better on questions it was not chosen by, beyond noise",
        folds=FOLDS,
        agreeing=sum(pick == best for pick in picks),
        before=float(theirs.mean()),
        after=float(ours.mean()),
        held_out=found,
        luck=luck,
        chance=chance,
    )


def _objection(best: int, found: Difference) -> str:
    """Return what the figures say against a change; nothing when they are for it."""
    if best == 0:
        return "the settings in force are the best of those tried"
    if found.mean < LEAST_GAIN:
        return f"the gain is below {LEAST_GAIN} on questions it was not chosen by"
    if found.interval.low <= 0:
        return "the gain may be noise: its 95 % interval does not lie above 0"
    return ""


def _best(values: Values) -> int:
    """Return the settings with the best mean; those in force when none beats them."""
    means = values.mean(axis=1)
    best = int(means.argmax())
    return best if means[best] > means[0] + 1e-12 else 0


def _held_out(values: Values, folds: NDArray[np.int64]) -> tuple[list[int], Values]:
    """Return what the other folds choose for each, and what that scores on its own."""
    picks, ours = [], values[0].copy()
    for fold in range(FOLDS):
        apart = folds == fold
        if apart.all() or not apart.any():
            continue
        pick = _best(values[:, ~apart])
        picks.append(pick)
        ours[apart] = values[pick, apart]
    return picks, ours


def _luck(
    values: Values,
    folds: NDArray[np.int64],
    groups: Sequence[str],
    gain: float,
    seed: int,
) -> float:
    """Return how often signs given to each note by chance gain as much."""
    names, places = np.unique(np.asarray(groups), return_inverse=True)
    chance = np.random.default_rng(seed)
    apart = values - values[0]
    reached = 1
    for _ in range(FLIPS):
        signs = chance.choice(np.array([-1.0, 1.0]), len(names))
        _, ours = _held_out(apart * signs[places], folds)
        reached += bool(ours.mean() >= gain)
    return reached / (FLIPS + 1)


def _chance(
    judge: "_Judge", folds: NDArray[np.int64], gain: float, seed: int, shuffles: int
) -> float:
    """Return how often answers dealt out anew gain as much, the true deal included."""
    chance = np.random.default_rng(seed)
    reached = 1
    for _ in range(shuffles):
        values = judge.values(chance.permutation(len(folds)))
        _, ours = _held_out(values, folds)
        reached += bool(ours.mean() - values[0].mean() >= gain)
    return reached / (shuffles + 1)


class _Judge:
    """Scores every ranking by the answers of any query."""

    def __init__(
        self,
        rankings: Sequence[Sequence[Sequence[str]]],
        queries: Sequence[GoldQuery],
    ) -> None:
        self._places = [
            [_discounts(ranked) for ranked in of_settings] for of_settings in rankings
        ]
        self._grades = [list(query.grades.items()) for query in queries]
        self._ideals = [_ideal(query.grades) for query in queries]

    def values(self, order: NDArray[np.int64]) -> Values:
        """Return nDCG@10 of the ranking of query `order[n]` by the answers of n."""
        return np.array([self._row(places, order) for places in self._places])

    def _row(
        self, places: Sequence[Mapping[str, float]], order: NDArray[np.int64]
    ) -> list[float]:
        return [
            sum(places[at].get(path, 0.0) * grade for path, grade in grades) / ideal
            for at, grades, ideal in zip(order, self._grades, self._ideals, strict=True)
        ]


def _discounts(ranked: Sequence[str]) -> dict[str, float]:
    unique = list(dict.fromkeys(ranked))[:DEPTH]
    return {path: float(_DISCOUNTS[at]) for at, path in enumerate(unique)}


def _ideal(grades: Mapping[str, float]) -> float:
    best = sorted(grades.values(), reverse=True)[:DEPTH]
    return float(np.dot(best, _DISCOUNTS[: len(best)])) or 1.0
