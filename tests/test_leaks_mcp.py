"""What is private is told by no tool, resource, prompt or completion."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from leak_desk import NAMES, calls_of, leaks, told_vault
from mcp import Client
from mcp_desk import visit
from vault_desk import VaultDesk

from glassmind.errors import NoteNotFound
from glassmind.surfaces.mcp.server import make_server
from glassmind.surfaces.mcp.toolsets import EMPTY, SETS, tools_of
from glassmind.types.access import EVERY_AGENT

TOOLS = [
    pytest.param(name, tool, id=f"{name}-{tool.name}")
    for name in SETS
    if name not in EMPTY
    for tool in tools_of((name,))
]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultDesk]:
    desk = told_vault(VaultDesk(Path(tmp_path_factory.mktemp("leaks"))))
    yield desk
    desk.close()


@pytest.mark.parametrize(("toolset", "tool"), TOOLS)
def test_no_tool_tells_of_a_private_note(
    told: VaultDesk, toolset: str, tool: Any
) -> None:
    engine = told.engine.seen_by(EVERY_AGENT)

    async def drive(client: Client) -> dict[str, list[str]]:
        found = {}
        for given in calls_of(tool.arguments, writes=not tool.read_only):
            reply = await client.call_tool(tool.name, given)
            said = leaks(reply.model_dump_json(), given)
            if said:
                found[json.dumps(given)] = said
        return found

    assert not visit(make_server(engine, toolsets=(toolset,)), drive)


def test_no_resource_tells_of_a_private_note(told: VaultDesk) -> None:
    engine = told.engine.seen_by(EVERY_AGENT)

    async def drive(client: Client) -> list[str]:
        said = []
        listed = await client.list_resources()
        said.append(listed.model_dump_json())
        assert "Tea.md" in said[0]
        return said

    (reply,) = visit(make_server(engine, toolsets=("core",)), drive)
    assert not leaks(reply, "")


@pytest.mark.parametrize("name", NAMES[1:])
def test_a_private_note_is_refused_as_one_that_is_not_there(
    told: VaultDesk, name: str
) -> None:
    engine = told.engine.seen_by(EVERY_AGENT)
    with pytest.raises(NoteNotFound) as refused:
        engine.read(name)
    assert not leaks(str(refused.value), name)
