"""The shortest chains of links between two nodes, in an order that never changes."""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from glassmind.links.graph import Ints, LinkGraph, rings

Stops: TypeAlias = tuple[int, ...]

MOST_WORK = 300_000
"""Nodes that are visited until the search gives up: half a second, more or less."""

LINKS_AT_ONCE = 500  # links that are filtered in the time that one more node costs


class Paths(NamedTuple):
    """Chains of nodes, shortest first, equal ones by path; `cut`: there may be more."""

    chains: list[Stops]
    cut: bool


def distances(graph: LinkGraph, root: int, most: int | None = None) -> Ints:
    """Return how many links away from a node each other is; -1: not connected."""
    far = np.full(len(graph), -1, np.int32)
    far[root] = 0
    depth = len(graph) if most is None else most
    for hops, ring in enumerate(rings(graph, [root], depth), 1):
        far[ring] = hops
    return far


def shortest_paths(  # noqa: PLR0913 - each bound by its name
    graph: LinkGraph,
    source: int,
    target: int,
    *,
    limit: int,
    most_hops: int,
    most_work: int = MOST_WORK,
) -> Paths:
    """Return chains, either way, until there are `limit` or it was too much work."""
    far = distances(graph, target, most_hops)
    shortest = int(far[source])
    if source == target or limit < 1 or shortest < 0:
        return Paths([], cut=False)
    search = _Search(graph, far, most_work)
    chains: list[Stops] = []
    for length in range(shortest, most_hops + 1):
        for chain in search.chains(source, target, length):
            if len(chains) == limit:
                return Paths(chains, cut=True)
            chains.append(chain)
        if search.work > most_work:
            return Paths(chains, cut=True)
        if len(chains) == limit:
            return Paths(chains, cut=length < most_hops)
    return Paths(chains, cut=False)


class _Search:
    """A depth-first search that leaves out what is too `far` from the target."""

    def __init__(self, graph: LinkGraph, far: Ints, most_work: int) -> None:
        self._starts, (self._nodes, *_) = graph.both
        self._far = np.where(far < 0, len(far), far)
        self._most_work = most_work
        self.work = 0

    def chains(self, source: int, target: int, length: int) -> Iterator[Stops]:
        chain, choices = [source], [self._next(source, length - 1)]
        while choices and self.work <= self._most_work:
            node = next(choices[-1], None)
            if node is None:
                choices.pop()
                chain.pop()
            elif node == target:
                if len(chain) == length:
                    yield (*chain, node)
            elif node not in chain:
                chain.append(node)
                choices.append(self._next(node, length - len(chain)))

    def _next(self, node: int, left: int) -> Iterator[int]:
        near = self._nodes[self._starts[node] : self._starts[node + 1]]
        self.work += 1 + len(near) // LINKS_AT_ONCE
        return iter(near[self._far[near] <= left].tolist())
