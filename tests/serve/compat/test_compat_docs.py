"""The page on tools of other systems says what is served."""

import re
from pathlib import Path

import pytest
from surface_arguments import arguments_of

from glassmind.serve.mcp.toolsets import tools_of
from glassmind.serve.tool import McpTool

PAGE = (Path(__file__).parents[3] / "docs" / "compatibility.md").read_text("utf-8")
SETS = ("brain", "graphrag", "knowledge")
TOOLS = [(name, tool) for name in SETS for tool in tools_of([name])]


def row_of(toolset: str, tool: McpTool) -> list[str]:
    """Return the cells of a tool's row in the part of its set."""
    part = PAGE.partition(f"## `{toolset}`\n")[2].partition("\n## ")[0]
    (row,) = re.findall(rf"^\| `{tool.name}` \|(.*)\|$", part, re.MULTILINE)
    return [cell.strip() for cell in row.split("|")]


@pytest.mark.parametrize(("toolset", "tool"), TOOLS, ids=lambda one: str(one)[:20])
def test_every_argument_of_a_tool_is_told_with_its_default(
    toolset: str, tool: McpTool
) -> None:
    told, _ = row_of(toolset, tool)

    if told == "the same":
        assert tool.schema == tools_of([toolset])[0].schema
        return
    for argument in arguments_of(tool):
        assert f"`{argument.name}`" in told
        if argument.default is not None:
            shown = str(argument.default).lower()
            pattern = rf"`{argument.name}`( \([^)]*\))? = `?{re.escape(shown)}`?"
            assert re.search(pattern, told), (argument.name, shown)


def test_what_is_said_to_be_missing_is_not_served() -> None:
    missing = re.findall(
        r"`(\w+)`", PAGE.partition("Not there yet:")[2].split("\n\n")[0]
    )

    assert len(missing) == 3
    assert set(missing).isdisjoint(tool.name for _, tool in TOOLS)
