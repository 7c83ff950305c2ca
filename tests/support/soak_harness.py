"""Clients that ask real servers again and again, and count what went wrong."""

import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from fault_tools.harness import Harness
from fault_tools.vaults import WORDS
from http_harness import Web

PROGRAM = [sys.executable, "-m", "glassmind"]
TOKEN = "a" * 64
START_S = 120
"""How long a server may take until it answers, on a machine with other work."""


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Stdio:
    """One MCP server over pipes, asked line by line."""

    def __init__(self, harness: Harness, log: Path, *options: str) -> None:
        self._log = log.open("wb")
        self.running = subprocess.Popen(
            [*PROGRAM, "mcp", "--vault", str(harness.vault), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env=harness.env,
        )
        self._id = 0
        self._call(
            "initialize",
            {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "soak", "version": "1"},
            },
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self.running.stdin is not None
        self.running.stdin.write(json.dumps(message) + "\n")
        self.running.stdin.flush()

    def _call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._id += 1
        self._send(
            {"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}
        )
        assert self.running.stdout is not None
        while True:
            line = self.running.stdout.readline()
            assert line, "the server is gone"
            reply: dict[str, Any] = json.loads(line)
            if reply.get("id") == self._id:
                return reply

    def ask(self, query: str, mode: str) -> None:
        """Search; whatever is no answer is a failure."""
        wanted = {"query": query, "mode": mode}
        reply = self._call(
            "tools/call", {"name": "glassmind_search", "arguments": wanted}
        )
        assert "result" in reply, reply
        assert not reply["result"].get("isError"), reply

    def close(self) -> None:
        """End the server as a client does: close its input."""
        assert self.running.stdin is not None
        self.running.stdin.close()
        try:
            self.running.wait(20)
        finally:
            self.running.kill()
            self.running.wait(20)
            assert self.running.stdout is not None
            self.running.stdout.close()
            self._log.close()


class Http:
    """One connection after another to a server over HTTP."""

    def __init__(self, port: int) -> None:
        self.web = Web(port, TOKEN)

    def is_up(self) -> bool:
        """Whether the server answers."""
        with suppress(OSError):
            return self.web.get("/health").status == 200
        return False

    def ask(self, query: str, mode: str) -> None:
        """Search; whatever is no answer is a failure."""
        got = self.web.post("/search", {"query": query, "mode": mode})
        assert got.status == 200, (got.status, got.body[:300])
        assert "hits" in got.json

    def close(self) -> None:
        """There is nothing to let go of."""


@contextmanager
def http_server(harness: Harness, log: Path) -> Iterator[tuple[Http, int]]:
    """Run `glassmind serve`; yields a client and the server's number."""
    port = free_port()
    with log.open("wb") as said:
        running = subprocess.Popen(
            [*PROGRAM, "serve", "--vault", str(harness.vault), "--port", str(port)],
            stdout=said,
            stderr=said,
            env={**harness.env, "GLASSMIND_SERVER_TOKEN": TOKEN},
        )
        try:
            client = Http(port)
            wait_until(lambda: client.is_up() or running.poll() is not None, START_S)
            assert running.poll() is None, log.read_text("utf-8")
            yield client, running.pid
        finally:
            running.terminate()
            try:
                running.wait(20)
            finally:
                running.kill()
                running.wait(20)


def wait_until(happened: Callable[[], bool], timeout_s: float) -> None:
    """Look again and again until it happened; too late is a failure."""
    deadline = time.monotonic() + timeout_s
    while not happened():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def resident_bytes(pid: int) -> int:
    """Return how much memory a program holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


class Asking(threading.Thread):
    """Asks one client until it is told to stop, and keeps what went wrong."""

    def __init__(self, client: Stdio | Http, seed: int, mode: str) -> None:
        super().__init__(daemon=True)
        self.client, self.answered = client, 0
        self.failed: list[str] = []
        self._rng, self._mode, self._ended = (
            random.Random(seed),
            mode,
            threading.Event(),
        )

    def run(self) -> None:
        while not self._ended.is_set():
            query = " ".join(self._rng.sample(WORDS, self._rng.randrange(1, 4)))
            try:
                self.client.ask(query, self._mode)
                self.answered += 1
            except Exception as error:  # noqa: BLE001 - told when the clients are counted
                self.failed.append(f"{type(error).__name__}: {error}")
                return

    def end(self) -> None:
        """Stop asking; the question under way is answered first."""
        self._ended.set()
        self.join(60)
        assert not self.is_alive(), "a question was never answered"
