"""What is linked with a note: its neighbours by hop, and the graph they make.

Operations send these values as JSON. They fill in `uri`, the address in Obsidian.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from glassmind.model.graph import EdgeKind

Direction: TypeAlias = Literal["inbound", "outbound"]
"""Which of two notes links to the other, from the point of view of the first."""


class GraphLink(Struct, frozen=True):
    """One link with the sentence around it.

    `source` and `target` are paths, or the name of an unresolved link; `line` is of
    the source.
    """

    source: str
    target: str
    kind: EdgeKind
    property: str
    confidence: float
    line: int
    sentence: str


class Neighbour(Struct, frozen=True, kw_only=True):
    """A note so many hops away.

    `via` are the notes on the way to it. `directions` and `edges` are of the links
    between it and the last of these; of many links only the first are listed. An
    unresolved link has its name as path, and no tags.
    """

    path: str
    title: str
    ghost: bool
    hop: int
    directions: tuple[Direction, ...]
    via: tuple[str, ...]
    edges: tuple[GraphLink, ...]
    edges_total: int
    shared_tags: tuple[str, ...]
    uri: str | None = None


class HopNotes(Struct, frozen=True):
    """The notes so many hops away, the most closely linked first; totals count all.

    A note may be both inbound and outbound.
    """

    hop: int
    neighbours: tuple[Neighbour, ...]
    total: int
    inbound_total: int
    outbound_total: int


class SimilarNote(Struct, frozen=True):
    """A similar note without a link."""

    path: str
    title: str
    similarity: float
    uri: str | None = None


class ThemeLabel(Struct, frozen=True):
    """The theme of a note."""

    id: int
    label: str


class GraphNode(Struct, frozen=True):
    """A note, or an unresolved name, in a part of the graph; the root has hop 0."""

    path: str
    title: str
    hop: int
    ghost: bool
    tags: tuple[str, ...] = ()
    properties: Mapping[str, Any] = {}


class GraphPart(Struct, frozen=True):
    """Notes by hop and path, and all links between them.

    `edges_total` counts links that were left out too.
    """

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphLink, ...]
    edges_total: int

    @property
    def left_out(self) -> str:
        """The notice about links that were left out; empty if none were."""
        if len(self.edges) == self.edges_total:
            return ""
        return (
            f"{len(self.edges):,} of {self.edges_total:,} links between these notes "
            "are shown, those of the nearest; with a lower limit or depth there are "
            "fewer"
        )


class Connections(Struct, frozen=True, kw_only=True):
    """A note with its neighbours by hop, and similar notes without a link."""

    path: str
    title: str
    ghost: bool
    tags: tuple[str, ...]
    theme: ThemeLabel | None
    uri: str | None = None
    depth: int
    hops: tuple[HopNotes, ...]
    similar: tuple[SimilarNote, ...]
    subgraph: GraphPart | UnsetType = UNSET
    notices: tuple[str, ...] = ()
