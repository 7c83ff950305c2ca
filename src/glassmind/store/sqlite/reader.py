"""The rows of one vault's index, open for reading."""

import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from glassmind.errors import IndexAbsent, IndexUntrusted
from glassmind.store.place import DATABASE
from glassmind.store.sqlite import connection
from glassmind.store.sqlite.faults import faults_named
from glassmind.store.sqlite.log import Log, text_log, vector_log
from glassmind.store.sqlite.read import Rows
from glassmind.store.sqlite.successor_rows import successors_in

if TYPE_CHECKING:  # what a search by words does without
    from glassmind.model.adjustments import Successor
    from glassmind.model.sidecar import Document
    from glassmind.model.vectors import NoteVectors
    from glassmind.store.sqlite.pair_rows import PairRows
    from glassmind.store.sqlite.theme_rows import ThemeRows
    from glassmind.store.sqlite.vector_rows import VectorRows

NOT_WHOLE = (
    "the vault has not been indexed to its end yet, so notes are missing; "
    "glassmind index goes on with it"
)

DISK_FULL_NOTICE = "The disk seems to be full. Answering from the index as it is."

RETRY_S = 5.0
"""How long an immutable connection is kept before a usual one is tried again."""

SWAPPED_S = 0.5
"""How long we wait for a copy that is about to take the place of the rows."""


class _Kept(NamedTuple):
    """A thread's connection, with the file's identity and state when it was opened."""

    db: apsw.Connection
    identity: tuple[int, int]
    state: tuple[int, ...]
    opened: float


class SqliteReader:
    """Owns one read-only connection a thread.

    A database that was deleted or replaced meanwhile is noticed at the next call:
    nobody is answered from a file that is no longer there. `is_ours` is asked at every
    call whether the database may be believed.
    """

    graph_links = "links"
    """The table of the links that a graph is made of."""

    def __init__(
        self, folder: Path, is_ours: Callable[[], bool] = lambda: True
    ) -> None:
        self._is_ours = is_ours
        self.folder, self._database = folder, str(folder / DATABASE)
        self._local = threading.local()
        self._lock = threading.Lock()
        self._opened: dict[int, apsw.Connection] = {}
        self._successors: tuple[str, Mapping[int, Successor]] | None = None

    def rows(self) -> Rows:
        """Return the rows.

        Raises:
            IndexAbsent, IndexDamaged, IndexTooNew: as `open_reader`.
        """
        return Rows(self.connection())

    def log(self) -> "Log[Document]":
        """Return the change log of text."""
        return text_log(self.connection())

    def vectors(self) -> "VectorRows":
        """Return what there is of vectors."""
        from glassmind.store.sqlite.vector_rows import VectorRows  # noqa: PLC0415

        return VectorRows(self.connection())

    def pairs(self) -> "PairRows":
        """Return the pairs of similar notes."""
        from glassmind.store.sqlite.pair_rows import PairRows  # noqa: PLC0415

        return PairRows(self.connection())

    def themes(self) -> "ThemeRows":
        """Return the stored themes."""
        from glassmind.store.sqlite.theme_rows import ThemeRows  # noqa: PLC0415

        return ThemeRows(self.connection())

    def vector_log(self) -> "Log[NoteVectors] | None":
        """Return the change log of the vectors that answer; None when none do."""
        space = self.vectors().answering()
        return None if space is None else vector_log(self.connection(), space.id)

    def pending(self, log: "Log[Any]", marker: str | None) -> int | None:
        """Return how many changes a sidecar has yet to apply; None means all."""
        return log.pending(marker)

    def successors(self, head: str) -> "Mapping[int, Successor]":
        """Return which notes were superseded, and by what, as of a head of the log."""
        kept = self._successors
        if kept is None or kept[0] != head:
            kept = self._successors = (head, successors_in(self.connection()))
        return kept[1]

    def notices(self) -> list[str]:
        """Return what a user should know about the rows."""
        db = self.connection()
        is_immutable = isinstance(db, connection.ImmutableConnection)
        is_full = is_immutable and os.access(self.folder, os.W_OK)
        full = [DISK_FULL_NOTICE] if is_full else []
        return full if self.rows().is_whole() else [*full, NOT_WHOLE]

    def faults(self) -> AbstractContextManager[None]:
        """Return what names the faults of everything done inside it."""
        return faults_named(self.folder, self.connection)

    def connection(self) -> apsw.Connection:
        """Return this thread's connection to the file that is there now.

        Raises:
            IndexUntrusted: the file is not the one that this user wrote last.
            IndexAbsent, IndexDamaged, IndexTooNew: as `open_reader`.
        """
        kept: _Kept | None = getattr(self._local, "reader", None)
        identity = self._identity()
        if not self._is_ours():
            self._forget()
            raise IndexUntrusted(str(self.folder))
        if kept is not None:
            if kept.identity == identity and self._is_current(kept):
                return kept.db
            self._forget()
        reader = self._opened_as(identity)
        while reader is None:
            identity = self._identity()
            reader = self._opened_as(identity)
        self._local.reader = _Kept(reader, identity, self._state(), time.monotonic())
        self._remember(reader)
        return reader

    def _is_current(self, kept: _Kept) -> bool:
        """Whether an open connection shows what is written to its file."""
        if not isinstance(kept.db, connection.ImmutableConnection):
            return True
        is_fresh = time.monotonic() < kept.opened + RETRY_S
        return is_fresh and kept.state == self._state()

    def _state(self) -> tuple[int, ...]:
        """Return what is another whenever somebody wrote to the database."""
        file = Path(self._database)
        try:
            facts = file.stat()
        except OSError:
            return ()
        return facts.st_size, facts.st_mtime_ns, connection.logged_bytes(file)

    def _opened_as(self, identity: tuple[int, int]) -> apsw.Connection | None:
        """Open the file; None where it was replaced while we did.

        We may have the old file then, and the log of the new one.
        """
        try:
            reader = connection.open_reader(self.folder)
        except IndexAbsent:
            if self._identity() == identity:
                raise
            return None
        if self._identity() == identity:
            return reader
        reader.close()
        return None

    def _remember(self, reader: apsw.Connection) -> None:
        """Keep it for `close_all`, and let go of those whose threads have ended."""
        alive = {thread.ident for thread in threading.enumerate()}
        with self._lock:
            for thread in self._opened.keys() - alive:
                del self._opened[thread]
            self._opened[threading.get_ident()] = reader

    def _identity(self) -> tuple[int, int]:
        deadline = time.monotonic() + SWAPPED_S
        while True:
            try:
                found = os.stat(self._database)  # noqa: PTH116 - asked at every call
            except OSError as error:
                is_next = (self.folder / connection.STAGED).exists()
                if is_next and time.monotonic() < deadline:
                    time.sleep(SWAPPED_S / 100)
                    continue
                self._forget()
                raise IndexAbsent(str(self.folder)) from error
            return (found.st_dev, found.st_ino)

    def _forget(self) -> None:
        """Leave this thread's connection to who still reads by it: the last closes it.

        A question that is under way goes on with the rows it began with.
        """
        self._local.reader = None
        with self._lock:
            self._opened.pop(threading.get_ident(), None)

    def close_all(self) -> None:
        """Close the connection of every thread, but for those that read right now."""
        self.close()
        with self._lock:
            others = list(self._opened.values())
            self._opened.clear()
        for reader in others:
            with suppress(apsw.Error):
                reader.close()

    def close(self) -> None:
        """Close this thread's connection."""
        kept: _Kept | None = getattr(self._local, "reader", None)
        if kept is not None:
            kept.db.close()
            self._forget()
