"""The engine of a server: opened after the first reply, and used in threads.

Clients wait only seconds for the first reply, so it does not wait for the engine. If
the vault is missing, every tool says so until it is there.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, TypeVar

from mcp.server.context import ServerRequestContext

from glassmind.engine import Engine
from glassmind.errors import GlassmindError, IndexAbsent
from glassmind.errors.serving import CallAbandoned, StillIndexing
from glassmind.serve.mcp.log import log, log_fault
from glassmind.types.files import Progress
from glassmind.types.ledger import Surface

Context: TypeAlias = ServerRequestContext[Any, Any]

EngineSource: TypeAlias = Callable[[], Engine]
"""Returns the engine, or raises a GlassmindError that says why there is none."""

Wording: TypeAlias = Callable[[GlassmindError], str]
"""Returns the message of an error; for some callers without places on the machine."""

Result = TypeVar("Result")

MOST = 32
"""Calls that run at once; more wait. Some may have no caller any more: they end at
their next step."""

ENDING_S = 0.5
"""How long a first index may take to stop in order; the next run continues it."""


class Threads:
    """Runs work of the engine, which is synchronous, in a bounded pool of threads.

    anyio's limiter would not do: it frees the place of a thread whose caller left.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(MOST, "glassmind-mcp")

    async def run(self, work: Callable[[], Result]) -> Result:
        """Return the result of some work, which sees the caller's context variables.

        A caller that is cancelled returns at once; work that waits is then not started.
        """
        return await asyncio.wrap_future(self._pool.submit(copy_context().run, work))


@dataclass(frozen=True)
class Host:
    """What all requests of a server share; `surface` is recorded in the access log."""

    engine: EngineSource
    surface: Surface = "mcp-stdio"
    wording: Wording = str
    threads: Threads = field(default_factory=Threads)


class Opened(Protocol):
    """An engine and its background work, such as `VaultHost`."""

    engine: Engine

    def start(self) -> None: ...
    def close(self) -> None: ...


class Opening:
    """Opens the engine once, when first needed, and again after a failure."""

    def __init__(self, make: Callable[[], Opened]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._opened: Opened | None = None
        self._first: Progress | None = None
        self._indexing: threading.Thread | None = None
        self._over = False

    def begin(self) -> None:
        """Open it in the background; every call then reports a fault."""
        threading.Thread(target=self._prepare, name="opening", daemon=True).start()

    def engine(self) -> Engine:
        """Return the engine.

        Raises:
            GlassmindError: there is none yet; it says why.
        """
        opened = self._open()
        if self._first is not None:
            raise StillIndexing(self._first.stage, self._first.done, self._first.total)
        return opened.engine

    def _open(self) -> Opened:
        with self._lock:
            if self._opened is None:
                opened = self._make()
                if _has_index(opened.engine):
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

    def _index_first(self, opened: Opened) -> None:
        """Make the index of a vault that has none: text, then vectors.

        Other background work waits for the text, so that calls can report its progress.
        """
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


def _has_index(engine: Engine) -> bool:
    try:
        engine.status()
    except GlassmindError as error:  # a call will report any other
        return not isinstance(error, IndexAbsent)
    return True
