"""A server of a vault in a thread of its own, and clients from polite to rude."""

import asyncio
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self
from unittest import mock
from urllib.parse import quote, urlencode

import uvicorn.server
from cli_harness import Inside, Program
from route_table import Route

from glassmind.engine import Engine
from glassmind.serve.http.app import make_app
from glassmind.serve.http.guard import AccessRules, TokenThrottle, host_names
from glassmind.serve.http.run import listening_socket, make_server

TOKEN = "a-token-that-lives-as-long-as-a-test"  # noqa: S105 - of the test alone
LIMIT_S = 60.0
"""How long anything may take before a test gives up; the machine may be busy."""

JSON = {"Content-Type": "application/json"}

SPEAKS = {"Accept": "application/json, text/event-stream"}
"""What a client of the protocol takes for an answer."""

LABELS = ("untrusted", "hidden_text")


class Answer(NamedTuple):
    """What a client was told."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """What it says, without the label that answers with text of notes have."""
        said = json.loads(self.body)
        if isinstance(said, dict) and "openapi" not in said:
            return {name: one for name, one in said.items() if name not in LABELS}
        return said

    @property
    def code(self) -> str:
        """The code of an error."""
        return str(self.json["error"]["code"])


class Web:
    """A server that listens, and those who ask it."""

    def __init__(self, port: int, token: str = TOKEN) -> None:
        self.port, self.token = port, token

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def known(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Ask with these headers and no others."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)
        try:
            client.request(method, path, body, dict(headers or {}))
            got = client.getresponse()
            found = {name.lower(): value for name, value in got.getheaders()}
            return Answer(got.status, found, got.read())
        finally:
            client.close()

    def get(self, path: str, **headers: str) -> Answer:
        """Ask as somebody who knows the token."""
        return self.ask("GET", path, headers={**self.known, **headers})

    def post(self, path: str, body: object, **headers: str) -> Answer:
        """Ask with a JSON body as somebody who knows the token."""
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.ask("POST", path, sent, {**self.known, **JSON, **headers})

    def message(self, method: str, params: object, **headers: str) -> Answer:
        """Ask over the protocol as somebody who knows the token."""
        sent = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self.post("/mcp", sent, **SPEAKS, **headers)

    def raw(self) -> "Wire":
        """Return a bare connection."""
        return Wire(self.port)


def answer_of(web: Web, route: Route, given: Mapping[str, Any], **head: str) -> Answer:
    """Return what a route answers."""
    path, rest = route.path, dict(given)
    for name in list(rest):
        if f"{{{name}}}" in path:
            path = path.replace(f"{{{name}}}", quote(str(rest.pop(name))))
    if route.method == "POST":
        return web.post(path, rest, **head)
    said = {
        name: json.dumps(value) if isinstance(value, bool) else value
        for name, value in rest.items()
    }
    query = urlencode(said, doseq=True)
    return web.get(f"{path}?{query}" if query else path, **head)


class Wire:
    """A bare connection, for what a well-behaved client does not do."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S)

    def send(self, *lines: str) -> None:
        """Send lines as they are, each with its end."""
        self.socket.sendall("".join(f"{line}\r\n" for line in lines).encode("latin-1"))

    def everything(self) -> bytes:
        """Return all that comes until the server closes."""
        got = bytearray()
        try:
            while part := self.socket.recv(65_536):
                got += part
        except ConnectionResetError:
            pass
        return bytes(got)

    def status(self) -> int:
        """Return the status of an answer; 0 if the server closes without one."""
        try:
            first = self.socket.recv(65_536).partition(b"\r\n")[0].split()
        except ConnectionResetError:
            return 0
        return int(first[1]) if len(first) > 1 else 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()


class Brisk:
    """Stands for `asyncio` in uvicorn, which looks ten times a second who wants it.

    To end a server takes it two such looks; here they are 50 times as frequent.
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, delay: float) -> None:
        """Wait for a fiftieth of the time."""
        await asyncio.sleep(delay / 50)


class Unthrottled(TokenThrottle):
    """Slows nobody: tests of other things send many wrong tokens."""

    def check(self, *, guessed: bool) -> None:
        pass


@contextmanager
def serving(engine: Engine, **settings: Any) -> Iterator[Web]:
    """Serve an engine on a free port for as long as this is open."""
    listening = listening_socket("127.0.0.1", 0)
    port = listening.getsockname()[1]
    rules = AccessRules(
        host_names("127.0.0.1", port, settings.pop("more", ())),
        settings.pop("token", TOKEN),
        frozenset(settings.pop("origins", ())),
        settings.pop("clients", None),
    )
    most = settings.pop("most", 128)
    settings.setdefault("throttle", Unthrottled())
    app = make_app(engine, rules, **settings)
    server = make_server(app, most)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    with mock.patch.object(uvicorn.server, "asyncio", Brisk()):
        thread.start()
        try:
            until(lambda: server.started)
            yield Web(port)
        finally:
            server.should_exit = True
            thread.join(LIMIT_S)
            assert not thread.is_alive()


def until(true: Callable[[], object], limit_s: float = LIMIT_S) -> None:
    """Wait until something is true, and fail when that takes too long."""
    deadline = time.monotonic() + limit_s
    while not true():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.002)


@contextmanager
def started(program: Program, *args: str, **variables: str) -> Iterator["Started"]:
    """Run `glassmind serve` on a free port, as a user does."""
    told = program.home / f"stderr-{time.monotonic_ns()}"
    with told.open("wb") as errors:
        command = program._command(
            "--vault", program.vault, "serve", "--port", "0", *args
        )
        running = subprocess.Popen(
            command,
            cwd=program.home,
            env={**program.env, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            encoding="utf-8",
        )
        try:
            assert running.stdout is not None
            first = running.stdout.readline()
            assert first, told.read_text("utf-8")
            yield Started(program, running, first, told)
        finally:
            running.kill()
            running.communicate(timeout=LIMIT_S)


class Started:
    """`glassmind serve`, listening."""

    def __init__(
        self,
        program: Program,
        running: "subprocess.Popen[str]",
        first: str,
        told: Path = Path(os.devnull),
    ) -> None:
        self.program, self.running = program, running
        self.first, self.told = first, told
        found = re.search(r"http://(\S+):(\d+)", first)
        assert found, first
        self.port = int(found[2])

    def web(self, token: str = "") -> Web:
        """Return a client with the given token, or with the vault's own."""
        if not token:
            token = Inside(self.program).run("serve", "--show-token").stdout.strip()
        return Web(self.port, token)

    def line(self) -> str:
        """Return what it said next."""
        assert self.running.stdout is not None
        return self.running.stdout.readline()

    def lines(self) -> list[dict[str, Any]]:
        """Return what it has told on stderr so far."""
        text = self.told.read_text("utf-8")
        whole = text.rpartition("\n")[0].splitlines()
        return [json.loads(line) for line in whole if line.startswith("{")]

    def end(self, number: signal.Signals) -> tuple[int, float]:
        """Send a signal; return the exit code and how many seconds that took."""
        begun = time.monotonic()
        self.running.send_signal(number)
        return self.running.wait(LIMIT_S), time.monotonic() - begun
