"""One connection: its head has to come in time, and nobody holds it for nothing.

How many there may be is counted here too. Those beyond are told so by the guard, like
all that is refused, and where that are too many as well, closed.
"""

import asyncio
import sys
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from glassmind.surfaces.http.guard import CLOSE, CROWDED, SAFE_HEADERS
from glassmind.surfaces.http.replies import JSON, Refusal, encoded, error_body
from glassmind.surfaces.http.room import MOST_CONNECTIONS, SPARE, Turned
from glassmind.surfaces.mcp.log import log

HEAD_S = 10.0
"""Seconds for the head of a request, from the first sign of it."""

LINGER_S = 30.0
"""Seconds that a client may take to read the rest of its last answer."""

LARGEST_HEAD = 32 * 1024
"""Bytes of a head: a url with two thousand letters, each encoded in twelve bytes."""

CRUMBS, CRUMB_BYTES = 1_000, 64
"""Chunks that a body may come in, and bytes that each beyond these has to have on
average: every one takes as long to read as a kilobyte."""

UNREADABLE = Refusal(
    400,
    "bad_request",
    "this is no HTTP request that can be read",
    "speak HTTP/1.1, without TLS",
)
LARGE_HEAD = Refusal(
    431,
    "large_head",
    "the headers of the request are too large",
    "send a long question in the body of POST /search",
)

TURNED = Turned()


class OneSend:
    """A transport that sends what is written in one turn of the loop as one packet.

    The server writes head and body apart, which wakes a client up twice.
    """

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._transport, self._loop = transport, loop
        self._parts: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, part: bytes) -> None:
        """Send this at the end of the turn."""
        if part:
            if not self._parts:
                self._loop.call_soon(self._flush)
            self._parts.append(part)

    def _flush(self) -> None:
        if self._parts:
            parts, self._parts = self._parts, []
            self._transport.write(b"".join(parts))

    def close(self) -> None:
        """Send what was written, and close."""
        self._flush()
        self._transport.close()


class Parser(h11.Connection):
    """Reads requests, but none that comes in crumbs."""

    _chunks, _size = 0, 0

    def next_event(self) -> Any:
        """Return what came next.

        Raises:
            RemoteProtocolError: it is no HTTP, a head that is too large, though it came
                at once, or a body in too many chunks.
        """
        event = super().next_event()
        if isinstance(event, h11.Data):
            self._chunks += event.chunk_start
            self._size += len(event.data)
            if self._chunks > CRUMBS + self._size // CRUMB_BYTES:
                raise h11.RemoteProtocolError("a body in too many chunks")
        elif isinstance(event, h11.Request):
            self._chunks, self._size = 0, 0
            if _size_of(event) > LARGEST_HEAD:
                raise h11.RemoteProtocolError("a large head", LARGE_HEAD.status)
        return event


def _size_of(head: h11.Request) -> int:
    return len(head.target) + sum(len(name) + len(said) for name, said in head.headers)


class Connection(H11Protocol):
    """As the server's own, which waits for a head for as long as it takes."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.conn = Parser(h11.SERVER, LARGEST_HEAD)
        self._late: asyncio.TimerHandle | None = None
        # the server's own bound has an answer of its own, which nobody hears of
        self._most = self.limit_concurrency or MOST_CONNECTIONS
        self.limit_concurrency = None
        self._answers: Any = self.app
        self.app = self._counted

    async def _counted(self, scope: Any, receive: Any, send: Any) -> None:
        scope[CROWDED] = max(len(self.connections), len(self.tasks)) > self._most
        await self._answers(scope, receive, send)
        under_way: Any = self.cycle
        if under_way.response_started and not under_way.response_complete:
            # it breaks off and is closed; who reads nothing would keep it for good
            self.loop.call_later(LINGER_S, self.transport.abort)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first head, if there is room."""
        joined: Any = OneSend(transport, self.loop)
        super().connection_made(joined)
        if len(self.connections) <= self._most + self._most // SPARE + 1:
            self._expect_head()
            return
        transport.abort()
        if count := TURNED.away():
            log("crowded", open=self._most, closed=count)

    def data_received(self, part: bytes) -> None:
        """Take in some bytes; wait no longer once the head is whole."""
        super().data_received(part)
        if self.conn.their_state is not h11.IDLE:
            self._forget_head()
        elif self._late is None and self.timeout_keep_alive_task is None:
            self._expect_head()

    def _expect_head(self) -> None:
        self._late = self.loop.call_later(HEAD_S, self.transport.abort)

    def _forget_head(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._forget_head()
        super().connection_lost(exc)

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, for good if its last answer is not fetched."""
        super().timeout_keep_alive_handler()
        self.loop.call_later(LINGER_S, self.transport.abort)

    def send_400_response(self, _msg: str) -> None:
        """Refuse what is no request, in the shape of every other refusal."""
        fault = sys.exc_info()[1]
        if self.conn.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            self.transport.close()  # its answer is on the way already
            return
        large = getattr(fault, "error_status_hint", 400) == LARGE_HEAD.status
        refusal = LARGE_HEAD if large else UNREADABLE
        body = encoded(error_body(refusal))
        length = (b"content-length", str(len(body)).encode())
        headers = [(b"content-type", JSON), length, *SAFE_HEADERS, CLOSE]
        reason = STATUS_PHRASES[refusal.status]
        status = refusal.status
        for event in (
            h11.Response(status_code=status, headers=headers, reason=reason),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        under_way: Any = self.cycle
        if under_way is not None and not under_way.response_complete:
            under_way.disconnected = True  # nobody waits for another answer
            under_way.message_event.set()
        self.transport.close()
