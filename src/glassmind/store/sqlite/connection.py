"""Opening `index.db`: read-only for everyone, for writing by the holder of the lock."""

import json
import os
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Self, TypeAlias
from urllib.parse import quote

import apsw
import xxhash

from glassmind.errors import (
    BackupDamaged,
    BackupMissing,
    IndexAbsent,
    IndexBusy,
    IndexDamaged,
    IndexFault,
    IndexTooNew,
    IndexUnwritable,
)
from glassmind.store.disk import on_network
from glassmind.store.place import DATABASE
from glassmind.store.sqlite import schema

SUFFIXES = ("", "-wal", "-shm", "-journal")
"""The database file and those beside it, in the order in which they have to go: a log
that is left beside another database would be taken for that one's."""

BUSY_MS = 30_000
"""How long SQLite waits for others; only short transactions ever hold it."""

_CHECKPOINT_PAGES = 16_000
"""Pages (64 MB) between checkpoints: each waits for the disk."""

_CACHE_KB = 32_000
"""What the writer keeps in memory of indexes that are updated at random."""

_COPIED_PAGES = 1_000
"""Copied at a time; in between, others get their turn."""

_LONGEST_MESSAGE = 200
"""Characters of what SQLite says that a user is shown."""

_READ = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI

DAMAGE = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError)
"""Raised when a file is not a sound database any more."""

FULL = (apsw.FullError, apsw.IOError, apsw.ReadOnlyError, apsw.CantOpenError)
"""Raised when the disk will not take what we write, or give back what we wrote."""

_UNEXPECTED = (
    apsw.SQLError,
    apsw.ConstraintError,
    apsw.MismatchError,
    UnicodeDecodeError,
    json.JSONDecodeError,
)
"""Raised when rows are not what our own statements left: a damaged page can do that."""

_ASTRAY = (TypeError, ValueError, LookupError, AttributeError)
"""What Python raises over a row that is not what we wrote, or over a fault of ours."""

Fence: TypeAlias = Callable[[], None]
"""Raises if the right to write is not ours any more."""


