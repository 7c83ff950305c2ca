"""Serving one client over stdin and stdout until it disconnects."""

import json
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, cast

import anyio
import anyio.to_thread
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    jsonrpc_message_adapter,
)

from glassmind.engine import Engine
from glassmind.serve.mcp.engine import Opened, Opening
from glassmind.serve.mcp.log import PatientStream, log, log_fault, take_over_logging
from glassmind.serve.mcp.process import Departure, Wires
from glassmind.serve.mcp.server import make_server
from glassmind.serve.mcp.toolsets import OWNERS
from glassmind.types.access import EVERY_AGENT, Scope
from glassmind.types.callers import known_as

LAST_ANSWERS_S = 1.8
"""How long requests may take after the end of stdin: a first semantic search takes most
of a second."""


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
        UnknownToolset: there is no such set of tools.
    """
    opening = Opening(make)

    def visible_engine() -> Engine:
        return opening.engine().seen_by(scope())

    server = make_server(
        visible_engine,
        toolsets=toolsets,
        spared=OWNERS if name else (),
        structured=structured,
    )
    stderr = PatientStream(sys.stderr)
    sys.stderr = stderr
    take_over_logging()
    departure = Departure(wires, opening.close, stderr.finish)
    departure.begin()
    log("serving", transport="stdio", tools=list(toolsets))
    messages = _Messages(wires, opening.begin, departure.input_ended)
    try:
        with known_as(name):
            anyio.run(_run, server, messages)
    except Exception as error:  # noqa: BLE001 - the edge: a broken pipe, in a group
        log_fault("broken", error)
    departure.close()
    log("left")
    sys.stderr = stderr.finish()
    return 0


async def _run(server: Server[Any], messages: "_Messages") -> None:
    stream = cast("anyio.AsyncFile[str]", messages)  # it uses nothing else of a file
    async with stdio_server(stream, stream) as (incoming, outgoing):
        options = server.create_initialization_options()
        await server.run(incoming, outgoing, options)


class _Messages:
    """Reads and writes messages, as a file does for the SDK.

    Messages that the SDK would drop without an answer are answered here: their sender
    would wait for ever. The end is reported when all requests are answered, since the
    SDK gives up what is running then.
    """

    def __init__(
        self,
        wires: Wires,
        on_first_reply: Callable[[], None],
        on_end: Callable[[], None],
    ) -> None:
        self._reader, self._writer = anyio.wrap_file(wires.reader()), wires.writer()
        self._on_first_reply, self._on_end = on_first_reply, on_end
        self._running: set[str | int] = set()
        self._all_answered: anyio.Event | None = None
        self._replied, self._turn = False, anyio.Lock()

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield the messages that the SDK accepts."""
        async for line in self._reader:
            error = error_for(line)
            if error is None:
                self._note_request(json.loads(line))
                yield line
            elif error:
                await self.write(error)
        self._on_end()
        self._all_answered = anyio.Event()
        if self._running:
            with anyio.move_on_after(LAST_ANSWERS_S):
                await self._all_answered.wait()

    def _note_request(self, message: dict[str, Any]) -> None:
        if message.get("method") == "notifications/cancelled":
            self._running.discard((message.get("params") or {}).get("requestId", ""))
        elif "method" in message and "id" in message:
            self._running.add(message["id"])

    async def write(self, text: str) -> None:
        """Send a message."""
        async with self._turn:
            await anyio.to_thread.run_sync(self._write, text)
        message = json.loads(text)
        if "method" not in message:
            self._running.discard(message["id"])
            if self._all_answered is not None and not self._running:
                self._all_answered.set()
            if not self._replied:
                self._replied = True
                self._on_first_reply()

    def _write(self, text: str) -> None:
        self._writer.write(text)
        self._writer.flush()

    async def flush(self) -> None:
        """Do nothing; `write` has sent the message."""


def error_for(line: str) -> str | None:
    """Return the JSON-RPC error for a message that breaks the protocol.

    None for a good message. Empty for a bad one that is not answered: a blank line, a
    notification or a response. Bytes that are not UTF-8 are lone surrogates in `line`.
    """
    if not line.strip():
        return ""
    try:
        line.encode()
        message = json.loads(line)
    except RecursionError:
        return _error(INVALID_REQUEST, "the message is nested too deep")
    except ValueError:
        return _error(PARSE_ERROR, "the message is not valid JSON in UTF-8")
    if not isinstance(message, dict):
        reason = "a message must be one JSON object; send requests one by one"
        return _error(INVALID_REQUEST, reason)
    problem = _problem(message, line)
    is_request = "method" in message and "id" in message
    is_unclear = message.keys().isdisjoint({"method", "result", "error"})
    if problem and (is_request or is_unclear):
        return _error(*problem, message.get("id"))
    return "" if problem else None


def _error(code: int, reason: str, identity: object = None) -> str:
    identity = identity if _is_id(identity) else None
    error = {"code": code, "message": reason}
    return json.dumps({"jsonrpc": "2.0", "id": identity, "error": error}) + "\n"


def _problem(message: dict[str, Any], line: str) -> tuple[int, str] | None:
    """Return why the SDK would drop a message, as an error code and a reason."""
    if "id" in message and not _is_id(message["id"]):
        return INVALID_REQUEST, "the id must be a string or a whole number"
    is_named = isinstance(message.get("method", ""), str)
    if message.get("jsonrpc") != "2.0" or not is_named:
        return INVALID_REQUEST, 'a request needs "jsonrpc": "2.0" and a method'
    if not isinstance(message.get("params"), dict | None):
        return INVALID_PARAMS, "params must be an object"
    try:
        json.dumps(message, ensure_ascii=False).encode()
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        if "method" in message:
            return INVALID_PARAMS, "params are nested too deep, or not valid Unicode"
        return INVALID_REQUEST, "a request needs a method"
    return None


def _is_id(value: object) -> bool:
    return type(value) in (int, str)
