"""The graph that all share: built once, and kept as the rows are.

Whoever asks gets the picture of the rows as they are now. One thread makes it, others
wait for it; a picture that was given out stays as it is.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from threading import Lock
from typing import Protocol

from glassmind.graph.net import LinkGraph, build
from glassmind.types.graph import LinkRow, NodeRow


class NetRows(Protocol):
    """The rows that a graph is made of."""

    def still(self) -> AbstractContextManager[None]:
        """Return what keeps the rows as they are for all that is read inside it."""

    def head(self) -> str:
        """Return how far the rows have come."""

    def nodes(self) -> list[NodeRow]:
        """Return every note, by path."""

    def links(self) -> list[LinkRow]:
        """Return every link to a note or to nothing."""


class KeptGraph:
    """Owns the newest picture of the rows."""

    def __init__(self, rows: Callable[[], NetRows]) -> None:
        self._rows = rows
        self._making = Lock()
        self._kept: dict[bool, LinkGraph] = {}

    def now(self, *, ghosts: bool = False) -> LinkGraph:
        """Return the graph as the rows are now; with `ghosts`, those as nodes too."""
        rows = self._rows()
        kept = self._kept.get(ghosts)
        if kept is not None and kept.head == rows.head():
            return kept
        with self._making, rows.still():
            head, kept = rows.head(), self._kept.get(ghosts)
            if kept is None or kept.head != head:
                kept = build(head, rows.nodes(), rows.links(), ghosts=ghosts)
                self._kept[ghosts] = kept
            return kept
