"""Which nodes bridge: how many shortest ways between others lead through each.

Brandes (2001), for many roots at once: a step of all their searches is one step over
arrays, so that a long chain does not cost a step for each root and node. In a large
graph the roots are a sample (Brandes and Pich, 2007).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from glassmind.graph.fans import Ints
from glassmind.graph.net import Floats, LinkGraph

MOST_WORK = 30_000_000
"""Roots times nodes and neighbours: a second's work. 1,600 notes with 5 links each are
counted from every one of them, of 10,000 such notes it is 270."""

LEAST_ROOTS = 128
"""However large the graph is; four times as many halve the error."""

SEED = 7
"""Any number would do; the same one draws the same roots."""

SURE = 1.96
"""Standard errors either way that hold the true value 95 times of 100."""

MOST_AT_ONCE = 3_000_000
"""Pairs of a root and a node or neighbour that are kept at a time: some 100 MB."""


class Bridging(NamedTuple):
    """The share of shortest ways between two others that leads through each node.

    Scores are from 0 to 1. `error` is how far any of them may be off, each with 95 %
    confidence, by the standard error over the sampled roots; 0 when every node was a
    root. `samples` is how many roots there were.
    """

    scores: Floats
    error: float
    samples: int


class _Step(NamedTuple):
    """The ways from one ring of searches to the next: places in rings, and cells."""

    ring: NDArray[np.intp]
    tails: NDArray[np.intp]
    heads: NDArray[np.intp]


def bridging(net: LinkGraph, *, most_work: int = MOST_WORK) -> Bridging:
    """Return the betweenness of every node, over links either way, each counted 1.

    Divided by the number of pairs, n(n-1)/2. Where counting ways from every node would
    be more than `most_work`, it is an estimate.
    """
    count, view = len(net), net.both_view
    linked = np.flatnonzero(np.diff(view.starts))
    each = max(1, count + len(view.nodes))
    wanted = max(LEAST_ROOTS, most_work // each)
    roots = linked
    if wanted < len(linked):
        chance = np.random.default_rng(SEED)
        roots = np.sort(chance.choice(linked, wanted, replace=False))
    total, squares = np.zeros(count), np.zeros(count)
    at_once = max(1, MOST_AT_ONCE // each)
    for first in range(0, len(roots), at_once):
        through = _through(view.starts, view.nodes, roots[first : first + at_once])
        total += through.sum(axis=0)
        squares += (through**2).sum(axis=0)
    return _estimated(total, squares, len(linked), len(roots))


def _estimated(total: Floats, squares: Floats, linked: int, samples: int) -> Bridging:
    count = len(total)
    if not samples:
        return Bridging(total, 0.0, samples)
    scale = linked / (count * (count - 1.0))  # each way is met from both its ends
    mean = total / samples
    scores = np.clip(mean * scale, 0.0, 1.0)
    if samples == linked:
        return Bridging(scores, 0.0, samples)
    spread = np.maximum(squares / samples - mean**2, 0.0) / (samples - 1)
    unseen = (linked - samples) / (linked - 1)
    error = SURE * scale * float(np.sqrt(spread.max() * unseen))
    return Bridging(scores, error, samples)


def _through(starts: Ints, nodes: Ints, roots: NDArray[np.intp]) -> Floats:
    """Return, root by root, how many ways from it lead through each node.

    Ways count in parts: of two shortest ones to the same end, each is a half. A cell is
    a root and a node: its place in a table with a row for each root.
    """
    count = len(starts) - 1
    cells = np.arange(len(roots)) * count + roots
    far = np.full(len(roots) * count, -1, np.int32)
    ways = np.zeros(len(roots) * count)
    far[cells], ways[cells] = 0, 1.0
    place = np.empty(len(far), np.intp)  # of a cell in its ring
    steps: list[_Step] = []
    ring = cells
    while len(ring):
        tails, heads = _onward(starts, nodes, ring, count)
        fresh = heads[far.take(heads) < 0]
        far[fresh] = len(steps) + 1
        on = far.take(heads) == len(steps) + 1
        tails, heads = tails[on], heads[on]
        steps.append(_Step(ring, tails, heads))
        from_here = ways.take(ring).take(tails)
        ring = _once(fresh, place)
        ways[ring] = np.bincount(place.take(heads), from_here, minlength=len(ring))
    return _gathered(steps, ways, cells).reshape(len(roots), count)


def _once(cells: NDArray[np.intp], place: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return each cell once, writing its place among them into the table."""
    order = np.arange(len(cells))
    place[cells] = order  # of equal ones, the last stays
    once: NDArray[np.intp] = cells[place.take(cells) == order]
    place[once] = order[: len(once)]
    return once


def _onward(
    starts: Ints, nodes: Ints, ring: NDArray[np.intp], count: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the arcs that leave a ring: from which place of it, to which cell."""
    here = ring % count
    firsts = starts[here]
    sizes = starts[here + 1] - firsts
    ends = np.cumsum(sizes)
    tails = np.repeat(np.arange(len(ring)), sizes)
    places = np.arange(ends[-1]) + np.repeat(firsts - (ends - sizes), sizes)
    return tails, (ring - here).take(tails) + nodes.take(places)


def _gathered(steps: list[_Step], ways: Floats, roots: NDArray[np.intp]) -> Floats:
    """Return what leads through each cell, from the last ring back to the roots."""
    through = np.zeros(len(ways))
    for ring, tails, heads in reversed(steps):
        share = (1.0 + through.take(heads)) / ways.take(heads)
        sums = np.bincount(tails, share, minlength=len(ring))
        through[ring] = sums * ways[ring]
    through[roots] = 0.0
    return through
