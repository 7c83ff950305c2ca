"""The ASGI application: routes of the operations, and MCP, behind one middleware.

OpenAPI 3.1 is made from the declarations alone.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, ClassVar

import msgspec
from starlette.applications import Starlette
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route as Path
from starlette.types import Receive, Scope, Send

import glassmind.serve.compat.searches  # noqa: F401 - registers GET /api/search
from glassmind.access.clients import NAME_CHARS, plain_caller
from glassmind.config import Config
from glassmind.engine import Engine
from glassmind.errors import BadArgument
from glassmind.model.access import known_as
from glassmind.operations.arguments import (
    DEEPEST,
    fields_of,
    parsed_json,
    property_schema,
    read,
    remove_properties,
    require_defaults,
    schema_of,
)
from glassmind.operations.model_text import LABEL_OF_VALUES
from glassmind.operations.registry import (
    Arguments,
    NoArguments,
    NoNotes,
    Operation,
    Result,
    Route,
    all_operations,
    arg,
    operation,
)
from glassmind.serve.http.guard import (
    ANONYMOUS,
    BEYOND,
    OPEN_PATH,
    AccessRules,
    Guard,
    Identity,
    OnRequest,
    TokenThrottle,
    read_json,
    while_connected,
)
from glassmind.serve.http.mcp import McpEndpoint
from glassmind.serve.http.replies import (
    JSON,
    LABELS,
    MARKDOWN,
    Error,
    Refusal,
    RequestRefused,
    answered,
    as_text,
    without_places,
)
from glassmind.serve.http.server import (
    ANY,
    EVENTS,
    HttpCall,
    HttpCaller,
    ServerState,
    events_of,
    with_error,
)
from glassmind.serve.recording import Recording
from glassmind.version import __version__

ANSWER_S, WRITE_S, JOB_S = 60.0, 600.0, 6 * 3600.0
"""Seconds for an answer: the longest search takes a few, a change may rewrite links in
thousands of notes, and a job may be the first index of a large vault."""

BAD_JSON = Refusal(
    400,
    "bad_json",
    f"the body is not a JSON object in UTF-8 of at most {DEEPEST} levels, "
    "each name given once",
    "send an object of arguments; see /openapi.json for what it takes",
)


class CallerArguments(Arguments):
    """What every route takes that records who asks."""

    client: Annotated[
        str, arg("The name of the client, for the record.", longest=NAME_CHARS)
    ] = ""


def all_routes() -> list[tuple[Route, Operation]]:
    return [(op.route, op) for op in all_operations() if op.route]


def limit_s(route: Route, operation: Operation, config: Config) -> float:
    if operation.events:
        return 2 * config.llm.timeout_s + ANSWER_S
    if route.job:
        return JOB_S
    return WRITE_S if route.method == "POST" and "write" in route.sets else ANSWER_S


def may_use(identity: Identity, route: Route) -> bool:
    if identity.is_owner or ANY in route.sets:
        return True
    usable = identity.scope.toolsets
    return bool(route.sets) and not (usable and set(usable).isdisjoint(route.sets))


def read_arguments(
    operation: Operation, route: Route, request: Request, body: bytes
) -> tuple[Any, str]:
    owner, strict = str(route), route.method == "POST"
    fields = fields_of(operation.arguments, "http")
    lists = () if strict else {field.name for field in fields if field.is_list}
    given = _decoded_query(owner, request.query_params, lists)
    if strict and given:
        raise BadArgument(owner, "arguments belong in the body, not in the query")
    if strict:
        try:
            given = parsed_json(body.decode("utf-8"))
        except ValueError:
            raise RequestRefused(BAD_JSON) from None
        if not isinstance(given, dict):
            raise RequestRefused(BAD_JSON)
    for name in request.path_params:
        if name in given:
            raise BadArgument(owner, f"{name} is given in the path already")
    given |= request.path_params
    client = ""
    if operation.writes and "client" in given:
        own = {"client": given.pop("client")}
        made = read(CallerArguments, own, owner=owner, surface="http", strict=strict)
        client = made.client
    arguments = read(
        operation.arguments, given, owner=owner, surface="http", strict=strict
    )
    return arguments, client


def _decoded_query(
    owner: str, query: QueryParams, lists: Collection[str]
) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name, text in query.multi_items():
        if name in lists:
            given.setdefault(name, []).append(text)
        elif name in given:
            raise BadArgument(owner, f"{name[:50]!r} is given twice")
        else:
            given[name] = text
    return given


def reply_to(call: HttpCall, result: Result, config: Config) -> Response:
    operation = call.operation
    form = operation.files.get(getattr(call.arguments, "format", None) or "")
    if form is not None:
        return as_text(form.render(result), form.media_type)
    if operation.markdown and call.accept.startswith("text/markdown"):
        return as_text(operation.markdown(result), MARKDOWN)
    values = result.to_json()
    if isinstance(values, dict) and values.get("notices"):
        values["notices"] = [without_places(n, config) for n in values["notices"]]
    return answered(values, of_notes=not isinstance(result, NoNotes))


EVERYWHERE = (400, 401, 403, 408, 413, 421, 422, 429, 500, 503)
TEXT = {"type": "string"}


class OpenApi(NoNotes):
    list_field: ClassVar[str] = "document"

    document: dict[str, Any]


@operation(group="Maintain", route=Route("GET", "/openapi.json", sets=(ANY,)))
def openapi(_: Engine, __: NoArguments) -> OpenApi:
    """Describe this server."""
    routes = all_routes()
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "Glassmind",
            "version": __version__,
            "description": f"A vault of notes, asked over HTTP. {LABEL_OF_VALUES} What "
            "names notes or holds their text says so by `untrusted`.",
        },
        "paths": {
            route.path: {route.method.lower(): _described(route, op)}
            for route, op in routes
        },
        "components": {
            "schemas": _schemas([op for _, op in routes]),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }
    return OpenApi(document=document)


def _reference(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _schemas(operations: Sequence[Operation]) -> dict[str, Any]:
    results = [op.result for op in operations if "" not in op.files]  # in JSON
    events = [kind for op in operations for kind in op.events.values()]
    _, parts = msgspec.json.schema_components(
        [*results, *events, Error], ref_template="#/components/schemas/{name}"
    )
    require_defaults(parts.values())
    parts[Error.__name__]["properties"] |= LABELS["properties"]
    for result in results:
        remove_properties(parts[result.__name__], result.text_only)
        if result.list_field:
            listed = parts[result.__name__]["properties"][result.list_field]
            parts[result.__name__] = listed
    return parts


def _described(route: Route, operation: Operation) -> dict[str, Any]:
    path = route.path.strip("/").partition("/{")[0].replace("/", "_")
    made: dict[str, Any] = {
        "operationId": route.id
        or f"{route.method.lower()}_{path.removesuffix('.json').replace('-', '_')}",
        "summary": operation.summary,
        "responses": dict(_responses(route, operation)),
    }
    if route.path == OPEN_PATH:
        made["security"] = []
    if route.method == "POST":
        schema = schema_of(operation.arguments, "http")
        if operation.writes:
            schema["properties"] |= schema_of(CallerArguments, "http")["properties"]
        in_path = [n for n in schema["properties"] if f"{{{n}}}" in route.path]
        remove_properties(schema, in_path)
        content = {JSON: {"schema": schema}}
        made["requestBody"] = {"required": True, "content": content}
    if parameters := list(_parameters(route, operation)):
        made["parameters"] = parameters
    return made


def _parameters(route: Route, operation: Operation) -> Iterator[dict[str, Any]]:
    for field in fields_of(operation.arguments, "http"):
        in_path = f"{{{field.name}}}" in route.path
        if in_path or route.method == "GET":
            yield {
                "name": field.name,
                "in": "path" if in_path else "query",
                "required": field.required,
                "description": field.about.description,
                "schema": property_schema(field, "http", in_query=True),
            }


def _responses(route: Route, operation: Operation) -> Iterator[tuple[str, Any]]:
    result = operation.result
    of_notes = not issubclass(result, NoNotes)
    schema = _reference(result.__name__) | (LABELS if of_notes else {})
    content: dict[str, Any] = {}
    if "" not in operation.files:
        content[JSON] = {"schema": schema}
    for form in operation.files.values():
        content[form.media_type] = {"schema": TEXT}
    if operation.markdown:
        content[MARKDOWN] = {"schema": TEXT}
    if operation.events:
        content[EVENTS] = {}  # its schema would be that of each event
    yield "200", {"description": "Done.", "content": content}
    posted = {415} if route.method == "POST" else set()
    for status in sorted({*EVERYWHERE, *posted, *route.fails}):
        error = {JSON: {"schema": _reference(Error.__name__)}}
        phrase = f"{HTTPStatus(status).phrase}."
        yield str(status), {"description": phrase, "content": error}


UNNAMED = "http"  # the name on record of a client that gives none
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
    """Return the application; with `structured`, MCP tools send structured content."""
    server = ServerState(engine)
    mcp = McpEndpoint(engine, toolsets, structured=structured)
    routes = [Path(mcp.path, endpoint=mcp, methods=["POST"])]
    for route, op in all_routes():
        path = route.path.replace("{name}", "{name:path}")
        endpoint = Endpoint(route.path, route, op, server)
        routes.append(Path(path, endpoint=endpoint, methods=[route.method]))
        if op.events and routes[-1].methods:  # no model answers HEAD
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
    path: str
    route: Route
    operation: Operation
    server: ServerState

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route, identity = self.route, scope["identity"]
        if not may_use(identity, route):
            hint = BEYOND.hint.format(" or ".join(route.sets))
            raise RequestRefused(
                BEYOND._replace(hint=hint) if route.sets else OWNER_ONLY
            )
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
                call.halt.set()

    def _call(self, request: Request, body: bytes, identity: Identity) -> HttpCall:
        route, engine = self.route, self.server.engine
        arguments, client = read_arguments(self.operation, route, request, body)
        # a client with a token of its own cannot choose another name
        name = plain_caller(identity.name or client, UNNAMED)
        has_token = identity is not ANONYMOUS
        return HttpCall(
            self.operation,
            engine.seen_by(identity.scope),
            arguments,
            HttpCaller("http", name, server=self.server, has_token=has_token),
            Recording(engine, "http", str(route), name),
            request.headers.get("accept", "").lower(),
        )

    async def _answer(self, call: HttpCall, limit_s: float) -> Response:
        server, config = self.server, self.server.engine.config
        workers = server.quick if self.route.quick else server.workers
        if self.route.job:
            workers = server.indexing
        if self.operation.events:
            if call.arguments.model and config.llm.backend != "none":
                workers = server.models
            if call.arguments.stream or call.accept.startswith("text/event-stream"):
                parts = events_of(call, workers, limit_s)
                first = await anext(parts)  # until then a fault has its status
                stream = with_error(first, parts, config)
                return StreamingResponse(stream, headers=STREAM_HEADERS)
        progress = call.stop_if_halted if self.route.job else None
        work = workers.start(call, lambda: reply_to(call, call.run(progress), config))
        return await asyncio.wrap_future(work)


async def _refuse_unrouted(_: Request, error: Exception) -> Response:
    allowed = getattr(error, "headers", None)
    raise RequestRefused(
        WRONG_METHOD._replace(headers=allowed) if allowed else NO_ROUTE
    )
