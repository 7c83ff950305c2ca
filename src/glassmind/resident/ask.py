"""Asking the resident: one question on one stream, and what comes back."""

import socket
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from glassmind.resident.card import Card
from glassmind.resident.codec import Unreadable, packed, unpacked, unpacked_error
from glassmind.resident.door import knock
from glassmind.resident.frames import MOST_TOLD, read_frame, send_frame
from glassmind.version import __version__

KNOCK_S = 1.0
"""Seconds until a door opens that will."""

SILENCE_S = 10.0
"""Seconds without a sign of life, which a resident at work gives twice a second, though
less often on a machine that is overrun."""

LOOK_S, STOPPED_LOOKS = 0.8, 2
"""How often we look, while nothing is heard, whether the resident is stopped, and how
often in a row it must be: by then it is about to be replaced."""

IsStopped: TypeAlias = Callable[[int], bool]
"""Says of a process whether it is stopped right now."""


class NoAnswer(Exception):
    """Nobody answered: we do the work ourselves."""


def ask(  # noqa: PLR0913 - each wish by its name
    card: Card,
    verb: str,
    arguments: Mapping[str, Any],
    *,
    longest_s: float,
    told: Callable[[Any], None] = lambda _: None,
    is_stopped: IsStopped = lambda _: False,
) -> Any:
    """Return what the resident answers within `longest_s`; `told` hears of its steps.

    Whatever ends this call early closes the stream, by which the resident knows.

    Raises:
        GlassmindError: as the resident raised it.
        NoAnswer: it is gone, hangs, or says what we do not understand.
    """
    asked = {
        "token": card.token,
        "version": __version__,
        "verb": verb,
        "arguments": packed(arguments),
    }
    try:
        with knock(card.address, KNOCK_S) as stream:
            stream.settimeout(SILENCE_S)
            send_frame(stream, asked)
            heard = _Ear(stream, lambda: is_stopped(card.pid))
            answer = _answer(heard, time.monotonic() + longest_s, told)
            if "error" not in answer:
                return unpacked(answer["value"])
            error = unpacked_error(answer["error"])
    except (OSError, Unreadable) as fault:
        raise NoAnswer(str(fault)) from fault
    raise error


class _Ear:
    """Hears one message after the other, until nothing is to be expected any more."""

    def __init__(self, stream: socket.socket, is_stopped: Callable[[], bool]) -> None:
        self._stream, self._is_stopped = stream, is_stopped

    def __call__(self) -> Any:
        """Return the next message.

        Raises:
            OSError: nothing came for long, or who should send it is stopped.
            Unreadable: it is no message.
        """
        self._await()
        self._stream.settimeout(SILENCE_S)
        return read_frame(self._stream, MOST_TOLD)

    def _await(self) -> None:
        """Wait for the first byte."""
        deadline, stopped = time.monotonic() + SILENCE_S, 0
        self._stream.settimeout(LOOK_S)
        while True:
            try:
                self._stream.recv(1, socket.MSG_PEEK)
            except TimeoutError:
                stopped = stopped + 1 if self._is_stopped() else 0
                if stopped >= STOPPED_LOOKS or time.monotonic() > deadline:
                    raise
            else:
                return


def _answer(
    heard: _Ear, deadline: float, told: Callable[[Any], None]
) -> dict[str, Any]:
    """Return the last message: one with a value or an error."""
    while time.monotonic() < deadline:
        match heard():
            case {"value": _} | {"error": _} as last:
                return dict(last)
            case {"told": step}:
                told(unpacked(step))
            case {"working": _}:
                continue
            case {"refused": str() as why}:
                raise Unreadable(why)
            case _:
                raise Unreadable("the stream ended without an answer")
    raise Unreadable("the answer took too long")
