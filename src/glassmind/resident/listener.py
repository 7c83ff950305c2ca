"""Answering guests: one thread for each, with a sign of life while it works."""

import hmac
import selectors
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

from glassmind.errors import GlassmindError
from glassmind.resident.codec import Unreadable, packed, packed_error, unpacked
from glassmind.resident.frames import MOST_ASKED, read_frame, send_frame
from glassmind.version import __version__

Tell: TypeAlias = Callable[[Any], None]
"""Tells the guest how far its work has come; raises `Unwanted` when it is gone."""

Verb: TypeAlias = Callable[[Mapping[str, Any], Tell], Any]

MOST_GUESTS = 32
"""Calls answered at a time; more wait at the door."""

PULSE_S = 0.5
"""Seconds between two signs of life, and until a guest's leaving is noticed."""

READ_S = 5.0
"""Seconds in which a guest must have said what it wants."""

SEND_S = 2.0
"""Seconds in which a guest must take what it is told."""


class Unwanted(BaseException):
    """The guest has gone: like Ctrl-C, this ends its work between two steps.

    No error of ours: nothing on the way may take it for one and go on.
    """


class Listener:
    """Answers whoever knocks and knows the token, until closed.

    `answered` is called after each call.
    """

    def __init__(
        self,
        door: socket.socket,
        token: str,
        verbs: Mapping[str, Verb],
        answered: Callable[[], None] = lambda: None,
    ) -> None:
        self._door, self._token, self._verbs = door, token, verbs
        self._answered = answered
        self._free = threading.Semaphore(MOST_GUESTS)
        self._calls: dict[threading.Thread, _Call | None] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._waker, self._woken = socket.socketpair()
        self._threads = [
            threading.Thread(target=work, name=f"glassmind-{name}", daemon=True)
            for name, work in (("door", self._receive), ("pulse", self._pulse))
        ]

    def start(self) -> None:
        """Begin to answer; returns at once."""
        for thread in self._threads:
            thread.start()

    def _receive(self) -> None:
        with selectors.DefaultSelector() as either:
            for end in (self._door, self._woken):
                either.register(end, selectors.EVENT_READ)
            while True:
                either.select()
                if self._closing.is_set():
                    return
                with suppress(OSError):
                    stream, _ = self._door.accept()
                    self._admit(stream)

    def _admit(self, stream: socket.socket) -> None:
        while not self._free.acquire(timeout=PULSE_S):
            if self._closing.is_set():
                stream.close()
                return
        thread = threading.Thread(
            target=self._attend, args=(stream,), name="glassmind-guest", daemon=True
        )
        with self._lock:
            self._calls[thread] = None
        thread.start()

    def _attend(self, stream: socket.socket) -> None:
        try:
            with stream, suppress(OSError, Unreadable):
                stream.settimeout(READ_S)
                self._answer(stream, read_frame(stream, MOST_ASKED))
        finally:
            with self._lock:
                del self._calls[threading.current_thread()]
            self._free.release()
            self._answered()

    def _answer(self, stream: socket.socket, asked: Any) -> None:
        refused = self._refused(asked)
        if refused is not None:
            send_frame(stream, {"refused": refused})
            return
        stream.settimeout(SEND_S)
        call = _Call(stream)
        with self._lock:
            self._calls[threading.current_thread()] = call
        verb, arguments = self._verbs[asked["verb"]], unpacked(asked["arguments"])
        try:
            value = verb(arguments, call.tell)
        except GlassmindError as error:
            call.end({"error": packed_error(error)})
        except Unwanted:
            call.gone.set()
        else:
            call.end({"value": packed(value)})

    def _refused(self, asked: Any) -> str | None:
        """Return why a call is not answered; None where it is."""
        if not isinstance(asked, dict) or not isinstance(asked.get("token"), str):
            return "no question"
        if not hmac.compare_digest(asked["token"].encode(), self._token.encode()):
            return "another token"
        if asked.get("version") != __version__:
            return "another version"
        known = asked.get("verb") in self._verbs
        return None if known and "arguments" in asked else "an unknown verb"

    def _pulse(self) -> None:
        """Let every guest know that its work goes on, and learn which have left."""
        while not self._closing.wait(PULSE_S):
            for call in self._live():
                call.pulse()

    def _live(self) -> list["_Call"]:
        with self._lock:
            return [call for call in self._calls.values() if call is not None]

    def close(self, timeout_s: float) -> bool:
        """Answer nobody any more, and say whether all work ended in `timeout_s`.

        What guests asked for is ended between two steps.
        """
        deadline = time.monotonic() + timeout_s
        if not self._closing.is_set():
            self._closing.set()
            self._waker.send(b"x")
        for call in self._live():
            call.gone.set()
        with self._lock:
            threads = [*self._threads, *self._calls]
        for thread in threads:
            if thread.is_alive() and thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))
        for end in (self._door, self._waker, self._woken):
            end.close()
        return not any(thread.is_alive() for thread in threads)


class _Call:
    """One guest that waits for an answer."""

    def __init__(self, stream: socket.socket) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._ended = False
        self.gone = threading.Event()

    def tell(self, step: Any) -> None:
        """Tell the guest of a step.

        Raises:
            Unwanted: it is not there any more.
        """
        if not self.gone.is_set():
            self._send({"told": packed(step)})
        if self.gone.is_set():
            raise Unwanted

    def pulse(self) -> None:
        """Show that we are at work, and see whether the guest is there."""
        if not self.gone.is_set():
            self._send({"working": True})

    def end(self, last: Any) -> None:
        """Give the answer."""
        self._send(last, ends=True)

    def _send(self, message: Any, *, ends: bool = False) -> None:
        with self._lock:
            if self._ended:
                return
            self._ended = ends
            try:
                send_frame(self._stream, message)
            except OSError:
                self.gone.set()
