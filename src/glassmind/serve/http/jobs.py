"""Threads that use the engine: a pool for requests, and one thread for index runs."""

import asyncio
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from glassmind.config import Config
from glassmind.errors import GlassmindError
from glassmind.errors.serving import CallAbandoned
from glassmind.operations.registry import Result
from glassmind.serve.http.errors import (
    BUSY,
    FAULT,
    STOPPING,
    Refusal,
    Refused,
    error_of,
    refusal_of,
    refused,
)
from glassmind.serve.http.replies import Reply, answered
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
        """Start nothing more, and wait for nothing."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class Job:
    """One long operation, such as an index run; `future` has its result.

    `work` is called in a thread, with a function that takes its progress.
    """

    future: Future[Result]

    def __init__(
        self, work: Callable[[Callable[[Any], None]], Result], config: Config
    ) -> None:
        self.id = secrets.token_hex(8)
        self._work, self._config = work, config
        self._stop = threading.Event()
        self._progress: Progress | None = None
        self.show: Callable[[Shown | None], None] = lambda _: None

    def run(self) -> Result:
        """Do the work; to be called once, in a thread."""
        return self._work(self._on_progress)

    def _on_progress(self, progress: Progress) -> None:
        self._progress = progress
        if self._stop.is_set():
            raise CallAbandoned

    def stop(self) -> None:
        """End the run after its current step; what was indexed is kept."""
        self._stop.set()
        self.future.cancel()

    def _refusal(self) -> Refusal | None:
        """Return why a run that is over has failed, if it has."""
        if self.future.cancelled():
            return STOPPING
        match self.future.exception():
            case None:
                return None
            case CallAbandoned():
                return STOPPING
            case GlassmindError() as error:
                return refusal_of(error, self._config)
        return FAULT

    def reply(self) -> Reply:
        """Return the response to a client that waited for the end."""
        refusal = self._refusal()
        if refusal is not None:
            return refused(refusal)
        self.show(self.sources())
        return answered(self.future.result().to_json())

    def sources(self) -> Shown | None:
        """Return the notes that the result discloses, if there is one."""
        if not self.future.done() or self._refusal():
            return None
        sources: Shown = self.future.result().sources()
        return sources

    def as_json(self) -> dict[str, Any]:
        """Return the state of the run."""
        done, now = self.future.done(), self._progress
        refusal = self._refusal() if done else None
        state = "running" if self.future.running() else "waiting"
        return {
            "job": self.id,
            "state": ("failed" if refusal else "done") if done else state,
            "progress": None if now is None or done else dict(now._asdict()),
            "report": self.future.result().to_json() if done and not refusal else None,
            "error": error_of(refusal) if refusal else None,
        }


class Jobs:
    """Owns the thread for index runs, which run one at a time."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "glassmind-index")
        self._lock = threading.Lock()
        self._known: dict[str, Job] = {}

    def begin(self, job: Job) -> None:
        """Run a job when those before it are over.

        Raises:
            Refused: too many are waiting.
        """
        with self._lock:
            ended = [known for known in self._known.values() if known.future.done()]
            if len(self._known) - len(ended) > WAITING_JOBS:
                raise Refused(BUSY)
            for old in ended[:-KEPT_JOBS]:
                del self._known[old.id]
            job.future = self._pool.submit(job.run)
            self._known[job.id] = job

    def find(self, name: str) -> Job | None:
        """Return a run; None if it is unknown, or forgotten."""
        return self._known.get(name)

    async def ended(self, job: Job) -> Reply:
        """Wait for the end of a run; it is stopped if the caller is cancelled."""
        try:
            await asyncio.wait([asyncio.wrap_future(job.future)])
        except asyncio.CancelledError:
            job.stop()
            raise
        return job.reply()

    def close(self) -> None:
        """Stop every run after its current step, and wait for none."""
        for job in list(self._known.values()):
            job.stop()
        self._pool.shutdown(wait=False, cancel_futures=True)
