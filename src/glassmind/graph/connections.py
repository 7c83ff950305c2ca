"""Links of the graph as answers show them, and the nodes that names mean."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from glassmind.errors import BadLimit, BadWish, NoteNotFound
from glassmind.errors.knowledge import NoteIsGhost
from glassmind.files.names import plain_name
from glassmind.graph.context import GraphContext, Sentences
from glassmind.graph.similar import alike, unknown
from glassmind.links.graph import LinkGraph, View, inner_links, rings
from glassmind.links.graph import common as common_of
from glassmind.links.paths import shortest_paths
from glassmind.model import NotePath
from glassmind.model.chains import (
    Chain,
    Chains,
    CommonNote,
    NoPath,
    PathNote,
    PathStep,
)
from glassmind.model.connections import (
    Connections,
    Direction,
    GraphLink,
    GraphNode,
    GraphPart,
    HopNotes,
    Neighbour,
    SimilarNote,
)
from glassmind.model.graph import NetEdge
from glassmind.obsidian.text import counted, fold

TIES_SHOWN = 5
"""Links between two notes that are shown; a diary may link to its index every day."""


class Between(NamedTuple):
    """The links between two nodes: the first of them, and how many lead each way."""

    edges: tuple[NetEdge, ...]
    forth: int
    back: int

    @property
    def total(self) -> int:
        """How many links there are."""
        return self.forth + self.back

    @property
    def directions(self) -> tuple[Direction, ...]:
        """Whether the other node leads to the first, is led to by it, or both."""
        back: tuple[Direction, ...] = ("inbound",) if self.back else ()
        return (*back, "outbound") if self.forth else back


def node_of(study: GraphContext, net: LinkGraph, name: str) -> int:
    """Return the node that a person means by a name.

    Where the graph has ghosts, the very name of one comes before a guess.

    Raises:
        NoteNotFound, AmbiguousName: no one note is called so.
        NoteIsGhost: only a ghost is, and the graph has none.
        FileUnreadable: a file is called so that was left out of the index.
    """
    path = study.sure(name)
    if path is None:
        ghost = ghost_of(net, name)
        if ghost is not None:
            return ghost
        path = _found(study, name)
    node = net.node_at(path)
    if node is None:  # it was deleted after its name was found
        raise NoteNotFound(name)
    return node


def ghost_of(net: LinkGraph, name: str) -> int | None:
    """Return the ghost that has this very name, if there is one."""
    node = net.node_at(plain_name(name))
    return node if node is not None and node >= net.note_count else None


def guess_of(study: GraphContext, name: str, *, ghosts: bool) -> NotePath | None:
    """Return the note that `node_of` takes for a name that none has, if it does."""
    if study.sure(name) is not None:
        return None
    if ghosts and ghost_of(study.net(ghosts=True), name) is not None:
        return None
    return study.find(name)


def _found(study: GraphContext, name: str) -> NotePath:
    try:
        return study.find(name)
    except NoteNotFound:
        net = study.net(ghosts=True)
        ghost = ghost_of(net, name)
        if ghost is None:
            raise
        raise NoteIsGhost(name, len(net.edges_to(ghost))) from None


def between(net: LinkGraph, one: int, other: int, limit: int = TIES_SHOWN) -> Between:
    """Return the links from one node to another, then those back, as written."""
    forth, back = net.edges(one, other), net.edges(other, one)
    room = max(limit - len(back), limit // 2 + 1)  # a link back is always shown
    edges = (*forth[:room], *back)[:limit]
    return Between(edges, len(forth), len(back))


def ties_of(
    net: LinkGraph, sentences: Sentences, edges: Iterable[NetEdge]
) -> dict[NetEdge, GraphLink]:
    """Return each link as it is shown; all sentences are read at once."""
    wanted = {edge: (int(net.ids[edge.source]), edge.seq) for edge in edges}
    said = sentences(list(wanted.values())) if wanted else {}
    return {
        edge: GraphLink(
            net.paths[edge.source],
            net.paths[edge.target],
            edge.kind,
            edge.property,
            edge.confidence,
            edge.line,
            said.get(key, ""),
        )
        for edge, key in wanted.items()
    }


def shown(
    ties: dict[NetEdge, GraphLink], edges: Sequence[NetEdge]
) -> tuple[GraphLink, ...]:
    """Return some links as they are shown, in order."""
    return tuple(ties[edge] for edge in edges)


def left_open(study: GraphContext) -> tuple[str, ...]:
    """Return the sentence about links that no run has settled, if there are any."""
    count = study.unsettled()
    if not count:
        return ()
    where = "1 link leads" if count == 1 else f"{count:,} links lead"
    said = f"an index run was cut short before it was known where {where}"
    return (f"{said}, so the answer lacks them; glassmind index finds out",)


MOST_EDGES = 2_000
"""Links of one part that are handed out: what a program still draws at once."""


def subgraph_of(
    study: GraphContext, net: LinkGraph, hops: Mapping[int, int]
) -> GraphPart:
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
    study: GraphContext,
    name: str,
    *,
    depth: int,
    limit: int,
    ghosts: bool,
    subgraph: bool,
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


def _similar(study: GraphContext, path: NotePath) -> tuple[SimilarNote, ...]:
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


MOST_CHAINS = 50
"""Chains that may be asked for; nobody reads as many."""

MOST_HOPS = 20
"""Links that a chain may have; longer ones say nothing of the two notes."""

MOST_SECONDS = 10.0
"""How long chains are looked for in an emergency: a search is bounded by its work."""

STOPPED = (
    f"the search for more chains was stopped after {MOST_SECONDS:g} seconds; "
    "asked again, it may find more"
)

COMMON_SHOWN = 20


def chains(  # noqa: PLR0913 - each wish by its name
    study: GraphContext,
    source: str,
    target: str,
    *,
    limit: int,
    most_hops: int,
    common: bool,
    ghosts: bool,
) -> Chains:
    """Return the shortest chains of links between two notes, whichever way they lead.

    Raises:
        BadLimit, BadWish: so many chains, or such long ones, cannot be given.
        NoteNotFound, AmbiguousName, FileUnreadable: no one note is called so.
    """
    if not 1 <= limit <= MOST_CHAINS:
        raise BadLimit(limit, MOST_CHAINS)
    if not 1 <= most_hops <= MOST_HOPS:
        raise BadWish("most_hops", most_hops, f"from 1 to {MOST_HOPS}")
    net = study.net(ghosts=ghosts)
    one, other = (node_of(study, net, name) for name in (source, target))
    found = shortest_paths(
        net, one, other, limit=limit, most_hops=most_hops, most_seconds=MOST_SECONDS
    )
    reason = None
    if not found.chains:
        reason = _why_none(study, net, one, other, most_hops)
    shared = common_of(net, one, other).tolist() if common and one != other else []
    return Chains(
        source=_stop(net, one),
        target=_stop(net, other),
        chains=_told(study, net, found.chains),
        reason=reason,
        cut=found.cut,
        common=tuple(_common(net, one, other, shared)),
        common_total=len(shared),
        notices=(*left_open(study), *((STOPPED,) if found.late else ())),
    )


def _stop(net: LinkGraph, node: int) -> PathNote:
    return PathNote(net.paths[node], net.titles[node], node >= net.note_count)


def _told(
    study: GraphContext, net: LinkGraph, found: list[tuple[int, ...]]
) -> tuple[Chain, ...]:
    """Return chains of nodes with the links between them; each pair is read once."""
    pairs = {pair for chain in found for pair in pairwise(chain)}
    links = {pair: between(net, *pair) for pair in pairs}
    edges = [edge for link in links.values() for edge in link.edges]
    ties = ties_of(net, study.sentences, edges)
    return tuple(
        Chain(
            len(chain) - 1,
            tuple(_stop(net, node) for node in chain),
            tuple(_step(links[pair], ties) for pair in pairwise(chain)),
        )
        for chain in found
    )


def _step(links: Between, ties: dict[NetEdge, GraphLink]) -> PathStep:
    return PathStep(links.directions, shown(ties, links.edges), links.total)


def _common(
    net: LinkGraph, one: int, other: int, shared: Sequence[int]
) -> list[CommonNote]:
    """Return the first of the common neighbours, those with the fewest links first.

    What is linked with everything says little of two notes that both are.
    """
    nodes = sorted(shared, key=lambda node: (len(net.around(node)), node))
    return [
        CommonNote(
            net.paths[node],
            net.titles[node],
            node >= net.note_count,
            from_source=_directions(net, one, node),
            from_target=_directions(net, other, node),
        )
        for node in nodes[:COMMON_SHOWN]
    ]


def _directions(net: LinkGraph, end: int, node: int) -> tuple[Direction, ...]:
    return between(net, end, node).directions


def _why_none(
    study: GraphContext, net: LinkGraph, one: int, other: int, most_hops: int
) -> NoPath:
    if one == other:
        return NoPath("same_note", "both names mean the same note")
    far = _distances(net, one)
    if other in far:
        shortest = far[other]
        said = (
            f"the shortest chain has {shortest:,} links, more than the {most_hops:,} "
            "allowed; allow more hops to see it"
        )
        return NoPath("too_far", said, most_hops=most_hops, shortest=shortest)
    over = _over_ghosts(study, net, one, other, most_hops)
    return over or _not_connected(len(far), len(_distances(net, other)))


def _not_connected(ours: int, theirs: int) -> NoPath:
    said = (
        "no chain of links connects them: the first is connected with "
        f"{counted(ours - 1, 'note')}, the second with {counted(theirs - 1, 'note')}"
    )
    return NoPath("not_connected", said, source_size=ours, target_size=theirs)


def _distances(net: LinkGraph, root: int) -> dict[int, int]:
    """Return how far away everything is that is linked with a node at all."""
    starts, nodes = net.both_view.starts.tolist(), net.both_view.nodes.tolist()
    far, order = {root: 0}, [root]
    for node in order:
        for near in nodes[starts[node] : starts[node + 1]]:
            if near not in far:
                far[near] = far[node] + 1
                order.append(near)
    return far


def _over_ghosts(
    study: GraphContext, net: LinkGraph, one: int, other: int, most_hops: int
) -> NoPath | None:
    if len(net) > net.note_count:
        return None  # they were allowed
    wide = study.net(ghosts=True)
    ends = [wide.node_at(net.paths[node]) for node in (one, other)]
    if ends[0] is None or ends[1] is None:
        return None
    found = shortest_paths(
        wide, ends[0], ends[1], limit=1, most_hops=most_hops, most_seconds=MOST_SECONDS
    )
    if not found.chains:
        return None
    (chain,) = found.chains
    ghosts = tuple(wide.titles[node] for node in chain if node >= wide.note_count)
    said = f"only unresolved links connect them: {', '.join(ghosts)}"
    return NoPath("only_through_ghosts", said, ghosts=ghosts, hops=len(chain) - 1)
