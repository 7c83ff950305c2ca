"""Threads for the engine, which is synchronous, beside a loop that is not."""

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import anyio
import anyio.to_thread
from mcp.server.context import ServerRequestContext

from glassmind.engine import Engine

Context: TypeAlias = ServerRequestContext[Any, Any]

EngineSource: TypeAlias = Callable[[], Engine]
"""Gives the engine, or raises a GlassmindError that says why there is none."""

Result = TypeVar("Result")

MOST = 8
"""Calls that work at once; more wait. The pipes have threads of their own."""


class Threads:
    """Runs work of the engine, so much at once and no more."""

    def __init__(self) -> None:
        self._limiter: anyio.CapacityLimiter | None = None

    async def run(self, work: Callable[[], Result]) -> Result:
        """Return what work returns; who stops waiting for it is let go at once."""
        if self._limiter is None:  # made where the event loop is
            self._limiter = anyio.CapacityLimiter(MOST)
        return await anyio.to_thread.run_sync(
            work, abandon_on_cancel=True, limiter=self._limiter
        )
