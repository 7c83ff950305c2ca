"""The server over stdin and stdout: what comes in, what goes out, when it ends."""

import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_harness import LIMIT_S, Line, environment, line
from vault_harness import VaultHarness

BOUND_S = 3.0
"""How long a server may stay when it is time to go."""

DRIVE = Path(__file__).parents[2] / "support" / "mcp_program.py"

HEAVY = {"numpy", "numkong", "tantivy", "onnxruntime", "tokenizers", "rich"}


@pytest.fixture
def env(vault: VaultHarness) -> dict[str, str]:
    """The variables of a server over a vault of one note."""
    return one_note(vault)


def one_note(vault: VaultHarness) -> dict[str, str]:
    """Index a vault of one note and return the variables of a server over it."""
    vault.indexed({"Tea.md": "# Tea\n\nOolong rests.\n"})
    return environment(vault)


def driven(what: str) -> tuple[str, ...]:
    """Return the command of a server with one thing about it changed."""
    return (sys.executable, str(DRIVE), what)


def until(true: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + LIMIT_S
    while not true():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.02)


def text_of(result: dict[str, Any]) -> str:
    return str(result["content"][0]["text"])


@pytest.fixture
def server(env: dict[str, str]) -> Iterator[Line]:
    """A server that was greeted and has answered once."""
    with line(env) as started:
        started.greet()
        assert "Tea.md" in text_of(started.ask(1, "glassmind_search", query="oolong"))
        yield started


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Line]:
    """A server for tests that only send messages."""
    vault = VaultHarness(tmp_path_factory.mktemp("stdio"))
    with line(one_note(vault)) as started:
        started.greet()
        yield started
    vault.close()


def deep(levels: int) -> bytes:
    return b'{"jsonrpc":"2.0","id":9,"method":"x","params":' + b"[" * levels + b"\n"


NO_MESSAGES = [
    b"this is no message\n",
    b"\n",
    b"\xff\xfe\x80 bad bytes\n",
    b'{"jsonrpc":"2.0","id":8,"method":"tools/list","params":{"x":"\xff"}}\n',
    b'[{"jsonrpc":"2.0","id":7,"method":"ping"}]\n',
    b'{"jsonrpc":"1.0","id":7,"method":"ping"}\n',
    b'{"id":7}\n',
    b"null\n",
    b'"text"\n',
    deep(5_000),
    deep(100_000),
    b'{"jsonrpc":"2.0","id":7,"method":"no/such/method"}\n',
    b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":7}}\n',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}\n',
    b'{"jsonrpc":"2.0","id":77,"result":{}}\n',
]


@pytest.mark.slow
def test_what_is_no_message_is_passed_over(shared_server: Line) -> None:
    for number, raw in enumerate(NO_MESSAGES, 100):
        shared_server.write(raw)
        again = shared_server.ask(number, "glassmind_search", query="oolong")
        assert "Tea.md" in text_of(again), raw[:80]


def test_half_a_character_is_refused_with_an_answer(shared_server: Line) -> None:
    server = shared_server
    half = {"name": "glassmind_search", "arguments": {"query": "\ud800 oolong"}}
    asked = {"jsonrpc": "2.0", "id": 50, "method": "tools/call", "params": half}
    server.write(b'{"jsonrpc":"2.0","method":"x","params":{"y":"\\udfff"}}\n')
    server.write(json.dumps(asked).encode() + b"\n")

    told = server.answer(50)

    assert "not valid Unicode" in told["error"]["message"]
    whole = server.ask(51, "glassmind_search", query="\U0001f375 oolong")
    assert "Tea.md" in text_of(whole)


def test_twenty_megabytes_of_argument_are_refused_in_good_order(
    shared_server: Line,
) -> None:
    server = shared_server
    huge = server.ask(2, "glassmind_search", query="x" * 20_000_000)
    unknown = server.ask(3, "glassmind_search", **{"y" * 1_000_000: 1})

    assert huge["isError"]
    assert "20,000 characters" in text_of(huge)
    assert unknown["isError"]
    assert len(text_of(unknown)) < 500
    assert not server.ask(4, "glassmind_status")["isError"]


def test_nothing_but_messages_leaves_by_stdout(env: dict[str, str]) -> None:
    with line(env, command=driven("noisy")) as server:
        server.greet()
        assert not server.ask(1, "glassmind_search", query="oolong")["isError"]
        server.stdin.close()
        server.ended()

        assert all(json.loads(one)["jsonrpc"] == "2.0" for one in server.seen)
        told = server.told()
    for way in ("print", "descriptor", "stream", "child"):
        assert f"noise by {way}" in told


