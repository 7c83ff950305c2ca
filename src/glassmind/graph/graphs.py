"""Who has the link graph of a vault."""

from typing import Protocol

from glassmind.links.net import LinkGraph


class Graphs(Protocol):
    """Who has the link graph."""

    def __call__(self, *, ghosts: bool = False) -> LinkGraph:
        """Return the graph as the rows are now; with `ghosts`, those as nodes too."""
