"""The description of the server (OpenAPI 3.1), made from the declared operations."""

from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import Any, ClassVar

import msgspec

from glassmind.engine import Engine
from glassmind.operations.arguments import (
    fields_of,
    property_schema,
    remove_properties,
    require_defaults,
    schema_for_http,
)
from glassmind.operations.model_text import LABEL_OF_VALUES
from glassmind.operations.registry import (
    NoArguments,
    NoNotes,
    Operation,
    Route,
    operation,
)
from glassmind.serve.http.calls import EVENTS, JobState
from glassmind.serve.http.operations import all_routes, extra_arguments
from glassmind.serve.http.replies import JSON, LABELS, MARKDOWN
from glassmind.serve.http.security import OPEN_PATH
from glassmind.serve.http.server import ANY
from glassmind.version import __version__

EVERYWHERE = (400, 401, 403, 408, 413, 421, 422, 429, 500, 503)
"""Statuses that every route may answer with."""

TEXT = {"type": "string"}

ERROR = {
    "type": "object",
    "properties": {
        **LABELS["properties"],
        "error": {
            "type": "object",
            "properties": dict.fromkeys(("code", "message", "hint", "digest"), TEXT),
            "required": ["code", "message", "hint"],
        },
    },
    "required": ["error"],
}


class OpenApi(NoNotes):
    list_field: ClassVar[str] = "document"

    document: dict[str, Any]


@operation(group="Maintain", route=Route("GET", "/openapi.json", sets=(ANY,)))
def openapi(_: Engine, __: NoArguments) -> OpenApi:
    """Describe this server."""
    routes = all_routes()
    info = {
        "title": "Glassmind",
        "version": __version__,
        "description": f"A vault of notes, asked over HTTP. {LABEL_OF_VALUES} What "
        "names notes or holds their text says so by `untrusted`.",
    }
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": info,
        "paths": {
            route.path: {route.method.lower(): _described(route, op)}
            for route, op in routes
        },
        "components": {
            "schemas": {"Error": ERROR} | _schemas([op for _, op in routes]),
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
        [*results, *events], ref_template="#/components/schemas/{name}"
    )
    require_defaults(parts.values())
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
        or f"{route.method.lower()}_{path.removesuffix('.json')}",
        "summary": operation.summary,
        "responses": dict(_responses(route, operation)),
    }
    if route.path == OPEN_PATH:
        made["security"] = []
    if route.method == "POST":
        content = {JSON: {"schema": _body_schema(route, operation)}}
        made["requestBody"] = {"required": True, "content": content}
    if parameters := list(_parameters(route, operation)):
        made["parameters"] = parameters
    return made


def _body_schema(route: Route, operation: Operation) -> dict[str, Any]:
    made = schema_for_http(operation.arguments)
    for extra in extra_arguments(operation, route):
        made["properties"] |= schema_for_http(extra)["properties"]
    names = [name for name in made["properties"] if f"{{{name}}}" in route.path]
    remove_properties(made, names)
    return made


def _parameters(route: Route, operation: Operation) -> Iterator[dict[str, Any]]:
    """Yield the arguments in the path or the query."""
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
        content[EVENTS] = {"schema": _event_schema(operation)}
    yield "200", {"description": "Done.", "content": content}
    if route.job:
        begun = {JSON: {"schema": _reference(JobState.__name__)}}
        yield "202", {"description": "Begun.", "content": begun}
    posted = {415} if route.method == "POST" else set()
    for status in sorted({*EVERYWHERE, *posted, *route.fails}):
        error = {JSON: {"schema": _reference("Error")}}
        phrase = f"{HTTPStatus(status).phrase}."
        yield str(status), {"description": phrase, "content": error}


def _event_schema(operation: Operation) -> dict[str, Any]:
    kinds = {name: kind.__name__ for name, kind in operation.events.items()}
    kinds |= {"answer": operation.result.__name__, "error": "Error"}
    return {
        "oneOf": [
            {
                "type": "object",
                "properties": {
                    "event": {"const": name},
                    "data": {
                        "type": "string",
                        "contentMediaType": JSON,
                        "contentSchema": _reference(kind),
                    },
                },
                "required": ["event", "data"],
            }
            for name, kind in kinds.items()
        ]
    }
