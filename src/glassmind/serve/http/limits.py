"""Limits of time, size and number, where uvicorn has no setting of its own.

docs/decisions/http.md says which these are, and why.
"""

import asyncio
import contextlib
import sys
from collections.abc import Mapping

import h11
from starlette.requests import ClientDisconnect, Request
from uvicorn.protocols.http.h11_impl import H11Protocol

from glassmind.serve.http.errors import Refusal, Refused

ANSWER_S = 60.0
"""Seconds for an answer; the longest search takes a few."""

WRITE_S = 600.0
"""The same for changes, which may rewrite links in thousands of notes."""

TIME_LIMITS: Mapping[str, float] = {
    "/index": 6 * 3600.0,  # a first index of a large vault
    "/mcp": 900.0,
}
"""Seconds for an answer by route, where these are not enough."""

HEAD_S = 10.0
"""Seconds for the head of a request, from its first byte."""

BODY_S = 15.0
"""Seconds for a whole body: 4 MiB at 300 KB/s."""

LARGEST_HEAD = 32 * 1024
"""Bytes of a head: a URL with two thousand characters, each encoded in twelve bytes."""

LARGEST_BODY = 4 * 1024 * 1024
"""Bytes; the limit of the MCP package too."""

SMALL_BODY = 1024
"""Bytes of a body where none is needed; some clients send `{}` with everything."""

MOST_PARTS = 50_000
"""Opening brackets in JSON: a list takes forty times its bytes."""

DRAIN_S, DRAIN_BYTES = 1.0, 4 * LARGEST_BODY
"""How long and how much of a rejected body is read: a client that is still sending
would otherwise lose the answer with the connection."""

MOST_CONNECTIONS = 512
"""More requests are answered with 503, and some more connections are accepted."""

WANTED_FILES = 4 * MOST_CONNECTIONS
"""The limit of open files to ask the system for: many start with 256."""

TOO_LARGE = Refusal(
    413,
    "too_large",
    f"the body is larger than {LARGEST_BODY:,} bytes",
    "ask for less at once",
)
NO_BODY = Refusal(413, "no_body", "this route takes no body", "leave the body out")
TOO_SLOW = Refusal(408, "too_slow", "the body came too slowly", "send it at once")
TOO_MANY_PARTS = Refusal(
    400,
    "too_many_parts",
    f"the JSON has more than {MOST_PARTS:,} parts",
    "ask for less at once",
)


def has_body(request: Request) -> bool:
    head = request.headers
    return "transfer-encoding" in head or head.get("content-length", "0") != "0"


async def read_body(request: Request, *, expected: bool) -> bytes:
    """Return the whole body; unless one is expected it has to be small."""
    if not has_body(request):
        return b""
    largest, refusal = (LARGEST_BODY, TOO_LARGE) if expected else (SMALL_BODY, NO_BODY)
    if int(request.headers.get("content-length", 0)) > largest:
        raise Refused(refusal)
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            async for part in request.stream():
                body += part
                if len(body) > largest:
                    raise Refused(refusal)
    except TimeoutError:
        raise Refused(TOO_SLOW) from None
    if body.count(b"[") + body.count(b"{") > MOST_PARTS:
        raise Refused(TOO_MANY_PARTS)
    return bytes(body)


async def drain(request: Request) -> None:
    """Read and drop the rest of a rejected body, within limits."""
    size = int(request.headers.get("content-length", 0))
    if size > DRAIN_BYTES or "expect" in request.headers:
        return
    size = 0
    # RuntimeError: all was read already
    with contextlib.suppress(TimeoutError, ClientDisconnect, RuntimeError):
        async with asyncio.timeout(DRAIN_S):
            async for part in request.stream():
                size += len(part)
                if size > DRAIN_BYTES:
                    return


def raise_file_limit() -> int:
    """Raise the limit of open files; return how many connections may be open.

    That is half of the files: the index and the models need the rest.
    """
    if sys.platform == "win32":  # pragma: no cover - no such limit there
        return MOST_CONNECTIONS
    import resource  # noqa: PLC0415 - not on every system

    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    files, hard = (WANTED_FILES if most == unlimited else most for most in limits)
    wanted = min(WANTED_FILES, hard)
    if files < wanted:
        with contextlib.suppress(OSError, ValueError):  # the system may have another
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, limits[1]))
            files = wanted
    return max(1, min(MOST_CONNECTIONS, files // 2))


class Connection(H11Protocol):
    """uvicorn's connection with a time limit for heads, even before the first byte."""

    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        # wait for the first head; close at once if there are far too many connections
        super().connection_made(transport)
        most = self.limit_concurrency or MOST_CONNECTIONS
        if len(self.connections) > most + most // 8 + 1:
            transport.abort()
        else:
            self._start_timer()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_timer()
        elif self._head_timer is None and self.timeout_keep_alive_task is None:
            self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _start_timer(self) -> None:
        self._head_timer = self.loop.call_later(HEAD_S, self.transport.abort)

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
