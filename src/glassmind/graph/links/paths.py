"""The shortest ways from one note to another, and why there may be none."""

from collections.abc import Sequence
from itertools import pairwise

from glassmind.errors import BadLimit, BadWish
from glassmind.graph.links.ties import Between, between, node_of, shown, ties_of
from glassmind.graph.links.unsettled import left_open
from glassmind.graph.study import Study
from glassmind.links.chains import shortest_paths
from glassmind.links.net import LinkGraph
from glassmind.links.walks import common as common_of
from glassmind.model.chains import (
    Chain,
    Chains,
    CommonNote,
    NoPath,
    PathNote,
    PathStep,
)
from glassmind.model.connections import Direction, GraphLink
from glassmind.model.graph import NetEdge
from glassmind.obsidian.style import counted

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
    study: Study,
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
    study: Study, net: LinkGraph, found: list[tuple[int, ...]]
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
    study: Study, net: LinkGraph, one: int, other: int, most_hops: int
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
    study: Study, net: LinkGraph, one: int, other: int, most_hops: int
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
