"""Answering guests, with a sign of life while their work goes on."""

import hmac
import selectors
import socket
import threading
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias

from glassmind.errors import GlassmindError
from glassmind.resident.codec import Unreadable, packed, packed_error, unpacked
from glassmind.resident.frames import MOST_ASKED, read_frame, send_frame
from glassmind.resident.places import Places
from glassmind.version import __version__

Tell: TypeAlias = Callable[[Any], None]
"""Tells the guest how far its work has come; raises `Unwanted` when it is gone."""

Verb: TypeAlias = Callable[[Mapping[str, Any], Tell], Any]

MOST_ANSWERED, MOST_ADMITTED = 16, 32
"""Calls answered at a time, and let in to be; more wait at the door."""

MOST_AT_WORK, MOST_AWAITING = 4, 64
"""Calls of long work under way, and with those that wait for that; more are refused.
One at a time writes, and the others wait for it."""

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

    `long` names the verbs that take long: they have places of their own, so that
    others are answered meanwhile. `answered` is called after each call.
    """

    def __init__(
        self,
        door: socket.socket,
        token: str,
        verbs: Mapping[str, Verb],
        answered: Callable[[], None] = lambda: None,
        *,
        long: Collection[str] = (),
    ) -> None:
        self._door, self._token, self._verbs = door, token, verbs
        self._answered, self._long = answered, long
        self._free = threading.Semaphore(MOST_ADMITTED)
        self._quick, self._slow = (
            Places("guest", MOST_ANSWERED),
            Places("work", MOST_AT_WORK),
        )
        self._calls: set[_Call] = set()
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

    def move_to(self, door: socket.socket) -> None:
        """Answer at another door from now on; who is inside stays."""
        self._door = door
        self._waker.send(b"x")

    def _receive(self) -> None:
        while not self._closing.is_set():
            door = self._door
            with selectors.DefaultSelector() as either:
                for end in (door, self._woken):
                    either.register(end, selectors.EVENT_READ)
                while self._is_open(door):
                    either.select()
                    if self._is_open(door):
                        self._take(door)
            if not self._closing.is_set():
                self._woken.recv(1)
                door.close()

    def _take(self, door: socket.socket) -> None:
        try:
            stream, _ = door.accept()
        except OSError:  # no file is free for it: it knocks until one is
            self._closing.wait(PULSE_S)
        else:
            self._admit(stream)

    def _is_open(self, door: socket.socket) -> bool:
        return door is self._door and not self._closing.is_set()

    def _admit(self, stream: socket.socket) -> None:
        while not self._free.acquire(timeout=PULSE_S):
            if self._closing.is_set():
                stream.close()
                return
        call = _Call(stream)
        with self._lock:
            self._calls.add(call)
        self._quick.put(partial(self._attend, call))

    def _attend(self, call: "_Call") -> None:
        handed_on = False
        try:
            with suppress(OSError, Unreadable):
                handed_on = self._heard(call)
        finally:
            self._free.release()
            if not handed_on:
                self._let_go(call)

    def _heard(self, call: "_Call") -> bool:
        """Hear what a guest wants, and answer it or hand it on to where that is done.

        Returns whether it was handed on.
        """
        asked = call.hear()
        refused = self._refused(asked)
        if refused is not None:
            call.refuse(refused)
        elif asked["verb"] in self._long:
            self._slow.put(partial(self._work, call, asked))
            return True
        else:
            self._answer(call, asked)
        return False

    def _work(self, call: "_Call", asked: Any) -> None:
        try:
            if not call.gone.is_set():
                with suppress(OSError, Unreadable):
                    self._answer(call, asked)
        finally:
            self._let_go(call)

    def _let_go(self, call: "_Call") -> None:
        with self._lock:
            self._calls.discard(call)
        call.close()
        self._answered()

    def _answer(self, call: "_Call", asked: Any) -> None:
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
        if asked.get("verb") not in self._verbs or "arguments" not in asked:
            return "an unknown verb"
        crowded = self._slow.unfinished >= MOST_AWAITING
        return "too many wait" if crowded and asked["verb"] in self._long else None

    def _pulse(self) -> None:
        """Let every guest know that its work goes on, and learn which have left."""
        while not self._closing.wait(PULSE_S):
            for call in self._live():
                call.pulse()

    def _live(self) -> list["_Call"]:
        with self._lock:
            return list(self._calls)

    def close(self, timeout_s: float) -> bool:
        """Answer nobody any more, and say whether all work ended in `timeout_s`.

        What guests asked for is ended between two steps.
        """
        deadline = time.monotonic() + timeout_s
        if not self._closing.is_set():
            self._closing.set()
            self._waker.send(b"x")
        for call in self._live():
            call.dismiss()
        places = (self._quick, self._slow)
        threads = [*self._threads, *(one for place in places for one in place.threads)]
        for place in places:
            place.close()
        for thread in threads:
            if thread.is_alive() and thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))
        for call in self._live():
            call.close()
        for end in (self._door, self._waker, self._woken):
            end.close()
        return not any(thread.is_alive() for thread in threads)


class _Call:
    """One guest that waits for an answer."""

    def __init__(self, stream: socket.socket) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._heard = self._ended = False
        self.gone = threading.Event()

    def hear(self) -> Any:
        """Return what the guest wants.

        Raises:
            OSError, Unreadable: it says nothing that can be understood in time.
        """
        self._stream.settimeout(READ_S)
        asked = read_frame(self._stream, MOST_ASKED)
        self._stream.settimeout(SEND_S)
        self._heard = True
        return asked

    def refuse(self, why: str) -> None:
        """Send the guest away."""
        self._send({"refused": why}, ends=True)

    def dismiss(self) -> None:
        """End the work for the guest after the step it is at, and hear no more."""
        self.gone.set()
        with suppress(OSError):
            self._stream.shutdown(socket.SHUT_RD)

    def close(self) -> None:
        """Let the guest go."""
        with self._lock:
            self._ended = True
            self._stream.close()

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
        if self._heard and not self.gone.is_set():
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
