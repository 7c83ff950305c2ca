"""Which nodes matter: PageRank, hubs and authorities, and betweenness."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from glassmind.links.graph import Floats, Ints, LinkGraph

DAMPING = 0.85  # how often a reader follows a link; Brin and Page (1998)

TOLERANCE, MOST_ROUNDS = 1e-6, 1_000
"""When ranks have converged, and when to stop waiting for it; both as obsidian-brain.
"""

MOST_WORK = 30_000_000
"""Roots times nodes and neighbours, and rings: a second or two. 1,600 notes with 5
links each are counted from every one of them, of 10,000 such notes it is 270."""

RING_WORK = 700  # what a ring of a batch costs at least, in nodes and neighbours

LEAST_ROOTS = 64
"""In a large graph, unless even that is twice the most work; four times as many halve
the error."""

MOST_AT_ONCE = 3_000_000  # pairs of a root and a node: some 100 MB
SEED = 7  # any number would do; the same one draws the same roots

CERTAINTY, FEW_SAMPLES = 1.96, 2.4
"""Standard errors that hold the true value 95 times of 100; with few samples more, by
Student's t, which the second number over n - 1 comes close to."""


class Reputation(NamedTuple):
    """Hubs link to good authorities, and good hubs link to authorities."""

    hubs: Floats
    authorities: Floats


class Betweenness(NamedTuple):
    """The share of shortest paths between two others that goes through each node.

    `error` is how far any score may be off with 95 % confidence; 0 when every node was
    a root, 1 when a single one was. `samples` is how many roots there were.
    """

    scores: Floats
    error: float
    samples: int


class _Arcs(NamedTuple):
    size: int
    sources: NDArray[np.intp]
    targets: NDArray[np.intp]
    weights: Floats

    def forward(self, scores: Floats) -> Floats:
        return self._flow(scores, self.sources, self.targets)

    def backward(self, scores: Floats) -> Floats:
        return self._flow(scores, self.targets, self.sources)

    def _flow(
        self, scores: Floats, give: NDArray[np.intp], take: NDArray[np.intp]
    ) -> Floats:
        flow = scores.take(give) * self.weights
        sums = np.bincount(take, flow, minlength=self.size)
        return sums.astype(np.float64, copy=False)


def influence(
    graph: LinkGraph, *, groups: Ints | None = None, preferred: Floats | None = None
) -> Floats:
    """Return the PageRank of every node over links weighed by confidence.

    All ranks add up to 1; a node without links has 0. With `groups`, only links between
    nodes of one group count, and nodes of group -1 have none. Readers start at each
    node as often as it is `preferred`, everywhere alike where that is 0.
    """
    arcs = _arcs(graph, groups)
    linked = np.zeros(arcs.size)
    linked[arcs.sources] = linked[arcs.targets] = 1.0
    many = float(linked.sum())
    if not many:
        return linked
    given = arcs.backward(np.ones(arcs.size))
    share = np.divide(DAMPING, given, out=np.zeros(arcs.size), where=given > 0)
    dangling = np.flatnonzero((linked > 0) & (given == 0))
    start = linked if preferred is None else linked * preferred
    start = start / start.sum() if start.any() else linked / many
    ranks = start
    for _ in range(MOST_ROUNDS):
        last = ranks
        rest = 1.0 - DAMPING + DAMPING * float(last[dangling].sum())
        ranks = arcs.forward(last * share) + start * rest
        if float(np.abs(ranks - last).sum()) < TOLERANCE:
            break
    return ranks


def hubs_and_authorities(graph: LinkGraph) -> Reputation:
    """Return shares that add up to 1 (Kleinberg, 1999)."""
    arcs = _arcs(graph)
    if not len(arcs.sources):
        return Reputation(np.zeros(arcs.size), np.zeros(arcs.size))
    hubs = np.full(arcs.size, 1.0 / arcs.size)
    for _ in range(MOST_ROUNDS):
        last = hubs
        hubs = arcs.backward(arcs.forward(last))
        hubs /= hubs.sum()
        if float(np.abs(hubs - last).sum()) < TOLERANCE:
            break
    authorities = arcs.forward(hubs)
    return Reputation(hubs, authorities / authorities.sum())


def _arcs(graph: LinkGraph, groups: Ints | None = None) -> _Arcs:
    count, view = len(graph), graph.out_view
    sources = np.repeat(np.arange(count), np.diff(view.starts))
    targets, weights = view.nodes.astype(np.intp), view.weights
    if groups is not None:
        kept = (groups[sources] == groups[targets]) & (groups[sources] >= 0)
        sources, targets, weights = sources[kept], targets[kept], weights[kept]
    return _Arcs(count, sources, targets, weights)


