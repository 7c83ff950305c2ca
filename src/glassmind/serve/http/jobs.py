"""Calls of operations, and the threads they run in: requests, and index runs."""

import asyncio
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from glassmind.engine import Engine
from glassmind.errors import GlassmindError
from glassmind.errors.serving import CallAbandoned
from glassmind.operations.maintain import IndexResult
from glassmind.operations.registry import Caller, Operation, Result
from glassmind.ports.chat import Halt
from glassmind.serve.http.errors import (
    BUSY,
    FAULT,
    STOPPING,
    Refusal,
    Refused,
    error_of,
    refusal_of,
)
from glassmind.types.files import Progress
from glassmind.types.ledger import Shown

T = TypeVar("T")

THREADS = 2
"""Requests that run at once. The interpreter computes one at a time: with eight clients
on two cores, four threads and eight were slower by a tenth. With only one, a slow
request would block all others."""

QUEUE = 256
"""Requests that run or wait: half as many as there may be connections."""

KEPT_JOBS = 32
"""Finished index runs that can still be looked up."""

WAITING_JOBS = 8
"""Index runs that may wait; each finds what those before it have done."""


@dataclass(frozen=True)
class Call:
    """A request whose arguments were read; `show` records what the result discloses.

    `waits` is false if the client does not wait for a job.
    """

    operation: Operation
    vault: Engine
    arguments: Any
    caller: Caller
    accept: str
    waits: bool
    show: Callable[[Shown], None]

    def run(
        self, progress: Callable[[Any], None] | None = None, halt: Halt | None = None
    ) -> Result:
        if halt is not None and halt.is_set():  # while it waited for a thread
            raise CallAbandoned
        caller = replace(self.caller, progress=progress, halt=halt)
        result: Result = self.operation.run(self.vault, self.arguments, caller)
        self.show(result.sources())
        return result


class Workers:
    """A bounded pool of threads; work without a waiting caller is not started.

    anyio's limiter would not do: it frees the place of a thread whose caller left.
    """

    def __init__(self, threads: int = THREADS, queue: int = QUEUE) -> None:
        self._pool = ThreadPoolExecutor(threads, "glassmind-http")
        self._places = threading.BoundedSemaphore(queue)

    async def run(self, work: Callable[[], T]) -> T:
        """Return the result of some work, which sees the caller's context variables.

        Raises:
            Refused: too much is waiting.
        """
        if not self._places.acquire(blocking=False):
            raise Refused(BUSY)
        future = self._pool.submit(copy_context().run, work)
        future.add_done_callback(lambda _: self._places.release())
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


class JobState(Result):
    """How far an index run is."""

    job: str
    state: Literal["waiting", "running", "done", "failed"]
    progress: dict[str, Any] | None = None
    report: IndexResult | None = None
    error: dict[str, str] | None = None

    def to_json(self) -> dict[str, Any]:
        report = self.report and self.report.to_json()
        return {**super().to_json(), "report": report}

    def sources(self) -> Shown:
        return self.report.sources() if self.report else Shown()


@dataclass(eq=False)
class Job:
    """One index run; `future` has its result."""

    call: Call
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    progress: Progress | None = None
    stopped: bool = False
    future: Future[Any] = field(init=False)

    def run(self) -> Result:
        return self.call.run(self._on_progress)

    def _on_progress(self, progress: Progress) -> None:
        self.progress = progress
        if self.stopped:
            raise CallAbandoned

    def stop(self) -> None:
        """End the run after its current step; what was indexed is kept."""
        self.stopped = True
        self.future.cancel()

    async def ended(self) -> Result:
        """Wait for the end of the run, which is stopped if the caller is cancelled."""
        try:
            result: Result = await asyncio.wrap_future(self.future)
        except asyncio.CancelledError:
            self.stop()
            raise
        return result

    def state(self) -> JobState:
        if not self.future.done():
            progress = self.progress and self.progress._asdict()
            state: Any = "running" if self.future.running() else "waiting"
            return JobState(job=self.id, state=state, progress=progress)
        if refusal := self._refusal():
            return JobState(job=self.id, state="failed", error=error_of(refusal))
        return JobState(job=self.id, state="done", report=self.future.result())

    def _refusal(self) -> Refusal | None:
        if self.future.cancelled():
            return STOPPING
        match self.future.exception():
            case None:
                return None
            case CallAbandoned():
                return STOPPING
            case GlassmindError() as error:
                return refusal_of(error, self.call.vault.config)
        return FAULT


class Jobs:
    """Owns the thread for index runs, which run one at a time. For the event loop."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "glassmind-index")
        self._known: dict[str, Job] = {}

    def begin(self, call: Call) -> Job:
        """Run an operation when the jobs before it are over; refuse if many wait."""
        ended = [job for job in self._known.values() if job.future.done()]
        if len(self._known) - len(ended) > WAITING_JOBS:
            raise Refused(BUSY)
        for old in ended[:-KEPT_JOBS]:
            del self._known[old.id]
        job = Job(call)
        job.future = self._pool.submit(job.run)
        self._known[job.id] = job
        return job

    def find(self, name: str) -> Job | None:
        return self._known.get(name)

    def close(self) -> None:
        for job in list(self._known.values()):
            job.stop()
        self._pool.shutdown(wait=False, cancel_futures=True)
