"""Declares the tools of other systems: a function, its arguments, and their reply.

A tool is a function `(vault, arguments)` or `(vault, arguments, caller)`. It calls
operations and maps their results to the shape of the other system; the sources of a
result are the notes that the reply discloses. Replies are JSON, in the text as in the
values. Values must be an object, so a list is their `result`. Faults begin with
`Error: `.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from inspect import getdoc
from typing import Any, NamedTuple, TypeVar, get_type_hints

from msgspec import structs

from glassmind.engine import Engine
from glassmind.errors import BadArgument, BadValue
from glassmind.model.access import DisclosedNotes
from glassmind.operations.arguments import fields_of, read, schema_of
from glassmind.operations.edit import PATIENT_S
from glassmind.operations.find import NO_MATCH, SearchResult
from glassmind.operations.model_text import labelled
from glassmind.operations.registry import OPERATIONS, Arguments, Caller
from glassmind.serve.tool import McpTool, ToolCall, ToolReply

MODULES = {
    "brain": ("brain",),
    "graphrag": ("searches",),
    "knowledge": ("searches",),
}
"""The modules of each set of tools, in the order in which tools are listed."""

TOOLS: dict[str, list[McpTool]] = {name: [] for name in MODULES}


class Reply(NamedTuple):
    payload: Any
    sources: DisclosedNotes = DisclosedNotes()


Function = TypeVar("Function", bound=Callable[..., Reply])


def tool(
    toolset: str, title: str, *, writes: bool = False, **hints: Any
) -> Callable[[Function], Function]:
    """Register a tool, described by its docstring; `hints` are those of `McpTool`."""

    def register(function: Function) -> Function:
        name, types = function.__name__, get_type_hints(function)
        arguments = list(types.values())[1]

        def answer(call: ToolCall) -> ToolReply:
            given = read(arguments, call.given, owner=name, surface="mcp", strict=False)
            caller = Caller("mcp", call.client, call.progress)
            callers = (caller,) if "caller" in types else ()
            try:
                payload, sources = function(call.engine, given, *callers)
            except BadValue as error:
                names = {f.attribute: f.name for f in fields_of(arguments, "mcp")}
                raise BadArgument(name, error.message_with(names)) from None
            text = json.dumps(payload, ensure_ascii=False)
            values = json.loads(text)
            values = values if isinstance(values, dict) else {"result": values}
            content = labelled(values) if mcp_tool.of_notes else values
            return ToolReply(text, content, sources)

        usual = {"idempotent": not writes, "timeout_s": PATIENT_S if writes else 30.0}
        about, schema = getdoc(function) or "", schema_of(arguments, "mcp")
        mcp_tool = McpTool(
            name, title, " ".join(about.split()), schema, answer, not writes
        )
        mcp_tool = mcp_tool._replace(fault_mark="Error: ", **usual | hints)
        TOOLS[toolset].append(mcp_tool)
        return function

    return register


def tools_in(toolset: str) -> Sequence[McpTool]:
    for module in MODULES[toolset]:
        import_module(f"glassmind.serve.compat.{module}")
    return TOOLS[toolset]


def run(
    function: Callable[..., Any],
    vault: Engine,
    arguments: Arguments,
    caller: Caller,
    **others: Any,
) -> Any:
    operation = OPERATIONS[function.__name__]
    given = operation.arguments(**structs.asdict(arguments) | others)
    return operation.run(vault, given, caller)


def mapped(part: Any, names: Mapping[str, str]) -> dict[str, Any]:
    return {name: getattr(part, attribute) for name, attribute in names.items()}


def missing(result: SearchResult) -> list[str]:
    is_doubtful = result.doubtful and result.hits
    return [*result.degraded, *([NO_MATCH] if is_doubtful else [])]
