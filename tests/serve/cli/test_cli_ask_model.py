"""`glassmind ask` as a process, with a model that is scripted behind a real socket."""

import json
import signal
import subprocess
import threading

import pytest
from chat_harness import WAIT_S, ChatHarness, Reply, Voice, chat_server
from cli_harness import LIMIT_S, Inside, Program, with_note

NOTE = (
    "# Cells\n\nThe Heron nodes were changed to LFP cells in 2025, since lead froze.\n"
)
QUESTION = "Why were the Heron nodes changed to LFP cells?"
SAID = "They have been LFP since 2025."
REPLY = json.dumps(
    {
        "statements": [
            {"source": 1, "quote": "changed to LFP cells in 2025", "text": SAID},
            {"source": 1, "quote": "changed to LFP cells in 2025", "text": "It is 9."},
        ]
    }
)
KEY = "sk-a-key-that-nobody-may-see"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    program = Inside(with_note(tmp_path_factory.mktemp("model"), NOTE))
    assert program.run("index").returncode == 0
    return program


def model(harness: ChatHarness, backend: str = "ollama") -> dict[str, str]:
    """Return variables that name a model."""
    return {
        "GLASSMIND_LLM_BACKEND": backend,
        "GLASSMIND_LLM_URL": harness.url,
        "GLASSMIND_LLM_API_KEY": KEY,
    }


@pytest.mark.parametrize("backend", ["ollama", "openai"])
def test_a_model_writes_and_what_it_quotes_can_be_verified(
    program: Program, backend: str
) -> None:
    with chat_server(REPLY) as harness:
        done = program.run("--json", "ask", QUESTION, **model(harness, backend))

    found = json.loads(done.stdout)
    first, second = found["statements"]
    receipts = [one["receipt"] for one in first["citations"]]
    assert done.returncode == 0, done.stderr
    assert found["modelUsed"] == "llama3.2"
    assert (first["support"], second["support"]) == ("quoted", "unsupported")
    assert "changed to LFP cells in 2025" in first["citations"][0]["quote"]
    assert first["citations"][0]["quote"] in NOTE
    assert "9 is not in what" in second["problem"]
    assert program.run("verify", *receipts).returncode == 0
    assert len(harness.asked) == 1


def test_a_model_is_not_asked_where_it_is_not_wanted(program: Program) -> None:
    with chat_server(REPLY) as harness:
        done = program.run("--json", "ask", QUESTION, "--no-model", **model(harness))

    found = json.loads(done.stdout)
    assert found["modelUsed"] == "extractive"
    assert found["statements"][0]["support"] == "verbatim"
    assert harness.paths == []


def test_where_the_model_fails_the_notes_answer(program: Program) -> None:
    def fails(voice: Voice) -> None:
        voice.refuse(500, f"no {KEY}")

    with chat_server(fails) as harness:
        done = program.run("ask", QUESTION, **model(harness))

    assert done.returncode == 0
    assert "changed to LFP cells in 2025" in done.stdout
    assert "[1] Tea.md:" in done.stdout
    assert "llm: " in done.stderr
    assert KEY not in done.stderr + done.stdout


def waiting(said: str) -> tuple[Reply, threading.Event]:
    """Return a reply that says some of it and waits for the other side to leave.

    The event is set once it waits.
    """
    reached = threading.Event()

    def reply(voice: Voice) -> None:
        if said:
            voice.begin()
            voice.say(said)
        reached.set()
        voice.listen()

    return reply, reached


HALF = REPLY[: REPLY.index("since 2025")]
FIRST = REPLY[: REPLY.index("},") + 2]
"""The first statement, whole."""


@pytest.mark.parametrize("said", [HALF, ""], ids=["halfway", "silent"])
@pytest.mark.parametrize(
    "backend", ["ollama", pytest.param("openai", marks=pytest.mark.slow)]
)
def test_ctrl_c_ends_the_command_and_the_model(
    program: Program, said: str, backend: str
) -> None:
    reply, reached = waiting(said)
    with chat_server(reply) as harness:
        started = subprocess.Popen(
            program._command("--vault", program.vault, "ask", QUESTION),
            cwd=program.home,
            env={**program.env, **model(harness, backend)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        try:
            assert reached.wait(LIMIT_S)
            started.send_signal(signal.SIGINT)
            out, err = started.communicate(timeout=LIMIT_S)
            assert harness.gone.wait(WAIT_S)
        finally:
            started.kill()
            started.wait(LIMIT_S)

    assert started.returncode == 130
    assert (out, err) == ("", "glassmind: interrupted\n")


def test_a_terminal_sees_statements_before_the_model_is_done(program: Program) -> None:
    seen = threading.Event()

    def slowly(voice: Voice) -> None:
        voice.begin()
        voice.say(FIRST)
        assert seen.wait(WAIT_S)
        voice.say(REPLY.removeprefix(FIRST))
        voice.end()

    with (
        chat_server(slowly) as harness,
        program.terminal("ask", QUESTION, NO_COLOR="1", **model(harness)) as screen,
    ):
        early = screen.until(SAID)
        seen.set()
        last = screen.until_the_end()
        code = screen.started.wait(LIMIT_S)

    assert "Found 1 passage in 1 note" in early
    assert "It is 9" not in early
    assert f"{SAID} [1]\r\n" in last
    assert "It is 9. (not supported by your notes: 9 is not in what it cites)" in last
    assert "[1] Tea.md:" in last
    assert "\x1b" not in last
    assert code == 0


def test_ctrl_c_at_a_terminal_leaves_a_whole_line(program: Program) -> None:
    with chat_server(waiting(FIRST)[0]) as harness:
        with program.terminal(
            "ask", QUESTION, NO_COLOR="1", **model(harness)
        ) as screen:
            screen.until(f"{SAID} [1]")
            screen.started.send_signal(signal.SIGINT)
            shown = screen.until_the_end()
            code = screen.started.wait(LIMIT_S)
        assert harness.gone.wait(WAIT_S)

    assert code == 130
    assert shown.endswith(f"{SAID} [1]\r\nglassmind: interrupted\r\n")


def test_a_reader_that_has_enough_is_no_fault(program: Program) -> None:
    asked = program._command("--vault", program.vault, "ask", QUESTION)
    with chat_server(REPLY) as harness:
        done = subprocess.run(
            ["sh", "-c", '"$@" | head -c 1', "sh", *asked],
            cwd=program.home,
            env={**program.env, **model(harness)},
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )

    assert done.stdout == b"T"
    assert done.stderr == b""