def bridging(graph: LinkGraph, *, most_work: int = MOST_WORK) -> Betweenness:
    """Return the betweenness of every node, over links in either direction.

    Divided by the number of pairs, n(n-1)/2. Brandes (2001), for many roots at once: a
    step of all their searches is one step over arrays. Where paths from every node
    would be more than `most_work`, the roots are a sample (Brandes and Pich, 2007).
    """
    count, (starts, nodes, _) = len(graph), graph.both_view
    linked = np.flatnonzero(np.diff(starts))
    roots = np.random.default_rng(SEED).permutation(linked)
    each = max(1, count + len(nodes))
    at_once = max(1, min(MOST_AT_ONCE, most_work) // each)
    total, squares = np.zeros(count), np.zeros(count)
    work = done = 0
    most = 2 * most_work
    while done < len(roots) and (not done or work < most):
        batch = np.sort(roots[done : done + at_once])
        through, rings = _through(starts, nodes, batch)
        total += through.sum(axis=0)
        squares += (through**2).sum(axis=0)
        done += len(batch)
        work += len(batch) * each + rings * RING_WORK
        most = most_work if done >= LEAST_ROOTS else 2 * most_work
    return _estimated(total, squares, len(linked), done)


def _estimated(
    total: Floats, squares: Floats, linked: int, samples: int
) -> Betweenness:
    count = len(total)
    if not samples:
        return Betweenness(total, 0.0, samples)
    scale = linked / (count * (count - 1.0))  # each path is met from both its ends
    mean = total / samples
    scores = np.clip(mean * scale, 0.0, 1.0)
    if samples in {1, linked}:
        return Betweenness(scores, 0.0 if samples == linked else 1.0, samples)
    freedom = samples - 1
    spread = np.maximum(squares / samples - mean**2, 0.0) / freedom
    rest = (linked - samples) / (linked - 1)
    deviation = scale * float(np.sqrt(spread.max() * rest))
    error = min(1.0, (CERTAINTY + FEW_SAMPLES / freedom) * deviation)
    return Betweenness(scores, error, samples)


def _through(starts: Ints, nodes: Ints, roots: NDArray[np.intp]) -> tuple[Floats, int]:
    """Return, by root, how many paths from it go through each node, and count rings."""
    count = len(starts) - 1
    cells = np.arange(len(roots)) * count + roots
    far = np.full(len(roots) * count, -1, np.int32)
    paths = np.zeros(len(roots) * count)
    far[cells], paths[cells] = 0, 1.0
    place = np.empty(len(far), np.intp)  # of a cell in its ring
    steps: list[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]] = []
    ring = cells
    while len(ring):
        tails, heads = _onward(starts, nodes, ring)
        fresh = heads[far.take(heads) < 0]
        far[fresh] = len(steps) + 1
        on = far.take(heads) == len(steps) + 1
        tails, heads = tails[on], heads[on]
        steps.append((ring, tails, heads))
        from_here = paths.take(ring).take(tails)
        ring = _unique(fresh, place)
        paths[ring] = np.bincount(place.take(heads), from_here, minlength=len(ring))
    through = np.zeros(len(paths))
    for ring, tails, heads in reversed(steps):
        share = (1.0 + through.take(heads)) / paths.take(heads)
        through[ring] = np.bincount(tails, share, minlength=len(ring)) * paths[ring]
    through[cells] = 0.0
    return through.reshape(len(roots), count), len(steps)


def _unique(cells: NDArray[np.intp], place: NDArray[np.intp]) -> NDArray[np.intp]:
    order = np.arange(len(cells))
    place[cells] = order  # of equal ones, the last stays
    unique: NDArray[np.intp] = cells[place.take(cells) == order]
    place[unique] = order[: len(unique)]
    return unique


def _onward(
    starts: Ints, nodes: Ints, ring: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    here = ring % (len(starts) - 1)
    firsts = starts[here]
    sizes = starts[here + 1] - firsts
    ends = np.cumsum(sizes)
    tails = np.repeat(np.arange(len(ring)), sizes)
    places = np.arange(ends[-1]) + np.repeat(firsts - (ends - sizes), sizes)
    return tails, (ring - here).take(tails) + nodes.take(places)
