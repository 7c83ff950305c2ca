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
from collections.abc import Iterable
from typing import NamedTuple

from glassmind.links.net import LinkGraph
from glassmind.links.stops import Stops, Stretch

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
