"""Threads for the engine, which is synchronous, beside a loop that is not."""

import asyncio
import math
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias, TypeVar

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar
from mcp.server.context import ServerRequestContext

from glassmind.engine import Engine

Context: TypeAlias = ServerRequestContext[Any, Any]

EngineSource: TypeAlias = Callable[[], Engine]
"""Gives the engine, or raises a GlassmindError that says why there is none."""

Result = TypeVar("Result")

MOST = 8
"""Calls that work at once; more wait. The pipes have threads of their own."""

MOST_LEFT = 24
"""Threads that may go on beside them though nobody waits for what they do: most end at
their next step. Where there are more, each keeps the place of a call."""


class Threads:
    """Runs work of the engine, so much at once in each event loop and no more."""

    def __init__(self) -> None:
        self._room: RunVar[_Room] = RunVar("threads")

    async def run(self, work: Callable[[], Result]) -> Result:
        """Return what work returns; who stops waiting for it is let go at once."""
        room = self._room.get(None)
        if room is None:
            room = _Room()
            self._room.set(room)
        place = _Place(room)
        await room.places.acquire_on_behalf_of(place)
        try:
            return await anyio.to_thread.run_sync(
                partial(place.work, work), abandon_on_cancel=True, limiter=room.unbound
            )
        finally:
            place.leave()


class _Room:
    """The places of one event loop, and how many threads were left behind there."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.places = anyio.CapacityLimiter(MOST)
        self.unbound = anyio.CapacityLimiter(math.inf)
        self.lock = threading.Lock()
        self.left = 0


class _Place:
    """The place of one call: given up when its thread has ended, or is left behind."""

    def __init__(self, room: _Room) -> None:
        self._room = room
        self._works = self._left = self._counts = False

    def work(self, work: Callable[[], Result]) -> Result:
        """Do the work in a thread, unless the caller has left already."""
        with self._room.lock:
            if self._left:
                raise asyncio.CancelledError
            self._works = True
        try:
            return work()
        finally:
            self._end()

    def _end(self) -> None:
        """Let the thread go; whoever was left behind gives up what it still has."""
        with self._room.lock:
            self._works = False
            if self._counts:
                self._room.left -= 1
                return
            keeps = self._left
        if keeps:
            with suppress(RuntimeError):  # the loop is closed, and all places with it
                self._room.loop.call_soon_threadsafe(self._give_up)

    def leave(self) -> None:
        """Wait no longer: the place is free, unless too many were left behind."""
        with self._room.lock:
            self._left = True
            if self._works and self._room.left >= MOST_LEFT:
                return
            if self._works:
                self._counts = True
                self._room.left += 1
        self._give_up()

    def _give_up(self) -> None:
        self._room.places.release_on_behalf_of(self)
