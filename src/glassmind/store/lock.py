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
from functools import cache
from math import inf
from pathlib import Path
from types import TracebackType
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


class Holder(NamedTuple):
    """A process as it signs a lock; `began` tells it from a later one of its number."""

    pid: int
    began: int

    @classmethod
    def read(cls, signed: bytes) -> "Holder | None":
        """Return who signed so; None where nobody did."""
        parts = signed.split()
        if not parts or not all(part.isdigit() for part in parts):
            return None
        return cls(int(parts[0]), int(parts[1]) if len(parts) > 1 else 0)

    @classmethod
    def here(cls) -> "Holder":
        pid = os.getpid()
        return cls(pid, _began(pid))

    def is_stopped(self) -> bool:
        """Whether it is stopped right now, as far as the system tells."""
        return bool(self.began) and _process(self.pid) == ("T", self.began)


@cache
def _began(pid: int) -> int:
    return _process(pid)[1]


def _process(pid: int) -> tuple[str, int]:
    """Return the state of a process and when it began; ("", 0) where nobody tells."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return fields[0].decode(), int(fields[_START_FIELD])
    except (OSError, ValueError, IndexError):
        return "", 0


class Sight(NamedTuple):
    """What one look at a lock found: which file, and signed by whom."""

    file: tuple[int, int]
    holder: Holder | None


class Looks(NamedTuple):
    """How often in a row a process was found stopped, and when last."""

    times: int
    last_s: float


_SEEN: dict[Holder, Looks] = {}
"""What this process has seen of others: who hangs with one lock hangs with the next."""


def sees_hung(holder: Holder, now: float, seen: dict[Holder, Looks] = _SEEN) -> bool:
    """Take one more look, and say whether the holder hangs by all looks so far."""
    times, last_s = seen.get(holder, Looks(0, -inf))
    if not holder.is_stopped():
        seen.pop(holder, None)
        return False
    if now - last_s >= LOOK_S:
        times = 1 if now - last_s > _ASLEEP_S else times + 1
        seen[holder] = Looks(times, now)
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


_POLL_S = 0.02
"""How often a waiting process asks again; a commit takes about as long."""

_TOLD_S = 0.1
"""How often at most somebody hears that we are waiting."""

_SIGNED = 40
"""Bytes of a signature: two numbers, padded over what stood there."""

_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | os.O_CLOEXEC
"""How a file is opened that may have come with a vault from elsewhere: it may be a link
to a file of the user's, or a pipe on which one would wait for ever."""

_CAN_TAKE = sys.platform != "win32"
"""Whether a held file can be replaced by another."""


class WriterLock:
    """The right to one thing, held until closed or until the process ends.

    With `takes_over` it is taken from a holder that is stopped. `taken` says whether it
    was so this time. Whoever holds a lock that can be taken
    must ask `check` before each write.
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

        Raises:
            IndexBusy: another process held it all the while.
            IndexUnwritable: the lock file cannot be made.
            IndexAbsent: its folder is gone.
        """
        await_turn(self.try_take, self.holder, timeout_s, waiting)

    def take_unless_alive(self, waiting: Callable[[], None] = lambda: None) -> bool:
        """Take the lock if nobody holds it, waiting only for a holder that hangs.

        Raises:
            IndexUnwritable: the lock file cannot be made.
            IndexAbsent: its folder is gone.
        """
        while not self.try_take():
            sight = self._seen()
            hangs = sight and sight.holder and sight.holder.is_stopped()
            if not (self._takes_over and hangs):
                return False
            waiting()
            time.sleep(_POLL_S)
        return True

    def try_take(self) -> bool:
        """Take the lock if nobody holds it, or who does was seen to hang for long.

        That takes several calls, some time apart.

        Raises:
            IndexUnwritable: the lock file cannot be made.
            IndexAbsent: its folder is gone.
        """
        if self.try_acquire():
            return True
        if not self._takes_over:
            return False
        sight = self._seen()
        if sight is None or sight.holder is None:
            return False
        return sees_hung(sight.holder, time.monotonic()) and self._take_from(sight)

    def try_acquire(self) -> bool:
        """Take the lock if nobody holds it, and say whether we hold it now.

        Raises:
            IndexUnwritable: the lock file cannot be made.
            IndexAbsent: its folder is gone.
        """
        if self._fd is not None:
            return True
        fd = self._opened(self._file)
        if not try_lock(fd) or not self._is_in_place(fd):
            os.close(fd)
            return False
        self._fd, self.taken = fd, False
        _sign(fd)
        return True

    def _opened(self, file: Path, *, new: bool = False) -> int:
        flags = os.O_RDWR | os.O_CREAT | _PLAIN | (os.O_EXCL if new else 0)
        try:
            fd = os.open(file, flags, 0o600)
        except FileNotFoundError as error:
            raise IndexAbsent(str(self._file.parent)) from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise IndexUnwritable(str(self._file.parent), reason) from error
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise IndexUnwritable(str(self._file.parent), f"{file} is no plain file")
        return fd

    def _is_in_place(self, fd: int) -> bool:
        """Whether an open file is the one that stands for the lock now."""
        try:
            there = self._file.lstat()
        except OSError:
            return False
        ours = os.fstat(fd)
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)

    def check(self) -> None:
        """See that the lock is still ours.

        Raises:
            IndexTaken: another process took it, as we seemed to hang.
            IndexAbsent: the index was deleted, the lock with it.
        """
        if self._fd is not None and self._is_in_place(self._fd):
            return
        if not self._file.exists():
            raise IndexAbsent(str(self._file.parent))
        raise IndexTaken(self.holder())

    def _seen(self) -> Sight | None:
        """Look at who holds the lock now."""
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
        file = (found.st_dev, found.st_ino)
        return Sight(file, Holder.read(signed))

    def _take_from(self, hung: Sight) -> bool:
        """Put a file of our own in the place of the one that is held.

        One at a time does so, and only while all is as it was when we looked.
        """
        guard = self._opened(Path(f"{self._file}.taking"))
        try:
            if not try_lock(guard) or self._seen() != hung:
                return False
            return self._replace()
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
        return _named(self._seen())

    def busy_holder(self) -> str | None:
        """Name the process that holds the lock now, or None when nobody does."""
        if not self._file.exists():
            return None
        try:
            free = self.try_acquire()
        except (IndexAbsent, IndexUnwritable):
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


def _named(sight: Sight | None) -> str:
    if sight is None or sight.holder is None:
        return "another process"
    return f"process {sight.holder.pid}"


def await_turn(
    try_take: Callable[[], bool],
    holder: Callable[[], str],
    timeout_s: float,
    waiting: Callable[[], None],
) -> None:
    """Try until it is our turn, for at most `timeout_s`, telling that we are waiting.

    Raises:
        IndexBusy: it was that of another all the while.
    """
    began = time.monotonic()
    due = began + _TOLD_S
    while not try_take():
        now = time.monotonic()
        if now >= began + timeout_s:
            raise IndexBusy(holder(), timeout_s)
        if now >= due:
            due = now + _TOLD_S
            waiting()
        time.sleep(_POLL_S)


def _sign(fd: int) -> None:
    text = f"{' '.join(map(str, Holder.here())):<{_SIGNED}}"
    try:
        # Padded over what stood there: cutting the file first takes milliseconds.
        os.pwrite(fd, text.encode(), 0)
    except (OSError, AttributeError):
        return  # a full disk must not keep us from the lock: the name is a courtesy
