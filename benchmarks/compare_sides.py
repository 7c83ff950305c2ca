"""Install two commits side by side and drive each through its public programs.

A `Side` is one commit with one copy of a vault: a `glassmind mcp` process, a
`glassmind serve` process and single `glassmind` commands. Nothing here imports
Glassmind, so the code inside may move between the two commits.
"""

import http.client
import importlib.metadata
import io
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import time
import tomllib
import venv
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from packaging.requirements import Requirement

REPOSITORY = Path(__file__).resolve().parents[1]
TOKEN = "compare-token-0123456789-0123456789"  # noqa: S105 - used on loopback only
TIMEOUT_S = 120.0
"""A call that takes longer counts as failed."""

REFERENCE = re.compile(r"⟦([^:⟧]+):(.*?)(\d+)⟧")
"""In a request: the kind of a value, what narrows it, and 0 for the latest one."""

SAME = {"receipt:", "check:"}
"""Kinds of values that are equal on both sides."""

Request = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """One call: the surface, the operation's name on it, and what to send."""

    surface: str
    operation: str
    request: Request


@dataclass(frozen=True, kw_only=True)
class Renamed:
    """How the later commit names an operation and its arguments.

    The entry is for calls whose arguments include those of `when`, which are left out
    of the later call, and one that is called `having`. An argument that is now called
    "" is left out too. `ranges` are options of the command line whose value was a range
    (`--line=3-5`), and those that take its end now.
    """

    surface: str
    operation: str
    now: str = ""
    when: dict[str, Any] = field(default_factory=dict)
    having: str = ""
    arguments: dict[str, str] = field(default_factory=dict)
    ranges: dict[str, str] = field(default_factory=dict)

    def fits(self, call: Call) -> bool:
        """Return whether a call has to be changed by this entry."""
        if (self.surface, self.operation) != (call.surface, call.operation):
            return False
        if call.surface == "cli":
            return True
        given = arguments_of(call)
        return (not self.having or self.having in given) and all(
            given.get(name) == value for name, value in self.when.items()
        )

    def apply(self, call: Call) -> Call:
        """Return the call with the later names."""
        if call.surface == "cli":
            argv = call.request["argv"]
            words = len(self.operation.split())
            split = self._without_ranges(argv[words:])
            renamed = [self.arguments.get(word, word) for word in split]
            return replace(
                call,
                request={"argv": [*(self.now or self.operation).split(), *renamed]},
            )
        given = {
            self.arguments.get(name, name): value
            for name, value in arguments_of(call).items()
            if name not in self.when and self.arguments.get(name) != ""
        }
        if call.surface == "mcp":
            params = call.request["params"]
            params = params | {"name": self.now or self.operation, "arguments": given}
            return replace(call, request=call.request | {"params": params})
        place = "body" if "body" in call.request else "query"
        return replace(call, request=call.request | {place: given})

    def _without_ranges(self, argv: Sequence[str]) -> Iterator[str]:
        for word in argv:
            option, _, value = word.partition("=")
            first, _, last = value.partition("-")
            if option in self.ranges and last:
                yield from (f"{option}={first}", f"{self.ranges[option]}={last}")
            else:
                yield word


def arguments_of(call: Call) -> dict[str, Any]:
    """Return the arguments of a call over MCP or HTTP."""
    request = call.request
    if call.surface == "mcp":
        arguments: dict[str, Any] = request.get("params", {}).get("arguments") or {}
        return arguments
    found: dict[str, Any] = request.get("body") or request.get("query") or {}
    return found


@dataclass(frozen=True)
class Reply:
    """The answer to a call; `json` is None where the answer is not JSON."""

    status: int | str
    json: Any
    text: str = ""
    seconds: float = 0.0
    failed: bool = False
    """True if there was no answer."""


@dataclass(frozen=True)
class Program:
    """An installed commit: the command line prefix that starts it."""

    command: tuple[str, ...]

    def run(
        self, arguments: Sequence[str], env: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Run one command to its end, without input."""
        return subprocess.run(
            [*self.command, *arguments],
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=TIMEOUT_S,
            check=False,
        )


def install(revision: str | None, folder: Path) -> Program:
    """Install a commit, or the working tree for None, into an empty folder.

    The environment is an overlay on the current one: only dependencies that the
    current one lacks are installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if revision is None:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / "src", folder / "src", ignore=ignored)
        shutil.copy(REPOSITORY / "pyproject.toml", folder)
    else:
        command = ["git", "archive", revision, "src", "pyproject.toml"]
        archive = subprocess.check_output(command, cwd=REPOSITORY)
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
    venv.create(folder / "env", with_pip=False, symlinks=True)
    python = folder / "env" / "bin" / "python"
    packages = next((folder / "env").rglob("site-packages"))
    shared = [p for p in sys.path if Path(p).name in {"site-packages", "dist-packages"}]
    paths = [str(folder / "src"), *shared]
    (packages / "overlay.pth").write_text("\n".join(paths) + "\n", "utf-8")
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    missing = [text for text in project["dependencies"] if not is_installed(text)]
    if missing:
        print(f"installing {', '.join(missing)}", flush=True)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target"]
        subprocess.run([*pip, str(packages), *missing], check=True)
    compile_all = [str(python), "-m", "compileall", "-q", str(folder / "src")]
    subprocess.run(compile_all, check=True)
    return Program((str(python), "-m", "glassmind"))


