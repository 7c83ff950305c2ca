"""The shortest chains between two nodes, in an order that never changes.

All chains of one length are the ways through levels of stops (`stops`), and mostly each
way is one. Where it is not, because a node that is linked with everything leads back to
itself by any other, chains are found one by one (Yen, 1971; Lawler, 1972): a chain that
leaves the known ones behind some stop, and nowhere earlier, is the shortest there is
without the stops before. So the work grows with the chains that are wanted, however
many ways there are.
"""

import itertools
import time
from bisect import insort
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from glassmind.links.graph import Flat, Ints, LinkGraph, gathered

Mask: TypeAlias = NDArray[np.bool_]
Stops: TypeAlias = tuple[int, ...]

MASK_COST = 8
"""Nodes that a ring can be marked among in the time that a link is followed."""

PATIENCE = 1_000
"""Turns without a chain until a search has lost its way: a millisecond. In a vault
whose notes are linked at random there are some ten to a chain."""


class Stretch:
    """What lies between two nodes.

    `work` counts what was done so far, as links followed. `astray` says that chains
    were looked for among ways that mostly lead back to where they came from.
    """

    def __init__(self, flat: Flat, one: int, other: int) -> None:
        self._flat, self._one, self._other = flat, one, other
        self._count = len(flat.starts) - 1
        self.work = 0
        self.astray = False

    def shortest(
        self, start: Sequence[int], known: Collection[int], most: int
    ) -> list[Mask] | None:
        """Return the levels of the shortest chains that go on from a start.

        None of `known` comes next, and no chain comes back to the start. None when
        there is none, or when all are longer than `most`.
        """
        first = self._near(start[-1])
        first[[*start, *known]] = False
        fores, backs = [first], [self._only(self._other)]
        seen = [first.copy(), backs[0].copy()]
        for ring in seen:
            ring[list(start)] = True
        edges = [np.flatnonzero(first), np.array([self._other])]
        for _ in range(most):
            if (fores[-1] & backs[-1]).any():
                return self._between(fores, backs)
            side = int(len(edges[0]) > len(edges[1]))
            near = self._stepped(edges[side])
            near &= ~seen[side]
            seen[side] |= near
            (fores, backs)[side].append(near)
            edges[side] = np.flatnonzero(near)
            if not len(edges[side]):
                return None
        return None

    def longer(self, above: int, most: int) -> Iterator[list[Mask]]:
        """Yield the levels of the chains with one link more than `above`, and so on.

        These are the stops of walks: one may come again at a later place.
        """
        fores, backs = [self._near(self._one)], [self._only(self._other)]
        fores[0][[self._one, self._other]] = False
        for hops in range(above + 1, most + 1):
            for side, wanted in ((fores, -(-hops // 2)), (backs, hops // 2 + 1)):
                while len(side) < wanted:
                    near = self._stepped(np.flatnonzero(side[-1]))
                    near[[self._one, self._other]] = False
                    side.append(near)
            yield self._between(fores[: -(-hops // 2)], backs[: hops // 2 + 1])

    def through(self, start: Stops, levels: Sequence[Mask]) -> Iterator[Stops]:
        """Yield the chains that have each further stop at its level, by path.

        It ends early where it goes astray.
        """
        starts, (nodes, *_) = self._flat

        def onward(node: int, depth: int) -> Iterator[int]:
            near: Ints = nodes[starts[node] : starts[node + 1]]
            self.work += len(near)
            return iter(near[levels[depth][near]].tolist())

        chain, turns = list(start), 0
        choices = [onward(chain[-1], 0)]
        while choices:
            node = next(choices[-1], None)
            if node is not None and len(choices) == len(levels):
                yield (*chain, node)
                turns = 0
            elif node is not None and node not in chain:
                chain.append(node)
                choices.append(onward(node, len(choices)))
            else:
                turns += 1
                if node is None:
                    choices.pop()
                    chain.pop()
            if turns > PATIENCE:
                self.astray = True
                return

    def _between(self, fores: list[Mask], backs: list[Mask]) -> list[Mask]:
        """Return the levels of ways that meet where the last of both sides do."""
        levels, middle = [*fores, *backs[-2::-1]], len(fores) - 1
        levels[middle] = fores[-1] & backs[-1]
        for place in range(middle - 1, -1, -1):
            back = self._stepped(np.flatnonzero(levels[place + 1]))
            levels[place] = back & fores[place]
        for place in range(middle + 1, len(levels)):
            forth = self._stepped(np.flatnonzero(levels[place - 1]))
            levels[place] = forth & levels[place]
        return levels

    def _stepped(self, nodes: NDArray[np.int64]) -> Mask:
        near = np.zeros(self._count, np.bool_)
        followed = gathered(self._flat, nodes)
        self.work += len(followed) + self._count // MASK_COST
        near[followed] = True
        return near

    def _near(self, node: int) -> Mask:
        return self._stepped(np.array([node]))

    def _only(self, node: int) -> Mask:
        mask = np.zeros(self._count, np.bool_)
        mask[node] = True
        return mask


MOST_WORK = 60_000_000
"""Links followed until no further chain is looked for: half a second, more or less."""


class Found(NamedTuple):
    """Chains of nodes between two, shortest first; `cut`: there may be more.

    `late` says that the clock ended the search: another time it may find more.
    """

    chains: list[Stops]
    cut: bool
    late: bool = False


class Bounds(NamedTuple):
    """What is wanted of chains, and what may be spent on them.

    `deadline` is for an emergency; by the rest alone the same is found every time.
    """

    limit: int
    most_hops: int
    most_work: int
    deadline: float


class _Branch(NamedTuple):
    """The first chain of those that begin as some do and go on by none of `known`.

    `kept` counts the stops that they begin with. Branches sort by length and path.
    """

    length: int
    chain: Stops
    kept: int
    known: frozenset[int]


def shortest_paths(  # noqa: PLR0913 - each bound by its name
    net: LinkGraph,
    one: int,
    other: int,
    *,
    limit: int,
    most_hops: int,
    most_seconds: float,
    most_work: int = MOST_WORK,
) -> Found:
    """Return chains from one node to another, shortest first, equal ones by path.

    No chain visits a node twice. Links are followed either way. When there are `limit`
    chains, or after `most_work`, the rest is cut: longer ones, if any. So it is after
    `most_seconds`, should it ever come to that.
    """
    if one == other or limit < 1:
        return Found([], cut=False)
    bounds = Bounds(limit, most_hops, most_work, time.monotonic() + most_seconds)
    return _Search(Stretch(net.both.flat, one, other), bounds).found(one)


class _Search:
    """Chains as they are found, within bounds."""

    def __init__(self, stretch: Stretch, bounds: Bounds) -> None:
        self._stretch, self._bounds = stretch, bounds
        self._chains: list[Stops] = []
        self._branches: list[_Branch] = []

    def found(self, one: int) -> Found:
        """Return the chains from a node on, length by length."""
        chains, (limit, most_hops, *_) = self._chains, self._bounds
        shortest = self._stretch.shortest([one], (), most_hops)
        if shortest is None:
            return Found(chains, cut=False)
        further = self._stretch.longer(len(shortest), most_hops)
        for levels in itertools.chain([shortest], further):
            for stops in self._stretch.through((one,), levels):
                if len(chains) == limit:
                    return Found(chains, cut=True)
                chains.append(stops)
                if self._over():
                    return self._ended()
            if len(chains) == limit and len(levels) < most_hops:
                return Found(chains, cut=True)  # whether there are longer is not told
            if self._stretch.astray or self._over():
                return self._by_branches()
        return Found(chains, cut=False)

    def _by_branches(self) -> Found:
        """Return the chains found so far, and those that come after them one by one."""
        chains, (limit, most_hops, *_) = self._chains, self._bounds
        gone: dict[Stops, set[int]] = {}
        for stops in chains:
            for kept in range(1, len(stops)):
                gone.setdefault(stops[:kept], set()).add(stops[kept])
        starts = [(start, frozenset(known)) for start, known in gone.items()]
        while self._branch_off(starts):
            if not self._branches:
                return Found(chains, cut=False)
            length, stops, least, known = self._branches.pop(0)
            chains.append(stops)
            if len(chains) == limit:
                return Found(chains, cut=bool(self._branches) or length < most_hops)
            starts = [
                (stops[:kept], known.union(stops[kept : kept + 1]) if kept == least
                 else frozenset(stops[kept : kept + 1]))
                for kept in range(least, len(stops))
            ]  # fmt: skip
        return self._ended()

    def _branch_off(self, starts: Iterable[tuple[Stops, frozenset[int]]]) -> bool:
        """Look where chains branch off; whether all of it was within the bounds."""
        for start, known in starts:
            if self._over():
                return False
            self._branch(start, known)
        return True

    def _branch(self, start: Stops, known: frozenset[int]) -> None:
        """Keep the first chain that goes on from a start by none that is known.

        One that is longer than as many as are still wanted would not be told.
        """
        most, wanted = self._bounds.most_hops, self._bounds.limit - len(self._chains)
        if len(self._branches) >= wanted:
            most = min(most, self._branches[wanted - 1].length)
        levels = self._stretch.shortest(start, known, most + 1 - len(start))
        if levels is not None:
            stops = next(self._stretch.through(start, levels))
            insort(self._branches, _Branch(len(stops) - 1, stops, len(start), known))

    def _over(self) -> bool:
        return self._stretch.work > self._bounds.most_work or self._late()

    def _late(self) -> bool:
        return time.monotonic() > self._bounds.deadline

    def _ended(self) -> Found:
        return Found(self._chains, cut=True, late=self._late())
