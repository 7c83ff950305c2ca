"""Sets of tools: chosen by name, loaded when asked for, never two of one name."""

import subprocess
import sys
from typing import Any

import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp_desk import call, text_of, visit
from vault_desk import VaultDesk

from glassmind.access.scopes import SETS, read_names
from glassmind.errors.serving import BadArgument, ToolsetsClash, UnknownToolset
from glassmind.serve.mcp import toolsets
from glassmind.serve.mcp.server import make_server
from glassmind.serve.mcp.tool import (
    Answer,
    Argument,
    Call,
    Tool,
    read_arguments,
    schema_of,
)
from glassmind.serve.mcp.toolsets import EMPTY, tools_of
from glassmind.types.files import Progress


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


@pytest.mark.parametrize("name", sorted(EMPTY))
def test_a_set_that_has_no_tools_yet_may_be_asked_for(name: str) -> None:
    assert tools_of([name]) == ()


@pytest.mark.parametrize("name", [name for name in SETS if name not in EMPTY])
def test_every_tool_can_be_listed_and_says_what_it_is(
    sample: VaultDesk, name: str
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


def test_two_sets_with_a_tool_of_the_same_name_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(toolsets, "_tools_in", lambda _: (ECHO,))

    with pytest.raises(ToolsetsClash, match="core and brain both have a tool 'echo'"):
        tools_of(["core", "brain"])


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


class _Set:
    def __init__(self, tools: tuple[Tool, ...]) -> None:
        self.TOOLS = tools


def _echo(call: Call) -> Answer:
    if call.progress is not None:
        for done in range(1, 11):
            call.progress(Progress("read", done, 10))
        call.progress(Progress("embed", 1, 2))
        call.progress(Progress("scan", 0, 0))  # never told: it would go back
    return Answer("done", dict(call.given))


ARGUMENTS = (
    Argument("text", "string", "words"),
    Argument("count", "integer", "", 3, least=1, most=9),
    Argument("share", "number", "", 0.5, least=0),
    Argument("loud", "boolean", "", False),
    Argument("names", "strings", "", None),
    Argument("kind", "string", "", "a", choices=("a", "b")),
    Argument("more", "object", "", None),
    Argument("parts", "objects", "", None),
)
ECHO = Tool("echo", "Echo", "Say it again.", ARGUMENTS, _echo, read_only=False)


def test_progress_is_told_to_who_asks_for_it_and_only_grows(
    vault: VaultDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolsets, "import_module", lambda _: _Set((ECHO,)))
    told: list[tuple[float, float | None, str | None]] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async def body(client: Client) -> None:
        await client.call_tool("echo", {"text": "x"}, progress_callback=heard)

    visit(make_server(vault.engine), body, mode="legacy")
    visit(make_server(vault.engine), body, mode="auto")

    assert told == [(4.5, 6.0, "embed 1 of 2")] * 2


def test_arguments_are_read_by_the_table_and_defaults_filled_in() -> None:
    read = read_arguments(
        "echo",
        ARGUMENTS,
        {"text": "tea", "count": "4", "loud": "true", "names": "one", "kind": None},
    )

    assert read == {
        "text": "tea",
        "count": 4,
        "share": 0.5,
        "loud": True,
        "names": ["one"],
        "kind": "a",
        "more": None,
        "parts": None,
    }


@pytest.mark.parametrize(
    ("name", "given_value", "read"),
    [
        ("names", '["one", "two"]', ["one", "two"]),
        ("names", "[one]", ["[one]"]),
        ("names", "[1]", ["[1]"]),
        ("more", ' {"a": [1, "x"]}', {"a": [1, "x"]}),
        ("parts", '[{"a": null}]', [{"a": None}]),
        ("text", '{"a": 1}', '{"a": 1}'),
    ],
)
def test_a_list_or_an_object_may_be_written_as_text(
    name: str, given_value: str, read: object
) -> None:
    given_values = {"text": "x", name: given_value}

    assert read_arguments("echo", ARGUMENTS, given_values)[name] == read


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, "'text' is missing"),
        ({"text": 1}, "a text"),
        ({"text": "x", "count": 1.5}, "a whole number"),
        ({"text": "x", "count": True}, "a whole number"),
        ({"text": "x", "count": 10}, "from 1 to 9"),
        ({"text": "x", "share": "nan"}, "a number"),
        ({"text": "x", "share": "inf"}, "a number"),
        ({"text": "x", "share": -1}, "at least 0"),
        ({"text": "x", "loud": "perhaps"}, "true or false"),
        ({"text": "x", "names": [1]}, "a list of texts"),
        ({"text": "x", "kind": "c"}, "one of a, b"),
        ({"text": "x", "more": []}, "an object"),
        ({"text": "x", "parts": ["y"]}, "a list of objects"),
        ({"text": "x", "more": "[]"}, "an object"),
        ({"text": "x", "more": "{"}, "an object"),
        ({"text": "x", "more": '{"a": NaN}'}, "an object"),
        ({"text": "x", "more": '{"a":' * 99 + "1" + "}" * 99}, "an object"),
        ({"text": "x", "more": '{"a":' * 99_999}, "an object"),
        ({"text": "x", "parts": '{"a": 1}'}, "a list of objects"),
        ({"text": "x", "parts": '["a"]'}, "a list of objects"),
        ({"text": "x", "odd": 1}, "it takes text, count"),
    ],
)
def test_an_argument_that_cannot_be_taken_is_named(
    wrong: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadArgument, match=said) as caught:
        read_arguments("echo", ARGUMENTS, wrong)

    assert str(caught.value).startswith("echo: ")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from([one.name for one in ARGUMENTS]), JSON))
def test_whatever_is_given_is_read_or_refused(given_values: dict[str, Any]) -> None:
    try:
        read = read_arguments("echo", ARGUMENTS, given_values)
    except BadArgument:
        return

    assert set(read) == {one.name for one in ARGUMENTS}
    assert isinstance(read["count"], int)
    assert 1 <= read["count"] <= 9


def test_a_schema_tells_what_is_needed_and_what_is_usual() -> None:
    schema = schema_of(ARGUMENTS)

    assert schema["required"] == ["text"]
    assert schema["properties"]["count"] == {
        "type": "integer",
        "default": 3,
        "minimum": 1,
        "maximum": 9,
    }
    assert "required" not in schema_of(())


def test_a_tool_that_is_not_of_the_sets_served_cannot_be_called(
    sample: VaultDesk,
) -> None:
    answer = call(
        make_server(sample.engine, toolsets=["core"]), "glassmind_read", name="Nobody"
    )

    assert answer.is_error
    assert "glassmind_search" in text_of(answer)
