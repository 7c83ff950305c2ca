"""The description of the server (OpenAPI 3.1), made from the table of routes."""

from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import Any

from glassmind.operations.model_text import LABEL_OF_VALUES
from glassmind.operations.registry import Operation
from glassmind.serve.http.arguments import body_schema, query_schema
from glassmind.serve.http.asked import Route
from glassmind.serve.http.operations import (
    body_schema_of,
    event_schema,
    parameters_of,
    result_schemas,
)
from glassmind.serve.http.replies import LABELS, PLAIN, Reply, answered
from glassmind.serve.http.schemas import SCHEMAS
from glassmind.serve.http.security import OPEN_PATH
from glassmind.serve.http.streams import EVENTS
from glassmind.serve.mcp.tool import REQUIRED, Argument
from glassmind.version import __version__

EVERYWHERE = (400, 401, 403, 408, 413, 421, 422, 429, 500, 503)
"""Statuses that every route may answer with."""

ERROR = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}

_SHAPES = {
    **SCHEMAS,
}


def description(routes: tuple[Route, ...]) -> Reply:
    """Return the description of what can be asked."""
    return answered(
        {
            "openapi": "3.1.0",
            "info": {
                "title": "Glassmind",
                "version": __version__,
                "description": f"A vault of notes, asked over HTTP. {LABEL_OF_VALUES} "
                "What names notes or holds their text says so by `untrusted`.",
            },
            "paths": _paths(routes),
            "components": {
                "schemas": _SHAPES | result_schemas(_operations(routes)),
                "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            },
            "security": [{"token": []}],
        },
        of_notes=False,
    )


def _operations(routes: Sequence[Route]) -> list[Operation]:
    return [route.operation for route in routes if route.operation]


def _paths(routes: Sequence[Route]) -> dict[str, Any]:
    return {route.path: {route.method.lower(): _operation(route)} for route in routes}


def _operation(route: Route) -> dict[str, Any]:
    made: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.doc,
        "responses": dict(_responses(route)),
    }
    if route.path == OPEN_PATH:
        made["security"] = []
    beside = route.arguments
    if route.operation is not None:
        if route.method == "POST":
            content = {"application/json": {"schema": body_schema_of(route.operation)}}
            made["requestBody"] = {"required": True, "content": content}
        if parameters := parameters_of(route.operation):
            made["parameters"] = parameters
        return made
    if route.method == "POST":
        beside = tuple(one for one in beside if _is_in_path(route, one))
        schema = body_schema([one for one in route.arguments if one not in beside])
        content = {"application/json": {"schema": schema}}
        made["requestBody"] = {"required": True, "content": content}
    if beside:
        made["parameters"] = [_parameter(route, one) for one in beside]
    return made


def _is_in_path(route: Route, one: Argument) -> bool:
    return f"{{{one.name}}}" in route.path


def _parameter(route: Route, one: Argument) -> dict[str, Any]:
    return {
        "name": one.name,
        "in": "path" if _is_in_path(route, one) else "query",
        "required": one.default is REQUIRED,
        "description": one.doc,
        "schema": query_schema(one),
    }


def _responses(route: Route) -> Iterator[tuple[str, Any]]:
    schema: dict[str, Any] = {"$ref": f"#/components/schemas/{route.schema}"}
    if route.schema not in PLAIN:
        schema |= LABELS
    shape = {"schema": schema} if route.schema else {"schema": {"type": "string"}}
    content = {route.media_type: shape}
    for other in route.other_types:
        content[other] = {"schema": {"type": "string"}}
        if other == EVENTS and route.operation:
            content[other] = {"schema": event_schema(route.operation)}
    yield "200", {"description": "Done.", "content": content}
    if route.operation and route.operation.route and route.operation.route.job:
        job = {"schema": {"$ref": "#/components/schemas/Job"}}
        begun = {"description": "Begun.", "content": {"application/json": job}}
        yield "202", begun
    posted = {415} if route.method == "POST" else set()
    for status in sorted({*EVERYWHERE, *posted, *route.fails}):
        said = f"{HTTPStatus(status).phrase}."
        yield str(status), {"description": said, "content": ERROR}
