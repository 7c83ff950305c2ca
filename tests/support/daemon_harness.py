"""Several processes that stay with one vault, and what the tests ask of them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from vault_harness import VaultHarness

from glassmind.serve.daemon.protocol import socket_of

DRIVE = Path(__file__).with_name("daemon_program.py")

PATIENCE_S = 60.0
"""How long anything may take on a busy machine before it counts as hanging."""


def wait_for(is_so: Callable[[], object], what: str) -> None:
    """Wait until something is so; fail, saying what, where it does not become so."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        if time.monotonic() > deadline:
            pytest.fail(f"never happened: {what}")
        time.sleep(0.01)


def kept_variables() -> dict[str, str]:
    """Return what programs need of our environment: they meet where doors stand."""
    return {name: os.environ[name] for name in ("PATH", "TMPDIR")}


class VaultProcess:
    """One process that stays with the vault."""

    def __init__(self, running: "subprocess.Popen[str]", log: Path) -> None:
        self.running, self._log = running, log

    @property
    def pid(self) -> int:
        return self.running.pid

    def up(self) -> "VaultProcess":
        """Wait until it can be asked."""
        assert self._read() == "up"
        return self

    def say(self, verb: str, **wanted: Any) -> None:
        """Tell it to do something, without waiting for the answer."""
        assert self.running.stdin is not None
        self.running.stdin.write(json.dumps([verb, wanted]) + "\n")
        self.running.stdin.flush()

    def hear(self) -> Any:
        """Return its next answer, whole."""
        return self._read()

    def ask(self, verb: str, **wanted: Any) -> Any:
        """Return what it answers."""
        self.say(verb, **wanted)
        found = self.hear()
        assert "value" in found, found
        return found["value"]

    def _read(self) -> Any:
        assert self.running.stdout is not None
        line = self.running.stdout.readline()
        assert line, self.log
        return json.loads(line)

    def finds(self, text: str) -> bool:
        """Whether it finds anything by words now, be there an index or not."""
        self.say("search", text=text, mode="fulltext")
        return bool(self.hear().get("value", {}).get("paths"))

    @property
    def role(self) -> str:
        return str(self.ask("role"))

    @property
    def log(self) -> str:
        """What it has logged so far."""
        return self._log.read_text("utf-8")

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def leave(self) -> float:
        """Let it end, and return how long closing took."""
        assert self.running.stdin is not None
        self.running.stdin.close()
        took = float(self._read()["closed"])
        assert self.running.wait(PATIENCE_S) == 0, self.log
        return took

    def kill(self) -> None:
        """End it, whatever state it is in."""
        with suppress(ProcessLookupError):
            self.running.kill()
        for pipe in (self.running.stdin, self.running.stdout):
            with suppress(BrokenPipeError):
                assert pipe is not None
                pipe.close()
        self.running.wait(PATIENCE_S)


class DaemonHarness(VaultHarness):
    """A vault and the processes that stay with it; `fake` models embed by words."""

    def __init__(self, root: Path, *, fake: bool = True) -> None:
        super().__init__(root)
        self.fake = fake
        self.settings = {"embeddings.backend": "onnx"}
        self._processes: list[VaultProcess] = []
        self._logs = root

    def begin(self, *, watch: bool = False, **settings: object) -> VaultProcess:
        """Start a process, without waiting until it can be asked."""
        chosen = {"index.location": str(self.place), **self.settings}
        chosen |= {key.replace("__", "."): v for key, v in settings.items()}
        asked = {"vault": str(self.root), "settings": chosen, "fake": self.fake}
        log = self._logs / f"process-{len(self._processes)}.log"
        with log.open("w") as written:
            running = subprocess.Popen(
                [sys.executable, str(DRIVE), json.dumps({**asked, "watch": watch})],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=written,
                text=True,
                env={**kept_variables(), "HOME": str(self._logs)},
            )
        self._processes.append(VaultProcess(running, log))
        return self._processes[-1]

    def process(self, *, watch: bool = False, **settings: object) -> VaultProcess:
        """Start a process that stays, and wait until it can be asked."""
        return self.begin(watch=watch, **settings).up()

    def daemon(self, **settings: Any) -> VaultProcess:
        """Start a process that stays, and wait until it is the daemon."""
        process = self.process(**settings)
        wait_for(lambda: process.role == "daemon", "it is the daemon")
        wait_for(self.socket.exists, "it listens")
        return process

    @property
    def socket(self) -> Path:
        return socket_of(self.folder)

    def daemons(self, processes: Sequence[VaultProcess]) -> list[VaultProcess]:
        """Return those that are daemons, asking one after the other."""
        return [process for process in processes if process.role == "daemon"]

    def close(self) -> None:
        super().close()
        for process in self._processes:
            with suppress(ProcessLookupError):
                process.signal(signal.SIGCONT)
            process.kill()


def harness_in(root: Path, *, fake: bool = True) -> Iterator[DaemonHarness]:
    """Yield a harness, and end every process that was started from it."""
    harness = DaemonHarness(root, fake=fake)
    yield harness
    harness.close()
