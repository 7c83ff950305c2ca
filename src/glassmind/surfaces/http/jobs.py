"""Runs of indexing that were asked for: one at a time, each by a number of its own."""

import asyncio
import secrets
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from glassmind.engine import Engine
from glassmind.errors import GlassmindError
from glassmind.errors.serving import CallAbandoned
from glassmind.render.reports import report_as_json
from glassmind.surfaces.http.refusals import BUSY, FAULT, STOPPING, refusal_of
from glassmind.surfaces.http.replies import (
    Refusal,
    Refused,
    Reply,
    answered,
    error_of,
    refused,
)
from glassmind.types.files import IndexReport, Progress

KEPT = 32
"""Runs that are remembered after their end, for those who ask later."""

WAITING = 8
"""Runs that may wait; each would find what those before it have done."""

NAMED = 1_000
"""Files and warnings that a report names; a vault may have a hundred thousand."""


class Job:
    """One run, from when it was asked for."""

    def __init__(self, engine: Engine, wishes: Mapping[str, Any]) -> None:
        self.id = secrets.token_hex(8)
        self._engine, self._wishes = engine, wishes
        self._stop = threading.Event()
        self._now: Progress | None = None
        self.began = False
        self.report: dict[str, Any] | None = None
        self.refusal: Refusal | None = None
        self.show: Callable[[object], None] = lambda _: None
        self.future: Future[None] = Future()

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        return self.report is not None or self.refusal is not None

    def run(self) -> None:
        """Index; to be called once, by a thread that may take its time."""
        try:
            self._check()
            self.began = True
            report = self._engine.index(
                **self._wishes, reason="http", progress=self._progressed
            )
            self.report = shortened_report(report)
        except CallAbandoned:
            self.refusal = STOPPING
        except GlassmindError as error:
            self.refusal = refusal_of(error, self._engine.config)
        except Exception:  # noqa: BLE001 - the edge: whoever waits has to be told
            self.refusal = FAULT

    def _check(self) -> None:
        if self._stop.is_set():
            raise CallAbandoned

    def _progressed(self, now: Progress) -> None:
        self._now = now
        self._check()

    def stop(self) -> None:
        """End the run after the step it is at; what was indexed is kept.

        One that waits for those before it is not begun.
        """
        self._stop.set()
        if self.future.cancel():
            self.refusal = STOPPING

    def reply(self) -> Reply:
        """Return what a client that waited for the end is told."""
        if self.refusal is not None:
            return refused(self.refusal)
        self.show(self.report)
        return answered(self.report)

    def as_json(self) -> dict[str, Any]:
        """Return how far it has come."""
        now = self._now
        state = "failed" if self.refusal else "done" if self.report else "running"
        return {
            "job": self.id,
            "state": state if self.began or self.ended else "waiting",
            "progress": None if now is None or self.ended else dict(now._asdict()),
            "report": self.report,
            "error": error_of(self.refusal) if self.refusal else None,
        }


def shortened_report(report: IndexReport) -> dict[str, Any]:
    """Return a report with the first of what it names, and how many there were."""
    made = report_as_json(report)
    for name in ("skipped", "warnings"):
        made[f"{name}_total"] = len(made[name])
        made[name] = made[name][:NAMED]
    return made


class Jobs:
    """Owns the thread that indexes."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "glassmind-index")
        self._lock = threading.Lock()
        self._known: dict[str, Job] = {}

    def begin(self, engine: Engine, wishes: Mapping[str, Any]) -> Job:
        """Return a run that begins when those before it are over.

        Raises:
            Refused: too many are waiting already.
        """
        job = Job(engine, wishes)
        with self._lock:
            running = [one for one in self._known.values() if not one.ended]
            if len(running) > WAITING:
                raise Refused(BUSY)
            for old in [one for one in self._known.values() if one.ended][:-KEPT]:
                del self._known[old.id]
            self._known[job.id] = job
            job.future = self._pool.submit(job.run)
        return job

    def find(self, name: str) -> Job | None:
        """Return a run; None when it is not known, or not any more."""
        return self._known.get(name)

    async def ended(self, job: Job) -> Reply:
        """Wait for the end of a run; if nobody waits any more, it is stopped."""
        try:
            await asyncio.shield(asyncio.wrap_future(job.future))
        except asyncio.CancelledError:
            job.stop()
            raise
        return job.reply()

    def close(self) -> None:
        """Stop every run after the step it is at, and wait for none."""
        for job in list(self._known.values()):
            job.stop()
        self._pool.shutdown(wait=False, cancel_futures=True)
