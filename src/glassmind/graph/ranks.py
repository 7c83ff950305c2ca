"""Which notes of the vault matter, of a theme, or around what a search finds.

Within a theme or about a query the links between those notes alone count: what the rest
of the vault thinks of a note says nothing of its place there. About a query, readers
start at the hits, as often as these are relevant, so that a note known for something
else does not come first (Haveliwala, 2002).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, assert_never

import numpy as np

from glassmind.errors import BadLimit, BadWish
from glassmind.graph.context import GraphContext
from glassmind.graph.themes import theme_called
from glassmind.links.graph import Floats, LinkGraph, part_of, rings
from glassmind.links.ranks import bridging, hubs_and_authorities, influence
from glassmind.model.connections import ThemeLabel
from glassmind.model.ranks import METRICS, Metric, RankedNote, Ranking
from glassmind.model.search import Hit

MOST_RANKED = 1_000
"""Notes that may be asked for at once; an answer must stay one."""

HITS_ABOUT = 20
"""Hits whose neighbourhood is what a query is about; the graph channel follows as
many."""

DOUBT = "the vault seems to hold nothing of that: what is ranked are near misses"

SAME_DIGITS = 12
"""Digits of a score that count: sums in another order differ behind them, and notes
that stand alike in the graph are to be ordered by path."""


class _Scores(NamedTuple):
    """The score of every node of a graph, and how sure it is.

    `others` is what the nodes at the other ends of its links are weighed by.
    """

    scores: Floats
    others: Floats
    error: float = 0.0
    samples: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """Which notes come into question: of a theme, about a query, linked enough."""

    metric: Metric
    limit: int
    theme: str | None
    about: str | None
    least_inbound: int


class _Ground(NamedTuple):
    """The nodes in question, ascending, None for all of them; hits by relevance."""

    nodes: Sequence[int] | None
    theme: ThemeLabel | None
    hits: Mapping[int, float]
    notices: tuple[str, ...] = ()


def ranking(study: GraphContext, asked: Asked, *, ghosts: bool) -> Ranking:
    """Return the first notes by a measure; equal ones by path.

    Raises:
        BadWish, BadLimit: there is no such measure, or not so many notes.
        UnknownTheme, AmbiguousTheme: no one theme is called so.
        NothingAsked, BadDate: the query cannot be understood.
    """
    if asked.metric not in METRICS:
        raise BadWish("metric", asked.metric, f"one of {', '.join(METRICS)}")
    if not 1 <= asked.limit <= MOST_RANKED:
        raise BadLimit(asked.limit, MOST_RANKED)
    if asked.least_inbound < 0:
        raise BadWish("least_inbound", asked.least_inbound, "0 or more")
    net = study.net(ghosts=ghosts)
    ground = _ground(study, net, asked, ghosts=ghosts)
    part = net if ground.nodes is None else part_of(net, ground.nodes)
    whole = np.arange(len(net)) if ground.nodes is None else np.array(ground.nodes, int)
    measured = _measured(part, asked.metric, _wanted(whole.tolist(), ground.hits))
    inbound, outbound = net.in_degree[whole], net.out_degree[whole]
    inside = np.flatnonzero(inbound >= asked.least_inbound)
    scores = np.round(measured.scores[inside], SAME_DIGITS)
    order = inside[np.lexsort((inside, -scores))]
    notes = [
        RankedNote(
            rank=rank,
            path=net.paths[node],
            title=net.titles[node],
            score=float(measured.scores[place]),
            inbound=int(inbound[place]),
            outbound=int(outbound[place]),
            reason=_reason(part, place, asked.metric, measured),
            ghost=node >= net.note_count,
            hit=node in ground.hits,
        )
        for rank, place in enumerate(order[: asked.limit].tolist(), 1)
        for node in [int(whole[place])]
    ]
    return Ranking(
        metric=asked.metric,
        notes=tuple(notes),
        total=len(inside),
        margin=measured.error,
        samples=measured.samples,
        theme=ground.theme,
        about=asked.about or "",
        notices=(*ground.notices, *_notices(asked, ground, len(inside), len(whole))),
    )


def _ground(
    study: GraphContext, net: LinkGraph, asked: Asked, *, ghosts: bool
) -> _Ground:
    nodes: set[int] | None = None
    theme, hits, notices = None, dict[int, float](), tuple[str, ...]()
    if asked.theme is not None:
        themes = study.themed.now(ghosts=ghosts)
        found = theme_called(themes, asked.theme, lasting=True)
        theme = ThemeLabel(found.id, found.label)
        nodes = _nodes_at(net, [member.path for member in found.members])
    if asked.about is not None:
        reply = study.found(asked.about, HITS_ABOUT)
        hits = _hits_at(net, reply.hits)
        notices = (*reply.degraded, *([DOUBT] if reply.is_doubtful and hits else []))
        near = rings(net, sorted(hits), 1, most=len(net)) if hits else []
        around = set(hits).union(*(ring.tolist() for ring in near))
        nodes = set(around) if nodes is None else nodes & around
    return _Ground(None if nodes is None else sorted(nodes), theme, hits, notices)


def _nodes_at(net: LinkGraph, paths: Sequence[str]) -> set[int]:
    found = (net.node_at(path) for path in paths)
    return {node for node in found if node is not None}


def _hits_at(net: LinkGraph, hits: Sequence[Hit]) -> dict[int, float]:
    """Return how relevant each note is that a search found."""
    found: dict[int, float] = {}
    for hit in hits:
        node = net.node_at(hit.path)
        if node is not None:
            found[node] = max(found.get(node, 0.0), hit.relevance)
    return found


def _wanted(nodes: Sequence[int], hits: Mapping[int, float]) -> Floats | None:
    return np.array([hits.get(node, 0.0) for node in nodes]) if hits else None


def _measured(net: LinkGraph, metric: Metric, wanted: Floats | None) -> _Scores:
    match metric:
        case "influence":
            scores = influence(net, wanted=wanted)
            return _Scores(scores, scores)
        case "bridging":
            scores, error, samples = bridging(net)
            return _Scores(scores, scores, error, samples if error else 0)
        case "hubs":
            hubs, authorities = hubs_and_authorities(net)
            return _Scores(hubs, authorities)
        case "authorities":
            hubs, authorities = hubs_and_authorities(net)
            return _Scores(authorities, hubs)
        case _:
            assert_never(metric)


def _reason(net: LinkGraph, node: int, metric: Metric, measured: _Scores) -> str:
    """Return why a node of the graph that was measured stands where it does."""
    if metric == "bridging":
        share = f"{100 * measured.scores[node]:.3g} %"
        about = "about " if measured.error else ""
        return f"{about}{share} of the shortest ways between two others go over it"
    near = net.outward(node) if metric == "hubs" else net.inward(node)
    if not len(near):
        return "leads to no note" if metric == "hubs" else "no note leads to it"
    weights = np.round(measured.others[near], SAME_DIGITS)
    first = net.titles[int(near[int(np.argmax(weights))])]
    count = f"{len(near):,} {'note' if len(near) == 1 else 'notes'}"
    if metric == "hubs":
        return f"leads to {count}, first of all {first}"
    lead = "leads" if len(near) == 1 else "lead"
    return f"{count} {lead} to it, first of all {first}"


def _notices(asked: Asked, ground: _Ground, there: int, whole: int) -> list[str]:
    if asked.about is not None and not ground.hits:
        return ["the search found no note to rank the neighbourhood of"]
    if whole and not there:
        return [f"no note of these has {asked.least_inbound:,} that lead to it"]
    return []
