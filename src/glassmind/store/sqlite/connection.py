"""Beginning to write: by the holder of the writer lock, and by nobody else."""

import json
import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias
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

Fence: TypeAlias = Callable[[], None]
"""Raises where the right to write is not ours any more."""


def begin(db: apsw.Connection, fence: Fence) -> None:
    """Open a transaction that writes, and see that we still may.

    We are asked inside it: should the lock be taken from us after that, whoever took
    it waits for the end of this transaction, or goes on in another file if it hangs.
    """
    db.execute("begin immediate")
    try:
        fence()
    except BaseException:
        db.execute("rollback")
        raise


def end(db: apsw.Connection, fence: Fence, *, keep: bool) -> None:
    """End the transaction, and `keep` what was written if we still may.

    Whoever was stopped inside of it may have been replaced: others have their rows in
    another file then, and what is written here would be lost without a word.
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


_PASSAGES = """
select f.path, c.digest, c.text from chunks c join files f on f.id = c.note_id
"""


_OTHERS = (
    "select * from settings",
    "select * from files",
    "select * from notes",
    "select * from chunks",
    "select * from headings",
    "select * from links",
    "select * from tags",
    "select * from properties",
    "select * from tasks",
    "select * from blocks",
    "select * from fields",
    "select * from callouts",
    "select * from skipped",
)
"""Read for their letters alone: bytes that are no text raise."""


def said(error: Exception) -> str:
    """Return what an error says in one line: SQLite shows all of a damaged schema."""
    text = " ".join(str(error).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


_LONGEST = 200
"""Characters of what SQLite says that a user is shown."""


def wrong_with(db: apsw.Connection) -> str | None:
    """Return the first thing wrong: a page, a reference, or a passage that changed."""
    try:
        found = str(db.execute("pragma integrity_check(1)").get)
        if found != "ok":
            return found.splitlines()[-1]
        if next(iter(db.execute("pragma foreign_key_check")), None) is not None:
            return "a row belongs to a note that is not there"
        passages: Any = db.execute(_PASSAGES)
        for path, digest, text in passages:
            if xxhash.xxh3_128_hexdigest(str(text).encode()) != digest:
                return f"a passage of {path} is not what was indexed"
        for statement in _OTHERS:
            deque(db.execute(statement), maxlen=0)
    except (apsw.Error, UnicodeDecodeError) as error:
        return said(error)
    return None


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


@contextmanager
def faults_named(
    folder: Path, connection: Callable[[], apsw.Connection]
) -> Iterator[None]:
    """Turn what SQLite raises into an error that says what happened.

    The rows are examined before an error of Python's is blamed on them.

    Raises:
        IndexDamaged: the file does not read well.
        IndexUnwritable: the disk does not take what was written.
        IndexBusy: another process held the database for longer than we wait.
    """
    try:
        yield
    except DAMAGE as error:
        raise IndexDamaged(str(folder / "index.db"), said(error)) from error
    except FULL as error:
        raise IndexUnwritable(str(folder), said(error)) from error
    except apsw.BusyError as error:
        raise IndexBusy("another program", _waited_s(connection)) from error
    except _UNEXPECTED as error:
        raise IndexDamaged(str(folder / "index.db"), said(error)) from error
    except _ASTRAY as error:
        wrong = wrong_with(connection())
        if wrong is None:
            raise
        raise IndexDamaged(str(folder / "index.db"), wrong) from error


def _waited_s(connection: Callable[[], apsw.Connection]) -> float:
    try:
        return int(connection().pragma("busy_timeout")) / 1000
    except (RuntimeError, IndexFault, apsw.Error):  # it could not even be opened
        return 0.0


@contextmanager
def disk_faults_named(folder: Path) -> Iterator[None]:
    """Turn what the disk says to files being moved or deleted into words of our own.

    Raises:
        IndexUnwritable: it did not let us.
    """
    try:
        yield
    except OSError as error:
        raise IndexUnwritable(str(folder), said(error)) from error


_PAGES = 1_000
"""Copied at a time; in between, others get their turn."""


def write_copy(source: apsw.Connection, file: Path) -> None:
    """Write a consistent copy of the rows to a new file while others read and write."""
    target = apsw.Connection(str(file))
    try:
        copy_rows(source, target)
        target.pragma("journal_mode", "delete")
    finally:
        target.close()


def copy_rows(source: apsw.Connection, target: apsw.Connection) -> None:
    """Replace every row of a database by those of another."""
    with target.backup("main", source, "main") as copy:
        while not copy.done:
            copy.step(_PAGES)


STAGED = f"{DATABASE}.rescued"
"""A copy of the rows that is about to take their place."""
_CHECKPOINT_PAGES = 16_000
"""Pages (64 MB) between checkpoints: each waits for the disk."""

_CACHE_KB = 32_000
"""What the writer keeps in memory of indexes that are updated at random."""

_READ = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI

BUSY_MS = 30_000
"""How long SQLite waits for others; only short transactions ever hold it."""


def _address(file: Path, options: str) -> str:
    return f"file:{quote(str(file))}?{options}"


def _writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK)


def _has_log(file: Path) -> bool:
    log, shared = Path(f"{file}-wal"), Path(f"{file}-shm")
    return shared.is_file() and log.is_file() and log.stat().st_size > 0


class ImmutableConnection(apsw.Connection):
    """A connection to a database that nobody writes: without locks, and without a log.

    What is written meanwhile may be seen in part: close it when the file changes.
    """


def logged_bytes(file: Path) -> int:
    """Return how much a write-ahead log beside a database holds."""
    try:
        return Path(f"{file}-wal").stat().st_size
    except OSError:
        return 0


def open_reader(folder: Path) -> apsw.Connection:
    """Open the rows for reading; never creates or changes a row.

    WAL needs to make files beside the database. Where that is not possible, in a folder
    that cannot be written or on a full disk, the database is opened by an
    `ImmutableConnection`. On a full disk that is not done if a log holds later rows.

    Raises:
        IndexAbsent: there is no database, or it has no tables yet.
        IndexDamaged: the file is not a database of ours.
        IndexTooNew: a later release wrote it.
        apsw.IOError: the disk is full, and a log holds later rows.
    """
    file = folder / DATABASE
    if not file.is_file() or not file.stat().st_size:
        raise IndexAbsent(str(folder))
    if not _writable(folder) and not _has_log(file):
        return _open_immutable(file)
    try:
        return _opened(apsw.Connection, file, "mode=ro")
    except FULL:  # the file is there, but not what WAL needs beside it
        if logged_bytes(file):
            raise
        return _open_immutable(file)


def _open_immutable(file: Path) -> apsw.Connection:
    return _opened(ImmutableConnection, file, "mode=ro&immutable=1")


def _opened(kind: type[apsw.Connection], file: Path, options: str) -> apsw.Connection:
    """Return a connection to a database of ours."""
    try:
        db = kind(_address(file, options), flags=_READ)
    except apsw.CantOpenError as error:
        raise IndexAbsent(str(file.parent)) from error
    try:
        db.set_busy_timeout(BUSY_MS)
        _check(db, file)
    except DAMAGE as error:
        db.close()
        raise IndexDamaged(str(file), said(error)) from error
    except BaseException:
        db.close()
        raise
    return db


def open_copy(file: Path) -> apsw.Connection:
    """Open a backup for reading, having read every page of it.

    Raises:
        BackupMissing: there is no such file.
        BackupDamaged: the file is no sound index.
        IndexTooNew: a later release wrote it.
    """
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
    if found == 0:
        raise IndexAbsent(str(file.parent))
    if db.pragma("application_id") != schema.APPLICATION_ID:
        raise IndexDamaged(str(file), "it is a database of another program")
    if found > schema.CURRENT:
        raise IndexTooNew(str(file), found, schema.CURRENT)


def open_writer(
    folder: Path, busy_ms: int = BUSY_MS, *, wal: bool = True
) -> apsw.Connection:
    """Open the rows for writing, making or migrating the file, under the lock.

    Whoever holds the rows is waited for `busy_ms`. Without `wal`, or on a network disk,
    all of the database is in one file between two transactions.

    Raises:
        IndexDamaged: the file is not a database of ours.
        IndexTooNew: a later release wrote it.
    """
    file = folder / DATABASE
    try:
        db = apsw.Connection(str(file))
    except DAMAGE as error:
        raise IndexDamaged(str(file), said(error)) from error
    try:
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
    except DAMAGE as error:
        db.close()
        raise IndexDamaged(str(file), said(error)) from error
    except BaseException:
        db.close()
        raise
    return db


@contextmanager
def still(db: apsw.Connection) -> Iterator[None]:
    """Keep the rows as they are for all that is read inside it."""
    with db:
        yield


def is_sound(db: apsw.Connection) -> str | None:
    """Return None when every page reads well, else what SQLite found wrong first."""
    try:
        found = str(db.execute("pragma quick_check(1)").get)
    except apsw.Error as error:
        return said(error)
    return None if found == "ok" else found.splitlines()[-1]


def move_aside(folder: Path, stamp: str) -> Path | None:
    """Set a database that cannot be used out of the way and return where it is now.

    One such copy is kept, the latest.
    """
    file = folder / DATABASE
    for old in folder.glob(f"{DATABASE}.broken-*"):
        old.unlink(missing_ok=True)
    aside = folder / f"{DATABASE}.broken-{stamp}"
    moved = None
    for suffix in ("", "-wal", "-shm", "-journal"):
        part = Path(f"{file}{suffix}")
        if part.exists():
            part.replace(f"{aside}{suffix}")
            moved = aside
    return moved
