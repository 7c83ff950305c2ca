"""Going on without a process that is stopped in the middle of its writing.

Its transaction keeps every other writer out for as long as it sleeps. Readers still see
what was committed before: that is copied to a new file, which takes the place of the
old one. When the process wakes it goes on in a file that nobody reads.
"""

import os
from contextlib import closing, suppress
from pathlib import Path

import apsw

from glassmind.errors import IndexAbsent
from glassmind.store.place import DATABASE
from glassmind.store.sqlite import connection
from glassmind.store.sqlite.begin import Fence
from glassmind.store.sqlite.copying import write_copy
from glassmind.store.sqlite.faults import disk_faults_named, faults_named

HELD_MS, HUNG_MS = 1_000, 100
"""How long the holder of the writer lock waits for somebody's transaction: nobody else
may begin one, and who began one before asks, ere it ends, whether it may. One that was
seen to hang will not end it soon."""

PARTS = ("", "-wal", "-shm", "-journal")
"""The file and what lies beside it, in the order in which they have to go: a log that
is left beside another database would be taken for that one's."""


def try_write(db: apsw.Connection) -> None:
    """See that nobody keeps us from writing.

    Raises:
        apsw.BusyError: somebody did for as long as the connection waits.
    """
    db.execute("begin immediate")
    db.execute("rollback")


def rescue(folder: Path, fence: Fence) -> None:
    """Put a copy of what is committed in the place of the rows.

    Rows to which nothing was ever committed are taken away.

    Raises:
        IndexTaken: the right to write is not ours any more; nothing was changed.
        IndexBusy: who hangs keeps readers out too; nothing was changed.
        IndexUnwritable, IndexDamaged: there can be no copy; nothing was changed.
    """
    staged = folder / connection.STAGED
    _delete(staged)
    try:
        with suppress(IndexAbsent), closing(connection.open_reader(folder)) as rows:
            rows.set_busy_timeout(HELD_MS)
            with faults_named(folder, lambda: rows):
                write_copy(rows, staged)
        fence()
        with disk_faults_named(folder):
            _delete(folder / DATABASE)
            if staged.exists():
                os.replace(staged, folder / DATABASE)  # noqa: PTH105
    finally:
        _delete(staged)


def _delete(file: Path) -> None:
    for part in PARTS:
        Path(f"{file}{part}").unlink(missing_ok=True)
