"""Links between notes: as far as a search follows them, and as the graph holds them.

Named tuples, for the reason that `types` gives.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    NamedTuple,
    TypeAlias,
    TypedDict,
    get_args,
)

from msgspec import UNSET, Struct, UnsetType

from glassmind.model import NotePath

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


EdgeKind: TypeAlias = Literal[
    "link", "embed", "markdown", "property", "canvas", "implicit"
]

KINDS: tuple[EdgeKind, ...] = get_args(EdgeKind)
"""Every kind of edge, the surest first; its place here is its number in the graph."""

CONFIDENCE: dict[EdgeKind, float] = {
    "link": 1.0,
    "embed": 1.0,
    "markdown": 1.0,
    "property": 0.7,
    "canvas": 0.7,
    "implicit": 0.4,
}
"""How much each kind says. What stands in a sentence says most; a property, or lying on
the same canvas, says less (the graph channel's measured .7); what nobody wrote least.
"""


class Edge(NamedTuple):
    """One note leads to another; `property` is empty for a link in the text."""

    source: int
    target: int
    property: str
    kind: EdgeKind = "link"


class Hop(Struct, frozen=True):
    """One link on the way to a hit; its property is empty for a link in the text.

    An `implicit` link was not written by anyone: the two notes are similar.
    """

    source: NotePath
    target: NotePath
    kind: EdgeKind
    property: str = ""


class LinkLine(NamedTuple):
    source: int
    target: int
    line: str
    property: str = ""
    kind: EdgeKind = "link"


class NetEdge(NamedTuple):
    """One link of the graph in memory, between two of its nodes."""

    source: int
    target: int
    kind: EdgeKind
    property: str
    line: int
    seq: int
    confidence: float


class NodeRows(NamedTuple):
    ids: "NDArray[np.int64]"
    paths: list[str]
    titles: list[str]


class LinkRows(NamedTuple):
    """Every link, from file to file, by source and as written, as columns.

    A target is 0 where no file is meant. A mark is eight times the line plus the number
    of the kind. `properties` are source, place among its links, and name of those that
    stand in a property.
    """

    sources: "NDArray[np.int64]"
    targets: "NDArray[np.int64]"
    marks: "NDArray[np.int64]"
    properties: list[tuple[int, int, str]]


class StoredLink(NamedTuple):
    """A link of the index; `target` is as written, and may be a path or a name."""

    source_id: int
    seq: int
    path: NotePath
    kind: str
    target: str
    target_id: int | None
    target_path: NotePath | None
    subpath: str
    property: str
    line: int


class LinkFilter(TypedDict, total=False):
    """Which links to read. Each condition narrows the result."""

    sources: Collection[int]
    targets: Collection[int]
    between_notes: Literal[True]
    unresolved: Literal[True]
    to_part: Literal[True]
    in_property: Literal[True]


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


class PathNote(Struct, frozen=True):
    """A note on the way; an unresolved link has its name as path."""

    path: str
    title: str
    ghost: bool
    uri: str | None = None


class CommonNote(PathNote, frozen=True, kw_only=True):
    """A note that is linked with both ends, seen from each of them."""

    from_source: tuple[Direction, ...]
    from_target: tuple[Direction, ...]


class PathStep(Struct, frozen=True):
    """From one note to the next; `outbound` is the direction of the chain.

    Of many links only the first are listed.
    """

    directions: tuple[Direction, ...]
    edges: tuple[GraphLink, ...]
    edges_total: int


class Chain(Struct, frozen=True):
    """One chain of links; `length` counts them."""

    length: int
    notes: tuple[PathNote, ...]
    steps: tuple[PathStep, ...]


class NoPath(Struct, frozen=True):
    """Why there is no chain: its kind, a sentence, and the figures of that kind.

    The sizes count the notes connected with each end, including itself.
    """

    kind: Literal["same_note", "not_connected", "too_far"]
    text: str
    source_size: int | UnsetType = UNSET
    target_size: int | UnsetType = UNSET
    most_hops: int | UnsetType = UNSET
    shortest: int | UnsetType = UNSET


class Chains(Struct, frozen=True, kw_only=True):
    """Chains of links, shortest first; `reason` says why there are none.

    `cut` says that there may be more. Of the notes linked with both ends, those with
    the fewest links are listed.
    """

    source: PathNote
    target: PathNote
    chains: tuple[Chain, ...]
    cut: bool
    reason: NoPath | None
    common: tuple[CommonNote, ...]
    common_total: int
    notices: tuple[str, ...] = ()


Metric: TypeAlias = Literal["influence", "bridging", "hubs", "authorities"]

METRICS: tuple[Metric, ...] = get_args(Metric)
"""What notes can be ranked by.

Influence is PageRank: a note matters that notes which matter lead to. Bridging is
betweenness: how many shortest ways lead through it. A hub leads to good authorities,
and good hubs lead to an authority.
"""


class RankedNote(Struct, frozen=True, kw_only=True):
    """A note and its place; ranks count from 1, and are unique.

    `inbound` and `outbound` count other notes of the whole vault. `hit` says that the
    search `about` found it.
    """

    rank: int
    path: str
    title: str
    ghost: bool = False
    score: float
    inbound: int
    outbound: int
    hit: bool = False
    reason: str
    uri: str | None = None


class RankedNotes(Struct, frozen=True, kw_only=True):
    """Notes by rank, of `total` that were considered.

    `margin` bounds the error of a score (95 % confidence) estimated from `samples`
    notes; it is 0 if scores are exact. Within a theme, or about a query, only links
    between the notes considered count.
    """

    metric: Metric
    theme: ThemeLabel | None = None
    about: str = ""
    notes: tuple[RankedNote, ...]
    total: int
    margin: float = 0.0
    samples: int = 0
    notices: tuple[str, ...] = ()


class TagCount(Struct, frozen=True):
    """A tag, and how many members of a theme have it."""

    name: str
    notes: int


class ThemeMember(Struct, frozen=True):
    """A note of a theme; `influence` is its share of the theme, all make 1."""

    path: str
    title: str
    influence: float
    ghost: bool = False
    uri: str | None = None


class Theme(Struct, frozen=True):
    """A group of notes that are linked with each other more than with others.

    It is `confirmed` if most members name one note, its `hub`, in a property. An id
    below 0 is only valid for this answer. Members are sorted by influence.
    """

    id: int
    label: str
    summary: str
    size: int
    members: tuple[ThemeMember, ...]
    tags: tuple[TagCount, ...] = ()
    standing: Literal["confirmed", "emergent"] = "emergent"
    hub: str | None = None


class Themes(Struct, frozen=True, kw_only=True):
    """Themes, largest first; `total` counts all, and `apart` notes in no theme.

    `modularity`, from -0.5 to 1, says how much more links stay inside themes than by
    chance. `ghosts` says whether unresolved links were included.
    """

    themes: tuple[Theme, ...]
    total: int
    modularity: float
    resolution: float
    notes: int
    apart: int
    ghosts: bool = False
    warning: str = ""


class ThemeState(NamedTuple):
    """What the themes in the rows were made from."""

    graph: str
    resolution: float
    modularity: float
    usual: float
    members: int


class ThemeRow(NamedTuple):
    id: int
    label: str
    summary: str
    members: Sequence[tuple[int, float]]


class StoredThemes(NamedTuple):
    """The themes as they are kept; `state` is None where none were made."""

    state: ThemeState | None
    members: Sequence[tuple[int, int, float]]
    last_id: int


EventKind: TypeAlias = Literal[
    "made", "renamed", "links_to", "linked_from", "neighbour_made", "changed"
]
"""What happened: to the note itself, to a link of it, or to a note at its other end."""

DateOrigin: TypeAlias = Literal["property", "name", "git", "modified"]
"""Where a date comes from, the surest first: a property of the note, the day in its
name, the history of the vault, or when its file was last changed."""


class TimelineEvent(Struct, frozen=True):
    """Something that happened to a note, to a link of it or to a linked note.

    `day` is `YYYY-MM-DD`; `time` is `HH:MM:SS` with its offset, empty if only the day
    is known. `path` and `title` are of the other note, or of the note itself. Links
    that no longer exist are not events.
    """

    day: str
    time: str
    kind: EventKind
    path: str
    title: str
    origin: DateOrigin
    detail: str
    sentence: str = ""
    commit: str = ""
    uri: str | None = None


class Timeline(Struct, frozen=True, kw_only=True):
    """The latest events around a note, earliest first; `total` counts all."""

    path: str
    title: str
    uri: str | None = None
    events: tuple[TimelineEvent, ...]
    total: int
    notices: tuple[str, ...] = ()
