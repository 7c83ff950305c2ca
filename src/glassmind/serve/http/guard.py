"""Around every route: who may use it, limits, errors, headers, log and metrics.

docs/decisions/http.md says which limits are our own, and why.
"""

import asyncio
import hmac
import time
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from http import HTTPMethod
from math import ceil
from typing import Any, NamedTuple, TypeAlias, TypeVar

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glassmind.access.clients import PREFIX, Clients, digest_of
from glassmind.config import Config
from glassmind.config.values import is_loopback
from glassmind.errors import ClientsUnreadable
from glassmind.model.access import EVERY_AGENT
from glassmind.model.access import Scope as ReadScope
from glassmind.serve.http.replies import (
    JSON,
    LATE,
    Refusal,
    RequestRefused,
    refusal_of,
    refused,
)
from glassmind.serve.http.server import UNREAD_S, Metrics
from glassmind.serve.http.token import TokenFile
from glassmind.serve.log import log

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
ALL_INTERFACES = frozenset(("0.0.0.0", "::", "[::]"))  # noqa: S104 - to recognise it

T = TypeVar("T")

OPEN_PATH = "/health"  # the only path that answers without a token

MISDIRECTED = Refusal(
    421,
    "wrong_host",
    "this server does not answer to that host",
    "use the address that glassmind serve printed, or add a name to server.hosts",
)
FOREIGN = Refusal(
    403,
    "wrong_origin",
    "pages of other servers may not use this one",
    "add the origin to server.origins if it is yours",
)
NO_TOKEN = Refusal(
    401,
    "no_token",
    "a valid token is needed",
    "send Authorization: Bearer TOKEN; glassmind serve --show-token prints that of the "
    "vault, and glassmind clients add printed that of a client",
    {"www-authenticate": 'Bearer realm="glassmind"'},
)
BEYOND = Refusal(
    403,
    "beyond_scope",
    "this client may not use this route",
    "glassmind clients set NAME --toolset {} lets it",
)
TOO_MANY = Refusal(
    429,
    "too_many_wrong_tokens",
    "too many wrong tokens were sent",
    "send a valid token, or wait as long as Retry-After says",
)

FREE, WINDOW_S = 5, 60.0
"""Wrong tokens before the first back-off, more than a person mistypes, and the seconds
without one after which the count starts again."""

FIRST_S, LONGEST_S = 1.0, 60.0  # each further wrong token doubles it


def bracketed(host: str) -> str:
    bare = host.strip("[]")
    return f"[{bare}]" if ":" in bare else bare


def host_names(host: str, port: int, more: Iterable[str] = ()) -> frozenset[str]:
    hosts = list(LOOPBACK_NAMES) if host in ALL_INTERFACES or is_loopback(host) else []
    if host not in ALL_INTERFACES:
        hosts.append(bracketed(host))
    names = set()
    for name in (*hosts, *more):
        last = name.rpartition(":")[2]
        if last != name and last.isdigit():
            names.add(name)
        else:
            names.add(f"{name}:{port}")
            names |= {name} if port == 80 else set()  # noqa: PLR2004 - HTTP's own
    return frozenset(names)


class Identity(NamedTuple):
    """Whose token a request shows; the owner shows the vault's own."""

    name: str = ""
    scope: ReadScope = EVERY_AGENT
    is_owner: bool = False


ANONYMOUS, OWNER = Identity(), Identity(is_owner=True)


class AccessRules(NamedTuple):
    """What the head of a request must show. Without `token` anybody may use the server.

    `origins` are pages of other servers that may use this one. With `by_address`, the
    address that the client connected to is accepted as a host.
    """

    hosts: frozenset[str]
    token: str | TokenFile | None
    origins: frozenset[str] = frozenset()
    clients: Clients | None = None
    by_address: bool = False

    def refusal(
        self, scope: Scope, head: Headers, identity: Identity | None = None
    ) -> Refusal | None:
        """Return why a request is rejected; None if it is accepted."""
        host = head.get("host", "")
        by_address = self.by_address and host == _local_address(scope)
        if not by_address and host not in self.hosts:
            return MISDIRECTED
        if not self._accepts_origin(head):
            return FOREIGN
        if identity is not None or scope["path"] == OPEN_PATH:
            return None
        return NO_TOKEN

    def _accepts_origin(self, head: Headers) -> bool:
        origin = head.get("origin")
        if origin is None:
            return head.get("sec-fetch-site") not in {"cross-site", "same-site"}
        return origin in {f"http://{host}" for host in self.hosts} | self.origins

    def identify(self, head: Headers) -> Identity | None:
        """Compare every digest, whatever the scheme, so that the time says nothing."""
        if self.token is None:
            return OWNER
        scheme, _, shown = head.get("authorization", "").partition(" ")
        token = shown.strip().encode("latin-1")
        current = self.token if isinstance(self.token, str) else self.token.current()
        is_owner = hmac.compare_digest(digest_of(token), digest_of(current.encode()))
        client = None
        try:
            client = self.clients.holder(token) if self.clients else None
        except ClientsUnreadable as error:
            if token.startswith(PREFIX.encode()):
                log("unready", kind=type(error).__name__)
        if scheme.lower() != "bearer":
            return None
        if is_owner and current:
            return OWNER
        if client is None or self.clients is None:
            return None
        self.clients.note_use(client)
        return Identity(client.name, client.scope)


