"""The engine of a server, opened behind the handshake, or why it cannot be opened.

A client waits seconds for the first reply, its user hours for the reason why nothing
works. So the reply never waits for the engine, and a vault that is missing is told by
every tool, until it is there.
"""

import threading
from collections.abc import Callable
from typing import Protocol

from glassmind.engine import Engine
from glassmind.errors import GlassmindError, IndexAbsent
from glassmind.errors.serving import StillIndexing
from glassmind.surfaces.mcp.log import log, log_fault
from glassmind.types.files import Progress

SEARCHABLE = frozenset(("embed", "vectors"))
"""Stages of a run at which words are found already."""


class Opened(Protocol):
    """An engine and all that goes on beside it, such as `Residence`."""

    engine: Engine

    def start(self) -> None:
        """Begin what goes on beside it; returns at once."""

    def close(self) -> None:
        """Let go of everything."""


class Opening:
    """Opens the engine once, when it is first needed, and again after a failure."""

    def __init__(self, make: Callable[[], Opened]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._opened: Opened | None = None
        self._first: Progress | None = None

    def begin(self) -> None:
        """Open it behind whoever calls; a fault is told to those who ask."""
        threading.Thread(target=self._prepare, name="opening", daemon=True).start()

    def engine(self) -> Engine:
        """Return the engine.

        Raises:
            GlassmindError: there is none yet; it says why.
        """
        with self._lock:
            if self._opened is None:
                opened = self._make()
                opened.start()
                self._opened = opened
        if self._first is not None:
            raise StillIndexing(self._first.stage, self._first.done, self._first.total)
        return self._opened.engine

    def _prepare(self) -> None:
        try:
            engine = self.engine()
            log("opened")
            self._index_first(engine)
        except GlassmindError as error:
            log("unready", kind=type(error).__name__)
        except Exception as error:  # noqa: BLE001 - the edge: a thread has no caller
            log_fault("fault", error, work="opening")

    def _index_first(self, engine: Engine) -> None:
        """Make the index of a vault that has none."""
        try:
            engine.status()
        except IndexAbsent:
            self._first = Progress("scan", 0, 0)
        else:
            return
        try:
            report = engine.index(reason="first", progress=self._told)
            log("indexed", notes=report.notes, seconds=round(report.seconds, 1))
        finally:
            self._first = None

    def _told(self, now: Progress) -> None:
        self._first = None if now.stage in SEARCHABLE else now

    def close(self) -> None:
        """Let go of the engine, if there is one."""
        if self._opened is not None:
            self._opened.close()