def is_installed(requirement: str) -> bool:
    """Return True if the current environment meets a requirement."""
    wanted = Requirement(requirement)
    if wanted.marker is not None and not wanted.marker.evaluate():
        return True
    try:
        version = importlib.metadata.version(wanted.name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return wanted.specifier.contains(version, prereleases=True)


class McpServer:
    """A `glassmind mcp` process, spoken to in JSON-RPC lines."""

    def __init__(
        self, program: Program, env: dict[str, str], options: Sequence[str] = ()
    ) -> None:
        self._process = subprocess.Popen(
            [*program.command, "mcp", "--no-watch", *options],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self._last_id = 0
        client = {"name": "compare", "version": "1"}
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
        self.send("initialize", hello | {"clientInfo": client})
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def send(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return the whole reply message.

        Raises:
            OSError: the process ended, or did not reply in time.
        """
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method}
        self._write(message | {"params": params})
        while True:
            try:
                line = self._lines.get(timeout=TIMEOUT_S)
            except queue.Empty:
                raise TimeoutError(f"no reply to {method}") from None
            if not line:
                raise ConnectionError("the MCP server ended")
            reply: dict[str, Any] = json.loads(line)
            if reply.get("id") == self._last_id:
                return reply

    def call(self, method: str, params: dict[str, Any]) -> Reply:
        """Send a request and return its result, or its error code."""
        reply = self.send(method, params)
        if "error" in reply:
            error = reply["error"]
            return Reply(f"error {error['code']}", error.get("data"), error["message"])
        result = reply["result"]
        if method != "tools/call":
            return Reply("ok", result)
        text = "\n".join(part.get("text", "") for part in result.get("content", ()))
        value = result.get("structuredContent", parsed(text))
        return Reply("error" if result.get("isError") else "ok", value, text)

    def close(self) -> None:
        """End the process by closing its input."""
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        try:
            self._process.stdin.close()
            self._process.wait(TIMEOUT_S)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()


class HttpServer:
    """A `glassmind serve` process on a free loopback port, with a token."""

    def __init__(
        self, program: Program, env: dict[str, str], options: Sequence[str] = ()
    ) -> None:
        self._process = subprocess.Popen(
            [*program.command, "serve", "--port", "0", "--no-watch", *options],
            env=env | {"GLASSMIND_SERVER_TOKEN": TOKEN},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        line = self._process.stdout.readline()
        found = re.search(r"http://[^:/\s]+:(\d+)", line)
        if found is None:
            raise SystemExit(f"glassmind serve did not start: {line!r}")
        self.port = int(found[1])

    def call(self, request: Request) -> Reply:
        """Send a request with the token and read the whole reply."""
        path: str = request["path"]
        for name, value in request.get("path_values", {}).items():
            path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
        if request.get("query"):
            path += "?" + urlencode(request["query"], doseq=True)
        headers = {"Authorization": f"Bearer {TOKEN}"}
        body = None
        if "body" in request:
            body = json.dumps(request["body"]).encode()
            headers["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=TIMEOUT_S
        )
        with closing(connection):
            connection.request(request["method"].upper(), path, body, headers)
            response = connection.getresponse()
            text = response.read().decode("utf-8", "replace")
        if request["path"] == "/metrics":  # the values are counts and times
            text = "\n".join(line.partition(" ")[0] for line in text.splitlines())
        value = parsed(text)
        return Reply(response.status, value, text if value is None else "")

    def close(self) -> None:
        """End the process."""
        self._process.terminate()
        try:
            self._process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()


def parsed(text: str) -> Any:
    """Return the JSON value of a text; None where it is not JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return None


@dataclass
class Side:
    """One commit at work on its own copy of a vault.

    `home` holds all that this side writes: the copy, the index and a home folder.
    """

    name: str
    program: Program
    home: Path
    vault: Path
    settings: dict[str, str]
    renamed: Sequence[Renamed] = ()
    _values: dict[str, list[str]] = field(default_factory=dict)
    mcp: McpServer | None = None
    http: HttpServer | None = None

    @property
    def env(self) -> dict[str, str]:
        """Return the environment: this vault and index, nothing of the user's."""
        return {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(self.home / "home"),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "PYTHONHASHSEED": "0",
            "PYTHONUTF8": "1",
            "GLASSMIND_VAULT_PATH": str(self.vault),
            "GLASSMIND_INDEX_LOCATION": str(self.home / "index"),
        } | self.settings

    def start(self, toolsets: str) -> None:
        """Index the vault and start both servers."""
        (self.home / "home").mkdir(parents=True, exist_ok=True)
        done = self.program.run(["index", "--json"], self.env)
        if done.returncode:
            raise SystemExit(f"{self.name}: glassmind index failed: {done.stderr}")
        options = ["--tools", toolsets]
        if "--structured" in self.program.run(["mcp", "--help"], self.env).stdout:
            self.mcp = McpServer(self.program, self.env, [*options, "--structured"])
        else:  # commits before --structured always send values
            self.mcp = McpServer(self.program, self.env, options)
        self.http = HttpServer(self.program, self.env, ["--tools", toolsets])

    def stop(self) -> None:
        """End both servers."""
        for server in (self.mcp, self.http):
            if server is not None:
                server.close()
        self.mcp = self.http = None

    def run(self, call: Call) -> Reply:
        """Run a call, with references replaced by values of this side's replies."""
        call = next((e.apply(call) for e in self.renamed if e.fits(call)), call)
        request = self._resolved(call.request)
        began = time.perf_counter()
        try:
            reply = self._sent(call.surface, request)
        except (OSError, http.client.HTTPException, subprocess.TimeoutExpired) as error:
            reply = Reply(type(error).__name__, None, str(error), failed=True)
        return replace(reply, seconds=time.perf_counter() - began)

    def remember(self, kind: str, text: str) -> None:
        """Keep a value of a reply, for later calls that refer to its kind."""
        values = self._values.setdefault(kind, [])
        if text in values:  # the latest comes last
            values.remove(text)
        values.append(text)

    def _sent(self, surface: str, request: Request) -> Reply:
        if surface == "mcp":
            assert self.mcp is not None  # noqa: S101 - start() was called
            return self.mcp.call(request["method"], request["params"])
        if surface == "rest":
            assert self.http is not None  # noqa: S101 - start() was called
            return self.http.call(request)
        done = self.program.run(request["argv"], self.env)
        value = parsed(done.stdout)
        shown = done.stdout if value is None else ""
        return Reply(done.returncode, value, f"{shown}{done.stderr}")

    def _resolved(self, value: Any) -> Any:
        if isinstance(value, str):
            return REFERENCE.sub(self._referenced, value)
        if isinstance(value, list):
            return [self._resolved(item) for item in value]
        if isinstance(value, dict):
            return {key: self._resolved(item) for key, item in value.items()}
        return value

    def _referenced(self, match: re.Match[str]) -> str:
        kind, scope, number = match.groups()
        values = self._values.get(f"{kind}:{scope}")
        if not values:
            return "0" * 16 if kind == "digest" else "none-yet"
        return values[-1 - int(number) % len(values)]


def remember_values(sides: tuple[Side, Side], replies: tuple[Reply, Reply]) -> None:
    """Keep the values that both replies have, so that later calls mean the same.

    Receipts and names of checks hold no id, so those that differ are of other items.
    """
    old, new = (dict(harvested(reply.json)) for reply in replies)
    for where, text in old.items():
        if where in new and (where[1] not in SAME or text == new[where]):
            sides[0].remember(where[1], text)
            sides[1].remember(where[1], new[where])


def harvested(value: Any, path: str = "") -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the values of a reply that later calls can refer to: place, kind and text.

    A kind may be narrowed: changesets by their state, digests by the note's path.
    """
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from harvested(item, f"{path}[{number}]")
    if not isinstance(value, dict):
        return
    state = value.get("state", value.get("status"))
    kinds = {name: f"{name}:" for name in ("receipt", "previewId", "job", "label")}
    kinds |= dict.fromkeys(("cursor", "next_cursor", "nextCursor"), "cursor:")
    kinds |= {
        "changeset": f"changeset:{state}|",
        "digest": f"digest:{value.get('path')}|",
        "key": "suggestion:" if "->" in str(value.get("key")) else "finding:",
    }
    if "state" in value:
        kinds["id"] = kinds["changeset"]
    if "severity" in value:
        kinds["name"] = "check:"
    for key, item in value.items():
        if key in kinds and isinstance(item, str) and item:
            yield (f"{path}.{key}", kinds[key]), item
        yield from harvested(item, f"{path}.{key}")
