"""Operations with events: their answer at once, or as server-sent events while made.

A model may take minutes, so these operations have threads of their own, and end when
nobody waits for them. Events go to the loop through a short queue: a client that does
not read blocks the model, and is dropped after a while.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from msgspec import to_builtins

from glassmind.config import Config
from glassmind.engine import Engine
from glassmind.errors.serving import CallAbandoned
from glassmind.operations.registry import Caller, Operation, Result
from glassmind.ports.chat import Halt
from glassmind.serve.http.errors import STOPPING, Disconnected, Refused, error_body
from glassmind.serve.http.jobs import Workers
from glassmind.serve.http.limits import ANSWER_S
from glassmind.serve.http.middleware import Exchange
from glassmind.serve.http.replies import JSON, Reply, answered, encoded, labelled

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

HEAD = (
    (b"content-type", EVENTS.encode()),
    (b"x-accel-buffering", b"no"),  # nginx would hold events back
)


def longest_answer_s(config: Config) -> float:
    """Return the seconds that an answer may take: its own, and one it waits for."""
    return 2 * config.llm.timeout_s + ANSWER_S


def event(name: str, value: object) -> bytes:
    """Return an event with a value as JSON, which is always one line."""
    return b"event: %b\ndata: %b\n\n" % (name.encode(), encoded(value))


@dataclass
class Stream:
    """One call of an operation; `show` records what the client is about to be given."""

    operation: Operation
    engine: Engine
    arguments: Any
    client: str
    streams: bool
    halt: Halt = field(default_factory=Halt)
    show: Callable[[object], None] = lambda _: None

    @property
    def uses_model(self) -> bool:
        """Whether a model may be asked, which may take its time."""
        return self.arguments.model and self.engine.config.llm.backend != "none"

    def _run(self, progress: Callable[[Any], None] | None = None) -> Any:
        """Return the result, in a thread that may take its time.

        Raises:
            Refused: it was halted.
        """
        if self.halt.is_set():  # while it waited for a thread
            raise Refused(STOPPING)
        caller = Caller("http", self.client, progress, halt=self.halt)
        try:
            result = self.operation.run(self.engine, self.arguments, caller)
        except CallAbandoned:
            raise Refused(STOPPING) from None
        self.show(result.sources())
        return result

    def reply(self) -> Reply:
        """Return the whole answer at once."""
        return answered(self._run().to_json())

    def send(self, outbox: "Outbox") -> None:
        """Send events while the operation runs, and then the result."""
        names = {kind: name for name, kind in self.operation.events.items()}

        def progress(value: Any) -> None:
            made: object = to_builtins(value)
            if isinstance(value, Result):
                self.show(value.sources())
                made = labelled(value.to_json())
            outbox.put(event(names[type(value)], made))

        result = self._run(progress)
        outbox.put(event("answer", labelled(result.to_json())))


class Outbox:
    """Events on their way from a thread to the loop; only so many wait."""

    def __init__(self, halt: Halt) -> None:
        self._halt, self._loop = halt, asyncio.get_running_loop()
        self._room = threading.Semaphore(WAITING)
        self._parts: deque[bytes] = deque()
        self._news = asyncio.Event()

    def put(self, part: bytes) -> None:
        """Send an event, from the thread, which waits while there is no room.

        Raises:
            CallAbandoned: nobody reads any more.
        """
        if not self._room.acquire(blocking=False):
            with self._halt.ending(self._room.release):
                if not self._room.acquire(timeout=UNREAD_S):
                    raise CallAbandoned
        if self._halt.is_set():
            raise CallAbandoned
        self._parts.append(part)
        self.wake()

    def wake(self) -> None:
        """Wake the loop."""
        try:
            self._loop.call_soon_threadsafe(self._news.set)
        except RuntimeError:  # the loop is closed: the server ends
            raise CallAbandoned from None

    async def next(self, timeout_s: float) -> bytes | None:
        """Return the events that wait; None after so many seconds without any."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._news.wait()
        except TimeoutError:
            return None
        self._news.clear()
        return self.take()

    def take(self) -> bytes:
        """Return the events that wait, and make room."""
        count = len(self._parts)
        made = b"".join(self._parts.popleft() for _ in range(count))
        if count:
            self._room.release(count)
        return made


class Streams:
    """Owns the threads of calls to a model; `plain` has those of all others."""

    def __init__(self, plain: Workers) -> None:
        self._workers, self._plain = Workers(THREADS, ROOM), plain
        self._halts: set[Halt] = set()

    async def answer(self, stream: Stream, exchange: Exchange) -> None:
        """Answer a request; when the client leaves, the operation ends."""
        workers = self._workers if stream.uses_model else self._plain
        with self._running(stream.halt):
            if stream.streams:
                await _send_events(stream, workers, exchange)
            else:
                await exchange.answer(await workers.run(stream.reply))

    @contextmanager
    def _running(self, halt: Halt) -> Iterator[None]:
        self._halts.add(halt)
        try:
            yield
        finally:
            self._halts.discard(halt)
            halt.set()

    def close(self) -> None:
        """End what runs, begin nothing more, and wait for nothing."""
        for halt in list(self._halts):
            halt.set()
        self._workers.close()


async def _send_events(stream: Stream, workers: Workers, exchange: Exchange) -> None:
    """Send events as they come; until one has, a fault has a status of its own."""
    outbox = Outbox(stream.halt)
    sending = asyncio.ensure_future(workers.run(partial(stream.send, outbox)))
    sending.add_done_callback(lambda _: outbox.wake())
    try:
        while not sending.done():
            parts = await outbox.next(KEEP_ALIVE_S)
            if parts != b"":
                await _send(exchange, parts or KEEP_ALIVE)
        await sending
    finally:
        if not sending.cancel() and not sending.cancelled():
            sending.exception()  # or asyncio would log it as never retrieved
    await _send(exchange, outbox.take(), more=False)


async def show_head(stream: Stream, exchange: Exchange) -> None:
    """Answer a HEAD request; nothing runs."""
    kind = EVENTS.encode() if stream.streams else JSON
    start = {"type": "http.response.start", "status": 200}
    await exchange.send({**start, "headers": [(b"content-type", kind)]})
    await exchange.send({"type": "http.response.body", "body": b""})


async def _send(exchange: Exchange, body: bytes, *, more: bool = True) -> None:
    """Send a part of the events, the head before the first.

    Raises:
        Disconnected: the client reads nothing any more.
    """
    try:
        async with asyncio.timeout(UNREAD_S):
            if not exchange.status:
                start = {"type": "http.response.start", "status": 200}
                await exchange.send({**start, "headers": list(HEAD)})
                exchange.last_event = lambda refusal: event(
                    "error", error_body(refusal)
                )
            part = {"type": "http.response.body", "body": body, "more_body": more}
            await exchange.send(part)
    except TimeoutError:
        raise Disconnected from None