class Query:
    """Statements over an open database."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def _rows(self, statement: str, *values: Any) -> Any:
        return self._db.execute(statement, values)

    def _list(self, statement: str, *values: Any) -> list[Any]:
        return self._db.execute(statement, values).fetchall()

    def _value(self, statement: str, *values: Any) -> Any:
        return self._db.execute(statement, values).get

    def _for(self, statement: str, keys: Collection[Any], *more: Any) -> Any:
        """Return the rows of a statement whose first parameter is a JSON list."""
        return self._db.execute(statement, (json.dumps(list(keys)), *more))

    @staticmethod
    def _grouped(rows: Any) -> dict[Any, list[Any]]:
        """Return the second value of each row, by the first."""
        found: dict[Any, list[Any]] = {}
        for key, value in rows:
            found.setdefault(key, []).append(value)
        return found

    def setting(self, key: str) -> str | None:
        found = self._value("select value from settings where key = ?", key)
        return None if found is None else str(found)

    @contextmanager
    def still(self) -> Iterator[None]:
        with self._db:
            yield


class WriteStep(Query):
    """One atomic step of writing: all of it happens, or none."""

    def __init__(self, db: apsw.Connection, fence: Fence) -> None:
        super().__init__(db)
        self._fence = fence

    def __enter__(self) -> Self:
        begin(self._db, self._fence)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        end(self._db, self._fence, keep=kind is None)

    def set(self, key: str, value: str) -> None:
        """Write one setting; nothing is written if it is as it was."""
        statement = """
            insert into settings values (?, ?) on conflict
            do update set value = excluded.value where value <> excluded.value
        """
        self._rows(statement, key, value)


def begin(db: apsw.Connection, fence: Fence) -> None:
    """Begin a transaction that writes, if we still may.

    The fence is checked inside it: a process that takes the lock after that waits for
    the end of this transaction, or goes on in another file if it hangs.
    """
    db.execute("begin immediate")
    try:
        fence()
    except BaseException:
        db.execute("rollback")
        raise


def end(db: apsw.Connection, fence: Fence, *, keep: bool) -> None:
    """End the transaction, and `keep` what was written if we still may.

    A process that was stopped inside of it may have been replaced: others have their
    rows in another file then, and what is written here would be lost silently.
    """
    if not db.in_transaction:
        return  # SQLite undid it by itself: a full disk, an I/O error
    try:
        if keep:
            fence()
    except BaseException:
        db.execute("rollback")
        raise
    db.execute("commit" if keep else "rollback")


def said(error: Exception) -> str:
    """Return what an error says in one line: SQLite shows all of a damaged schema."""
    text = " ".join(str(error).split())
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[:_LONGEST_MESSAGE]}..."


def wrong_with(db: apsw.Connection) -> str | None:
    """Return the first thing wrong: a page, a reference, or a passage that changed."""
    problem = is_sound(db, "integrity_check")
    if problem is not None:
        return problem
    try:
        if next(iter(db.execute("pragma foreign_key_check")), None) is not None:
            return "a row belongs to a note that is not there"
        passages: Any = db.execute("""
            select f.path, c.digest, c.text
            from chunks c join files f on f.id = c.note_id
        """)
        for path, digest, text in passages:
            if xxhash.xxh3_128_hexdigest(str(text).encode()) != digest:
                return f"a passage of {path} is not what was indexed"
        # read for their letters alone: bytes that are not text raise
        for table in ("settings", "files", "notes", *schema.OF_NOTES, "links"):
            deque(db.execute(f"select * from {table}"), maxlen=0)
        deque(db.execute("select * from skipped"), maxlen=0)
    except (apsw.Error, UnicodeDecodeError) as error:
        return said(error)
    return None


@contextmanager
def faults_named(
    folder: Path, connection: Callable[[], apsw.Connection]
) -> Iterator[None]:
    """Turn what SQLite raises into an error that says what happened.

    The rows are examined before an error of Python's is blamed on them. Raises
    IndexDamaged, IndexUnwritable or IndexBusy.
    """
    file = str(folder / DATABASE)
    try:
        yield
    except (*DAMAGE, *_UNEXPECTED) as error:
        raise IndexDamaged(file, said(error)) from error
    except FULL as error:
        raise IndexUnwritable(str(folder), said(error)) from error
    except apsw.BusyError as error:
        raise IndexBusy("another program", _waited_s(connection)) from error
    except _ASTRAY as error:
        wrong = wrong_with(connection())
        if wrong is None:
            raise
        raise IndexDamaged(file, wrong) from error


def _waited_s(connection: Callable[[], apsw.Connection]) -> float:
    try:
        return int(connection().pragma("busy_timeout")) / 1000
    except (RuntimeError, IndexFault, apsw.Error):  # it could not even be opened
        return 0.0


@contextmanager
def disk_faults_named(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise IndexUnwritable(str(folder), said(error)) from error


def write_copy(source: apsw.Connection, file: Path) -> None:
    with closing(apsw.Connection(str(file))) as target:
        copy_rows(source, target)
        target.pragma("journal_mode", "delete")


def copy_rows(source: apsw.Connection, target: apsw.Connection) -> None:
    with target.backup("main", source, "main") as copy:
        while not copy.done:
            copy.step(_COPIED_PAGES)


class ImmutableConnection(apsw.Connection):
    """A connection without locks and without a log, to a database that nobody writes.

    What is written meanwhile may be seen in part: close it when the file changes.
    """


def logged_bytes(file: Path) -> int:
    try:
        return Path(f"{file}-wal").stat().st_size
    except OSError:
        return 0


def open_reader(folder: Path) -> apsw.Connection:
    """Open the rows for reading; never creates or changes a row.

    WAL needs to make files beside the database. Where that is not possible, in a folder
    that cannot be written or on a full disk, the database is opened by an
    `ImmutableConnection`. On a full disk that is not done if a log holds later rows.
    Raises IndexAbsent, IndexDamaged, IndexTooNew or apsw.IOError.
    """
    file = folder / DATABASE
    if not file.is_file() or not file.stat().st_size:
        raise IndexAbsent(str(folder))
    has_log = Path(f"{file}-shm").is_file() and logged_bytes(file) > 0
    if not os.access(folder, os.W_OK) and not has_log:
        return _opened(ImmutableConnection, file)
    try:
        return _opened(apsw.Connection, file)
    except FULL:  # the file is there, but not what WAL needs beside it
        if logged_bytes(file):
            raise
        return _opened(ImmutableConnection, file)


def _address(file: Path, options: str) -> str:
    return f"file:{quote(str(file))}?{options}"


def _opened(kind: type[apsw.Connection], file: Path) -> apsw.Connection:
    options = "mode=ro&immutable=1" if kind is ImmutableConnection else "mode=ro"
    try:
        db = kind(_address(file, options), flags=_READ)
    except apsw.CantOpenError as error:
        raise IndexAbsent(str(file.parent)) from error
    with _closed_on_failure(db, file):
        db.set_busy_timeout(BUSY_MS)
        _check(db, file)
    return db


@contextmanager
def _closed_on_failure(db: apsw.Connection, file: Path) -> Iterator[None]:
    try:
        yield
    except DAMAGE as error:
        db.close()
        raise IndexDamaged(str(file), said(error)) from error
    except BaseException:
        db.close()
        raise


def open_copy(file: Path) -> apsw.Connection:
    """Open a backup for reading, having read every page of it."""
    if not file.exists():
        raise BackupMissing(str(file))
    if not file.is_file():
        raise BackupDamaged(str(file), "it is no file")
    try:
        db = apsw.Connection(_address(file, "mode=ro&immutable=1"), flags=_READ)
        _check(db, file)
        wrong = is_sound(db)
    except IndexDamaged as error:
        raise BackupDamaged(str(file), error.reason) from error
    except (*DAMAGE, apsw.CantOpenError, apsw.IOError, IndexAbsent) as error:
        raise BackupDamaged(str(file), said(error)) from error
    if wrong is not None:
        db.close()
        raise BackupDamaged(str(file), wrong)
    return db


def _check(db: apsw.Connection, file: Path) -> None:
    found = schema.version_of(db)
    if not found:
        raise IndexAbsent(str(file.parent))
    if db.pragma("application_id") != schema.APPLICATION_ID:
        raise IndexDamaged(str(file), "it is a database of another program")
    if found < schema.OLDEST:
        raise IndexDamaged(str(file), "an early release wrote it")
    if found > schema.CURRENT:
        raise IndexTooNew(str(file), found, schema.CURRENT)


def open_writer(
    folder: Path, busy_ms: int = BUSY_MS, *, wal: bool = True
) -> apsw.Connection:
    """Open the rows for writing, making the file if need be, under the lock.

    A connection that holds the rows is waited for `busy_ms`. Without `wal`, or on a
    network disk, all of the database is in one file between two transactions. Raises
    IndexDamaged or IndexTooNew.
    """
    file = folder / DATABASE
    db = apsw.Connection(str(file))
    with _closed_on_failure(db, file):
        db.set_busy_timeout(busy_ms)
        if schema.version_of(db):
            _check(db, file)
        journal = "wal" if wal and not on_network(folder) else "delete"
        db.pragma("journal_mode", journal)
        db.pragma("synchronous", "normal" if journal == "wal" else "full")
        db.pragma("foreign_keys", 1)
        db.pragma("wal_autocheckpoint", _CHECKPOINT_PAGES)
        db.pragma("cache_size", -_CACHE_KB)
        schema.migrate(db)
    return db


def is_sound(db: apsw.Connection, pragma: str = "quick_check") -> str | None:
    """Return None when every page reads well, else what SQLite found wrong first."""
    try:
        found = str(db.execute(f"pragma {pragma}(1)").get)
    except apsw.Error as error:
        return said(error)
    return None if found == "ok" else found.splitlines()[-1]


def move_aside(folder: Path, stamp: str) -> Path | None:
    """Move a database that cannot be used out of the way and return where it is now.

    One such copy is kept, the latest.
    """
    file = folder / DATABASE
    for old in folder.glob(f"{DATABASE}.broken-*"):
        old.unlink(missing_ok=True)
    aside = folder / f"{DATABASE}.broken-{stamp}"
    path = None
    for suffix in SUFFIXES:
        part = Path(f"{file}{suffix}")
        if part.exists():
            part.replace(f"{aside}{suffix}")
            path = aside
    return path
