"""One editor of a vault at a time, in this process and others.

The queue is a file outside of the vault that whoever edits holds locked. The system
frees it when a process ends, whatever ended it. While files are being changed it says
which folders may hold something staged, so that the next one in the queue can sweep
what a killed one left without looking through the whole vault.
"""

import errno
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import local
from typing import NamedTuple

from glassmind.errors.editing import NowhereToKeep
from glassmind.errors.writing import WriteFailed

QUEUE_S = 60.0
"""How long an editor waits. A change of thousands of files takes seconds, and nobody
keeps the order of the queue."""

LOOK_S = 0.002
"""How often it looks whether it is its turn; most changes take a few milliseconds."""

LONGEST_LOOK_S = 0.02
"""How long it waits between two looks when others take longer."""

_FLAGS = os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)


class Leftovers(NamedTuple):
    """What a killed editor may have left: staged files in folders, and new folders."""

    staged: tuple[str, ...] = ()
    made: tuple[str, ...] = ()


class _Held(local):
    """The queues whose head a thread is, by file, with the descriptor of each."""

    def __init__(self) -> None:
        self.files: dict[Path, int] = {}


_HELD = _Held()


class EditQueue:
    """The queue of those who edit one vault; its file is made when first asked for."""

    def __init__(self, file: Path, *, wait_s: float = QUEUE_S) -> None:
        self._file, self._wait_s = file, wait_s

    @property
    def held(self) -> bool:
        """Whether it is this thread's turn."""
        return self._file in _HELD.files

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Be the only one; whoever is it already does not wait for itself.

        Raises:
            NowhereToKeep: the file cannot be made.
            WriteFailed: another took too long.
        """
        if self.held:
            yield
            return
        opened = self._first_in_line()
        _HELD.files[self._file] = opened
        try:
            yield
        finally:
            del _HELD.files[self._file]
            _unlock(opened)
            _close(opened)

    def leave(self, leftovers: Leftovers) -> None:
        """Say what would be left if we died now; only in a turn."""
        opened = _HELD.files[self._file]
        said = json.dumps(leftovers, ensure_ascii=False).encode(
            "utf-8", "surrogatepass"
        )
        os.ftruncate(opened, 0)
        os.lseek(opened, 0, os.SEEK_SET)
        os.write(opened, said)

    def left(self) -> Leftovers:
        """Return what the one before us left; only in a turn."""
        opened = _HELD.files[self._file]
        try:
            size = os.fstat(opened).st_size
            if not size:
                return Leftovers()
            os.lseek(opened, 0, os.SEEK_SET)
            staged, made = json.loads(os.read(opened, size).decode("utf-8"))
            return Leftovers(tuple(map(str, staged)), tuple(map(str, made)))
        except (OSError, ValueError, TypeError, RecursionError):
            return Leftovers()  # cut short, as nothing was staged yet then

    def clear(self) -> None:
        """Say that nothing is left; only in a turn."""
        with suppress(OSError):  # then the next one looks in vain
            os.ftruncate(_HELD.files[self._file], 0)

    def _first_in_line(self) -> int:
        until, pause = time.monotonic() + self._wait_s, LOOK_S
        while True:
            opened = self._opened()
            try:
                if _try_lock(opened) and self._is_current(opened):
                    return opened
            except OSError as fault:
                _close(opened)
                raise NowhereToKeep(fault.strerror or str(fault)) from fault
            _close(opened)
            if time.monotonic() > until:
                raise WriteFailed("the vault", "another program is editing it")
            time.sleep(pause)
            pause = min(pause * 1.5, LONGEST_LOOK_S)

    def _opened(self) -> int:
        try:
            return os.open(self._file, _FLAGS, 0o600)
        except FileNotFoundError:
            pass
        except OSError as fault:
            raise NowhereToKeep(fault.strerror or str(fault)) from fault
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return os.open(self._file, _FLAGS, 0o600)
        except OSError as fault:
            raise NowhereToKeep(fault.strerror or str(fault)) from fault

    def _is_current(self, opened: int) -> bool:
        """Whether the file we hold is still the one that others will ask for."""
        try:
            return os.path.samestat(os.fstat(opened), self._file.lstat())
        except FileNotFoundError:
            return False


def _close(opened: int) -> None:
    with suppress(OSError):  # nothing was written to it that could be lost
        os.close(opened)


if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    _FAR = 1 << 30
    """A byte that nobody reads: what is locked cannot be read by others there."""

    def _try_lock(opened: int) -> bool:
        os.lseek(opened, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(opened, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(opened: int) -> None:
        os.lseek(opened, _FAR, os.SEEK_SET)
        with suppress(OSError):
            msvcrt.locking(opened, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(opened: int) -> bool:
        """Take the lock; as if it were ours where the disk has none."""
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            return fault.errno not in (errno.EAGAIN, errno.EACCES, errno.EINTR)
        return True

    def _unlock(opened: int) -> None:
        with suppress(OSError):
            fcntl.flock(opened, fcntl.LOCK_UN)
