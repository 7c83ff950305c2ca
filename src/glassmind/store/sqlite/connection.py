"""Opening `index.db`: read-only for everyone, for writing by the holder of the lock."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import apsw

from glassmind.errors import (
    BackupDamaged,
    BackupMissing,
    IndexAbsent,
    IndexDamaged,
    IndexTooNew,
)
from glassmind.store.filesystem import on_network
from glassmind.store.place import DATABASE
from glassmind.store.sqlite import schema
from glassmind.store.sqlite.examine import said
from glassmind.store.sqlite.faults import DAMAGE, FULL

STAGED = f"{DATABASE}.rescued"
"""A copy of the rows that is about to take their place."""
CHECKPOINT_PAGES = 16_000
"""Pages (64 MB) between checkpoints: each waits for the disk."""

CACHE_KB = 32_000
"""What the writer keeps in memory of indexes that are updated at random."""

READ = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI

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
        db = kind(_address(file, options), flags=READ)
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
        db = apsw.Connection(_address(file, "mode=ro&immutable=1"), flags=READ)
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
        db.pragma("wal_autocheckpoint", CHECKPOINT_PAGES)
        db.pragma("cache_size", -CACHE_KB)
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
