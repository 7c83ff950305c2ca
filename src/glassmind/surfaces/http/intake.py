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

SMALL_BODY = 1024
"""Bytes of a body where none is asked for; some clients send `{}` with everything."""

DEEPEST = 64
"""Brackets inside brackets; no tool takes more than a few."""

MOST_MARKS = 100_000
"""Brackets and texts in a body, which take a tenth of a second to look at."""

BODY_S = 15.0
"""Seconds for a whole body: 4 MiB at 300 KB/s."""

LEFTOVER_S, LEFTOVER_BYTES = 1.0, 4 * LARGEST_BODY
"""How long, and for how much, a refused body is read to its end: a client that is still
sending would otherwise lose the answer with the connection."""

TOO_LARGE = Refusal(
    413,
    "too_large",
    f"the body is larger than {LARGEST_BODY:,} bytes",
    "ask for less at once",
)
UNASKED = Refusal(413, "no_body", "no body is taken here", "leave the body out")
TOO_SLOW = Refusal(408, "too_slow", "the body did not come in time", "send it at once")
TOO_DEEP = Refusal(
    400, "too_deep", f"the JSON is nested deeper than {DEEPEST} levels", "nest it less"
)
TOO_MANY = Refusal(
    400,
    "too_many_parts",
    f"the JSON has more than {MOST_MARKS:,} parts",
    "ask for less at once",
)
BAD_LENGTH = Refusal(
    400, "bad_length", "Content-Length is no number", "count the bytes of the body"
)

_MARKS = re.compile(rb'["\[\]{}]')


class Gone(Exception):
    """The client went away before it was done asking."""


def has_body(head: Mapping[bytes, bytes]) -> bool:
    """Whether a body follows."""
    return b"transfer-encoding" in head or head.get(b"content-length", b"0") != b"0"


async def whole_body(
    head: Mapping[bytes, bytes], receive: Receive, *, wanted: bool
) -> bytes:
    """Return the body, which is to be small where none is wanted.

    Raises:
        Refused: it is too large or too slow.
        Gone: the client went away.
    """
    if not has_body(head):
        return b""
    length = head.get(b"content-length", b"0")
    if not length.isdigit():
        raise Refused(BAD_LENGTH)
    largest, refusal = (LARGEST_BODY, TOO_LARGE) if wanted else (SMALL_BODY, UNASKED)
    if int(length) > largest:
        raise Refused(refusal)
    try:
        async with asyncio.timeout(BODY_S):
            return await _collected(receive, largest, refusal)
    except TimeoutError:
        raise Refused(TOO_SLOW) from None


async def _collected(receive: Receive, largest: int, refusal: Refusal) -> bytes:
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise Gone
        part = message.get("body", b"")
        size += len(part)
        if size > largest:
            raise Refused(refusal)
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


def may_be_deep(body: bytes) -> bool:
    """Whether a body has brackets enough to be nested too deep; told at once."""
    return body.count(b"[") + body.count(b"{") > DEEPEST


def fault_in(body: bytes) -> Refusal | None:
    """Return what is wrong with the shape of a body, if anything is.

    Brackets inside of texts do not count. It takes as long as the body is, up to
    `MOST_MARKS`, and twice its room: to be called by a thread.
    """
    # What is escaped goes first, so that every quote left begins or ends a text.
    plain = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    depth, at = 0, 0
    for _ in range(MOST_MARKS):
        mark = _MARKS.search(plain, at)
        if mark is None:
            return None
        at = mark.end()
        if mark[0] == b'"':
            at = plain.find(b'"', at) + 1
            if not at:  # a text without end: no JSON, which its reader will say
                return None
            continue
        depth += 1 if mark[0] in b"[{" else -1
        if depth > DEEPEST:
            return TOO_DEEP
    return TOO_MANY
