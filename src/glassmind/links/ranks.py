"""Which nodes matter: by what leads to them, and by what they lead to."""

from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from glassmind.links.graph import Floats, Ints, LinkGraph

__all__ = ["Bridging", "Reputation", "bridging", "hubs_and_authorities", "influence"]

DAMPING = 0.85
"""How often a reader follows a link rather than start anew; Brin and Page (1998)."""

TOLERANCE = 1e-6
MOST_ROUNDS = 1_000
"""When ranks stand still, and when we stop waiting for it; both as obsidian-brain."""


class Reputation(NamedTuple):
    """Hubs lead to good authorities, and good hubs lead to authorities."""

    hubs: Floats
    authorities: Floats


class Arcs(NamedTuple):
    """Pairs of nodes with a link from the one to the other, as wide as numpy counts.

    There are no weights where all are 1, as in most vaults.
    """

    size: int
    sources: NDArray[np.intp]
    targets: NDArray[np.intp]
    weights: Floats | None

    def forward(self, scores: Floats) -> Floats:
        """Return what each node gets when each gives its score to all it leads to."""
        flow = scores.take(self.sources)
        if self.weights is not None:
            flow *= self.weights
        return _sums(self.targets, flow, self.size)

    def backward(self, scores: Floats) -> Floats:
        """Return what each node gets of all it leads to."""
        flow = scores.take(self.targets)
        if self.weights is not None:
            flow *= self.weights
        return _sums(self.sources, flow, self.size)


def influence(
    net: LinkGraph,
    among: Sequence[int] | Ints | None = None,
    *,
    wanted: Floats | None = None,
) -> Floats:
    """Return the PageRank of every node over links weighed by confidence.

    The ranks of all add up to 1; one without any link has 0. With `among`, links
    between these alone count. Readers start at each node as often as it is `wanted`,
    everywhere alike where that says nothing.
    """
    arcs = _arcs(net, among)
    linked = np.zeros(arcs.size)
    linked[arcs.sources] = linked[arcs.targets] = 1.0
    many = float(linked.sum())
    if not many:
        return linked
    given = arcs.backward(np.ones(arcs.size))
    share = np.divide(DAMPING, given, out=np.zeros(arcs.size), where=given > 0)
    dangling = np.flatnonzero((linked > 0) & (given == 0))
    start = linked if wanted is None else linked * wanted
    start = start / start.sum() if start.any() else linked / many
    ranks = start
    for _ in range(MOST_ROUNDS):
        last = ranks
        rest = 1.0 - DAMPING + DAMPING * float(last[dangling].sum())
        ranks = arcs.forward(last * share) + start * rest
        if float(np.abs(ranks - last).sum()) < TOLERANCE:
            break
    return ranks


def hubs_and_authorities(net: LinkGraph) -> Reputation:
    """Return how good a hub and an authority each node is; each adds up to 1.

    Links count by confidence (Kleinberg, 1999).
    """
    arcs = _arcs(net, None)
    if not len(arcs.sources):
        return Reputation(np.zeros(arcs.size), np.zeros(arcs.size))
    hubs = np.full(arcs.size, 1.0 / arcs.size)
    for _ in range(MOST_ROUNDS):
        last = hubs
        hubs = arcs.backward(arcs.forward(last))
        hubs /= hubs.sum()
        if float(np.abs(hubs - last).sum()) < TOLERANCE:
            break
    sure = arcs.forward(hubs)
    return Reputation(hubs, sure / sure.sum())


def _sums(places: NDArray[np.intp], parts: Floats, size: int) -> Floats:
    """Return what stands at each place, added up in order."""
    return np.bincount(places, parts, minlength=size).astype(np.float64, copy=False)


def _arcs(net: LinkGraph, among: Sequence[int] | Ints | None) -> Arcs:
    count, view = len(net), net.out_view
    sources = np.repeat(np.arange(count), np.diff(view.starts))
    targets, weights = view.nodes.astype(np.intp), view.weights
    if among is not None:
        inside = np.zeros(count, np.bool_)
        inside[np.asarray(among, np.intp)] = True
        kept = inside[sources] & inside[targets]
        sources, targets, weights = sources[kept], targets[kept], weights[kept]
    alike = bool((weights == 1.0).all())
    return Arcs(count, sources, targets, None if alike else weights)


