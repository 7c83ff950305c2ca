"""Threads for the engine, which is synchronous, beside a loop that is not."""

from collections.abc import Callable
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


class Threads:
    """Runs work of the engine, so much at once in each event loop and no more."""

    def __init__(self) -> None:
        self._limiter: RunVar[anyio.CapacityLimiter] = RunVar("threads")

    async def run(self, work: Callable[[], Result]) -> Result:
        """Return what work returns; who stops waiting for it is let go at once."""
        limiter = self._limiter.get(None)
        if limiter is None:
            limiter = anyio.CapacityLimiter(MOST)
            self._limiter.set(limiter)
        return await anyio.to_thread.run_sync(
            work, abandon_on_cancel=True, limiter=limiter
        )
