"""The process of a stdio server: its two pipes, and when and how it ends.

It ends when the client has left, or on a signal. A server that outlives its client
would hold the locks of a vault and memory. The SDK only notices the end of stdin.
"""

import os
import select
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

from glassmind.serve.log import log

PARENT_CHECK_S = 1.0  # pipes report their end by themselves
GRACE_S, WHOLE_S = 1.9, 2.4
"""How long after the end of stdin the last answers may take, and leaving altogether."""

SIGNALS = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}


class ProcessStreams:
    """Owns what stdin and stdout were; these now lead elsewhere.

    What a library or a child process prints goes to stderr, and what they read is
    empty, so that neither can break into a message.
    """

    def __init__(self) -> None:
        self.inward, self.outward = os.dup(0), os.dup(1)
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.close(empty)
        os.dup2(2, 1)
        if os.name == "posix":  # some parents make their pipes non-blocking
            os.set_blocking(self.inward, True)
            os.set_blocking(self.outward, True)


def run_until_left(
    wires: ProcessStreams, work: Callable[[], None], close: Callable[[], None]
) -> int:
    """Run `work` in a thread, then `close`; what does not end in time is abandoned."""
    ended, end = os.pipe()

    def run() -> None:
        try:
            work()
        finally:
            os.close(end)

    code, reason, parent = 0, "", os.getppid()
    serving = threading.Thread(target=run, name="serving", daemon=True)
    pipes = {ended: "all is answered", wires.inward: "no more requests"}
    pipes[wires.outward] = "the client closed its end"
    try:
        _on_signals(_leave)
        serving.start()
        while not reason and serving.is_alive():
            reason = _first_closed(pipes)
            if os.getppid() != parent:
                reason = "the parent is gone"
        _on_signals(signal.SIG_IGN)
    except SystemExit as signalled:
        code, reason = int(signalled.code or 0), "a signal"
    due = time.monotonic() + WHOLE_S
    if reason == pipes[wires.inward]:
        serving.join(GRACE_S)
    log("leaving", reason=reason)
    closing = threading.Thread(target=close, name="closing", daemon=True)
    closing.start()
    closing.join(due - time.monotonic())
    log("left", **({"problem": "closing took too long"} if closing.is_alive() else {}))
    return code


def _on_signals(handler: Any) -> None:
    for name in SIGNALS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), handler)


def _leave(number: int, _: object) -> None:
    _on_signals(signal.SIG_IGN)
    raise SystemExit(SIGNALS[signal.Signals(number).name])


def _first_closed(pipes: dict[int, str]) -> str:
    if not hasattr(select, "poll"):  # Windows: the parent and the end of stdin must do
        time.sleep(PARENT_CHECK_S)
        return ""
    poll = select.poll()
    for fd in pipes:
        poll.register(fd, 0)
    events = poll.poll(PARENT_CHECK_S * 1000)
    return next((pipes[fd] for fd, _ in events), "")
