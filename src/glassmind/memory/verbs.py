"""The verbs of memory: each finds what is meant and calls one function of ours."""

from collections.abc import Sequence
from datetime import date, datetime

from glassmind.memory.cabinet import Cabinet
from glassmind.memory.capturing import Claim, captured, summary_kept
from glassmind.memory.record import write_log
from glassmind.types import NotePath
from glassmind.types.memory import (
    Captured,
    Inbox,
    MemoKind,
    Moved,
    Pins,
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
        return summary_kept(self._cabinet, said, title).memo.path

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
        """Return what was captured, by what it says or the newest first."""
        raise NotImplementedError

    def forget(self, name: str, *, client: str = "cli") -> Moved:
        """Move a memo to the trash of the agent folder."""
        raise NotImplementedError

    def supersede(self, old: str, new: str, *, client: str = "cli") -> Superseded:
        """Link a memo to the one that takes its place; it ranks below from now on."""
        raise NotImplementedError

    def inbox(self, *, promote: bool = True) -> Inbox:
        """Return what waits for a person; what was ticked is promoted first.

        Not so where `promote` is false: then nothing is written, whoever asks.
        """
        raise NotImplementedError

    def accept(self, name: str, *, client: str = "cli") -> Moved:
        """Promote a memo of the inbox to its place."""
        raise NotImplementedError

    def edit(self, name: str, text: str, *, client: str = "cli") -> Moved:
        """Give a memo of the inbox another text, and promote it."""
        raise NotImplementedError

    def merge(self, name: str, into: str, *, client: str = "cli") -> Moved:
        """Add a memo of the inbox to one that is kept, and promote it so."""
        raise NotImplementedError

    def reject(self, name: str, *, client: str = "cli") -> Moved:
        """Move a memo of the inbox to the trash."""
        raise NotImplementedError

    def pin(self, name: str, *, client: str = "cli") -> Pins:
        """Keep a note warm until it is unpinned."""
        raise NotImplementedError

    def unpin(self, name: str, *, client: str = "cli") -> Pins:
        """Let a note cool again."""
        raise NotImplementedError

    def pins(self) -> Pins:
        """Return what is pinned."""
        raise NotImplementedError

    def temperatures(
        self, *, limit: int = 20, project: str | None = None, today: str | None = None
    ) -> Temperatures:
        """Return the warmest notes, and the projects that are active."""
        raise NotImplementedError

    def used(self, verb: str, paths: Sequence[NotePath], *, client: str = "") -> None:
        """Take on record, in the data folder, that notes were handed out."""
        raise NotImplementedError

    def log(
        self, *, limit: int = 20, since: str | None = None, path: str | None = None
    ) -> WriteLog:
        """Return what was written to the vault, the newest first.

        With `since`, from that day on; with `path`, of one file or one folder.

        Raises:
            BadDate, BadLimit: that is no day, or more than can be told at once.
            FileUnreadable: the record cannot be read.
        """
        cabinet = self._cabinet
        day = None if since is None else cabinet.day(since, _today())
        with cabinet.files() as files:
            return write_log(files, cabinet.folder, limit=limit, since=day, path=path)


def _today() -> date:
    return datetime.now().astimezone().date()
