"""The pages on MCP and HTTP name every tool and every route, with what each takes."""

import re
from pathlib import Path

import pytest
from route_table import ROUTES, Route
from surface_arguments import names_of

from glassmind.access.scopes import SETS
from glassmind.serve.mcp.toolsets import tools_of
from glassmind.serve.tool import McpTool

DOCS = Path(__file__).parents[2] / "docs"
MCP = (DOCS / "mcp.md").read_text("utf-8")
HTTP = (DOCS / "http.md").read_text("utf-8")

OURS = tools_of(["core", "graph", "memory", "write"])

ELSEWHERE = {"/metrics", "/openapi.json", "/health", "/api/search"}
"""Routes whose rows are not about what they take."""


def row_of(page: str, name: str) -> str:
    """Return the line of a table that is about something."""
    rows = re.findall(rf"^\| `[^|]*{re.escape(name)}[?`&][^\n]*$", page, re.MULTILINE)
    assert rows, f"nothing is said of {name}"
    return str(rows[0])


@pytest.mark.parametrize("tool", OURS, ids=lambda tool: tool.name)
def test_a_tool_is_told_with_every_argument(tool: McpTool) -> None:
    row = row_of(MCP, tool.name)

    assert set(names_of(tool)) <= set(re.findall(r"`(\w+)`", row))


@pytest.mark.parametrize("name", SETS)
def test_a_set_of_tools_is_told(name: str) -> None:
    assert re.search(rf"\b{name}\b", MCP)


@pytest.mark.parametrize("route", ROUTES, ids=lambda one: f"{one.method} {one.path}")
def test_a_route_is_told_with_every_argument(route: Route) -> None:
    row = row_of(HTTP, route.path)

    assert route.method in row
    if route.path not in ELSEWHERE:
        told = set(re.findall(r"\b\w+\b", row))
        assert set(names_of(route)) <= told
