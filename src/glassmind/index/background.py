"""Background work, with a lower priority where the process is the program's own."""

import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from glassmind.model.index import Progress

T = TypeVar("T")

NICE = 10  # added to the nice value: about a tenth of a busy core

_allowed = False


def allow_lowering() -> None:
    """Let `lower_priority` take effect; the program calls this in its own process."""
    global _allowed  # noqa: PLW0603 - a fact about the process
    _allowed = True


def lower_priority() -> None:
    """Without effect on Windows and in a process that is not the program's own."""
    if _allowed and hasattr(os, "nice"):
        os.nice(NICE)


def gently(progress: Callable[[Any], None] | None) -> Callable[[Progress], None]:
    """Return the same, but lower the priority when embedding takes all cores."""
    is_lowered = False

    def show(now: Progress) -> None:
        nonlocal is_lowered
        if now.stage == "embed" and not is_lowered:
            is_lowered = True
            lower_priority()
        if progress is not None:
            progress(now)

    return show


class Background:
    """One thread for long work; `release` is called in it after each piece."""

    def __init__(self, release: Callable[[], None]) -> None:
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - 5 ms

        self._release = release
        # On macOS the whole process would be slowed down, and its searches with it.
        lower = lower_priority if sys.platform == "linux" else None
        self._pool = ThreadPoolExecutor(1, "glassmind-background", lower)

    def run(self, work: Callable[[], T]) -> T:
        def job() -> T:
            try:
                return work()
            finally:
                self._release()

        return self._pool.submit(job).result()

    def close(self) -> None:
        self._pool.shutdown()
