"""Backing up the rows and taking them back, while others use them."""

from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path

from glassmind.errors import BackupUnwritable
from glassmind.model import NotePath
from glassmind.store.sqlite.connection import open_copy
from glassmind.store.sqlite.copying import write_copy
from glassmind.store.sqlite.examine import said
from glassmind.store.sqlite.faults import FULL
from glassmind.store.sqlite.read import Rows
from glassmind.store.sqlite.reader import SqliteReader
from glassmind.store.sqlite.writer import SqliteWriter


class SqliteCopier:
    """Copies between the live rows and single files."""

    def __init__(
        self,
        reader: SqliteReader,
        writing: Callable[[], AbstractContextManager[SqliteWriter]],
    ) -> None:
        self._reader, self._writing = reader, writing

    def write(self, file: Path) -> None:
        """Write the rows to a new file.

        Raises:
            BackupUnwritable: the disk does not take it.
        """
        rows = self._reader.connection()
        try:
            write_copy(rows, file)
        except FULL as error:
            raise BackupUnwritable(str(file.parent), said(error)) from error

    def notes_in(self, file: Path) -> list[NotePath]:
        """Return the notes of a backup, by path.

        Raises:
            BackupMissing, BackupDamaged, IndexTooNew: it is no sound index of ours.
        """
        with closing(open_copy(file)) as copy:
            return sorted(Rows(copy).note_paths())

    def take(self, file: Path) -> None:
        """Replace the rows by those of a file.

        Raises:
            BackupMissing, BackupDamaged, IndexTooNew: it is no sound index of ours.
        """
        with self._writing() as writer:
            writer.take_from(file)
