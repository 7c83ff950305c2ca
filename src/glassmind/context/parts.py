"""What bundles are made from: the parts of a vault, project members, stale notes."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from glassmind.context.budget import Estimate, TokenCounter
from glassmind.context.items import BundleRows
from glassmind.errors import ModelFault, ProjectUnknown, VaultError, VaultMissing
from glassmind.files.read import Decoded, VaultFiles, decode
from glassmind.files.scan import StaleFiles, stale_files
from glassmind.files.settings import open_boxes
from glassmind.model import NotePath
from glassmind.model.context import Bundle, ProjectNote
from glassmind.model.search import SearchReply
from glassmind.models.protocols import Reranker
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.properties import parse_project, says_private
from glassmind.obsidian.text import one_line
from glassmind.store.watch_state import read_state
from glassmind.vault import Vault

if TYPE_CHECKING:
    from glassmind.context.bundles import Bundles
    from glassmind.model.memory import ActivityOverview

COUNTED = 5
"""Notes of an answer, from the best, that count as used, as those of a search do."""

SUMMARIES = "summaries"
"""The part of the agent folder that holds bundles and summaries: nothing is packed of
it, so that no bundle feeds on bundles."""

MOST_CHECKED, NAMED = 100, 5
"""Notes of one bundle whose files are checked, and stale notes that are named."""

ABSENT = "the vault folder is not there: all is told as it was when it was indexed"


class ContextParts:
    """A vault, and what other packages do for what is packed of it.

    `renew` saves a text (title, project, Markdown, receipts) in the place of the former
    one of its title. `used` records which notes a verb handed out. `public` has the
    bundles of what every agent may read.
    """

    def __init__(  # noqa: PLR0913 - each by its name
        self,
        vault: Vault,
        *,
        search: Callable[..., SearchReply],
        warmth: "Callable[..., ActivityOverview]",
        renew: Callable[[str, str, str, Sequence[str]], NotePath],
        used: Callable[[str, Sequence[NotePath]], None],
        reranker: Callable[[], Reranker],
        public: "Callable[[], Bundles]",
    ) -> None:
        self.vault, self.config, self.agent = vault, vault.config, vault.agent_folder
        self.search, self.warmth, self.renew = search, warmth, renew
        self.used, self.reranker, self.public = used, reranker, public

    def sections(self) -> BundleRows:
        boxes = open_boxes(self.config.vault.path)
        return BundleRows(self.vault.rows(), boxes)

    @cached_property
    def counter(self) -> TokenCounter:
        if self.config.embeddings.backend == "none":
            return Estimate()
        try:
            found = getattr(self.vault.embedder(), "counter", None)
            return (found() if found is not None else None) or Estimate()
        except ModelFault:
            return Estimate()

    def budget(self, tokens: int | None) -> int:
        return self.config.context.budget_tokens if tokens is None else tokens

    def members_of(self, project: str | None) -> Sequence[ProjectNote]:
        """Return the notes of a project, by path; none where no project is named."""
        if project is None or not project.strip():
            return ()
        known = self.vault.rows()
        notes = known.project_notes(parse_project(project))
        if not notes:
            raise ProjectUnknown(project, known.projects_like(project))
        return notes


def day_or_today(day: date | None) -> date:
    return day or datetime.now().astimezone().date()


def inbox_notice(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    many = "1 capture waits" if count == 1 else f"{count:,} captures wait"
    return (f"{many} in the inbox, approved by nobody yet",)


class StaleCheck:
    """Finds the notes of one bundle that changed on disk since they were indexed.

    Only sizes and times are compared, as a run of indexing does before it reads.
    """

    def __init__(self, parts: ContextParts) -> None:
        self._parts = parts
        self._checked: set[NotePath] = set()
        self._lag, self._absent = StaleFiles(), False

    def look(self, paths: Iterable[NotePath]) -> bool:
        """Check files; return whether more are stale than were before."""
        new = [path for path in dict.fromkeys(paths) if path not in self._checked]
        new = new[: MOST_CHECKED - len(self._checked)]
        if not new or self._absent:
            return False
        self._checked.update(new)
        try:
            files = self._parts.vault.rows().files(paths=new)
            known = {file.path: (file.size, file.mtime_ns) for file in files}
            found = stale_files(self._parts.config.vault.path, known)
        except VaultMissing:
            self._absent = True
            return True
        old = self._lag
        self._lag = StaleFiles(old.changed + found.changed, old.gone + found.gone)
        return self._lag != old

    @property
    def changed(self) -> Sequence[NotePath]:
        return self._lag.changed

    def notices(self) -> tuple[str, ...]:
        if self._absent:
            return (ABSENT,)
        changed, paths = self._lag
        if not changed and not paths:
            return ()
        following = read_state(self._parts.vault.place.folder).mode != "off"
        remedy = "that is being taken in now" if following else "run: glassmind index"
        named = (_named(changed), _named(paths))
        names = "; gone: ".join(named) if changed and paths else "".join(named)
        return (f"{_counted(len(changed), len(paths))}; {remedy} ({names})",)


def _counted(changed: int, gone: int) -> str:
    only = changed or gone
    notes, since = f"{only} notes", "since they were indexed"
    if only == 1:
        notes, since = "1 note", "since it was indexed"
    are = "is" if gone == 1 else "are"
    if not changed:
        return f"{notes} {are} gone {since}"
    return f"{notes} changed {since}" + (f", {gone} {are} gone" if gone else "")


def _named(paths: Sequence[NotePath]) -> str:
    shown = [one_line(path).replace('"', "'") for path in paths[:NAMED]]
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return ", ".join(f'"{name}"' for name in shown) + more


def shown_in(made: Bundle) -> list[NotePath]:
    items = (*made.decisions, *made.questions, *made.tasks)
    return [
        *(note.path for note in made.notes),
        *(item.path for item in items),
        *(side.path for conflict in made.conflicts for side in conflict.sides),
        *(read.path for read in made.suggested),
    ]


def turned_private(parts: ContextParts, changed: Iterable[NotePath]) -> set[NotePath]:
    """Return which of some stale notes are private by their files now.

    One that cannot be read counts as private: nobody can say that it is not.
    """
    paths = list(changed)
    if not paths:
        return set()
    try:
        with parts.vault.files() as files:
            return {path for path in paths if _is_private(files, path)}
    except VaultError:
        return set(paths)


def _is_private(files: VaultFiles, path: NotePath) -> bool:
    try:
        decoded = decode(files.read(path))
    except VaultError:
        return True
    if not isinstance(decoded, Decoded):
        return True
    return says_private(read_head(decoded.text).frontmatter.properties)
