"""The application: every route behind one guard, and MCP beside them."""

import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as Path
from starlette.types import Receive, Scope, Send

from glassmind.access.clients import Clients
from glassmind.engine import Engine
from glassmind.errors import GlassmindError
from glassmind.surfaces.http.addresses import origins_of
from glassmind.surfaces.http.answers_table import ASKED, longest_answer_s
from glassmind.surfaces.http.answers_talk import Talk, Talks, show_head
from glassmind.surfaces.http.arguments import from_body, from_query
from glassmind.surfaces.http.asked import Asked, Desk, Route
from glassmind.surfaces.http.door import NOT_JSON, Door, is_json
from glassmind.surfaces.http.guard import LONG_S, Guard, Tell, Visit
from glassmind.surfaces.http.jobs import Job, Jobs
from glassmind.surfaces.http.log import tell_nobody
from glassmind.surfaces.http.meter import Meter
from glassmind.surfaces.http.operations import given_to
from glassmind.surfaces.http.posted import PostedPaths
from glassmind.surfaces.http.refusals import refusal_of
from glassmind.surfaces.http.replies import (
    Refusal,
    Refused,
    Reply,
    encoded,
    error_body,
)
from glassmind.surfaces.http.showing import caller_in, taken
from glassmind.surfaces.http.table import all_routes
from glassmind.surfaces.http.throttle import TokenThrottle
from glassmind.surfaces.http.token import TokenFile
from glassmind.surfaces.http.tools import Tools
from glassmind.surfaces.http.work import Workers
from glassmind.surfaces.ledger import Recording
from glassmind.types.callers import known_as

NOWHERE = Refusal(404, "no_route", "there is nothing here", "see GET /openapi.json")
QUICK_THREADS = 2
"""For what tells how the server is, also when it is busy."""

OTHERWISE = Refusal(405, "wrong_method", "this is not asked that way", "use {}")

BEYOND = Refusal(
    403,
    "beyond_scope",
    "this client may not ask that",
    "glassmind clients set NAME --toolset {} lets it",
)
OWNERS = BEYOND._replace(
    code="needs_vault_token", hint="ask with the token of glassmind serve --show-token"
)


