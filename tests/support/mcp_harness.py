"""Clients of the protocol: a real one over any way to a server, and a bare line."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters
from vault_harness import VaultHarness

from glassmind.model.access import EVERY_AGENT
from glassmind.serve.mcp.server import make_server

LIMIT_S = 60.0
"""How long anything may take before a test gives up; the machine may be busy."""

KEPT = ("PATH", "LANG", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "SYSTEMROOT", "TMPDIR")
"""Variables that a server may see of ours."""

ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
"""What each way of saying hello agrees on."""

Result = TypeVar("Result")
Body = Callable[[Client], Awaitable[Result]]


def visit(
    target: Any, body: Body[Result], *, mode: str = "auto", name: str = ""
) -> Result:
    """Return what a client does at a server: one in this process, or one to start.

    `name` is what it says that it is called; without one, what its package is.
    """
    who = types.Implementation(name=name, version="1") if name else None

    async def run() -> Result:
        with anyio.fail_after(LIMIT_S):
            async with Client(target, mode=mode, client_info=who) as client:
                return await body(client)

    return anyio.run(run)


class Way(NamedTuple):
    """A way to a server of a vault: `reach` gives what a client can be made of."""

    name: str
    mode: str
    reach: Callable[[VaultHarness], Any]

    def visit(self, harness: VaultHarness, body: Body[Result]) -> Result:
        """Return what a client does that comes this way."""
        return visit(self.reach(harness), body, mode=self.mode)


def structured_server(engine: Any, **options: Any) -> Any:
    """Return a server whose answers carry structured content."""
    return make_server(engine, structured=True, **options)


def in_one(harness: VaultHarness) -> Any:
    """Return a server in this process, as an agent sees it."""
    return structured_server(harness.engine.seen_by(EVERY_AGENT))


def by_stdio(harness: VaultHarness) -> StdioServerParameters:
    """Return how the real program is started."""
    env = environment(harness)
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "glassmind", "mcp", "--structured"],
        env=env,
        cwd=harness.root,
    )


WAYS = [
    Way(f"{name}, {mode}", mode, reach)
    for name, reach in (("in one", in_one), ("stdio", by_stdio))
    for mode in ERAS
]
"""Every way there is; one body of a test goes over all of them."""


def environment(harness: VaultHarness) -> dict[str, str]:
    """Return variables that let the program serve a vault, in a home of its own."""
    env = {name: os.environ[name] for name in KEPT if name in os.environ}
    home = harness.root.parent / "home"
    home.mkdir(exist_ok=True)
    return env | {
        "HOME": str(home),
        "GLASSMIND_VAULT_PATH": str(harness.root),
        "GLASSMIND_INDEX_LOCATION": str(harness.place),
        "GLASSMIND_EMBEDDINGS_BACKEND": "none",
    }


def call(server: Any, tool: str, /, **arguments: Any) -> types.CallToolResult:
    """Return what a tool of a server in this process answers."""

    async def body(client: Client) -> types.CallToolResult:
        return await client.call_tool(tool, arguments)

    return visit(server, body)


def text_of(answer: types.CallToolResult) -> str:
    """Return the text that a model reads of an answer."""
    first = answer.content[0]
    assert isinstance(first, types.TextContent)
    return first.text


class Line:
    """The real program on bare pipes, for what a well-behaved client does not do."""

    def __init__(
        self,
        env: Mapping[str, str],
        *options: str,
        command: tuple[str, ...] = (sys.executable, "-m", "glassmind", "mcp"),
        close_fds: bool = True,
    ) -> None:
        self.errors = Path(env["HOME"]) / f"stderr-{time.monotonic_ns()}"
        with self.errors.open("wb") as errors:
            self.started = subprocess.Popen(
                [*command, *options],
                env=dict(env),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                close_fds=close_fds,
            )
        assert self.started.stdin is not None
        assert self.started.stdout is not None
        self.stdin, self.stdout = self.started.stdin, self.started.stdout
        self.said: queue.Queue[bytes] = queue.Queue()
        self.seen: list[bytes] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self.stdout:
            self.seen.append(line)
            self.said.put(line)

    def write(self, raw: bytes) -> None:
        """Send bytes as they are."""
        self.stdin.write(raw)
        self.stdin.flush()

    def send(self, method: str, number: int | None = None, **params: Any) -> None:
        """Send a request, or without a number a notification."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if number is not None:
            message["id"] = number
        self.write(json.dumps(message).encode() + b"\n")

    def answer(self, number: int) -> dict[str, Any]:
        """Return the message that answers a request."""
        deadline = time.monotonic() + LIMIT_S
        while True:
            left = deadline - time.monotonic()
            assert left > 0, f"no answer to {number}; stderr: {self.told()}"
            try:
                found = json.loads(self.said.get(timeout=min(left, 1.0)))
            except queue.Empty:
                assert self.started.poll() is None, f"it ended; stderr: {self.told()}"
                continue
            if found.get("id") == number:
                return dict(found)

    def greet(self) -> dict[str, Any]:
        """Say hello in the older way, and return the reply."""
        self.send(
            "initialize",
            0,
            protocolVersion=ERAS["legacy"],
            capabilities={},
            clientInfo={"name": "line", "version": "1"},
        )
        reply = self.answer(0)
        self.send("notifications/initialized")
        return reply

    def ask(self, number: int, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return the result, or the error, of the reply."""
        self.send("tools/call", number, name=tool, arguments=arguments)
        reply = self.answer(number)
        return dict(reply.get("result") or reply["error"])

    def told(self) -> str:
        """Return what it wrote to stderr."""
        return self.errors.read_text("utf-8", "replace")

    def ended(self, within_s: float = LIMIT_S) -> int:
        """Return the exit code, once it has ended."""
        return self.started.wait(timeout=within_s)

    def close(self) -> None:
        """End it, however it fares."""
        if self.started.poll() is None:
            self.started.send_signal(signal.SIGKILL)
        self.started.wait(timeout=LIMIT_S)
        for pipe in (self.stdin, self.stdout):
            try:
                pipe.close()
            except OSError:
                continue


@contextmanager
def line(env: Mapping[str, str], *options: str, **wanted: Any) -> Iterator[Line]:
    """Start the program, and end it with the test."""
    started = Line(env, *options, **wanted)
    try:
        yield started
    finally:
        started.close()
