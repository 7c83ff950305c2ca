"""The operation registry: one declaration reaches the CLI, MCP, HTTP and the log."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from cli_harness import Inside, with_note
from http_harness import serving
from mcp_harness import call, text_of, visit
from operation_harness import result_of
from vault_harness import VaultHarness

from glassmind.engine import Engine
from glassmind.errors import BadArgument, Disclosed, NoSuchLevel
from glassmind.model.access import DisclosedLines, DisclosedNotes
from glassmind.operations.arguments import fields_of, read
from glassmind.operations.registry import (
    OPERATIONS,
    Arguments,
    Command,
    Operation,
    Result,
    Route,
    Tool,
    all_operations,
    arg,
    operation,
    shown,
)
from glassmind.serve.mcp.server import make_server


class CountArguments(Arguments):
    word: Annotated[str, arg("The word to count.", positional="word")]
    times: Annotated[int, arg("Count it so many times.", ge=1, le=9)] = 1


class CountResult(Result):
    word: str
    count: int
    paths: list[str]

    def sources(self) -> DisclosedNotes:
        return shown([DisclosedLines(path) for path in self.paths])


@pytest.fixture
def toy() -> Iterator[None]:
    """An operation declared in one place, as a developer would add one."""

    @operation(
        group="Find",
        for_people=lambda result, _arguments, _style: f"{result.count} times\n",
        for_models=lambda result, _view: f"{result.word}: {result.count}",
        command=Command(),
        tool=Tool("Count a word"),
        route=Route("GET", "/count-word", sets=("core",)),
    )
    def count_word(vault: Engine, arguments: CountArguments) -> CountResult:
        """Count the notes that contain a word."""
        hits = vault.search(arguments.word, mode="fulltext").hits
        paths = [str(hit.path) for hit in hits]
        return CountResult(
            word=arguments.word, count=len(paths) * arguments.times, paths=paths
        )

    yield
    del OPERATIONS["count_word"]


def test_a_toy_operation_is_a_command(toy: None, tmp_path: Path) -> None:
    program = Inside(with_note(tmp_path, "oolong"))
    (program.vault / "Pot.md").write_text("oolong too")
    program.run("index")

    helped = program.run("--help").stdout
    usage = program.run("count-word", "--help").stdout
    text = program.run("count-word", "oolong", "--times", "2")
    printed = json.loads(program.run("count-word", "oolong", "--json").stdout)
    wrong = program.run("count-word", "oolong", "--times", "0")

    assert "count-word" in helped
    assert "Count the notes that contain a word" in helped
    assert "--times" in usage
    assert (text.stdout, text.returncode) == ("4 times\n", 0)
    assert printed == {"word": "oolong", "count": 2, "paths": ["Tea.md", "Pot.md"]}
    assert wrong.returncode == 2
    assert "--times must be 1 or more (got 0)" in wrong.stderr


def test_a_toy_operation_is_a_tool(toy: None, vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": "oolong", "Pot.md": "oolong too"})
    server = make_server(vault.engine)

    listed = visit(server, lambda client: client.list_tools()).tools
    (card,) = [tool for tool in listed if tool.name == "glassmind_count_word"]
    answer = call(server, "glassmind_count_word", word="oolong")
    wrong = call(server, "glassmind_count_word", word="oolong", times=0)

    assert card.description is not None
    assert card.description.startswith("Count the notes that contain a word.")
    assert card.input_schema["required"] == ["word"]
    assert card.input_schema["properties"]["times"]["minimum"] == 1
    assert text_of(answer) == "oolong: 2"
    assert wrong.is_error
    assert "times must be 1 or more (got 0)" in text_of(wrong)
    (reading,) = list(vault.engine.access_log.readings())  # type: ignore[union-attr]
    assert {passage.path for passage in reading.passages} == {"Tea.md", "Pot.md"}


def test_a_toy_operation_is_a_route(toy: None, vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": "oolong", "Pot.md": "oolong too"})
    with serving(vault.engine) as web:
        described = web.get("/openapi.json").json
        answer = web.get("/count-word?word=oolong&times=3")
        wrong = web.get("/count-word?word=oolong&times=0")
        unknown = web.get("/count-word?wort=oolong")

    route = described["paths"]["/count-word"]["get"]
    assert [one["name"] for one in route["parameters"]] == ["word", "times"]
    assert "CountResult" in described["components"]["schemas"]
    assert answer.json["count"] == 6
    assert wrong.status == 422
    assert "times must be 1 or more (got 0)" in wrong.json["error"]["message"]
    assert unknown.status == 422


def test_what_an_operation_refuses_is_reported_in_the_words_of_each_surface(
    tmp_path_factory: pytest.TempPathFactory, vault: VaultHarness
) -> None:
    program = Inside(with_note(tmp_path_factory.mktemp("program")))
    vault.indexed({"Tea.md": "oolong"})
    problem = "lines must not run backwards (got 9-3)"

    printed = program.run("read", "Tea", "--lines", "9-3")
    answer = call(make_server(vault.engine), "glassmind_read", name="Tea", lines="9-3")
    with serving(vault.engine) as web:
        reply = web.get("/notes/Tea?lines=9-3")

    assert printed.stderr == f"glassmind: --{problem}; see: glassmind read --help\n"
    assert text_of(answer) == f"glassmind_read: {problem}"
    assert reply.status == 422
    assert reply.json["error"]["message"] == f"GET /notes/{{name}}: {problem}"


@pytest.mark.parametrize("one", all_operations(), ids=lambda one: one.name)
def test_every_operation_is_declared_whole(one: Operation) -> None:
    assert one.summary.endswith(".")
    assert one.result.sources is not Result.sources
    for field in fields_of(one.arguments):
        assert field.about.description


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "word is missing"),
        ({"word": "x", "times": 10}, "times must be 9 or less (got 10)"),
        ({"word": "x", "times": "many"}, "times must be a whole number (got many)"),
        ({"word": "x", "times": True}, "times must be a whole number (got true)"),
        ({"word": "x", "times": float("nan")}, "times must be a whole number"),
        ({"word": "y" * 20_001}, "word must be at most 20,000 characters"),
        ({"word": "\ud800"}, "word must be valid Unicode text"),
        ({"word": ["x"]}, 'word must be a text (got ["x"])'),
        ({"word": "x", "wort": 1}, "there is no argument 'wort'; it takes word, times"),
    ],
)
def test_wrong_arguments_get_a_clear_error(given: dict[str, Any], said: str) -> None:
    with pytest.raises(BadArgument) as caught:
        read(CountArguments, given, owner="count", surface="mcp", strict=False)

    assert said in str(caught.value)


def test_models_may_write_numbers_as_text_and_programs_may_not() -> None:
    given = {"word": "x", "times": "3"}

    made = read(CountArguments, given, owner="count", surface="mcp", strict=False)
    assert made.times == 3
    with pytest.raises(BadArgument, match="times must be a whole number"):
        read(CountArguments, given, owner="count", surface="http", strict=True)


GRAPH_CALLS: list[tuple[str, dict[str, Any]]] = [
    ("connections", {"name": "Cup", "depth": 2, "ghosts": True, "subgraph": True}),
    ("path", {"source": "Cup", "target": "Day"}),
    ("themes", {"ghosts": True}),
    ("rank", {"ghosts": True}),
    ("timeline", {"name": "Cup"}),
    ("suggest", {}),
    ("similar", {}),
    ("dismiss_pair", {"a": "Cup", "b": "Kettle"}),
    ("health", {}),
    ("ontology", {}),
    ("ingest", {"name": "Day"}),
]


@pytest.mark.parametrize(("name", "given"), GRAPH_CALLS, ids=str)
def test_sources_cover_every_note_in_the_values(
    vault: VaultHarness, name: str, given: dict[str, Any]
) -> None:
    vault.indexed(
        {
            "Cup.md": "---\nup: '[[Pot]]'\n---\nTea from a [[Pot]] and [[Nobody]] #tea",
            "Pot.md": "---\nup: '[[Shelf]]'\n---\nFor the [[Cup]]. #tea",
            "Shelf.md": "[[Cup]] [[Pot]] [[Day]] #tea",
            "Day.md": "Used the Kettle with a [[Pot]] today. #tea",
            "Kettle.md": "---\nup: '[[Shelf]]'\n---\nhot #tea",
            "Alone.md": "nothing",
        }
    )

    result = result_of(vault.engine, name, **given)

    values, sources = json.dumps(result.to_json()), result.sources()
    known = {*sources.named, *(passage.path for passage in sources.passages)}
    assert set(re.findall(r"\w+\.md", values)) <= known
    assert known or name == "similar"


def test_an_error_about_a_missing_level_names_its_note() -> None:
    error = NoSuchLevel("Tea.md", 3, [1, 2])

    assert error.discloses() == Disclosed(("Tea.md",))
