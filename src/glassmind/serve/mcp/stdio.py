"""Serving one client over stdin and stdout until it disconnects.

Clients wait only seconds for the first reply, so it does not wait for the engine. If
the vault is missing, every tool says so until it is there.
"""

import json
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage

from glassmind.engine import Engine
from glassmind.errors import CallAbandoned, GlassmindError, IndexAbsent, ServingFault
from glassmind.model.access import EVERY_AGENT, Scope, known_as
from glassmind.model.index import Progress
from glassmind.serve.log import log, log_fault, take_over_logging
from glassmind.serve.mcp.process import ProcessStreams, run_until_left
from glassmind.serve.mcp.server import make_server

if TYPE_CHECKING:
    from glassmind.serve.daemon.host import VaultHost  # loads tantivy

ENDING_S = 0.5  # for a first index to stop; the next run continues it
LAST_ANSWERS_S = 1.8  # after stdin ended: a semantic search may take a second


class Opening:
    def __init__(self, make: Callable[[], "VaultHost"]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._opened: VaultHost | None = None
        self._first: Progress | None = None
        self._indexing: threading.Thread | None = None
        self._over = False

    def begin(self) -> None:
        threading.Thread(target=self._prepare, name="opening", daemon=True).start()

    def engine(self) -> Engine:
        opened = self._open()
        if self._first is not None:
            stage, done, total = self._first
            share = f"{stage}: {100 * done // total} %" if total else stage
            raise ServingFault(
                f"the vault is being indexed for the first time ({share}); ask again "
                "in a few seconds"
            )
        return opened.engine

    def _open(self) -> "VaultHost":
        with self._lock:
            if self._opened is None:
                opened = self._make()
                try:
                    opened.engine.status()
                    has_index = True
                except GlassmindError as error:  # a call will report any other
                    has_index = not isinstance(error, IndexAbsent)
                if has_index:
                    opened.start()
                else:
                    self._first = Progress("scan", 0, 0)
                    self._indexing = threading.Thread(
                        target=self._index_first, args=[opened], daemon=True
                    )
                    self._indexing.start()
                self._opened = opened
                log("opened")
            return self._opened

    def _prepare(self) -> None:
        try:
            self._open()
        except GlassmindError as error:
            log("unready", kind=type(error).__name__)
        except Exception as error:  # noqa: BLE001 - the edge: a thread has no caller
            log_fault("fault", error, work="opening")

    def _index_first(self, opened: "VaultHost") -> None:
        """Index text, then vectors; other work waits, so that calls see progress."""
        try:
            report = opened.engine.index(
                embed=False, reason="first", progress=self._on_progress
            )
            log("indexed", notes=report.notes, seconds=round(report.seconds, 1))
        except CallAbandoned:
            return
        except Exception as error:  # noqa: BLE001 - the edge: a thread has no caller
            log_fault("fault", error, work="first index")
        self._first = None
        opened.start()
        with suppress(GlassmindError):  # a call will report it
            opened.engine.index(reason="first")

    def _on_progress(self, now: Progress) -> None:
        if self._over:
            raise CallAbandoned
        self._first = now

    def close(self) -> None:
        self._over = True
        if self._indexing is not None:
            self._indexing.join(ENDING_S)
        if self._opened is not None:
            self._opened.close()


def serve(  # noqa: PLR0913 - options by name
    wires: ProcessStreams,
    make: Callable[[], "VaultHost"],
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
    """
    opening = Opening(make)
    server = make_server(
        lambda: opening.engine().seen_by(scope()),
        toolsets=toolsets,
        for_owner=not name,
        structured=structured,
    )

    def work() -> None:
        try:
            with known_as(name):
                anyio.run(_Messages(wires, opening.begin).serve, server)
        except Exception as error:  # noqa: BLE001 - the edge: a broken pipe, in a group
            log_fault("broken", error)

    take_over_logging()
    log("serving", transport="stdio", tools=list(toolsets))
    return run_until_left(wires, work, opening.close)


class _Messages:
    """Reads and writes messages.

    The transport of the SDK would not do: it drops messages it cannot read without an
    answer, for which their sender would wait for ever, and gives up what is running at
    the end of stdin.
    """

    def __init__(
        self, wires: ProcessStreams, on_first_reply: Callable[[], None]
    ) -> None:
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
                    message = types.jsonrpc_message_adapter.validate_json(
                        line, by_name=False
                    )
                except ValueError:
                    if error := error_for(line):
                        await errors.send(SessionMessage(error))
                    continue
                match message:
                    case types.JSONRPCRequest():
                        self._running.add(message.id)
                    case types.JSONRPCNotification(method="notifications/cancelled"):
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
            if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
                self._running.discard(message.id or 0)
                if not self._running:
                    self._all_answered.set()
                if not self._replied:
                    self._replied = True
                    self._on_first_reply()

    def _send(self, line: bytes) -> None:
        self._writer.write(line)
        self._writer.flush()


def error_for(line: bytes) -> types.JSONRPCError | None:
    """Return the error for an unreadable message; None if it gets no reply."""
    code, reason, identity = (
        types.PARSE_ERROR,
        "not valid JSON, or nested too deep",
        None,
    )
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        if not line.strip():
            return None
    else:
        code = types.INVALID_REQUEST
        reason = (
            "not a JSON-RPC 2.0 request, or nested too deep, or not valid Unicode; "
            "send requests one by one"
        )
        if isinstance(message, dict):
            identity = message.get("id")
            is_request = "method" in message and "id" in message
            if not is_request and message.keys() & {"method", "result", "error"}:
                return None
    return types.JSONRPCError(
        jsonrpc="2.0",
        id=identity if type(identity) in (int, str) else None,
        error=types.ErrorData(code=code, message=f"the message is {reason}"),
    )
