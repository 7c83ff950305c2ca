"""Tools made from operations: arguments, pages, text for models."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from glassmind.errors.serving import BadArgument
from glassmind.markdown.tokens import estimate_tokens
from glassmind.operations.arguments import fields_of, read, schema_for_models
from glassmind.operations.model_text import labelled
from glassmind.operations.registry import (
    Arguments,
    Caller,
    Operation,
    Page,
    View,
    arg,
)
from glassmind.surfaces.mcp.cursors import Cursor, read_cursor, trace_of, write_cursor
from glassmind.surfaces.mcp.pages import MOST_TOKENS, USUAL_TOKENS
from glassmind.surfaces.mcp.tool import Answer, Call, Tool, argument_table


class PagingArguments(Arguments, frozen=True, kw_only=True):
    """Arguments of every tool whose result comes in pages."""

    response_format: Annotated[Literal["concise", "detailed"], arg("")] = "concise"
    cursor: Annotated[
        Annotated[str, Meta(max_length=200)] | None,
        arg("next_cursor of the last answer"),
    ] = None


CHANGED = (
    "The results changed since the cursor was given: some may repeat or be missing. "
    "To be sure, call again without it."
)


def tool_of(operation: Operation) -> Tool:
    """Return an operation as a tool."""
    tool = operation.tool
    if tool is None:
        raise ValueError(f"{operation.name} has no tool")
    schema = schema_for_models(operation.arguments)
    fields = fields_of(operation.arguments, "mcp")
    fields += fields_of(PagingArguments, "mcp") if tool.page else []
    if tool.page:
        if "limit" in schema["properties"]:
            schema["properties"]["limit"]["maximum"] = tool.page.most
        schema["properties"] |= schema_for_models(PagingArguments)["properties"]
    return Tool(
        operation.tool_name,
        tool.title,
        tool.description or operation.summary,
        argument_table(fields),
        lambda call: answer(operation, call),
        read_only=not operation.writes,
        destructive=tool.destructive,
        idempotent=tool.idempotent,
        timeout_s=tool.timeout_s,
        schema=schema,
        result_schema=_result_schema(operation),
    )


def _result_schema(operation: Operation) -> dict[str, Any]:
    """Return the schema of a result; paging and labels only add fields to it."""
    return {"type": "object", **msgspec.json.schema(operation.result)}


def answer(operation: Operation, call: Call) -> Answer:
    """Run an operation for a model, and return its text and its values."""
    view = View(vault=call.engine.config.vault.name)
    if operation.tool and operation.tool.page:
        return _page(operation, operation.tool.page, call, view)
    arguments = _read(operation, operation.arguments, call.given)
    result = operation.run(call.engine, arguments, _caller(call))
    text = operation.for_models(result, view)
    return Answer(text, labelled(msgspec.to_builtins(result)), shown=result.sources())


def _page(operation: Operation, page: Page, call: Call, view: View) -> Answer:
    """Return as much of a long result as fits, and a cursor for the rest."""
    paging, arguments = _split(operation, call.given)
    cursor = read_cursor(operation.tool_name, call.given)
    limit = getattr(arguments, "limit", page.most)
    if limit is None:
        limit = min(page.usual(call.engine), page.most) if page.usual else page.most
    if hasattr(arguments, "limit"):
        if limit > page.most:
            problem = f"limit must be from 1 to {page.most} (got {limit})"
            raise BadArgument(operation.tool_name, problem)
        wider = min(cursor.offset + limit + 1, page.furthest)
        arguments = msgspec.structs.replace(arguments, limit=wider)
    detailed = paging.response_format == "detailed"
    if detailed and operation.detail:
        arguments = msgspec.structs.replace(arguments, **{operation.detail: True})
    result = operation.run(call.engine, arguments, _caller(call))
    items = getattr(result, page.items)
    before, rest = items[: cursor.offset], items[cursor.offset :]
    changed = bool(before) and _trace(before) != cursor.trace
    view = replace(
        view,
        detailed=detailed,
        first=cursor.offset + 1,
        notices=(CHANGED,) if changed else (),
    )
    result, text = _fitting(operation, result, rest[:limit], view)
    count = len(getattr(result, page.items))
    following = None
    if count < len(rest):
        end = Cursor(cursor.offset + count, _trace([*before, *rest[:count]]))
        following = write_cursor(operation.tool_name, call.given, end)
    truncated = count < min(limit, len(rest))
    lines = ["Truncated to fit."] if truncated else []
    lines += [f"More: the same call with cursor={following}"] if following else []
    values = msgspec.to_builtins(result) | {
        "truncated": truncated,
        "next_cursor": following,
    }
    return Answer("\n".join([text, *lines]), labelled(values), shown=result.sources())


def _fitting(
    operation: Operation, result: Any, items: Any, view: View
) -> tuple[Any, str]:
    """Return a result with as many items as fit, at least one, and its text."""
    budget = MOST_TOKENS if view.detailed else USUAL_TOKENS
    name = operation.tool.page.items  # type: ignore[union-attr]
    count = len(items)
    while True:
        part = msgspec.structs.replace(result, **{name: items[:count]})
        text = operation.for_models(part, view)
        tokens = estimate_tokens(text)
        if tokens <= budget or count <= 1:
            return part, text
        count = max(1, min(count - 1, count * budget // tokens))


def _split(operation: Operation, given: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the arguments of paging, and those of the operation."""
    of_paging = set(PagingArguments.__struct_fields__)
    paging = {name: value for name, value in given.items() if name in of_paging}
    rest = {name: value for name, value in given.items() if name not in of_paging}
    return _read(operation, PagingArguments, paging), _read(
        operation, operation.arguments, rest
    )


def _read(
    operation: Operation, arguments: type[Arguments], given: Mapping[str, Any]
) -> Any:
    owner = operation.tool_name
    return read(arguments, given, owner=owner, surface="mcp", strict=False)


def _caller(call: Call) -> Caller:
    return Caller("mcp", call.client, call.progress)


def _trace(items: Any) -> str:
    return trace_of(msgspec.to_builtins(items))
