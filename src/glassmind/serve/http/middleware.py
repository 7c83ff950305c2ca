"""Around every route: access checks, limits, errors, headers, log and metrics.

docs/decisions/http.md says which limits are our own, and why.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glassmind.config import Config
from glassmind.serve.http.calls import UNREAD_S
from glassmind.serve.http.replies import LATE, Refusal, Refused, refusal_of, refused
from glassmind.serve.http.security import (
    ANONYMOUS,
    NO_TOKEN,
    TOO_MANY,
    WRONG_TOKEN,
    AccessRules,
    Identity,
    TokenThrottle,
)
from glassmind.serve.http.server import Metrics
from glassmind.serve.mcp.log import log

T = TypeVar("T")

OnRequest: TypeAlias = Callable[[str, str, int, float, int], None]
"""Called after a request: method, route, status, seconds, bytes of the body."""

BODY_S = 15.0
"""Seconds for a whole body: 4 MiB at 300 KB/s."""

LARGEST_BODY = 4 * 1024 * 1024
"""Bytes; the limit of the MCP package too."""

MOST_PARTS = 50_000
"""Opening brackets in JSON: a list takes forty times its bytes."""

NO_ROUTE = "other"
"""The route of requests that match none, in the log and in metrics."""

CLIENT_LEFT = 499
"""The status that is counted if the client did not wait for one."""

METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))

SAFE_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (
        b"content-security-policy",
        (
            b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; "
            b"form-action 'none'"
        ),
    ),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
"""Headers of every response: no sniffing, no caching, no use by a web page. The last
three directives of the policy do not fall back to `default-src`."""

NOT_JSON = Refusal(
    415,
    "not_json",
    "only JSON is accepted",
    "send the header Content-Type: application/json",
)
TOO_LARGE = Refusal(
    413,
    "too_large",
    f"the body is larger than {LARGEST_BODY:,} bytes",
    "ask for less at once",
)
TOO_SLOW = Refusal(408, "too_slow", "the body came too slowly", "send it at once")
TOO_MANY_PARTS = Refusal(
    400,
    "too_many_parts",
    f"the JSON has more than {MOST_PARTS:,} parts",
    "ask for less at once",
)


def log_request(
    method: str, route: str, status: int, seconds: float, size: int
) -> None:
    """Log a request, but never its arguments or its client."""
    # a client may send any word as a method
    name, ms = method if method in METHODS else "other", round(seconds * 1_000, 1)
    log("request", method=name, route=route, status=status, ms=ms, bytes=size)


def ignore_request(*_: object) -> None:
    """Log nothing."""


@dataclass(frozen=True)
class Guard:
    """Lets requests in that the rules accept, and answers every error."""

    app: ASGIApp
    config: Config
    rules: AccessRules
    metrics: Metrics
    on_request: OnRequest
    throttle: TokenThrottle

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or pass on the start and the end of the server."""
        if scope["type"] != "http":  # lifespan; uvicorn refuses websockets
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        status, size, finished = CLIENT_LEFT, 0, False

        async def send_part(message: Message) -> None:
            nonlocal status, size, finished
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), *SAFE_HEADERS]
            else:
                size += len(message.get("body", b""))
                finished = not message.get("more_body", False)
            try:
                async with asyncio.timeout(UNREAD_S):
                    await send(message)
            except TimeoutError:
                raise ClientDisconnect from None

        try:
            scope["identity"] = await self._identify(scope)
            await self.app(scope, receive, send_part)
        except ClientDisconnect:
            pass
        # cancelled: the time of the shutdown is over
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - the edge
            refusal = refusal_of(error, self.config)
            if status == CLIENT_LEFT:  # nothing was sent
                await refused(refusal)(scope, receive, send_part)
        finally:
            route = getattr(scope.get("endpoint"), "path", NO_ROUTE)
            seconds = time.perf_counter() - began
            status = status if finished else CLIENT_LEFT
            self.metrics.count(route, status, seconds)
            self.on_request(scope["method"], route, status, seconds, size)

    async def _identify(self, scope: Scope) -> Identity:
        """Check everything that is known before the body is read."""
        head = Headers(scope=scope)
        peer = (scope.get("client") or ("",))[0]
        if self.throttle.is_flooded_by(peer):
            raise Refused(TOO_MANY)
        identity = self.rules.identify(head)
        refusal = self.rules.refusal(scope, head, identity)
        guessed = identity is None and "authorization" in head
        if (guessed and refusal is None) or refusal in (NO_TOKEN, WRONG_TOKEN):
            await self.throttle.slow_down(peer, guessed=guessed)
        if refusal is not None:
            raise Refused(refusal)
        return identity or ANONYMOUS


async def read_json(request: Request) -> bytes:
    """Return the whole body, which is declared as JSON; no HTML form can do that.

    Raises:
        Refused: it is something else, or too large or too slow.
    """
    kind, _, rest = request.headers.get("content-type", "").lower().partition(";")
    charset = rest.strip().removeprefix("charset=").strip('"')
    if kind.strip() != "application/json" or charset not in {"", "utf-8"}:
        raise Refused(NOT_JSON)
    if int(request.headers.get("content-length", 0)) > LARGEST_BODY:
        raise Refused(TOO_LARGE)
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            async for part in request.stream():
                body += part
                if len(body) > LARGEST_BODY:
                    raise Refused(TOO_LARGE)
    except TimeoutError:
        raise Refused(TOO_SLOW) from None
    if body.count(b"[") + body.count(b"{") > MOST_PARTS:
        raise Refused(TOO_MANY_PARTS)
    return bytes(body)


async def while_connected(
    receive: Receive, work: Coroutine[Any, Any, T], limit_s: float
) -> T:
    """Return the result of some work, unless it is late or the client leaves."""
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_client_left(receive))
    try:
        first = asyncio.FIRST_COMPLETED
        await asyncio.wait({working, leaving}, timeout=limit_s, return_when=first)
        if working.done():
            return working.result()
        raise ClientDisconnect if leaving.done() else Refused(LATE)
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _client_left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