@pytest.mark.slow
def test_nothing_but_objects_of_its_own_goes_to_stderr(server: Line) -> None:
    server.write(b"this is no message, it tells of oolong\n")
    server.ask(2, "glassmind_search", query="secretquestion")
    server.stdin.close()
    server.ended()

    told = server.told()
    assert all(json.loads(one)["event"] for one in told.splitlines())
    assert "secretquestion" not in told
    assert "oolong" not in told


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGTERM, 143),
        pytest.param(signal.SIGINT, 130, marks=pytest.mark.slow),
    ],
)
def test_a_signal_ends_it(server: Line, number: int, code: int) -> None:
    server.started.send_signal(number)

    assert server.ended(BOUND_S) == code


@pytest.mark.slow
def test_the_end_of_its_input_ends_it(server: Line) -> None:
    server.stdin.close()

    assert server.ended(BOUND_S) == 0


@pytest.mark.slow
def test_what_was_asked_before_the_end_of_its_input_is_answered(server: Line) -> None:
    before = len(server.seen)
    for number in range(2, 7):
        server.send("tools/call", number, name="glassmind_list", arguments={"limit": 1})
    server.stdin.close()

    assert server.ended(BOUND_S) == 0
    until(lambda: len(server.seen) == before + 5)
    assert all("result" in json.loads(one) for one in server.seen)


@pytest.mark.slow
def test_an_answer_that_takes_a_second_is_given_after_the_end_of_its_input(
    env: dict[str, str],
) -> None:
    with line(env, command=driven("late")) as server:
        server.greet()
        assert not server.ask(1, "glassmind_search", query="weir")["isError"]
        server.send(
            "tools/call", 2, name="glassmind_search", arguments={"query": "weir"}
        )
        server.stdin.close()

        assert server.ended(BOUND_S) == 0
        until(lambda: len(server.seen) == 3)
    assert "result" in json.loads(server.seen[-1])


@pytest.mark.slow
def test_a_stderr_that_nobody_reads_holds_nothing_up(env: dict[str, str]) -> None:
    ours, theirs = os.pipe()
    command = (
        "import os, sys; os.dup2(int(sys.argv[1]), 2); "
        "os.execv(sys.executable, [sys.executable, '-m', 'glassmind', 'mcp'])"
    )
    os.set_inheritable(theirs, True)
    fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, 4096)
    full = (sys.executable, "-c", command, str(theirs))
    with line(env, command=full, close_fds=False) as server:
        os.close(theirs)
        server.greet()
        for number in range(1, 101):  # each writes a line of a hundred letters
            server.ask(number, "glassmind_list", limit=1)
        server.started.send_signal(signal.SIGTERM)
        assert server.ended(BOUND_S) == 143
    os.close(ours)


@pytest.mark.slow
def test_the_end_of_who_reads_its_answers_ends_it(env: dict[str, str]) -> None:
    ours, theirs = os.pipe()
    with (Path(env["HOME"]) / "errors").open("wb") as errors:
        started = subprocess.Popen(
            [sys.executable, "-m", "glassmind", "mcp"],
            env=env,
            stdin=subprocess.PIPE,
            stdout=theirs,
            stderr=errors,
        )
    os.close(theirs)
    try:
        assert started.stdin is not None
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
        hello["clientInfo"] = {"name": "one", "version": "1"}
        message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}
        started.stdin.write(json.dumps(message).encode() + b"\n")
        started.stdin.flush()
        assert os.read(ours, 1)  # it is up

        os.close(ours)

        assert started.wait(timeout=BOUND_S) == 0
    finally:
        started.kill()
        started.wait(timeout=LIMIT_S)
        started.stdin.close()  # type: ignore[union-attr]


