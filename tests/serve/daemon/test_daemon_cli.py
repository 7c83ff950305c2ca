"""The commands of a user whose vault has a daemon."""

import json
import signal
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

import pytest
from daemon_harness import (
    PATIENCE_S,
    DaemonHarness,
    harness_in,
    kept_variables,
    wait_for,
)
from model_harness import FOLDER_VARIABLE, real_models
from semantic_harness import LONG

from glassmind.models.cards import MINILM
from glassmind.serve.cli import start
from glassmind.serve.cli.output import Output
from glassmind.serve.daemon.host import VaultHost

NOTES = {f"{word}.md": LONG.format(word) for word in ("oolong", "lantern", "harbour")}
HEAVY = ("numpy", "onnxruntime", "tokenizers", "numkong")


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[DaemonHarness]:
    yield from harness_in(tmp_path)


class Commands:
    """Runs `glassmind` for the vault of a harness."""

    def __init__(self, harness: DaemonHarness) -> None:
        self._vault = str(harness.root)
        self.env = {
            **kept_variables(),
            "HOME": str(harness.root.parent),
            "GLASSMIND_INDEX_LOCATION": str(harness.place),
            "GLASSMIND_EMBEDDINGS_BACKEND": "onnx",
        }

    def start(self, *words: str, tell_imports: bool = False) -> "subprocess.Popen[str]":
        options = ["-X", "importtime"] if tell_imports else []
        return subprocess.Popen(
            [
                sys.executable,
                *options,
                "-m",
                "glassmind",
                "--vault",
                self._vault,
                *words,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.env,
        )

    def run(self, *words: str) -> tuple[int, str, str]:
        """Return the exit code and what was printed."""
        with self.start(*words) as running:
            out, err = running.communicate(timeout=PATIENCE_S)
        return running.returncode, out, err

    def imports(self, *words: str) -> set[str]:
        """Return the modules that a command imports; it must end well."""
        with self.start(*words, tell_imports=True) as running:
            _, err = running.communicate(timeout=PATIENCE_S)
        assert running.returncode == 0, err
        return {line.rpartition("|")[2].strip() for line in err.splitlines()}


@pytest.fixture
def glassmind(harness: DaemonHarness) -> Commands:
    return Commands(harness)


@pytest.mark.slow
def test_a_search_by_meaning_loads_no_model_where_there_is_a_daemon(
    harness: DaemonHarness, glassmind: Commands
) -> None:
    harness.write(NOTES)
    harness.daemon().ask("index")

    found = glassmind.imports("search", "oolong")

    assert "glassmind.serve.daemon.protocol" in found
    assert not {name.partition(".")[0] for name in found} & set(HEAVY)


@pytest.mark.slow
def test_a_keyword_search_loads_no_heavy_library(
    harness: DaemonHarness, glassmind: Commands
) -> None:
    harness.write(NOTES)
    process = harness.daemon()
    process.ask("index")
    process.leave()

    found = glassmind.imports("search", "--mode", "fulltext", "oolong")

    heavy = {*HEAVY, "mcp", "starlette", "numpy", "onnxruntime"}
    assert not {name.partition(".")[0] for name in found} & heavy


@pytest.mark.slow
def test_what_a_search_prints_is_the_same_with_a_daemon(
    harness: DaemonHarness, glassmind: Commands
) -> None:
    harness.write(NOTES)
    process = harness.daemon()
    process.ask("index")

    code, out, err = glassmind.run("search", "--json", "oolong")

    reply = json.loads(out)
    assert code == 0, err
    assert reply["hits"][0]["path"] == "oolong.md"
    assert "semantic" in reply["channels"]
    assert reply.get("degraded", []) == []


@pytest.mark.slow
def test_a_card_of_a_daemon_that_was_killed_leads_nobody_astray(
    harness: DaemonHarness, glassmind: Commands
) -> None:
    harness.write(NOTES)
    process = harness.daemon()
    process.ask("index")
    process.kill()
    harness.write({"Later.md": LONG.format("later")})

    indexed = glassmind.run("index", "--json")
    found = glassmind.run("search", "--paths", "later")

    assert harness.socket.exists()
    assert json.loads(indexed[1])["added"] == 1
    assert found[:2] == (0, "Later.md\n")


def test_the_daemon_indexes_for_the_command(
    harness: DaemonHarness, glassmind: Commands
) -> None:
    harness.write(NOTES)
    process = harness.daemon()

    code, out, err = glassmind.run("index", "--json")

    report = json.loads(out)
    assert code == 0, err
    assert (report["added"], report["embedded"], report["left"]) == (3, 3, 0)
    assert process.ask("asked") >= 3


def test_an_error_of_the_daemon_is_told_by_the_command(
    harness: DaemonHarness, glassmind: Commands
) -> None:
    harness.write({**NOTES, **{f"more {n}.md": "some more" for n in range(30)}})
    harness.daemon().ask("index")
    for file in harness.root.glob("*.md"):
        file.unlink()

    code, _, err = glassmind.run("index")

    assert code == 3
    assert "nothing was removed from the index" in err


@pytest.mark.slow
def test_ctrl_c_ends_the_work_of_the_daemon_and_what_was_done_is_kept(
    harness: DaemonHarness, glassmind: Commands
) -> None:
    harness.write({f"{n}.md": LONG.format(f"number{n}") for n in range(200)})
    process = harness.daemon()
    process.ask("slow", embed_s=0.05)

    with glassmind.start("index") as running:
        wait_for(lambda: process.ask("asked") > 40, "embedding has begun")
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=PATIENCE_S)

    assert running.returncode == 130, err
    assert "what was indexed is kept" in err
    wait_for(lambda: "process" not in process_status(glassmind), "the run has ended")
    done = process.ask("asked")
    assert done < 200
    process.ask("slow", embed_s=0.0)
    report = json.loads(glassmind.run("index", "--json")[1])
    assert (report["unchanged"], report["left"]) == (200, 0)
    assert report["embedded"] < 200


