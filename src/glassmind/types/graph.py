"""Links between notes: as far as a search follows them, and as the graph holds them.

Named tuples, for the reason that `types` gives.
"""

from typing import Literal, NamedTuple, TypeAlias

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
"""Every kind of edge; its place here is its number in the graph."""

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


class LinkLine(NamedTuple):
    """The line of a note that holds a link to another."""

    source: int
    target: int
    line: str


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
    """A note as a node: file id, path and title."""

    id: int
    path: str
    title: str


class LinkRow(NamedTuple):
    """A link as the rows hold it, from file to file.

    `kind` is a number of `KINDS`. Where no file is meant `target` is 0 and `ghost` the
    name that leads nowhere.
    """

    source: int
    seq: int
    target: int
    kind: int
    line: int
    property: str
    ghost: str
