"""Eight servers and a user's commands on one vault, from its first minute on.

Items 8 and 9 of the list of faults, with the real program and the real model.
"""

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from daemon_harness import PATIENCE_S, wait_for
from fault_tools.harness import Harness
from fault_tools.vaults import edit, make_vault
from mcp_harness import Line, environment
from model_harness import FOLDER_VARIABLE, real_models
from vault_harness import VaultHarness

from glassmind.models.cards import MINILM
from glassmind.serve.daemon.protocol import socket_of
from glassmind.store.lock import WriterLock
from glassmind.store.place import DAEMON_LOCK

SAMPLE = Path(__file__).parents[3] / "sample-vault"
CROWD = 8
TAKEN_OVER_S = 15.0

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


class Crowd:
    """Servers of one vault, started together."""

    def __init__(self, harness: VaultHarness, models: Path) -> None:
        self.harness = harness
        self.env = environment(harness) | {
            "GLASSMIND_EMBEDDINGS_BACKEND": "onnx",
            FOLDER_VARIABLE: str(models),
        }
        self.lines: list[Line] = []

    def begin(self, count: int) -> list[Line]:
        """Start servers at the same moment and greet each."""
        started = [Line(self.env, "--structured") for _ in range(count)]
        self.lines += started
        for one in started:
            assert "result" in one.greet()
        return started

    def command(self, *words: str) -> "subprocess.Popen[str]":
        """Start a command of the user."""
        return subprocess.Popen(
            [sys.executable, "-m", "glassmind", *words],
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def daemon(self, among: list[Line]) -> Line:
        """Return the server that is the daemon, once one is."""

        def found() -> list[Line]:
            return [one for one in among if one.started.pid == self._pid()]

        wait_for(found, "one of them is the daemon")
        return found()[0]

    def _pid(self) -> int:
        if not socket_of(self.harness.folder).exists():
            return 0
        holder = WriterLock(self.harness.folder / DAEMON_LOCK).holder()
        return int(holder.removeprefix("process "))

    def with_model(self) -> list[Line]:
        """Return the servers that have a runtime of models in their memory."""
        return [
            line
            for line in self.lines
            if line.started.poll() is None
            and "onnxruntime" in Path(f"/proc/{line.started.pid}/maps").read_text()
        ]

    def missing(self) -> int:
        """Return how many passages have no vector yet."""
        with self.command("status", "--json") as running:
            out, _ = running.communicate(timeout=PATIENCE_S)
        vectors = json.loads(out)["vectors"]
        return int(vectors["total"] - vectors["covered"] + (vectors["behind"] or 0))

    def close(self) -> None:
        for line in self.lines:
            if line.started.poll() is None:
                line.started.send_signal(signal.SIGCONT)
            line.close()


@pytest.fixture
def crowd(tmp_path: Path) -> Iterator[Crowd]:
    models = real_models(MINILM)
    harness = VaultHarness(tmp_path)
    shutil.copytree(SAMPLE, harness.root, dirs_exist_ok=True)
    made = Crowd(harness, models)
    yield made
    made.close()
    harness.close()


def found_by(line: Line, number: int, query: str) -> dict[str, Any]:
    """Return what a search finds, waiting while the first index is made."""
    deadline = time.monotonic() + 5 * PATIENCE_S
    while True:
        reply = line.ask(number, "glassmind_search", query=query)
        text = str(reply["content"][0]["text"])
        if reply.get("isError"):
            assert "index" in text, (text, line.told())
            assert "locked" not in text
        elif (found := dict(reply["structuredContent"]))["hits"]:
            return found
        else:  # the rows stand, the words are not to be searched yet: it is said
            assert "not searched yet" in str(found["degraded"]), found
        assert time.monotonic() < deadline, text
        number += 1_000


def by_meaning(reply: dict[str, Any]) -> bool:
    """Whether a reply was found by meaning too, and nothing was missing."""
    return "semantic" in reply["channels"] and not reply["degraded"]


def check_quiet(crowd: Crowd) -> None:
    """Nobody was told of a lock, and nobody failed."""
    for line in crowd.lines:
        said = line.told()
        assert "Traceback" not in said
        assert "locked" not in said
        assert "fault" not in said


def test_eight_servers_make_the_first_index_together_and_share_one_model(
    crowd: Crowd,
) -> None:
    lines = crowd.begin(CROWD)
    commands = [crowd.command("index"), crowd.command("search", "gauge")]

    replies = [found_by(line, 1, "how is bread baked") for line in lines]
    for running in commands:
        _, err = running.communicate(timeout=5 * PATIENCE_S)
        assert "locked" not in err
        assert "Traceback" not in err

    assert all(reply["hits"] for reply in replies)
    wait_for(lambda: crowd.missing() == 0, "all is embedded")
    for number, one in enumerate(lines, 10):
        assert by_meaning(found_by(one, number, "how is bread baked"))
    assert crowd.with_model() == [crowd.daemon(lines)]
    check_quiet(crowd)


def test_when_the_daemon_goes_another_server_answers_soon(crowd: Crowd) -> None:
    with crowd.command("index") as running:
        running.communicate(timeout=5 * PATIENCE_S)
    lines = crowd.begin(3)
    for number, one in enumerate(lines, 10):
        found_by(one, number, "how is bread baked")

    for turn, number in enumerate((signal.SIGKILL, signal.SIGSTOP)):
        daemon = crowd.daemon(lines)
        lines.remove(daemon)
        daemon.started.send_signal(number)
        began = time.monotonic()
        successor = crowd.daemon(lines)
        took = time.monotonic() - began
        reply = found_by(lines[0], 50 + turn, "how is bread baked")

        assert took < TAKEN_OVER_S
        assert by_meaning(reply)
        assert successor in crowd.with_model()
    check_quiet(crowd)


def test_servers_that_watch_an_edited_vault_end_with_the_index_of_a_new_one(
    tmp_path: Path,
) -> None:
    harness = Harness(tmp_path)
    make_vault(harness.vault, 120, 31)
    env = harness.env | {"GLASSMIND_VAULT_PATH": str(harness.vault)}
    lines = [Line(env, "--structured") for _ in range(4)]
    try:
        for line in lines:
            line.greet()
        for turn in range(6):
            edit(harness.vault, random.Random(turn), steps=10)
            for at, one in enumerate(lines):
                found_by(one, 10 + turn * 10 + at, "oolong harbour")
            if turn == 3:
                lines.pop(0).close()
    finally:
        for line in lines:
            said = line.told()
            line.close()
            assert "Traceback" not in said
            assert "locked" not in said
    harness.check_converges()
