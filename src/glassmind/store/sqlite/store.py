"""The index of one vault: its rows, read by one connection a thread, and sidecars."""

import os
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from glassmind.errors import BackupUnwritable, IndexAbsent, IndexUntrusted
from glassmind.store.logs import AccessLogFiles, UsageLogFiles, use_folder
from glassmind.store.place import DATABASE, index_locations, outside
from glassmind.store.sqlite import connection
from glassmind.store.sqlite.change_log import ChangeLog, text_log, vector_log
from glassmind.store.sqlite.connection import faults_named
from glassmind.store.sqlite.memory import successors_in
from glassmind.store.sqlite.rows import SqliteRows

if TYPE_CHECKING:
    from glassmind.config import Config
    from glassmind.model import NotePath
    from glassmind.model.access import Seen
    from glassmind.model.search import Successor
    from glassmind.model.vectors import Space
    from glassmind.store.changesets import ChangesetFolder
    from glassmind.store.lexical.search import KeywordIndex
    from glassmind.store.protocol import Part, Sidecar, Vectors, View
    from glassmind.store.sidecars import Matrix, Words
    from glassmind.store.sqlite.scoped import SqliteScopedStore
    from glassmind.store.sqlite.writer import SqliteWriter
    from glassmind.store.vectors.search import VectorIndex


_NOT_WHOLE = (
    "the vault has not been indexed to its end yet, so notes are missing; "
    "glassmind index goes on with it"
)

_DISK_FULL_NOTICE = "The disk seems to be full. Answering from the index as it is."


class _Kept(NamedTuple):
    """A thread's connection, with the file's identity and state when it was opened."""

    db: apsw.Connection
    identity: tuple[int, int]
    state: tuple[int, ...]


