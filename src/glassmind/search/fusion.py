"""Putting the channels' rankings together: pure functions from votes to shares.

Each returns, for every key that a channel named, what each channel gave to it; the sum
of these shares is its score. Keys are notes or chunks, whichever is ranked.
"""

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import TypeAlias

from glassmind.model.search import ChannelName, FusionName

Ranking: TypeAlias = Sequence[tuple[int, float]]
"""Keys with the scores that one channel gave them, best first."""

Rankings: TypeAlias = Mapping[ChannelName, Ranking]
Weights: TypeAlias = Mapping[ChannelName, float]
Shares: TypeAlias = dict[int, dict[ChannelName, float]]

RRF_K = 60
"""Damping from Cormack, Clarke and Büttcher (2009), as every peer has it."""

RELATIVE: frozenset[ChannelName] = frozenset(("lexical", "semantic"))
"""Channels whose scores mean something only beside each other. The scores of all others
run from 0 to 1 and are taken as they are: stretching the votes of a channel that found
nothing good would make its best the equal of a real answer."""


def fuse(
    fusion: FusionName, rankings: Rankings, weights: Weights
) -> list[tuple[int, dict[ChannelName, float]]]:
    """Return every key that a channel named with its shares, best first.

    Ties break on the key, so equal input gives equal output.
    """
    shares = FUSIONS[fusion](rankings, weights)
    return sorted(shares.items(), key=lambda item: (-total(item[1]), item[0]))


def total(shares: Mapping[ChannelName, float]) -> float:
    """Return the score that shares add up to."""
    return fsum(shares.values())


def minmax(rankings: Rankings, weights: Weights) -> Shares:
    """Stretch each ranking from 0 to 1 and add them up by weight.

    A ranking without range scores 1.0 throughout; a key that a channel did not name has
    nothing from it.
    """
    return _added(rankings, weights, _stretched)


def weighted_sum(rankings: Rankings, weights: Weights) -> Shares:
    """Add up by weight: cosines as they are, words against the best match of words."""
    return _added(rankings, weights, _against_best)


def rrf(rankings: Rankings, weights: Weights) -> Shares:
    """Add up 1 / (60 + rank); weights say only which channels take part."""
    return _ranked(rankings, {name: 1.0 for name, one in weights.items() if one})


def weighted_rrf(rankings: Rankings, weights: Weights) -> Shares:
    """Add up weight / (60 + rank)."""
    return _ranked(rankings, weights)


FUSIONS: Mapping[FusionName, Callable[[Rankings, Weights], Shares]] = {
    "minmax": minmax,
    "rrf": rrf,
    "weighted_rrf": weighted_rrf,
    "weighted_sum": weighted_sum,
}


def _added(
    rankings: Rankings,
    weights: Weights,
    scaled: Callable[[ChannelName, Ranking], Sequence[float]],
) -> Shares:
    shares: Shares = {}
    for name, ranking in rankings.items():
        weight = weights.get(name, 0.0)
        if not weight or not ranking:
            continue
        values = scaled(name, ranking)
        for (key, _), value in zip(ranking, values, strict=True):
            shares.setdefault(key, {})[name] = weight * value
    return shares


def _ranked(rankings: Rankings, weights: Weights) -> Shares:
    shares: Shares = {}
    for name, ranking in rankings.items():
        weight = weights.get(name, 0.0)
        if not weight:
            continue
        for rank, (key, _) in enumerate(ranking, 1):
            shares.setdefault(key, {})[name] = weight / (RRF_K + rank)
    return shares


def _stretched(name: ChannelName, ranking: Ranking) -> Sequence[float]:
    scores = [score for _, score in ranking]
    if name not in RELATIVE:
        return _not_below_nothing(scores)
    low, high = min(scores), max(scores)
    if high <= low:
        return [1.0] * len(scores)
    return [(score - low) / (high - low) for score in scores]


def _against_best(name: ChannelName, ranking: Ranking) -> Sequence[float]:
    scores = [score for _, score in ranking]
    best = max(scores)
    if name != "lexical" or best <= 0:
        return _not_below_nothing(scores)
    return [score / best for score in scores]


def _not_below_nothing(scores: Sequence[float]) -> Sequence[float]:
    """Return scores, cosines below 0 as 0: a vote never speaks against a note."""
    return [max(0.0, score) for score in scores]
