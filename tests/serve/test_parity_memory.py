"""Context and memory say the same by every way, in the same words."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from http_harness import serving
from mcp_harness import call, environment, structured_server, text_of
from test_mcp_fence import inside
from test_parity import PAGED, Ways, without
from vault_harness import VaultHarness

from glassmind.operations.context import FENCE_TOKENS

SETS = ("core", "memory")

NOTES = {
    "Tea.md": (
        "---\nproject: Tea house\nstatus: open\n---\n# Tea\n\nOolong brews at 90 "
        "degrees. #decision\n\n- [ ] Buy oolong\n\n> [!question] Which oolong?\n"
    ),
    "Cups.md": "---\nproject: Tea house\n---\n# Cups\n\nFor oolong, see [[Tea]].\n",
}

CAPTURES = [
    ("memory", "The oolong is from Fujian.", True),
    ("decision", "We serve oolong on Mondays.", False),
    ("task", "Order more oolong.", True),
]

PACKETS: dict[str, tuple[list[str], tuple[str, str], str, dict[str, Any]]] = {
    "context": (
        ["context", "oolong", "--budget", "900", "--project", "Tea house"],
        ("POST", "/context"),
        "glassmind_context",
        {"query": "oolong", "budget": 900, "project": "Tea house"},
    ),
    "hot": (
        ["hot", "--context", "--budget", "900"],
        ("GET", "/hot-context"),
        "glassmind_hot_context",
        {"budget": 900},
    ),
    "brief": (
        ["brief", "--budget", "900", "--project", "Tea house", "--since", "2020"],
        ("GET", "/brief"),
        "glassmind_brief",
        {"budget": 900, "project": "Tea house", "since": "2020"},
    ),
    "summarize": (
        ["summarize", "--no-save", "--budget", "900", "--project", "Tea house"],
        ("GET", "/summary"),
        "glassmind_summarize",
        {"budget": 900, "project": "Tea house"},
    ),
}
"""What is packed: by the program, over HTTP, by a tool, and what is asked."""

LISTS: dict[str, tuple[list[str], str, dict[str, Any]]] = {
    "recall": (
        ["recall", "oolong", "-n", "5"],
        "/recall",
        {"query": "oolong", "limit": 5},
    ),
    "recalled by kind": (["recall", "--kind", "task"], "/recall", {"kind": "task"}),
    "inbox": (["inbox", "list"], "/inbox", {}),
    "log": (["log", "-n", "2"], "/log", {"limit": 2}),
    "hot": (["hot", "-n", "3"], "/hot", {"limit": 3}),
}


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ways]:
    """A vault with captures; its use goes on no record, which would warm it."""
    harness = VaultHarness(tmp_path_factory.mktemp("parity"))
    harness.open(memory__record_use=False)
    harness.indexed(NOTES)
    for kind, text, agent in CAPTURES:
        harness.engine.memory.capture(
            kind,  # type: ignore[arg-type]
            text,
            project="Tea house",
            client="a test",
            agent=agent,
        )
    harness.engine.index(rebuild=True)  # deleted passages count in scores of the owner
    with serving(harness.engine) as web:
        yield _Unrecorded(harness, web)
    harness.close()


class _Unrecorded(Ways):
    def program(self, *args: str) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("test_parity.environment", _environment)
            return super().program(*args)


def _environment(harness: VaultHarness) -> dict[str, str]:
    return {**environment(harness), "GLASSMIND_MEMORY_RECORD_USE": "false"}


def served(
    ways: Ways, asked: tuple[str, str], given: dict[str, Any], **head: str
) -> Any:
    method, path = asked
    if method == "POST":
        return ways.web.post(path, given, **head)
    return ways.web.get(f"{path}?{urlencode(given)}", **head)


@pytest.mark.parametrize("verb", PACKETS)
def test_a_packet_is_the_same_by_every_way(ways: Ways, verb: str) -> None:
    words, asked, tool, given = PACKETS[verb]
    room = given | {"budget": given["budget"] + FENCE_TOKENS}

    printed = ways.program(*words)
    told = served(ways, asked, given).json
    read = served(ways, asked, given, Accept="text/markdown").body.decode()
    server = structured_server(ways.harness.engine, toolsets=SETS)
    fenced = inside(text_of(call(server, tool, **room)))

    assert "error" not in printed
    assert printed == told
    assert fenced == read.rstrip()
    assert "oolong" in read.lower()


@pytest.mark.parametrize("verb", LISTS)
def test_a_list_is_the_same_by_every_way(ways: Ways, verb: str) -> None:
    words, path, given = LISTS[verb]

    printed = ways.program(*words)
    told = served(ways, ("GET", path), given).json

    assert "error" not in printed
    assert printed == told
    tool = {"/recall": "glassmind_recall", "/inbox": "glassmind_inbox"}.get(path)
    if tool:
        server = structured_server(ways.harness.engine, toolsets=SETS)
        found = call(server, tool, response_format="detailed", **given)
        assert without(found.structured_content, PAGED) == printed


def test_receipts_are_told_the_same_by_every_way(ways: Ways) -> None:
    receipts = ways.web.post("/context", {"query": "oolong"}).json["sources"][:2]
    receipts += ["Gone.md:1-2@0f1e2d3c", "odd"]

    printed = ways.program("verify", *receipts)
    told = ways.web.post("/verify", {"receipts": receipts}).json
    server = structured_server(ways.harness.engine, toolsets=SETS)
    found = call(
        server, "glassmind_verify", receipts=receipts, response_format="detailed"
    )

    assert printed == told == without(found.structured_content, PAGED)
    states = [one["state"] for one in printed["receipts"]]
    assert states == ["unchanged", "unchanged", "gone", "bad"]


def test_a_capture_has_one_shape_by_every_way(vault: VaultHarness) -> None:
    vault.indexed(NOTES)
    with serving(vault.engine) as web:
        ways = Ways(vault, web)
        printed = ways.program("capture", "memory", "--text", "It rains on Mondays.")
        told = web.post(
            "/capture", {"kind": "memory", "text": "The kettle sings."}
        ).json

    server = structured_server(vault.engine)
    given = {"kind": "memory", "text": "Sencha is green."}
    found = call(server, "glassmind_capture", **given).structured_content

    assert set(printed) == set(told) == set(without(found, PAGED))
    assert set(printed["memory"]) == set(told["memory"]) >= set(found["memory"])
    assert (printed["memory"]["place"], told["memory"]["place"]) == ("kept", "inbox")


@pytest.mark.parametrize("project", ["Zeppelin", "#zeppelin", "folder:Zeppelin"])
def test_a_project_without_notes_is_told_by_every_way(ways: Ways, project: str) -> None:
    printed = ways.program("context", "oolong", "--project", project)["error"]
    given = {"query": "oolong", "project": project}
    told = ways.web.post("/context", given).json["error"]
    found = call(structured_server(ways.harness.engine), "glassmind_context", **given)

    assert printed["kind"] == found.structured_content["error"]["kind"]
    assert told["code"] == "project_unknown"
    assert printed["message"].startswith(told["message"])