class SqliteStore:
    """The index of one vault, open for reading: the rows, and the sidecars beside them.

    A database that was deleted or replaced meanwhile is noticed at the next call:
    nobody is answered from a file that is no longer there. `is_ours` is asked at every
    call whether the database may be believed. `sidecars` is the folder of the keyword
    index and of the vectors, where it is another one. Without a `config`, as in the
    store of a scope, no changesets and logs are kept.
    """

    _counted = ""
    """The table of the notes whose changes are pending; empty for all."""

    def __init__(
        self,
        folder: Path,
        is_ours: Callable[[], bool] = lambda: True,
        sidecars: Path | None = None,
        config: "Config | None" = None,
    ) -> None:
        self._config = config
        self._is_ours, self.sidecars = is_ours, sidecars or folder
        self.folder, self._database = folder, str(folder / DATABASE)
        self._local = threading.local()
        self._lock = threading.Lock()
        self._readers: dict[int, apsw.Connection] = {}
        self._successors: tuple[str, Mapping[int, Successor]] | None = None
        self._keywords: KeywordIndex | None = None

    @cached_property
    def data_folder(self) -> Path | None:
        """The folder outside of the vault for changesets and the usage log."""
        if self._config is None:
            return None
        return use_folder(index_locations(self._config), self._config.vault.path)

    @cached_property
    def changesets(self) -> "ChangesetFolder":
        # a search does not need it
        from glassmind.store.changesets import ChangesetFolder  # noqa: PLC0415

        if self._config is None:
            return ChangesetFolder(None)
        days = self._config.writes.undo_days
        return ChangesetFolder(self.data_folder, undo_days=days)

    @cached_property
    def access_log(self) -> AccessLogFiles | None:
        """The log of what clients read; None if the user wants none."""
        if self._config is None or not self._config.access.log:
            return None
        folders = outside(index_locations(self._config), self._config.vault.path)
        return AccessLogFiles(list(folders), keep_days=self._config.access.log_days)

    @cached_property
    def usage_log(self) -> UsageLogFiles:
        is_recorded = self._config is not None and self._config.memory.record_use
        return UsageLogFiles(self.data_folder if is_recorded else None)

    def visible_to(self, view: "View") -> "SqliteScopedStore":
        """Return the part of the index that a scope may read."""
        from glassmind.store.sqlite.scoped import SqliteScopedStore  # noqa: PLC0415

        return SqliteScopedStore(self, view, self._is_ours)

    def rows(self) -> SqliteRows:
        """Return the rows. Raises IndexAbsent, IndexDamaged or IndexTooNew."""
        return SqliteRows(self.connection())

    def keywords(self) -> "KeywordIndex | None":
        """Return the keyword index; None if there is none that can be opened."""
        if self._keywords is None:
            from glassmind.store.lexical.search import KeywordIndex  # noqa: PLC0415

            self._keywords = KeywordIndex.open(self.sidecars)
        return self._keywords

    def vectors(self, space: "Space") -> "Vectors | None":
        """Return the vectors of a space; None where they are not in place."""
        return self._matrix(space)

    def _matrix(
        self, space: "Space", visible: "Callable[[], Seen] | None" = None
    ) -> "VectorIndex | None":
        from glassmind.store.vectors.files import place_of  # noqa: PLC0415 - numpy
        from glassmind.store.vectors.search import VectorIndex  # noqa: PLC0415

        place = place_of(self.sidecars, space.name)
        return VectorIndex.open(place, space.width, visible)

    def close_keywords(self) -> None:
        """Close the keyword index; it is opened again when it is next used."""
        if self._keywords is not None:
            keywords, self._keywords = self._keywords, None
            keywords.close()

    def head(self) -> str:
        """Return the marker of the last change of a text."""
        return text_log(self.connection()).head()

    def vector_head(self) -> str | None:
        """Return the marker of the last change of a vector; None if none answer."""
        log = vector_log(self.connection())
        return None if log is None else log.head()

    def behind(self, part: "Sidecar") -> int | None:
        """Return how many changes a sidecar has yet to apply; None for all."""
        db, sidecar = self.connection(), self._sidecar(part)
        log: ChangeLog[Any] | None = (
            text_log(db, self._counted)
            if part == "words"
            else vector_log(db, self._counted)
        )
        return 0 if log is None else log.pending(sidecar.marker())

    def _sidecar(self, part: "Sidecar") -> "Words | Matrix":
        from glassmind.store.sidecars import Matrix, Words  # noqa: PLC0415 - as above

        if part == "words":
            return Words(self.sidecars)
        return Matrix(self.sidecars, self.rows)

    def successors(self) -> "Mapping[int, Successor]":
        """Return which notes were superseded, and by what."""
        kept, head = self._successors, self.head()
        if kept is None or kept[0] != head:
            kept = self._successors = (head, successors_in(self.connection()))
        return kept[1]

    def notices(self) -> list[str]:
        db = self.connection()
        is_immutable = isinstance(db, connection.ImmutableConnection)
        is_full = is_immutable and os.access(self.folder, os.W_OK)
        full = [_DISK_FULL_NOTICE] if is_full else []
        return full if self.rows().is_whole() else [*full, _NOT_WHOLE]

    def faults(self) -> AbstractContextManager[None]:
        return faults_named(self.folder, self.connection)

    def damage(self, part: "Part") -> str | None:
        """Return what is damaged in a part of the index, having read all of it."""
        if part == "rows":
            return connection.wrong_with(self.connection())
        return self._sidecar(part).damage()

    def writer(self, name_key: "Callable[[str], str]", *, wal: bool) -> "SqliteWriter":
        """Return the index for writing, for the holder of the writer lock."""
        from glassmind.store.sqlite.writer import SqliteWriter  # noqa: PLC0415

        return SqliteWriter(self.folder, name_key, self.sidecars, wal=wal)

    def backup_notes(self, file: Path) -> list["NotePath"]:
        """Return the notes of a backup, by path."""
        with closing(connection.open_copy(file)) as copy:
            return [note.path for note in SqliteRows(copy).notes()]

    def back_up(self, file: Path) -> None:
        """Write a copy of the rows to a new file. Raises BackupUnwritable."""
        try:
            connection.write_copy(self.connection(), file)
        except connection.FULL as error:
            reason = connection.said(error)
            raise BackupUnwritable(str(file.parent), reason) from error

    def connection(self) -> apsw.Connection:
        """Return this thread's connection to the file that is there now."""
        kept: _Kept | None = getattr(self._local, "reader", None)
        identity = self._identity()
        if not self._is_ours():
            self._forget()
            raise IndexUntrusted(str(self.folder))
        if kept is not None:
            if kept.identity == identity and self._is_current(kept):
                return kept.db
            self._forget()
        while True:
            reader, before = self._opened(identity), identity
            identity = self._identity()
            if reader is not None and identity == before:
                break
            # the file was replaced: we may have the old one and the log of the new one
            if reader is not None:
                reader.close()
        self._local.reader = _Kept(reader, identity, self._state())
        alive = {thread.ident for thread in threading.enumerate()}
        with self._lock:
            for ended in self._readers.keys() - alive:
                del self._readers[ended]
            self._readers[threading.get_ident()] = reader
        return reader

    def _is_current(self, kept: _Kept) -> bool:
        is_immutable = isinstance(kept.db, connection.ImmutableConnection)
        return not is_immutable or kept.state == self._state()

    def _state(self) -> tuple[int, ...]:
        file = Path(self._database)
        try:
            facts = file.stat()
        except OSError:
            return ()
        return facts.st_size, facts.st_mtime_ns, connection.logged_bytes(file)

    def _opened(self, identity: tuple[int, int]) -> apsw.Connection | None:
        try:
            return connection.open_reader(self.folder)
        except IndexAbsent:
            if self._identity() == identity:
                raise
            return None

    def _identity(self) -> tuple[int, int]:
        try:
            found = os.stat(self._database)  # noqa: PTH116 - asked at every call
        except OSError as error:
            self._forget()
            raise IndexAbsent(str(self.folder)) from error
        return (found.st_dev, found.st_ino)

    def _forget(self) -> None:
        """Let whoever still reads by this thread's connection close it.

        A query that is running goes on with the rows it began with.
        """
        self._local.reader = None
        with self._lock:
            self._readers.pop(threading.get_ident(), None)

    def close_all(self) -> None:
        """Close the connection of every thread, but for those that read right now."""
        self.close_keywords()
        self.close()
        with self._lock:
            others = list(self._readers.values())
            self._readers.clear()
        for reader in others:
            with suppress(apsw.Error):
                reader.close()

    def close(self) -> None:
        kept: _Kept | None = getattr(self._local, "reader", None)
        if kept is not None:
            kept.db.close()
            self._forget()
