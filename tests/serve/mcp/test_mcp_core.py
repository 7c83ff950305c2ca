"""The tools of the core: what they answer, how much of it, and what they refuse."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_harness import call, environment, structured_server, text_of, visit
from semantic_harness import MeaningHarness
from surface_arguments import arguments_of
from vault_harness import VaultHarness

from glassmind.model.index import WatchState
from glassmind.obsidian.text import estimate_tokens
from glassmind.serve.mcp.toolsets import tools_of
from glassmind.serve.tool import McpTool
from glassmind.store.watch_state import write_state
from glassmind.vault import Vault

LONG = "\n".join(f"Line {n} tells of the kingfisher and its river." for n in range(900))
MANY = {
    f"Notes/{n:02}.md": f"# Kingfisher {n}\n\n" + "The kingfisher waits. " * 40
    for n in range(40)
}


def pages_of(harness: VaultHarness, tool: str, **wanted: Any) -> list[Any]:
    """Return every page of an answer, each reached by the cursor of the one before."""
    server, found, cursor = structured_server(harness.engine), [], None
    by_offset = False
    for _ in range(100):
        name = "offset" if by_offset else "cursor"
        given = wanted | ({name: cursor} if cursor else {})
        answer = call(server, tool, **given)
        assert not answer.is_error, text_of(answer)
        found.append(answer)
        content = answer.structured_content
        by_offset = "next_offset" in content
        cursor = content["next_offset" if by_offset else "next_cursor"]
        if cursor is None:
            return found
    raise AssertionError("there is no end to it")


def paths_in(answer: Any) -> list[str]:
    content = answer.structured_content
    return [one["path"] for one in content.get("hits", content.get("notes"))]


def assert_part(part: Any, whole: Any) -> None:
    """Fail unless all that a shape says stands in another so."""
    if isinstance(part, Mapping):
        for name, value in part.items():
            assert_part(value, whole[name])
    elif isinstance(part, list) and part and isinstance(part[0], Mapping):
        for one, other in zip(part, whole, strict=True):
            assert_part(one, other)
    else:
        assert part == whole


def test_a_hit_says_where_it_stands_why_and_how_to_open_it(vault: VaultHarness) -> None:
    filler = "The river is slow here. " * 100
    note = f"# Kingfisher\n\n{filler}\n\n## Diet\n\nIt eats fish.\n{filler}\n"
    vault.indexed({"Birds/Kingfisher.md": note})

    answer = call(
        structured_server(vault.engine), "glassmind_search", query="fish eats"
    )

    (hit,) = answer.structured_content["hits"]
    assert hit["path"] == "Birds/Kingfisher.md"
    assert hit["heading_path"] == ["Kingfisher", "Diet"]
    assert hit["lines"] == [5, 8]
    assert hit["match_reason"]
    assert hit["modified"] == "2024-05-01T12:00:01Z"
    assert hit["uri"].startswith("obsidian://open?vault=Notes&file=Birds%2FKingfisher")
    said = text_of(answer)
    for part in ("Birds/Kingfisher.md:5-8", "Kingfisher > Diet", hit["uri"], "why: "):
        assert part in said


@pytest.mark.parametrize(
    ("tool", "arguments", "command"),
    [
        ("glassmind_search", {"query": "heron network"}, ["search", "heron network"]),
        (
            "glassmind_search",
            {"query": "weir -rain", "limit": 3, "mode": "fulltext"},
            ["search", "-n", "3", "--mode", "fulltext", "--", "weir", "-rain"],
        ),
        ("glassmind_list", {"limit": 4}, ["list", "-n", "4"]),
        (
            "glassmind_list",
            {"tag": "person", "newest": True, "limit": 5},
            ["list", "--tag", "person", "--newest", "-n", "5"],
        ),
        (
            "glassmind_read",
            {"name": "Heron network", "heading": "Glossary for visitors"},
            ["read", "Heron network", "--heading", "Glossary for visitors"],
        ),
        ("glassmind_status", {}, ["status"]),
    ],
)
def test_values_are_those_that_the_command_line_prints(
    sample: VaultHarness, tool: str, arguments: dict[str, Any], command: list[str]
) -> None:
    server = structured_server(sample.engine)
    printed = subprocess.run(
        [sys.executable, "-m", "glassmind", "--json", *command],
        env=environment(sample),
        cwd=sample.root,
        capture_output=True,
        timeout=60,
        check=True,
    )
    expected = json.loads(printed.stdout)
    has_formats = tool in ("glassmind_search", "glassmind_list")
    detailed = {"response_format": "detailed"} if has_formats else {}

    full = call(server, tool, **arguments, **detailed).structured_content
    short = call(server, tool, **arguments).structured_content

    own = {"untrusted", "truncated", "next_cursor", "next_actions", "notices"}
    own -= set(expected)
    assert {k: v for k, v in full.items() if k not in own} == expected
    if "hits" not in short:
        assert_part({k: v for k, v in short.items() if k not in own}, expected)


def test_searches_and_lists_say_what_keeps_the_watch_from_the_vault(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Tea.md": "oolong"})
    hindered = WatchState("watching", error="the disk is full", pid=os.getpid())
    write_state(vault.folder, hindered)
    server = structured_server(vault.engine)

    for tool, given in (("search", {"query": "oolong"}), ("list", {})):
        answer = call(server, f"glassmind_{tool}", **given)
        assert "behind the vault: the disk is full" in json.dumps(
            answer.structured_content
        )
        assert "behind the vault: the disk is full" in text_of(answer)


def test_an_answer_keeps_to_about_two_thousand_tokens_unless_more_is_asked(
    vault: VaultHarness,
) -> None:
    vault.indexed(MANY | {"Long.md": LONG})
    server = structured_server(vault.engine)

    for tool, arguments in (
        ("glassmind_search", {"query": "kingfisher", "limit": 50}),
        ("glassmind_list", {"limit": 200}),
        ("glassmind_read", {"name": "Long"}),
    ):
        answer = call(server, tool, **arguments)
        assert estimate_tokens(text_of(answer)) < 2_500

    for tool, arguments in (
        ("glassmind_search", {"query": "kingfisher", "limit": 50}),
        ("glassmind_list", {"limit": 200}),
    ):
        answer = call(server, tool, **arguments, response_format="detailed")
        assert estimate_tokens(text_of(answer)) < 8_500
    much = call(server, "glassmind_read", name="Long", max_tokens=8_000)
    assert 7_000 < estimate_tokens(text_of(much)) < 8_500
    assert call(server, "glassmind_read", name="Long", max_tokens=8_001).is_error


def test_an_answer_cut_short_says_so_and_how_to_get_the_rest(
    vault: VaultHarness,
) -> None:
    vault.indexed(MANY)

    answer = call(
        structured_server(vault.engine),
        "glassmind_search",
        query="kingfisher",
        limit=50,
    )

    assert answer.structured_content["truncated"] is True
    mark = answer.structured_content["next_cursor"]
    assert f"cursor={mark}" in text_of(answer)
    assert "Truncated" in text_of(answer)


def test_a_page_of_a_list_says_where_it_begins(vault: VaultHarness) -> None:
    vault.indexed(MANY)
    server = structured_server(vault.engine)
    first = call(server, "glassmind_list", limit=2).structured_content
    mark = first["next_cursor"]
    second = call(server, "glassmind_list", limit=2, cursor=mark).structured_content
    assert (first["offset"], second["offset"]) == (0, 2)


@pytest.mark.parametrize("tool", ["glassmind_search", "glassmind_list"])
def test_pages_put_together_are_the_whole(vault: VaultHarness, tool: str) -> None:
    vault.indexed(MANY)
    asked = {"query": "kingfisher"} if tool == "glassmind_search" else {}

    pages = pages_of(vault, tool, limit=7, **asked)

    paths = [path for page in pages for path in paths_in(page)]
    assert len(paths) == len(set(paths)) == 40
    if tool == "glassmind_search":
        assert paths == vault.found("kingfisher", limit=40)
    assert all("changed" not in text_of(page) for page in pages)


def test_pages_of_an_answer_by_meaning_put_together_are_the_whole(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed(MANY)

    pages = pages_of(meaning, "glassmind_search", query="kingfisher waits", limit=7)

    paths = [path for page in pages for path in paths_in(page)]
    assert len(paths) == len(set(paths)) == 40
    assert all("changed" not in text_of(page) for page in pages)


def test_pages_repeat_nothing_where_more_notes_are_found_than_are_ranked_at_once(
    meaning: MeaningHarness,
) -> None:
    birds = ("kingfisher", "heron", "dipper")
    meaning.indexed(
        {
            f"{n:03}.md": f"# Bird {n}\n\n" + f"{birds[n % 3]} {n} " * (1 + n % 7)
            for n in range(180)
        }
    )

    pages = pages_of(meaning, "glassmind_search", query="heron river", limit=20)

    paths = [path for page in pages for path in paths_in(page)]
    assert len(paths) == len(set(paths)) == 180
    assert all("changed" not in text_of(page) for page in pages)


@pytest.mark.parametrize(
    "text",
    [
        LONG,
        "x" * 30_000,
        "東京のカワセミ" * 900,
        "\n" * 3_000 + "end",
        "",
        "one line\n",
    ],
    ids=["lines", "one long line", "wide", "blank", "empty", "short"],
)
def test_parts_of_a_note_put_together_are_the_note(
    vault: VaultHarness, text: str
) -> None:
    vault.indexed({"Long.md": text})

    pages = pages_of(vault, "glassmind_read", name="Long", max_tokens=500)

    parts = [page.structured_content for page in pages]
    assert "".join(part["text"] for part in parts) == text
    assert parts[0]["lines"][0] == 1
    for one, other in pairwise(parts):
        assert other["lines"][0] in (one["lines"][1], one["lines"][1] + 1)
    lines = max(len(text.split("\n")) - text.endswith("\n"), 1)
    assert parts[-1]["lines"][1] == lines


def test_lines_and_sections_of_a_note_can_be_read_alone(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": "# Tea\n\n## Green\n\nSencha.\n\n## Black\n\nAssam.\n"})
    server = structured_server(vault.engine)

    def read(**part: str) -> Any:
        return call(server, "glassmind_read", name="Tea", **part).structured_content

    assert read(lines="5-7")["text"] == "Sencha.\n\n## Black\n"
    assert read(lines="5")["lines"] == [5, 5]
    assert read(lines="7-")["text"] == "## Black\n\nAssam.\n"
    assert read(heading="Black")["text"] == "## Black\n\nAssam.\n"
    assert read(heading="Black")["heading_path"] == ["Tea", "Black"]


def test_a_long_question_does_not_fill_its_own_answer(vault: VaultHarness) -> None:
    vault.indexed(MANY)
    query = "kingfisher " + "waits for the river " * 900
    server = structured_server(vault.engine)

    answer = call(server, "glassmind_search", query=query, limit=3)
    mark = answer.structured_content["next_cursor"]
    more = call(server, "glassmind_search", query=query, limit=3, cursor=mark)

    assert estimate_tokens(text_of(answer)) < 2_500
    assert not set(paths_in(answer)) & set(paths_in(more))


def test_a_reason_that_is_cut_says_so(vault: VaultHarness) -> None:
    words = ["kingfisher" * 7 + str(n) for n in range(5)]
    vault.indexed({"Birds.md": " ".join(words)})

    answer = call(
        structured_server(vault.engine), "glassmind_search", query=" ".join(words)
    )

    (why,) = re.findall(r"why: (.*)", text_of(answer))
    assert len(why) == 200 + len("...")
    assert why.endswith("...")


def test_a_cursor_outlives_a_change_of_what_is_found(
    vault: VaultHarness,
) -> None:
    vault.indexed(MANY)
    server = structured_server(vault.engine)
    asked: dict[str, dict[str, Any]] = {
        "glassmind_search": {"query": "kingfisher", "limit": 5},
        "glassmind_list": {"limit": 5},
    }
    first = {tool: call(server, tool, **given) for tool, given in asked.items()}

    vault.remove("Notes/00.md", *paths_in(first["glassmind_search"])[1:2])
    vault.write(
        {
            "A.md": "# Kingfisher\n\nkingfisher kingfisher",
            "Notes/39.md": "# Kingfisher\n\n" + "The kingfisher left. " * 60,
        }
    )
    vault.index()

    for tool, given in asked.items():
        mark = first[tool].structured_content["next_cursor"]
        answer = call(server, tool, **given, cursor=mark)
        assert not answer.is_error


def test_each_receipt_of_a_call_gets_a_result(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": "oolong"})
    server = structured_server(vault.engine, toolsets=("memory",))
    answer = call(server, "glassmind_verify", receipts=["none", "none"])
    assert len(answer.structured_content["receipts"]) == 2


@pytest.mark.parametrize("cursor", ["bogus", "WzEsMiwzXQ", "W10", "é", "[" * 200])
@pytest.mark.parametrize("tool", ["glassmind_search", "glassmind_list"])
def test_a_cursor_that_was_never_given_is_refused(
    vault: VaultHarness, tool: str, cursor: str
) -> None:
    vault.indexed(MANY)
    asked = {"query": "kingfisher"} if tool == "glassmind_search" else {}

    answer = call(structured_server(vault.engine), tool, cursor=cursor, **asked)

    assert answer.is_error
    assert "without" in text_of(answer)


def test_a_cursor_of_another_call_is_refused(vault: VaultHarness) -> None:
    vault.indexed(MANY)
    server = structured_server(vault.engine)
    first = call(server, "glassmind_search", query="kingfisher", limit=5)
    mark = first.structured_content["next_cursor"]

    other = call(server, "glassmind_search", query="waits", limit=5, cursor=mark)

    assert other.is_error
    assert "other arguments" in text_of(other)


def answers(harness: VaultHarness) -> Iterator[Any]:
    """Yield an answer of every kind that the core gives."""
    server = structured_server(harness.engine)
    yield call(server, "glassmind_search", query="kingfisher", limit=5)
    yield call(server, "glassmind_search", query="kingfisher", intent="backlink")
    yield call(server, "glassmind_search", query="qqqqqqqq")
    yield call(
        server, "glassmind_search", query="kingfisher", response_format="detailed"
    )
    yield call(server, "glassmind_read", name="Long", heading="")
    yield call(server, "glassmind_read", name="Long", lines="1-800", max_tokens=60)
    yield call(server, "glassmind_list", folder="Notes", limit=3)
    yield call(server, "glassmind_list", tag="none")
    yield call(server, "glassmind_status")


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("glassmind_read", {"name": "Kingfischer"}, "Kingfisher"),
        ("glassmind_read", {"name": "Nothing at all"}, "search for the note"),
        ("glassmind_read", {"name": "Tea", "heading": "Coffee"}, "Green"),
        ("glassmind_read", {"name": "Tea", "lines": "90-99"}, "lines"),
        ("glassmind_read", {"name": "Tea", "lines": "9-1"}, "must not run backwards"),
        ("glassmind_read", {"name": "Tea", "lines": "a-b"}, "12-34"),
        ("glassmind_read", {"name": "Tea", "lines": "1 2"}, "12-34"),
        ("glassmind_read", {"name": "Tea", "lines": "90-"}, "90- is not among"),
        ("glassmind_read", {"name": "Same"}, "give the path"),
        ("glassmind_read", {}, "name is missing"),
        ("glassmind_search", {}, "query is missing"),
        ("glassmind_search", {"query": [7]}, "must be a text"),
        ("glassmind_search", {"query": " "}, "nothing to search for"),
        (
            "glassmind_search",
            {"query": "tea", "root_note": "Nobody", "mode": "fulltext"},
            "Nobody",
        ),
        ("glassmind_search", {"query": "x", "limit": 0}, "limit must be 1 or more"),
        ("glassmind_search", {"query": "x", "mode": "odd"}, "hybrid"),
        ("glassmind_search", {"query": "x", "lmit": 3}, "it takes query, limit"),
        (
            "glassmind_search",
            {"query": "x", "root_note": "Nobody", "mode": "hybrid"},
            "Nobody",
        ),
        ("glassmind_search", {"query": "before:soon"}, "YYYY-MM-DD"),
        ("glassmind_search", {"query": "x" * 20_001}, "20,000"),
        ("glassmind_list", {"since": "soon"}, "YYYY-MM-DD"),
        ("glassmind_list", {"limit": 1_000}, "200"),
        ("glassmind_list", {"tag": "#"}, "tag"),
    ],
)
def test_a_call_that_cannot_be_met_says_what_to_do(
    vault: VaultHarness, tool: str, arguments: dict[str, Any], said: str
) -> None:
    vault.indexed(
        {
            "Kingfisher.md": "# Kingfisher\n",
            "Tea.md": "# Tea\n\n## Green\n",
            "a/Same.md": "a",
            "b/Same.md": "b",
        }
    )

    answer = call(structured_server(vault.engine), tool, **arguments)

    assert said in text_of(answer)
    assert "Traceback" not in text_of(answer)
    if answer.is_error:
        message = answer.structured_content["error"]["message"]
        assert message.partition(";")[0] in text_of(answer)
    else:
        assert (tool, arguments) == ("glassmind_read", {"name": "Kingfischer"})


def test_numbers_written_as_text_are_taken(vault: VaultHarness) -> None:
    vault.indexed(MANY)

    answer = call(
        structured_server(vault.engine),
        "glassmind_search",
        query="kingfisher",
        limit="3",
    )

    assert len(answer.structured_content["hits"]) == 3


@pytest.mark.parametrize("tool", tools_of(["core"]), ids=lambda tool: tool.name)
def test_an_empty_text_counts_as_left_out_where_it_may_be(
    vault: VaultHarness, tool: McpTool
) -> None:
    vault.indexed({"Tea.md": "oolong"})
    needed = {"query": "oolong", "name": "Tea", "kind": "memory", "text": "sencha"}
    texts = {
        argument.name for argument in arguments_of(tool) if argument.kind == "string"
    }
    given = {name: needed.get(name, "") for name in texts}
    bare = {name: value for name, value in given.items() if value}
    server = structured_server(vault.engine)

    full, short = (call(server, tool.name, **one) for one in (given, bare))

    assert not full.is_error, text_of(full)
    if tool.read_only:
        assert full.structured_content == short.structured_content
        assert text_of(full) == text_of(short)


def test_a_vault_without_an_index_says_so(vault: VaultHarness) -> None:
    answer = call(
        structured_server(vault.engine), "glassmind_search", query="kingfisher"
    )

    assert answer.is_error
    assert "glassmind index" in text_of(answer)


def test_a_search_by_words_does_without_a_model(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def loaded(*_: object) -> None:
        raise AssertionError("a model was asked for")

    meaning.indexed(MANY)
    monkeypatch.setattr("glassmind.search.search.search", loaded)
    monkeypatch.setattr(Vault, "embedder_of", loaded)

    answer = call(
        structured_server(meaning.open()),
        "glassmind_search",
        query="kingfisher",
        mode="fulltext",
    )

    assert len(answer.structured_content["hits"]) == 10


def test_many_calls_at_once_are_all_answered(vault: VaultHarness) -> None:
    vault.indexed(MANY)
    found: list[str] = []

    async def body(client: Client) -> None:
        async def one(number: int) -> None:
            query = f'file:{number:02} "kingfisher {number}"'
            answer = await client.call_tool("glassmind_search", {"query": query})
            found.extend(paths_in(answer))

        async with anyio.create_task_group() as tasks:
            for number in range(40):
                tasks.start_soon(one, number)

    visit(structured_server(vault.engine), body)

    assert sorted(found) == sorted(MANY)
