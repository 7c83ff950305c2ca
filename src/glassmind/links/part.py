"""A part of the graph as a graph of its own."""

from collections.abc import Sequence

import numpy as np

from glassmind.links.fans import Flat, starts_of
from glassmind.links.net import NOWHERE, LinkGraph, Nodes, by_id, fans_of


def part_of(net: LinkGraph, nodes: Sequence[int]) -> LinkGraph:
    """Return some nodes, given ascending and each once, with the links between them.

    They are numbered anew in the same order; links keep their places in their notes.
    """
    chosen = np.array(nodes, np.int32)
    number = np.full(len(net) + 1, NOWHERE, np.int32)  # the last stands for nowhere
    number[chosen] = np.arange(len(chosen), dtype=np.int32)
    flat = net.fans.links.flat
    sizes = np.diff(flat.starts)[chosen]
    starts = starts_of(sizes)
    places = np.repeat(flat.starts[chosen] - starts[:-1], sizes) + np.arange(starts[-1])
    targets, *others = (column[places] for column in flat.columns)
    links = Flat(starts, (number[targets], *others))
    notes = int(np.count_nonzero(chosen < net.note_count))
    named = Nodes(
        net.ids[chosen],
        [net.paths[node] for node in nodes],
        [net.titles[node] for node in nodes],
        notes,
        by_id(net.ids[chosen[:notes]]),
        [net.nodes.ghosts[node - net.note_count] for node in nodes[notes:]],
    )
    return LinkGraph(net.head, named, fans_of(links), net.names)