def _local_address(scope: Scope) -> str:
    address, port = scope["server"]
    # an IPv4 client of an IPv6 socket connects to an address such as ::ffff:192.0.2.1
    plain = address.removeprefix("::ffff:") if "." in address else address
    return f"{bracketed(plain)}:{port}"


class TokenThrottle:
    """Back-off after wrong tokens, counted together; a valid one is never slowed."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._count, self._until = 0, -WINDOW_S

    def check(self, *, guessed: bool) -> None:
        now = self._clock()
        if now < self._until:
            wait_s = ceil(self._until - now)
            raise RequestRefused(
                TOO_MANY._replace(headers={"retry-after": str(wait_s)})
            )
        if not guessed:
            return
        self._count = self._count + 1 if now < self._until + WINDOW_S else 1
        steps = min(self._count - FREE, 10)  # more would be longer than the longest
        backoff_s = min(FIRST_S * 2**steps, LONGEST_S) if steps >= 0 else 0.0
        self._until = now + backoff_s
        if backoff_s:
            log("wrong_tokens", level="WARNING", count=self._count, wait_s=backoff_s)


OnRequest: TypeAlias = Callable[[str, str, int, float, int], None]
"""Called after a request: method, route, status, seconds, bytes of the body."""

BODY_S = 15.0  # seconds for a whole body: 4 MiB at 300 KB/s
LARGEST_BODY = 4 * 1024 * 1024  # bytes; the limit of the MCP package too
MOST_PARTS = 50_000  # opening brackets in JSON: a list takes forty times its bytes
CLIENT_LEFT = 499  # the status that is counted if the client did not wait for one
CSP = b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
SAFE_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", CSP),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
"""Headers of every response: no sniffing, no caching, no use by a web page."""

NOT_JSON = Refusal(
    415,
    "not_json",
    "only JSON is accepted",
    "send the header Content-Type: application/json",
)
TOO_LARGE = Refusal(
    413,
    "too_large",
    f"the body has more than {LARGEST_BODY:,} bytes or {MOST_PARTS:,} parts",
    "ask for less at once",
)
TOO_SLOW = Refusal(408, "too_slow", "the body came too slowly", "send it at once")


def log_request(
    method: str, route: str, status: int, seconds: float, size: int
) -> None:
    """Log a request, but never its arguments or its client."""
    # a client may send any word as a method
    name = method if method in HTTPMethod.__members__ else "other"
    ms = round(seconds * 1_000, 1)
    log("request", method=name, route=route, status=status, ms=ms, bytes=size)


@dataclass(frozen=True)
class Guard:
    """Lets requests in that the rules accept, and answers every error."""

    app: ASGIApp
    config: Config
    rules: AccessRules
    throttle: TokenThrottle
    metrics: Metrics
    on_request: OnRequest | None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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
            scope["identity"] = self._identify(scope)
            await self.app(scope, receive, send_part)
        except ClientDisconnect:
            pass
        # cancelled: the time of the shutdown is over
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - the edge
            refusal = refusal_of(error, self.config)
            if status == CLIENT_LEFT:  # nothing was sent
                await refused(refusal)(scope, receive, send_part)
        finally:
            route = getattr(scope.get("endpoint"), "path", "other")
            seconds = time.perf_counter() - began
            status = status if finished else CLIENT_LEFT
            self.metrics.count(route, status, seconds)
            if self.on_request:
                self.on_request(scope["method"], route, status, seconds, size)

    def _identify(self, scope: Scope) -> Identity:
        head = Headers(scope=scope)
        identity = self.rules.identify(head)
        refusal = self.rules.refusal(scope, head, identity)
        guessed = identity is None and "authorization" in head
        if refusal is NO_TOKEN or (guessed and refusal is None):
            self.throttle.check(guessed=guessed)
        if refusal is not None:
            raise RequestRefused(refusal)
        return identity or ANONYMOUS


async def read_json(request: Request) -> bytes:
    kind = request.headers.get("content-type", "").partition(";")[0]
    if kind.strip().lower() != JSON:
        raise RequestRefused(NOT_JSON)
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            async for part in request.stream():
                body += part
                if len(body) > LARGEST_BODY:
                    raise RequestRefused(TOO_LARGE)
    except TimeoutError:
        raise RequestRefused(TOO_SLOW) from None
    if body.count(b"[") + body.count(b"{") > MOST_PARTS:
        raise RequestRefused(TOO_LARGE)
    return bytes(body)


async def while_connected(
    receive: Receive, work: Coroutine[Any, Any, T], limit_s: float
) -> T:
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_client_left(receive))
    try:
        first = asyncio.FIRST_COMPLETED
        await asyncio.wait({working, leaving}, timeout=limit_s, return_when=first)
        if working.done():
            return working.result()
        raise ClientDisconnect if leaving.done() else RequestRefused(LATE)
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _client_left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
