"""Calls of operations, and the threads they run in: at once, as jobs, with events.

A model may take minutes, so operations that use one have threads of their own. Events
go to the loop through a short queue: a client that does not read blocks the model, and
is dropped after a while.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from msgspec import to_builtins

from glassmind.config import Config
from glassmind.engine import Engine
from glassmind.errors import BadArgument, BadValue, CallAbandoned
from glassmind.model.access import Shown
from glassmind.model.index import Progress
from glassmind.models.protocols import Halt
from glassmind.operations.maintain import IndexResult
from glassmind.operations.registry import Caller, Operation, Result
from glassmind.serve.http.replies import (
    BUSY,
    LATE,
    ErrorDetail,
    Refused,
    encoded,
    error_body,
    error_of,
    labelled,
    refusal_of,
)
from glassmind.serve.recording import Recording

T = TypeVar("T")

THREADS = 2
"""Requests that run at once. The interpreter computes one at a time: with eight clients
on two cores, four threads and eight were slower by a tenth. With only one, a slow
request would block all others."""

ROOM, MODEL_ROOM, JOB_ROOM = 64, 32, 9
"""Calls that run or wait: usually (half as many as there may be connections), with a
model, and index runs, each of which finds what those before it have done."""

KEPT_JOBS = 32
"""Index runs that can still be looked up."""

UNREAD_S = 30.0
"""Seconds for which a client may read nothing."""

EVENTS = "text/event-stream; charset=utf-8"
KEEP_ALIVE, KEEP_ALIVE_S = b": keep-alive\n\n", 15.0
"""A comment, which clients ignore and proxies see, and the seconds of silence after
which it is sent, as the HTML standard says."""

WAITING = 256
"""Events that may wait for a client: a page of a model's words."""


@dataclass(frozen=True, eq=False)
class HttpCall:
    """A request whose arguments were read.

    `record` records what the result discloses. `accept` is the header of that name, of
    which the first media type counts. `halt` is set when the client stops
    waiting. `waits` is false if the client does not wait for a job.
    """

    operation: Operation
    vault: Engine
    arguments: Any
    caller: Caller
    record: Recording
    accept: str = ""
    waits: bool = True
    halt: Halt = field(default_factory=Halt)

    def run(self, progress: Callable[[Any], None] | None = None) -> Result:
        if self.halt.is_set():  # while it waited for a thread
            raise CallAbandoned
        caller = replace(self.caller, progress=progress, halt=self.halt)
        with self.record:
            try:
                result: Result = self.operation.run(self.vault, self.arguments, caller)
            except BadValue as error:
                route = str(self.operation.route)
                raise BadArgument(route, str(error)) from None
            self.record.show(result.sources())
            return result


class Workers:
    """A bounded pool of threads; work without a waiting caller is not started.

    anyio's limiter would not do: it frees the place of a thread whose caller left.
    """

    def __init__(self, threads: int = THREADS, room: int = ROOM) -> None:
        self._pool = ThreadPoolExecutor(threads, "glassmind-http")
        self._room, self._calls = room, set[HttpCall]()

    def start(self, call: HttpCall, work: Callable[[], T]) -> Future[T]:
        """Run some work of a call, which sees the caller's context variables.

        Raises:
            Refused: too much is waiting.
        """
        if len(self._calls) >= self._room:
            raise Refused(BUSY)
        self._calls.add(call)
        future = self._pool.submit(copy_context().run, work)
        future.add_done_callback(lambda _: self._calls.discard(call))
        return future

    def halt(self) -> None:
        """End what can be ended at once."""
        for call in list(self._calls):
            call.halt.set()

    def close(self) -> None:
        self.halt()
        self._pool.shutdown(wait=False, cancel_futures=True)


class JobState(Result):
    """How far an index run is."""

    job: str
    state: Literal["waiting", "running", "done", "failed"]
    progress: dict[str, Any] | None = None
    report: IndexResult | None = None
    error: ErrorDetail | None = None

    def to_json(self) -> dict[str, Any]:
        report = self.report and self.report.to_json()
        return {**super().to_json(), "report": report}

    def sources(self) -> Shown:
        return self.report.sources() if self.report else Shown()


@dataclass(eq=False)
class Job:
    """One index run; `future` has its result. A halt keeps what was indexed."""

    call: HttpCall
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    progress: Progress | None = None
    future: Future[Result] = field(init=False)

    def run(self) -> Result:
        return self.call.run(self._on_progress)

    def _on_progress(self, progress: Progress) -> None:
        self.progress = progress
        if self.call.halt.is_set():
            raise CallAbandoned

    def state(self) -> JobState:
        if not self.future.done():
            progress = self.progress and self.progress._asdict()
            state: Any = "running" if self.future.running() else "waiting"
            return JobState(job=self.id, state=state, progress=progress)
        try:
            report: Any = self.future.result()
        except Exception as error:  # noqa: BLE001 - any fault of it
            refusal = refusal_of(error, self.call.vault.config)
            return JobState(job=self.id, state="failed", error=error_of(refusal))
        return JobState(job=self.id, state="done", report=report)


def event(name: str, value: object) -> bytes:
    """Return an event with a value as JSON, which is always one line."""
    return b"event: %b\ndata: %b\n\n" % (name.encode(), encoded(value))


async def events_of(
    call: HttpCall, workers: Workers, limit_s: float
) -> AsyncIterator[bytes]:
    """Yield events while an operation runs, and then its result."""
    names = {kind: name for name, kind in call.operation.events.items()}
    loop, parts = asyncio.get_running_loop(), asyncio.Queue[bytes]()
    room = asyncio.Semaphore(WAITING)

    async def put(part: bytes) -> None:
        await room.acquire()
        parts.put_nowait(part)

    def send(name: str, value: object) -> None:
        """Send an event from the thread, which waits while there is no room."""
        if call.halt.is_set():
            raise CallAbandoned
        sending = asyncio.run_coroutine_threadsafe(put(event(name, value)), loop)
        with call.halt.ending(sending.cancel):
            try:
                sending.result(UNREAD_S)
            except (CancelledError, TimeoutError):
                raise CallAbandoned from None

    def progress(value: Any) -> None:
        made: object = to_builtins(value)
        if isinstance(value, Result):
            call.record.show(value.sources())
            made = labelled(value.to_json())
        send(names[type(value)], made)

    running = asyncio.wrap_future(
        workers.start(
            call, lambda: send("answer", labelled(call.run(progress).to_json()))
        )
    )
    running.add_done_callback(lambda _: parts.put_nowait(b""))
    deadline = loop.time() + limit_s
    try:
        while part := await _next(parts, deadline):
            if part is not KEEP_ALIVE:
                room.release()
            yield part
        await running
    finally:
        running.cancel()


async def _next(parts: asyncio.Queue[bytes], deadline: float) -> bytes:
    """Return a part, or a comment after some silence."""
    left_s = deadline - asyncio.get_running_loop().time()
    if left_s <= 0:
        raise Refused(LATE)
    try:
        async with asyncio.timeout(min(KEEP_ALIVE_S, left_s)):
            return await parts.get()
    except TimeoutError:
        return KEEP_ALIVE


async def with_error(
    first: bytes, rest: AsyncIterator[bytes], config: Config
) -> AsyncIterator[bytes]:
    """Yield parts of a response that has begun; an error is the last event."""
    yield first
    try:
        async for part in rest:
            yield part
    except Exception as error:  # noqa: BLE001 - the edge: clients see no traceback
        yield event("error", error_body(refusal_of(error, config)))
