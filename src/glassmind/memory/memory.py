"""The verbs of memory: each finds what is meant and calls one function of ours."""

from collections.abc import Sequence
from datetime import date, datetime

from glassmind.memory.activity import temperatures
from glassmind.memory.capture import Claim, captured, summary_kept
from glassmind.memory.changes import forget, summary_renewed, supersede
from glassmind.memory.files import waiting_called
from glassmind.memory.inbox import (
    accept,
    accept_ticked,
    edit,
    inbox_now,
    merge,
    reject,
    write_log,
)
from glassmind.memory.parts import Cabinet
from glassmind.memory.pins import pin, pinned, unpin
from glassmind.memory.recall import Asked, recall
from glassmind.model import NotePath
from glassmind.model.memory import (
    Captured,
    Inbox,
    Memo,
    MemoKind,
    Moved,
    Pins,
    Promoted,
    Recalled,
    Superseded,
    Temperatures,
    WriteLog,
)


class Memory:
    """What is remembered in a vault, and how warm its notes are.

    For any number of threads; only deliberate acts write, under the agent folder alone.
    """

    def __init__(self, cabinet: Cabinet) -> None:
        self._cabinet = cabinet

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
        """Keep something worth remembering; what an `agent` says waits in the inbox.

        A source is a receipt, or a note whose whole text is meant. What is written is
        indexed at once; where that cannot be, a notice says why.

        Raises:
            BadWish, BadMemo: it cannot be kept as it is; nothing was written.
            WriteRefused: the settings or the disk do not let it be written.
        """
        said = Claim(kind, text, project, sources, tags, client, agent)
        return captured(self._cabinet, said)

    def keep_summary(
        self,
        title: str,
        project: str,
        text: str,
        sources: Sequence[str],
        *,
        client: str = "cli",
    ) -> NotePath:
        """Keep a text in `summaries/`, and return where it is; see `capture`."""
        said = Claim("summary", text, project, sources, client=client)
        return summary_kept(self._cabinet, said, title).memory.path

    def renew_summary(
        self,
        title: str,
        project: str,
        text: str,
        sources: Sequence[str],
        *,
        client: str = "cli",
    ) -> NotePath:
        """Keep a text in `summaries/` in the place of the former of that title.

        The former goes to the trash; see `renewing.summary_renewed`.
        """
        said = Claim("summary", text, project, sources, client=client)
        return summary_renewed(self._cabinet, said, title)

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

        A query to which no memo comes near finds none.

        `since` (that day included) and `until` (that day excluded) are days as a search
        takes them. What waits in the inbox is among it, and says so.

        Raises:
            UnknownKind, BadDate, BadLimit: there is no such kind, day or number.
            IndexAbsent: nothing is indexed yet.
        """
        cabinet, day = self._cabinet, today or _today()
        asked = Asked(
            query=query if query and query.strip() else None,
            project=project or None,
            kind=kind,
            since=None if since is None else cabinet.day(since, day),
            until=None if until is None else cabinet.day(until, day),
            superseded=superseded,
            limit=limit,
        )
        with cabinet.faults():
            found = recall(cabinet, asked, day)
        cabinet.acts.handed([one.path for one in found.memories])
        if not found.doubtful:
            cabinet.acts.used("recall", [one.path for one in found.memories], "")
        return found

    def forget(self, name: str, *, client: str = "cli") -> Moved:
        """Move a memo to the trash of the agent folder; nothing is deleted.

        Raises:
            MemoNotFound, AmbiguousName, NotAMemo: no one memo is called so.
            WriteRefused: the settings or the disk do not let it be moved.
        """
        with self._cabinet.faults():
            return forget(self._cabinet, name, client=client)

    def supersede(self, old: str, new: str, *, client: str = "cli") -> Superseded:
        """Link a memo to the one that takes its place; it ranks below from now on.

        Done twice, it is as done once.

        Raises:
            MemoNotFound, AmbiguousName, NotAMemo: no two memos are called so.
            StillWaiting, NotSuperseded: these two cannot be linked so.
            WriteRefused: the settings or the disk do not let them be written.
        """
        with self._cabinet.faults():
            return supersede(self._cabinet, old, new, client=client)

    def inbox(self, *, promote: bool = True) -> Inbox:
        """Return what waits for a person, the oldest first; what was ticked is moved.

        Not so where `promote` is false: then nothing is written, whoever asks.
        """
        with self._cabinet.faults():
            found = inbox_now(self._cabinet, promote=promote)
        self._cabinet.acts.handed([one.path for one in found.waiting])
        return found

    def accept_ticked(self) -> Promoted:
        """Move to their places the memos whose boxes were ticked when last indexed.

        Nothing happens while writes are off. What cannot be moved is told, not raised.
        """
        with self._cabinet.faults():
            return accept_ticked(self._cabinet)

    def waiting(self, name: str) -> Memo:
        """Return a memo of the inbox; raises as `accept`."""
        with self._cabinet.faults():
            return waiting_called(self._cabinet, name)

    def accept(self, name: str, *, client: str = "cli") -> Moved:
        """Promote a memo of the inbox to its place.

        Raises:
            MemoNotFound, AmbiguousName, NotAMemo: no one memo is called so.
            NotWaiting: it does not wait, or somebody else was faster.
            WriteRefused, MemoUnreadable: it cannot be written.
        """
        with self._cabinet.faults():
            return accept(self._cabinet, name, client=client)

    def edit(
        self, name: str, text: str, *, before: str | None = None, client: str = "cli"
    ) -> Moved:
        """Give a memo of the inbox another text, and promote it; raises as `accept`.

        What it said is kept in the trash.
        With `before`, the text that was read, one that changed since is left alone, and
        `NoteChanged` says so.
        """
        with self._cabinet.faults():
            return edit(self._cabinet, name, text, before=before, client=client)

    def merge(self, name: str, into: str, *, client: str = "cli") -> Moved:
        """Add a memo of the inbox to one that is kept, or that goes on waiting.

        Raises as `accept`, and `BadWish` where both are one.
        """
        with self._cabinet.faults():
            return merge(self._cabinet, name, into, client=client)

    def reject(self, name: str, *, client: str = "cli") -> Moved:
        """Move a memo of the inbox to the trash; raises as `accept`."""
        with self._cabinet.faults():
            return reject(self._cabinet, name, client=client)

    def pin(self, name: str, *, client: str = "cli") -> Pins:
        """Keep a note warm until it is unpinned.

        Raises:
            NoteNotFound: no note has the name, be it but for a slip.
            WriteRefused: the settings or the disk do not let it be written.
        """
        with self._cabinet.faults():
            return pin(self._cabinet, name, client)

    def unpin(self, name: str, *, client: str = "cli") -> Pins:
        """Let a note cool again, or one that is gone; raises as `pin`."""
        with self._cabinet.faults():
            return unpin(self._cabinet, name, client)

    def pins(self) -> Pins:
        """Return what is pinned, under the names that notes have now."""
        with self._cabinet.faults():
            return pinned(self._cabinet)

    def temperatures(
        self, *, limit: int = 20, project: str | None = None, today: str | None = None
    ) -> Temperatures:
        """Return the warmest notes, and the projects that are active.

        With `project`, only its notes are told and counted. `today` is a day as a
        search takes it.

        Raises:
            BadLimit, BadDate: `limit` is out of bounds, or `today` is not a date.
            ProjectUnknown: no note belongs to the project.
        """
        cabinet = self._cabinet
        day = _today() if today is None else cabinet.day(today, _today())
        with cabinet.faults(), cabinet.still():
            return temperatures(cabinet, day, limit=limit, project=project)

    def used(self, verb: str, paths: Sequence[NotePath], *, client: str = "") -> None:
        """Take on record, in the data folder, that notes were handed out."""
        self._cabinet.acts.used(verb, paths, client)

    def log(
        self, *, limit: int = 20, since: str | None = None, path: str | None = None
    ) -> WriteLog:
        """Return what was written to the vault, the newest first.

        With `since`, from that day on; with `path`, of one file or one folder.

        Raises:
            BadDate, BadLimit: `since` is not a date, or `limit` is out of bounds.
            FileUnreadable: the record cannot be read.
        """
        cabinet = self._cabinet
        day = None if since is None else cabinet.day(since, _today())
        with cabinet.files() as files:
            return write_log(files, cabinet.folder, limit=limit, since=day, path=path)


def _today() -> date:
    return datetime.now().astimezone().date()
