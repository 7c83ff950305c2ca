"""Tools by set: those made from operations, in pages if they are long, and others.

A page ends with a cursor, which a caller sends back unread. It says how many items were
shown, and for which call.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from hashlib import sha256
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from glassmind.access.scopes import read_names
from glassmind.errors import BadArgument
from glassmind.obsidian.text import estimate_tokens
from glassmind.operations.arguments import (
    fields_of,
    problem,
    read,
    remove_properties,
    require_defaults,
    schema_of,
)
from glassmind.operations.model_text import fenced_lines, labelled
from glassmind.operations.registry import (
    Arguments,
    Caller,
    ModelView,
    NoNotes,
    Operation,
    Paging,
    all_operations,
    arg,
)
from glassmind.serve.compat.tools import MODULES, tools_in
from glassmind.serve.tool import MOST_TOKENS, USUAL_TOKENS, McpTool, ToolCall, ToolReply

BUDGETS = (USUAL_TOKENS, MOST_TOKENS)  # length of an answer, and of a detailed one


def tools_of(names: Sequence[str]) -> tuple[McpTool, ...]:
    return tuple(tool for name in read_names(names) for tool in _tools_in(name))


def _tools_in(name: str) -> Iterator[McpTool]:
    if name in MODULES:
        yield from tools_in(name)
        return
    for operation in all_operations():
        if operation.tool and operation.toolset == name:
            yield tool_of(operation)


class PagingArguments(Arguments, frozen=True, kw_only=True):
    """Arguments of every tool whose result comes in pages."""

    cursor: Annotated[
        Annotated[str, Meta(max_length=200)] | None,
        arg("from the last answer"),
    ] = None
    response_format: Annotated[Literal["concise", "detailed"], arg("")] = "concise"


def tool_of(operation: Operation) -> McpTool:
    tool = operation.tool
    if tool is None:
        raise ValueError(f"{operation.name} has no tool")
    schema = schema_of(operation.arguments, "mcp")
    if tool.page and "limit" in schema["properties"]:
        schema["properties"]["limit"]["maximum"] = tool.page.most
    if tool.page:
        schema["properties"] |= schema_of(PagingArguments, "mcp")["properties"]
    return McpTool(
        operation.tool_name,
        tool.title,
        tool.description or operation.summary,
        schema,
        partial(answer, operation),
        read_only=not operation.writes,
        destructive=tool.destructive,
        idempotent=tool.idempotent,
        timeout_s=tool.timeout_s,
        result_schema=_result_schema(operation),
        of_notes=not issubclass(operation.result, NoNotes),
    )


@cache
def _result_schema(operation: Operation) -> dict[str, Any]:
    schema = {"type": "object", **msgspec.json.schema(operation.result)}
    require_defaults([schema, *schema.get("$defs", {}).values()])
    part = schema["$defs"][operation.result.__name__] if "$ref" in schema else schema
    remove_properties(part, operation.result.text_only)
    _widen_tuples(schema)
    return schema


def _widen_tuples(schema: Any) -> None:
    """Clients that ignore `prefixItems` would allow empty lists only."""
    for part in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(part, dict | list):
            _widen_tuples(part)
    if isinstance(schema, dict) and (parts := schema.pop("prefixItems", None)):
        kinds = [part for at, part in enumerate(parts) if part not in parts[:at]]
        schema["items"] = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}


def answer(operation: Operation, call: ToolCall) -> ToolReply:
    page = operation.tool and operation.tool.page
    if page:
        return _page(operation, page, call)
    arguments = _read(operation, operation.arguments, call.given)
    result = operation.run(call.engine, arguments, _caller(call))
    values = result.to_json()
    values = values if isinstance(result, NoNotes) else labelled(values)
    return ToolReply(_text_of(operation, result, ModelView()), values, result.sources())


def _text_of(operation: Operation, result: Any, view: ModelView) -> str:
    if operation.for_models:
        return operation.for_models(result, view)
    return fenced_lines(operation.for_people, result, view)


def _read(
    operation: Operation, arguments: type[Arguments], given: Mapping[str, Any]
) -> Any:
    owner = operation.tool_name
    return read(arguments, given, owner=owner, surface="mcp", strict=False)


def _caller(call: ToolCall) -> Caller:
    return Caller("mcp", call.client, call.progress)


def _page(operation: Operation, page: Paging, call: ToolCall) -> ToolReply:
    own, given = PagingArguments.__struct_fields__, dict(call.given)
    paging = {name: given.pop(name) for name in own if name in given}
    chosen = _read(operation, PagingArguments, paging)
    arguments = _read(operation, operation.arguments, given)
    view = ModelView(detailed=chosen.response_format == "detailed")
    offset = read_cursor(operation.tool_name, call.given)
    limit = getattr(arguments, "limit", page.most)
    if limit is None:
        limit = min(page.usual(call.engine), page.most) if page.usual else page.most
    if limit > page.most:
        fields = fields_of(operation.arguments)
        field = next(field for field in fields if field.name == "limit")
        field = field._replace(bounds=Meta(le=page.most))
        raise BadArgument(operation.tool_name, problem(field, limit, "mcp"))
    if hasattr(arguments, "limit") and page.grows:
        wider = min(offset + limit + 1, page.furthest)
        arguments = msgspec.structs.replace(arguments, limit=wider)
    if view.detailed and operation.detail:
        arguments = msgspec.structs.replace(arguments, **{operation.detail: True})
    result = operation.run(call.engine, arguments, _caller(call))
    items = _items(result, page)
    rest = items[offset:]
    wanted = rest[:limit] if page.grows else rest
    view = replace(view, first=offset + 1)
    result, text, count = _fitting(operation, page, result, wanted, view)
    following = None
    if count < len(rest):
        following = write_cursor(operation.tool_name, call.given, offset + count)
    truncated = count < len(wanted)
    text += "\nTruncated to fit." if truncated else ""
    text += f"\nMore: the same call with cursor={following}" if following else ""
    values = result.to_json() | {"truncated": truncated, "next_cursor": following}
    if "offset" in values:
        values["offset"] = offset
    return ToolReply(text, labelled(values), result.sources())


def _fitting(
    operation: Operation, page: Paging, result: Any, items: Any, view: ModelView
) -> tuple[Any, str, int]:
    """Return a result with as many items as fit, its text, and their number."""
    count, budget = len(items), BUDGETS[view.detailed]
    while True:
        part = _with_items(result, page, items[:count], is_first=view.first == 1)
        text = _text_of(operation, part, view)
        tokens = estimate_tokens(text)
        if tokens <= budget or count <= 1:
            return part, text, count
        count = max(1, min(count - 1, count * budget // tokens))


def _items(result: Any, page: Paging) -> list[Any]:
    items = getattr(result, page.items)
    if not page.inner:
        return list(items)
    return [
        (place, element)
        for place, item in enumerate(items)
        for element in getattr(item, page.inner)
    ]


def _with_items(result: Any, page: Paging, items: Any, *, is_first: bool) -> Any:
    """Return a part; the first page also has items whose inner list is empty."""
    if not page.inner:
        return msgspec.structs.replace(result, **{page.items: items})
    made = []
    for place, item in enumerate(getattr(result, page.items)):
        elements = [element for at, element in items if at == place]
        if elements or (is_first and not getattr(item, page.inner)):
            made.append(msgspec.structs.replace(item, **{page.inner: elements}))
    return msgspec.structs.replace(result, **{page.items: made})


def write_cursor(tool: str, given: Mapping[str, object], offset: int) -> str:
    return f"{offset}-{_call(tool, given)}"


def read_cursor(tool: str, given: Mapping[str, object]) -> int:
    text = str(given.get("cursor") or "")
    if not text:
        return 0
    match = re.fullmatch("([0-9]{1,9})-([0-9a-f]{12})", text)
    if match is None:
        raise BadArgument(tool, "it gave no such cursor; call it without one")
    if match[2] != _call(tool, given):
        raise BadArgument(
            tool,
            "this cursor belongs to a call with other arguments; repeat those with "
            "it, or call without it",
        )
    return int(match[1])


def _call(tool: str, given: Mapping[str, object]) -> str:
    """Return a short hash of a call, against accidents, not against forgery."""
    values = tool, sorted((k, v) for k, v in given.items() if k != "cursor")
    made = json.dumps(values, ensure_ascii=True, default=str)
    return sha256(made.encode()).hexdigest()[:12]
