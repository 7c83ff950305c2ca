"""No log, and no record of what was done, holds text of notes or what was asked."""

import json
import logging
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from cli_harness import Inside, Program
from http_harness import JSON, SPEAKS, Started, Web, serving, started
from logs_program import FAILING
from mcp_harness import Line, call, line
from vault_harness import VaultHarness

from glassmind.engine import Engine
from glassmind.model.search import SearchReply
from glassmind.serve.http.guard import log_request
from glassmind.serve.log import PlainRecords
from glassmind.serve.mcp.server import make_server

NOTE, ASKED = "kingfisher", "nightingale"
"""What notes say, and what is asked: words that stand nowhere else."""

NOTES = {
    "Tea.md": f"---\nmood: {NOTE}\n---\n# Tea\n\noolong {NOTE} [[Pot]] #{NOTE}\n",
    "Pot.md": f"## A {NOTE} heading\n\n- [ ] buy a {NOTE} [[Nowhere {NOTE}]]\n",
    "Broken.md": f"---\n{NOTE}: [a: {NOTE}\n{NOTE}: 2\n---\ntext\n",
}

CLOSE = "Connection: close"

DRIVE = Path(__file__).parents[1] / "support" / "logs_program.py"


class Failing(Program):
    """The program with searches that fail in the words of who asked."""

    def _command(self, *args: str | Path) -> list[str]:
        return [sys.executable, str(DRIVE), *map(str, args)]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    program = Failing(tmp_path)
    program.vault.mkdir()
    for path, text in NOTES.items():
        (program.vault / path).write_text(text)
    assert Inside(program).run("index").returncode == 0
    return program


def records(program: Program) -> Iterator[tuple[str, str]]:
    """Yield what was put on record beside the index, and in the vault."""
    for root in (program.home, program.vault):
        for file in logs_below(root):
            yield file.name, file.read_text("utf-8")


def check(program: Program, log: str, *names: str) -> None:
    """Look that there are a log and records, and no word of ours in any."""
    found = dict(records(program))
    for name in names:
        assert any(one.startswith(name) for one in found), sorted(found)
    for where, text in {"stderr": log, **found}.items():
        lines = [one for one in text.splitlines() if NOTE in one or ASKED in one]
        assert not lines, (where, lines)


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("glassmind_search", {"query": f"oolong {ASKED}"}),
    ("glassmind_search", {"query": f"{FAILING} {ASKED}"}),
    ("glassmind_search", {"query": f"before:{ASKED}"}),
    ("glassmind_search", {"query": f"oolong {ASKED}.md"}),
    ("glassmind_resolve", {"text": f"{ASKED}.md"}),
    ("glassmind_read", {"name": f"{ASKED}.md"}),
    ("glassmind_read", {"name": f"../{ASKED}.md"}),
    ("glassmind_search", {f"{ASKED}": 1}),
    ("glassmind_search", {"query": "oolong", "limit": ASKED}),
    ("glassmind_read", {"name": f"no {ASKED}"}),
    ("glassmind_read", {"name": "Tea", "heading": ASKED}),
    ("glassmind_read", {"name": "Tea"}),
    ("glassmind_context", {"query": f"oolong {ASKED}"}),
    ("glassmind_connections", {"name": "Tea"}),
    ("glassmind_list", {"tag": NOTE}),
    ("glassmind_health", {}),
    ("glassmind_capture", {"kind": "memory", "text": f"Of tea.\n\n{ASKED} {NOTE}"}),
    ("glassmind_edit", {"name": "Tea", "edits": [{"op": "append", "text": ASKED}]}),
    ("glassmind_edit", {"name": "Tea", "edits": [
        {"op": "replace", "find": f"{NOTE} {ASKED}", "text": ASKED}]}),
    ("glassmind_rename_heading", {"name": "Pot", "heading": f"A {NOTE} heading",
                                  "new": ASKED}),
    ("glassmind_rename_tag", {"old": NOTE, "new": ASKED}),
    (f"no_{ASKED}", {}),
]  # fmt: skip


