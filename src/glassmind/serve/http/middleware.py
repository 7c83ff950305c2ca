"""The middleware around every route: access checks, errors, headers, log, metrics."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glassmind.serve.http.errors import (
    FAULT,
    LATE,
    STOPPING,
    Refusal,
    Refused,
    refused,
)
from glassmind.serve.http.limits import drain, has_body, read_body
from glassmind.serve.http.security import (
    ANONYMOUS,
    NO_TOKEN,
    TOO_MANY,
    WRONG_TOKEN,
    AccessRules,
    TokenThrottle,
)
from glassmind.serve.http.server import Metrics
from glassmind.serve.mcp.log import log, log_fault

OnRequest: TypeAlias = Callable[[str, str, int, float, int], None]
"""Called after a request: method, route, status, seconds, bytes of the body."""

LAST_EVENT_S = 1.0
"""Seconds to send the reason why a stream of events ends early."""

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


def log_request(
    method: str, route: str, status: int, seconds: float, size: int
) -> None:
    """Log a request, but never its arguments or its client."""
    # a client may send any word as a method
    name, ms = method if method in METHODS else "other", round(seconds * 1_000, 1)
    log("request", method=name, route=route, status=status, ms=ms, bytes=size)


def ignore_request(*_: object) -> None:
    """Log nothing."""


class Exchange:
    """One request and its response."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope, self.head = scope, dict(scope["headers"])
        self.route, self.identity = NO_ROUTE, ANONYMOUS
        self.status, self.size, self.finished = 0, 0, False
        self.last_event: Callable[[Refusal], bytes] | None = None
        """Makes the last part of a response that ends early with an error."""
        self._request = Request(scope, receive)
        self._unread = has_body(self._request)
        self._receive, self._send = receive, send

    async def read_body(self, *, expected: bool) -> bytes:
        """Return the whole body, as `limits.read_body`; to be called once."""
        body = await read_body(self._request, expected=expected)
        self._unread = False
        return body

    async def run(self, work: Coroutine[Any, Any, None], limit_s: float) -> None:
        """Await the answer, unless it is late or the client leaves."""
        answering = asyncio.ensure_future(work)
        leaving = asyncio.ensure_future(self._client_left())
        tasks = {answering, leaving}
        try:
            first = asyncio.FIRST_COMPLETED
            await asyncio.wait(tasks, timeout=limit_s, return_when=first)
            if answering.done():
                answering.result()
            elif leaving.done():
                raise ClientDisconnect
            else:
                raise Refused(LATE)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _client_left(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        if self.finished:  # uvicorn also says so at the end of a response
            await asyncio.Event().wait()

    async def send(self, message: Message) -> None:
        """Send a part of the response, with the headers of all responses."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message.get("headers", ()), *SAFE_HEADERS]
        elif message["type"] == "http.response.body":
            self.size += len(message.get("body", b""))
            self.finished = not message.get("more_body", False)
        await self._send(message)

    async def answer(self, response: Response) -> None:
        """Send a whole response."""
        await response(self.scope, self._receive, self.send)

    async def refuse(self, refusal: Refusal, *, drains: bool = True) -> None:
        """Send an error; a response that has begun ends with it, if it can."""
        if self.status:
            if self.last_event is not None and not self.finished:
                body = self.last_event(refusal)
                with suppress(TimeoutError):
                    async with asyncio.timeout(LAST_EVENT_S):
                        await self.send({"type": "http.response.body", "body": body})
            return
        response = refused(refusal)
        if self._unread and drains:
            await drain(self._request)
            response.headers["connection"] = "close"
        await self.answer(response)


@dataclass(frozen=True)
class Guard:
    """Lets requests in that the rules accept, and answers every error."""

    app: ASGIApp
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
        began = time.perf_counter()
        exchange = Exchange(scope, receive, send)
        scope["glassmind"] = exchange
        try:
            await self._let_in(exchange)
            await self.app(scope, receive, exchange.send)
        except Refused as error:
            await exchange.refuse(error.refusal)
        except ClientDisconnect:
            exchange.status = CLIENT_LEFT
        except asyncio.CancelledError:  # the time of the shutdown is over
            await exchange.refuse(STOPPING, drains=False)
        except Exception as error:  # noqa: BLE001 - the edge: clients see no traceback
            log_fault("fault", error, route=exchange.route)
            await exchange.refuse(FAULT)
        finally:
            seconds, route = time.perf_counter() - began, exchange.route
            status = exchange.status or CLIENT_LEFT
            self.metrics.count(route, status, seconds)
            self.on_request(scope["method"], route, status, seconds, exchange.size)

    async def _let_in(self, exchange: Exchange) -> None:
        """Check everything that is known before the body is read."""
        scope, head = exchange.scope, exchange.head
        peer = (scope.get("client") or ("",))[0]
        if self.throttle.is_flooded_by(peer):
            raise Refused(TOO_MANY)
        identity = self.rules.identify(head)
        refusal = self.rules.refusal(scope, head, identity)
        guessed = identity is None and b"authorization" in head
        if (guessed and refusal is None) or refusal in (NO_TOKEN, WRONG_TOKEN):
            await self.throttle.slow_down(peer, guessed=guessed)
        if refusal is not None:
            raise Refused(refusal)
        exchange.identity = identity or ANONYMOUS
