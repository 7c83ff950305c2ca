"""The rows of one vault's index, open for writing by the holder of the lock."""

from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import apsw

from glassmind.errors import IndexDamaged
from glassmind.store.sqlite import connection
from glassmind.store.sqlite.faults import disk_faults_named, faults_named
from glassmind.store.sqlite.log import Log
from glassmind.store.sqlite.read import Rows
from glassmind.store.sqlite.write import NameKey, Transaction

PARTS = ("", "-wal", "-shm", "-journal")


class SqliteWriter:
    """Owns the one connection that writes; the caller holds the writer lock."""

    def __init__(self, folder: Path, name_key: NameKey, *, anew: bool = False) -> None:
        self.folder = folder
        self._name_key = name_key
        self.notices: list[str] = []
        if anew:
            self._delete()
        self._db = self._open()

    def _open(self) -> apsw.Connection:
        """Open the file; one that is damaged is set aside and begun anew.

        Raises:
            IndexUnwritable: the folder does not take a database.
            IndexTooNew: a later release wrote it.
        """
        try:
            with self.faults():
                db = connection.open_writer(self.folder)
                wrong = connection.is_sound(db) if Rows(db).unfinished() else None
            if wrong is None:
                return db
            db.close()
        except IndexDamaged as error:
            wrong = error.reason
        self._set_aside(wrong)
        with self.faults():
            return connection.open_writer(self.folder)

    def _set_aside(self, wrong: str) -> None:
        stamp = f"{datetime.now(UTC):%Y%m%d%H%M%S}"
        with disk_faults_named(self.folder):
            aside = connection.move_aside(self.folder, stamp)
        self.notices.append(
            f"index.db was damaged ({wrong}); it is kept as {aside} and was made anew"
        )

    def rows(self) -> Rows:
        """Return the rows as this connection sees them."""
        return Rows(self._db)

    def log(self) -> Log:
        """Return the change log as this connection sees it."""
        return Log(self._db)

    def transaction(self) -> Transaction:
        """Return one atomic step of writing."""
        return Transaction(self._db, self._name_key)

    def faults(self) -> AbstractContextManager[None]:
        """Return what names the faults of everything done inside it."""
        return faults_named(self.folder, lambda: self._db)

    def _delete(self) -> None:
        with disk_faults_named(self.folder):
            for part in PARTS:
                file = Path(f"{self.folder / connection.DATABASE}{part}")
                file.unlink(missing_ok=True)

    def begin_anew(self, wrong: str) -> None:
        """Set the rows aside, saying what was wrong with them, and begin again.

        Raises:
            IndexUnwritable: the folder does not take a database.
        """
        self._db.close()
        self._set_aside(wrong)
        with self.faults():
            self._db = connection.open_writer(self.folder)

    def take_from(self, file: Path) -> None:
        """Replace every row by those of a backup, while others read.

        Raises:
            IndexDamaged: the file is no sound index.
            IndexTooNew: a later release wrote it.
        """
        source = connection.open_copy(file)
        try:
            _copy(source, self._db)
        finally:
            source.close()

    def close(self) -> None:
        """Close the connection; the lock stays with the caller."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def write_copy(source: apsw.Connection, file: Path) -> None:
    """Write a consistent copy of the rows to a new file while others read and write."""
    target = apsw.Connection(str(file))
    try:
        _copy(source, target)
        target.pragma("journal_mode", "delete")
    finally:
        target.close()


def _copy(source: apsw.Connection, target: apsw.Connection) -> None:
    with target.backup("main", source, "main") as copy:
        while not copy.done:
            copy.step(PAGES)


PAGES = 1_000
"""Copied at a time; in between, others get their turn."""
