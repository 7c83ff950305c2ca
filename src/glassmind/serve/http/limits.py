"""Limits of time, size and number, where uvicorn has no setting of its own.

docs/decisions/http.md says which these are, and why.
"""

import asyncio
import contextlib
import re
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, TypeAlias

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from glassmind.serve.http.errors import (
    BUSY,
    RETRY,
    Disconnected,
    Refusal,
    Refused,
    error_body,
)
from glassmind.serve.http.replies import CLOSE, JSON, SAFE_HEADERS, encoded
from glassmind.serve.mcp.log import log

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]

ANSWER_S = 60.0
"""Seconds for an answer; the longest search takes a few."""

LINKS_S = 600.0
"""The same for changes that may rewrite links in thousands of notes."""

TIME_LIMITS: Mapping[str, float] = {
    "/index": 6 * 3600.0,  # a first index of a large vault
    "/mcp": 900.0,
    **dict.fromkeys(
        (
            "/move", "/rename-heading", "/rename-tag", "/merge", "/split", "/delete",
            "/notes", "/changes/{id}/undo", "/changes/{id}/apply",
            "/graph/health/fix", "/graph/suggest/apply",
        ),
        LINKS_S,
    ),
}  # fmt: skip
"""Seconds for an answer by route, where `ANSWER_S` is not enough."""

HEAD_S = 10.0
"""Seconds for the head of a request, from its first byte."""

BODY_S = 15.0
"""Seconds for a whole body: 4 MiB at 300 KB/s."""

UNREAD_S = 30.0
"""Seconds that a client may take to read the rest of its last answer."""

LARGEST_HEAD = 32 * 1024
"""Bytes of a head: a URL with two thousand characters, each encoded in twelve bytes."""

LARGEST_BODY = 4 * 1024 * 1024
"""Bytes; the limit of the MCP package too."""

SMALL_BODY = 1024
"""Bytes of a body where none is needed; some clients send `{}` with everything."""

DEEPEST, MOST_PARTS = 64, 100_000
"""Nesting of JSON, and brackets and strings in it: a tenth of a second to scan."""

FREE_CHUNKS, CHUNK_BYTES = 1_000, 64
"""Chunks that a body may have, and bytes that each further one needs on average: a
chunk takes as long to parse as a kilobyte."""

DRAIN_S, DRAIN_BYTES = 1.0, 4 * LARGEST_BODY
"""How long and how much of a rejected body is read: a client that is still sending
would otherwise lose the answer with the connection."""

MOST_CONNECTIONS = 512
SPARE = 8
"""One connection in this many over the limit is answered with `full`; the others are
closed at once."""

WANTED_FILES = 4 * MOST_CONNECTIONS
"""The limit of open files to ask the system for: many start with 256."""

LOG_EVERY_S = 1.0
"""Seconds between two log lines about closed connections."""

CROWDED = "glassmind.crowded"
"""Key of the ASGI scope: too many connections are open."""

FULL = BUSY._replace(
    code="full", message="too many connections are open", headers=(*RETRY, CLOSE)
)
UNREADABLE = Refusal(
    400, "bad_request", "the HTTP request cannot be read", "use HTTP/1.1 without TLS"
)
LARGE_HEAD = Refusal(
    431,
    "large_head",
    "the headers of the request are too large",
    "send a long question in the body of POST /search",
)
TOO_LARGE = Refusal(
    413,
    "too_large",
    f"the body is larger than {LARGEST_BODY:,} bytes",
    "ask for less at once",
)
NO_BODY = Refusal(413, "no_body", "this route takes no body", "leave the body out")
TOO_SLOW = Refusal(408, "too_slow", "the body came too slowly", "send it at once")
TOO_DEEP = Refusal(
    400, "too_deep", f"the JSON is nested deeper than {DEEPEST} levels", "nest it less"
)
TOO_MANY_PARTS = Refusal(
    400,
    "too_many_parts",
    f"the JSON has more than {MOST_PARTS:,} parts",
    "ask for less at once",
)
BAD_LENGTH = Refusal(
    400, "bad_length", "Content-Length is not a number", "count the bytes of the body"
)

_MARKS = re.compile(rb'["\[\]{}]')


def has_body(head: Mapping[bytes, bytes]) -> bool:
    """Return whether a body follows the head."""
    return b"transfer-encoding" in head or head.get(b"content-length", b"0") != b"0"


async def read_body(
    head: Mapping[bytes, bytes], receive: Receive, *, expected: bool
) -> bytes:
    """Return the whole body; unless one is expected it has to be small.

    Raises:
        Refused: it is too large, too slow, or JSON that is too deep or has too many
            parts.
        Disconnected: the client left.
    """
    if not has_body(head):
        return b""
    length = head.get(b"content-length", b"0")
    largest, refusal = (LARGEST_BODY, TOO_LARGE) if expected else (SMALL_BODY, NO_BODY)
    if not length.isdigit():
        raise Refused(BAD_LENGTH)
    if int(length) > largest:
        raise Refused(refusal)
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            more = True
            while more:
                message = await receive()
                if message["type"] != "http.request":
                    raise Disconnected
                body += message.get("body", b"")
                if len(body) > largest:
                    raise Refused(refusal)
                more = message.get("more_body", False)
    except TimeoutError:
        raise Refused(TOO_SLOW) from None
    if expected and body.count(b"[") + body.count(b"{") > DEEPEST:
        problem = await asyncio.to_thread(json_problem, bytes(body))
        if problem is not None:
            raise Refused(problem)
    return bytes(body)


