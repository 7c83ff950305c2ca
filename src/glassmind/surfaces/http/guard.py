"""One guard around every route: who may ask, how much, how long, and what is told."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Container, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

from glassmind.surfaces.http.door import (
    NO_TOKEN,
    STRANGER,
    WRONG_TOKEN,
    Door,
    head_of,
)
from glassmind.surfaces.http.intake import (
    Gone,
    Message,
    Receive,
    fault_in,
    has_body,
    may_be_deep,
    read_away,
    whole_body,
)
from glassmind.surfaces.http.meter import Meter
from glassmind.surfaces.http.posted import PostedPaths
from glassmind.surfaces.http.refusals import BUSY, FAULT, LATE, RETRY, STOPPING
from glassmind.surfaces.http.replies import Refusal, Refused, Reply, refused
from glassmind.surfaces.http.throttle import TOO_MANY, TokenThrottle
from glassmind.surfaces.mcp.log import log_fault

Scope: TypeAlias = Any
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
Tell: TypeAlias = Callable[[str, str, int, float, int], None]
"""Is told of a request: method, route, status, seconds, bytes of the answer."""

POLICY = (
    b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
"""For a browser that shows an answer: it loads, runs, frames and sends nothing. What is
allowed by default says nothing of the last three."""

SAFE_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", POLICY),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
"""Of every answer: it is what it says, nobody keeps it, no page makes use of it."""

CLOSE = (b"connection", b"close")

CROWDED = "glassmind.crowded"
"""Where a connection says that there are too many of them."""

FULL = BUSY._replace(
    code="full", message="too many connections are open", headers=(*RETRY, CLOSE)
)

ANSWER_S = 60.0
"""Seconds until an answer has to stand; the longest search takes a few."""

LONG_S: Mapping[str, float] = {"/index": 6 * 3600.0, "/mcp": 900.0}
"""The same where work may be long: a first index of a large vault, and tools."""

CARRYING = PostedPaths(
    (
        "/move", "/rename-heading", "/rename-tag", "/merge", "/split", "/delete",
        "/notes", "/changes/{id}/undo", "/changes/{id}/apply",
        "/graph/health/fix", "/graph/suggest/apply",
    )
)  # fmt: skip
CARRYING_S = 600.0
"""Routes that may write links of thousands of notes, and the same for these."""

LAST_WORDS_S = 1.0
"""Seconds to tell why an answer that had begun breaks off."""

LOOK_S = 0.05
"""Seconds until it is looked whether the client is still there: most answers stand by
then, and a look takes as much as the rest of the guard."""

ELSEWHERE = "other"
"""How requests are counted that no route has."""

GONE = 499
"""The status that is counted where the client did not wait for one."""


class Visit:
    """One request on its way: what it may see, and what it was answered."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.scope, self.head = scope, head_of(scope["headers"])
        self.route, self.known, self.visitor = ELSEWHERE, False, STRANGER
        self.unread = has_body(self.head)
        self.status, self.size, self.finished = 0, 0, False
        self.last_words: Callable[[Refusal], bytes] | None = None
        self._send = send

    async def send(self, message: Message) -> None:
        """Pass a part of the answer on, with the headers that all have."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message.get("headers", ()), *SAFE_HEADERS]
        elif message["type"] == "http.response.body":
            self.size += len(message.get("body", b""))
            self.finished = not message.get("more_body", False)
        await self._send(message)

    async def answer(self, reply: Reply, *more: tuple[bytes, bytes]) -> None:
        """Send a whole answer."""
        length = str(len(reply.body)).encode()
        headers = [(b"content-type", reply.media_type), (b"content-length", length)]
        headers += [*reply.headers, *more]
        start = {"type": "http.response.start", "status": reply.status}
        await self.send({**start, "headers": headers})
        await self.send({"type": "http.response.body", "body": reply.body})

    async def break_off(self, refusal: Refusal) -> None:
        """End an answer that had begun, with why, if it is of a kind that can say so.

        Who reads no more is not waited for.
        """
        if self.last_words is None or self.finished:
            return
        body = self.last_words(refusal)
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_WORDS_S):
                await self.send({"type": "http.response.body", "body": body})


def longest_s(path: str, limits: Mapping[str, float]) -> float:
    """Return how long an answer may take, by its path."""
    return limits.get(path, CARRYING_S if path in CARRYING else ANSWER_S)


class Guard:
    """Lets in what `door` lets in, and sees to it that it ends.

    `posted` are the paths that take a body; nowhere else is more than a little read.
    `limits` are the seconds that an answer may take, by path, where it may be long.
    """

    def __init__(  # noqa: PLR0913 - each wish by its name
        self,
        app: App,
        *,
        door: Door,
        meter: Meter,
        tell: Tell,
        posted: Container[str],
        limits: Mapping[str, float] = LONG_S,
        throttle: TokenThrottle | None = None,
    ) -> None:
        self._app, self._door, self._meter, self._tell = app, door, meter, tell
        self._posted, self._limits = posted, limits
        self._throttle = TokenThrottle() if throttle is None else throttle

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or take part in the start and end of the server."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        began = time.perf_counter()
        visit = Visit(scope, send)
        scope["glassmind"] = visit
        try:
            await self._answered(visit, receive)
        except Refused as refusal:
            await self._refuse(visit, refusal.refusal, receive)
        except Gone:
            visit.status = GONE
        except asyncio.CancelledError:  # the server ends, and its patience too
            visit.unread = False
            await self._refuse(visit, STOPPING, receive)
        except Exception as error:  # noqa: BLE001 - the edge: nobody is shown a trace
            log_fault("fault", error, route=visit.route)
            await self._refuse(visit, FAULT, receive)
        finally:
            took, status = time.perf_counter() - began, visit.status or GONE
            self._meter.answered(visit.route, status, took)
            self._tell(scope["method"], visit.route, status, took, visit.size)

    async def _answered(self, visit: Visit, receive: Receive) -> None:
        if visit.scope.get(CROWDED):
            raise Refused(FULL)
        peer = (visit.scope.get("client") or ("",))[0]
        if self._throttle.is_flooded_by(peer):
            raise Refused(_too_many(1))
        visitor = self._door.visitor(visit.head)
        refusal = self._door.refusal(visit.scope, visit.head, visitor)
        if visitor is None and refusal in (None, NO_TOKEN, WRONG_TOKEN):
            await self._slow_down(visit, peer, is_open=refusal is None)
        if refusal is not None:
            raise Refused(refusal)
        visit.known, visit.visitor = visitor is not None, visitor or STRANGER
        scope = visit.scope
        wanted = scope["method"] == "POST" and scope["path"] in self._posted
        body = await whole_body(visit.head, receive, wanted=wanted)
        visit.unread = False
        if wanted and may_be_deep(body):
            fault = await asyncio.to_thread(fault_in, body)
            if fault is not None:
                raise Refused(fault)
        await self._watched(visit, body, receive)

    async def _slow_down(self, visit: Visit, peer: str, *, is_open: bool) -> None:
        """Refuse, late, a request without a valid token from a guessing address.

        A path that is open to all takes no token, so it is refused only with one.

        Raises:
            Refused: the address has to wait.
        """
        guessed = b"authorization" in visit.head
        if is_open and not guessed:
            return
        wait_s = self._throttle.wait_s(peer, guessed=guessed)
        if wait_s:
            if guessed:
                await self._throttle.hold(peer)
            raise Refused(_too_many(wait_s))

    async def _watched(self, visit: Visit, body: bytes, receive: Receive) -> None:
        """Have a request answered until it is, is late, or nobody waits for it."""
        left, answering = asyncio.Event(), asyncio.current_task()
        leaving: list[asyncio.Task[None]] = []

        def look() -> None:
            gone = _left(receive, visit, left, answering)
            leaving.append(asyncio.ensure_future(gone))

        looking = asyncio.get_running_loop().call_later(LOOK_S, look)
        limit = longest_s(visit.scope["path"], self._limits)
        try:
            async with asyncio.timeout(limit):
                await self._app(visit.scope, _replayed(body, left), visit.send)
        except TimeoutError:
            raise Refused(LATE) from None
        except asyncio.CancelledError:
            if left.is_set():
                raise Gone from None
            raise
        finally:
            looking.cancel()
            for task in leaving:
                task.cancel()

    async def _refuse(self, visit: Visit, refusal: Refusal, receive: Receive) -> None:
        if visit.status:  # too late: the answer had begun
            await visit.break_off(refusal)
            return
        if not visit.unread:
            await visit.answer(refused(refusal))
            return
        await read_away(visit.head, receive)
        closing = () if CLOSE in refusal.headers else (CLOSE,)
        await visit.answer(refused(refusal), *closing)


async def _left(
    receive: Receive,
    visit: Visit,
    left: asyncio.Event,
    answering: "asyncio.Task[Any] | None",
) -> None:
    """Wait until the client goes away, and if it has no answer by then, give it up."""
    while (await receive())["type"] != "http.disconnect":
        pass
    if not visit.finished and answering is not None:
        left.set()
        answering.cancel()


def _replayed(body: bytes, left: asyncio.Event) -> Receive:
    """Return what gives the app the body, and then nothing until the client goes."""
    given = False

    async def receive() -> Message:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        await left.wait()
        return {"type": "http.disconnect"}

    return receive


def _too_many(wait_s: int) -> Refusal:
    retry = (b"retry-after", str(wait_s).encode())
    return TOO_MANY._replace(headers=(retry,))
