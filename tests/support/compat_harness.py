"""Calling a tool of a compatibility set as a client does, and reading its reply."""

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any, get_type_hints

import pytest

from glassmind import Engine
from glassmind.model.search import SearchReply
from glassmind.operations.arguments import fields_of
from glassmind.serve.mcp.toolsets import tools_of
from glassmind.serve.tool import McpTool, ToolCall, ToolReply

MODULES = ("brain", "searches")

NEAREST = "No good match. These are the closest results."


def tool_of(toolset: str, name: str) -> McpTool:
    """Return a tool of a set."""
    return next(tool for tool in tools_of([toolset]) if tool.name == name)


def answer_of(engine: Engine, toolset: str, name: str, /, **given: object) -> ToolReply:
    """Call a tool with arguments as they come from outside."""
    return tool_of(toolset, name).run(ToolCall(engine, given))


def defaults_of(tool: McpTool) -> dict[str, object]:
    """Return the default of each argument; None for none and if there is none."""
    modules = [import_module(f"glassmind.serve.compat.{name}") for name in MODULES]
    function = next(
        vars(module)[tool.name] for module in modules if tool.name in vars(module)
    )
    arguments = list(get_type_hints(function).values())[1]
    return {field.name: field.default for field in fields_of(arguments, "mcp")}


def schema_of(tool: McpTool) -> Any:
    """Return the input schema of a tool."""
    return tool.schema


def called(engine: Engine, toolset: str, name: str, /, **given: object) -> Any:
    """Call a tool and return its reply; text and values say the same."""
    answer = answer_of(engine, toolset, name, **given)
    reply = json.loads(answer.text)
    assert values_of(answer.content) == reply
    return reply


def values_of(content: Any) -> Any:
    """Return the values of an answer without the words that say what they are."""
    said = ("untrusted", "hidden_text")
    values = {name: value for name, value in content.items() if name not in said}
    return values["result"] if set(values) == {"result"} else values


def doubtful(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """Let an engine find what it finds, and doubt all of it."""
    search: Callable[..., SearchReply] = engine.search

    def doubt(*args: Any, **wishes: Any) -> SearchReply:
        return search(*args, **wishes)._replace(confidence=0.01)

    monkeypatch.setattr(engine, "search", doubt)
    return engine
