"""Calls of operations, the threads they run in, and the server's own state.

A model may take minutes, so operations that use one have threads of their own. Events
go to the loop through a short queue: a client that does not read blocks the model, and
is dropped after a while.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from msgspec import UNSET, Struct, UnsetType, to_builtins
from msgspec.structs import replace

from glassmind.config import Config
from glassmind.engine import Engine
from glassmind.errors import BadArgument, BadValue, CallAbandoned, GlassmindError
from glassmind.model.index import Status
from glassmind.models.protocols import Cancellation
from glassmind.operations.registry import (
    Caller,
    FileForm,
    NoArguments,
    NoNotes,
    Operation,
    Result,
    Route,
    operation,
)
from glassmind.serve.http.replies import (
    BUSY,
    LATE,
    RequestRefused,
    encoded,
    error_body,
    labelled,
    refusal_of,
)
from glassmind.serve.recording import Recording
from glassmind.version import __version__

T = TypeVar("T")

THREADS = 2
"""Requests that run at once. The interpreter computes one at a time: with eight clients
on two cores, four threads and eight were slower by a tenth. With only one, a slow
request would block all others."""

ROOM, MODEL_ROOM, JOB_ROOM = 64, 32, 9
"""Calls that run or wait: usually (half as many as there may be connections), with a
model, and index runs, each of which finds what those before it have done."""

UNREAD_S = 30.0  # seconds for which a client may read nothing
EVENTS = "text/event-stream; charset=utf-8"
KEEP_ALIVE, KEEP_ALIVE_S = b": keep-alive\n\n", 15.0
"""A comment, which clients ignore and proxies see, and the seconds of silence after
which it is sent, as the HTML standard says."""

WAITING = 256  # events that may wait for a client: a page of a model's words


@dataclass(frozen=True, eq=False)
class HttpCall:
    """A request whose arguments were read.

    `record` records what the result discloses. `accept` is the header of that name, of
    which the first media type counts. `halt` is set when the client stops
    waiting.
    """

    operation: Operation
    vault: Engine
    arguments: Any
    caller: Caller
    record: Recording
    accept: str = ""
    halt: Cancellation = field(default_factory=Cancellation)

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

    def stop_if_halted(self, _: object) -> None:
        """End an index run at its next step, once its client has left."""
        if self.halt.is_set():
            raise CallAbandoned


class WorkerPool:
    """A bounded pool; anyio's limiter would free places of threads without callers."""

    def __init__(self, threads: int = THREADS, room: int = ROOM) -> None:
        self._pool = ThreadPoolExecutor(threads, "glassmind-http")
        self._room, self._calls = room, set[HttpCall]()

    def start(self, call: HttpCall, work: Callable[[], T]) -> Future[T]:
        if len(self._calls) >= self._room:
            raise RequestRefused(BUSY)
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


def event(name: str, value: object) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name.encode(), encoded(value))


async def events_of(
    call: HttpCall, workers: WorkerPool, limit_s: float
) -> AsyncIterator[bytes]:
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
    left_s = deadline - asyncio.get_running_loop().time()
    if left_s <= 0:
        raise RequestRefused(LATE)
    try:
        async with asyncio.timeout(min(KEEP_ALIVE_S, left_s)):
            return await parts.get()
    except TimeoutError:
        return KEEP_ALIVE


async def with_error(
    first: bytes, rest: AsyncIterator[bytes], config: Config
) -> AsyncIterator[bytes]:
    yield first
    try:
        async for part in rest:
            yield part
    except Exception as error:  # noqa: BLE001 - the edge: clients see no traceback
        yield event("error", error_body(refusal_of(error, config)))


ANY = "any"  # in place of a tool set: every client may use the route


