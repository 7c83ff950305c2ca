"""Tools made from operations: arguments, pages, text for models."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from glassmind.errors.serving import BadArgument
from glassmind.markdown.tokens import estimate_tokens
from glassmind.operations.arguments import (
    fields_of,
    read,
    remove_properties,
    require_defaults,
    schema_for_models,
)
from glassmind.operations.model_text import labelled
from glassmind.operations.registry import (
    Arguments,
    Caller,
    Operation,
    Page,
    View,
    arg,
)
from glassmind.serve.mcp.cursors import Cursor, read_cursor, trace_of, write_cursor
from glassmind.serve.mcp.pages import MOST_TOKENS, USUAL_TOKENS
from glassmind.serve.mcp.tool import Answer, Call, Tool, argument_table


class FormatArguments(Arguments, frozen=True, kw_only=True):
    """Arguments of every tool whose result is cut to fit."""

    response_format: Annotated[Literal["concise", "detailed"], arg("")] = "concise"


class PagingArguments(FormatArguments, frozen=True, kw_only=True):
    """Arguments of every tool whose result comes in pages."""

    cursor: Annotated[
        Annotated[str, Meta(max_length=200)] | None,
        arg("from the last answer"),
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
    elif tool.fits:
        schema["properties"] |= schema_for_models(FormatArguments)["properties"]
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
    schema = {"type": "object", **msgspec.json.schema(operation.result)}
    require_defaults([schema, *schema.get("$defs", {}).values()])
    part = schema["$defs"][operation.result.__name__] if "$ref" in schema else schema
    remove_properties(part, operation.result.text_only)
    return schema


def answer(operation: Operation, call: Call) -> Answer:
    """Run an operation for a model, and return its text and its values."""
    view = View(vault=call.engine.config.vault.name)
    if operation.tool and operation.tool.page:
        return _page(operation, operation.tool.page, call, view)
    if operation.tool and operation.tool.fits:
        return _fitted(operation, call, view)
    arguments = _read(operation, operation.arguments, call.given)
    result = operation.run(call.engine, arguments, _caller(call))
    text = operation.for_models(result, view)
    return Answer(text, labelled(result.to_json()), shown=result.sources())


def _page(operation: Operation, page: Page, call: Call, view: View) -> Answer:
    """Return as much of a long result as fits, and a cursor for the rest."""
    paging, arguments = _split(operation, PagingArguments, call.given)
    cursor = read_cursor(operation.tool_name, call.given)
    limit = getattr(arguments, "limit", page.most)
    if limit is None:
        limit = min(page.usual(call.engine), page.most) if page.usual else page.most
    if limit > page.most:
        problem = f"limit must be from 1 to {page.most} (got {limit})"
        raise BadArgument(operation.tool_name, problem)
    if hasattr(arguments, "limit") and page.grows:
        wider = min(cursor.offset + limit + 1, page.furthest)
        arguments = msgspec.structs.replace(arguments, limit=wider)
    detailed = paging.response_format == "detailed"
    if detailed and operation.detail:
        arguments = msgspec.structs.replace(arguments, **{operation.detail: True})
    result = operation.run(call.engine, arguments, _caller(call))
    items = _items(result, page)
    before, rest = items[: cursor.offset], items[cursor.offset :]
    wanted = rest[:limit] if page.grows else rest
    changed = bool(before) and _trace(before) != cursor.trace
    view = replace(
        view,
        detailed=detailed,
        first=cursor.offset + 1,
        notices=(CHANGED,) if changed else (),
    )
    result, text, count = _fitting(operation, page, result, wanted, view)
    following = None
    if count < len(rest):
        end = Cursor(cursor.offset + count, _trace([*before, *rest[:count]]))
        following = write_cursor(operation.tool_name, call.given, end)
    truncated = count < len(wanted)
    lines = ["Truncated to fit."] if truncated else []
    lines += [f"More: the same call with cursor={following}"] if following else []
    values = result.to_json() | {
        "truncated": truncated,
        "next_cursor": following,
    }
    return Answer("\n".join([text, *lines]), labelled(values), shown=result.sources())


def _fitting(
    operation: Operation, page: Page, result: Any, items: Any, view: View
) -> tuple[Any, str, int]:
    """Return a result with as many items as fit, at least one, its text, and how many.

    A detailed answer may be longer.
    """
    count = len(items)
    while True:
        part = _with_items(result, page, items[:count], is_first=view.first == 1)
        text = operation.for_models(part, view)
        tokens, budget = estimate_tokens(text), _budget(view)
        if tokens <= budget or count <= 1:
            return part, text, count
        count = max(1, min(count - 1, count * budget // tokens))


def _items(result: Any, page: Page) -> list[Any]:
    """Return what is counted: items, or (place of an item, element of its list)."""
    items = getattr(result, page.items)
    if not page.inner:
        return list(items)
    return [
        (place, element)
        for place, item in enumerate(items)
        for element in getattr(item, page.inner)
    ]


def _with_items(result: Any, page: Page, items: Any, *, is_first: bool) -> Any:
    """Return a result with some of its items.

    The first page also has the items whose inner list is empty.
    """
    if not page.inner:
        return msgspec.structs.replace(result, **{page.items: items})
    made = []
    for place, item in enumerate(getattr(result, page.items)):
        elements = [element for at, element in items if at == place]
        if elements or (is_first and not getattr(item, page.inner)):
            made.append(msgspec.structs.replace(item, **{page.inner: elements}))
    return msgspec.structs.replace(result, **{page.items: made})


def _fitted(operation: Operation, call: Call, view: View) -> Answer:
    """Return a result for the largest limit whose text fits, up to the given one."""
    chosen, arguments = _split(operation, FormatArguments, call.given)
    view = replace(view, detailed=chosen.response_format == "detailed")
    wanted = limit = arguments.limit
    while True:
        arguments = msgspec.structs.replace(arguments, limit=limit)
        result = operation.run(call.engine, arguments, _caller(call))
        text = operation.for_models(result, view)
        if limit == 1 or estimate_tokens(text) <= _budget(view):
            break
        limit = max(limit * 2 // 3, 1)
    if limit < wanted:
        text += f"\nTruncated to fit: limit was lowered to {limit}."
        text += "" if view.detailed else " response_format=detailed shows more."
    values = result.to_json() | {"truncated": limit < wanted}
    return Answer(text, labelled(values), shown=result.sources())


def _budget(view: View) -> int:
    return MOST_TOKENS if view.detailed else USUAL_TOKENS


def _split(
    operation: Operation, surface: type[Arguments], given: Mapping[str, Any]
) -> tuple[Any, Any]:
    """Return the arguments of the surface, and those of the operation."""
    own = {name: given[name] for name in surface.__struct_fields__ if name in given}
    rest = {name: value for name, value in given.items() if name not in own}
    return _read(operation, surface, own), _read(operation, operation.arguments, rest)


def _read(
    operation: Operation, arguments: type[Arguments], given: Mapping[str, Any]
) -> Any:
    owner = operation.tool_name
    return read(arguments, given, owner=owner, surface="mcp", strict=False)


def _caller(call: Call) -> Caller:
    return Caller("mcp", call.client, call.progress)


def _trace(items: Any) -> str:
    return trace_of(msgspec.to_builtins(items))
