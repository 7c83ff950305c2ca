"""What stands around a note: its neighbours by hop, and the graph they make."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from glassmind.types import NotePath
from glassmind.types.graph import EdgeKind

Direction: TypeAlias = Literal["inbound", "outbound"]
"""Which of two notes leads to the other, seen from the one that was asked about."""


class Tie(NamedTuple):
    """One link between two notes, with the sentence that it stands in.

    `source` and `target` are paths, or the name of a ghost; `line` is of the source.
    """

    source: str
    target: str
    kind: EdgeKind
    property: str
    confidence: float
    line: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A note that links tie to another, so many `hop`s away.

    `via` are the notes on the way, from the root on. `directions` and `edges` are those
    between it and the last of these, or the root itself; of many edges the first are
    here. A ghost has its name for a path, and no tags.
    """

    path: str
    title: str
    hop: int
    directions: tuple[Direction, ...]
    via: tuple[str, ...]
    edges: tuple[Tie, ...]
    edges_total: int
    shared_tags: tuple[str, ...]
    ghost: bool


@dataclass(frozen=True, slots=True)
class Ring:
    """All that is so many hops away, the closest tied first; `total` counts all of it.

    `inbound` and `outbound` count those that lead to what is a hop nearer, and those
    that this leads to; a note may be both.
    """

    hop: int
    neighbours: tuple[Neighbour, ...]
    total: int
    inbound: int
    outbound: int


@dataclass(frozen=True, slots=True)
class SimilarNote:
    """A note that says much the same, without a link to it or from it."""

    path: NotePath
    title: str
    similarity: float


@dataclass(frozen=True, slots=True)
class ThemeName:
    """The community that a note belongs to."""

    id: int
    label: str


@dataclass(frozen=True, slots=True)
class SubgraphNode:
    """A node of a part of the graph; the root has hop 0."""

    path: str
    title: str
    hop: int
    ghost: bool
    tags: tuple[str, ...] = ()
    properties: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Part of the link graph: nodes by hop and path, and every link between them.

    `edges_total` counts links that were left out too.
    """

    nodes: tuple[SubgraphNode, ...]
    edges: tuple[Tie, ...]
    edges_total: int

    @property
    def left_out(self) -> str:
        """What to say about links that are not here; empty if all are."""
        return links_left_out(len(self.edges), self.edges_total)


def links_left_out(shown: int, total: int) -> str:
    """Return what to say about links that are left out; empty if none are."""
    if shown == total:
        return ""
    return (
        f"{shown:,} of {total:,} links between these notes are shown, those of the "
        "nearest; with a lower limit or depth there are fewer"
    )


@dataclass(frozen=True, slots=True)
class Connections:
    """A note with what links tie to it, and what is like it without a link.

    The root may be a ghost, with its name for a path, where ghosts were asked for.
    `notices` say what was left out.
    """

    path: NotePath
    title: str
    ghost: bool
    tags: tuple[str, ...]
    theme: ThemeName | None
    depth: int
    rings: tuple[Ring, ...]
    similar: tuple[SimilarNote, ...]
    subgraph: Subgraph | None
    notices: tuple[str, ...]