def make_app(  # noqa: PLR0913 - each wish by its name
    engine: Engine,
    *,
    token: str | TokenFile | None,
    hosts: Sequence[str],
    origins: Sequence[str] = (),
    toolsets: Sequence[str] = ("core",),
    tell: Tell = tell_nobody,
    by_address: bool = False,
    clients: Clients | None = None,
    throttle: TokenThrottle | None = None,
    structured: bool = False,
) -> Starlette:
    """Return the application that serves a vault.

    `hosts` are what `Host` may say, to the letter, and `origins` are pages beyond its
    own that may ask. Without `token` everybody may, which no command offers. With
    `by_address` the address that a client reached counts as a name too. `tell` hears of
    every request. `clients` have tokens of their own, and are answered within their
    scopes; whoever shows the vault's own is an agent as well. `throttle` slows
    addresses that send wrong tokens. With `structured`, MCP tools
    send structured content.
    """
    workers, quick = Workers(), Workers(QUICK_THREADS)
    meter, jobs, talks = Meter(), Jobs(), Talks(workers)
    desk = Desk(engine, engine, jobs, meter, threading.Lock(), {})
    known = frozenset(hosts), origins_of(hosts, origins)
    door = Door(*known, token, by_address, clients)
    tools = Tools(engine, toolsets, structured=structured)
    paths = _paths(desk, workers, quick, talks)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            stack.callback(workers.close)
            stack.callback(quick.close)
            stack.callback(jobs.close)
            stack.callback(talks.close)
            await stack.enter_async_context(tools.running())
            yield

    posted = PostedPaths(
        ["/mcp", *(one.path for one in all_routes() if one.method == "POST")]
    )
    limits = {**LONG_S, ASKED: longest_answer_s(engine.config)}
    guard = Middleware(
        Guard,
        door=door,
        meter=meter,
        tell=tell,
        posted=posted,
        limits=limits,
        throttle=throttle,
    )
    app = Starlette(
        routes=[*paths, Path("/mcp", endpoint=tools, methods=["POST"])],
        middleware=[guard],
        exception_handlers={HTTPException: _unrouted},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return app


def _paths(desk: Desk, workers: Workers, quick: Workers, talks: Talks) -> list[Path]:
    return [
        Path(
            route.path.replace("{name}", "{name:path}"),
            endpoint=Answering(route, desk, quick if route.quick else workers, talks),
            methods=[route.method],
        )
        for route in all_routes()
    ]


class Answering:
    """Answers the requests of one route."""

    def __init__(
        self, route: Route, desk: Desk, workers: Workers, talks: Talks
    ) -> None:
        self._route, self._desk = route, desk
        self._workers, self._talks = workers, talks
        self._owner = f"{route.method} {route.path}"

    async def __call__(self, scope: Scope, receive: Receive, _send: Send) -> None:
        """Read what is asked, have it answered by a thread, and send that."""
        visit: Visit = scope["glassmind"]
        visit.route = self._route.path
        if not self._route.is_for(visit.visitor):
            hint = BEYOND.hint.format(" or ".join(self._route.sets))
            raise Refused(BEYOND._replace(hint=hint) if self._route.sets else OWNERS)
        if self._route.method == "POST" and not is_json(visit.head):
            raise Refused(NOT_JSON)
        with known_as(visit.visitor.name):
            await self._answer(scope, receive, visit)

    async def _answer(self, scope: Scope, receive: Receive, visit: Visit) -> None:
        try:
            body = (await receive()).get("body", b"")
            work = partial(self._replied, scope, body, visit)
            reply = await self._workers.run(work)
            if isinstance(reply, Talk):
                if scope["method"] == "HEAD":
                    await show_head(reply, visit)
                else:
                    await self._talks.answer(reply, visit)
                return
            made = reply if isinstance(reply, Reply) else await self._ended(reply)
        except GlassmindError as error:
            raise Refused(refusal_of(error, self._desk.engine.config)) from error
        await visit.answer(made)

    def _replied(self, scope: Scope, body: bytes, visit: Visit) -> Reply | Job | Talk:
        accept = visit.head.get(b"accept", b"").decode("latin-1")
        given, visitor = self._given(scope, body), visit.visitor
        if visitor.name and "client" in given:
            given["client"] = visitor.name  # whatever it calls itself
        desk = self._desk._replace(engine=self._desk.engine.seen_by(visitor.scope))
        engine = self._desk.engine
        with Recording(engine, "http", self._owner, caller_in(given)) as ledger:
            reply = self._route.run(Asked(desk, given, visit.known, accept, visitor))
            return taken(reply, ledger)

    def _given(self, scope: Scope, body: bytes) -> dict[str, Any]:
        arguments, path = self._route.arguments, scope["path_params"]
        operation = self._route.operation
        if operation is not None:
            return given_to(operation, self._owner, scope["query_string"], body, path)
        if self._route.method == "POST":
            from_query(self._owner, (), scope["query_string"], {})
            return from_body(self._owner, arguments, body, path)
        return from_query(self._owner, arguments, scope["query_string"], path)

    async def _ended(self, job: Job) -> Reply:
        return await self._desk.jobs.ended(job)


async def _unrouted(_: Request, error: Exception) -> Response:
    """Answer what no route takes."""
    known = isinstance(error, HTTPException) and error.status_code == 405  # noqa: PLR2004
    refusal = OTHERWISE if known else NOWHERE
    headers = dict(getattr(error, "headers", None) or {})
    refusal = refusal._replace(hint=refusal.hint.format(headers.get("Allow", "")))
    body = encoded(error_body(refusal))
    return Response(body, refusal.status, headers, media_type="application/json")
