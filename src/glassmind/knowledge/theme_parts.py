"""Parting a vault into themes: communities of the link graph, none of them a mere half.

What Leiden finds is taken as it is, but for two things: a community that holds a large
part of the vault is parted once more by its own links, and two notes are no theme.
"""

from typing import Any, NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from glassmind.graph.clusters import clusters, modularity
from glassmind.graph.net import Floats, Ints, LinkGraph, Links
from glassmind.graph.ranks import influence
from glassmind.types.graph import NodeRow

LEAST = 3
"""Notes that make a theme: of two that link to each other, the link says it all."""

LARGE, LARGE_SHARE = 10, 0.25
"""A theme with more notes than either is parted again; obsidian-brain's own bounds."""

ROUNDS = 4
"""How often that is tried: a quarter of a vault has at most three others beside it."""

RECIPE = "1"
"""Changes when the same links give other themes than before."""


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
            inner = clusters(_within(net, nodes), resolution=resolution)
            if inner.max() < 1:
                whole.add(label)
            beyond = inner > 0
            labels[nodes[beyond]] = labels.max() + inner[beyond]
    return labels


def _within(net: LinkGraph, nodes: NDArray[np.int64]) -> LinkGraph:
    """Return the graph of some nodes and the links between them."""
    number = np.full(len(net), -1, np.int32)
    number[nodes] = np.arange(len(nodes), dtype=np.int32)
    links = net.links
    kept = (number[links.sources] >= 0) & (number[links.targets] >= 0)
    inside = _chosen(links, kept)
    inside = inside._replace(
        sources=number[inside.sources], targets=number[inside.targets]
    )
    rows = [NodeRow(0, net.paths[n], "") for n in nodes.tolist()]
    return LinkGraph(net.head, rows, inside, net.names)


def _chosen(links: Links, kept: NDArray[np.bool_]) -> Links:
    columns: list[Any] = [column[kept] for column in links]
    return Links(*columns)


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
    links = net.links
    kept = (labels[links.sources] >= 0) & (
        labels[links.sources] == labels[links.targets]
    )
    rows = [NodeRow(0, path, "") for path in net.paths]
    inside = _chosen(links, kept)
    ranks = influence(LinkGraph(net.head, rows, inside, net.names))
    ranks[labels < 0] = 0.0
    themed = labels >= 0
    totals = np.bincount(labels[themed], ranks[themed])
    ranks[themed] /= totals[labels[themed]]
    return ranks
