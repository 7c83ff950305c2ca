"""A lock file that dies with the process that holds it.

The system frees the lock of a process that ends. A stopped process keeps it, so a
waiting one may take the lock from a holder that hangs: a new file replaces the one that
is held. The old holder, should it continue, finds that its file is no longer the one at
that place and must not write any more.

A holder hangs if a number of looks in a row find it stopped, made by a process that was
itself awake between them: a process may be stopped for a moment. Only Linux shows that.
"""

import os
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from math import inf
from pathlib import Path
from typing import NamedTuple, Self

from glassmind.errors import IndexAbsent, IndexBusy, IndexTaken, IndexUnwritable
from glassmind.files.locks import try_lock

LOOK_S = 0.9
"""Seconds between two looks: three of them, and a new daemon, fit into five."""

STOPPED_LOOKS = 3
"""Looks in a row that must find a process stopped before its lock is taken."""

_ASLEEP_S = 5.0
"""Seconds between two looks after which we were asleep ourselves and begin anew."""

_START_FIELD = 19
"""Where /proc/PID/stat has the time a process began, counted behind its name."""


class LockOwner(NamedTuple):
    """A process as it signs a lock; `began` tells it from a later one of its number."""

    pid: int
    began: int

    @classmethod
    def read(cls, signed: bytes) -> "LockOwner | None":
        """Return who signed so; None where nobody did."""
        parts = signed.split()
        if not parts or not all(part.isdigit() for part in parts):
            return None
        return cls(int(parts[0]), int(parts[1]) if len(parts) > 1 else 0)

    def is_stopped(self) -> bool:
        """Whether it is stopped right now, as far as the system tells."""
        return bool(self.began) and _process(self.pid) == ("T", self.began)


def _process(pid: int) -> tuple[str, int]:
    """Return the state of a process and when it began; ("", 0) where nobody tells."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return fields[0].decode(), int(fields[_START_FIELD])
    except (OSError, ValueError, IndexError):
        return "", 0


class _Look(NamedTuple):
    """What one look at a lock found: which file, and signed by whom."""

    file: tuple[int, int]
    holder: LockOwner | None


class StopChecks(NamedTuple):
    """How often in a row a process was found stopped, and when last."""

    times: int
    last_s: float


_LOOKS: dict[LockOwner, StopChecks] = {}
"""What this process has seen of others: who hangs with one lock hangs with the next."""


def sees_hung(
    holder: LockOwner, now: float, seen: dict[LockOwner, StopChecks] = _LOOKS
) -> bool:
    """Look once more, and return whether the holder hangs by all looks so far."""
    times, last_s = seen.get(holder, StopChecks(0, -inf))
    if not holder.is_stopped():
        seen.pop(holder, None)
        return False
    if now - last_s >= LOOK_S:
        times = 1 if now - last_s > _ASLEEP_S else times + 1
        seen[holder] = StopChecks(times, now)
    return times >= STOPPED_LOOKS


LOCKS = Path("/proc/locks")


def is_held(file: Path) -> bool:
    """Whether a lock is held now, as far as the system tells: Linux alone does.

    The number of a file is compared and not its disk, as some disks of several layers
    go by one name there and another in `stat`.
    """
    try:
        found = f":{file.stat().st_ino} "
        return any(
            found in line for line in LOCKS.read_text("ascii", "replace").splitlines()
        )
    except OSError:
        return False


_POLL_S, _REPORT_S = 0.02, 0.1
"""How often a waiting process tries again, and how often it says that it waits."""

_SIGNED = 40
"""Bytes of a signature: two numbers, padded over what stood there."""

_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | os.O_CLOEXEC
"""How a file is opened that may have come with a vault from elsewhere: it may be a link
to a file of the user's, or a pipe on which one would wait for ever."""

_CAN_TAKE = sys.platform != "win32"
"""Whether a held file can be replaced by another."""


