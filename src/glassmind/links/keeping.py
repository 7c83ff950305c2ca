"""The graph that all share: built once, and kept as the rows are.

Whoever asks gets the picture of the rows as they are now. One thread makes it, others
wait for it; a picture that was given out stays as it is.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from threading import Lock
from typing import Protocol, TypeAlias

from glassmind.links.ghosts import with_ghosts
from glassmind.links.net import LinkGraph, build
from glassmind.links.renewing import moves_in, renewed
from glassmind.model.graph import (
    GhostLink,
    LinkRow,
    LinkRows,
    News,
    NodeRows,
)


class NetRows(Protocol):
    """The rows that a graph is made of."""

    def still(self) -> AbstractContextManager[None]:
        """Return what keeps the rows as they are for all that is read inside it."""

    def head(self) -> str:
        """Return how far the rows have come."""

    def news(self, head: str, /) -> News | None:
        """Return what came since a head; None when that may be anything."""

    def nodes(self) -> NodeRows:
        """Return every note, by path."""

    def links(self) -> LinkRows:
        """Return every link, by note and as written."""

    def links_of(self, note_ids: Collection[int], /) -> Sequence[LinkRow]:
        """Return every link of these notes, by note and as written."""

    def leading_to(self, file_ids: Collection[int], /) -> Sequence[int]:
        """Return the notes with a link to any of these files."""

    def ghosts(self) -> Sequence[GhostLink]:
        """Return every link to what no file is called."""


IsFile: TypeAlias = Callable[[str], bool]
"""Tells whether there is a file that a link means, be it in no row."""


def _none() -> IsFile:
    return lambda _: False


class KeptGraph:
    """Owns the newest picture of the rows.

    `left_out` tells of files that are no ghosts, though no link is settled on them.
    """

    def __init__(
        self, rows: Callable[[], NetRows], left_out: Callable[[], IsFile] = _none
    ) -> None:
        self._rows, self._left_out = rows, left_out
        self._making = Lock()
        self._plain: LinkGraph | None = None
        self._ghostly: LinkGraph | None = None

    def now(self, *, ghosts: bool = False) -> LinkGraph:
        """Return the graph as the rows are now; with `ghosts`, those as nodes too."""
        with self._making, self._rows().still():
            rows = self._rows()  # as they are now, when it is our turn
            plain = self._plain = self._current(rows)
            if not ghosts:
                return plain
            kept = self._ghostly
            if kept is None or kept.head != plain.head:
                is_file = self._left_out()
                vain = [link for link in rows.ghosts() if not is_file(link.name)]
                kept = self._ghostly = with_ghosts(plain, vain)
            return kept

    def _current(self, rows: NetRows) -> LinkGraph:
        """Return the graph of the rows, without ghosts."""
        last = self._plain
        news = None if last is None else rows.news(last.head)
        if last is None or news is None:
            return build(rows.head(), rows.nodes(), rows.links())
        if not news.changed:
            return last
        head, changed, now = news
        moves = moves_in(last, changed, now)
        came = [row.id for row in moves.came]
        leading = rows.leading_to(came) if came else ()
        links = rows.links_of({*(row.id for row in now), *leading})
        return renewed(last, head, moves, now, links)
