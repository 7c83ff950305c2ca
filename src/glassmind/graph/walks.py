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
        near = np.zeros(len(net), np.bool_)
        near[_gathered(flat, edge)] = True
        for ring in known:
            near[ring] = False
        edge = np.flatnonzero(near)[:left].astype(np.int32)
        if not len(edge):
            break
        found.append(edge)
        known.append(edge)
        left -= len(edge)
    return found


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
    are over, or there are more than `limit`, the rest is cut.
    """
    chains: list[tuple[int, ...]] = []
    if one == other or limit < 1:
        return Found(chains, cut=False)
    search = _Search(net.both.flat, one, other, time.monotonic() + most_seconds)
    for hops in range(1, most_hops + 1):
        for chain in search.chains(hops):
            if len(chains) == limit:
                return Found(chains, cut=True)
            chains.append(chain)
        if search.late:
            return Found(chains, cut=True)
        if search.apart:
            break
    return Found(chains, cut=False)


class _Reach(NamedTuple):
    """Nodes that a walk can be at, as a mask and by number."""

    mask: Mask
    nodes: NDArray[np.int64]


class _Search:
    """A search for chains between two nodes, longer and longer ones.

    `late` says that time ran out, `apart` that nothing leads from one to the other.
    """

    def __init__(self, flat: Flat, one: int, other: int, deadline: float) -> None:
        self._flat, self._ends, self._deadline = flat, (one, other), deadline
        self._count = len(flat.starts) - 1
        self._reach = [self._only(one)], [self._only(other)]
        self._seen = [level[0].mask.copy() for level in self._reach]
        self._steps, self._met = 0, False
        self.late = self.apart = False

    def chains(self, hops: int) -> Iterator[tuple[int, ...]]:
        """Yield the chains of exactly so many hops, by number of their nodes."""
        near, far = -(-hops // 2), hops // 2
        self._extend(0, near)
        self._extend(1, far)
        if hops == 1:  # walks stop before the far end, so they do not meet at it
            there = [self._reach[1][0].mask] if self._met else []
        else:
            middle = self._reach[0][near].mask & self._reach[1][far].mask
            there = self._levels(middle, near, hops) if middle.any() else []
        return self._within(there) if there else iter(())

    def _levels(self, middle: Mask, near: int, hops: int) -> list[Mask]:
        """Return what can be the first, the second ... and the last stop of a chain."""
        before, behind = [middle], list[Mask]()
        for place in range(near - 1, 0, -1):
            known = self._reach[0][place].mask
            before.append(self._stepped(np.flatnonzero(before[-1])) & known)
        here = middle
        for place in range(near + 1, hops):
            known = self._reach[1][hops - place].mask
            here = self._stepped(np.flatnonzero(here)) & known
            behind.append(here)
        return [*reversed(before), *behind, self._reach[1][0].mask]

    def _within(self, levels: list[Mask]) -> Iterator[tuple[int, ...]]:
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

    def _extend(self, side: int, steps: int) -> None:
        """Lay out what a walk from one end can reach in so many steps.

        It passes neither end: a chain does not come back to where it began.
        """
        reach, seen = self._reach[side], self._seen[side]
        while len(reach) <= steps:
            near = self._stepped(reach[-1].nodes)
            self._met = self._met or bool(near[self._ends[1 - side]])
            near[list(self._ends)] = False
            reach.append(_Reach(near, np.flatnonzero(near)))
            if seen[reach[-1].nodes].all():  # the same again from here on
                self.apart = not self._met
            seen |= near

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
