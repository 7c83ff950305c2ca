"""Parting a vault into themes: communities of the link graph, none of them a mere half.

What Leiden finds is taken as it is, but for three things: a community that holds a
large part of the vault is parted once more by its own links, two notes are no theme,
and a few linked notes that would have none are one.
"""

from typing import NamedTuple, cast

import numpy as np
import xxhash
from numpy.typing import NDArray

from glassmind.links.clusters import clusters, modularity
from glassmind.links.fans import Ints
from glassmind.links.net import Floats, LinkGraph, View
from glassmind.links.ranks import influence

LEAST = 3
"""Notes that make a theme: of two that link to each other, the link says it all."""

LARGE, LARGE_SHARE = 10, 0.25
"""A theme with more notes than either is parted again; obsidian-brain's own bounds."""

ROUNDS = 4
"""How often that is tried: a quarter of a vault has at most three others beside it."""

RECIPE = "3"
"""Changes when the same links give other themes than before."""


FINE = 1.0
"""Resolution above which a few linked notes may be no theme: it was asked for."""


class Parts(NamedTuple):
    """The themes of a graph: a number for each node, -1 for those that have none.

    Numbers go by size, and of equal ones that with the first path comes first.
    `influence` is each node's share of its theme.
    """

    labels: Ints
    influence: Floats
    modularity: float


def fingerprint(net: LinkGraph) -> str:
    """Return what graphs have in common that are parted alike.

    Of notes it is their paths, so that equal vaults have equal rows.
    """
    made = xxhash.xxh3_128(RECIPE.encode())
    made.update("\n".join(net.paths).encode())
    for column in net.out_view:
        made.update(np.ascontiguousarray(column).tobytes())
    return made.hexdigest()


def parted(net: LinkGraph, resolution: float) -> Parts:
    """Return the themes of a graph; a higher resolution makes more and smaller ones."""
    found = _smaller(net, clusters(net, resolution=resolution), resolution)
    if resolution <= FINE:
        _join(net.both_view, found)
    labels = _numbered(found)
    return Parts(labels, _influence(net, labels), modularity(net, found))


def _smaller(net: LinkGraph, labels: Ints, resolution: float) -> Ints:
    """Return communities after the large ones were parted, as far as they can be."""
    labels = labels.copy()
    most = max(LARGE, LARGE_SHARE * len(net))
    whole: set[int] = set()
    for _ in range(ROUNDS):
        sizes = np.bincount(labels[labels >= 0])
        large = [n for n in np.flatnonzero(sizes > most).tolist() if n not in whole]
        if not large:
            break
        for label in large:
            nodes = np.flatnonzero(labels == label)
            inner = _inner(_within(net.both_view, nodes), resolution)
            if inner.max() < 1:
                whole.add(label)
            beyond = inner > 0
            labels[nodes[beyond]] = labels.max() + inner[beyond]
    return labels


def _join(view: View, labels: Ints) -> None:
    """Make one community of linked notes of which none is in one that is large enough.

    Of four notes two and two are as good a parting as any, and then none has a theme.
    """
    sizes = np.bincount(labels[labels >= 0])
    small = (labels >= 0) & (sizes[labels] < LEAST) if len(sizes) else labels >= 0
    left = dict.fromkeys(np.flatnonzero(small).tolist())
    while left:
        group = [next(iter(left))]
        known, alone = set(group), True
        for node in group:
            left.pop(node, None)
            for near in view.nodes[view.starts[node] : view.starts[node + 1]].tolist():
                if not small[near]:
                    alone = False
                elif near not in known:
                    known.add(near)
                    group.append(near)
        if alone:
            labels[group] = labels[group[0]]


def _inner(part: LinkGraph, resolution: float) -> Ints:
    """Return the communities of one that is too large.

    Below a resolution of 1 it may come out whole again, whatever its links: then a
    finer one is tried, as coarse as will do.
    """
    while True:
        found = clusters(part, resolution=resolution)
        if found.max() > 0 or resolution >= 1.0:
            return found
        resolution = min(1.0, 2 * resolution)


def _within(view: View, nodes: NDArray[np.int64]) -> LinkGraph:
    """Return the graph of some nodes and the links between them, either way."""
    number = np.full(len(view.starts) - 1, -1, np.int32)
    number[nodes] = np.arange(len(nodes), dtype=np.int32)
    sources = np.repeat(number, np.diff(view.starts))
    inside = _chosen(view, (sources >= 0) & (number[view.nodes] >= 0))
    starts = np.append(inside.starts[nodes], inside.starts[-1]).astype(np.int32)
    return _Excerpt(View(starts, number[inside.nodes], inside.weights)).as_graph()


def _chosen(view: View, kept: NDArray[np.bool_]) -> View:
    """Return a view with some of its links alone, of as many nodes."""
    before = np.concatenate(([0], np.cumsum(kept)))
    starts = before[view.starts].astype(np.int32)
    return View(starts, view.nodes[kept], view.weights[kept])


class _Excerpt:
    """A graph of which there is nothing but its links, for who asks no more of it."""

    def __init__(self, view: View) -> None:
        self.out_view = self.both_view = view

    def __len__(self) -> int:
        return len(self.out_view.starts) - 1

    def as_graph(self) -> LinkGraph:
        """Return it as what `clusters` and `influence` take: they look at views."""
        return cast("LinkGraph", self)


def _numbered(found: Ints) -> Ints:
    """Return themes by size and then by first node; what is too small is none."""
    labels = np.full(len(found), -1, np.int32)
    known = np.flatnonzero(found >= 0)
    names, first, place, sizes = np.unique(
        found[known], return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((first, -sizes))
    order = order[sizes[order] >= LEAST]
    rank = np.full(len(names), -1, np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    labels[known] = rank[place]
    return labels


def _influence(net: LinkGraph, labels: Ints) -> Floats:
    """Return each node's PageRank among the links of its theme; those of one make 1.

    All themes are ranked at once: no link leads from one to another, so each comes out
    as it would alone but for its scale.
    """
    view = net.out_view
    homes = np.repeat(labels, np.diff(view.starts))
    inside = _chosen(view, (homes >= 0) & (homes == labels[view.nodes]))
    ranks = influence(_Excerpt(inside).as_graph())
    ranks[labels < 0] = 0.0
    themed = labels >= 0
    totals = np.bincount(labels[themed], ranks[themed])
    ranks[themed] /= totals[labels[themed]]
    return ranks
