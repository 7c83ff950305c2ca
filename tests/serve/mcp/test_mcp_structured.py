"""Structured content and output schemas of MCP tools: off unless asked for."""

import json
from typing import Any

import mcp_types as types
import pytest
from http_harness import serving
from mcp import Client
from mcp_harness import by_stdio, call, structured_server, text_of, visit
from vault_harness import VaultHarness

from glassmind.operations.registry import all_operations
from glassmind.serve.mcp.server import make_server

ALL_SETS = ("core", "graph", "memory", "write", "brain", "graphrag", "knowledge")
SEARCH: dict[str, Any] = {"name": "glassmind_search", "arguments": {"query": "oolong"}}


@pytest.fixture
def tea(vault: VaultHarness) -> VaultHarness:
    vault.indexed({"Tea.md": "# Tea\n\nOolong rests.\n"})
    return vault


def listed_tools(server: Any) -> list[types.Tool]:
    async def body(client: Client) -> list[types.Tool]:
        return (await client.list_tools()).tools

    return visit(server, body)


def test_by_default_no_tool_lists_an_output_schema(tea: VaultHarness) -> None:
    tools = listed_tools(make_server(tea.engine, toolsets=ALL_SETS))

    assert len(tools) > 40
    assert [tool.name for tool in tools if tool.output_schema is not None] == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("glassmind_search", {"query": "oolong"}),
        ("glassmind_status", {}),
        ("glassmind_read", {"name": "Nowhere"}),
        ("glassmind_search", {"query": "oolong", "limit": 0}),
        ("read_note", {"name": "Tea"}),
        ("vault_search", {"query": "oolong"}),
    ],
)
def test_by_default_a_result_is_text_alone(
    tea: VaultHarness, tool: str, arguments: dict[str, Any]
) -> None:
    server = make_server(tea.engine, toolsets=ALL_SETS)

    answer = call(server, tool, **arguments)

    assert answer.structured_content is None
    assert text_of(answer)


def test_compatible_tools_send_json_as_text_either_way(tea: VaultHarness) -> None:
    plain = call(make_server(tea.engine, toolsets=["brain"]), "read_note", name="Tea")
    both = call(
        structured_server(tea.engine, toolsets=["brain"]), "read_note", name="Tea"
    )

    assert json.loads(text_of(plain))["data"]["id"] == "Tea.md"
    assert text_of(plain) == text_of(both)
    assert both.structured_content["data"] == json.loads(text_of(both))["data"]


def test_tools_made_from_operations_list_the_schema_of_their_result(
    tea: VaultHarness,
) -> None:
    tools = listed_tools(structured_server(tea.engine, toolsets=ALL_SETS))

    schemas = {tool.name: tool.output_schema for tool in tools if tool.output_schema}
    assert set(schemas) == {op.tool_name for op in all_operations() if op.tool}
    assert {schema["type"] for schema in schemas.values()} == {"object"}
    assert "hits" in json.dumps(schemas["glassmind_search"])


def test_structured_content_fits_its_output_schema(tea: VaultHarness) -> None:
    async def body(client: Client) -> types.CallToolResult:
        await client.list_tools()  # from here on the client validates results
        return await client.call_tool("glassmind_search", {"query": "oolong"})

    answer = visit(structured_server(tea.engine), body)

    assert answer.structured_content["hits"][0]["path"] == "Tea.md"


@pytest.mark.slow
def test_the_option_of_the_command_turns_it_on(tea: VaultHarness) -> None:
    target = by_stdio(tea)

    async def body(client: Client) -> Any:
        return (await client.call_tool(**SEARCH)).structured_content

    assert visit(target, body)["hits"][0]["path"] == "Tea.md"
    target.args.remove("--structured")
    assert visit(target, body) is None


@pytest.mark.parametrize("structured", [True, False])
def test_mcp_over_http_has_the_same_switch(tea: VaultHarness, structured: bool) -> None:
    with serving(tea.engine, structured=structured) as web:
        result = web.message("tools/call", SEARCH).json["result"]

    assert ("structuredContent" in result) is structured
    assert "Tea.md" in result["content"][0]["text"]


def test_the_text_of_a_read_has_the_digest_that_an_edit_expects(
    tea: VaultHarness,
) -> None:
    server = make_server(tea.engine, toolsets=["core", "write"])
    text = text_of(call(server, "glassmind_read", name="Tea"))
    digest = text.partition("digest: ")[2].split()[0]
    edits = [{"op": "append", "text": "More."}]

    done = call(server, "glassmind_edit", name="Tea", edits=edits, expected=digest)
    tea.write({"Tea.md": "# Tea\n\nOolong is gone.\n"})
    late = call(server, "glassmind_edit", name="Tea", edits=edits, expected=digest)

    assert not done.is_error, text_of(done)
    assert late.is_error
    assert "changed since it was read" in text_of(late)


def test_schemas_hold_for_clients_that_know_draft_7_alone(tea: VaultHarness) -> None:
    tools = listed_tools(structured_server(tea.engine, toolsets=ALL_SETS))
    schemas = [tool.output_schema for tool in tools if tool.output_schema]

    assert len(schemas) > 30
    assert "prefixItems" not in json.dumps(schemas)
    assert '"items": false' not in json.dumps(schemas)
