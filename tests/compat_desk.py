"""Calling a tool of a compatibility set as a client does, and reading its reply."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from glassmind import Engine
from glassmind.serve.mcp.tool import Answer, Call, Tool, read_arguments
from glassmind.serve.mcp.toolsets import tools_of
from glassmind.types.search import SearchReply

NEAREST = "nothing good was found; these are the nearest misses"


def tool_of(toolset: str, name: str) -> Tool:
    """Return a tool of a set."""
    return next(tool for tool in tools_of([toolset]) if tool.name == name)


def answer_of(engine: Engine, toolset: str, name: str, /, **given: object) -> Answer:
    """Call a tool with arguments as they come from outside."""
    tool = tool_of(toolset, name)
    is_operation = tool.schema is not None  # it reads its arguments itself
    read = given if is_operation else read_arguments(name, tool.arguments, given)
    return tool.run(Call(engine, read))


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
