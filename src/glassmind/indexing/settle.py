"""Finding where links lead, for just those whose answer may have changed."""

from glassmind.ports.indexing import IndexStore, ShowProgress
from glassmind.types.files import Progress
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
            names = Names.of(step.namesakes({link.name_key for link in links}))
            step.settle(
                (k, names.resolve(k.target, k.source, markdown=k.kind == "markdown"))
                for k in links
            )
        done += len(links)
        progress(Progress("resolve", done, 0))
