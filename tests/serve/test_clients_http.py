"""Clients with tokens of their own at one server: what each is told, and what not."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx2
import pytest
from http_harness import LIMIT_S, TOKEN, Web, serving
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_harness import ERAS
from route_table import ROUTES
from vault_harness import VaultHarness, usage_text

from glassmind.access import scopes
from glassmind.access.clients import Clients, clients_of
from glassmind.access.scopes import read_scope
from glassmind.serve.http.server import ANY
from glassmind.serve.mcp import toolsets

FILES = {
    "Work/Heron.md": "# Heron\n\nThe heron project needs a boiler. See [[Diary]].\n",
    "Work/Egret.md": "# Egret\n\nThe egret project needs a boiler too. #draft\n",
    "Home/Diary.md": "# Diary\n\nThe boiler at home is a secret of mine.\n",
    "Home/Key.md": "---\nprivate: true\n---\n# Key\n\nThe boiler key is hidden.\n",
}


class Two(NamedTuple):
    """A server with two clients: one for work, one for all but drafts, to search."""

    web: Web
    clients: Clients
    work: Web
    searcher: Web
    vault: VaultHarness


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    vault = VaultHarness(tmp_path_factory.mktemp("clients"))
    vault.open(writes__mode="allow")
    vault.indexed(FILES)
    clients = clients_of(vault.engine.config)
    _, work = clients.add("worker", read_scope(["folder:Work"]))
    _, searcher = clients.add("searcher", read_scope(["-#draft"], ["graph", "memory"]))
    try:
        with serving(vault.engine, clients=clients, structured=True) as web:
            at = web.port
            yield Two(web, clients, Web(at, work), Web(at, searcher), vault)
    finally:
        vault.close()


def found(web: Web) -> set[str]:
    reply = web.post("/search", {"query": "boiler"})
    assert reply.status == 200, reply.body
    return {hit["path"] for hit in reply.json["hits"]}


def test_two_clients_of_one_server_find_what_each_may_read(two: Two) -> None:
    assert found(two.work) == {"Work/Heron.md", "Work/Egret.md"}
    assert found(two.web) == {"Work/Heron.md", "Work/Egret.md", "Home/Diary.md"}
    assert two.work.get("/notes/Work/Heron.md").status == 200
    assert two.work.get("/notes/Home/Diary.md").code == "note_not_found"
    assert two.web.get("/notes/Home/Diary.md").status == 200
    assert two.web.get("/notes/Home/Key.md").code == "note_not_found"


def test_a_question_is_answered_from_what_its_client_may_read(two: Two) -> None:
    before = len(used_by(two))
    asked = "/api/kb/ask?question=what+needs+a+boiler"
    told = two.work.get(asked).json
    events = two.work.get(f"{asked}&stream=1").body.decode()
    whole = two.web.get(asked).json

    assert {one["path"] for one in told["sources"]} == {
        "Work/Heron.md",
        "Work/Egret.md",
    }
    assert "Home" not in events
    assert "Home/Diary.md" in {one["path"] for one in whole["sources"]}
    assert set(used_by(two)[before:]) == {"worker", "library"}


def test_counts_and_health_are_those_of_whoever_asks(two: Two) -> None:
    told = [web.get("/health").json["note_count"] for web in (two.web, two.work)]
    again = [web.get("/health").json["note_count"] for web in (two.work, two.web)]
    nobody = two.web.ask("GET", "/health").json

    assert (told, again) == ([3, 2], [2, 3])
    assert nobody.keys() == {"status", "version"}
    assert two.work.get("/stats").json["notes"] == 2


@pytest.mark.parametrize("route", ROUTES, ids=lambda one: f"{one.method} {one.path}")
def test_a_client_limited_to_sets_of_tools_asks_only_what_these_have(
    two: Two, route: Any
) -> None:
    path = route.path.replace("{name}", "Heron").replace("{id}", "x")
    web = two.searcher

    reply = web.get(path) if route.method == "GET" else web.post(path, {})

    allowed = {ANY, "graph", "memory"} & set(route.sets)
    refused = reply.status == 403 and reply.code in {
        "beyond_scope",
        "needs_vault_token",
    }
    assert refused is not bool(allowed), reply.body
    if not route.sets:
        assert reply.code == "needs_vault_token"
    elif refused:
        assert route.sets[0] in reply.json["error"]["hint"]


def test_what_is_for_the_owner_is_for_no_client_of_any_set(two: Two) -> None:
    for web in (two.work, two.searcher):
        assert web.post("/index", {}).code == "needs_vault_token"
        assert web.get("/metrics").code == "needs_vault_token"


def test_every_set_that_a_route_names_is_known() -> None:
    known = {ANY, *scopes.SETS}
    assert all(known.issuperset(route.sets) for route in ROUTES)


def test_a_wrong_token_is_nobodys_and_compared_all_the_same(
    two: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[int] = []

    def compare(kept: str, shown: str) -> bool:
        compared.append(len(shown))
        return kept == shown

    monkeypatch.setattr("glassmind.serve.http.guard.hmac.compare_digest", compare)
    for token in ("gm_wrong", TOKEN[:-1], "", "x" * 4_000):
        reply = Web(two.web.port, token).get("/stats")
        assert (reply.status, reply.code) == (401, "no_token")
    basic = two.web.ask("GET", "/stats", headers={"Authorization": f"Basic {TOKEN}"})
    assert basic.status == 401
    assert two.web.ask("GET", "/stats").code == "no_token"

    # the vault's and both clients', digests all, whatever was shown
    assert compared == [64] * 3 * 6


def test_a_client_goes_by_its_registered_name_whatever_it_says(two: Two) -> None:
    said = {"kind": "memory", "text": "Herons wade.", "client": "somebody else"}

    made = two.work.post("/capture", said)
    edited = two.work.post(
        "/edit",
        {
            "name": "Work/Egret.md",
            "edits": [{"op": "append", "text": "\nmore\n"}],
            "client": "somebody else",
        },
    )

    assert (made.status, edited.status) == (200, 200), (made.body, edited.body)
    log = two.web.get("/log").json["records"]
    assert {entry["client"] for entry in log} == {"worker"}
    before = used_by(two)
    greeting = {"clientInfo": {"name": "somebody else", "version": "1"}}
    mcp(
        two.work,
        "initialize",
        protocolVersion="2025-11-25",
        capabilities={},
        **greeting,
    )
    called(two.work, "glassmind_search", query="boiler")
    assert set(used_by(two)[len(before) :]) == {"worker"}


def test_a_token_shown_in_another_way_is_refused_and_counts_as_no_use(two: Two) -> None:
    _, token = two.clients.add("idle", read_scope(["folder:Work"]))
    web = Web(two.web.port, token)

    reply = web.get("/notes/Work/Heron.md", Authorization=f"Basic {token}")
    unused = {one.name: one.used for one in two.clients.used()}["idle"]
    answered = web.get("/notes/Work/Heron.md").status
    used = {one.name: one.used for one in two.clients.used()}["idle"]
    two.clients.revoke("idle")

    assert (reply.status, unused) == (401, "")
    assert answered == 200
    assert used


def used_by(two: Two) -> list[str]:
    """Return who was handed something, in order."""
    lines = usage_text(two.vault.place).splitlines()
    return [json.loads(line)["client"] for line in lines]


def mcp(web: Web, method: str, **params: Any) -> Any:
    reply = web.message(method, params)
    assert reply.status == 200, reply.body
    return reply.json.get("result") or reply.json["error"]


def called(web: Web, tool: str, **arguments: Any) -> Any:
    return mcp(web, "tools/call", name=tool, arguments=arguments)


def test_tools_are_those_of_the_client_and_no_others_can_be_called(two: Two) -> None:
    names = {one["name"] for one in mcp(two.searcher, "tools/list")["tools"]}
    usual = {one["name"] for one in mcp(two.work, "tools/list")["tools"]}

    assert names == {tool.name for tool in toolsets.tools_of(["graph", "memory"])}
    assert usual == {tool.name for tool in toolsets.tools_of(["core"])}
    _, token = two.clients.add("brainy", read_scope([], ["brain"]))
    tools = mcp(Web(two.web.port, token), "tools/list")["tools"]
    brain = {tool.name for tool in toolsets.tools_of(["brain"])}
    assert brain - {tool["name"] for tool in tools} == {"reindex"}
    refused = called(two.searcher, "glassmind_search", query="boiler")
    assert "there is no tool" in refused["message"]
    assert "glassmind_edit" not in refused["message"]


def test_a_tool_answers_within_the_scope_of_whoever_calls(two: Two) -> None:
    seen = called(two.work, "glassmind_search", query="boiler")
    whole = called(two.web, "glassmind_search", query="boiler")

    assert "Home" not in json.dumps(seen)  # its link says Diary
    assert "Work/Heron.md" in json.dumps(seen["structuredContent"])
    assert "Home/Diary.md" in json.dumps(whole["structuredContent"])
    assert "Key" not in json.dumps(whole)
    refused = called(two.work, "glassmind_read", name="Home/Diary.md")
    assert refused["isError"]
    assert "secret" not in json.dumps(refused)


@pytest.mark.parametrize("era", ERAS)
def test_clients_that_ask_at_the_same_time_are_not_taken_for_each_other(
    two: Two, era: str
) -> None:
    async def found(token: str, seen: list[str]) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        url = f"http://{two.web.host}/mcp"
        async with (
            httpx2.AsyncClient(headers=headers, timeout=LIMIT_S) as http,
            streamable_http_client(url, http_client=http) as streams,
            Client(link(streams), mode=era) as client,
        ):
            assert client.protocol_version == ERAS[era]
            for _ in range(5):
                reply = await client.call_tool("glassmind_search", {"query": "boiler"})
                seen.extend(hit["path"] for hit in reply.structured_content["hits"])

    async def everybody(ours: list[str], theirs: list[str]) -> None:
        with anyio.fail_after(LIMIT_S):
            async with anyio.create_task_group() as group:
                group.start_soon(found, two.work.token, ours)
                group.start_soon(found, TOKEN, theirs)

    ours: list[str] = []
    theirs: list[str] = []
    anyio.run(everybody, ours, theirs)

    assert {*ours} == {"Work/Heron.md", "Work/Egret.md"}
    assert {*theirs} == {"Work/Heron.md", "Work/Egret.md", "Home/Diary.md"}


@asynccontextmanager
async def link(streams: Any) -> AsyncIterator[Any]:
    """Give a client the streams that it speaks by."""
    yield streams


def test_resources_and_cursors_lead_no_further_than_the_scope(two: Two) -> None:
    listed = mcp(two.work, "resources/list")["resources"]
    read = mcp(two.work, "resources/read", uri="note:///Home/Diary.md")
    theirs = called(two.web, "glassmind_list", limit=1)["structuredContent"]

    assert {one["name"] for one in listed} >= {"Work/Heron.md", "Work/Egret.md"}
    assert not {one["name"] for one in listed} & {"Home/Diary.md", "Home/Key.md"}
    assert "code" in read
    cursor = theirs["next_cursor"]
    ours = called(two.work, "glassmind_list", limit=1, cursor=cursor)
    assert "Home" not in json.dumps(ours)
    completed = mcp(
        two.work,
        "completion/complete",
        ref={"type": "ref/resource", "uri": "note://{+path}"},
        argument={"name": "path", "value": "Diary"},
    )
    assert completed["completion"]["values"] == []


def test_sets_of_tools_that_are_none_by_now_are_told(two: Two) -> None:
    _, token = two.clients.add("odd", read_scope([], ["gone"]))

    reply = Web(two.web.port, token).message("tools/list", {})

    assert (reply.status, reply.code) == (403, "beyond_scope")
    assert "no set of tools 'gone'" in reply.json["error"]["message"]
    assert mcp(two.work, "tools/list")["tools"]


def test_a_client_is_let_in_until_it_is_revoked(two: Two) -> None:
    _, token = two.clients.add("passing", read_scope(["#draft"]))
    passing = Web(two.web.port, token)
    assert found(passing) == {"Work/Egret.md"}

    two.clients.change("passing", read_scope(["folder:Home"]))
    changed = found(passing)
    Clients(two.clients.file).revoke("passing")

    assert changed == {"Home/Diary.md"}
    assert passing.post("/search", {"query": "boiler"}).code == "no_token"
    assert two.work.get("/stats").status == 200


def test_a_file_of_clients_that_is_damaged_lets_only_the_owner_in(
    vault: VaultHarness, tmp_path: Path
) -> None:
    vault.indexed(FILES)
    clients = Clients(tmp_path / "clients.json")
    _, token = clients.add("worker", read_scope(["folder:Work"]))
    with serving(vault.engine, clients=clients, structured=True) as web:
        clients.file.write_text("{", "utf-8")

        assert Web(web.port, token).get("/stats").code == "no_token"
        assert web.get("/stats").status == 200