def process_status(glassmind: Commands) -> str:
    """Return who writes or embeds now."""
    found = json.loads(glassmind.run("status", "--json")[1])
    return f"{found['writing']} {found['embedding']}"


@pytest.mark.slow
def test_who_asks_for_the_status_loads_no_model(
    harness: DaemonHarness, glassmind: Commands
) -> None:
    harness.write(NOTES)
    harness.daemon().ask("index")
    glassmind.env[FOLDER_VARIABLE] = str(real_models(MINILM))

    found = glassmind.imports("status")

    assert "glassmind.models.onnx" in found
    assert not {name.partition(".")[0] for name in found} & {
        "onnxruntime",
        "tokenizers",
    }


def test_status_names_the_daemon(harness: DaemonHarness, glassmind: Commands) -> None:
    harness.write(NOTES)
    process = harness.daemon()
    process.ask("index")

    found = json.loads(glassmind.run("status", "--json")[1])
    text = glassmind.run("status")[1]
    process.leave()
    after = json.loads(glassmind.run("status", "--json")[1])

    assert found["daemon"] == f"process {process.pid}"
    assert f"Daemon: process {process.pid}\n" in text
    assert after["daemon"] == ""


@pytest.mark.slow
def test_a_watch_whose_notices_nobody_reads_goes_on(
    harness: DaemonHarness, glassmind: Commands
) -> None:
    glassmind.env["GLASSMIND_EMBEDDINGS_BACKEND"] = "none"
    harness.settings["embeddings.backend"] = "none"
    harness.indexed(NOTES)
    with glassmind.start("watch") as running:
        assert running.stderr is not None
        running.stderr.close()
        wait_for(harness.socket.exists, "it is the daemon")
        harness.write({"new.md": LONG.format("zanzibar")})

        wait_for(lambda: harness.found("zanzibar"), "the new note is taken in")
        running.send_signal(signal.SIGTERM)
        assert running.wait(PATIENCE_S) == 0


def test_a_watch_that_cannot_go_on_ends_with_a_code(
    harness: DaemonHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.indexed({})
    monkeypatch.setattr(VaultHost, "_run", lambda _: None)  # its thread ends at once
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(start, "config_of", lambda *_, **__: harness.engine.config)

    assert start.watch(Namespace(), Output()) == 70
