"""Messages on a stream: four bytes that say how long, then JSON."""

import json
import socket
from typing import Any

from glassmind.resident.codec import Unreadable

HEAD = 4
"""Bytes of the length."""

MOST_ASKED, MOST_TOLD = 1 << 20, 64 << 20
"""Bytes of a question and of an answer at most: a query is short, and the largest reply
that can be asked for takes some 20 MB."""


def send_frame(stream: socket.socket, message: Any) -> None:
    """Send one message.

    Raises:
        OSError: the other side is gone, or does not read.
    """
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    stream.sendall(len(body).to_bytes(HEAD, "big") + body)


def read_frame(stream: socket.socket, most_bytes: int) -> Any:
    """Return the next message; None when the other side has closed.

    Raises:
        OSError: nothing came in time.
        Unreadable: it is too long, cut off, or no JSON.
    """
    head = _read(stream, HEAD)
    if head is None:
        return None
    length = int.from_bytes(head, "big")
    if length > most_bytes:
        raise Unreadable(f"a message of {length:,} bytes")
    body = _read(stream, length)
    if body is None:
        raise Unreadable("a message without its end")
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Unreadable("a message that is no JSON") from error


def _read(stream: socket.socket, count: int) -> bytes | None:
    found = bytearray()
    while len(found) < count:
        part = stream.recv(min(count - len(found), 1 << 20))
        if not part:
            if found:
                raise Unreadable("a message without its end")
            return None
        found += part
    return bytes(found)
