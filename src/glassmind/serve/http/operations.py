"""Answers requests with operations: reads arguments, runs them, and writes replies."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any
from urllib.parse import parse_qsl

import msgspec
from msgspec import Meta
from starlette.responses import Response

import glassmind.serve.compat.searches  # noqa: F401 - registers GET /api/search
from glassmind.access.clients import NAME_CHARS
from glassmind.config import Config
from glassmind.errors.serving import BadArgument
from glassmind.operations.arguments import DEEPEST, fields_of, parsed_json, read
from glassmind.operations.registry import (
    Arguments,
    NoNotes,
    Operation,
    Result,
    Route,
    all_operations,
    arg,
)
from glassmind.serve.http.calls import Call
from glassmind.serve.http.replies import (
    MARKDOWN,
    Refusal,
    Refused,
    answered,
    as_text,
    placeless,
)
from glassmind.serve.http.security import Identity
from glassmind.serve.http.server import ANY

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
BAD_QUERY = Refusal(
    400,
    "bad_query",
    "the query cannot be read",
    "encode it as UTF-8 and percent-encode each byte",
)


class ClientArguments(Arguments):
    """What every route takes that records who asks."""

    client: Annotated[
        Annotated[str, Meta(max_length=NAME_CHARS)],
        arg("The name of the client, for the record."),
    ] = ""


class JobArguments(Arguments):
    """What every route of a background job takes."""

    wait: Annotated[bool, arg("Answer at the end, not at once.")] = True


def extra_arguments(operation: Operation, route: Route) -> list[type[Arguments]]:
    """Return what HTTP takes beside the operation's own arguments."""
    return [ClientArguments] * operation.writes + [JobArguments] * route.job


def all_routes() -> list[tuple[Route, Operation]]:
    """Return every route with its operation."""
    return [(op.route, op) for op in all_operations() if op.route]


def limit_s(route: Route, operation: Operation, config: Config) -> float:
    """Return the seconds for an answer; with a model, for one it waits for too."""
    if operation.events:
        return 2 * config.llm.timeout_s + ANSWER_S
    if route.job:
        return JOB_S
    return WRITE_S if route.method == "POST" and "write" in route.sets else ANSWER_S


def may_use(identity: Identity, route: Route) -> bool:
    """Return whether the toolsets of a caller allow a route."""
    if identity.is_owner or ANY in route.sets:
        return True
    usable = identity.scope.toolsets
    return bool(route.sets) and not (usable and set(usable).isdisjoint(route.sets))


def read_arguments(
    operation: Operation,
    route: Route,
    query: bytes,
    body: bytes,
    path: Mapping[str, str],
) -> tuple[Any, dict[str, Any]]:
    """Return the checked arguments of a request, and those that HTTP adds.

    Raises:
        Refused: the body or the query cannot be read.
        BadArgument: one of the arguments cannot be used.
    """
    owner, strict = f"{route.method} {route.path}", route.method == "POST"
    fields = fields_of(operation.arguments, "http")
    lists = () if strict else {field.name for field in fields if field.is_list}
    given = _decoded_query(owner, query, lists)
    if strict and given:
        raise BadArgument(owner, "arguments belong in the body, not in the query")
    if strict:
        given = _decoded_body(body)
    for name in path:
        if name in given:
            raise BadArgument(owner, f"{name} is given in the path already")
    given |= path
    extra: dict[str, Any] = {}
    for kind in extra_arguments(operation, route):
        names = kind.__struct_fields__
        own = {name: given.pop(name) for name in names if name in given}
        made = read(kind, own, owner=owner, surface="http", strict=strict)
        extra |= msgspec.structs.asdict(made)
    arguments = read(
        operation.arguments, given, owner=owner, surface="http", strict=strict
    )
    return arguments, extra


def _decoded_body(body: bytes) -> dict[str, Any]:
    try:
        given = parsed_json(body.decode("utf-8"))
    except ValueError:
        raise Refused(BAD_JSON) from None
    if not isinstance(given, dict):
        raise Refused(BAD_JSON)
    return given


def _decoded_query(owner: str, query: bytes, lists: Collection[str]) -> dict[str, Any]:
    """Return the texts in a query; names in `lists` may repeat."""
    try:
        pairs = parse_qsl(
            query.decode("ascii"), keep_blank_values=True, errors="strict"
        )
    except ValueError:
        raise Refused(BAD_QUERY) from None
    given: dict[str, Any] = {}
    for name, text in pairs:
        if name in lists:
            given.setdefault(name, []).append(text)
        elif name in given:
            raise BadArgument(owner, f"{name[:50]!r} is given twice")
        else:
            given[name] = text
    return given


def reply_to(call: Call, result: Result, config: Config) -> Response:
    """Return a result in the form that the client asked for."""
    operation = call.operation
    form = operation.files.get(getattr(call.arguments, "format", None) or "")
    if form is not None:
        return as_text(form.render(result), form.media_type)
    if operation.markdown and call.accepts("text/markdown"):
        return as_text(operation.markdown(result), MARKDOWN)
    values = result.to_json()
    if isinstance(values, dict) and values.get("notices"):
        values["notices"] = [placeless(one, config) for one in values["notices"]]
    return answered(values, of_notes=not isinstance(result, NoNotes))