class WriterLock:
    """The right to one thing, held until closed or until the process ends.

    With `takes_over` it is taken from a holder that is stopped; `taken` says whether it
    was so this time. The holder of a lock that can be taken calls `check` before each
    write. Taking it raises IndexUnwritable if the lock file cannot be made, and
    IndexAbsent if its folder is gone.
    """

    def __init__(self, file: Path, *, takes_over: bool = False) -> None:
        self._file = file
        self._fd: int | None = None
        self._takes_over = takes_over and _CAN_TAKE
        self.taken = False

    @property
    def held(self) -> bool:
        """Whether this object holds the lock now, unless it was taken from us."""
        return self._fd is not None

    def acquire(
        self, *, timeout_s: float, waiting: Callable[[], None] = lambda: None
    ) -> None:
        """Take the lock, waiting at most `timeout_s`.

        `waiting` is called now and again meanwhile; what it raises ends the wait.
        Raises IndexBusy.
        """
        await_turn(self.try_take, self.holder, timeout_s, waiting)

    def take_unless_alive(self, waiting: Callable[[], None] = lambda: None) -> bool:
        """Take the lock if it is free, waiting only for a holder that is stopped."""
        while not self.try_take():
            look = self._look()
            is_stopped = look and look.holder and look.holder.is_stopped()
            if not (self._takes_over and is_stopped):
                return False
            waiting()
            time.sleep(_POLL_S)
        return True

    def try_take(self) -> bool:
        """Take the lock if it is free, or if its holder was found to hang.

        That takes several calls, some time apart.
        """
        if self.try_acquire():
            return True
        look = self._look() if self._takes_over else None
        if look is None or look.holder is None:
            return False
        return sees_hung(look.holder, time.monotonic()) and self._take_from(look)

    def try_acquire(self) -> bool:
        """Take the lock if it is free; return whether we hold it now."""
        if self._fd is None:
            fd = self._opened(self._file)
            if not try_lock(fd) or not self._is_in_place(fd):
                os.close(fd)
                return False
            self._fd, self.taken = fd, False
            _sign(fd)
        return True

    def _opened(self, file: Path, *, new: bool = False) -> int:
        flags = os.O_RDWR | os.O_CREAT | _PLAIN | (os.O_EXCL if new else 0)
        folder = str(self._file.parent)
        try:
            fd = os.open(file, flags, 0o600)
        except FileNotFoundError as error:
            raise IndexAbsent(folder) from error
        except OSError as error:
            raise IndexUnwritable(folder, error.strerror or str(error)) from error
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise IndexUnwritable(folder, f"{file} is not a regular file")
        return fd

    def _is_in_place(self, fd: int) -> bool:
        """Whether an open file is the lock file that is there now."""
        try:
            return os.path.samestat(self._file.lstat(), os.fstat(fd))
        except OSError:
            return False

    def check(self) -> None:
        """Check that the lock is still ours. Raises IndexTaken or IndexAbsent."""
        if self._fd is not None and self._is_in_place(self._fd):
            return
        if not self._file.exists():
            raise IndexAbsent(str(self._file.parent))
        raise IndexTaken(self.holder())

    def _look(self) -> _Look | None:
        try:
            fd = os.open(self._file, os.O_RDONLY | _PLAIN)
        except OSError:
            return None
        try:
            found, signed = os.fstat(fd), os.read(fd, _SIGNED)
        except OSError:
            return None
        finally:
            os.close(fd)
        return _Look((found.st_dev, found.st_ino), LockOwner.read(signed))

    def _take_from(self, hung: _Look) -> bool:
        """Put a file of our own in the place of the one that is held.

        One process at a time does so, and only while all is as it was when we looked.
        """
        guard = self._opened(Path(f"{self._file}.taking"))
        try:
            return try_lock(guard) and self._look() == hung and self._replace()
        finally:
            os.close(guard)

    def _replace(self) -> bool:
        staged = Path(f"{self._file}.{os.getpid()}")
        staged.unlink(missing_ok=True)
        fd = self._opened(staged, new=True)
        try:
            try_lock(fd)  # nobody else knows the file yet
            _sign(fd)
            staged.replace(self._file)
        except OSError:
            os.close(fd)
            staged.unlink(missing_ok=True)
            return False
        self._fd, self.taken = fd, True
        return True

    def holder(self) -> str:
        """Name the process that signed the lock file last."""
        look = self._look()
        known = look and look.holder
        return f"process {known.pid}" if known else "another process"

    def busy_holder(self) -> str | None:
        """Name the process that holds the lock now, or None when it is free."""
        if not self._file.exists():
            return None
        try:
            if not self.try_acquire():
                return self.holder()
        except (IndexAbsent, IndexUnwritable):
            return None
        self.release()
        return None

    def release(self) -> None:
        """Free the lock; without effect when it is not held."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def await_turn(
    try_take: Callable[[], bool],
    holder: Callable[[], str],
    timeout_s: float,
    waiting: Callable[[], None],
) -> None:
    """Try until it is our turn, for at most `timeout_s`, reporting that we wait."""
    began = time.monotonic()
    report_at = began + _REPORT_S
    while not try_take():
        now = time.monotonic()
        if now >= began + timeout_s:
            raise IndexBusy(holder(), timeout_s)
        if now >= report_at:
            report_at = now + _REPORT_S
            waiting()
        time.sleep(_POLL_S)


@cache
def _signature(pid: int) -> bytes:
    """Padded over what was there: cutting the file first takes milliseconds."""
    return f"{pid} {_process(pid)[1]}".ljust(_SIGNED).encode()


def _sign(fd: int) -> None:
    # a full disk must not keep us from the lock: the name is a courtesy
    with suppress(OSError, AttributeError):
        os.pwrite(fd, _signature(os.getpid()), 0)
