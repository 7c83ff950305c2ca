"""Sets of tools by name, each imported when it is asked for."""

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module

from glassmind.access.scopes import DEFAULT_SETS, read_names
from glassmind.errors.access import BeyondToolsets
from glassmind.errors.serving import ToolsetsClash
from glassmind.operations.registry import all_operations
from glassmind.serve.compat.tools import MODULES, tools_in
from glassmind.serve.mcp.operations import tool_of
from glassmind.serve.mcp.tool import Tool
from glassmind.types.access import Scope

PACKAGE = "glassmind.serve.mcp.tools"

EMPTY = frozenset(("query",))
"""Sets whose tools need verbs that the engine does not have yet."""

MADE = frozenset(("graph",))
"""Sets with tools made from operations alone."""


OWNERS = frozenset(("reindex",))
"""Tools for who has the whole vault: a client with a scope of its own has none."""


def sets_within(scope: Scope, wanted: Iterable[str] | None) -> tuple[str, ...]:
    """Return the sets of a client: its own, or those of them that are wanted.

    Raises:
        UnknownToolset: one that is wanted is none.
        BeyondToolsets: it may use none of those that are wanted.
    """
    if not scope.toolsets:
        return read_names(wanted or DEFAULT_SETS)
    if not wanted:
        return scope.toolsets
    named = read_names(wanted)
    found = tuple(name for name in named if name in scope.toolsets)
    if not found:
        raise BeyondToolsets(scope.client, named, scope.toolsets)
    return found


def tools_of(names: Sequence[str]) -> tuple[Tool, ...]:
    """Return the tools of some sets, set by set, always in the same order.

    Raises:
        UnknownToolset: there is no such set.
        ToolsetsClash: two of them have a tool of the same name.
    """
    owners: dict[str, str] = {}
    tools: list[Tool] = []
    for name in read_names(names):
        if name in EMPTY:
            continue
        for tool in _tools_in(name):
            if tool.name in owners:
                raise ToolsetsClash(tool.name, owners[tool.name], name)
            owners[tool.name] = name
            tools.append(tool)
    return tuple(tools)


def _tools_in(name: str) -> Iterator[Tool]:
    """Yield the tools of one set: those made from operations, then all others."""
    if name in MODULES:
        yield from tools_in(name)
        return
    for operation in all_operations():
        if operation.tool and operation.tool.sets[0] == name:
            yield tool_of(operation)
    if name not in MADE:
        yield from import_module(f"{PACKAGE}.{name}").TOOLS
