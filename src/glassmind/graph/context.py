"""What the functions of this package work with, and the link graph kept current."""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from glassmind.config import Config
from glassmind.links.graph import LinkGraph, build, updated, with_ghosts
from glassmind.model import NotePath
from glassmind.model.graph import News
from glassmind.store.sqlite.links import NetRows

if TYPE_CHECKING:
    from glassmind.files.read import VaultFiles
    from glassmind.graph.dismissals import DismissalBook
    from glassmind.graph.duplicates import KeptSketches
    from glassmind.graph.mentions import WordPlaces
    from glassmind.graph.names import Vocabulary
    from glassmind.graph.suggestions import Facts
    from glassmind.graph.themes import Themed
    from glassmind.model.search import SearchReply
    from glassmind.store.sqlite.health import HealthRows, MentionRows
    from glassmind.store.sqlite.links import NeighbourRows
    from glassmind.store.sqlite.pairs import PairRows


Sentences = Callable[[Collection[tuple[int, int]]], dict[tuple[int, int], str]]
"""Returns the sentences around links, by file id and place among the note's links."""


@dataclass(frozen=True, slots=True)
class GraphContext:
    """One vault, as far as its links and names are concerned.

    `faults` names the faults of everything done inside it; `still` keeps the rows as
    they are for all that is read inside it, and nothing may be written there. `find`
    returns the note that a person means by a name, `sure` the one that has exactly that
    name, if any. `search` returns so many hits. `sentences` returns the sentences
    around links, `troubles` the rows that health checks read, and `words` where words
    are in notes, if there is a keyword index. `files` reads notes as they are on disk,
    as far as the caller may read them.
    """

    config: Config
    faults: Callable[[], AbstractContextManager[None]]
    still: Callable[[], AbstractContextManager[None]]
    find: Callable[[str], NotePath]
    search: "Callable[[str, int], SearchReply]"
    net: "Graphs"
    sentences: Sentences
    sure: Callable[[str], NotePath | None]
    neighbours: "Callable[[], NeighbourRows]"
    themed: "Themed"
    vocabulary: "Callable[[], Vocabulary]"
    pairs: "Callable[[], PairRows]"
    space: Callable[[], str]
    book: "DismissalBook"
    troubles: "Callable[[], HealthRows]"
    sketches: "KeptSketches"
    facts: "Callable[[], Facts]"
    mention_rows: "Callable[[], MentionRows]"
    files: "Callable[[], VaultFiles]"
    words: "Callable[[], WordPlaces | None]"


class Graphs(Protocol):
    """Returns the link graph as the rows are now, with unresolved names if asked."""

    def __call__(self, *, ghosts: bool = False) -> LinkGraph: ...


def _no_file(_: str) -> bool:
    return False


class KeptGraph:
    """Owns the newest picture of the links: built once, then updated with the rows.

    One thread makes it, others wait for it; a picture that was given out never changes.
    `left_out` returns what recognizes links to files that are not in the index.
    """

    def __init__(
        self,
        rows: Callable[[], NetRows],
        left_out: Callable[[], Callable[[str], bool]] = lambda: _no_file,
    ) -> None:
        self._rows, self._left_out = rows, left_out
        self._making = Lock()
        self._plain: LinkGraph | None = None
        self._with_ghosts: LinkGraph | None = None

    def now(self, *, ghosts: bool = False) -> LinkGraph:
        """Return the graph as the rows are now; with `ghosts`, those as nodes too."""
        with self._making, self._rows().still():
            rows = self._rows()  # as they are now, when it is our turn
            plain = self._plain = self._current(rows)
            if not ghosts:
                return plain
            kept = self._with_ghosts
            if kept is None or kept.head != plain.head:
                is_file = self._left_out()
                unresolved = [link for link in rows.ghosts() if not is_file(link.name)]
                kept = self._with_ghosts = with_ghosts(plain, unresolved)
            return kept

    def _current(self, rows: NetRows) -> LinkGraph:
        last = self._plain
        news = None if last is None else rows.news(last.head)
        if last is not None and news is not None:
            if not news.changed:
                return last
            if _same_notes(last, news):
                links = rows.links_of([row.id for row in news.notes])
                return updated(last, news.head, news.notes, links)
        return build(rows.head(), rows.nodes(), rows.links())


def _same_notes(graph: LinkGraph, news: News) -> bool:
    """Return whether no note was added, removed or moved."""
    now = {row.id: row.path for row in news.notes}
    nodes = ((file_id, graph.node_of(file_id)) for file_id in news.changed)
    return all(
        now.get(file_id) == (None if node is None else graph.paths[node])
        for file_id, node in nodes
    )
