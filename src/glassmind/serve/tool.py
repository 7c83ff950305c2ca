"""A tool as the server calls it, and what it returns; without the protocol's SDK."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from glassmind.engine import Engine
from glassmind.model.access import DisclosedNotes
from glassmind.model.index import Progress

USUAL_TOKENS, MOST_TOKENS = 2_000, 8_000
"""Length of an answer, and of a detailed one: hosts warn of results of 10,000 tokens
and more."""


class ToolCall(NamedTuple):
    engine: Engine
    given: Mapping[str, Any]
    progress: Callable[[Progress], None] | None = None
    client: str = "mcp"


class ToolReply(NamedTuple):
    text: str
    content: dict[str, Any]
    shown: DisclosedNotes = DisclosedNotes()


class McpTool(NamedTuple):
    """One tool with its input schema and the hints of the protocol.

    The text of a fault begins with `fault_mark`, as clients of another system expect.
    `result_schema` is that of the values, if it is known. `of_notes` is false if
    no reply has text or names of notes. Clients with a scope have no `owner_only` tool.
    """

    name: str
    title: str
    doc: str
    schema: Mapping[str, Any]
    run: Callable[[ToolCall], ToolReply]
    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    fault_mark: str = ""
    timeout_s: float = 30.0
    result_schema: Mapping[str, Any] | None = None
    of_notes: bool = True
    owner_only: bool = False
