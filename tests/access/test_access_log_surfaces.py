"""Every tool and every route records in the access log what a client reads."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import mcp_types as types
import pytest
from http_harness import Web, answer_of, serving
from mcp import Client
from mcp_harness import call, structured_server, visit
from route_table import ROUTES, Route
from surface_arguments import choices_of, names_of, required_of
from test_surfaces_reading import USUAL
from vault_harness import VaultHarness

from glassmind.access.clients import clients_of
from glassmind.access.scopes import SETS, read_scope
from glassmind.model.access import DisclosedLines, LoggedAnswer
from glassmind.serve.mcp.toolsets import tools_of
from glassmind.serve.tool import McpTool
from glassmind.store.protocol import AccessLog

OURS = ("core", "graph", "memory", "write")

NOTES = {
    "Cup.md": """---
up: '[[Pot]]'
project: Tea
status: bright canary-cup-3
---
# Cup

oolong in a cup canary-cup-8 [[Pot]] #tea

A pot is named without a link: the Copper Kettle, canary-cup-10

- oolong is chosen canary-cup-12 #decision
- [ ] buy leaves canary-cup-13

## Open questions

- Why oolong canary-cup-17?
""",
    "Pot.md": """---
project: Tea
---
# Pot

oolong in a pot canary-pot-6 [[Cup]] and [[Nowhere]]
""",
    "Copper Kettle.md": """---
project: Tea
---
# Copper Kettle

oolong from a kettle canary-kettle-6 [[Pot]]
""",
    "Old.md": """---
