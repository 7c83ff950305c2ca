"""Serving one client over stdin and stdout until it disconnects."""

import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)

from glassmind.engine import Engine
from glassmind.serve.mcp.engine import Opened, Opening
from glassmind.serve.mcp.log import PatientStream, log, log_fault, take_over_logging
from glassmind.serve.mcp.process import Wires, run_until_left
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

    def work() -> None:
        try:
            with known_as(name):
                anyio.run(_Messages(wires, opening.begin).serve, server)
        except Exception as error:  # noqa: BLE001 - the edge: a broken pipe, in a group
            log_fault("broken", error)

    stderr = PatientStream(sys.stderr)
    sys.stderr = stderr
    take_over_logging()
    log("serving", transport="stdio", tools=list(toolsets))
    code = run_until_left(wires, work, opening.close)
    sys.stderr = stderr.finish()
    return code


class _Messages:
    """Reads and writes messages.

    The transport of the SDK would not do: it drops messages it cannot read without an
    answer, for which their sender would wait for ever, and gives up what is running at
    the end of stdin.
    """

    def __init__(self, wires: Wires, on_first_reply: Callable[[], None]) -> None:
        self._reader = os.fdopen(wires.inward, "rb", closefd=False)
        self._writer = os.fdopen(wires.outward, "wb", closefd=False)
        self._on_first_reply = on_first_reply
        self._running: set[str | int] = set()
        self._replied, self._all_answered = False, anyio.Event()

    async def serve(self, server: Server[Any]) -> None:
        to_server, incoming = anyio.create_memory_object_stream[
            SessionMessage | Exception
        ]()
        outgoing, from_server = anyio.create_memory_object_stream[SessionMessage]()
        async with anyio.create_task_group() as group:
            group.start_soon(self._read, to_server, outgoing.clone())
            group.start_soon(self._write, from_server)
            options = server.create_initialization_options()
            await server.run(incoming, outgoing, options)

    async def _read(
        self,
        to_server: MemoryObjectSendStream[SessionMessage | Exception],
        errors: MemoryObjectSendStream[SessionMessage],
    ) -> None:
        async with to_server, errors:
            async for line in anyio.wrap_file(self._reader):
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError:
                    if error := error_for(line):
                        await errors.send(SessionMessage(error))
                    continue
                match message:
                    case JSONRPCRequest():
                        self._running.add(message.id)
                    case JSONRPCNotification(method="notifications/cancelled"):
                        self._running.discard((message.params or {}).get("requestId"))
                await to_server.send(SessionMessage(message))
            self._all_answered = anyio.Event()
            if self._running:
                with anyio.move_on_after(LAST_ANSWERS_S):
                    await self._all_answered.wait()

    async def _write(
        self, from_server: MemoryObjectReceiveStream[SessionMessage]
    ) -> None:
        async for item in from_server:
            message = item.message
            text = message.model_dump_json(by_alias=True, exclude_unset=True)
            await anyio.to_thread.run_sync(self._send, f"{text}\n".encode())
            if isinstance(message, JSONRPCResponse | JSONRPCError):
                self._running.discard(message.id or 0)
                if not self._running:
                    self._all_answered.set()
                if not self._replied:
                    self._replied = True
                    self._on_first_reply()

    def _send(self, line: bytes) -> None:
        self._writer.write(line)
        self._writer.flush()


def error_for(line: bytes) -> JSONRPCError | None:
    """Return the error for a message that the SDK cannot read.

    None for one that nobody waits for: a blank line, a notification or a response.
    """
    code, reason, identity = PARSE_ERROR, "not valid JSON, or nested too deep", None
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        if not line.strip():
            return None
    else:
        code = INVALID_REQUEST
        reason = (
            "not a JSON-RPC 2.0 request, or nested too deep, or not valid Unicode; "
            "send requests one by one"
        )
        if isinstance(message, dict):
            identity = message.get("id")
            is_request = "method" in message and "id" in message
            if not is_request and message.keys() & {"method", "result", "error"}:
                return None
    return JSONRPCError(
        jsonrpc="2.0",
        id=identity if type(identity) in (int, str) else None,
        error=ErrorData(code=code, message=f"the message is {reason}"),
    )
