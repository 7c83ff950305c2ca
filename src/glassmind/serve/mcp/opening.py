"""The engine of a server, opened behind the handshake, or why it cannot be opened.

A client waits seconds for the first reply, its user hours for the reason why nothing
works. So the reply never waits for the engine, and a vault that is missing is told by
every tool, until it is there.
"""

import contextlib
import threading
from collections.abc import Callable
from functools import partial
from typing import Protocol

from glassmind.engine import Engine
from glassmind.errors import GlassmindError, IndexAbsent
from glassmind.errors.serving import CallAbandoned, StillIndexing
from glassmind.serve.mcp.log import log, log_fault
from glassmind.types.files import Progress

ENDING_S = 0.5
"""How long a first index may take to end in good order; the next goes on from there."""


class Opened(Protocol):
    """An engine and all that goes on beside it, such as `VaultHost`."""

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
        self._indexing: threading.Thread | None = None
        self._over = False

    def begin(self) -> None:
        """Open it behind whoever calls; a fault is told to those who ask."""
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
                    work = partial(self._index_first, opened)
                    thread = threading.Thread(target=work, name="first", daemon=True)
                    self._indexing = thread
                    thread.start()
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

        What else goes on waits for the text, so that its progress can be told.
        """
        try:
            report = opened.engine.index(
                embed=False, reason="first", progress=self._told
            )
            log("indexed", notes=report.notes, seconds=round(report.seconds, 1))
        except CallAbandoned:
            return
        except Exception as error:  # noqa: BLE001 - the edge: a thread has no caller
            log_fault("fault", error, work="first index")
        self._first = None
        opened.start()
        with contextlib.suppress(GlassmindError):  # told when somebody asks for it
            opened.engine.index(reason="first")

    def _told(self, now: Progress) -> None:
        if self._over:
            raise CallAbandoned
        self._first = now

    def close(self) -> None:
        """Let go of the engine, if there is one."""
        self._over = True
        if self._indexing is not None:
            self._indexing.join(ENDING_S)
        if self._opened is not None:
            self._opened.close()


def _has_index(engine: Engine) -> bool:
    try:
        engine.status()
    except IndexAbsent:
        return False
    except GlassmindError:  # told by whoever asks for it
        return True
    return True