@pytest.mark.slow
def test_the_end_of_its_parent_ends_it(env: dict[str, str]) -> None:
    between = (
        "import subprocess, sys, pathlib\n"
        "child = subprocess.Popen([sys.executable, '-m', 'glassmind', 'mcp'])\n"
        "pathlib.Path(sys.argv[1]).write_text(str(child.pid))\n"
        "child.wait()\n"
    )
    note = Path(env["HOME"]) / "pid"
    command = (sys.executable, "-c", between, str(note))
    with line(env, command=command) as server:
        server.greet()
        child = int(note.read_text())

        server.started.kill()
        begun = time.monotonic()

        until(lambda: not is_alive(child))
        assert time.monotonic() - begun < BOUND_S


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has buried yet does not."""
    try:
        state = (
            Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
        )
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize(
    ("what", "how"),
    [
        ("stuck", "signal"),
        pytest.param("stuck", "input", marks=pytest.mark.slow),
        pytest.param("unclosing", "signal", marks=pytest.mark.slow),
    ],
)
def test_work_that_never_ends_does_not_keep_it(
    env: dict[str, str], what: str, how: str
) -> None:
    with line(env, command=driven(what)) as server:
        server.greet()
        if what == "stuck":
            server.send(
                "tools/call", 1, name="glassmind_search", arguments={"query": "x"}
            )
            until((Path(env["HOME"]) / "stuck").exists)
        else:
            server.ask(1, "glassmind_status")

        if how == "signal":
            server.started.send_signal(signal.SIGTERM)
        else:
            server.stdin.close()

        assert server.ended(BOUND_S) in (0, 143)


@pytest.mark.slow
def test_a_call_that_is_cancelled_holds_nobody_up(env: dict[str, str]) -> None:
    with line(env, command=driven("stuck")) as server:
        server.greet()
        for number in range(1, 13):  # more than may work at once
            server.send(
                "tools/call", number, name="glassmind_search", arguments={"query": "x"}
            )
        until((Path(env["HOME"]) / "stuck").exists)
        for number in range(1, 13):
            server.send("notifications/cancelled", requestId=number)

        assert not server.ask(20, "glassmind_status")["isError"]


@pytest.mark.slow
def test_a_vault_that_is_missing_is_told_by_every_tool_until_it_is_there(
    env: dict[str, str], vault: VaultHarness
) -> None:
    away = vault.root.with_name("away")
    vault.close()
    shutil.move(vault.root, away)

    with line(env) as server:
        assert server.greet()["result"]["serverInfo"]["name"] == "glassmind"
        for number, tool in enumerate(("glassmind_search", "glassmind_status"), 1):
            given = {"query": "oolong"} if tool == "glassmind_search" else {}
            answer = server.ask(number, tool, **given)
            assert answer["isError"]
            assert "is not a folder; check the path" in text_of(answer)

        shutil.move(away, vault.root)

        assert "Tea.md" in text_of(server.ask(9, "glassmind_search", query="oolong"))


@pytest.mark.slow
def test_no_vault_at_all_is_told_with_what_to_do(env: dict[str, str]) -> None:
    del env["GLASSMIND_VAULT_PATH"]

    with line(env) as server:
        server.greet()
        answer = server.ask(1, "glassmind_search", query="oolong")

    assert answer["isError"]
    assert "GLASSMIND_VAULT_PATH" in text_of(answer)


def test_a_vault_without_an_index_gets_one_and_its_progress_is_told(
    vault: VaultHarness,
) -> None:
    vault.write({"Tea.md": "# Tea\n\nOolong rests.\n"})
    env = environment(vault)

    with line(env, command=driven("slow")) as server:
        server.greet()
        until(lambda: "read: 40 %" in text_of(server.ask(1, "glassmind_status")))
        asked = server.ask(2, "glassmind_search", query="oolong")
        assert asked["isError"]
        assert "ask again" in text_of(asked)

        (Path(env["HOME"]) / "go").touch()

        until(
            lambda: (
                "Tea.md" in text_of(server.ask(3, "glassmind_search", query="oolong"))
            )
        )


def test_nothing_heavy_is_loaded_before_the_first_reply(env: dict[str, str]) -> None:
    command = (sys.executable, "-X", "importtime", str(DRIVE), "unopened")
    with line(env, command=command) as server:
        server.greet()
        server.stdin.close()
        server.ended()
        told = server.told()

    times = [one for one in told.splitlines() if one.count("|") == 2]
    loaded = {one.rpartition("|")[2].strip().partition(".")[0] for one in times}
    assert "mcp" in loaded
    assert loaded & HEAVY == set()


def test_a_set_of_tools_that_there_is_not_is_refused_at_once(
    env: dict[str, str],
) -> None:
    with line(env, "--tools", "core,bogus") as server:
        assert server.ended() == 2
        assert "graphrag" in server.told()


@pytest.mark.slow
def test_a_set_without_tools_is_served(env: dict[str, str]) -> None:
    with line(env, "--tools", "core", "--tools", "query,write") as server:
        server.greet()
        server.send("tools/list", 1)
        assert len(server.answer(1)["result"]["tools"]) == 8 + 13


@pytest.mark.slow
def test_settings_may_ask_for_http_instead(env: dict[str, str]) -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    http = {"GLASSMIND_SERVER_TRANSPORT": "http", "GLASSMIND_SERVER_PORT": str(port)}

    with line(env | http, "--no-watch") as server:
        until(lambda: bool(server.seen) or server.started.poll() is not None)
        assert f"127.0.0.1:{port}".encode() in server.seen[0]
        server.started.send_signal(signal.SIGTERM)
        server.ended()
