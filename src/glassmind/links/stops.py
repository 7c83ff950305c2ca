"""Where the chains between two nodes can stop: rings from both ends, until they meet.

A level is a mask of the nodes that can be the stop at that place; the first is the one
behind the beginning, the last the far end alone.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from glassmind.links.fans import Flat, Ints
from glassmind.links.walks import gathered

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
