"""Links between notes, as far as a search follows them.

Named tuples, for the reason that `types` gives.
"""

from typing import NamedTuple


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
