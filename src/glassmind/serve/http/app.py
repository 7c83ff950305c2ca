"""The ASGI application: all routes and MCP behind one middleware."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route as Path
from starlette.types import Receive, Scope, Send

from glassmind.access.clients import plain_caller
from glassmind.engine import Engine
from glassmind.model.access import known_as
from glassmind.operations.registry import Operation, Route
from glassmind.serve.http.calls import EVENTS, HttpCall, events_of, with_error
from glassmind.serve.http.guard import (
    ANONYMOUS,
    BEYOND,
    AccessRules,
    Guard,
    Identity,
    OnRequest,
    TokenThrottle,
    read_json,
    while_connected,
)
from glassmind.serve.http.mcp import McpEndpoint
from glassmind.serve.http.replies import Refusal, Refused, answered
from glassmind.serve.http.routes import (
    all_routes,
    limit_s,
    may_use,
    read_arguments,
    reply_to,
)
from glassmind.serve.http.server import HttpCaller, ServerState
from glassmind.serve.recording import Recording

UNNAMED = "http"
"""The name on record of a client that gives none."""

STREAM_HEADERS = {"content-type": EVENTS, "x-accel-buffering": "no"}  # for nginx

NO_ROUTE = Refusal(404, "no_route", "there is no such route", "see GET /openapi.json")
WRONG_METHOD = Refusal(
    405, "wrong_method", "this route does not take that method", "see the header Allow"
)
OWNER_ONLY = BEYOND._replace(
    code="needs_vault_token", hint="use the token of glassmind serve --show-token"
)


def make_app(  # noqa: PLR0913 - options by name
    engine: Engine,
    rules: AccessRules,
    *,
    toolsets: Sequence[str] = ("core",),
    structured: bool = False,
    on_request: OnRequest | None = None,
    throttle: TokenThrottle | None = None,
) -> Starlette:
    """Return the application that serves a vault.

    With `structured`, MCP tools send structured content.
    """
    server = ServerState(engine)
    mcp = McpEndpoint(engine, toolsets, structured=structured)
    routes = [Path(mcp.path, endpoint=mcp, methods=["POST"])]
    for route, operation in all_routes():
        path = route.path.replace("{name}", "{name:path}")
        endpoint = Endpoint(route.path, route, operation, server)
        routes.append(Path(path, endpoint=endpoint, methods=[route.method]))
        if operation.events and routes[-1].methods:  # no model answers HEAD
            routes[-1].methods.discard("HEAD")

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        server.close()

    parts = rules, throttle or TokenThrottle(), server.metrics, on_request
    guard = Middleware(Guard, engine.config, *parts)
    app = Starlette(
        routes=routes,
        middleware=[guard],
        exception_handlers={HTTPException: _refuse_unrouted},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.server = server
    return app


@dataclass(frozen=True)
class Endpoint:
    """Answers the requests of one route."""

    path: str
    route: Route
    operation: Operation
    server: ServerState

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route, identity = self.route, scope["identity"]
        if not may_use(identity, route):
            hint = BEYOND.hint.format(" or ".join(route.sets))
            raise Refused(BEYOND._replace(hint=hint) if route.sets else OWNER_ONLY)
        request = Request(scope, receive)
        body = await read_json(request) if route.method == "POST" else b""
        with known_as(identity.name):
            call = self._call(request, body, identity)
            most_s = limit_s(route, self.operation, self.server.engine.config)
            try:
                answer = self._answer(call, most_s)
                response = await while_connected(receive, answer, most_s)
                await response(scope, receive, send)
            finally:
                if call.waits:
                    call.halt.set()

    def _call(self, request: Request, body: bytes, identity: Identity) -> HttpCall:
        route, engine = self.route, self.server.engine
        arguments, extra = read_arguments(self.operation, route, request, body)
        # a client with a token of its own cannot choose another name
        name = plain_caller(identity.name or extra.get("client", ""), UNNAMED)
        has_token = identity is not ANONYMOUS
        return HttpCall(
            self.operation,
            engine.seen_by(identity.scope),
            arguments,
            HttpCaller("http", name, server=self.server, has_token=has_token),
            Recording(engine, "http", str(route), name),
            request.headers.get("accept", "").lower(),
            extra.get("wait", True),
        )

    async def _answer(self, call: HttpCall, limit_s: float) -> Response:
        server, config = self.server, self.server.engine.config
        if self.route.job:
            job = server.begin(call)
            if call.waits:
                return reply_to(call, await asyncio.wrap_future(job.future), config)
            headers = {"location": f"{self.path}/{job.id}"}
            return answered(job.state().to_json(), 202, headers=headers)
        workers = server.quick if self.route.quick else server.workers
        if self.operation.events:
            if call.arguments.model and config.llm.backend != "none":
                workers = server.models
            if call.arguments.stream or call.accept.startswith("text/event-stream"):
                parts = events_of(call, workers, limit_s)
                first = await anext(parts)  # until then a fault has its status
                stream = with_error(first, parts, config)
                return StreamingResponse(stream, headers=STREAM_HEADERS)
        work = workers.start(call, lambda: reply_to(call, call.run(), config))
        return await asyncio.wrap_future(work)


async def _refuse_unrouted(_: Request, error: Exception) -> Response:
    allowed = getattr(error, "headers", None)
    raise Refused(WRONG_METHOD._replace(headers=allowed) if allowed else NO_ROUTE)
