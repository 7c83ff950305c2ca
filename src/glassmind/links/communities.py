"""Communities: groups of nodes that link more to each other than to the rest.

This is the Louvain algorithm (Blondel et al., 2008) with modularity as its quality
function, in plain Python: docs/decisions/graph.md compares it with libraries. The
result depends on the graph only: visiting orders come from fixed seeds, and ties go to
the community that was met first.
"""

from collections import deque
from itertools import pairwise
from random import Random
from typing import NamedTuple, TypeAlias

import numpy as np

from glassmind.links.graph import Ints, LinkGraph

ROUNDS = 2
"""Runs over the whole graph, each starting from the communities of the run before. On
10,000 nodes the second adds up to .036 of modularity, a third up to .004."""

MOST_TRIALS, TRIAL_LINKS = 8, 20_000
"""Small graphs are tried in several visiting orders, and the best result is kept: the
order alone changes modularity by up to 4 % in vaults of 100 notes, but by less than
.1 % in 10,000 nodes with communities. A trial takes about 20 ms per 1,000 links."""

TOLERANCE = 1e-9  # gains below this are rounding errors; weights are between 0 and 1

Links: TypeAlias = list[list[tuple[int, float]]]
"""For each node its neighbours and the weights of the links; no node links to itself.
"""


class _Graph(NamedTuple):
    """An undirected graph; `degrees` include links inside a node that was merged."""

    links: Links
    degrees: list[float]


def clusters(net: LinkGraph, *, resolution: float = 1.0) -> Ints:
    """Return the community of every node, by Louvain over links in both directions.

    Communities are numbered by size, those of equal size by their first node. A node
    without links has none: -1. A higher resolution finds more and smaller communities.
    """
    view = net.both_view
    best = np.full(len(net), -1, np.int32)
    linked = np.flatnonzero(np.diff(view.starts))
    if not len(linked):
        return best
    number = np.cumsum(np.diff(view.starts) > 0) - 1
    ends = list(zip(number[view.nodes].tolist(), view.weights.tolist(), strict=True))
    bounds = pairwise([*view.starts[linked].tolist(), len(ends)])
    links = [ends[first:last] for first, last in bounds]
    graph = _Graph(links, [sum(weight for _, weight in row) for row in links])
    quality = -np.inf
    for trial in range(max(1, min(MOST_TRIALS, 2 * TRIAL_LINKS // len(ends)))):
        labels = best.copy()
        chance = Random(trial) if trial else None  # noqa: S311 - needs no secrecy
        labels[linked] = by_size(np.array(_louvain(graph, resolution, chance)))
        reached = modularity(net, labels, resolution)
        if reached > quality + TOLERANCE:
            best, quality = labels, reached
    return best


def _louvain(graph: _Graph, resolution: float, chance: Random | None) -> list[int]:
    """Return the community of each node; nodes are visited in a random order if any."""
    penalty = resolution / sum(graph.degrees)
    result = list(range(len(graph.links)))
    for _ in range(ROUNDS):
        level, labels = graph, result
        result = list(range(len(result)))
        while True:
            _move_nodes(level, labels, penalty, _order(len(labels), chance))
            count = len(labels)
            level, numbers = _merge(level, labels)
            result = [numbers[node] for node in result]
            labels = list(range(len(level.links)))
            if len(labels) == count:
                break
    return result


def _order(count: int, chance: Random | None) -> list[int]:
    nodes = list(range(count))
    if chance is not None:  # sorted, since Python may change what `shuffle` does
        nodes.sort(key=lambda _: chance.random())
    return nodes


def _weights_by(labels: list[int], row: list[tuple[int, float]]) -> dict[int, float]:
    weights = dict[int, float]()
    for other, weight in row:
        label = labels[other]
        weights[label] = weights.get(label, 0.0) + weight
    return weights


def _move_nodes(
    graph: _Graph, labels: list[int], penalty: float, order: list[int]
) -> None:
    links, degrees = graph
    count = len(labels)
    totals = np.bincount(labels, degrees, minlength=count).tolist()
    sizes = np.bincount(labels, minlength=count).tolist()
    empty = [label for label, size in enumerate(sizes) if not size]
    queue, is_queued = deque(order), [True] * count
    while queue:
        node = queue.popleft()
        is_queued[node] = False
        weights = _weights_by(labels, links[node])
        old, degree = labels[node], degrees[node]
        totals[old] -= degree
        cost = penalty * degree
        new, best = old, weights.get(old, 0.0) - cost * totals[old] + TOLERANCE
        if best < 0 and sizes[old] > 1:
            new, best = empty[-1], TOLERANCE
        for label, weight in weights.items():
            gain = weight - cost * totals[label]
            if gain > best:
                new, best = label, gain + TOLERANCE
        totals[new] += degree
        if new == old:
            continue
        labels[node] = new
        if not sizes[new]:
            empty.pop()
        sizes[new] += 1
        sizes[old] -= 1
        if not sizes[old]:
            empty.append(old)
        for other, _ in links[node]:
            if labels[other] != new and not is_queued[other]:
                is_queued[other] = True
                queue.append(other)


def _merge(graph: _Graph, labels: list[int]) -> tuple[_Graph, list[int]]:
    """Return the graph of communities, and the number of each node's community."""
    known = dict[int, int]()
    numbers = [known.setdefault(label, len(known)) for label in labels]
    rows: list[dict[int, float]] = [{} for _ in known]
    degrees = [0.0] * len(known)
    for node, number in enumerate(numbers):
        degrees[number] += graph.degrees[node]
        for other, weight in _weights_by(numbers, graph.links[node]).items():
            if other != number:
                rows[number][other] = rows[number].get(other, 0.0) + weight
    return _Graph([list(row.items()) for row in rows], degrees), numbers


def by_size(raw: Ints) -> Ints:
    """Number communities by size, those of equal size by their first node."""
    _, first, place, sizes = np.unique(
        raw, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((first, -sizes))
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    return rank[place]


def modularity(net: LinkGraph, labels: Ints, resolution: float = 1.0) -> float:
    """Return the weight of links inside communities beyond what chance gives."""
    view = net.both_view
    total = float(view.weights.sum())
    if not total:
        return 0.0
    sources = np.repeat(np.arange(len(net)), np.diff(view.starts))
    inside = float(view.weights[labels[sources] == labels[view.nodes]].sum())
    degree = np.bincount(sources, view.weights, minlength=len(net))
    known = labels >= 0
    by_label = np.bincount(labels[known], degree[known])
    return inside / total - resolution * float((by_label**2).sum()) / total**2
