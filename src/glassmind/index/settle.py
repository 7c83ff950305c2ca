"""Finding where links lead, for just those whose answer may have changed.

Each step that writes notes, or lets files go, settles what it left open before it ends:
whoever reads meanwhile sees every link with its end.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from glassmind.files.resolve import Names
from glassmind.model import NotePath
from glassmind.model.files import Progress
from glassmind.model.index import Unsettled
from glassmind.model.notes import Note
from glassmind.ports.indexing import IndexStore, ShowProgress, Step

BATCH = 20_000
"""Links at a time; bounds memory in a vault with a million links."""


def settle_links(store: IndexStore, progress: ShowProgress) -> None:
    """Resolve what a run of a former release left open."""
    done = 0
    while not store.rows().is_settled():
        with store.transaction() as step:
            done += _settle_some(step)
        progress(Progress("resolve", done, 0))


def recheck_links(store: IndexStore) -> None:
    """Find the destination of every link again, and correct those that are wrong."""
    with store.transaction() as step:
        ends = Ends.of(step.files())
        checked = ((link, end, ends.of_link(link)) for link, end in step.settled())
        wrong = [(link, right) for link, end, right in checked if end != right]
        step.settle(wrong)


def settle_in(step: Step) -> None:
    """Resolve every unsettled link as a part of this step."""
    while _settle_some(step):
        pass


def _settle_some(step: Step) -> int:
    """Resolve some unsettled links and return how many.

    Only files that share a link's last name can be its destination, so only those are
    looked at: the work grows with what changed, not with the vault.
    """
    links = step.unsettled(BATCH)
    if links:
        ends = Ends.of(step.namesakes({link.name_key for link in links}))
        step.settle((link, ends.of_link(link)) for link in links)
    return len(links)


@dataclass(frozen=True, slots=True)
class Ends:
    """Where links may lead: every file, by name and by id.

    `plain` holds the ends of wikilinks that lead to one file wherever they stand: most
    do, and most targets come again.
    """

    names: Names
    files: Mapping[NotePath, int]
    plain: dict[str, int | None] = field(default_factory=dict)

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
        if target in self.plain and kind != "markdown":
            return self.plain[target]
        if not target:
            return own  # a link into its own note
        found = self.names.resolve(target, source, markdown=kind == "markdown")
        end = None if found is None else self.files[found]
        if kind != "markdown" and self.names.is_plain(target):
            self.plain[target] = end
        return end
