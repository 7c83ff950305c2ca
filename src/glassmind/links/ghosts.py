"""The graph with its ghosts: names that links lead to and no file has."""

from collections.abc import Sequence

import numpy as np

from glassmind.links.fans import Flat, starts_of
from glassmind.links.net import LinkGraph, Nodes, fans_of, ghost_key
from glassmind.model.graph import GhostLink


def with_ghosts(net: LinkGraph, vain: Sequence[GhostLink]) -> LinkGraph:
    """Return a graph without ghosts with the targets of these links as further nodes.

    Spellings of one name that differ in case, or in a last `.md`, are one ghost; it is
    called by the first of them in code point order.
    """
    called: dict[str, str] = {}
    for link in vain:
        key = ghost_key(link.name)
        called[key] = min(called.get(key, link.name), link.name)
    keys = sorted(called)
    number = {key: place for place, key in enumerate(keys, start=len(net))}
    starts, (targets, *rest) = net.fans.links.flat
    sources = net.nodes_of(np.array([link.source for link in vain], np.int64))
    places = starts[sources] + np.array([link.seq for link in vain], np.int64)
    targets = targets.copy()
    targets[places] = [number[ghost_key(link.name)] for link in vain]
    counts = np.concatenate((np.diff(starts), np.zeros(len(keys), np.int32)))
    shown = [called[key] for key in keys]
    nodes = Nodes(
        np.concatenate((net.ids, np.zeros(len(keys), np.int64))),
        [*net.paths, *shown],
        [*net.titles, *shown],
        net.note_count,
        net.nodes.table,
        keys,
    )
    fans = fans_of(Flat(starts_of(counts), (targets, *rest)))
    return LinkGraph(net.head, nodes, fans, net.names)
