"""Going from node to node: rings around some, links among some, common neighbours."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from glassmind.links.fans import Flat, Ints
from glassmind.links.net import LinkGraph

Way: TypeAlias = Literal["both", "out", "in"]

FEW = 24
"""Rows up to which slicing each is faster than working out where all items stand."""


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
    near[gathered(flat, edge)] = True
    for ring in known:
        near[ring] = False
    return np.flatnonzero(near).astype(np.int32)


def inner_links(net: LinkGraph, nodes: Sequence[int] | Ints) -> Inner:
    """Return which of these nodes lead to which."""
    inside = np.zeros(len(net), np.bool_)
    inside[np.asarray(nodes, np.int64)] = True
    chosen = np.flatnonzero(inside).astype(np.int32)
    flat = net.fans.out.flat
    targets = gathered(flat, chosen)
    sources = np.repeat(chosen, flat.starts[chosen + 1] - flat.starts[chosen])
    kept = inside[targets]
    return Inner(sources[kept], targets[kept])


def common(net: LinkGraph, one: int, other: int) -> Ints:
    """Return the nodes that are neighbours of both, ascending."""
    return np.intersect1d(net.around(one), net.around(other), assume_unique=True)


def _flat(net: LinkGraph, way: Way) -> Flat:
    if way == "both":
        return net.both.flat
    return (net.fans.out if way == "out" else net.fans.into).flat


def gathered(flat: Flat, nodes: NDArray[np.integer[Any]]) -> Ints:
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
