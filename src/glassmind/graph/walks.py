"""Going from node to node: rings around some, chains between two, common neighbours."""

import time
from collections import deque
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from glassmind.graph.fans import Ints
from glassmind.graph.net import LinkGraph, View

Way: TypeAlias = Literal["both", "out", "in"]


class Found(NamedTuple):
    """Chains of nodes between two, shortest first; `cut`: there may be more."""

    chains: list[tuple[int, ...]]
    cut: bool


def rings(
    net: LinkGraph, roots: Sequence[int], depth: int, *, way: Way = "both", most: int
) -> list[Ints]:
    """Return the nodes one hop away from the roots, then two, and so on, ascending.

    Each node is in its nearest ring alone. After `most` nodes no further ring is begun,
    and the last one is cut to the first by path. There are `depth` rings at most, none
    of them empty.
    """
    view = _view(net, way)
    seen = np.zeros(len(net), np.bool_)
    edge = np.unique(np.array(roots, np.int32))
    seen[edge] = True
    found: list[Ints] = []
    left = most
    for _ in range(depth):
        near = _spread(view, edge)
        near = near[~seen[near]][:left]
        if not len(near):
            break
        seen[near] = True
        found.append(near)
        edge, left = near, left - len(near)
        if not left:
            break
    return found


def common(net: LinkGraph, one: int, other: int) -> Ints:
    """Return the nodes that are neighbours of both, ascending."""
    return np.intersect1d(net.around(one), net.around(other), assume_unique=True)


def shortest_paths(  # noqa: PLR0913 - each bound by its name
    net: LinkGraph,
    one: int,
    other: int,
    *,
    limit: int,
    most_hops: int,
    most_seconds: float,
) -> Found:
    """Return chains from one node to another, shortest first, equal ones by path.

    No chain visits a node twice. Links are followed either way.
    """
    deadline = time.monotonic() + most_seconds
    chains: list[tuple[int, ...]] = []
    for chain in _chains(net, one, other, most_hops):
        if chain is None or time.monotonic() > deadline:
            return Found(chains, cut=True)
        if len(chains) == limit:
            return Found(chains, cut=True)
        chains.append(chain)
    return Found(chains, cut=False)


def _chains(
    net: LinkGraph, one: int, other: int, most_hops: int
) -> Iterator[tuple[int, ...] | None]:
    """Yield every chain in order, and None now and then while one is looked for."""
    far = _distances(net, other, most_hops)
    if one == other or one not in far:
        return
    heap: list[tuple[int, tuple[int, ...]]] = [(far[one], (one,))]
    while heap:
        _, chain = heappop(heap)
        if chain[-1] == other:
            yield chain
            continue
        for node in net.around(chain[-1]).tolist():
            if node in far and node not in chain:
                total = len(chain) + far[node]
                if total <= most_hops:
                    heappush(heap, (total, (*chain, node)))


def _distances(net: LinkGraph, root: int, most: int) -> dict[int, int]:
    far, todo = {root: 0}, deque([root])
    while todo:
        node = todo.popleft()
        if far[node] == most:
            break
        for near in net.around(node).tolist():
            if near not in far:
                far[near] = far[node] + 1
                todo.append(near)
    return far


def _view(net: LinkGraph, way: Way) -> View:
    if way == "both":
        return net.both_view
    return net.out_view if way == "out" else net.in_view


def _spread(view: View, nodes: Ints) -> Ints:
    """Return the neighbours of some nodes, ascending, each once."""
    parts = [view.of(node) for node in nodes.tolist()]
    return np.unique(np.concatenate(parts)) if parts else nodes
