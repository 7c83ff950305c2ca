"""One JSON shape: the program, HTTP and the protocol say the same in the same words."""

import json
import shutil
from collections.abc import Iterator
from contextlib import chdir
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import pytest
from cli_harness import SAMPLE, run_inside
from http_harness import Web, serving
from mcp_harness import call, environment, structured_server
from vault_harness import VaultHarness

from glassmind.serve.tool import MOST_TOKENS

PAGED = {"truncated", "next_cursor", "next_actions", "untrusted"}
"""What the protocol adds to an answer: it may come in parts, and a model reads it."""

CHANGING = {"seconds", "bytes", "index_bytes", "last_run"}
"""What differs from one moment to the next."""


PRIVATE = "Journal/A letter not sent.md"


class Ways(NamedTuple):
    """One vault, asked in three ways."""

    harness: VaultHarness
    web: Web

    def program(self, *args: str) -> Any:
        """Return what the program prints with --json."""
        with chdir(self.harness.root):
            done = run_inside(["--json", *args], environment(self.harness))
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    def tool(self, name: str, /, **given: object) -> Any:
        """Return the values that a tool answers."""
        server = structured_server(self.harness.engine, toolsets=("core", "graph"))
        answer = call(server, name, **given)
        return without(answer.structured_content, PAGED)


def without(shown: Any, names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in shown.items() if name not in names}


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ways]:
    """The sample vault without what is private, which the program alone tells of."""
    harness = VaultHarness(tmp_path_factory.mktemp("parity"))
    shutil.copytree(SAMPLE, harness.root, dirs_exist_ok=True)
    harness.remove(PRIVATE)
    harness.index()
    with serving(harness.engine) as web:
        yield Ways(harness, web)
    harness.close()


@pytest.mark.parametrize(
    "query",
    ["heron radio", "tag:#project", '"no such phrase here"', "zeppelin äß \u2603"],
)
def test_hits_are_the_same_by_every_way(ways: Ways, query: str) -> None:
    wish = {"query": query, "limit": 4, "explain": True}

    printed = ways.program("search", "--limit", "4", "--explain", query)
    served = ways.web.post("/search", wish).json
    told = ways.tool(
        "glassmind_search", query=query, limit=4, response_format="detailed"
    )

    assert printed == served == told
    if query == "heron radio":
        assert len(printed["hits"]) == 4


@pytest.mark.parametrize("part", ["whole", "lines"])
def test_a_note_is_the_same_by_every_way(ways: Ways, part: str) -> None:
    path = ways.harness.found("heron radio", limit=1)[0]
    lines = "1-3" if part == "lines" else ""

    range_of = ["--lines", lines] if lines else []
    printed = without(ways.program("read", path, *range_of), {"truncated"})
    asked = f"/notes/{quote(path)}" + (f"?lines={lines}" if lines else "")
    served = without(ways.web.get(asked).json, {"truncated"})
    wish = {"lines": lines} if lines else {}
    told = ways.tool("glassmind_read", name=path, max_tokens=MOST_TOKENS, **wish)

    assert printed == served == told
    assert printed["path"] == path


def test_a_list_is_the_same_by_every_way(ways: Ways) -> None:
    printed = ways.program("list", "--limit", "5")
    told = ways.tool("glassmind_list", limit=5, response_format="detailed")

    assert printed == told
    assert len(printed["notes"]) == 5


def test_counts_are_the_same_by_every_way(ways: Ways) -> None:
    printed, served = ways.program("stats"), ways.web.get("/stats").json

    assert set(printed) == set(served)
    assert without(printed, CHANGING) == without(served, CHANGING)


def test_what_is_current_is_the_same_by_every_way(ways: Ways) -> None:
    printed, told = ways.program("status"), ways.tool("glassmind_status")

    assert set(printed) == set(told)
    assert without(printed, CHANGING) == without(told, CHANGING)


