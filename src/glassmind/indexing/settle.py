"""Finding where links lead, for just those whose answer may have changed."""

from collections.abc import Mapping
from dataclasses import dataclass

from glassmind.ports.indexing import IndexStore, ShowProgress
from glassmind.types import NotePath
from glassmind.types.files import Progress
from glassmind.types.index import Unsettled
from glassmind.types.notes import Note
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
            ends = Ends.of(step.namesakes({link.name_key for link in links}))
            step.settle((link, ends.of_link(link)) for link in links)
        done += len(links)
        progress(Progress("resolve", done, 0))


@dataclass(frozen=True, slots=True)
class Ends:
    """Where links may lead: every file, by name and by id."""

    names: Names
    files: Mapping[NotePath, int]

    @classmethod
    def of(cls, files: Mapping[NotePath, int]) -> "Ends":
        """Return where links may lead when these are the files there are."""
        return cls(Names.of(files), files)

    def of_note(self, note: Note) -> list[int | None]:
        """Return where each link of a note leads."""
        path, own = note.path, self.files[note.path]
        return [self._end(link.kind, link.target, path, own) for link in note.links]

    def of_link(self, link: Unsettled) -> int | None:
        """Return where a link leads; None for a ghost."""
        return self._end(link.kind, link.target, link.source, link.note_id)

    def _end(self, kind: str, target: str, source: NotePath, own: int) -> int | None:
        if not target:
            return own  # a link into its own note
        found = self.names.resolve(target, source, markdown=kind == "markdown")
        return None if found is None else self.files[found]
