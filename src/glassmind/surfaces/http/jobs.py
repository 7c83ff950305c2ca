"""Threads that use the engine: a pool for requests, and one thread for index runs."""

import asyncio
import secrets
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from glassmind.engine import Engine
from glassmind.errors import GlassmindError
from glassmind.errors.serving import CallAbandoned
from glassmind.render.reports import report_as_json
from glassmind.surfaces.http.errors import (
    BUSY,
    FAULT,
    STOPPING,
    Refusal,
    Refused,
    error_of,
    refusal_of,
    refused,
)
from glassmind.surfaces.http.replies import Reply, answered
from glassmind.types.files import IndexReport, Progress

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

NAMED_FILES = 1_000
"""Files and warnings that a report names; a vault may have a hundred thousand."""


class Workers:
    """A bounded pool of threads; work that nobody waits for any more is not begun.

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
    """One index run, from the request on."""

    def __init__(self, engine: Engine, options: Mapping[str, Any]) -> None:
        self.id = secrets.token_hex(8)
        self._engine, self._options = engine, options
        self._stop = threading.Event()
        self._progress: Progress | None = None
        self._began = False
        self.report: dict[str, Any] | None = None
        self.refusal: Refusal | None = None
        self.show: Callable[[object], None] = lambda _: None
        self.future: Future[None] = Future()

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        return self.report is not None or self.refusal is not None

    def run(self) -> None:
        """Update the index; to be called once, in a thread."""
        try:
            self._check()
            self._began = True
            report = self._engine.index(
                **self._options, reason="http", progress=self._on_progress
            )
            self.report = shortened_report(report)
        except CallAbandoned:
            self.refusal = STOPPING
        except GlassmindError as error:
            self.refusal = refusal_of(error, self._engine.config)
        except Exception:  # noqa: BLE001 - the edge: a waiting client needs an answer
            self.refusal = FAULT

    def _check(self) -> None:
        if self._stop.is_set():
            raise CallAbandoned

    def _on_progress(self, progress: Progress) -> None:
        self._progress = progress
        self._check()

    def stop(self) -> None:
        """End the run after its current step; what was indexed is kept."""
        self._stop.set()
        if self.future.cancel():
            self.refusal = STOPPING

    def reply(self) -> Reply:
        """Return the response to a client that waited for the end."""
        if self.refusal is not None:
            return refused(self.refusal)
        self.show(self.report)
        return answered(self.report)

    def as_json(self) -> dict[str, Any]:
        """Return the state of the run."""
        now = self._progress
        state = "failed" if self.refusal else "done" if self.report else "running"
        return {
            "job": self.id,
            "state": state if self._began or self.ended else "waiting",
            "progress": None if now is None or self.ended else dict(now._asdict()),
            "report": self.report,
            "error": error_of(self.refusal) if self.refusal else None,
        }


def shortened_report(report: IndexReport) -> dict[str, Any]:
    """Return a report with the first of the files it names, and their number."""
    made = report_as_json(report)
    for name in ("skipped", "warnings"):
        made[f"{name}_total"] = len(made[name])
        made[name] = made[name][:NAMED_FILES]
    return made


class Jobs:
    """Owns the thread for index runs, which run one at a time."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "glassmind-index")
        self._lock = threading.Lock()
        self._known: dict[str, Job] = {}

    def begin(self, engine: Engine, options: Mapping[str, Any]) -> Job:
        """Return a run that begins when those before it are over.

        Raises:
            Refused: too many are waiting.
        """
        job = Job(engine, options)
        with self._lock:
            ended = [known for known in self._known.values() if known.ended]
            if len(self._known) - len(ended) > WAITING_JOBS:
                raise Refused(BUSY)
            for old in ended[:-KEPT_JOBS]:
                del self._known[old.id]
            self._known[job.id] = job
            job.future = self._pool.submit(job.run)
        return job

    def find(self, name: str) -> Job | None:
        """Return a run; None if it is unknown, or forgotten."""
        return self._known.get(name)

    async def ended(self, job: Job) -> Reply:
        """Wait for the end of a run; it is stopped if the caller is cancelled."""
        try:
            await asyncio.shield(asyncio.wrap_future(job.future))
        except asyncio.CancelledError:
            job.stop()
            raise
        return job.reply()

    def close(self) -> None:
        """Stop every run after its current step, and wait for none."""
        for job in list(self._known.values()):
            job.stop()
        self._pool.shutdown(wait=False, cancel_futures=True)
