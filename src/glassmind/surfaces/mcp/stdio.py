"""Serving one client over stdin and stdout, for as long as it is there."""

from collections.abc import Callable, Sequence
from typing import Any

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from glassmind.surfaces.mcp.leaving import Departure
from glassmind.surfaces.mcp.log import log, log_fault, take_over_logging
from glassmind.surfaces.mcp.opening import Opened, Opening
from glassmind.surfaces.mcp.server import make_server
from glassmind.surfaces.mcp.wires import Wires

OK = 0


def serve(wires: Wires, make: Callable[[], Opened], toolsets: Sequence[str]) -> int:
    """Serve until the client goes, and return the exit code.

    `make` gives what is served. It is called behind the first reply.

    Raises:
        UnknownToolset, ToolsetsClash: these sets of tools cannot be served.
    """
    take_over_logging()
    opening = Opening(make)
    server = make_server(opening.engine, toolsets=toolsets)
    server.middleware.append(_Begun(opening.begin))
    departure = Departure(wires, opening.close)
    departure.begin()
    log("serving", transport="stdio", tools=list(toolsets))
    try:
        anyio.run(_run, server, wires)
    except Exception as error:  # noqa: BLE001 - the edge: a broken pipe, in a group
        log_fault("broken", error)
    departure.close()
    log("left")
    return OK


async def _run(server: Server[Any], wires: Wires) -> None:
    reader, writer = anyio.wrap_file(wires.reader()), anyio.wrap_file(wires.writer())
    async with stdio_server(reader, writer) as (incoming, outgoing):
        options = server.create_initialization_options()
        await server.run(incoming, outgoing, options)


class _Begun:
    """Calls something once, when the first request has its reply."""

    def __init__(self, begin: Callable[[], None]) -> None:
        self._begin: Callable[[], None] | None = begin

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        try:
            return await call_next(ctx)
        finally:
            if self._begin is not None:
                begin, self._begin = self._begin, None
                begin()
