"""How many connections a process has room for, and what is told when it has none."""

import contextlib
import sys
import time

MOST_CONNECTIONS = 512
"""Beyond these requests are refused; more clients than that are no clients."""

SPARE = 8
"""One for each so many of them is told so; those beyond are closed at once."""

WANTED_FILES = 4 * MOST_CONNECTIONS
"""Files that a server would like to be allowed: many systems begin with 256."""

TELL_S = 1.0
"""Seconds between two lines about the same want of room."""


def make_room() -> int:
    """Return how many connections may be open: half of the files that are allowed.

    The other half is for the index, the models and those who ask for them. Where the
    system lets a process raise its bound, it is raised first.
    """
    if sys.platform == "win32":  # pragma: no cover - no such bound there
        return MOST_CONNECTIONS
    import resource  # noqa: PLC0415 - not on every system

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    endless = resource.RLIM_INFINITY
    wanted = WANTED_FILES if hard == endless else min(WANTED_FILES, hard)
    if soft != endless and soft < wanted:
        with contextlib.suppress(OSError, ValueError):  # a bound of the system's own
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    allowed = WANTED_FILES if soft == endless else soft
    return max(1, min(MOST_CONNECTIONS, allowed // 2))


class Turned:
    """Counts those who were turned away, for a line about them now and then."""

    def __init__(self) -> None:
        self._count, self._told = 0, float("-inf")

    def away(self) -> int:
        """Count one; return how many are to be told of now, mostly none."""
        self._count += 1
        now = time.monotonic()
        if now - self._told < TELL_S:
            return 0
        count, self._count, self._told = self._count, 0, now
        return count
