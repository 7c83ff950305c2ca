"""Routes made from operations."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from glassmind.access.clients import NAME_CHARS, plain_caller
from glassmind.errors.serving import BadArgument
from glassmind.operations.arguments import (
    fields_of,
    property_schema,
    read,
    remove_properties,
    require_defaults,
    schema_for_http,
)
from glassmind.operations.registry import Arguments, Caller, Operation, arg
from glassmind.serve.hiding import safe_text
from glassmind.serve.http.arguments import decoded_body, decoded_query
from glassmind.serve.http.asked import USUAL, Asked, Route
from glassmind.serve.http.errors import placeless
from glassmind.serve.http.jobs import Job
from glassmind.serve.http.replies import (
    MARKDOWN,
    PLAIN,
    Reply,
    answered,
    as_markdown,
    wants_events,
    wants_markdown,
)
from glassmind.serve.http.streams import EVENTS, Stream
from glassmind.serve.mcp.tool import argument_table

SCHEMAS = "#/components/schemas/"


class ClientArguments(Arguments, frozen=True, kw_only=True):
    """What every route takes that records who asks."""

    client: Annotated[
        Annotated[str, Meta(max_length=NAME_CHARS)],
        arg("The name of the client, for the record."),
    ] = ""


class JobArguments(Arguments, frozen=True, kw_only=True):
    """What every route of a background job takes."""

    wait: Annotated[bool, arg("Answer at the end, not at once.")] = True


def _extra_arguments(operation: Operation) -> list[type[Arguments]]:
    """Return what the surface takes beside the operation's own arguments."""
    is_job = operation.route is not None and operation.route.job
    return [ClientArguments] * operation.writes + [JobArguments] * is_job


def route_of(operation: Operation) -> Route:
    """Return an operation as a route."""
    route = operation.route
    if route is None:
        raise ValueError(f"{operation.name} has no route")
    fields = fields_of(operation.arguments, "http")
    for extra in _extra_arguments(operation):
        fields += fields_of(extra, "http")
    return Route(
        route.method,
        route.path,
        operation.summary,
        lambda asked: _answer(operation, asked),
        operation.result.__name__,
        argument_table(fields),
        fails=route.fails,
        other_types=(
            *(form.media_type for form in operation.files.values()),
            *([MARKDOWN] if operation.markdown else ()),
            *([EVENTS] if operation.events else ()),
        ),
        quick=route.quick,
        called=route.id,
        sets=route.sets,
        operation=operation,
    )


def given_to(
    operation: Operation, owner: str, query: bytes, body: bytes, path: Mapping[str, str]
) -> dict[str, Any]:
    """Return the checked arguments of a request, and the client that it names.

    Raises:
        Refused: the body or the query cannot be read.
        BadArgument: one of the arguments cannot be used.
    """
    strict = operation.route is not None and operation.route.method == "POST"
    fields = fields_of(operation.arguments, "http")
    lists = () if strict else {field.name for field in fields if field.is_list}
    rest = decoded_query(owner, query, lists)
    if strict and rest:
        raise BadArgument(owner, "arguments belong in the body, not in the query")
    if strict:
        rest = decoded_body(owner, body)
    for name in path:
        if name in rest:
            raise BadArgument(owner, f"{name} is given in the path already")
    rest |= path
    found: dict[str, Any] = {"client": ""}
    for extra in _extra_arguments(operation):
        names = extra.__struct_fields__
        own = {name: rest.pop(name) for name in names if name in rest}
        made = read(extra, own, owner=owner, surface="http", strict=strict)
        found |= msgspec.structs.asdict(made)
    found["arguments"] = read(
        operation.arguments, rest, owner=owner, surface="http", strict=strict
    )
    return found


def body_schema_of(operation: Operation) -> dict[str, Any]:
    """Return the schema of a request's body."""
    route, made = operation.route, schema_for_http(operation.arguments)
    for extra in _extra_arguments(operation):
        made["properties"] |= schema_for_http(extra)["properties"]
    in_path = [
        name for name in made["properties"] if route and f"{{{name}}}" in route.path
    ]
    remove_properties(made, in_path)
    return made


def parameters_of(operation: Operation) -> list[dict[str, Any]]:
    """Return the parameters of a request: in its path, or in its query."""
    route = operation.route
    found = []
    for field in fields_of(operation.arguments, "http"):
        in_path = route is not None and f"{{{field.name}}}" in route.path
        if in_path or (route and route.method == "GET"):
            found.append(
                {
                    "name": field.name,
                    "in": "path" if in_path else "query",
                    "required": field.required,
                    "description": field.about.description,
                    "schema": property_schema(field, "http", in_query=True),
                }
            )
    return found


def result_schemas(operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the schemas of all results, by name."""
    results = [operation.result for operation in operations]
    events = [kind for operation in operations for kind in operation.events.values()]
    _, parts = msgspec.json.schema_components(
        [*results, *events], ref_template=f"{SCHEMAS}{{name}}"
    )
    require_defaults(parts.values())
    for result in results:
        remove_properties(parts[result.__name__], result.text_only)
        if result.list_field:
            listed = parts[result.__name__]["properties"][result.list_field]
            parts[result.__name__] = listed
    return parts


def event_schema(operation: Operation) -> dict[str, Any]:
    """Return the schema of one server-sent event."""
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
                        "contentMediaType": "application/json",
                        "contentSchema": {"$ref": f"{SCHEMAS}{kind}"},
                    },
                },
                "required": ["event", "data"],
            }
            for name, kind in kinds.items()
        ]
    }


def _answer(operation: Operation, asked: Asked) -> Reply | Job | Stream:
    client = plain_caller(asked.given["client"], USUAL)
    if operation.events:
        arguments = asked.given["arguments"]
        streams = arguments.stream or wants_events(asked.accept)
        return Stream(operation, asked.engine, arguments, client, streams)
    if operation.route and operation.route.job:
        return _begun(operation, asked, client)
    result = operation.run(
        asked.engine, asked.given["arguments"], Caller("http", client)
    )
    form = operation.files.get(getattr(asked.given["arguments"], "format", None) or "")
    if form is not None:
        body = safe_text(form.render(result)).encode("utf-8", "replace")
        media_type = form.media_type.encode()
        return Reply(200, body, media_type=media_type, shown=result.sources())
    if operation.markdown and wants_markdown(asked.accept):
        return as_markdown(operation.markdown(result), result.sources())
    values = result.to_json()
    if isinstance(values, dict) and values.get("notices"):
        config = asked.engine.config
        values["notices"] = [placeless(one, config) for one in values["notices"]]
    of_notes = operation.result.__name__ not in PLAIN
    made = answered(values, of_notes=of_notes)
    return made._replace(shown=result.sources())


def _begun(operation: Operation, asked: Asked, client: str) -> Reply | Job:
    """Return a job that was started, or without `wait` where to see its state."""
    engine, arguments = asked.engine, asked.given["arguments"]
    job = Job(
        lambda progress: operation.run(
            engine, arguments, Caller("http", client, progress)
        ),
        engine.config,
    )
    asked.desk.jobs.begin(job)
    if asked.given["wait"]:
        return job
    location = f"{operation.route.path}/{job.id}" if operation.route else ""
    headers = ((b"location", location.encode()),)
    return answered(job.as_json(), 202)._replace(headers=headers)
