"""What is private is told by no tool, and by no resource: listed or read."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from leak_harness import (
    CHANGE_ID,
    NAMES,
    PRIVATE,
    PUBLIC,
    WHOLE,
    calls_of_tool,
    leaks,
    samples_in,
    told_vault,
)
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_harness import structured_server, visit
from vault_harness import VaultHarness

from glassmind.access.scopes import SETS
from glassmind.errors import NoteNotFound
from glassmind.model.access import EVERY_AGENT
from glassmind.serve.mcp.toolsets import tools_of
from glassmind.serve.tool import McpTool

TOOLS = [
    pytest.param(name, tool, id=f"{name}-{tool.name}")
    for name in SETS
    for tool in tools_of((name,))
]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultHarness]:
    harness = told_vault(VaultHarness(Path(tmp_path_factory.mktemp("leaks"))))
    yield harness
    harness.close()


@pytest.mark.parametrize(("toolset", "tool"), TOOLS)
def test_no_tool_tells_of_a_private_note(
    told: VaultHarness, toolset: str, tool: McpTool
) -> None:
    engine = told.engine.seen_by(EVERY_AGENT)

    async def drive(client: Client) -> tuple[dict[str, list[str]], int]:
        found, answered = {}, 0
        calls = list(calls_of_tool(tool, samples_in(told, tool.name)))
        if tool.name == "apply_edit_preview":
            shown = await client.call_tool("edit_note", WHOLE["edit_note"][0])
            calls.append({"previewId": CHANGE_ID.findall(shown.model_dump_json())[0]})
        for given in calls:
            reply = await client.call_tool(tool.name, given)
            answered += not reply.is_error
            said = leaks(reply.model_dump_json(), given)
            if said:
                found[json.dumps(given)] = said
        return found, answered

    found, answered = visit(structured_server(engine, toolsets=(toolset,)), drive)
    assert not found
    assert answered


def test_no_resource_tells_of_a_private_note(told: VaultHarness) -> None:
    engine = told.engine.seen_by(EVERY_AGENT)

    async def drive(client: Client) -> dict[str, str]:
        listed = await client.list_resources()
        said = {"": listed.model_dump_json()}
        for uri in (*(str(resource.uri) for resource in listed.resources), *addresses):
            try:
                said[uri] = (await client.read_resource(uri)).model_dump_json()
            except MCPError as error:
                refused.append(uri)
                said[uri] = f"{error.message} {error.data}"
        return said

    addresses = [f"note://{quote(path)}" for path in PRIVATE]
    refused: list[str] = []
    told_of = visit(structured_server(engine, toolsets=("core",)), drive)

    assert refused == addresses
    assert {f"note://{path}" for path in PUBLIC} <= told_of.keys()
    assert "Tea.md" in told_of[""]
    assert not {
        uri: said for uri, text in told_of.items() if (said := leaks(text, uri))
    }


@pytest.mark.parametrize("name", NAMES[1:])
def test_a_private_note_is_refused_as_one_that_is_not_there(
    told: VaultHarness, name: str
) -> None:
    engine = told.engine.seen_by(EVERY_AGENT)
    with pytest.raises(NoteNotFound) as refused:
        engine.read(name)
    assert not leaks(str(refused.value), name)
