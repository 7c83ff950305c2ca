"""Which notes of the vault matter, of a theme, or around what a search finds.

Within a theme or about a query only the links between those notes count: what the rest
of the vault thinks of a note says nothing of its place there. About a query, readers
start at the hits, as often as these are relevant, so that a note known for something
else does not come first (Haveliwala, 2002).
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from glassmind.errors import BadLimit, BadWish
from glassmind.graph.link_graph import link_graph
from glassmind.graph.themes import theme_called, themed_for
from glassmind.links.graph import Floats, LinkGraph, part_of, rings
from glassmind.links.ranks import bridging, hubs_and_authorities, influence
from glassmind.model.graph import (
    METRICS,
    Metric,
    RankedNote,
    RankedNotes,
    Theme,
    ThemeLabel,
)
from glassmind.model.search import SearchReply
from glassmind.obsidian.text import counted
from glassmind.vault import Vault

MOST_RANKED = 1_000

HITS_ABOUT = 20  # whose neighbourhood a query is about, as for the graph channel

DOUBT = "the vault seems to hold nothing of that: what is ranked are near misses"

SAME_DIGITS = 12
"""Digits of a score that count: sums in another order differ behind them, and notes
that are equal in the graph are to be ordered by path."""


Search: TypeAlias = Callable[[str, int], SearchReply]
"""Searches the vault for so many hits."""


_Scores: TypeAlias = tuple[Floats, Floats, float, int]
"""The score of every node, what the nodes it is linked with are weighed by, the error
of sampled scores, and the size of the sample."""


_Chosen: TypeAlias = tuple[
    list[int] | None, ThemeLabel | None, Mapping[int, float], tuple[str, ...]
]
"""The nodes to rank, ascending, None for all of them; their theme; hits by relevance;
and notices."""


def ranking(  # noqa: PLR0913 - each option by its name
    vault: Vault,
    search: Search,
    *,
    metric: Metric,
    limit: int,
    theme: str | None,
    about: str | None,
    least_inbound: int,
    ghosts: bool,
) -> RankedNotes:
    """Return the first notes by a measure; equal ones by path."""
    if metric not in METRICS:
        raise BadWish("metric", metric, f"one of {', '.join(METRICS)}")
    if not 1 <= limit <= MOST_RANKED:
        raise BadLimit(limit, MOST_RANKED)
    if least_inbound < 0:
        raise BadWish("least_inbound", least_inbound, "0 or more")
    graph = link_graph(vault, ghosts=ghosts)
    kept = None
    if theme is not None:
        kept = theme_called(themed_for(vault).now(ghosts=ghosts), theme, lasting=True)
    reply = None if about is None else search(about, HITS_ABOUT)
    chosen, label, hits, told = _chosen(graph, kept, reply)
    nodes = list(range(len(graph))) if chosen is None else chosen
    part = graph if chosen is None else part_of(graph, nodes)
    preferred = np.array([hits.get(node, 0.0) for node in nodes]) if hits else None
    scores, others, error, samples = _scored(part, metric, preferred)
    inbound, outbound = graph.in_degree.take(nodes), graph.out_degree.take(nodes)
    inside = np.flatnonzero(inbound >= least_inbound)
    order = inside[np.lexsort((inside, -np.round(scores[inside], SAME_DIGITS)))]
    notes = [
        RankedNote(
            rank=rank,
            path=graph.paths[nodes[place]],
            title=graph.titles[nodes[place]],
            score=float(scores[place]),
            inbound=int(inbound[place]),
            outbound=int(outbound[place]),
            reason=_reason(part, place, metric, others, error),
            ghost=nodes[place] >= graph.note_count,
            hit=nodes[place] in hits,
        )
        for rank, place in enumerate(order[:limit].tolist(), 1)
    ]
    notices = list(told)
    if about is not None and not hits:
        notices.append("the search found no note to rank the neighbourhood of")
    elif nodes and not len(inside):
        notices.append(f"no note of these has {least_inbound:,} that link to it")
    return RankedNotes(
        metric=metric,
        notes=tuple(notes),
        total=len(inside),
        margin=error,
        samples=samples,
        theme=label,
        about=about or "",
        notices=tuple(notices),
    )


def _chosen(
    graph: LinkGraph, theme: Theme | None, reply: SearchReply | None
) -> _Chosen:
    nodes: set[int] | None = None
    hits, notices = dict[int, float](), tuple[str, ...]()
    if theme is not None:
        members = (graph.node_at(member.path) for member in theme.members)
        nodes = {node for node in members if node is not None}
    if reply is not None:
        for hit in reply.hits:
            node = graph.node_at(hit.path)
            if node is not None:
                hits[node] = max(hits.get(node, 0.0), hit.relevance)
        notices = (*reply.degraded, *([DOUBT] if reply.is_doubtful and hits else []))
        near = rings(graph, sorted(hits), 1) if hits else []
        around = set(hits).union(*(ring.tolist() for ring in near))
        nodes = around if nodes is None else nodes & around
    label = None if theme is None else ThemeLabel(theme.id, theme.label)
    return None if nodes is None else sorted(nodes), label, hits, notices


def _scored(graph: LinkGraph, metric: Metric, preferred: Floats | None) -> _Scores:
    if metric == "influence":
        scores = influence(graph, preferred=preferred)
        return scores, scores, 0.0, 0
    if metric == "bridging":
        scores, error, samples = bridging(graph)
        return scores, scores, error, samples if error else 0
    hubs, authorities = hubs_and_authorities(graph)
    if metric == "hubs":
        return hubs, authorities, 0.0, 0
    return authorities, hubs, 0.0, 0


def _reason(
    graph: LinkGraph, node: int, metric: Metric, others: Floats, error: float
) -> str:
    if metric == "bridging":
        share = f"{100 * others[node]:.3g} %"
        about = "about " if error else ""
        return f"{about}{share} of the shortest paths between two others go through it"
    near = graph.outward(node) if metric == "hubs" else graph.inward(node)
    if not len(near):
        return "links to no note" if metric == "hubs" else "no note links to it"
    weights = np.round(others[near], SAME_DIGITS)
    first = graph.titles[int(near[int(np.argmax(weights))])]
    count = counted(len(near), "note")
    if metric == "hubs":
        return f"links to {count}, first of all {first}"
    verb = "links" if len(near) == 1 else "link"
    return f"{count} {verb} to it, first of all {first}"
