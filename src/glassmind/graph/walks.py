"""Going from node to node: rings around some, chains between two, common neighbours.

Chains of one length are found from both ends: sets of nodes that a walk of so many
steps can reach are laid out from either end until they meet in the middle, and cut down
to what lies on a way through. A search in these sets, in order of number, then seldom
turns back.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from glassmind.graph.fans import Flat, Ints
from glassmind.graph.net import LinkGraph

Way: TypeAlias = Literal["both", "out", "in"]
Mask: TypeAlias = NDArray[np.bool_]

FEW = 24
"""Rows up to which slicing each is faster than working out where all items stand."""

LOOK_EVERY = 64
"""Steps of a search between two looks at the clock."""


class Found(NamedTuple):
    """Chains of nodes between two, shortest first; `cut`: there may be more."""

    chains: list[tuple[int, ...]]
    cut: bool


class Inner(NamedTuple):
    """The distinct pairs of nodes among some that are linked, by source."""

    sources: Ints
    targets: Ints


def rings(
    net: LinkGraph, roots: Sequence[int], depth: int, *, way: Way = "both", most: int
) -> list[Ints]:
    """Return the nodes one hop away from the roots, then two, and so on, ascending.

    Each node is in its nearest ring alone. After `most` nodes no further ring is begun,
    and the last one is cut to the first by path. There are `depth` rings at most, none
    of them empty.
    """
    flat = _flat(net, way)
    edge = np.array(roots, np.int32)
    known, found, left = [edge], list[Ints](), most
    while len(found) < depth and left > 0:
        if len(known) == len(roots) == 1:
            edge = flat.columns[0][slice(*flat.starts[roots[0] : roots[0] + 2])][:left]
        else:
            edge = _ring(flat, edge, known)[:left]
        if not len(edge):
            break
        found.append(edge)
        known.append(edge)
        left -= len(edge)
    return found


def _ring(flat: Flat, edge: Ints, known: list[Ints]) -> Ints:
    near = np.zeros(len(flat.starts) - 1, np.bool_)
    near[_gathered(flat, edge)] = True
    for ring in known:
        near[ring] = False
    return np.flatnonzero(near).astype(np.int32)


def inner_links(net: LinkGraph, nodes: Sequence[int] | Ints) -> Inner:
    """Return which of these nodes lead to which."""
    inside = np.zeros(len(net), np.bool_)
    inside[np.asarray(nodes, np.int64)] = True
    chosen = np.flatnonzero(inside).astype(np.int32)
    flat = net.fans.out.flat
    targets = _gathered(flat, chosen)
    sources = np.repeat(chosen, flat.starts[chosen + 1] - flat.starts[chosen])
    kept = inside[targets]
    return Inner(sources[kept], targets[kept])


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

    No chain visits a node twice. Links are followed either way. When `most_seconds`
    are over, or there are `limit` chains, the rest is cut: longer ones, if any.
    """
    chains: list[tuple[int, ...]] = []
    if one == other or limit < 1:
        return Found(chains, cut=False)
    search = _Search(net.both.flat, one, other, time.monotonic() + most_seconds)
    for levels in search.levels(most_hops):
        for chain in search.within(levels):
            if len(chains) == limit:
                return Found(chains, cut=True)
            chains.append(chain)
        if len(chains) == limit and len(levels) < most_hops:
            return Found(chains, cut=True)  # whether there are longer ones is not told
    return Found(chains, cut=search.late)


class _Reach(NamedTuple):
    """Nodes that a walk can be at, as a mask and by number."""

    mask: Mask
    nodes: NDArray[np.int64]


