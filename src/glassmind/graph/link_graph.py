"""The link graph of a vault kept current, and the rows that answers are read from."""

from typing import TYPE_CHECKING

from glassmind.files.scan import SkippedNames, is_left_out, left_out_names
from glassmind.links.graph import LinkGraph, build, with_ghosts
from glassmind.vault import RecentResults, Vault

if TYPE_CHECKING:
    from glassmind.store.protocol import Keywords


def link_graph(vault: Vault, *, ghosts: bool = False) -> LinkGraph:
    """Return the links of visible notes; with `ghosts`, unresolved names as nodes too.

    A graph that was returned never changes.
    """
    recent = vault.part(_recent_graphs)
    with vault.rows().still():
        rows = vault.rows()
        head = rows.graph_head()

        def plain() -> LinkGraph:
            return build(head, rows.graph_nodes(), rows.graph_links())

        def with_unresolved() -> LinkGraph:
            files = names_left_out(vault)
            links = sorted(rows.links(unresolved=True))
            stored_links = [
                link for link in links if not is_left_out(link.target, files)
            ]
            return with_ghosts(recent.get((head, False), plain), stored_links)

        return recent.get((head, ghosts), with_unresolved if ghosts else plain)


def _recent_graphs(_: Vault) -> RecentResults:
    return RecentResults(2)  # with ghosts and without


def names_left_out(vault: Vault) -> SkippedNames:
    skipped = [path for path, *_ in vault.store.rows().skipped()]
    return left_out_names(vault.config.vault.path, skipped, vault.files)


def current_words(vault: Vault) -> "Keywords | None":
    """Return the keyword index as it is now; it may be a little behind the rows."""
    words = vault.store.keywords()
    if words is not None:
        words.reaches(vault.store.head())  # takes up what was written since
    return words


def answering_space(vault: Vault) -> str:
    """Return the name of the vectors that are searched; empty if there are none."""
    space = vault.store.rows().answering_space()
    return space.name if space else ""