async def drain(head: Mapping[bytes, bytes], receive: Receive) -> None:
    """Read and drop the rest of a rejected body, within limits."""
    length = head.get(b"content-length", b"0")
    too_long = length.isdigit() and int(length) > DRAIN_BYTES
    if not has_body(head) or too_long or b"expect" in head:
        return
    size = 0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_S):
            while size < DRAIN_BYTES:
                message = await receive()
                size += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return


def json_problem(body: bytes) -> Refusal | None:
    """Return what is wrong with the shape of JSON; brackets in strings do not count.

    Takes time in proportion to the body and twice its memory: call it in a thread.
    """
    # without escapes, every quote begins or ends a string
    plain = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    depth, at = 0, 0
    for _ in range(MOST_PARTS):
        mark = _MARKS.search(plain, at)
        if mark is None:
            return None
        at = mark.end()
        if mark[0] == b'"':
            at = plain.find(b'"', at) + 1
            if not at:  # an open string: the JSON parser will say so
                return None
            continue
        depth += 1 if mark[0] in b"[{" else -1
        if depth > DEEPEST:
            return TOO_DEEP
    return TOO_MANY_PARTS


def raise_file_limit() -> int:
    """Raise the limit of open files; return how many connections may be open.

    That is half of the files: the index, the models and their callers need the rest.
    """
    if sys.platform == "win32":  # pragma: no cover - no such limit there
        return MOST_CONNECTIONS
    import resource  # noqa: PLC0415 - not on every system

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    wanted = WANTED_FILES if hard == unlimited else min(WANTED_FILES, hard)
    if soft != unlimited and soft < wanted:
        with contextlib.suppress(OSError, ValueError):  # the system may have another
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    allowed = WANTED_FILES if soft == unlimited else soft
    return max(1, min(MOST_CONNECTIONS, allowed // 2))


class ClosedCount:
    """Counts connections that were closed, for a log line now and then."""

    def __init__(self) -> None:
        self._count, self._logged = 0, float("-inf")

    def add(self) -> int:
        """Count one; return how many to log now, mostly 0."""
        self._count += 1
        now = time.monotonic()
        if now - self._logged < LOG_EVERY_S:
            return 0
        count, self._count, self._logged = self._count, 0, now
        return count


CLOSED = ClosedCount()


class _Parser(h11.Connection):
    """Limits heads that arrive at once, and bodies in tiny chunks."""

    _chunks, _size = 0, 0

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Data):
            self._chunks += event.chunk_start
            self._size += len(event.data)
            if self._chunks > FREE_CHUNKS + self._size // CHUNK_BYTES:
                raise h11.RemoteProtocolError("a body in too many chunks")
        elif isinstance(event, h11.Request):
            self._chunks, self._size = 0, 0
            headers = sum(len(name) + len(value) for name, value in event.headers)
            if len(event.target) + headers > LARGEST_HEAD:
                raise h11.RemoteProtocolError("a large head", LARGE_HEAD.status)
        return event


class Connection(H11Protocol):
    """uvicorn's connection with a time limit for heads, JSON errors and a count."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.conn = _Parser(h11.SERVER, LARGEST_HEAD)
        self._head_timer: asyncio.TimerHandle | None = None
        # uvicorn's limit answers in plain text, past our log and metrics
        self._most = self.limit_concurrency or MOST_CONNECTIONS
        self.limit_concurrency = None
        self._answer: Any = self.app
        self.app = self._counted

    async def _counted(self, scope: Any, receive: Any, send: Any) -> None:
        scope[CROWDED] = max(len(self.connections), len(self.tasks)) > self._most
        await self._answer(scope, receive, send)
        cycle: Any = self.cycle
        if cycle.response_started and not cycle.response_complete:
            # uvicorn closes it, which waits for the client to read what was sent
            self.loop.call_later(UNREAD_S, self.transport.abort)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first head; close at once if there are far too many."""
        super().connection_made(transport)
        if len(self.connections) <= self._most + self._most // SPARE + 1:
            self._start_timer()
            return
        transport.abort()
        if count := CLOSED.add():
            log("crowded", open=self._most, closed=count)

    def data_received(self, data: bytes) -> None:
        """Parse some bytes; stop the timer once the head is complete."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_timer()
        elif self._head_timer is None and self.timeout_keep_alive_task is None:
            self._start_timer()

    def _start_timer(self) -> None:
        self._head_timer = self.loop.call_later(HEAD_S, self.transport.abort)

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_timer()
        super().connection_lost(exc)

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, even if its last answer was not read."""
        super().timeout_keep_alive_handler()
        self.loop.call_later(UNREAD_S, self.transport.abort)

    def send_400_response(self, _msg: str) -> None:
        """Send a parser error as JSON, like every other error."""
        if self.conn.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            self.transport.close()  # an answer is being sent already
            return
        hint = getattr(sys.exc_info()[1], "error_status_hint", 400)
        refusal = LARGE_HEAD if hint == LARGE_HEAD.status else UNREADABLE
        status, body = refusal.status, encoded(error_body(refusal))
        length = (b"content-length", str(len(body)).encode())
        headers = [(b"content-type", JSON), length, *SAFE_HEADERS, CLOSE]
        reason = STATUS_PHRASES[status]
        for event in (
            h11.Response(status_code=status, headers=headers, reason=reason),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        cycle: Any = self.cycle
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
        self.transport.close()
