"""MCP over HTTP: the same server behind the same guard, in both eras."""

import json
import shutil
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from http_harness import LIMIT_S, SPEAKS, Web, serving, until
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_harness import ERAS, Body, text_of, visit
from mcp_types import METHOD_NOT_FOUND
from vault_harness import VaultHarness, usage_text

from glassmind.access.clients import clients_of
from glassmind.access.scopes import read_scope
from glassmind.model.access import EVERY_AGENT
from glassmind.serve.mcp.toolsets import tools_of


@pytest.fixture(scope="module")
def web(sample: VaultHarness) -> Iterator[Web]:
    with serving(sample.engine, structured=True) as web:
        yield web


def visited(web: Web, body: Body[Any], mode: str, name: str = "") -> Any:
    """Return what the client of the protocol's own package does at a server.

    `name` is what it says that it is called; without one, what the package is.
    """

    @asynccontextmanager
    async def link() -> AsyncIterator[Any]:
        url = f"http://{web.host}/mcp"
        async with (
            httpx2.AsyncClient(headers=web.known, timeout=LIMIT_S) as client,
            streamable_http_client(url, http_client=client) as streams,
        ):
            yield streams

    return visit(link(), body, mode=mode, name=name)


@pytest.mark.parametrize("mode", ERAS)
def test_a_client_is_served_in_both_eras(
    web: Web, sample: VaultHarness, mode: str
) -> None:
    async def body(client: Client) -> None:
        assert client.protocol_version == ERAS[mode]
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert tools == [tool.name for tool in tools_of(["core"])]
        found = await client.call_tool("glassmind_search", {"query": "heron network"})
        assert not found.is_error
        assert (
            found.structured_content["hits"][0]["path"]
            == sample.found("heron network")[0]
        )
        read = await client.call_tool("glassmind_read", {"name": "No such note"})
        assert read.is_error

    visited(web, body, mode)


