"""Sets of tools: chosen by name, loaded when asked for, never two of one name."""

import subprocess
import sys

import mcp_types as types
import pytest
from mcp import Client
from mcp_harness import call, text_of, visit
from vault_harness import VaultHarness

from glassmind.access.scopes import SETS, read_names
from glassmind.errors import UnknownToolset
from glassmind.model.index import Progress
from glassmind.serve.mcp import calls, toolsets
from glassmind.serve.mcp.server import make_server
from glassmind.serve.mcp.toolsets import tools_of
from glassmind.serve.tool import McpTool, ToolCall, ToolReply


@pytest.mark.parametrize(
    ("given_names", "read"),
    [
        ([], ("core",)),
        (["core,brain"], ("core", "brain")),
        (["core", "brain"], ("core", "brain")),
        ([" Brain , core "], ("brain", "core")),
        (["core,core"], ("core",)),
        ([","], ("core",)),
    ],
)
def test_names_are_read_with_commas_or_repeated(
    given_names: list[str], read: tuple[str, ...]
) -> None:
    assert read_names(given_names) == read


def test_an_unknown_set_is_named_with_those_there_are() -> None:
    with pytest.raises(UnknownToolset, match="core, graph, memory, write, query"):
        read_names(["core,bogus"])


@pytest.mark.parametrize("name", ["query"])
def test_a_set_that_has_no_tools_yet_may_be_asked_for(name: str) -> None:
    assert tools_of([name]) == ()


@pytest.mark.parametrize("name", [name for name in SETS if name != "query"])
def test_every_tool_can_be_listed_and_says_what_it_is(
    sample: VaultHarness, name: str
) -> None:
    async def body(client: Client) -> list[types.Tool]:
        return (await client.list_tools()).tools

    tools = visit(make_server(sample.engine, toolsets=[name]), body)

    assert tools
    assert [tool.name for tool in tools] == [tool.name for tool in tools_of([name])]
    for tool in tools:
        assert tool.title
        assert tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is not None


def test_a_set_is_loaded_only_when_it_is_asked_for() -> None:
    program = (
        "import sys; from glassmind.serve.mcp.toolsets import tools_of; "
        "tools_of(['core']); print([m for m in sys.modules if '.compat.brain' in m])"
    )

    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert done.stdout.strip() == "[]"


def _echo(call: ToolCall) -> ToolReply:
    if call.progress is not None:
        for done in range(1, 11):
            call.progress(Progress("read", done, 10))
        call.progress(Progress("embed", 1, 2))
        call.progress(Progress("scan", 0, 0))  # never told: it would go back
    return ToolReply("done", dict(call.given))


ECHO = McpTool(
    "echo", "Echo", "Say it again.", {"type": "object"}, _echo, read_only=False
)


def test_progress_is_told_to_who_asks_for_it_and_only_grows(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolsets, "_tools_in", lambda _: (ECHO,))
    told: list[tuple[float, float | None, str | None]] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async def body(client: Client) -> None:
        await client.call_tool("echo", {"text": "x"}, progress_callback=heard)

    monkeypatch.setattr(calls, "PROGRESS_S", 0.0)
    for mode in ("legacy", "auto"):
        told.clear()
        visit(make_server(vault.engine), body, mode=mode)
        assert told == sorted(set(told))
        assert told[-1] == (4.5, 6.0, "embed 1 of 2")


def test_an_error_says_what_helps(
    sample: VaultHarness,
) -> None:
    answer = call(
        make_server(sample.engine, toolsets=["core"]), "glassmind_read", name="Nobody"
    )

    assert answer.is_error
    assert "search for the note" in text_of(answer)
