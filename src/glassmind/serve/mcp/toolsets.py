"""Tools by set: those made from operations, in pages if they are long, and others.

A page ends with a cursor, which a caller sends back unread. It says how many items were
shown, for which call, and has a hash of them, which shows whether they changed since.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from glassmind.access.scopes import DEFAULT_SETS, read_names
from glassmind.errors.access import BeyondToolsets
from glassmind.errors.serving import BadArgument
from glassmind.markdown.tokens import estimate_tokens
from glassmind.operations.arguments import (
    read,
    remove_properties,
    require_defaults,
    schema_for_models,
)
from glassmind.operations.model_text import labelled
from glassmind.operations.registry import (
    Arguments,
    Caller,
    NoArguments,
    Operation,
    Page,
    View,
    all_operations,
    arg,
)
from glassmind.serve.compat.tools import MODULES, tools_in
from glassmind.serve.mcp.tool import MOST_TOKENS, USUAL_TOKENS, Answer, Call, Tool
from glassmind.types.access import Scope

EMPTY = frozenset(("query",))
"""Sets that have no tools yet."""

OWNERS = frozenset(("reindex",))
"""Tools that only clients without a scope have: they are about the whole vault."""

FURTHEST = 1_000_000_000
"""The largest offset in a cursor."""

CHANGED = (
    "The results changed since the cursor was given: some may repeat or be missing. "
    "To be sure, call again without it."
)


def sets_within(scope: Scope, wanted: Iterable[str] | None) -> tuple[str, ...]:
    """Return the sets of a client: its own, or those of them that are wanted.

    Raises:
        UnknownToolset: there is no such set.
        BeyondToolsets: it may use none of those that are wanted.
    """
    if not wanted:
        return scope.toolsets or DEFAULT_SETS
    named, own = read_names(wanted), scope.toolsets
    found = tuple(name for name in named if not own or name in own)
    if not found:
        raise BeyondToolsets(scope.client, named, own)
    return found


def tools_of(names: Sequence[str]) -> tuple[Tool, ...]:
    """Return the tools of some sets, set by set, always in the same order.

    Raises:
        UnknownToolset: there is no such set.
    """
    return tuple(tool for name in read_names(names) for tool in _tools_in(name))


def _tools_in(name: str) -> Iterator[Tool]:
    if name in MODULES:
        yield from tools_in(name)
        return
    for operation in all_operations():
        if operation.tool and operation.tool.sets[0] == name:
            yield tool_of(operation)


class FormatArguments(Arguments, frozen=True, kw_only=True):
    """Arguments of every tool whose result is cut to fit."""

    response_format: Annotated[Literal["concise", "detailed"], arg("")] = "concise"


class PagingArguments(FormatArguments, frozen=True, kw_only=True):
    """Arguments of every tool whose result comes in pages."""

    cursor: Annotated[
        Annotated[str, Meta(max_length=200)] | None,
        arg("from the last answer"),
    ] = None


def tool_of(operation: Operation) -> Tool:
    """Return an operation as a tool."""
    tool = operation.tool
    if tool is None:
        raise ValueError(f"{operation.name} has no tool")
    schema = schema_for_models(operation.arguments)
    if tool.page and "limit" in schema["properties"]:
        schema["properties"]["limit"]["maximum"] = tool.page.most
    schema["properties"] |= schema_for_models(_own_arguments(operation))["properties"]
    return Tool(
        operation.tool_name,
        tool.title,
        tool.description or operation.summary,
        schema,
        lambda call: answer(operation, call),
        read_only=not operation.writes,
        destructive=tool.destructive,
        idempotent=tool.idempotent,
        timeout_s=tool.timeout_s,
        result_schema=_result_schema(operation),
    )


def _result_schema(operation: Operation) -> dict[str, Any]:
    """Return the schema of a result; paging and labels only add fields to it."""
    schema = {"type": "object", **msgspec.json.schema(operation.result)}
    require_defaults([schema, *schema.get("$defs", {}).values()])
    part = schema["$defs"][operation.result.__name__] if "$ref" in schema else schema
    remove_properties(part, operation.result.text_only)
    return schema


def _own_arguments(operation: Operation) -> type[Arguments]:
    """Return the arguments that a tool has beyond those of the operation."""
    tool = operation.tool
    if tool and tool.page:
        return PagingArguments
    return FormatArguments if tool and tool.fits else NoArguments


def answer(operation: Operation, call: Call) -> Answer:
    """Run an operation for a model, and return its text and its values."""
    own = _own_arguments(operation)
    names, given = own.__struct_fields__, call.given
    chosen = _read(operation, own, {n: given[n] for n in names if n in given})
    rest = {name: value for name, value in given.items() if name not in names}
    arguments = _read(operation, operation.arguments, rest)
    detailed = getattr(chosen, "response_format", "") == "detailed"
    view = View(vault=call.engine.config.vault.name, detailed=detailed)
    if operation.tool and operation.tool.page:
        return _page(operation, operation.tool.page, call, arguments, view)
    if operation.tool and operation.tool.fits:
        return _fitted(operation, call, arguments, view)
    result = operation.run(call.engine, arguments, _caller(call))
    text = operation.for_models(result, view)
    return Answer(text, labelled(result.to_json()), result.sources())


def _read(
    operation: Operation, arguments: type[Arguments], given: Mapping[str, Any]
) -> Any:
    owner = operation.tool_name
    return read(arguments, given, owner=owner, surface="mcp", strict=False)


def _caller(call: Call) -> Caller:
    return Caller("mcp", call.client, call.progress)


def _page(
    operation: Operation, page: Page, call: Call, arguments: Any, view: View
) -> Answer:
    """Return as much of a long result as fits, and a cursor for the rest."""
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
    if view.detailed and operation.detail:
        arguments = msgspec.structs.replace(arguments, **{operation.detail: True})
    result = operation.run(call.engine, arguments, _caller(call))
    items = _items(result, page)
    before, rest = items[: cursor.offset], items[cursor.offset :]
    wanted = rest[:limit] if page.grows else rest
    changed = before and trace_of(msgspec.to_builtins(before)) != cursor.trace
    notices = (CHANGED,) if changed else ()
    view = replace(view, first=cursor.offset + 1, notices=notices)
    result, text, count = _fitting(operation, page, result, wanted, view)
    following = None
    if count < len(rest):
        trace = trace_of(msgspec.to_builtins([*before, *rest[:count]]))
        end = Cursor(cursor.offset + count, trace)
        following = write_cursor(operation.tool_name, call.given, end)
    truncated = count < len(wanted)
    text += "\nTruncated to fit." if truncated else ""
    text += f"\nMore: the same call with cursor={following}" if following else ""
    values = result.to_json() | {"truncated": truncated, "next_cursor": following}
    if "offset" in values:
        values["offset"] = cursor.offset
    place = next((name for name in ("degraded", "notices") if name in values), None)
    if place and changed:
        values[place] = [*values[place], CHANGED]
    return Answer(text, labelled(values), result.sources())


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


def _fitted(operation: Operation, call: Call, arguments: Any, view: View) -> Answer:
    """Return a result for the largest limit whose text fits, up to the given one."""
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
    return Answer(text, labelled(values), result.sources())


def _budget(view: View) -> int:
    return MOST_TOKENS if view.detailed else USUAL_TOKENS


class Cursor(NamedTuple):
    """How many items were shown, and a hash of them."""

    offset: int
    trace: str


def trace_of(*values: object) -> str:
    """Return a short hash of values, against accidents, not against forgery."""
    made = json.dumps(values, ensure_ascii=True, default=str)
    return sha256(made.encode()).hexdigest()[:12]


def write_cursor(tool: str, given: Mapping[str, object], cursor: Cursor) -> str:
    """Return the cursor that follows an answer to this call."""
    made = json.dumps([_call(tool, given), *cursor], separators=(",", ":"))
    return urlsafe_b64encode(made.encode()).decode().rstrip("=")


def read_cursor(tool: str, given: Mapping[str, object]) -> Cursor:
    """Return the argument `cursor` of a call, or the beginning.

    Raises:
        BadArgument: it is not a cursor, or it belongs to another call.
    """
    text = str(given.get("cursor") or "")
    if not text:
        return Cursor(0, "")
    try:
        raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        call, offset, trace = json.loads(raw)
        cursor = Cursor(int(offset), str(trace))
    except (ValueError, TypeError, OverflowError, RecursionError):
        cursor = Cursor(-1, "")
    if not 0 <= cursor.offset <= FURTHEST:
        raise BadArgument(tool, "it gave no such cursor; call it without one")
    if call != _call(tool, given):
        raise BadArgument(
            tool,
            "this cursor belongs to a call with other arguments; repeat those with "
            "it, or call without it",
        )
    return cursor


def _call(tool: str, given: Mapping[str, object]) -> str:
    return trace_of(tool, sorted((k, v) for k, v in given.items() if k != "cursor"))
