"""The lock of an open file, which the system frees when its holder dies."""

import errno
import os
import sys
from contextlib import suppress

if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    _FAR = 1 << 30
    """A byte that nobody reads: what is locked cannot be read by others there."""

    def try_lock(opened: int) -> bool:
        os.lseek(opened, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(opened, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def unlock(opened: int) -> None:
        os.lseek(opened, _FAR, os.SEEK_SET)
        with suppress(OSError):
            msvcrt.locking(opened, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def try_lock(opened: int) -> bool:
        """Take the lock if it is free; as if it were ours where the disk has none."""
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            return fault.errno not in (errno.EAGAIN, errno.EACCES, errno.EINTR)
        return True

    def unlock(opened: int) -> None:
        with suppress(OSError):
            fcntl.flock(opened, fcntl.LOCK_UN)
