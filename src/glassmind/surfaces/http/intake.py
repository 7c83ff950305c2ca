"""Taking in a body: whole, in time, no larger and no deeper than it may be."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, TypeAlias

from glassmind.surfaces.http.replies import Refusal, Refused

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]

LARGEST_BODY = 4 * 1024 * 1024
"""Bytes; what the protocol's own package takes too."""

DEEPEST = 64
"""Brackets inside brackets; no tool takes more than a few."""

BODY_S = 15.0
"""Seconds for a whole body: 4 MiB at 300 KB/s."""

LEFTOVER_S, LEFTOVER_BYTES = 1.0, 4 * LARGEST_BODY
"""How long, and for how much, a refused body is read to its end: a client that is still
sending would otherwise lose the answer with the connection."""

TOO_LARGE = Refusal(413, "too_large", f"the body is larger than {LARGEST_BODY:,} bytes")
TOO_SLOW = Refusal(408, "too_slow", "the body did not come in time")
TOO_DEEP = Refusal(400, "too_deep", f"the JSON is nested deeper than {DEEPEST} levels")
BAD_LENGTH = Refusal(400, "bad_length", "Content-Length is no number")

_TEXTS = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_BRACKETS = re.compile(rb"[\[\]{}]")


class Gone(Exception):
    """The client went away before it was done asking."""


def has_body(head: Mapping[bytes, bytes]) -> bool:
    """Whether a body follows."""
    return b"transfer-encoding" in head or head.get(b"content-length", b"0") != b"0"


async def whole_body(head: Mapping[bytes, bytes], receive: Receive) -> bytes:
    """Return the body.

    Raises:
        Refused: it is too large or too slow.
        Gone: the client went away.
    """
    if not has_body(head):
        return b""
    length = head.get(b"content-length", b"0")
    if not length.isdigit():
        raise Refused(BAD_LENGTH)
    if int(length) > LARGEST_BODY:
        raise Refused(TOO_LARGE)
    try:
        async with asyncio.timeout(BODY_S):
            return await _collected(receive)
    except TimeoutError:
        raise Refused(TOO_SLOW) from None


async def _collected(receive: Receive) -> bytes:
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise Gone
        part = message.get("body", b"")
        size += len(part)
        if size > LARGEST_BODY:
            raise Refused(TOO_LARGE)
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


async def read_away(head: Mapping[bytes, bytes], receive: Receive) -> None:
    """Read what is left of a body that nobody wants, for a moment at most."""
    length = head.get(b"content-length", b"0")
    long = length.isdigit() and int(length) > LEFTOVER_BYTES
    if not has_body(head) or long or b"expect" in head:
        return
    size = 0
    try:
        async with asyncio.timeout(LEFTOVER_S):
            while size < LEFTOVER_BYTES:
                message = await receive()
                size += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return
    except TimeoutError:
        return


def is_too_deep(body: bytes) -> bool:
    """Whether brackets are nested too deep; those inside of texts do not count."""
    if body.count(b"[") + body.count(b"{") <= DEEPEST:
        return False
    depth = 0
    for bracket in _BRACKETS.finditer(_TEXTS.sub(b"", body)):
        depth += 1 if bracket[0] in b"[{" else -1
        if depth > DEEPEST:
            return True
    return False
