"""Asking the resident: one question on one stream, and what comes back."""

import socket
import time
from collections.abc import Callable, Mapping
from typing import Any

from glassmind.resident.card import Card
from glassmind.resident.codec import Unreadable, packed, unpacked, unpacked_error
from glassmind.resident.door import knock
from glassmind.resident.frames import MOST_TOLD, read_frame, send_frame
from glassmind.version import __version__

KNOCK_S = 1.0
"""Seconds until a door opens that will."""

SILENCE_S = 4.0
"""Seconds without a sign of life, which a resident at work gives twice a second; one
that hangs is replaced in less."""


class NoAnswer(Exception):
    """Nobody answered: we do the work ourselves."""


def ask(
    card: Card,
    verb: str,
    arguments: Mapping[str, Any],
    *,
    longest_s: float,
    told: Callable[[Any], None] = lambda _: None,
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
            answer = _answer(stream, time.monotonic() + longest_s, told)
            if "error" not in answer:
                return unpacked(answer["value"])
            error = unpacked_error(answer["error"])
    except (OSError, Unreadable) as fault:
        raise NoAnswer(str(fault)) from fault
    raise error


def _answer(
    stream: socket.socket, deadline: float, told: Callable[[Any], None]
) -> dict[str, Any]:
    """Return the last message: one with a value or an error."""
    while time.monotonic() < deadline:
        match read_frame(stream, MOST_TOLD):
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
