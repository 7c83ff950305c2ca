"""Questions over HTTP, with a model that is scripted behind a real socket."""

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from ask_harness import address, parsed, read_until, streaming
from chat_harness import WAIT_S, ChatHarness, Voice, chat_server
from cli_harness import Inside, with_note
from http_harness import LIMIT_S, Web, serving, started, until
from test_cli_ask_model import FIRST, KEY, NOTE, QUESTION, REPLY, SAID, model
from vault_harness import VaultHarness


@pytest.fixture
def harness() -> Iterator[ChatHarness]:
    """A model that answers, unless a test has it do something else."""
    with chat_server(REPLY) as harness:
        yield harness


@pytest.fixture
def web(vault: VaultHarness, harness: ChatHarness) -> Iterator[Web]:
    vault.open(llm__backend="ollama", llm__url=harness.url)
    vault.indexed({"Cells.md": NOTE})
    with serving(vault.engine) as web:
        yield web


def hanging(harness: ChatHarness) -> threading.Semaphore:
    """Have the model say the half of it and wait; return what counts how often."""
    reached = threading.Semaphore(0)

    def reply(voice: Voice) -> None:
        voice.begin()
        voice.say(FIRST)
        reached.release()
        voice.listen()

    harness.replies[:] = [reply]
    return reached


def test_what_a_model_writes_comes_whole_and_as_events(web: Web) -> None:
    whole = web.get(address(QUESTION)).json
    events = parsed(web.get(address(QUESTION, stream=1)).body.decode())

    names = [event.name for event in events]
    assert whole["modelUsed"] == "llama3.2"
    assert [one["support"] for one in whole["statements"]] == ["quoted", "unsupported"]
    assert events[-1] == ("answer", whole)
    assert names[0] == "sources"
    assert names.index("text") < names.index("statement") < names.index("answer")
    first = next(event.value for event in events if event.name == "statement")
    assert first == {"number": 1, **whole["statements"][0]}
    assert first["text"] == SAID


def test_a_model_that_may_not_be_asked_is_not(web: Web, harness: ChatHarness) -> None:
    found = web.get(address(QUESTION, model="false")).json

    assert found["modelUsed"] == "extractive"
    assert found["in_notes"] is True
    assert harness.paths == []


def test_where_the_model_fails_the_notes_answer(web: Web, harness: ChatHarness) -> None:
    harness.replies[:] = [lambda voice: voice.refuse(500, "no")]

    found = web.get(address(QUESTION))

    assert found.status == 200
    assert found.json["modelUsed"] == "extractive"
    assert found.json["degraded"]
    assert found.json["sources"]


def test_what_was_said_is_withdrawn_where_the_model_breaks_off(
    web: Web, harness: ChatHarness
) -> None:
    def breaks(voice: Voice) -> None:
        voice.begin()
        voice.say(FIRST)
        voice.reset()

    harness.replies[:] = [breaks]

    events = parsed(web.get(address(QUESTION, stream=1)).body.decode())

    names = [event.name for event in events]
    assert "withdrawn" in names
    assert names[-1] == "answer"
    assert events[-1].value["modelUsed"] == "extractive"
    later = events[names.index("withdrawn") :]
    stated = [one.value["text"] for one in later if one.name == "statement"]
    assert stated == [one["text"] for one in events[-1].value["statements"]]


@pytest.mark.parametrize("stream", [0, 1])
def test_a_client_that_leaves_takes_the_model_with_it(
    web: Web, harness: ChatHarness, stream: int
) -> None:
    reached = hanging(harness)

    with web.raw() as wire:
        wire.send(
            f"GET {address(QUESTION, stream=stream)} HTTP/1.1",
            f"Host: {web.host}",
            f"Authorization: Bearer {web.token}",
            "",
        )
        assert reached.acquire(timeout=WAIT_S)
        if stream:
            read_until(wire.socket, b"event: text")

    assert harness.gone.wait(WAIT_S)


def test_two_models_that_hang_hold_up_nothing_else(
    web: Web, harness: ChatHarness
) -> None:
    reached = hanging(harness)

    with streaming(web, QUESTION), streaming(web, QUESTION):
        for _ in range(2):
            assert reached.acquire(timeout=WAIT_S)
        found = web.post("/search", {"query": "LFP cells"})
        health = web.ask("GET", "/health")
        plain = web.get(address(QUESTION, model="false"))

    assert plain.json["modelUsed"] == "extractive"
    assert found.json["hits"]
    assert health.status == 200
    assert harness.gone.wait(WAIT_S)


@pytest.mark.slow
def test_a_private_note_is_read_to_its_owner_and_told_of_to_nobody_else(
    tmp_path: Path,
) -> None:
    program = Inside(with_note(tmp_path, f"---\nprivate: true\n---\n{NOTE}"))
    (program.vault / "Nodes.md").write_text("# Nodes\n\nHeron nodes are grey.\n")
    assert program.run("index").returncode == 0
    with chat_server(REPLY) as harness, started(program, **model(harness)) as running:
        web = running.web()
        written = program.run("--json", "ask", QUESTION, **model(harness))
        own = program.run("--json", "ask", QUESTION, "--no-model")
        served = [web.get(address(QUESTION, model=one)) for one in ("true", "false")]

    assert "lead froze" in own.stdout
    assert "left out; --no-model includes them" in written.stderr
    assert "1 private note was left out" in written.stdout
    told = [one.body.decode() for one in served]
    for said in (written.stdout, *told):
        assert "lead froze" not in said
    assert not any("private" in said for said in told)
    assert "lead froze" not in str(harness.asked)


@pytest.mark.slow
def test_a_server_that_ends_takes_the_model_with_it_and_tells_nothing(
    tmp_path: Path,
) -> None:
    program = with_note(tmp_path, NOTE)
    assert program.run("index").returncode == 0
    with chat_server(REPLY) as harness, started(program, **model(harness)) as running:
        web = running.web()
        assert web.get(address(QUESTION)).json["modelUsed"] == "llama3.2"
        reached = hanging(harness)
        with streaming(web, QUESTION) as wire:
            assert reached.acquire(timeout=LIMIT_S)
            code, seconds = running.end(signal.SIGTERM)
            got = read_until(wire, b"\r\n0\r\n\r\n")
        assert harness.gone.wait(WAIT_S)
        lines = running.told.read_text("utf-8")

    assert code == 0
    assert seconds < 3
    assert b"event: error" in got
    assert '"route": "/api/kb/ask"' in lines
    for secret in (KEY, web.token, "Heron", "LFP", "question", "lead froze"):
        assert secret not in lines


def test_signs_of_life_come_while_a_model_is_silent(
    web: Web, harness: ChatHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glassmind.serve.http.server.KEEP_ALIVE_S", 0.05)
    reached = hanging(harness)

    with streaming(web, QUESTION) as wire:
        assert reached.acquire(timeout=WAIT_S)
        got = read_until(wire, b": keep-alive\n\n")

    until(harness.gone.is_set)
    assert b"event: sources" in got
