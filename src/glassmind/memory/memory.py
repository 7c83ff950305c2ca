"""The operations of memory on a vault: one method for each."""

from collections.abc import Callable, Sequence
from datetime import date, datetime

from glassmind.memory import activity, capture, changes, inbox, pins
from glassmind.memory.files import waiting_called
from glassmind.memory.log import write_log
from glassmind.memory.recall import RecallRequest, recall
from glassmind.memory.vault import (
    MemoryStore,
    Refresh,
    Search,
    no_refresh,
    no_search,
)
from glassmind.model import NotePath
from glassmind.model.memory import (
    ActivityOverview,
    Captured,
    Inbox,
    MemoKind,
    MemoryItem,
    Moved,
    Pins,
    Promoted,
    Recalled,
    Superseded,
    WriteLog,
)
from glassmind.search.query import parse_day
from glassmind.vault import Vault

Used = Callable[[str, Sequence[NotePath], str], None]
"""Adds notes that an operation returned to the usage log, with the client."""


class Memory:
    """What is remembered in a vault, and how active its notes are.

    For any number of threads. It writes below the agent folder only.
    """

    def __init__(
        self,
        vault: Vault,
        search: Search = no_search,
        refresh: Refresh = no_refresh,
        used: Used = lambda *_: None,
    ) -> None:
        self._vault, self._used = MemoryStore(vault, search, refresh), used

    def capture(  # noqa: PLR0913 - each fact by its name
        self,
        kind: MemoKind,
        text: str,
        *,
        project: str = "",
        sources: Sequence[str] = (),
        tags: Sequence[str] = (),
        client: str = "cli",
        agent: bool = False,
    ) -> Captured:
        """Save something worth remembering; what an `agent` says waits in the inbox.

        A source is a receipt, or a note whose whole text is meant. What is written is
        indexed at once; if it cannot be, a notice says why.
        """
        claim = capture.Claim(kind, text, project, sources, tags, client, agent)
        return capture.captured(self._vault, claim)

    def renew_summary(
        self,
        title: str,
        project: str,
        text: str,
        sources: Sequence[str],
        *,
        client: str = "cli",
    ) -> NotePath:
        """Save a text in `summaries/` in place of the former one of that title.

        The former goes to the trash; one with the same text stays. See `capture`.
        """
        claim = capture.Claim("summary", text, project, sources, client=client)
        return changes.summary_renewed(self._vault, claim, title)

    def recall(  # noqa: PLR0913 - each filter by its name
        self,
        query: str | None = None,
        *,
        project: str | None = None,
        kind: MemoKind | None = None,
        since: str | None = None,
        until: str | None = None,
        superseded: bool = False,
        limit: int = 10,
        today: date | None = None,
    ) -> Recalled:
        """Return what was captured, by what it says or the newest first.

        A query that no memo comes near finds nothing. `since` (that day included) and
        `until` (that day excluded) are days as a search takes them. What waits in the
        inbox is included, and says so.
        """
        day = today or _today()
        request = RecallRequest(
            query=query if query and query.strip() else None,
            project=project or None,
            kind=kind,
            since=None if since is None else parse_day(since, day),
            until=None if until is None else parse_day(until, day),
            superseded=superseded,
            limit=limit,
        )
        with self._vault.faults():
            recalled = recall(self._vault, request, day)
        if not recalled.doubtful:
            self._used("recall", [memory.path for memory in recalled.memories], "")
        return recalled

    def forget(self, name: str, *, client: str = "cli") -> Moved:
        """Move a memo to the trash of the agent folder; nothing is deleted."""
        with self._vault.faults():
            return changes.forget(self._vault, name, client=client)

    def supersede(self, old: str, new: str, *, client: str = "cli") -> Superseded:
        """Link a memo to the one that takes its place; it ranks below from now on.

        To repeat it changes nothing.
        """
        with self._vault.faults():
            return changes.supersede(self._vault, old, new, client=client)

    def inbox(self, *, promote: bool = True) -> Inbox:
        """Return what waits for a person, the oldest first; what was ticked is moved.

        With `promote=False` nothing is written.
        """
        with self._vault.faults():
            return inbox.inbox_now(self._vault, promote=promote)

    def accept_ticked(self) -> Promoted:
        """Move the memos whose boxes were ticked when last indexed to their places.

        Nothing happens while writes are off. Problems are returned, not raised.
        """
        with self._vault.faults():
            return inbox.accept_ticked(self._vault)

    def waiting(self, name: str) -> MemoryItem:
        with self._vault.faults():
            return waiting_called(self._vault, name)

    def accept(self, name: str, *, client: str = "cli") -> Moved:
        """Move a memo of the inbox to its place."""
        with self._vault.faults():
            return inbox.accept(self._vault, name, client=client)

    def edit(
        self, name: str, text: str, *, before: str | None = None, client: str = "cli"
    ) -> Moved:
        """Give a memo of the inbox another text, and accept it; raises as `accept`.

        The note as it was is copied to the trash. With `before`, the text that was
        read, a memo that changed since stays as it is, and `NoteChanged` is raised.
        """
        with self._vault.faults():
            return inbox.edit(self._vault, name, text, before=before, client=client)

    def merge(self, name: str, into: str, *, client: str = "cli") -> Moved:
        """Add a memo of the inbox to one that is kept, or that goes on waiting.

        Raises as `accept`, `BadWish` if both are one, and `NotMerged`.
        """
        with self._vault.faults():
            return inbox.merge(self._vault, name, into, client=client)

    def reject(self, name: str, *, client: str = "cli") -> Moved:
        """Move a memo of the inbox to the trash; raises as `accept`."""
        with self._vault.faults():
            return inbox.reject(self._vault, name, client=client)

    def pin(self, name: str, *, client: str = "cli") -> Pins:
        """Keep a note hot until it is unpinned."""
        with self._vault.faults():
            return pins.pin(self._vault, name, client)

    def unpin(self, name: str, *, client: str = "cli") -> Pins:
        """Let a note cool again, or one that is gone; raises as `pin`."""
        with self._vault.faults():
            return pins.unpin(self._vault, name, client)

    def pins(self) -> Pins:
        """Return what is pinned, under the names that notes have now."""
        with self._vault.faults():
            return pins.pinned(self._vault)

    def temperatures(
        self, *, limit: int = 20, project: str | None = None, today: str | None = None
    ) -> ActivityOverview:
        """Return the most active notes, and the active projects.

        With `project`, only its notes are returned and counted. `today` is a day as a
        search takes it.
        """
        day = _today() if today is None else parse_day(today, _today())
        vault = self._vault
        with vault.faults(), vault.rows().still():
            return activity.temperatures(vault, day, limit=limit, project=project)

    def used(self, verb: str, paths: Sequence[NotePath], *, client: str = "") -> None:
        """Add notes that were returned to the usage log, in the data folder."""
        self._used(verb, paths, client)

    def log(
        self, *, limit: int = 20, since: str | None = None, path: str | None = None
    ) -> WriteLog:
        """Return what was written to the vault, the newest first.

        With `since`, from that day on; with `path`, of one file or one folder.
        """
        vault, day = self._vault, None if since is None else parse_day(since, _today())
        with vault.files() as files:
            return write_log(files, vault.folder, limit=limit, since=day, path=path)


def _today() -> date:
    return datetime.now().astimezone().date()
