"""Which nodes matter: by what leads to them, and by what they lead to."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from glassmind.links.bridges import Bridging, bridging
from glassmind.links.fans import Ints
from glassmind.links.net import Floats, LinkGraph

__all__ = ["Bridging", "Reputation", "bridging", "hubs_and_authorities", "influence"]

DAMPING = 0.85
"""How often a reader follows a link rather than start anew; Brin and Page (1998)."""

TOLERANCE = 1e-6
MOST_ROUNDS = 1_000
"""When ranks stand still, and when we stop waiting for it; both as obsidian-brain."""


class Reputation(NamedTuple):
    """Hubs lead to good authorities, and good hubs lead to authorities."""

    hubs: Floats
    authorities: Floats


class Arcs(NamedTuple):
    """Pairs of nodes with a link from the one to the other, as wide as numpy counts.

    There are no weights where all are 1, as in most vaults.
    """

    size: int
    sources: NDArray[np.intp]
    targets: NDArray[np.intp]
    weights: Floats | None

    def forward(self, scores: Floats) -> Floats:
        """Return what each node gets when each gives its score to all it leads to."""
        flow = scores.take(self.sources)
        if self.weights is not None:
            flow *= self.weights
        return _sums(self.targets, flow, self.size)

    def backward(self, scores: Floats) -> Floats:
        """Return what each node gets of all it leads to."""
        flow = scores.take(self.targets)
        if self.weights is not None:
            flow *= self.weights
        return _sums(self.sources, flow, self.size)


def influence(
    net: LinkGraph,
    among: Sequence[int] | Ints | None = None,
    *,
    wanted: Floats | None = None,
) -> Floats:
    """Return the PageRank of every node over links weighed by confidence.

    The ranks of all add up to 1; one without any link has 0. With `among`, links
    between these alone count. Readers start at each node as often as it is `wanted`,
    everywhere alike where that says nothing.
    """
    arcs = _arcs(net, among)
    linked = np.zeros(arcs.size)
    linked[arcs.sources] = linked[arcs.targets] = 1.0
    many = float(linked.sum())
    if not many:
        return linked
    given = arcs.backward(np.ones(arcs.size))
    share = np.divide(DAMPING, given, out=np.zeros(arcs.size), where=given > 0)
    dangling = np.flatnonzero((linked > 0) & (given == 0))
    start = linked if wanted is None else linked * wanted
    start = start / start.sum() if start.any() else linked / many
    ranks = start
    for _ in range(MOST_ROUNDS):
        last = ranks
        rest = 1.0 - DAMPING + DAMPING * float(last[dangling].sum())
        ranks = arcs.forward(last * share) + start * rest
        if float(np.abs(ranks - last).sum()) < TOLERANCE:
            break
    return ranks


def hubs_and_authorities(net: LinkGraph) -> Reputation:
    """Return how good a hub and an authority each node is; each adds up to 1.

    Links count by confidence (Kleinberg, 1999).
    """
    arcs = _arcs(net, None)
    if not len(arcs.sources):
        return Reputation(np.zeros(arcs.size), np.zeros(arcs.size))
    hubs = np.full(arcs.size, 1.0 / arcs.size)
    for _ in range(MOST_ROUNDS):
        last = hubs
        hubs = arcs.backward(arcs.forward(last))
        hubs /= hubs.sum()
        if float(np.abs(hubs - last).sum()) < TOLERANCE:
            break
    sure = arcs.forward(hubs)
    return Reputation(hubs, sure / sure.sum())


def _sums(places: NDArray[np.intp], parts: Floats, size: int) -> Floats:
    """Return what stands at each place, added up in order."""
    return np.bincount(places, parts, minlength=size).astype(np.float64, copy=False)


def _arcs(net: LinkGraph, among: Sequence[int] | Ints | None) -> Arcs:
    count, view = len(net), net.out_view
    sources = np.repeat(np.arange(count), np.diff(view.starts))
    targets, weights = view.nodes.astype(np.intp), view.weights
    if among is not None:
        inside = np.zeros(count, np.bool_)
        inside[np.asarray(among, np.intp)] = True
        kept = inside[sources] & inside[targets]
        sources, targets, weights = sources[kept], targets[kept], weights[kept]
    alike = bool((weights == 1.0).all())
    return Arcs(count, sources, targets, None if alike else weights)