superseded-by: '[[Cup]]'
project: Tea
---
oolong of old canary-old-5 #decision
""",
    "2026-03-01 Day.md": "oolong today canary-day-1 [[Cup]]\n",
}
"""Each line of text says in which note and line it stands."""

FILES = {
    "cup": "Cup.md",
    "pot": "Pot.md",
    "kettle": "Copper Kettle.md",
    "old": "Old.md",
    "day": "2026-03-01 Day.md",
}
CANARY = re.compile(r"canary-(cup|pot|kettle|old|day|memo)-(\d+)")


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultHarness]:
    harness = VaultHarness(tmp_path_factory.mktemp("access-log"))
    harness.indexed(NOTES)
    memory = harness.engine.memory
    kept = memory.capture(
        "memory", "Of leaves.\n\noolong canary-memo-0", client="a test", agent=True
    )
    FILES["memo"] = kept.memory.path
    server, edits = structured_server(harness.engine, toolsets=OURS), SAID["edits"]
    for path in NOTES:  # briefings and hot context show what was read lately
        call(server, "glassmind_read", name=path)
    shown = call(server, "glassmind_edit", name="Cup", edits=edits, dry_run=True)
    assert shown.structured_content is not None
    SAID["id"] = shown.structured_content["id"]
    yield harness
    harness.close()


@pytest.fixture(scope="module")
def web(harness: VaultHarness) -> Iterator[Web]:
    with serving(harness.engine, toolsets=OURS) as web:
        yield web


def access_log_of(harness: VaultHarness) -> AccessLog:
    found = harness.engine.access_log
    assert found is not None
    return found


def since(harness: VaultHarness, before: int) -> list[LoggedAnswer]:
    """Return what went on record behind the first so many."""
    found = list(access_log_of(harness).readings())
    return found[: len(found) - before]


def count(harness: VaultHarness) -> int:
    return len(list(access_log_of(harness).readings()))


def untold(sent: str, readings: Sequence[LoggedAnswer], memos: str = "") -> list[str]:
    """Return what was sent and is not on record: text by its lines, notes by name.

    `memos` is the text of saved memories on record, which name the notes they cite.
    """
    passages = [passage for reading in readings for passage in reading.passages]
    named = {path for reading in readings for path in reading.named}
    lacking = []
    for stem, line in set(CANARY.findall(sent)):
        path = FILES[stem]
        if not any(
            passage.path == path
            and (
                not passage.first
                or stem == "memo"
                or passage.first <= int(line) <= passage.last
            )
            for passage in passages
        ):
            lacking.append(f"text of {path}:{line}")
    given = {passage.path for passage in passages}
    known = {*given, *named, *(path for path in NOTES if path in memos)}
    nameless = [path for path in NOTES if path in sent and path not in known]
    return [*lacking, *(f"the name {path}" for path in nameless)]


def said(answer: types.CallToolResult) -> str:
    """Return all that a client is sent, text of notes as it was."""
    texts = [one.text for one in answer.content if isinstance(one, types.TextContent)]
    values = json.dumps(answer.structured_content, ensure_ascii=False)
    return "\n".join([*texts, values])


SAID: dict[str, Any] = {
    **USUAL,
    "kind": "memory",
    "what": "merge",
    "content": "more",
    "context": "See also.",
    "previewId": "none",
    "confirm": True,
}
"""What is said where something has to be."""

WIDE: dict[str, Any] = {
    "response_format": "detailed",
    "dry_run": True,
    "dryRun": True,
    "new": "Pot",
    "mentions": True,
    "returnSubgraph": True,
    "includeCommon": True,
    "mode": "full",
}
"""What makes an answer show more, where it can be said."""

WAYS: dict[str, list[dict[str, Any]]] = {
    "glassmind_read": [{}, {"lines": "6-8"}, {"name": "Nothing of the kind"}],
    "glassmind_suggest": [{}, {"name": "Cup"}],
    "glassmind_add_suggested_links": [{"name": "Cup"}],
    "glassmind_rename_tag": [{"old": "tea"}],
    "glassmind_split": [{"heading": "Open questions"}],
    "find_path_between": [{"from": "Copper Kettle", "to": "Pot"}],
    "glassmind_edit": [
        {},
        {"edits": [{"op": "replace", "find": "oolong in a mug", "text": "x"}]},
    ],
    "search": [{"mode": "fulltext"}, {"mode": "fulltext", "unique": "chunks"}],
    "edit_note": [
        {"mode": "append", "content": "more"},
        {"mode": "replace_window", "search": "oolong in a mug", "content": "x"},
    ],
    "read_note": [{"mode": "full"}, {"mode": "brief"}],
}
"""Several ways to call a tool that answer otherwise."""


WORDLESS = frozenset(
    (
        "/capture",
        "/changes",
        "/changes/{id}/undo",
        "/delete",
        "/graph/dismiss",
        "/graph/finding/dismiss",
        "/graph/health",
        "/graph/health/fix",
        "/graph/ontology",
        "/graph/rank",
        "/graph/resolve",
        "/graph/similar",
        "/graph/themes",
        "/health",
        "/hot",
        "/index",
        "/log",
        "/metrics",
        "/notes",
        "/openapi.json",
        "/stats",
        "/verify",
        "apply_edit_preview",
        "create_note",
        "delete_note",
        "detect_themes",
        "glassmind_capture",
        "glassmind_changes",
        "glassmind_create",
        "glassmind_delete",
        "glassmind_dismiss",
        "glassmind_fix_findings",
        "glassmind_dismiss_finding",
        "glassmind_health",
        "glassmind_ontology",
        "glassmind_rank",
        "glassmind_resolve",
        "glassmind_similar",
        "glassmind_status",
        "glassmind_themes",
        "glassmind_undo_change",
        "glassmind_verify",
        "index_status",
        "rank_notes",
        "reindex",
    )
)
"""Tools and routes that show no text of notes; a new one does until it is told here."""


def arguments_of(tool: McpTool) -> Iterator[dict[str, Any]]:
    """Yield what a tool is called with, as wide as it can be, without writing."""
    takes, needed = choices_of(tool), required_of(tool)
    wide = {
        name: value
        for name, value in WIDE.items()
        if name in takes and (not takes[name] or value in takes[name])
    }
    for way in WAYS.get(tool.name, [{}]):
        yield {name: SAID[name] for name in needed} | wide | way


def every_tool() -> list[tuple[tuple[str, ...], McpTool]]:
    """Return each tool, with the sets that it is served in."""
    others = [name for name in SETS if name not in OURS]
    found = [(OURS, tool) for tool in tools_of(OURS)]
    return found + [((other,), tool) for other in others for tool in tools_of([other])]


@pytest.mark.parametrize(
    ("toolsets", "tool"),
    every_tool(),
    ids=lambda one: one.name if isinstance(one, McpTool) else "",
)
def test_what_a_tool_shows_is_in_the_access_log(
    harness: VaultHarness, toolsets: tuple[str, ...], tool: McpTool
) -> None:
    server, sent = structured_server(harness.engine, toolsets=toolsets), ""

    for given in arguments_of(tool):
        before = count(harness)
        answer = call(server, tool.name, **given)

        readings = since(harness, before)
        sent += said(answer)
        shown = said(answer)
        if answer.is_error:
            shown = shown.replace(given.get("key", "\0"), "")  # the caller's own words
        assert not untold(shown, readings), (given, readings, shown)
        assert {reading.verb for reading in readings} <= {tool.name}
    assert bool(CANARY.search(sent)) == (tool.name not in WORDLESS), tool.name


ROUTE_WAYS: dict[str, list[dict[str, Any]]] = {
    "/graph/connections": [{}, {"subgraph": "true"}, {"format": "graphml"},
                           {"format": "dot"}],
    "/graph/suggest": [{}, {"name": "Cup"}],
    "/split": [{"heading": "Open questions"}],
    "/notes/{name}": [{}, {"lines": "6-8"}, {"name": "Nothing"}],
    "/api/kb/ask": [{}, {"stream": "1"}],
}  # fmt: skip
"""Several ways to ask a route that answer otherwise."""

MARKDOWN = "text/markdown"


@pytest.mark.parametrize("route", ROUTES, ids=lambda one: f"{one.method} {one.path}")
def test_what_a_route_answers_is_in_the_access_log(
    harness: VaultHarness, web: Web, route: Route
) -> None:
    names, needed = names_of(route), required_of(route)
    shapes: list[dict[str, str]] = [{}]
    if any(type_.startswith(MARKDOWN) for type_ in route.other_types):
        shapes.append({"Accept": MARKDOWN})
    sent_all = ""

    for way in ROUTE_WAYS.get(route.path, [{}]):
        for head in shapes:
            before, given = count(harness), {name: SAID[name] for name in needed} | way
            given |= {name: True for name in ("dry_run", "confirm") if name in names}
            answer = answer_of(web, route, given, **head)

            assert answer.status < 500, answer.body
            readings, sent = since(harness, before), answer.body.decode()
            sent = sent.replace(SAID["key"], "")  # what the caller itself has said
            sent_all += sent
            memos = "".join(
                harness.text(passage.path)
                for reading in readings
                for passage in reading.passages
                if passage.path.startswith(".agent/")
            )
            assert not untold(sent, readings, memos), (way, readings, sent)
            assert {one.surface for one in readings} <= {"http"}
    assert bool(CANARY.search(sent_all)) == (route.path not in WORDLESS), route.path


def test_notes_as_resources_and_what_is_completed_are_in_the_access_log(
    harness: VaultHarness,
) -> None:
    before = count(harness)
    typed = types.PromptReference(name="continue_project")

    async def body(client: Client) -> None:
        await client.read_resource("note://Cup.md")
        await client.list_resources()
        await client.complete(typed, {"name": "project", "value": "po"})

    visit(structured_server(harness.engine), body, name="a reader")

    found = {one.verb: one for one in since(harness, before)}
    lines = NOTES["Cup.md"].count("\n")
    assert found["resources/read"].passages == (DisclosedLines("Cup.md", 1, lines),)
    assert {one.client for one in found.values()} == {"a reader"}
    assert "Pot.md" in found["resources/list"].named
    assert found["completion/complete"].named == ("Pot.md",)


def test_a_client_with_a_token_is_in_the_access_log_by_its_name_whatever_it_says(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Work/Tea.md": "oolong\n", "Home.md": "oolong at home\n"})
    clients = clients_of(vault.engine.config)
    _, token = clients.add("worker", read_scope(["folder:Work"]))
    asked = {"name": "glassmind_search", "arguments": {"query": "oolong"}}
    meta = {"io.modelcontextprotocol/clientInfo": {"name": "the owner", "version": "1"}}

    with serving(vault.engine, clients=clients) as web:
        worker = Web(web.port, token)
        assert worker.get("/api/search?query=oolong").status == 200
        assert worker.get("/api/kb/ask?question=oolong").status == 200
        asked["_meta"] = meta
        assert worker.message("tools/call", asked).status == 200

    found = list(access_log_of(vault).readings())
    assert [one.surface for one in found] == ["mcp-http", "http", "http"]
    assert {one.client for one in found} == {"worker"}
    paths = {passage.path for one in found for passage in one.passages}
    assert paths == {"Work/Tea.md"}


def test_a_reason_that_quotes_another_note_is_text_of_that_one(
    vault: VaultHarness,
) -> None:
    vault.indexed(NOTES)
    server = structured_server(vault.engine, toolsets=("graphrag",))

    answer = call(server, "vault_search", query="oolong", max_results=2, threshold=0.9)

    (reading,) = access_log_of(vault).readings()
    hits = (answer.structured_content or {})["results"]
    reasons = " ".join(hit["match_reason"] for hit in hits)
    quoted = {FILES[stem] for stem, _ in CANARY.findall(reasons)}
    assert quoted - {hit["path"] for hit in hits}, reasons
    assert quoted <= {passage.path for passage in reading.passages}
