"""Serving one client over stdin and stdout, for as long as it is there."""

import json
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, TextIO, cast

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    jsonrpc_message_adapter,
)

from glassmind.engine import Engine
from glassmind.serve.mcp.leaving import Departure
from glassmind.serve.mcp.log import log, log_fault, take_over_logging
from glassmind.serve.mcp.opening import Opened, Opening
from glassmind.serve.mcp.patient import PatientStream
from glassmind.serve.mcp.server import make_server
from glassmind.serve.mcp.toolsets import OWNERS
from glassmind.serve.mcp.wires import Wires
from glassmind.types.access import EVERY_AGENT, Scope
from glassmind.types.callers import known_as

OK = 0

LAST_ANSWERS_S = 1.8
"""How long answers under way may take when nothing more is asked: a first search by
meaning takes most of a second. Where nobody reads them it is over at once."""

MOMENT_S, TURNS = 0.02, 50
"""How long a message takes from the pipe to its work, and from there to the pipe, with
room to spare: in time, and, for a machine that lets us wait, in turns of the loop."""


def serve(  # noqa: PLR0913 - options by name
    wires: Wires,
    make: Callable[[], Opened],
    toolsets: Sequence[str],
    *,
    scope: Callable[[], Scope] = lambda: EVERY_AGENT,
    name: str = "",
    structured: bool = False,
) -> int:
    """Serve until the client disconnects, and return the exit code.

    `make` opens the vault; it is called after the first reply. `scope` is called with
    every request and returns what the client may read; its errors are the reply. A
    `name` replaces the name that the client gives itself.

    Raises:
        UnknownToolset, ToolsetsClash: these sets of tools cannot be served.
    """
    opening = Opening(make)

    def seen() -> Engine:
        return opening.engine().seen_by(scope())

    server = make_server(
        seen,
        toolsets=toolsets,
        spared=OWNERS if name else (),
        structured=structured,
    )
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
    heard = _answerable(_lines(reader, requests, nothing_more), writer)
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


async def _answerable(
    lines: AsyncIterator[str], writer: "anyio.AsyncFile[str]"
) -> AsyncIterator[str]:
    """Yield the messages that the SDK takes, and answer the others with an error.

    The SDK drops those without a word, and their sender would wait for ever.
    """
    async for line in lines:
        error = error_for(line)
        if error is None:
            yield line
        elif error:
            await writer.write(error)
            await writer.flush()


def error_for(line: str) -> str | None:
    """Return the JSON-RPC error for a message that breaks the protocol.

    None for a good message. Empty for a bad one that is not answered: a blank line, a
    notification or a response. Bytes that are not UTF-8 are lone surrogates in `line`.
    """
    if not line.strip():
        return ""
    message: dict[str, Any] = {}
    try:
        message = _parsed(line)
        _check(message, line)
    except MCPError as fault:
        if _is_unanswered(message):
            return ""
        identity = message.get("id")
        error = {"code": fault.code, "message": fault.message}
        reply = {"id": identity if _is_id(identity) else None, "error": error}
        return json.dumps({"jsonrpc": "2.0", **reply}) + "\n"
    return None


def _parsed(line: str) -> dict[str, Any]:
    try:
        line.encode()
        message = json.loads(line)
    except UnicodeEncodeError:
        raise MCPError(PARSE_ERROR, "the message is not UTF-8") from None
    except RecursionError:
        raise MCPError(INVALID_REQUEST, "the message is nested too deep") from None
    except ValueError:
        raise MCPError(PARSE_ERROR, "the message is not valid JSON") from None
    if not isinstance(message, dict):
        reason = "a message must be one JSON object; send requests one by one"
        raise MCPError(INVALID_REQUEST, reason)
    return message


def _check(message: dict[str, Any], line: str) -> None:
    """Refuse a message that the SDK would drop."""
    if "id" in message and not _is_id(message["id"]):
        raise MCPError(INVALID_REQUEST, "the id must be a string or a whole number")
    if message.get("jsonrpc") != "2.0" or not isinstance(
        message.get("method", ""), str
    ):
        reason = 'a request needs "jsonrpc": "2.0" and a method'
        raise MCPError(INVALID_REQUEST, reason)
    if not isinstance(message.get("params"), dict | None):
        raise MCPError(INVALID_PARAMS, "params must be an object")
    try:
        json.dumps(message, ensure_ascii=False).encode()
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    except UnicodeEncodeError:
        raise MCPError(INVALID_PARAMS, "a text holds half a character") from None
    except ValueError:
        if "method" in message:
            reason = "params are nested too deep, or are not valid JSON"
            raise MCPError(INVALID_PARAMS, reason) from None
        raise MCPError(INVALID_REQUEST, "a request needs a method") from None


def _is_id(value: object) -> bool:
    return type(value) in (int, str)


def _is_unanswered(message: dict[str, Any]) -> bool:
    """Whether a message is a notification or a response."""
    if "method" in message:
        return "id" not in message
    return "result" in message or "error" in message


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
