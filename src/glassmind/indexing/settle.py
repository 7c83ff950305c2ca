"""Finding where links lead, for just those whose answer may have changed."""

from collections.abc import Mapping

from glassmind.ports.indexing import IndexStore, ShowProgress
from glassmind.types import NotePath
from glassmind.types.files import Progress
from glassmind.types.index import Unsettled
from glassmind.vault.resolve import Names

BATCH = 20_000
"""Links to one transaction; bounds memory in a vault with a million links."""


def settle_links(store: IndexStore, progress: ShowProgress) -> int:
    """Resolve every unsettled link and return how many there were.

    Only files that share a link's last name can be its destination, so only those are
    looked at: the work grows with what changed, not with the vault.
    """
    done = 0
    while True:
        with store.transaction() as step:
            links = step.unsettled(BATCH)
            if not links:
                return done
            files = step.namesakes({link.name_key for link in links})
            names = Names.of(files)
            step.settle((link, _end_of(link, names, files)) for link in links)
        done += len(links)
        progress(Progress("resolve", done, 0))


def _end_of(link: Unsettled, names: Names, files: Mapping[NotePath, int]) -> int | None:
    """Return the file the link leads to; a link into its own note leads there."""
    if not link.target:
        return link.note_id
    markdown = link.kind == "markdown"
    found = names.resolve(link.target, link.source, markdown=markdown)
    return None if found is None else files[found]