class Metrics:
    """Counts requests; written by the event loop, read by any thread."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds: Counter[tuple[str, int]] = Counter()

    def count(self, route: str, status: int, seconds: float) -> None:
        self._requests[route, status] += 1
        self._seconds[route, status] += seconds  # type: ignore[assignment]

    def lines(self) -> Iterator[str]:
        for name, meaning, counter in (
            ("requests", "Requests answered.", self._requests),
            ("seconds", "Time from heads to the ends of answers.", self._seconds),
        ):
            values = {
                f'{{route="{route}",status="{status}"}}': value
                for (route, status), value in sorted(counter.copy().items())
            }
            yield from _metric(f"http_{name}_total", meaning, values, "counter")


@dataclass(frozen=True)
class ServerState:
    """The engine, and the threads of each kind of call."""

    engine: Engine
    metrics: Metrics = field(default_factory=Metrics)
    indexing: WorkerPool = field(default_factory=lambda: WorkerPool(1, JOB_ROOM))
    workers: WorkerPool = field(default_factory=WorkerPool)
    quick: WorkerPool = field(default_factory=WorkerPool)
    models: WorkerPool = field(default_factory=lambda: WorkerPool(room=MODEL_ROOM))

    def close(self) -> None:
        for workers in (self.models, self.indexing, self.quick, self.workers):
            workers.close()


class HttpCaller(Caller, frozen=True, kw_only=True):
    server: ServerState
    has_token: bool


class Channels(Struct, frozen=True):
    lexical: bool
    bm25: bool
    semantic: bool
    graph: bool
    hindsight: bool


class Health(NoNotes):
    """Without a token, only `status` and `version`."""

    status: Literal["ok", "degraded"] = "ok"
    version: str = f"glassmind {__version__}"
    channels: Channels | UnsetType = UNSET
    note_count: int | UnsetType = UNSET
    vault_path: str | UnsetType = UNSET


@operation(group="Maintain", route=Route("GET", "/health", sets=(ANY,), quick=True))
def server_health(vault: Engine, _: NoArguments, caller: HttpCaller) -> Health:
    """Report what works; without a token, only that the server is up."""
    if not caller.has_token:
        return Health()
    status, config = _status(vault), vault.config
    lexical = status is not None and status.words_behind is not None
    has_vectors = status is not None and status.space and status.coverage.covered > 0
    semantic = bool(has_vectors) and status is not None and not status.lacks_model
    watched = status is not None and not status.watch.error
    recalls = vault.recalls()
    # a channel that the settings leave out is not a fault
    well = lexical and watched and (semantic or config.embeddings.backend == "none")
    return Health(
        status="ok" if well and recalls is not False else "degraded",
        channels=Channels(
            lexical, lexical, semantic, status is not None, bool(recalls)
        ),
        note_count=status.notes if status else 0,
        vault_path=str(config.vault.path),
    )


def _status(vault: Engine) -> Status | None:
    try:
        return vault.status()
    except GlassmindError:
        return None


class MetricsResult(NoNotes):
    text: str


@operation(
    group="Maintain",
    route=Route("GET", "/metrics", quick=True),
    files={
        "": FileForm(
            "text/plain; version=0.0.4; charset=utf-8", lambda result: result.text
        )
    },
)
def metrics(vault: Engine, _: NoArguments, caller: HttpCaller) -> MetricsResult:
    """Show metrics in the text format of Prometheus."""
    lines = [*caller.server.metrics.lines(), *_gauges(_status(vault)), ""]
    return MetricsResult(text="\n".join(lines))


def _gauges(status: Status | None) -> Iterator[str]:
    yield from _metric("up", "Whether there is an index.", {"": status is not None})
    if status is None:
        return
    behind = {"words": status.words_behind, "vectors": status.vectors_behind}
    for name, meaning, values in (
        ("notes", "Notes in the index.", {"": status.notes}),
        ("chunks", "Chunks in the index.", {"": status.chunks}),
        ("index_bytes", "Size of the index.", _by_part(status.sizes)),
        ("chunks_to_embed", "Chunks to embed.", {"": status.coverage.total}),
        ("chunks_embedded", "Of these, embedded.", {"": status.coverage.covered}),
        ("behind", "Changes not included yet; -1: all.", _by_part(behind)),
    ):
        yield from _metric(name, meaning, values)


def _by_part(values: Mapping[str, float | None]) -> dict[str, float | None]:
    return {f'{{part="{name}"}}': value for name, value in values.items()}


def _metric(
    name: str,
    meaning: str,
    values: Mapping[str, float | None],
    kind: str = "gauge",
) -> Iterator[str]:
    yield f"# HELP glassmind_{name} {meaning}"
    yield f"# TYPE glassmind_{name} {kind}"
    for labels, value in values.items():
        yield f"glassmind_{name}{labels} {-1 if value is None else value:.12g}"
