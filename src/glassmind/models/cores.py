"""Work spread over the cores of this machine, with its results in order."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

In = TypeVar("In")
Out = TypeVar("Out")

AHEAD = 2
"""Pieces of work under way for each thread: one at work, one waiting for it."""


def usable_cores() -> int:
    """Return how many cores this process may use, at least one."""
    try:
        return len(os.sched_getaffinity(0)) or 1
    except AttributeError:  # neither macOS nor Windows ties a process to cores
        return os.cpu_count() or 1


def in_order(
    work: Callable[[In], Out], items: Iterable[In], *, threads: int, ahead: int = AHEAD
) -> Iterator[Out]:
    """Yield the result of each item, in their order, working on a few at once.

    Nothing is begun before the first result is asked for, and at most `ahead` items for
    each thread are begun before they are. When the caller has enough, what has not been
    begun is dropped. An error is raised where its result would stand.
    """
    if threads <= 1:
        yield from map(work, items)
        return
    waiting: deque[Future[Out]] = deque()
    pool = ThreadPoolExecutor(threads, "glassmind-model")
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) >= threads * ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