def test_a_run_of_indexing_is_told_the_same_by_every_way(ways: Ways) -> None:
    printed = ways.program("index")
    served = ways.web.post("/index", {}).json

    assert set(printed) == set(served)
    assert without(printed, CHANGING) == without(served, CHANGING)


NOTE = "Projects/Heron node v3.md"

GRAPH: dict[str, tuple[list[str], dict[str, Any]]] = {
    "connections": (["connections", NOTE, "-n", "3"], {"name": NOTE, "limit": 3}),
    "path": (
        ["path", "Home", "Flat", "-n", "2"],
        {"source": "Home", "target": "Flat", "limit": 2},
    ),
    "rank": (["rank", "-n", "5"], {"limit": 5}),
    "suggest": (["suggest", "-n", "4"], {"limit": 4}),
    "timeline": (["timeline", NOTE, "-n", "4"], {"name": NOTE, "limit": 4}),
    "ontology": ([], {"limit": 4}),
    "resolve": ([], {"text": "Heron nodes"}),
    "ingest": ([], {"name": "Journal/2025 in review.md"}),
    "health": ([], {"limit": 2}),
}
"""What is asked of the graph: as the program takes it, and as the others do."""

COMMANDS: dict[str, list[str]] = {
    "ontology": ["ontology", "-n", "4"],
    "resolve": ["resolve", "Heron nodes"],
    "ingest": ["ingest", "2025 in review"],
    "health": ["health", "-n", "2"],
}
"""Those that have a command of their own."""


@pytest.mark.parametrize("verb", GRAPH)
def test_what_follows_from_links_is_the_same_by_every_way(
    ways: Ways, verb: str
) -> None:
    words, given = GRAPH[verb]

    printed = ways.program(*COMMANDS.get(verb, ["graph", *words]))
    served = ways.web.get(f"/graph/{verb}?{urlencode(given)}").json
    in_pages = (
        {} if verb in {"ontology", "resolve"} else {"response_format": "detailed"}
    )
    told = ways.tool(f"glassmind_{verb}", **in_pages, **given)

    assert "error" not in printed
    assert printed == served == told


def test_themes_are_the_same_by_every_way(ways: Ways) -> None:
    printed = ways.program("graph", "themes", "--theme", "2")
    served = ways.web.get("/graph/themes?theme=2").json
    told = ways.tool("glassmind_themes", theme="2", response_format="detailed")

    assert printed == served == told
    assert printed["themes"][0]["id"] == 2


def test_similar_notes_are_the_same_by_every_way(ways: Ways) -> None:
    printed = ways.program("graph", "similar", "-n", "3")
    served = ways.web.get("/graph/similar?limit=3").json
    told = ways.tool("glassmind_similar", limit=3, response_format="detailed")

    assert printed == served == told
    assert "error" not in printed


def test_a_graph_to_draw_is_the_same_by_every_way(ways: Ways) -> None:
    given = {"name": NOTE, "limit": 3, "format": "dot"}
    command = ["graph", "connections", NOTE, "-n", "3", "--format", "dot"]

    served = ways.web.get(f"/graph/connections?{urlencode(given)}").body.decode()
    with chdir(ways.harness.root):
        printed = run_inside(command, environment(ways.harness)).stdout

    assert served.startswith("digraph")
    assert printed == served


@pytest.mark.parametrize("name", ["zeppelin hangar", "../../etc/passwd"])
def test_an_error_is_told_by_every_way_with_the_same_words(
    ways: Ways, name: str
) -> None:
    printed = ways.program("read", name)["error"]
    served = ways.web.get(f"/notes/{quote(name)}").json["error"]
    told = ways.tool("glassmind_read", name=name)["error"]

    assert printed["kind"] == told["kind"] == "NoteNotFound"
    assert served["code"] == "note_not_found"
    assert told["message"].startswith(served["message"])
    assert printed["message"].startswith(served["message"])
