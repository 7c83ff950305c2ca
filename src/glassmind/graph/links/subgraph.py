"""A part of the link graph, cut out whole: some nodes and all links between them."""

from collections.abc import Mapping

from glassmind.graph.links.ties import shown, ties_of
from glassmind.graph.study import Study
from glassmind.links.net import LinkGraph
from glassmind.links.walks import inner_links
from glassmind.model.connections import GraphNode, GraphPart

MOST_EDGES = 2_000
"""Links of one part that are handed out: what a program still draws at once."""


def subgraph_of(study: Study, net: LinkGraph, hops: Mapping[int, int]) -> GraphPart:
    """Return these nodes, each with how far it is from the root, and their links.

    Of too many links those of the nearest notes are kept.
    """
    order = sorted(hops, key=lambda node: (hops[node], node))
    inner = inner_links(net, order)
    pairs = zip(inner.sources.tolist(), inner.targets.tolist(), strict=True)
    nearest_first = sorted(pairs, key=lambda pair: (hops[pair[0]], pair))
    edges = [edge for pair in nearest_first for edge in net.edges(*pair)]
    kept = edges[:MOST_EDGES]
    rows, ids = study.neighbours(), net.ids[order].tolist()
    tags, properties = rows.tags_of(ids), rows.properties_of(ids)
    nodes = tuple(
        GraphNode(
            path=net.paths[node],
            title=net.titles[node],
            hop=hops[node],
            ghost=node >= net.note_count,
            tags=tags.get(note_id, ()),
            properties=properties.get(note_id, {}),
        )
        for node, note_id in zip(order, ids, strict=True)
    )
    ties = ties_of(net, study.sentences, kept)
    return GraphPart(nodes, shown(ties, kept), len(edges))
