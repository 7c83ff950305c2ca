"""The ASGI application: all routes and MCP behind one middleware."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as Path
from starlette.types import Receive, Scope, Send

import glassmind.serve.http.openapi  # noqa: F401 - registers GET /openapi.json
from glassmind.access.clients import Clients, plain_caller
from glassmind.engine import Engine
from glassmind.errors import GlassmindError
from glassmind.errors.serving import CallAbandoned
from glassmind.operations.registry import Operation, Route
from glassmind.serve.http.errors import (
    NOT_JSON,
    STOPPING,
    Refusal,
    Refused,
    refusal_of,
)
from glassmind.serve.http.jobs import Call, Jobs, Workers
from glassmind.serve.http.mcp import PATH as MCP_PATH
from glassmind.serve.http.mcp import McpEndpoint
from glassmind.serve.http.middleware import (
    Exchange,
    Guard,
    OnRequest,
    ignore_request,
)
from glassmind.serve.http.operations import (
    all_routes,
    limit_s,
    may_use,
    read_arguments,
    reply_to,
)
from glassmind.serve.http.replies import answered
from glassmind.serve.http.security import (
    ANONYMOUS,
    AccessRules,
    TokenThrottle,
    is_json,
    origins_of,
)
from glassmind.serve.http.server import HttpCaller, Metrics, Server
from glassmind.serve.http.streams import Streams, longest_answer_s
from glassmind.serve.http.token import TokenFile
from glassmind.serve.recording import Recording
from glassmind.types.callers import known_as

QUICK_THREADS = 2
"""For routes that say how the server is, also when it is busy."""

UNNAMED = "http"
"""The name on record of a client that gives none."""

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
    server, streams = Server(engine, Jobs(), Metrics()), Streams(workers)
    known = frozenset(hosts), origins_of(hosts, origins)
    mcp = McpEndpoint(engine, toolsets, structured=structured)
    routes = [Path(MCP_PATH, endpoint=mcp, methods=["POST"])]
    for route, operation in all_routes():
        pool = quick if route.quick else workers
        path = route.path.replace("{name}", "{name:path}")
        endpoint = Endpoint(route, operation, server, pool, streams)
        routes.append(Path(path, endpoint=endpoint, methods=[route.method]))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            for resource in (streams, server.jobs, quick, workers):
                resource.close()

    guard = Middleware(
        Guard,
        rules=AccessRules(*known, token, by_address, clients),
        metrics=server.metrics,
        on_request=on_request,
        throttle=TokenThrottle() if throttle is None else throttle,
    )
    app = Starlette(
        routes=routes,
        middleware=[guard],
        exception_handlers={HTTPException: _unrouted},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return app


@dataclass(frozen=True)
class Endpoint:
    """Answers the requests of one route."""

    route: Route
    operation: Operation
    server: Server
    workers: Workers
    streams: Streams

    async def __call__(self, scope: Scope, _receive: Receive, _send: Send) -> None:
        """Read the request, run it in a thread, and send the result."""
        exchange: Exchange = scope["glassmind"]
        route, config = self.route, self.server.engine.config
        is_post = route.method == "POST"
        exchange.route = route.path
        body = await exchange.read_body(expected=is_post)
        if not may_use(exchange.identity, route):
            hint = BEYOND.hint.format(" or ".join(route.sets))
            raise Refused(BEYOND._replace(hint=hint) if route.sets else OWNER_ONLY)
        if is_post and not is_json(exchange.head):
            raise Refused(NOT_JSON)
        time_s = longest_answer_s(config) if self.operation.events else limit_s(route)
        try:
            await exchange.run(self._answer(exchange, body), time_s)
        except CallAbandoned:
            raise Refused(STOPPING) from None
        except GlassmindError as error:
            raise Refused(refusal_of(error, config)) from error

    async def _answer(self, exchange: Exchange, body: bytes) -> None:
        with known_as(exchange.identity.name):
            reply = await self.workers.run(partial(self._run, exchange, body))
            if isinstance(reply, Response):
                await exchange.answer(reply)
            elif self.route.job:
                await exchange.answer(await self._run_job(reply))
            else:
                await self.streams.answer(reply, exchange)

    def _run(self, exchange: Exchange, body: bytes) -> Response | Call:
        """Return the response, or a call that takes longer."""
        scope, identity, whole = exchange.scope, exchange.identity, self.server.engine
        query, path = scope["query_string"], scope["path_params"]
        arguments, extra = read_arguments(self.operation, self.route, query, body, path)
        # a client with a token of its own cannot choose another name
        name = plain_caller(identity.name or extra.get("client", ""), UNNAMED)
        has_token = identity is not ANONYMOUS
        caller = HttpCaller("http", name, server=self.server, has_token=has_token)
        verb = f"{self.route.method} {self.route.path}"
        with Recording(whole, "http", verb, name) as access_log:
            call = Call(
                self.operation,
                whole.seen_by(identity.scope),
                arguments,
                caller,
                exchange.head.get(b"accept", b"").decode("latin-1"),
                extra.get("wait", True),
                access_log.show,
            )
            if self.operation.events or self.route.job:
                return call
            return reply_to(call, call.run(), whole.config)

    async def _run_job(self, call: Call) -> Response:
        job = self.server.jobs.begin(call)
        if call.waits:
            return reply_to(call, await job.ended(), self.server.engine.config)
        headers = {"location": f"{self.route.path}/{job.id}"}
        return answered(job.state().to_json(), 202, headers=headers)


async def _unrouted(request: Request, error: Exception) -> Response:
    """Refuse a request that no route takes."""
    await request.scope["glassmind"].read_body(expected=False)
    allowed = dict(getattr(error, "headers", None) or {})
    if "Allow" not in allowed:
        raise Refused(NO_ROUTE)
    hint = WRONG_METHOD.hint.format(allowed["Allow"])
    raise Refused(WRONG_METHOD._replace(hint=hint, headers=allowed))
