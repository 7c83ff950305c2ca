"""One JSON shape: the program, HTTP and the protocol say the same in the same words."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from http_desk import Web, serving
from mcp_desk import call, environment
from vault_desk import VaultDesk

from glassmind.surfaces.mcp.pages import MOST_TOKENS
from glassmind.surfaces.mcp.server import make_server

LIMIT_S = 60

PAGED = {"truncated", "next_cursor", "next_actions", "untrusted"}
"""What the protocol adds to an answer: it may come in parts, and a model reads it."""

LETTERS = {"offset", "letters", "truncated", "next_offset"}
"""What HTTP adds to a note for the same reason."""

TOTALS = {"skipped_total", "warnings_total"}
"""What HTTP adds to a run of indexing, whose lists it cuts."""

CHANGING = {"seconds", "bytes", "index_bytes", "last_run"}
"""What differs from one moment to the next."""


class Ways(NamedTuple):
    """One vault, asked in three ways."""

    desk: VaultDesk
    web: Web

    def program(self, *args: str) -> Any:
        """Return what the program prints with --json."""
        done = subprocess.run(
            [sys.executable, "-m", "glassmind", "--json", *args],
            env=environment(self.desk),
            cwd=self.desk.root,
            capture_output=True,
            encoding="utf-8",
            timeout=LIMIT_S,
            check=False,
        )
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    def tool(self, name: str, /, **given: object) -> Any:
        """Return the values that a tool answers."""
        answer = call(make_server(self.desk.engine), name, **given)
        return without(answer.structured_content, PAGED)


def without(shown: Any, names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in shown.items() if name not in names}


@pytest.fixture(scope="module")
def ways(sample: VaultDesk) -> Iterator[Ways]:
    with serving(sample.engine) as web:
        yield Ways(sample, web)


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


def test_a_concise_hit_says_some_of_the_same(ways: Ways) -> None:
    printed = ways.program("search", "--limit", "2", "heron radio")["hits"]
    told = ways.tool("glassmind_search", query="heron radio", limit=2)["hits"]

    for whole, part in zip(printed, told, strict=True):
        text = {"text": whole["snippet"]["text"]}
        assert part.items() <= (whole | {"snippet": text}).items()


@pytest.mark.parametrize("part", ["whole", "lines"])
def test_a_note_is_the_same_by_every_way(ways: Ways, part: str) -> None:
    path = ways.desk.found("heron radio", limit=1)[0]
    lines = "1-3" if part == "lines" else ""

    printed = ways.program("read", path, *(["--lines", lines] if lines else []))
    asked = f"/notes/{quote(path)}" + (f"?lines={lines}" if lines else "")
    served = without(ways.web.get(asked).json, LETTERS)
    wish = {"lines": lines} if lines else {}
    told = ways.tool("glassmind_read", name=path, max_tokens=MOST_TOKENS, **wish)

    assert printed == served == without(told, {"notices"})
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
    served = without(ways.web.post("/index", {}).json, TOTALS)

    assert set(printed) == set(served)
    assert without(printed, CHANGING) == without(served, CHANGING)


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