def test_a_client_that_may_only_write_reads_no_note_as_a_resource(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Tea.md": "Oolong."})
    clients = clients_of(vault.engine.config)
    token = clients.add("writer", read_scope([], ["write"]))[1]

    with serving(vault.engine, clients=clients, structured=True) as web:
        writer = Web(web.port, token)
        listed = writer.message("resources/list", {})
        read = writer.message("resources/read", {"uri": "note://Tea.md"})

    for answer in (listed, read):
        assert answer.json["error"]["code"] == METHOD_NOT_FOUND
        assert b"Tea" not in answer.body


@pytest.mark.parametrize("mode", ERAS)
def test_a_client_captures_and_is_handed_what_it_captured(
    vault: VaultHarness, mode: str
) -> None:
    vault.indexed({"Tea.md": "# Tea\n\nOolong.\n"})
    said = "The samovar stands in the cellar."

    async def body(client: Client) -> str:
        given = {"kind": "memory", "text": said}
        done = await client.call_tool("glassmind_capture", given)
        packed = await client.call_tool("glassmind_context", {"query": "samovar"})
        assert said in text_of(packed)
        return str(done.structured_content["memory"]["path"])

    with serving(vault.engine, structured=True) as web:
        path = visited(web, body, mode)

    assert said in (vault.root / path).read_text("utf-8")
    assert [record.client for record in vault.engine.memory.log().records] == ["mcp"]


def test_each_client_of_the_current_protocol_is_on_record_by_the_name_it_gave(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Tea.md": "# Tea\n\nOolong.\n"})
    names = ["agent-one", "agent two, at home"]

    def body_of(name: str) -> Body[str]:
        async def body(client: Client) -> str:
            await client.call_tool("glassmind_read", {"name": "Tea"})
            given = {"kind": "memory", "text": f"{name} likes oolong."}
            done = await client.call_tool("glassmind_capture", given)
            return str(done.structured_content["memory"]["path"])

        return body

    with serving(vault.engine, structured=True) as web:
        paths = [visited(web, body_of(name), "auto", name) for name in names]

    logged = {one.path: one.client for one in vault.engine.memory.log().records}
    assert [logged[path] for path in paths] == names
    for path, name in zip(paths, names, strict=True):
        assert name in (vault.root / path).read_text("utf-8").partition("# ")[0]
    record = usage_text(vault.folder)
    uses = [json.loads(line) for line in record.splitlines()]
    assert [use["client"] for use in uses if use["verb"] == "read"] == names


CALL = {"name": "glassmind_capture", "arguments": {"kind": "memory", "text": "Tea."}}
OLD = {"MCP-Protocol-Version": "2025-11-25"}


@pytest.mark.parametrize("session", ["", "nonsense", "a.owner"])
def test_a_session_id_names_no_client(vault: VaultHarness, session: str) -> None:
    vault.indexed({"Tea.md": "# Tea\n"})

    with serving(vault.engine, structured=True) as web:
        head = {**OLD, "Mcp-Session-Id": session} if session else OLD
        told = web.message("tools/call", CALL, **head).json

    assert not told["result"]["isError"]
    assert [record.client for record in vault.engine.memory.log().records] == ["mcp"]


@pytest.mark.parametrize("mode", ERAS)
def test_a_client_without_the_token_is_not_served(web: Web, mode: str) -> None:
    async def body(client: Client) -> None:
        await client.list_tools()

    with pytest.raises(ExceptionGroup):  # in which it says: an error response
        visited(Web(web.port, "another-token-altogether"), body, mode)


def test_the_sets_of_tools_are_those_that_were_asked_for(sample: VaultHarness) -> None:
    async def body(client: Client) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]

    with serving(sample.engine, toolsets=("knowledge",)) as web:
        names = visited(web, body, "auto")

    assert names == [tool.name for tool in tools_of(["knowledge"])]


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
def test_the_protocol_is_posted_alone(web: Web, method: str) -> None:
    answer = web.ask(method, "/mcp", headers={**web.known, "Accept": "*/*"})

    assert answer.status == 405
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize("body", [b"", b"nonsense", b"[]", b'{"jsonrpc": "2.0"}'])
def test_what_is_no_message_is_refused(web: Web, body: bytes) -> None:
    answer = web.post("/mcp", body, **SPEAKS)

    assert answer.status == 400
    assert b"Traceback" not in answer.body


def test_many_clients_are_served_at_once(web: Web) -> None:
    answers: list[int] = []
    call = {"name": "glassmind_search", "arguments": {"query": "river"}}

    def ask() -> None:
        for _ in range(5):
            found = web.message("tools/call", call, **OLD)
            answers.append(len(found.json["result"]["structuredContent"]["hits"]))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT_S)

    assert len(answers) == 40
    assert len(set(answers)) == 1


def test_a_client_that_goes_is_not_waited_for(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed({"Tea.md": "# Tea\n"})
    begun, over = threading.Event(), threading.Event()
    told: list[int] = []

    def slowly(*_: Any, **__: Any) -> None:
        begun.set()
        over.wait(LIMIT_S)

    def tell(_method: str, _route: str, status: int, _s: float, _size: int) -> None:
        told.append(status)

    monkeypatch.setattr(vault.engine.seen_by(EVERY_AGENT), "search", slowly)
    call = {"name": "glassmind_search", "arguments": {"query": "tea"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    body = json.dumps(message)
    with serving(vault.engine, on_request=tell) as web:
        with web.raw() as wire:
            wire.send(
                "POST /mcp HTTP/1.1",
                f"Host: {web.host}",
                f"Authorization: Bearer {web.token}",
                "Accept: application/json, text/event-stream",
                "Content-Type: application/json",
                f"Content-Length: {len(body)}",
                "",
                body,
            )
            assert begun.wait(LIMIT_S)
        until(lambda: told == [499])
        over.set()


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "glassmind_read", "arguments": {"name": "Tea"}}),
        ("tools/call", {"name": "reindex", "arguments": {}}),
        ("resources/read", {"uri": "note://Tea.md"}),
    ],
)
def test_no_error_names_a_place_on_the_machine(
    vault: VaultHarness, method: str, params: dict[str, Any]
) -> None:
    vault.indexed({"Tea.md": "# Tea\n"})
    shutil.rmtree(vault.root)

    with serving(vault.engine, toolsets=("core", "brain")) as web:
        told = web.message(method, params, **OLD).json

    assert "error" in told or told["result"]["isError"]
    assert str(vault.root.parent) not in json.dumps(told)