MOST_WORK = 30_000_000
"""Roots times nodes and neighbours, and rings: a second's work, or two. 1,600 notes
with 5 links each are counted from every one of them, of 10,000 such notes it is 270."""

RING_WORK = 700
"""What a ring of a batch costs however small it is, in nodes and neighbours: 35
microseconds, measured on a chain of 10,000."""

LEAST_ROOTS = 64
"""In a large graph, unless even that is twice the most work; four times as many halve
the error."""

SEED = 7
"""Any number would do; the same one draws the same roots."""

SURE, FEW_SAMPLES = 1.96, 2.4
"""Standard errors either way that hold the true value 95 times of 100; of few samples
there are more of them, by Student's t, which the second comes close to over n - 1."""

MOST_AT_ONCE = 3_000_000
"""Pairs of a root and a node or neighbour that are kept at a time: some 100 MB."""


class Bridging(NamedTuple):
    """The share of shortest ways between two others that leads through each node.

    Scores are from 0 to 1. `error` is how far any of them may be off, each with 95 %
    confidence, by the standard error over the sampled roots; 0 when every node was a
    root, and 1 when a single one was, which says nothing of the others. `samples` is
    how many roots there were.
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
    be more than `most_work`, it is an estimate. A graph that was counted before is not
    counted again.
    """
    known = _COUNTED.get(net)
    if known is None or known[0] != most_work:
        known = _COUNTED[net] = most_work, _counted(net, most_work)
    return known[1]


_COUNTED: WeakKeyDictionary[LinkGraph, tuple[int, Bridging]] = WeakKeyDictionary()
"""What is known of graphs that somebody still has, with the work it was worth."""


def _counted(net: LinkGraph, most_work: int) -> Bridging:
    count, view = len(net), net.both_view
    linked = np.flatnonzero(np.diff(view.starts))
    roots = np.random.default_rng(SEED).permutation(linked)
    each = max(1, count + len(view.nodes))
    at_once = max(1, min(MOST_AT_ONCE, most_work) // each)
    total, squares = np.zeros(count), np.zeros(count)
    work = done = 0
    while done < len(roots) and _goes_on(work, done, most_work):
        batch = np.sort(roots[done : done + at_once])
        through, rings = _through(view.starts, view.nodes, batch)
        total += through.sum(axis=0)
        squares += (through**2).sum(axis=0)
        done += len(batch)
        work += len(batch) * each + rings * RING_WORK
    return _estimated(total, squares, len(linked), done)


def _goes_on(work: int, done: int, most_work: int) -> bool:
    return not done or work < (most_work if done >= LEAST_ROOTS else 2 * most_work)


def _estimated(total: Floats, squares: Floats, linked: int, samples: int) -> Bridging:
    count = len(total)
    if not samples:
        return Bridging(total, 0.0, samples)
    scale = linked / (count * (count - 1.0))  # each way is met from both its ends
    mean = total / samples
    scores = np.clip(mean * scale, 0.0, 1.0)
    if samples == linked:
        return Bridging(scores, 0.0, samples)
    if samples == 1:
        return Bridging(scores, 1.0, samples)
    freedom = samples - 1
    spread = np.maximum(squares / samples - mean**2, 0.0) / freedom
    unseen = (linked - samples) / (linked - 1)
    off = scale * float(np.sqrt(spread.max() * unseen))
    error = min(1.0, (SURE + FEW_SAMPLES / freedom) * off)
    return Bridging(scores, error, samples)


def _through(starts: Ints, nodes: Ints, roots: NDArray[np.intp]) -> tuple[Floats, int]:
    """Return, root by root, how many ways from it lead through each node; and rings.

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
    return _gathered(steps, ways, cells).reshape(len(roots), count), len(steps)


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
