"""The process of a stdio server: its two pipes, and when and how it ends.

It ends when nobody is left to serve, or on a signal. A server that outlives its client
would hold the locks of a vault and memory. The SDK only notices the end of stdin.
"""

import contextlib
import os
import select
import signal
import threading
import time
from collections.abc import Callable
from typing import TextIO

from glassmind.serve.mcp.log import log

PARENT_CHECK_S = 1.0
"""How often the parent process is checked; pipes report their end by themselves."""

GRACE_S, WHOLE_S = 1.9, 2.6
"""How long after the end of stdin the main thread may take to end the process, and
everything together: less than three seconds."""

CLOSING_S, CLOSING_LEAST_S = 1.8, 0.3
"""How long closing may take, and what it gets if little time is left."""

SIGNALS = {
    signal.SIGINT: 130,
    signal.SIGTERM: 143,
    **({signal.SIGHUP: 129} if hasattr(signal, "SIGHUP") else {}),
}
"""Signals that end a server, and their exit codes."""


class Wires:
    """Owns what stdin and stdout were; these now lead elsewhere.

    What a library or a child process prints goes to stderr, and what they read is
    empty, so that neither can break into a message.
    """

    def __init__(self) -> None:
        self.inward, self.outward = _moved(0), _moved(1, instead=2)

    def reader(self) -> TextIO:
        """Return the stream of messages; bytes that are not UTF-8 are surrogates."""
        return os.fdopen(
            self.inward,
            encoding="utf-8",
            errors="surrogateescape",
            newline="\n",
            closefd=False,
        )

    def writer(self) -> TextIO:
        return os.fdopen(
            self.outward, "w", encoding="utf-8", newline="\n", closefd=False
        )


def _moved(fd: int, instead: int | None = None) -> int:
    """Return a private descriptor of an open file; let `fd` lead to another one.

    The null device takes the place of a file that is closed.
    """
    try:
        private = os.dup(fd)
    except OSError:
        private = os.open(os.devnull, os.O_RDWR)
    try:
        other = os.open(os.devnull, os.O_RDWR) if instead is None else os.dup(instead)
    except OSError:
        other = os.open(os.devnull, os.O_RDWR)
    if other != fd:
        os.dup2(other, fd)
        os.close(other)
    if os.name == "posix":
        os.set_blocking(private, True)  # some parents make their pipes non-blocking
    return private


class Departure:
    """Watches for the end of the process, and ends it in order.

    `close` releases everything; it is called once, and gets a bounded time.
    `last_word` flushes the log.
    """

    def __init__(
        self, wires: Wires, close: Callable[[], None], last_word: Callable[[], object]
    ) -> None:
        self._wires, self._last_word = wires, last_word
        self._closer = threading.Thread(target=close, name="closing", daemon=True)
        self._lock, self._parent = threading.Lock(), os.getppid()
        self._code: int | None = None
        self._due: float | None = None
        self._signalled, self._signal = os.pipe()

    def begin(self) -> None:
        """Watch from now on; only the main thread may call this."""
        for number, code in SIGNALS.items():
            signal.signal(number, lambda *_, code=code: self._on_signal(code))
        threading.Thread(target=self._watch, name="leaving", daemon=True).start()

    def _on_signal(self, code: int) -> None:
        # a signal may interrupt the holder of any lock, so this takes none
        self._code = code
        with contextlib.suppress(OSError):
            os.write(self._signal, b".")

    def input_ended(self) -> None:
        """Note that no more requests will come."""
        if self._due is None:
            self._due = time.monotonic() + WHOLE_S

    def close(self) -> None:
        """Release everything, within limits; a second caller waits for the first."""
        with self._lock:
            if self._closer.ident is not None:
                return
            self._closer.start()
            left_s = CLOSING_S if self._due is None else self._due - time.monotonic()
            self._closer.join(min(CLOSING_S, max(CLOSING_LEAST_S, left_s)))
            if self._closer.is_alive():
                log("left", problem="closing took too long")

    def _watch(self) -> None:
        code, reason = self._wait()
        log("leaving", reason=reason)
        self.close()
        self._last_word()
        os._exit(code)

    def _wait(self) -> tuple[int, str]:
        """Return the exit code and the reason when it is time to end."""
        pipes = {self._signalled: "signal", self._wires.inward: "stdin"}
        pipes[self._wires.outward] = "stdout"
        ends = float("inf")
        while True:
            closed = _closed_of(pipes, min(PARENT_CHECK_S, ends - time.monotonic()))
            if self._code is not None:
                return self._code, "a signal"
            if "stdout" in closed:
                return 0, "nobody reads the answers"
            if time.monotonic() >= ends:
                return 0, "no more requests"
            if "stdin" in closed:
                # usually the main thread ends the process; it may be stuck
                self.input_ended()
                del pipes[self._wires.inward]
                ends = time.monotonic() + GRACE_S
            elif os.getppid() != self._parent and "stdin" in pipes.values():
                return 0, "the parent is gone"


def _closed_of(pipes: dict[int, str], timeout_s: float) -> set[str]:
    """Wait; return the pipes whose other end is closed. A signal ends the wait."""
    if not hasattr(select, "poll"):  # Windows: the parent and the end of stdin must do
        time.sleep(max(timeout_s, 0))
        return set()
    poll = select.poll()
    for fd, name in pipes.items():
        poll.register(fd, select.POLLIN if name == "signal" else 0)
    lost = select.POLLHUP | select.POLLERR | select.POLLNVAL
    events = poll.poll(max(timeout_s, 0) * 1000)
    return {pipes[fd] for fd, event in events if event & lost}
