"""The link graph of a vault kept current, and the rows that answers are read from."""

from threading import Lock
from typing import TYPE_CHECKING

from glassmind.files.scan import LeftOutNames, is_left_out, left_out_names
from glassmind.links.graph import LinkGraph, build, updated, with_ghosts
from glassmind.model.graph import News
from glassmind.store.protocol import Rows
from glassmind.vault import Vault

if TYPE_CHECKING:
    from glassmind.store.protocol import Keywords


def link_graph(vault: Vault, *, ghosts: bool = False) -> LinkGraph:
    """Return the links of visible notes; with `ghosts`, unresolved names too."""
    return vault.part(KeptGraph).now(ghosts=ghosts)


def names_left_out(vault: Vault) -> LeftOutNames:
    skipped = [path for path, *_ in vault.store.rows().skipped()]
    return left_out_names(vault.config.vault.path, skipped, vault.files)


def current_words(vault: Vault) -> "Keywords | None":
    """Return the keyword index as it is now; it may be a little behind the rows."""
    words = vault.store.keywords()
    if words is not None:
        words.reaches(vault.store.log().head())  # takes up what was written since
    return words


def answering_space(vault: Vault) -> str:
    """Return the name of the vectors that are searched; empty if there are none."""
    space = vault.store.rows().answering_space()
    return space.name if space else ""


class KeptGraph:
    """The newest graph, made by one thread; one that was given out never changes."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._making = Lock()
        self._plain: LinkGraph | None = None
        self._with_ghosts: LinkGraph | None = None

    def now(self, *, ghosts: bool = False) -> LinkGraph:
        """Return the graph as the rows are now; with `ghosts`, those as nodes too."""
        with self._making, self._vault.rows().still():
            rows = self._vault.rows()  # as they are now, when it is our turn
            plain = self._plain = self._current(rows)
            if not ghosts:
                return plain
            kept = self._with_ghosts
            if kept is None or kept.head != plain.head:
                files = names_left_out(self._vault)
                unresolved = [
                    link
                    for link in sorted(rows.links(unresolved=True))
                    if not is_left_out(link.target, files)
                ]
                kept = self._with_ghosts = with_ghosts(plain, unresolved)
            return kept

    def _current(self, rows: Rows) -> LinkGraph:
        last = self._plain
        news = None if last is None else rows.graph_news(last.head)
        if last is not None and news is not None:
            if not news.changed:
                return last
            if _same_notes(last, news):
                links = rows.graph_links_of([row.id for row in news.notes])
                return updated(last, news.head, news.notes, links)
        return build(rows.graph_head(), rows.graph_nodes(), rows.graph_links())


def _same_notes(graph: LinkGraph, news: News) -> bool:
    now = {row.id: row.path for row in news.notes}
    nodes = ((file_id, graph.node_of(file_id)) for file_id in news.changed)
    return all(
        now.get(file_id) == (None if node is None else graph.paths[node])
        for file_id, node in nodes
    )
