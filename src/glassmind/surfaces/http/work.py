"""Threads that ask the engine while the server listens."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from glassmind.surfaces.http.refusals import BUSY
from glassmind.surfaces.http.replies import Refused

T = TypeVar("T")

THREADS = 2
"""Questions under way at once. The interpreter lets one compute at a time: with eight
clients on two cores, four threads and eight were slower by a tenth. One would let a
slow question hold up all others."""

ROOM = 256
"""Questions under way or waiting: half of what connections there may be."""


class Workers:
    """Owns the threads; what nobody waits for any more is not begun."""

    def __init__(self, threads: int = THREADS, room: int = ROOM) -> None:
        self._pool = ThreadPoolExecutor(threads, "glassmind-http")
        self._room = threading.BoundedSemaphore(room)

    async def run(self, work: Callable[[], T]) -> T:
        """Return what a piece of work returns; it knows whom it is done for.

        Raises:
            Refused: too much is waiting already.
        """
        if not self._room.acquire(blocking=False):
            raise Refused(BUSY)
        future = self._pool.submit(copy_context().run, work)
        future.add_done_callback(self._ended)
        return await asyncio.wrap_future(future)

    def _ended(self, _: "Future[T]") -> None:
        self._room.release()

    def close(self) -> None:
        """Begin nothing more, and wait for nothing."""
        self._pool.shutdown(wait=False, cancel_futures=True)
