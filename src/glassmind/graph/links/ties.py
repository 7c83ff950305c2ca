"""Links of the graph as answers show them, and the nodes that names mean."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from glassmind.errors import NoteNotFound
from glassmind.errors.knowledge import NoteIsGhost
from glassmind.files.names import plain_name
from glassmind.graph.study import Sentences, Study
from glassmind.links.net import LinkGraph
from glassmind.model import NotePath
from glassmind.model.connections import Direction, GraphLink
from glassmind.model.graph import NetEdge

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


def node_of(study: Study, net: LinkGraph, name: str) -> int:
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


def guess_of(study: Study, name: str, *, ghosts: bool) -> NotePath | None:
    """Return the note that `node_of` takes for a name that none has, if it does."""
    if study.sure(name) is not None:
        return None
    if ghosts and ghost_of(study.net(ghosts=True), name) is not None:
        return None
    return study.find(name)


def _found(study: Study, name: str) -> NotePath:
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
