"""The ASGI application: all routes and MCP behind one middleware."""

import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as Path
from starlette.types import Receive, Scope, Send

from glassmind.access.clients import Clients, plain_caller
from glassmind.engine import Engine
from glassmind.errors import GlassmindError
from glassmind.serve.http.arguments import from_body, from_query
from glassmind.serve.http.asked import USUAL, Asked, Desk, Route
from glassmind.serve.http.errors import (
    NOT_JSON,
    Refusal,
    Refused,
    error_body,
    refusal_of,
)
from glassmind.serve.http.jobs import Job, Jobs, Workers
from glassmind.serve.http.mcp import PATH as MCP_PATH
from glassmind.serve.http.mcp import McpEndpoint
from glassmind.serve.http.metrics import Metrics
from glassmind.serve.http.middleware import (
    Exchange,
    Guard,
    OnRequest,
    ignore_request,
)
from glassmind.serve.http.operations import given_to
from glassmind.serve.http.replies import Reply, encoded
from glassmind.serve.http.security import (
    AccessRules,
    TokenThrottle,
    is_json,
    origins_of,
)
from glassmind.serve.http.streams import (
    Stream,
    Streams,
    longest_answer_s,
    show_head,
)
from glassmind.serve.http.table import all_routes
from glassmind.serve.http.token import TokenFile
from glassmind.serve.recording import Recording
from glassmind.types.callers import known_as

QUICK_THREADS = 2
"""For routes that say how the server is, also when it is busy."""

NO_ROUTE = Refusal(404, "no_route", "there is no such route", "see GET /openapi.json")
WRONG_METHOD = Refusal(
    405, "wrong_method", "this route does not take that method", "use {}"
)
BEYOND = Refusal(
    403,
    "beyond_scope",
    "this client may not use this route",
    "glassmind clients set NAME --toolset {} lets it",
)
OWNER_ONLY = BEYOND._replace(
    code="needs_vault_token", hint="use the token of glassmind serve --show-token"
)


def make_app(  # noqa: PLR0913 - options by name
    engine: Engine,
    *,
    token: str | TokenFile | None,
    hosts: Sequence[str],
    origins: Sequence[str] = (),
    toolsets: Sequence[str] = ("core",),
    on_request: OnRequest = ignore_request,
    by_address: bool = False,
    clients: Clients | None = None,
    throttle: TokenThrottle | None = None,
    structured: bool = False,
) -> Starlette:
    """Return the application that serves a vault.

    `hosts` are the accepted values of `Host`, and `origins` the pages of other servers
    that may use this one. Without `token` anybody may use it, which no command offers.
    With `by_address`, the address that a client connected to is accepted as a host.
    `clients` have their own tokens and scopes. With `structured`, MCP tools send
    structured content.
    """
    workers, quick = Workers(), Workers(QUICK_THREADS)
    metrics, jobs, streams = Metrics(), Jobs(), Streams(workers)
    desk = Desk(engine, engine, jobs, metrics, threading.Lock(), {})
    known = frozenset(hosts), origins_of(hosts, origins)
    rules = AccessRules(*known, token, by_address, clients)
    mcp = McpEndpoint(engine, toolsets, structured=structured)
    routes = [Path(MCP_PATH, endpoint=mcp, methods=["POST"])]
    for route in all_routes():
        pool = quick if route.quick else workers
        path = route.path.replace("{name}", "{name:path}")
        endpoint = Endpoint(route, desk, pool, streams)
        routes.append(Path(path, endpoint=endpoint, methods=[route.method]))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            for resource in (streams, jobs, quick, workers):
                resource.close()

    guard = Middleware(
        Guard, rules=rules, metrics=metrics, on_request=on_request, throttle=throttle
    )
    app = Starlette(
        routes=routes,
        middleware=[guard],
        exception_handlers={HTTPException: _unrouted},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return app


class Endpoint:
    """Answers the requests of one route."""

    def __init__(
        self, route: Route, desk: Desk, workers: Workers, streams: Streams
    ) -> None:
        self._route, self._desk = route, desk
        self._workers, self._streams = workers, streams
        self._owner = f"{route.method} {route.path}"

    @property
    def _limit_s(self) -> float:
        if self._route.operation and self._route.operation.events:
            return longest_answer_s(self._desk.engine.config)
        return self._route.limit_s

    async def __call__(self, scope: Scope, _receive: Receive, _send: Send) -> None:
        """Read the request, run it in a thread, and send the result."""
        exchange: Exchange = scope["glassmind"]
        is_post = self._route.method == "POST"
        exchange.route = self._route.path
        body = await exchange.read_body(expected=is_post)
        if not self._route.is_for(exchange.identity):
            hint = BEYOND.hint.format(" or ".join(self._route.sets))
            by_sets = bool(self._route.sets)
            raise Refused(BEYOND._replace(hint=hint) if by_sets else OWNER_ONLY)
        if is_post and not is_json(exchange.head):
            raise Refused(NOT_JSON)
        await exchange.run(self._answer(scope, body, exchange), self._limit_s)

    async def _answer(self, scope: Scope, body: bytes, exchange: Exchange) -> None:
        try:
            with known_as(exchange.identity.name):
                work = partial(self._run, scope, body, exchange)
                reply = await self._workers.run(work)
                if isinstance(reply, Job):
                    reply = await self._desk.jobs.ended(reply)
                if isinstance(reply, Reply):
                    await exchange.answer(reply)
                elif scope["method"] == "HEAD":
                    await show_head(reply, exchange)
                else:
                    await self._streams.answer(reply, exchange)
        except GlassmindError as error:
            raise Refused(refusal_of(error, self._desk.engine.config)) from error

    def _run(
        self, scope: Scope, body: bytes, exchange: Exchange
    ) -> Reply | Job | Stream:
        accept = exchange.head.get(b"accept", b"").decode("latin-1")
        given, identity = self._arguments(scope, body), exchange.identity
        if identity.name and "client" in given:
            given["client"] = identity.name  # a client cannot choose another name
        whole = self._desk.engine
        desk = self._desk._replace(engine=whole.seen_by(identity.scope))
        asked = Asked(desk, given, exchange.has_token, accept, identity)
        caller = plain_caller(str(given.get("client") or ""), USUAL)
        with Recording(whole, "http", self._owner, caller) as access_log:
            reply = self._route.run(asked)
            match reply:  # jobs and streams disclose notes later
                case Reply():
                    access_log.show(reply.shown)
                case Job() | Stream():
                    reply.show = access_log.show
            return reply

    def _arguments(self, scope: Scope, body: bytes) -> dict[str, Any]:
        query, path = scope["query_string"], scope["path_params"]
        operation = self._route.operation
        if operation is not None:
            return given_to(operation, self._owner, query, body, path)
        if self._route.method == "POST":
            from_query(self._owner, (), query, {})
            return from_body(self._owner, self._route.arguments, body, path)
        return from_query(self._owner, self._route.arguments, query, path)


async def _unrouted(request: Request, error: Exception) -> Response:
    """Answer a request that no route takes."""
    await request.scope["glassmind"].read_body(expected=False)
    headers = dict(getattr(error, "headers", None) or {})
    refusal = NO_ROUTE
    if isinstance(error, HTTPException) and error.status_code == 405:  # noqa: PLR2004
        hint = WRONG_METHOD.hint.format(headers.get("Allow", ""))
        refusal = WRONG_METHOD._replace(hint=hint)
    body = encoded(error_body(refusal))
    return Response(body, refusal.status, headers, media_type="application/json")