def test_no_log_holds_what_was_asked_or_what_notes_say(
    vault: VaultHarness,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    vault.indexed(NOTES)
    usual = Engine.search

    def search(engine: Engine, text: str, **wanted: Any) -> SearchReply:
        if FAILING in text:
            raise RuntimeError(text + NOTE)
        return usual(engine, text, **wanted)

    monkeypatch.setattr(Engine, "search", search)
    server = make_server(vault.engine, toolsets=("core", "graph", "write"))
    with serving(vault.engine, on_request=log_request) as web:
        assert web.post("/search", {"query": f"{FAILING} {ASKED}"}).status == 500
        assert web.post("/search", {"query": f"oolong {ASKED}"}).status == 200
        web.get(f"/{ASKED}?{ASKED}={ASKED}")
        web.get(f"/graph/resolve?text={ASKED}.md")
        for tool, arguments in CALLS[:-1]:
            call(server, tool, **arguments)
        brain = make_server(vault.engine, toolsets=("brain",))
        call(brain, "search", query=f"oolong {ASKED}.md", mode="fulltext")

    log = capsys.readouterr().err
    assert log.count('"fault"') == 2
    found = [file for root in (vault.root, vault.folder) for file in logs_below(root)]
    assert {file.name.partition("-")[0] for file in found} >= {"use", "access"}
    for text in (log, *(file.read_text("utf-8") for file in found)):
        assert not [one for one in text.splitlines() if NOTE in one or ASKED in one]


def logs_below(root: Path) -> Iterator[Path]:
    """Yield the records that are lines of JSON."""
    yield from root.rglob("*.jsonl")


@pytest.mark.slow  # two programs, each with all that it loads
def test_over_stdio_no_log_holds_what_was_asked_or_what_notes_say(
    program: Program,
) -> None:
    env = {**program.env, "GLASSMIND_VAULT_PATH": str(program.vault),
           "GLASSMIND_WRITES_MODE": "allow"}  # fmt: skip
    command = (sys.executable, str(DRIVE), "mcp", "--tools", "core,graph,write")

    with line(env, command=command) as client:
        client.greet()
        for number, (tool, arguments) in enumerate(CALLS, 1):
            client.ask(number, tool, **arguments)
        _ask_oddly(client)
        client.stdin.close()
        assert client.ended() == 0

    log = client.told()
    assert '"fault"' in log
    assert log.count('"library"') >= 3
    check(program, log, "use", "access", "writes")


def _ask_oddly(client: Line) -> None:
    """Send what is no proper call, then a proper one so that all of it was read."""
    odd: list[tuple[str, dict[str, Any]]] = [
        ("resources/read", {"uri": f"note://{ASKED}.md"}),
        (
            "prompts/get",
            {"name": "answer_from_vault", "arguments": {"question": ASKED}},
        ),
        ("prompts/get", {"name": ASKED, "arguments": {"question": 5}}),
        (f"tools/{ASKED}", {"word": ASKED}),
        ("tools/call", {"name": [ASKED]}),
    ]
    for number, (method, params) in enumerate(odd, 101):
        client.send(method, number, **params)
        client.answer(number)
    client.send(f"notifications/{ASKED}", word=ASKED)
    client.write(b'{"jsonrpc": "2.0", "id": "nightingale", "method"\n')
    client.write(b'["nightingale"]\n\xff\xfe nightingale\n')
    client.write(b'{"jsonrpc": "2.0", "id": 9, "method": "nightingale \\ud800"}\n')
    client.ask(201, "glassmind_status")


@pytest.mark.slow  # as above
def test_over_http_no_log_holds_what_was_asked_or_what_notes_say(
    program: Program,
) -> None:
    with started(program, GLASSMIND_WRITES_MODE="allow") as running:
        web = running.web()
        _ask_routes(web)
        _ask_mcp(web)
        _ask_rudely(web)
        log = _ended(running)

    assert '"route": "/search"' in log
    assert '"fault"' in log
    assert log.count('"library"') >= 3
    check(program, log, "use", "access", "writes")


def _ask_routes(web: Web) -> None:
    assert web.post("/search", {"query": f"oolong {ASKED}"}).status == 200
    assert web.post("/search", {"query": f"{FAILING} {ASKED}"}).status == 500
    assert web.post("/context", {"query": f"oolong {ASKED}"}).status == 200
    web.post("/search", {ASKED: ASKED})
    web.post("/search", f'{{"query": "{ASKED}'.encode())
    web.get(f"/notes/{quote(f'no {ASKED}')}")
    web.get(f"/notes/Tea?heading={ASKED}")
    assert web.get("/notes/Tea").status == 200
    web.get(f"/api/search?query={ASKED}&limit={ASKED}")
    web.get(f"/api/kb/ask?question={ASKED}&stream=1")
    web.get(f"/{ASKED}?{ASKED}={ASKED}")
    memo = {"kind": "memory", "text": f"Of tea.\n\n{ASKED} {NOTE}"}
    assert web.post("/capture", memo).status == 200
    edits = [{"op": "append", "text": ASKED}]
    assert web.post("/edit", {"name": "Tea", "edits": edits}).status == 200
    heading = {"name": "Pot", "heading": f"A {NOTE} heading", "new": ASKED}
    assert web.post("/rename-heading", heading).status == 200


def _ask_mcp(web: Web) -> None:
    calls = [
        ("tools/call", {"name": tool, "arguments": given}) for tool, given in CALLS
    ]
    odd = [(f"tools/{ASKED}", {ASKED: ASKED}), ("tools/call", {"name": [ASKED]})]
    for method, params in [*calls[:6], *odd]:
        web.message(method, params)
    web.post("/mcp", f'{{"jsonrpc": "{ASKED}"'.encode(), **SPEAKS)


def _ask_rudely(web: Web) -> None:
    with web.raw() as wire:
        wire.send(f"GET /{ASKED} HTTP/1.1", f"Host: {ASKED}", CLOSE, "")
        wire.everything()
    with web.raw() as wire:
        token = f"Authorization: Bearer {web.token}"
        wire.send(
            f"{ASKED.upper()} /search HTTP/1.1", f"Host: {web.host}", token, CLOSE, ""
        )
        wire.everything()
    with web.raw() as wire:
        wire.send(f"{ASKED} {ASKED} {ASKED}", ASKED, "")
        wire.everything()
    web.ask("POST", "/search", json.dumps({"query": ASKED}),
            {**JSON, "Authorization": f"Bearer {ASKED}"})  # fmt: skip
    web.ask("GET", "/notes/Tea", headers={**web.known, "Origin": f"http://{ASKED}"})


def _ended(running: Started) -> str:
    running.end(signal.SIGTERM)
    return running.told.read_text("utf-8")


def test_the_text_of_a_librarys_record_is_not_logged(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    logger = logging.getLogger("a library of the test")
    monkeypatch.setattr(logger, "handlers", [PlainRecords()])
    monkeypatch.setattr(logger, "propagate", False)

    logger.warning(f"made of {NOTE}")  # noqa: G004 - that is the point

    line_of = json.loads(capsys.readouterr().err)
    assert line_of["said"] == "-"
    assert line_of["place"].startswith("test_logs:")
