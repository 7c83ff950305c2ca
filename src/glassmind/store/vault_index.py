"""The record, outside the vault, of the index.db inside it that this user wrote last.

A vault may come from somebody else, and so may an index.db inside it. The record is in
the user's data folder, where nobody else writes, and holds the inode, size and times of
the database and of its logs. Changing one of these files also changes its ctime, so it
no longer matches the record.
"""

import json
import os
from pathlib import Path
from typing import Any

from glassmind.errors import IndexUnwritable
from glassmind.store.changesets_disk import write_whole
from glassmind.store.lock import WriterLock
from glassmind.store.place import DATABASE

RECORD, LOCK = "vault-index.json", "writer.lock"

FILES = tuple(DATABASE + suffix for suffix in ("", "-wal", "-journal"))
"""The database, and the logs that SQLite would replay into it."""

WRITING = "writing"
"""The record while a process of this user writes the index."""

ATTEMPTS = 3
"""How often a reader looks again: a writer may finish between two of its looks."""


class VaultIndex:
    """Tells whether index.db in `folder`, inside the vault, is as this user left it.

    `state` is the folder outside the vault that has the record and the writer lock.
    """

    def __init__(self, folder: Path, state: Path) -> None:
        self._files = [str(folder / name) for name in FILES]
        self._record, self._lock = state / RECORD, state / LOCK
        self._known: list[Any] | None = None

    def is_ours(self) -> bool:
        """Whether the index may be read: unchanged, or being written by this user."""
        for _ in range(ATTEMPTS):
            stamps = self._stamps()
            if stamps == self._known or not any(stamps):
                return True
            record = self._recorded()
            if record == stamps:
                self._known = stamps
                return True
            if record == WRITING and WriterLock(self._lock).busy_holder() is not None:
                return True
        return False

    def is_unchanged(self, *, taken: bool) -> bool:
        """Whether the holder of the writer lock may go on with the index.

        `taken` says that the lock was taken from a process that hangs: the index was
        in the hands of this user all the time.
        """
        stamps, record = self._stamps(), self._recorded()
        return not any(stamps) or record == stamps or (taken and record == WRITING)

    def begin(self) -> None:
        """Record that the index is being written.

        Raises:
            IndexUnwritable: the data folder does not take the record.
        """
        try:
            write_whole(str(self._record), json.dumps(WRITING).encode())
        except OSError as error:
            raise IndexUnwritable(str(self._record.parent), str(error)) from error

    def end(self) -> None:
        """Record the index as it is now, with no connection open for writing.

        Raises:
            OSError: the data folder does not take the record.
        """
        write_whole(str(self._record), json.dumps(self._stamps()).encode())

    def _stamps(self) -> list[list[int] | None]:
        """Return inode, size and times of each file; None if it is missing or empty."""
        return [_stamp(file) for file in self._files]

    def _recorded(self) -> Any:
        try:
            return json.loads(self._record.read_bytes())
        except (OSError, ValueError):
            return None


def _stamp(file: str) -> list[int] | None:
    try:
        facts = os.stat(file)  # noqa: PTH116 - at every call of a reader
    except OSError:
        return None
    if not facts.st_size:
        return None
    return [facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns]
