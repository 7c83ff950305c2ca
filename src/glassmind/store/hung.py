"""Telling a process that works from one that hangs, by what others can see of it.

Nothing is believed at one look: a machine that wakes from sleep finds everybody still,
and a process may be stopped for a moment. What counts is a number of looks in a row,
made by a process that itself was awake between them.
"""

import os
import sys
import time
from collections.abc import Callable
from functools import cache
from math import inf
from pathlib import Path
from typing import NamedTuple

LOOK_S = 0.9
"""Seconds between two looks: three of them, and a new daemon, fit into five."""

STOPPED_LOOKS = 3
"""Looks in a row that must find a process stopped before its lock is taken."""

SILENT_LOOKS = 33
"""Looks without a beat, half a minute, before a process that should beat is given up:
a busy disk may hold up a beat for seconds."""

ASLEEP_S = 5.0
"""Seconds between two looks after which we were asleep ourselves and begin anew."""

HAS_PROC = Path("/proc/self/stat").exists()

LONGEST = 40
"""Bytes of a signature: two numbers."""

STOPPED = "T"
"""How `/proc` and `ps` call a process that a signal has stopped."""

PS_S = 2.0
"""Seconds that `ps` may take."""

START_FIELD = 19
"""Where /proc/PID/stat has the time a process began, counted behind its name."""


class Holder(NamedTuple):
    """A process as it signs a lock; `began` tells it from a later one of its number."""

    pid: int
    began: int

    @classmethod
    def read(cls, signed: bytes) -> "Holder | None":
        """Return who signed so; None where nobody did."""
        parts = signed[:LONGEST].split()
        if not parts or not all(part.isdigit() for part in parts):
            return None
        return cls(int(parts[0]), int(parts[1]) if len(parts) > 1 else 0)

    @classmethod
    def here(cls) -> "Holder":
        """Return this process."""
        pid = os.getpid()
        return cls(pid, _began(pid))

    def is_stopped(self) -> bool:
        """Whether it is stopped right now, as far as the system tells."""
        if not HAS_PROC:
            return is_stopped(self.pid)
        return bool(self.began) and _seen(self.pid) == (STOPPED, self.began)


@cache
def _began(own: int) -> int:
    """Return when this process began; it does so once."""
    seen = _seen(own)
    return seen[1] if seen else 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_began.cache_clear)


def is_stopped(pid: int) -> bool:
    """Whether the process of that number is stopped right now."""
    if not HAS_PROC:
        return _state_by_ps(pid).startswith(STOPPED)
    seen = _seen(pid)
    return seen is not None and seen[0] == STOPPED


def _state_by_ps(pid: int) -> str:
    """Return the state of a process where `ps` has to tell; empty where it does not."""
    if sys.platform == "win32":
        return ""
    import subprocess  # noqa: PLC0415 - takes five milliseconds, and is seldom needed

    try:
        done = subprocess.run(  # noqa: S603 - a number
            ["/bin/ps", "-o", "state=", "-p", str(pid)],
            capture_output=True,
            text=True,
            timeout=PS_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def _seen(pid: int) -> tuple[str, int] | None:
    """Return the state of a process and when it began; None where nobody tells."""
    try:
        found = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    fields = found.rpartition(b")")[2].split()
    if len(fields) <= START_FIELD or not fields[START_FIELD].isdigit():
        return None
    return fields[0].decode(), int(fields[START_FIELD])


class Sight(NamedTuple):
    """What one look at a lock found: which file, signed by whom, and its last beat."""

    file: tuple[int, int]
    holder: Holder | None
    beat: int


class Looks(NamedTuple):
    """How often in a row a process was found stopped, and when last."""

    times: int
    last_s: float


SEEN: dict[Holder, Looks] = {}
"""What this process has seen of others: who hangs with one lock hangs with the next."""


class Watcher:
    """Looks at whoever holds a lock, as often as it is asked but not more often.

    With `beats`, a holder that is silent for long hangs too.
    """

    def __init__(
        self,
        *,
        beats: bool = False,
        clock: Callable[[], float] = time.monotonic,
        seen: dict[Holder, Looks] = SEEN,
    ) -> None:
        self._beats, self._clock, self._seen = beats, clock, seen
        self._last: float | None = None
        self._sight: Sight | None = None
        self._silent = 0

    def sees_hung(self, sight: Sight | None) -> bool:
        """Take one more look, and say whether the holder hangs by all looks so far."""
        if sight is None:
            return False
        stopped = sight.holder is not None and self._is_stopped(sight.holder)
        return stopped or (self._beats and self._is_silent(sight))

    def _is_stopped(self, holder: Holder) -> bool:
        now = self._clock()
        times, last_s = self._seen.get(holder, Looks(0, -inf))
        if not holder.is_stopped():
            self._seen.pop(holder, None)
            return False
        if now - last_s >= LOOK_S:
            times = 1 if now - last_s > ASLEEP_S else times + 1
            self._seen[holder] = Looks(times, now)
        return times >= STOPPED_LOOKS

    def _is_silent(self, sight: Sight) -> bool:
        now = self._clock()
        if self._last is None or now - self._last >= LOOK_S:
            slept = self._last is not None and now - self._last > ASLEEP_S
            same = sight == self._sight and not slept
            self._silent = self._silent + 1 if same else 0
            self._last, self._sight = now, sight
        return sight == self._sight and self._silent >= SILENT_LOOKS
