"""One fetcher of a model at a time: a lock file that dies with its holder."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

POLL_S = 0.1
"""How often one that waits asks again; what it waits for takes seconds at least."""

PATIENCE_S = 1800.0
"""How long one waits for another to fetch the same model."""

if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _lock(fd: int) -> None:
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def sole_fetcher(file: Path, *, patience_s: float = PATIENCE_S) -> Iterator[None]:
    """Hold a lock file; the system frees it when its holder dies.

    Raises:
        TimeoutError: another held it all the while.
        OSError: the file cannot be made.
    """
    fd = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + patience_s
        while not _held(fd):
            if time.monotonic() >= deadline:
                raise TimeoutError(f"another process has been fetching into {file}")
            time.sleep(POLL_S)
        yield
    finally:
        os.close(fd)


def _held(fd: int) -> bool:
    try:
        _lock(fd)
    except OSError:
        return False
    return True