class _Search:
    """A search for chains between two nodes; `late` says that time ran out."""

    def __init__(self, flat: Flat, one: int, other: int, deadline: float) -> None:
        self._flat, self._ends, self._deadline = flat, (one, other), deadline
        self._count = len(flat.starts) - 1
        self._steps = 0
        self.late = False

    def levels(self, most_hops: int) -> Iterator[list[Mask]]:
        """Yield, for the shortest chains and each longer kind, where they can stop.

        The first level holds what can be the first stop, the last one the far end.
        """
        nearest = self._nearest(most_hops)
        if nearest is None:
            return
        yield nearest
        fores, backs = ([self._only(end)] for end in self._ends)
        for hops in range(len(nearest) + 1, most_hops + 1):
            self.late = self.late or time.monotonic() > self._deadline
            if self.late:
                return
            yield self._longer(fores, backs, hops)

    def _longer(
        self, fores: list[_Reach], backs: list[_Reach], hops: int
    ) -> list[Mask]:
        self._extend(fores, -(-hops // 2))
        self._extend(backs, hops // 2)
        return self._between(fores, backs, hops)

    def _nearest(self, most_hops: int) -> list[Mask] | None:
        """Return the levels of the shortest chains; None when there is none."""
        fores, backs = ([self._only(end)] for end in self._ends)
        seen = [reach[0].mask.copy() for reach in (fores, backs)]
        for hops in range(1, most_hops + 1):
            side = int(len(fores[-1].nodes) > len(backs[-1].nodes))
            reach = (fores, backs)[side]
            near = self._stepped(reach[-1].nodes)
            near &= ~seen[side]
            seen[side] |= near
            reach.append(_Reach(near, np.flatnonzero(near)))
            if not len(reach[-1].nodes):
                return None
            if (fores[-1].mask & backs[-1].mask).any():
                return self._between(fores, backs, hops)
        return None

    def _between(
        self, fores: list[_Reach], backs: list[_Reach], hops: int
    ) -> list[Mask]:
        """Return the stops of ways that meet where the last of both sides do."""
        middle = hops + 1 - len(backs)
        stops = {middle: fores[middle].mask & backs[hops - middle].mask}
        for place in range(middle - 1, 0, -1):
            here = self._stepped(np.flatnonzero(stops[place + 1]))
            stops[place] = here & fores[place].mask
        for place in range(middle + 1, hops + 1):
            here = self._stepped(np.flatnonzero(stops[place - 1]))
            stops[place] = here & backs[hops - place].mask
        return [stops[place] for place in range(1, hops + 1)]

    def within(self, levels: list[Mask]) -> Iterator[tuple[int, ...]]:
        """Yield the chains that have each stop at its level."""
        starts, (nodes, *_) = self._flat

        def onward(node: int, depth: int) -> Iterator[int]:
            near = nodes[starts[node] : starts[node + 1]]
            return iter(near[levels[depth][near]].tolist())

        chain = [self._ends[0]]
        choices = [onward(chain[0], 0)]
        while choices:
            node = next(choices[-1], None)
            self._steps += 1
            if self._steps % LOOK_EVERY == 0 and time.monotonic() > self._deadline:
                self.late = True
                return
            if node is None:
                choices.pop()
                chain.pop()
            elif len(chain) == len(levels):
                yield (*chain, node)
            elif node not in chain:
                chain.append(node)
                choices.append(onward(node, len(chain) - 1))

    def _extend(self, reach: list[_Reach], steps: int) -> None:
        """Lay out what a walk from one end can reach in so many steps.

        It passes neither end: a chain does not come back to where it began.
        """
        while len(reach) <= steps:
            near = self._stepped(reach[-1].nodes)
            near[list(self._ends)] = False
            reach.append(_Reach(near, np.flatnonzero(near)))

    def _stepped(self, nodes: NDArray[np.int64]) -> Mask:
        near = np.zeros(self._count, np.bool_)
        near[_gathered(self._flat, nodes)] = True
        return near

    def _only(self, node: int) -> _Reach:
        mask = np.zeros(self._count, np.bool_)
        mask[node] = True
        return _Reach(mask, np.array([node]))


def _flat(net: LinkGraph, way: Way) -> Flat:
    if way == "both":
        return net.both.flat
    return (net.fans.out if way == "out" else net.fans.into).flat


def _gathered(flat: Flat, nodes: NDArray[np.integer[Any]]) -> Ints:
    """Return the rows of some nodes, one behind the other."""
    starts, (items, *_) = flat
    if len(nodes) <= FEW:
        spans = zip(starts[nodes].tolist(), starts[nodes + 1].tolist(), strict=True)
        parts = [items[first:last] for first, last in spans]
        return np.concatenate(parts) if parts else items[:0]
    firsts = starts[nodes]
    sizes = starts[nodes + 1] - firsts
    ends = np.cumsum(sizes)
    places = np.arange(ends[-1])
    places += np.repeat(firsts - (ends - sizes), sizes)
    return items[places]
