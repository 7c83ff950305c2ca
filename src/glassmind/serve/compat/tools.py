"""Declares the tools of other systems: a function, its arguments, and their reply.

As an operation, a tool is a function `(vault, arguments)` or `(vault, arguments,
caller)`, but its reply is JSON in the shape of the other system, in the text as in the
values. Values must be an object, so a list is their `result`. Faults begin with
`Error: `.
"""

import json
from collections.abc import Callable, Iterable, Sequence, Sized
from importlib import import_module
from inspect import getdoc
from typing import Any, NamedTuple, TypeVar, get_type_hints

from glassmind.operations.arguments import read, schema_for_models
from glassmind.operations.edit import PATIENT_S
from glassmind.operations.model_text import labelled
from glassmind.operations.registry import Caller, shown
from glassmind.serve.mcp.tool import Answer, Call, Tool
from glassmind.types.ledger import Passage, Shown
from glassmind.types.search import Hit, SearchReply

MODULES = {
    "brain": ("brain", "brain_edit"),
    "graphrag": ("searches",),
    "knowledge": ("searches",),
}
"""The modules of each set of tools, in the order in which tools are listed."""

TOOLS: dict[str, list[Tool]] = {name: [] for name in MODULES}
"""The tools of the sets that have been imported."""

NEAREST = "No good match. These are the closest results."


class Reply(NamedTuple):
    """What a tool replies, and the notes that this discloses; None for none ever."""

    payload: Any
    sources: Shown | None = None


Function = TypeVar("Function", bound=Callable[..., Reply])


def tool(  # noqa: PLR0913 - a declaration names every part
    toolset: str,
    title: str,
    *,
    writes: bool = False,
    destructive: bool = False,
    idempotent: bool = False,
    timeout_s: float = 0.0,
) -> Callable[[Function], Function]:
    """Register a function as the tool of its name; its docstring is the description."""

    def register(function: Function) -> Function:
        name, hints = function.__name__, get_type_hints(function)
        arguments = list(hints.values())[1]

        def run(call: Call) -> Answer:
            given = read(arguments, call.given, owner=name, surface="mcp", strict=False)
            caller = Caller("mcp", call.client, call.progress)
            callers = (caller,) if "caller" in hints else ()
            payload, sources = function(call.engine, given, *callers)
            values = payload if isinstance(payload, dict) else {"result": payload}
            return Answer(
                json.dumps(payload, ensure_ascii=False),
                values if sources is None else labelled(values),
                sources or Shown(),
            )

        TOOLS[toolset].append(
            Tool(
                name,
                title,
                " ".join((getdoc(function) or "").split()),
                schema_for_models(arguments),
                run,
                read_only=not writes,
                destructive=destructive,
                idempotent=idempotent or not writes,
                fault_mark="Error: ",
                timeout_s=timeout_s or (PATIENT_S if writes else 30.0),
            )
        )
        return function

    return register


def tools_in(toolset: str) -> Sequence[Tool]:
    """Return the tools of a set."""
    for module in MODULES[toolset]:
        import_module(f"glassmind.serve.compat.{module}")
    return TOOLS[toolset]


def missing(reply: SearchReply, results: Sized) -> list[str]:
    """Return what a search lacked, and whether its results answer nothing."""
    return [*reply.degraded, *([NEAREST] if reply.is_doubtful and results else [])]


def hit_sources(
    hits: Iterable[Hit], explained: Iterable[Hit] = (), *, more: int = 0
) -> Shown:
    """Return the notes whose passages hits show, and those in the reasons of some."""
    passages = [
        Passage(hit.path, *span)
        for hit in hits
        if hit.is_note
        for span in (hit.lines, *(passage.lines for passage in hit.more[:more]))
    ]
    quoted = {one.quoted for hit in explained for one in hit.evidence if one.quoted}
    return shown(
        [*passages, *map(Passage, sorted(quoted))],
        [path for hit in explained for path in hit.connected_via],
    )
