"""Going when it is time: nobody is left to serve, or somebody says so.

A server that outlives its client holds a vault's locks and a machine's memory, and no
one knows of it. The protocol's own package notices the end of stdin alone.
"""

import contextlib
import os
import select
import signal
import threading
import time
from collections.abc import Callable

from glassmind.serve.mcp.log import log
from glassmind.serve.mcp.wires import Wires

LOOK_S = 1.0
"""How often the parent is looked for; the pipes tell by themselves."""

GRACE_S = 1.9
"""How long the usual end may take when nothing more will be asked."""

CLOSING_S, CLOSING_LEAST_S = 1.8, 0.3
"""How long closing may take, and what it gets when little time is left."""

WHOLE_S = 2.6
"""How long all of it may take when nothing more is asked: below three seconds."""

SIGNALS = {
    signal.SIGINT: 130,
    signal.SIGTERM: 143,
    **({signal.SIGHUP: 129} if hasattr(signal, "SIGHUP") else {}),
}
"""What ends a server, and the exit code that tells of it."""


class Departure:
    """Watches for the end, and brings it about in good order.

    `close` lets go of everything; it is called once, and not waited for for ever.
    `last_word` writes what is still to be told.
    """

    def __init__(
        self,
        wires: Wires,
        close: Callable[[], None],
        last_word: Callable[[], object],
    ) -> None:
        self._wires, self._close, self._last_word = wires, close, last_word
        self._closing = threading.Lock()
        self._parent = os.getppid()
        self._code: int | None = None
        self._due: float | None = None
        self._hearing, self._waking = os.pipe()

    def begin(self) -> None:
        """Watch from now on; only the main thread may call this."""
        for number, code in SIGNALS.items():
            signal.signal(number, lambda *_, code=code: self._told(code))
        threading.Thread(target=self._watch, name="leaving", daemon=True).start()

    def _told(self, code: int) -> None:
        # A signal may come while anything is locked: nothing here takes a lock.
        self._code = code
        with contextlib.suppress(OSError):
            os.write(self._waking, b".")

    def nothing_more(self) -> None:
        """Know that nothing more will be asked: what is left to do has its time."""
        if self._due is None:
            self._due = time.monotonic() + WHOLE_S

    def _closing_s(self) -> float:
        if self._due is None:
            return CLOSING_S
        left_s = self._due - time.monotonic()
        return min(CLOSING_S, max(CLOSING_LEAST_S, left_s))

    def close(self) -> None:
        """Let go of everything, within bounds; whoever comes second waits for that."""
        with self._closing:
            closing = threading.Thread(target=self._close, name="closing", daemon=True)
            closing.start()
            closing.join(self._closing_s())
            if closing.is_alive():
                log("left", problem="closing took too long")
            self._close = _nothing

    def _watch(self) -> None:
        code = self._end()
        self.close()
        self._last_word()
        os._exit(code)

    def _end(self) -> int:
        """Return the exit code when it is time to go."""
        poll, asked, longest_s = _Poll(self._hearing, self._wires), True, LOOK_S
        while True:
            gone = poll.wait(longest_s)
            if self._code is not None:
                log("leaving", reason="a signal")
                return self._code
            if gone == "stdout":
                log("leaving", reason="nobody reads the answers")
                return 0
            if not asked:
                log("leaving", reason="nobody asks any more")
                return 0
            if gone == "stdin":
                # The usual way out is the main thread's; this is for when it is stuck.
                self.nothing_more()
                poll.forget(self._wires.inward)
                asked, longest_s = False, GRACE_S
                continue
            if os.getppid() != self._parent:
                log("leaving", reason="the parent is gone")
                return 0


def _nothing() -> None:
    """Be called in the place of what was done already."""


class _Poll:
    """Waits until a pipe has lost its other end, or a signal came."""

    def __init__(self, hearing: int, wires: Wires) -> None:
        self._names = {wires.inward: "stdin", wires.outward: "stdout", hearing: "told"}
        self._poll = select.poll() if hasattr(select, "poll") else None
        if self._poll is not None:
            self._poll.register(hearing, select.POLLIN)
            self._poll.register(wires.inward, 0)
            self._poll.register(wires.outward, 0)

    def forget(self, number: int) -> None:
        """Look at a pipe no more."""
        if self._poll is not None:
            self._poll.unregister(number)

    def wait(self, longest_s: float) -> str:
        """Return what has lost its other end, if so; answers go before questions."""
        if self._poll is None:  # Windows: the parent and the end of stdin must do
            time.sleep(longest_s)
            return ""
        found = self._poll.poll(longest_s * 1000)
        lost = select.POLLHUP | select.POLLERR | select.POLLNVAL
        gone = {self._names[fd] for fd, event in found if event & lost}
        return next((name for name in ("stdout", "stdin") if name in gone), "")
