"""Graphs written as pairs of names, and what two graphs are compared by."""

from collections.abc import Iterable, Sequence

import numpy as np

from glassmind.links.graph import LinkGraph, build
from glassmind.model.graph import KINDS, LinkRows, NetEdge, NodeRows


def net_of(
    edges: Iterable[tuple[int, int] | tuple[int, int, str]], count: int = 0
) -> LinkGraph:
    """Return a graph of nodes 0 to `count`; an edge may say its kind."""
    written = sorted(
        (edge[0], place, edge[1], edge[2] if len(edge) > 2 else "link")
        for place, edge in enumerate(edges)
    )
    ends = [end for edge in written for end in (edge[0], edge[2])]
    count = max([count, *(end + 1 for end in ends)])
    names = [f"{number:06}.md" for number in range(count)]
    marks = [8 * (place + 1) + KINDS.index(kind) for _, place, _, kind in written]
    rows = LinkRows(
        np.array([edge[0] + 1 for edge in written], np.int64),
        np.array([edge[2] + 1 for edge in written], np.int64),
        np.array(marks, np.int64),
        [],
    )
    ids = np.arange(1, count + 1, dtype=np.int64)
    return build("", NodeRows(ids, names, names), rows)


def edges_from(net: LinkGraph, node: int) -> list[NetEdge]:
    """Return every link of a node to others, by target."""
    return [edge for end in net.outward(node) for edge in net.edges(node, int(end))]


def content(net: LinkGraph) -> dict[str, object]:
    """Return everything that a graph says, whatever it was made from."""
    nodes = range(len(net))
    return {
        "ids": net.ids.tolist(),
        "paths": list(net.paths),
        "titles": list(net.titles),
        "notes": net.note_count,
        "edges": [edges_from(net, node) for node in nodes],
        "edges to": [net.edges_to(node) for node in nodes],
        "out": [net.outward(node).tolist() for node in nodes],
        "in": [net.inward(node).tolist() for node in nodes],
        "around": [net.around(node).tolist() for node in nodes],
        "views": [
            [column.tolist() for column in view]
            for view in (net.out_view, net.both_view)
        ],
        "places": [net.node_at(path) for path in net.paths],
        "files": [net.node_of(int(file_id)) for file_id in net.ids[: net.note_count]],
    }


def chain(count: int) -> list[tuple[int, int]]:
    """Return each node linked to the next."""
    return [(node, node + 1) for node in range(count - 1)]


def clique(nodes: Sequence[int]) -> list[tuple[int, int]]:
    """Return each node linked to each that follows it."""
    return [(a, b) for place, a in enumerate(nodes) for b in nodes[place + 1 :]]
