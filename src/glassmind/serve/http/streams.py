"""Operations with events: their answer at once, or as server-sent events while made.

A model may take minutes, so these operations have threads of their own, and end when
nobody waits for them. Events go to the loop through a short queue: a client that does
not read blocks the model, and is dropped after a while.
"""

import asyncio
import threading
from functools import partial
from typing import Any

from msgspec import to_builtins
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from glassmind.config import Config
from glassmind.errors.serving import CallAbandoned
from glassmind.operations.registry import Result
from glassmind.ports.chat import Halt
from glassmind.serve.http.errors import error_body
from glassmind.serve.http.jobs import Call, Workers
from glassmind.serve.http.limits import ANSWER_S
from glassmind.serve.http.middleware import Exchange
from glassmind.serve.http.replies import JSON, answered, encoded, labelled, prefers

EVENTS = "text/event-stream; charset=utf-8"
KEEP_ALIVE = b": keep-alive\n\n"
"""A comment, which clients ignore and proxies see."""

THREADS = 2
"""Operations with a model that run at once: this machine can do no more."""

ROOM = 32
"""Operations with a model that run or wait."""

KEEP_ALIVE_S = 15.0
"""Seconds of silence after which a comment is sent, as the HTML standard says."""

UNREAD_S = 30.0
"""Seconds for which a client may read nothing."""

WAITING = 256
"""Events that may wait for a client: a page of a model's words."""

HEAD = [
    (b"content-type", EVENTS.encode()),
    (b"x-accel-buffering", b"no"),  # nginx would hold events back
]


def longest_answer_s(config: Config) -> float:
    """Return the seconds that an answer may take: its own, and one it waits for."""
    return 2 * config.llm.timeout_s + ANSWER_S


def event(name: str, value: object) -> bytes:
    """Return an event with a value as JSON, which is always one line."""
    return b"event: %b\ndata: %b\n\n" % (name.encode(), encoded(value))


def _run(call: Call, halt: Halt) -> Response:
    return answered(call.run(halt=halt).to_json())


def _run_with_events(call: Call, halt: Halt, outbox: "Outbox") -> None:
    """Send events while an operation runs, and then the result."""
    names = {kind: name for name, kind in call.operation.events.items()}

    def progress(value: Any) -> None:
        made: object = to_builtins(value)
        if isinstance(value, Result):
            call.show(value.sources())
            made = labelled(value.to_json())
        outbox.put(event(names[type(value)], made))

    result = call.run(progress, halt)
    outbox.put(event("answer", labelled(result.to_json())))


class Outbox:
    """Events on their way from a thread to the loop; only so many wait."""

    def __init__(self, halt: Halt) -> None:
        self._halt, self._loop = halt, asyncio.get_running_loop()
        self._room = threading.Semaphore(WAITING)
        self._parts: asyncio.Queue[bytes] = asyncio.Queue()

    def put(self, part: bytes) -> None:
        """Send an event, from the thread, which waits while there is no room."""
        if not self._room.acquire(blocking=False):
            with self._halt.ending(self._room.release):
                if not self._room.acquire(timeout=UNREAD_S):
                    raise CallAbandoned
        if self._halt.is_set():
            raise CallAbandoned
        try:
            self._loop.call_soon_threadsafe(self._parts.put_nowait, part)
        except RuntimeError:  # the loop is closed: the server ends
            raise CallAbandoned from None

    def end(self, _: object) -> None:
        self._parts.put_nowait(b"")

    async def next(self) -> bytes:
        """Return an event, or a comment after some silence; empty at the end."""
        try:
            async with asyncio.timeout(KEEP_ALIVE_S):
                part = await self._parts.get()
        except TimeoutError:
            return KEEP_ALIVE
        self._room.release()
        return part


class Streams:
    """Owns the threads of calls to a model; `plain` has those of all others."""

    def __init__(self, plain: Workers) -> None:
        self._workers, self._plain = Workers(THREADS, ROOM), plain
        self._halts: set[Halt] = set()

    async def answer(self, call: Call, exchange: Exchange) -> None:
        """Answer a request; when the client leaves, the operation ends."""
        has_model = call.vault.config.llm.backend != "none"
        uses_model = has_model and call.arguments.model
        workers = self._workers if uses_model else self._plain
        streams = call.arguments.stream or prefers(call.accept, "text/event-stream")
        if exchange.scope["method"] == "HEAD":  # nothing runs
            await exchange.answer(Response(media_type=EVENTS if streams else JSON))
            return
        halt = Halt()
        self._halts.add(halt)
        try:
            if streams:
                await _send_events(call, halt, workers, exchange)
            else:
                await exchange.answer(await workers.run(partial(_run, call, halt)))
        finally:
            self._halts.discard(halt)
            halt.set()

    def close(self) -> None:
        """End what runs, begin nothing more, and wait for nothing."""
        for halt in list(self._halts):
            halt.set()
        self._workers.close()


async def _send_events(
    call: Call, halt: Halt, workers: Workers, exchange: Exchange
) -> None:
    """Send events as they come; until one has, a fault has a status of its own."""
    outbox = Outbox(halt)
    work = partial(_run_with_events, call, halt, outbox)
    running = asyncio.ensure_future(workers.run(work))
    running.add_done_callback(outbox.end)
    try:
        while part := await outbox.next():
            await _send(exchange, part)
        await running
    finally:
        if not running.cancel() and not running.cancelled():
            running.exception()  # or asyncio would log it as never retrieved
    await _send(exchange, b"", more=False)


async def _send(exchange: Exchange, body: bytes, *, more: bool = True) -> None:
    """Send a part of the events, the head before the first."""
    try:
        async with asyncio.timeout(UNREAD_S):
            if not exchange.status:
                start = {"type": "http.response.start", "status": 200}
                await exchange.send({**start, "headers": HEAD})
                exchange.last_event = lambda refusal: event(
                    "error", error_body(refusal)
                )
            part = {"type": "http.response.body", "body": body, "more_body": more}
            await exchange.send(part)
    except TimeoutError:
        raise ClientDisconnect from None
