"""What is linked with a note hop by hop, and the shortest paths between two notes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from glassmind.errors import BadLimit, BadWish, NoteIsGhost, NoteNotFound
from glassmind.files.names import plain_name
from glassmind.graph.link_graph import link_graph
from glassmind.graph.similar import similar_to, similarity_notices
from glassmind.graph.themes import themed_for
from glassmind.links.graph import (
    LinkGraph,
    Stops,
    Table,
    common_nodes,
    distances,
    gathered,
    inner_links,
    rings,
    shortest_paths,
)
from glassmind.model import NotePath
from glassmind.model.graph import (
    Chain,
    Chains,
    CommonNote,
    Connections,
    Direction,
    GraphLink,
    GraphNode,
    GraphPart,
    HopNotes,
    Neighbour,
    NetEdge,
    NoPath,
    PathNote,
    PathStep,
    SimilarNote,
)
from glassmind.obsidian.text import counted, fold
from glassmind.search.notes import notes_for
from glassmind.vault import Vault

MOST_DEPTH = 3  # three hops lead to most of a vault whose notes are linked
MOST_SHOWN = 1_000  # neighbours of one hop in one answer
MOST_EDGES = 2_000  # links of one subgraph: what a program still draws at once
LINKS_SHOWN = 5  # of two notes; a diary may link to its index every day

SIMILAR_SHOWN, COMMON_SHOWN = 10, 20

MOST_CHAINS, MOST_HOPS = 50, 20  # longer chains say nothing of the two notes


class LinksBetween(NamedTuple):
    """The links between two nodes: the first of them, and how many lead each way."""

    edges: tuple[NetEdge, ...]
    forth: int
    back: int

    @property
    def directions(self) -> tuple[Direction, ...]:
        back: tuple[Direction, ...] = ("inbound",) if self.back else ()
        return (*back, "outbound") if self.forth else back


class _Ring(NamedTuple):
    """The first nodes so many hops away, with the way to each, and how many."""

    near: dict[int, tuple[tuple[int, ...], LinksBetween]]
    total: int
    inbound: int
    outbound: int


class _Links:
    """Links as answers show them; the sentences of all are read at once."""

    def __init__(
        self, vault: Vault, graph: LinkGraph, edges: Iterable[NetEdge]
    ) -> None:
        self._graph = graph
        keys = [(int(graph.ids[edge.source]), edge.seq) for edge in edges]
        self._sentences = vault.rows().link_sentences(keys) if keys else {}

    def shown(self, edges: Iterable[NetEdge]) -> tuple[GraphLink, ...]:
        paths, ids = self._graph.paths, self._graph.ids
        return tuple(
            GraphLink(
                paths[edge.source],
                paths[edge.target],
                edge.kind,
                edge.property,
                edge.confidence,
                edge.line,
                self._sentences.get((int(ids[edge.source]), edge.seq), ""),
            )
            for edge in edges
        )


def node_of(vault: Vault, graph: LinkGraph, name: str) -> int:
    """Return the node of a name; an unresolved name comes before a guess."""
    path = notes_for(vault).sure(name)
    if path is None:
        ghost = _ghost_of(graph, name)
        if ghost is not None:
            return ghost
        path = _guessed(vault, name)
    node = graph.node_at(path)
    if node is None:  # it was deleted after its name was found
        raise NoteNotFound(name)
    return node


def guess_of(vault: Vault, name: str, *, ghosts: bool = False) -> NotePath | None:
    """Return the note that a name is taken for; None where a note has that name."""
    if notes_for(vault).sure(name) is not None:
        return None
    if ghosts and _ghost_of(link_graph(vault, ghosts=True), name) is not None:
        return None
    return notes_for(vault).find(name)


def _ghost_of(graph: LinkGraph, name: str) -> int | None:
    node = graph.node_at(plain_name(name))
    return node if node is not None and node >= graph.note_count else None


def _guessed(vault: Vault, name: str) -> NotePath:
    try:
        return notes_for(vault).find(name)
    except NoteNotFound:
        graph = link_graph(vault, ghosts=True)
        ghost = _ghost_of(graph, name)
        if ghost is None:
            raise
        raise NoteIsGhost(name, len(graph.edges_to(ghost))) from None


def between(graph: LinkGraph, one: int, other: int) -> LinksBetween:
    forth, back = graph.edges(one, other), graph.edges(other, one)
    room = max(LINKS_SHOWN - len(back), LINKS_SHOWN // 2 + 1)  # one back is shown
    edges = (*forth[:room], *back)[:LINKS_SHOWN]
    return LinksBetween(edges, len(forth), len(back))


def connections(  # noqa: PLR0913 - each option by its name
    vault: Vault,
    name: str,
    *,
    depth: int = 1,
    limit: int = 50,
    ghosts: bool = False,
    subgraph: bool = False,
) -> Connections:
    """Return what is linked with a note, up to `limit` neighbours of every hop."""
    if not 1 <= depth <= MOST_DEPTH:
        raise BadWish("depth", depth, f"from 1 to {MOST_DEPTH}")
    if not 1 <= limit <= MOST_SHOWN:
        raise BadLimit(limit, MOST_SHOWN)
    graph = link_graph(vault, ghosts=ghosts)
    root = node_of(vault, graph, name)
    found = _rings_around(graph, root, depth, limit)
    every = {node: near for ring in found for node, near in ring.near.items()}
    ids = graph.ids[[root, *every]].tolist()
    tags = vault.rows().tags(ids)
    links = _Links(vault, graph, [e for _, two in every.values() for e in two.edges])
    is_note, path = root < graph.note_count, NotePath(graph.paths[root])
    hops = {node: hop for hop, ring in enumerate(found, 1) for node in ring.near}
    part = _subgraph(vault, graph, {root: 0, **hops}) if subgraph else None
    similar = similar_to(vault, path, limit=SIMILAR_SHOWN) if is_note else []

    own = tags.get(ids[0], ())

    def shared(node: int) -> tuple[str, ...]:
        theirs = {fold(tag) for tag in tags.get(int(graph.ids[node]), ())}
        return tuple(tag for tag in own if fold(tag) in theirs)

    return Connections(
        path=path,
        title=graph.titles[root],
        ghost=not is_note,
        tags=tags.get(ids[0], ()),
        theme=themed_for(vault).home_of(path) if is_note else None,
        depth=depth,
        hops=tuple(
            HopNotes(hop, _neighbours(graph, hop, ring, links, shared), *ring[1:])
            for hop, ring in enumerate(found, 1)
        ),
        similar=tuple(
            SimilarNote(p.other_path, p.other_title, p.similarity) for p in similar
        ),
        subgraph=UNSET if part is None else part,
        notices=(
            *_cut_notices(found),
            *([part.left_out] if part and part.left_out else ()),
            *(similarity_notices(vault) if is_note else ()),
        ),
    )


def _neighbours(
    graph: LinkGraph,
    hop: int,
    ring: _Ring,
    links: _Links,
    shared: Callable[[int], tuple[str, ...]],
) -> tuple[Neighbour, ...]:
    return tuple(
        Neighbour(
            path=graph.paths[node],
            title=graph.titles[node],
            hop=hop,
            directions=two.directions,
            via=tuple(graph.paths[step] for step in via),
            edges=links.shown(two.edges),
            edges_total=two.forth + two.back,
            shared_tags=shared(node),
            ghost=node >= graph.note_count,
        )
        for node, (via, two) in ring.near.items()
    )


def _rings_around(graph: LinkGraph, root: int, depth: int, limit: int) -> list[_Ring]:
    layers = [np.array([root], np.int32), *rings(graph, [root], depth)]
    found = []
    for hop, (before, ring) in enumerate(pairwise(layers), 1):
        inbound = _met(graph.tables.into, before, ring)
        outbound = _met(graph.tables.out, before, ring)
        order = np.lexsort((ring, -graph.in_degree[ring], -(inbound + outbound)))
        near = {}
        for node in ring[order[:limit]].tolist():
            via = _via(graph, layers[1:hop], node)
            near[node] = via, between(graph, via[-1] if via else root, node)
        counts = (int(np.count_nonzero(met)) for met in (inbound, outbound))
        found.append(_Ring(near, len(ring), *counts))
    return found


def _met(
    table: Table, nodes: NDArray[np.int32], ring: NDArray[np.int32]
) -> NDArray[np.int64]:
    counts = np.bincount(gathered(table, nodes), minlength=len(table.starts) - 1)
    return counts[ring]


def _via(
    graph: LinkGraph, layers: Sequence[NDArray[np.int32]], node: int
) -> tuple[int, ...]:
    if not layers:
        return ()
    view = graph.both_view
    place = slice(view.starts[node], view.starts[node + 1])
    near, weights = view.nodes[place], view.weights[place]
    steps = np.isin(near, layers[-1])
    last = int(near[steps][np.argmax(weights[steps])])
    return (*_via(graph, layers[:-1], last), last)


def _cut_notices(found: Sequence[_Ring]) -> list[str]:
    return [
        f"of {ring.total:,} notes {counted(hop, 'hop')} away the "
        f"{len(ring.near):,} most closely linked are shown; a higher limit shows more"
        for hop, ring in enumerate(found, 1)
        if ring.total > len(ring.near)
    ]


def _subgraph(vault: Vault, graph: LinkGraph, hops: Mapping[int, int]) -> GraphPart:
    """Return these nodes and their links, those of the nearest notes first."""
    order = sorted(hops, key=lambda node: (hops[node], node))
    sources, targets = inner_links(graph, order)
    pairs = zip(sources.tolist(), targets.tolist(), strict=True)
    nearest_first = sorted(pairs, key=lambda pair: (hops[pair[0]], pair))
    edges = [edge for pair in nearest_first for edge in graph.edges(*pair)]
    net_edges = edges[:MOST_EDGES]
    rows, ids = vault.rows(), graph.ids[order].tolist()
    tags, properties = rows.tags(ids), rows.properties_of(ids)
    nodes = tuple(
        GraphNode(
            path=graph.paths[node],
            title=graph.titles[node],
            hop=hops[node],
            ghost=node >= graph.note_count,
            tags=tags.get(note_id, ()),
            properties=properties.get(note_id, {}),
        )
        for node, note_id in zip(order, ids, strict=True)
    )
    return GraphPart(
        nodes, _Links(vault, graph, net_edges).shown(net_edges), len(edges)
    )


def chains(  # noqa: PLR0913 - each option by its name
    vault: Vault,
    source: str,
    target: str,
    *,
    limit: int = 5,
    most_hops: int = 6,
    common: bool = True,
    ghosts: bool = False,
) -> Chains:
    """Return the shortest chains of links, either way, or why there is none."""
    if not 1 <= limit <= MOST_CHAINS:
        raise BadLimit(limit, MOST_CHAINS)
    if not 1 <= most_hops <= MOST_HOPS:
        raise BadWish("most_hops", most_hops, f"from 1 to {MOST_HOPS}")
    graph = link_graph(vault, ghosts=ghosts)
    one, other = (node_of(vault, graph, name) for name in (source, target))
    paths = shortest_paths(graph, one, other, limit=limit, most_hops=most_hops)
    reason = None
    if not paths.chains:
        reason = _why_none(graph, one, other, most_hops)
    wanted = common and one != other
    shared = common_nodes(graph, one, other) if wanted else []
    return Chains(
        source=_stop(graph, one),
        target=_stop(graph, other),
        chains=_shown_chains(vault, graph, paths.chains),
        reason=reason,
        cut=paths.cut,
        common=tuple(
            CommonNote(
                graph.paths[node],
                graph.titles[node],
                node >= graph.note_count,
                from_source=between(graph, one, node).directions,
                from_target=between(graph, other, node).directions,
            )
            for node in shared[:COMMON_SHOWN]
        ),
        common_total=len(shared),
    )


def _stop(graph: LinkGraph, node: int) -> PathNote:
    return PathNote(graph.paths[node], graph.titles[node], node >= graph.note_count)


def _shown_chains(
    vault: Vault, graph: LinkGraph, found: Sequence[Stops]
) -> tuple[Chain, ...]:
    pairs = {pair for chain in found for pair in pairwise(chain)}
    steps = {pair: between(graph, *pair) for pair in pairs}
    links = _Links(vault, graph, [e for step in steps.values() for e in step.edges])

    def shown(step: LinksBetween) -> PathStep:
        total = step.forth + step.back
        return PathStep(step.directions, links.shown(step.edges), total)

    return tuple(
        Chain(
            len(chain) - 1,
            tuple(_stop(graph, node) for node in chain),
            tuple(shown(steps[pair]) for pair in pairwise(chain)),
        )
        for chain in found
    )


def _why_none(graph: LinkGraph, one: int, other: int, most_hops: int) -> NoPath:
    if one == other:
        return NoPath("same_note", "both names mean the same note")
    far = distances(graph, one)
    shortest = int(far[other])
    if shortest > 0:
        text = (
            f"the shortest chain has {shortest:,} links, more than the {most_hops:,} "
            "allowed; allow more hops to see it"
        )
        return NoPath("too_far", text, most_hops=most_hops, shortest=shortest)
    ours = int(np.count_nonzero(far >= 0))
    theirs = int(np.count_nonzero(distances(graph, other) >= 0))
    text = (
        "no chain of links connects them: the first is connected with "
        f"{counted(ours - 1, 'note')}, the second with {counted(theirs - 1, 'note')}"
    )
    return NoPath("not_connected", text, source_size=ours, target_size=theirs)
