"""One writer at a time: a lock file that dies with the process that holds it."""

import os
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from glassmind.errors import IndexBusy, IndexUnwritable

POLL_S = 0.02
"""How often a waiting process asks again; a commit takes about as long."""

if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _lock(fd: int) -> None:
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


class WriterLock:
    """The right to write one index, held until closed or until the process ends.

    The operating system frees the lock when its holder dies, so a killed process blocks
    nobody. The file's text names the holder, for messages alone.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._fd: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock now."""
        return self._fd is not None

    def acquire(self, *, timeout_s: float) -> None:
        """Take the lock, waiting at most `timeout_s`.

        Raises:
            IndexBusy: another process held it all the while.
            IndexUnwritable: the lock file cannot be made.
        """
        deadline = time.monotonic() + timeout_s
        while not self.try_acquire():
            if time.monotonic() >= deadline:
                raise IndexBusy(self.holder(), timeout_s)
            time.sleep(POLL_S)

    def try_acquire(self) -> bool:
        """Take the lock if nobody holds it, and say whether we hold it now.

        Raises:
            IndexUnwritable: the lock file cannot be made.
        """
        if self._fd is not None:
            return True
        try:
            fd = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise IndexUnwritable(str(self._file.parent), str(error)) from error
        try:
            _lock(fd)
        except OSError:
            os.close(fd)
            return False
        self._fd = fd
        self._name_holder(fd)
        return True

    def _name_holder(self, fd: int) -> None:
        try:
            # Padded over what stood there: cutting the file first takes milliseconds.
            os.pwrite(fd, f"{os.getpid():<20}".encode(), 0)
        except (OSError, AttributeError):
            return  # a full disk must not keep us from the lock: the name is a courtesy

    def holder(self) -> str:
        """Name the process that wrote its number into the lock file last."""
        try:
            text = self._file.read_text("ascii", "replace").strip()
        except OSError:
            text = ""
        return f"process {text}" if text.isdigit() else "another process"

    def busy_holder(self) -> str | None:
        """Name the process that holds the lock now, or None when nobody does."""
        if not self._file.exists():
            return None
        try:
            free = self.try_acquire()
        except IndexUnwritable:
            return None
        if not free:
            return self.holder()
        self.release()
        return None

    def release(self) -> None:
        """Give the lock back; without effect when it is not held."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
