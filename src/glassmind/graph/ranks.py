"""Which nodes matter: by what leads to them, by what goes through them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from glassmind.graph.fans import Ints
from glassmind.graph.net import Floats, LinkGraph

DAMPING = 0.85
"""How often a reader follows a link rather than start anew; Brin and Page (1998)."""

TOLERANCE = 1e-6
MOST_ROUNDS = 1_000
"""When ranks stand still, and when we stop waiting for it; both as obsidian-brain."""


class Bridging(NamedTuple):
    """How many shortest ways lead through each node, from 0 to 1.

    `error` bounds how far a score may be off, with 95 % confidence; 0 when exact.
    `samples` is how many nodes the ways were counted from.
    """

    scores: Floats
    error: float
    samples: int


class Reputation(NamedTuple):
    """Hubs lead to good authorities, and good hubs lead to authorities."""

    hubs: Floats
    authorities: Floats


def influence(net: LinkGraph, among: Sequence[int] | Ints | None = None) -> Floats:
    """Return the PageRank of every node over links weighed by confidence.

    The ranks of all add up to 1; one without any link has 0. With `among`, links
    between these alone count.
    """
    count, view = len(net), net.out_view
    sources = np.repeat(np.arange(count), np.diff(view.starts))
    targets, weights = view.nodes, view.weights
    if among is not None:
        inside = np.zeros(count, np.bool_)
        inside[np.asarray(among, np.int64)] = True
        kept = inside[sources] & inside[targets]
        sources, targets, weights = sources[kept], targets[kept], weights[kept]
    linked = np.zeros(count, np.bool_)
    linked[sources] = True
    linked[targets] = True
    many = int(linked.sum())
    if not many:
        return np.zeros(count)
    total = np.bincount(sources, weights, minlength=count)
    shares = weights / total[sources]
    dangling = linked & (total == 0)
    ranks = linked / many
    for _ in range(MOST_ROUNDS):
        last = ranks
        flow = np.bincount(targets, last[sources] * shares, minlength=count)
        rest = 1.0 - DAMPING + DAMPING * float(last[dangling].sum())
        ranks = DAMPING * flow + linked * (rest / many)
        if float(np.abs(ranks - last).sum()) < TOLERANCE:
            break
    return ranks


def bridging(net: LinkGraph) -> Bridging:
    """Return the betweenness of every node, over links either way, each counted 1."""
    count, starts, nodes = len(net), net.both_view.starts.tolist(), None
    nodes = net.both_view.nodes.tolist()
    scores = [0.0] * count
    for root in range(count):
        _count_ways(root, starts, nodes, scores)
    pairs = count * (count - 1) / 2
    shared = np.array(scores) / 2 / max(pairs, 1.0)
    return Bridging(np.clip(shared, 0.0, 1.0), 0.0, count)


def _count_ways(
    root: int, starts: list[int], nodes: list[int], scores: list[float]
) -> None:
    """Add what goes through each node on shortest ways from a root (Brandes, 2001)."""
    far, ways = {root: 0}, {root: 1.0}
    order, before = [root], {root: list[int]()}
    for node in order:
        for near in nodes[starts[node] : starts[node + 1]]:
            if near not in far:
                far[near], ways[near], before[near] = far[node] + 1, 0.0, []
                order.append(near)
            if far[near] == far[node] + 1:
                ways[near] += ways[node]
                before[near].append(node)
    through = dict.fromkeys(order, 0.0)
    for node in reversed(order):
        for prior in before[node]:
            through[prior] += ways[prior] / ways[node] * (1.0 + through[node])
        if node != root:
            scores[node] += through[node]


def hubs_and_authorities(net: LinkGraph) -> Reputation:
    """Return how good a hub and an authority each node is; each adds up to 1."""
    count, view = len(net), net.out_view
    sources = np.repeat(np.arange(count), np.diff(view.starts))
    if not len(sources):
        return Reputation(np.zeros(count), np.zeros(count))
    hubs = np.full(count, 1.0 / count)
    for _ in range(MOST_ROUNDS):
        last = hubs
        sure = np.bincount(view.nodes, last[sources] * view.weights, minlength=count)
        hubs = np.bincount(sources, sure[view.nodes] * view.weights, minlength=count)
        hubs = hubs / hubs.sum()
        if float(np.abs(hubs - last).sum()) < TOLERANCE:
            break
    sure = np.bincount(view.nodes, hubs[sources] * view.weights, minlength=count)
    return Reputation(hubs, sure / sure.sum())
