"""The neighbourhood of a note: who leads to it, what it leads to, hop by hop."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from glassmind.errors import BadLimit, BadWish
from glassmind.files.resolve import fold
from glassmind.graph.links.subgraph import subgraph_of
from glassmind.graph.links.ties import Between, between, node_of, shown, ties_of
from glassmind.graph.links.unsettled import left_open
from glassmind.graph.pairs.implicit import alike, unknown
from glassmind.graph.study import Study
from glassmind.links.net import LinkGraph, View
from glassmind.links.walks import rings
from glassmind.model import NotePath
from glassmind.model.connections import (
    Connections,
    GraphLink,
    GraphPart,
    HopNotes,
    Neighbour,
    SimilarNote,
)
from glassmind.model.graph import NetEdge

MOST_DEPTH = 3
"""Hops that may be asked for: three lead to most of a vault whose notes are linked."""

MOST_SHOWN = 1_000
"""Neighbours of one hop that may be asked for; an answer must stay one."""

SIMILAR_SHOWN = 10


class _Near(NamedTuple):
    """A node of a ring: by which nodes one gets there, and the links to the last."""

    node: int
    via: tuple[int, ...]
    links: Between


class _Reached(NamedTuple):
    """What is so many hops away: the first of it, and how much there is."""

    near: list[_Near]
    total: int
    inbound: int
    outbound: int


def connections(  # noqa: PLR0913 - each wish by its name
    study: Study, name: str, *, depth: int, limit: int, ghosts: bool, subgraph: bool
) -> Connections:
    """Return what stands around a note, up to `limit` neighbours of every hop.

    Raises:
        BadWish, BadLimit: so deep, or so many, cannot be given.
        NoteNotFound, AmbiguousName, FileUnreadable: no one note is called so.
    """
    if not 1 <= depth <= MOST_DEPTH:
        raise BadWish("depth", depth, f"from 1 to {MOST_DEPTH}")
    if not 1 <= limit <= MOST_SHOWN:
        raise BadLimit(limit, MOST_SHOWN)
    net = study.net(ghosts=ghosts)
    root = node_of(study, net, name)
    reached = _reach(net, root, depth, limit)
    nodes = [near.node for ring in reached for near in ring.near]
    rows, ids = study.neighbours(), net.ids[[root, *nodes]].tolist()
    tags = rows.tags_of(ids)
    edges = [
        edge for ring in reached for near in ring.near for edge in near.links.edges
    ]
    ties = ties_of(net, study.sentences, edges)
    own = tags.get(ids[0], ())
    is_note = root < net.note_count
    path = NotePath(net.paths[root])
    part = subgraph_of(study, net, _by_hop(root, reached)) if subgraph else UNSET
    return Connections(
        path=path,
        title=net.titles[root],
        ghost=not is_note,
        tags=own,
        theme=study.themed.home_of(path) if is_note else None,
        depth=depth,
        hops=tuple(
            HopNotes(
                hop,
                tuple(_neighbour(net, near, hop, own, tags, ties) for near in ring[0]),
                *ring[1:],
            )
            for hop, ring in enumerate(reached, 1)
        ),
        similar=_similar(study, path) if is_note else (),
        subgraph=part,
        notices=(
            *left_open(study),
            *_left_out(reached, part),
            *(unknown(study) if is_note else ()),
        ),
    )


def _similar(study: Study, path: NotePath) -> tuple[SimilarNote, ...]:
    found = alike(study, path, limit=SIMILAR_SHOWN)
    return tuple(SimilarNote(p.other_path, p.other_title, p.similarity) for p in found)


def _by_hop(root: int, reached: Sequence[_Reached]) -> dict[int, int]:
    near = {n.node: hop for hop, ring in enumerate(reached, 1) for n in ring.near}
    return {root: 0, **near}


def _neighbour(  # noqa: PLR0913, PLR0917 - all that one line of the answer says
    net: LinkGraph,
    near: _Near,
    hop: int,
    own: Sequence[str],
    tags: Mapping[int, tuple[str, ...]],
    ties: dict[NetEdge, GraphLink],
) -> Neighbour:
    node = near.node
    theirs = {fold(tag) for tag in tags.get(int(net.ids[node]), ())}
    return Neighbour(
        path=net.paths[node],
        title=net.titles[node],
        hop=hop,
        directions=near.links.directions,
        via=tuple(net.paths[step] for step in near.via),
        edges=shown(ties, near.links.edges),
        edges_total=near.links.total,
        shared_tags=tuple(tag for tag in own if fold(tag) in theirs),
        ghost=node >= net.note_count,
    )


def _reach(net: LinkGraph, root: int, depth: int, limit: int) -> list[_Reached]:
    hops = np.full(len(net), -1, np.int8)
    hops[root] = 0
    found = rings(net, [root], depth, most=len(net))
    for hop, ring in enumerate(found, 1):
        hops[ring] = hop
    via: dict[int, tuple[int, ...]] = {root: ()}
    reached, before = [], np.array([root], np.int32)
    for hop, ring in enumerate(found, 1):
        inbound = _met(net.in_view, before, len(net))[ring]
        outbound = _met(net.out_view, before, len(net))[ring]
        order = np.lexsort((ring, -net.in_degree[ring], -(inbound + outbound)))
        near = []
        for node in ring[order[:limit]].tolist():
            way = _way(net, hops, via, node, hop)
            links = between(net, way[-1] if way else root, node)
            via[node] = way
            near.append(_Near(node, way, links))
        counts = (int(np.count_nonzero(met)) for met in (inbound, outbound))
        reached.append(_Reached(near, len(ring), *counts))
        before = ring
    return reached


def _met(view: View, nodes: NDArray[np.int32], count: int) -> NDArray[np.int64]:
    """Return how often each node is a neighbour of some."""
    first, sizes = view.starts[nodes], np.diff(view.starts)[nodes]
    skipped = np.cumsum(sizes) - sizes
    places = np.repeat(first - skipped, sizes) + np.arange(sizes.sum())
    return np.bincount(view.nodes[places], minlength=count)


def _way(
    net: LinkGraph,
    hops: NDArray[np.int8],
    via: dict[int, tuple[int, ...]],
    node: int,
    hop: int,
) -> tuple[int, ...]:
    """Return the nodes between the root and one, by the surest link at each step.

    Of equally sure ones a way that is shown itself is taken, then the first by path.
    """
    if hop == 1:
        return ()
    view = net.both_view
    place = slice(view.starts[node], view.starts[node + 1])
    near, sure = view.nodes[place], view.weights[place]
    nearer = hops[near] == hop - 1
    ends = zip(near[nearer].tolist(), sure[nearer].tolist(), strict=True)
    _, _, last = min((-weight, end not in via, end) for end, weight in ends)
    if last not in via:
        via[last] = _way(net, hops, via, last, hop - 1)
    return (*via[last], last)


def _left_out(reached: Sequence[_Reached], part: GraphPart | UnsetType) -> list[str]:
    said = [
        f"of {ring.total:,} notes {hop} {'hop' if hop == 1 else 'hops'} away the "
        f"{len(ring.near):,} closest tied are shown; a higher limit shows more"
        for hop, ring in enumerate(reached, 1)
        if ring.total > len(ring.near)
    ]
    return [*said, part.left_out] if part and part.left_out else said
