"""Links between notes: as far as a search follows them, and as the graph holds them.

Named tuples, for the reason that `types` gives.
"""

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from glassmind.model import NotePath

if TYPE_CHECKING:  # numpy costs a search by words more than the search
    import numpy as np
    from numpy.typing import NDArray

EdgeKind: TypeAlias = Literal[
    "link", "embed", "markdown", "property", "canvas", "implicit"
]

KINDS: tuple[EdgeKind, ...] = (
    "link",
    "embed",
    "markdown",
    "property",
    "canvas",
    "implicit",
)
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
    """The line of a note that holds a link to another."""

    source: int
    target: int
    line: str
    property: str = ""
    kind: EdgeKind = "link"


class Home(NamedTuple):
    """The theme that a note belongs to."""

    theme: int
    label: str


class NetEdge(NamedTuple):
    """One link of the graph in memory, between two of its nodes.

    `seq` is its place among the links of its note: with the file id of the source, it
    is the key that the sentence around it is found by.
    """

    source: int
    target: int
    kind: EdgeKind
    property: str
    line: int
    seq: int
    confidence: float


class NodeRow(NamedTuple):
    """One note as a node: file id, path and title."""

    id: int
    path: str
    title: str


class LinkRow(NamedTuple):
    """One link from file to file, as `LinkRows` have them; `property` may be empty."""

    source: int
    target: int
    mark: int
    property: str


class NodeRows(NamedTuple):
    """Every note as a node, by path: columns of what a `NodeRow` says."""

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


class News(NamedTuple):
    """How far the rows have come since, and the files whose links may be others.

    `notes` are those of them that are notes now, by path.
    """

    head: str
    changed: list[int]
    notes: "list[NodeRow]"


class GhostLink(NamedTuple):
    """A link to what no file is called: file id, place among its links, name."""

    source: int
    seq: int
    name: str
