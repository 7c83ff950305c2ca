"""Serving one client over stdin and stdout, for as long as it is there."""

import json
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, TextIO, cast

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import INVALID_PARAMS

from glassmind.engine import Engine
from glassmind.surfaces.mcp.leaving import Departure
from glassmind.surfaces.mcp.log import log, log_fault, take_over_logging
from glassmind.surfaces.mcp.opening import Opened, Opening
from glassmind.surfaces.mcp.patient import PatientStream
from glassmind.surfaces.mcp.server import make_server
from glassmind.surfaces.mcp.toolsets import OWNERS
from glassmind.surfaces.mcp.wires import Wires
from glassmind.types.access import EVERY_AGENT, Scope
from glassmind.types.callers import known_as

OK = 0

LAST_ANSWERS_S = 1.8
"""How long answers under way may take when nothing more is asked: a first search by
meaning takes most of a second. Where nobody reads them it is over at once."""

MOMENT_S, TURNS = 0.02, 50
"""How long a message takes from the pipe to its work, and from there to the pipe, with
room to spare: in time, and, for a machine that lets us wait, in turns of the loop."""


def serve(
    wires: Wires,
    make: Callable[[], Opened],
    toolsets: Sequence[str],
    *,
    scope: Callable[[], Scope] = lambda: EVERY_AGENT,
    name: str = "",
) -> int:
    """Serve until the client goes, and return the exit code.

    `make` gives what is served. It is called behind the first reply. `scope` is asked
    with every call what the client may read, and what it raises is told. With a `name`
    the client goes by that, whatever it calls itself.

    Raises:
        UnknownToolset, ToolsetsClash: these sets of tools cannot be served.
    """
    opening = Opening(make)

    def seen() -> Engine:
        return opening.engine().seen_by(scope())

    server = make_server(seen, toolsets=toolsets, spared=OWNERS if name else ())
    requests = _Requests(opening.begin)
    server.middleware.append(requests)
    patient = PatientStream(sys.stderr)
    sys.stderr = patient
    take_over_logging()
    departure = Departure(wires, opening.close, patient.finish)
    departure.begin()
    log("serving", transport="stdio", tools=list(toolsets))
    try:
        with known_as(name):
            anyio.run(_run, server, wires, requests, departure.nothing_more)
    except Exception as error:  # noqa: BLE001 - the edge: a broken pipe, in a group
        log_fault("broken", error)
    departure.close()
    log("left")
    sys.stderr = patient.finish()
    return OK


async def _run(
    server: Server[Any],
    wires: Wires,
    requests: "_Requests",
    nothing_more: Callable[[], None],
) -> None:
    reader = anyio.wrap_file(wires.reader())
    writer = cast("anyio.AsyncFile[str]", _Writer(wires.writer(), requests))
    heard = _whole(_lines(reader, requests, nothing_more), writer)
    lines = cast("anyio.AsyncFile[str]", heard)
    async with stdio_server(lines, writer) as (incoming, outgoing):
        options = server.create_initialization_options()
        await server.run(incoming, outgoing, options)


async def _lines(
    reader: anyio.AsyncFile[str],
    requests: "_Requests",
    nothing_more: Callable[[], None],
) -> AsyncIterator[str]:
    """Yield what comes in; its end is told when the last answers are out.

    The SDK gives up on what is under way when there is nothing more to read.
    """
    async for line in reader:
        yield line
    nothing_more()
    with anyio.move_on_after(LAST_ANSWERS_S):
        await requests.answered()


async def _whole(
    lines: AsyncIterator[str], writer: "anyio.AsyncFile[str]"
) -> AsyncIterator[str]:
    """Yield the messages that can be read; a request that cannot be is told so.

    The SDK is silent where a text holds half a surrogate pair.
    """
    async for line in lines:
        refused = _refused(line) if _HALF in line.lower() else None
        if refused is None:
            yield line
        elif refused:
            await writer.write(refused)
            await writer.flush()


_HALF = "\\ud"
"""How JSON begins half of a pair."""


def _refused(line: str) -> str | None:
    """Return what to say to a message with half a character; None for a whole one.

    Empty where nobody waits for an answer.
    """
    try:
        message = json.loads(line)
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        asked = message.get("id") if isinstance(message, dict) else None
        if not isinstance(asked, int | str):
            return ""
        fault = {"code": INVALID_PARAMS, "message": "a text holds half a character"}
        return json.dumps({"jsonrpc": "2.0", "id": asked, "error": fault}) + "\n"
    except ValueError:
        return None
    return None


class _Writer:
    """Writes messages, and says of each when it is on its way."""

    def __init__(self, stream: TextIO, requests: "_Requests") -> None:
        self._file, self._requests = anyio.wrap_file(stream), requests
        self._turn = anyio.Lock()

    async def write(self, text: str) -> None:
        """Take a message."""
        self._requests.unsent += 1
        async with self._turn:
            await self._file.write(text)

    async def flush(self) -> None:
        """Send what was taken."""
        async with self._turn:
            await self._file.flush()
        self._requests.unsent = 0


class _Requests:
    """Counts the requests under way, and calls something behind the first reply.

    `unsent` are the messages that are being written.
    """

    def __init__(self, begin: Callable[[], None]) -> None:
        self._begin: Callable[[], None] | None = begin
        self._open = self.unsent = 0

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        self._open += 1
        try:
            return await call_next(ctx)
        finally:
            self._open -= 1
            if self._begin is not None:
                begin, self._begin = self._begin, None
                begin()

    async def answered(self) -> None:
        """Return when nothing has been under way for a moment."""
        quiet = 0
        while quiet < TURNS:
            await anyio.sleep(MOMENT_S if not quiet else 0)
            quiet = 0 if self._open or self.unsent else quiet + 1
