"""Runs the table of calls (`calls.txt`) over copies of the sample vault.

A blank line of the table starts a new sequence, which gets a fresh vault. Its lines:

    $ ARGUMENTS                 the CLI; ` <<< TEXT` pipes text in
    > TOOL {JSON}               an MCP tool of the toolset that has it
    > METHOD {JSON}             an MCP method, such as resources/read
    GET /PATH [HEADER: VALUE]   HTTP, with any number of headers
    POST /PATH {JSON}           HTTP with a body
    env NAME=VALUE              a variable of the calls that follow; empty: unset
    file PATH <<< TEXT          write a file, relative to the folder of the vault

`%id%` and the like are replaced by the last value of that kind in earlier output of the
sequence; see `REFERENCES`.
"""

import asyncio
import difflib
import io
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, redirect_stderr
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

import mcp_types
import time_machine
from mcp import Client
from mcp.shared.exceptions import MCPError
from snapshots import read_shapes
from snapshots.masks import Mask, shape_of
from starlette.testclient import TestClient

CALLS = Path(__file__).with_name("calls.txt")
SAMPLE = Path(__file__).parents[2] / "sample-vault"

NOW = datetime(2026, 3, 20, 9, tzinfo=ZoneInfo("UTC"))
"""When a sequence starts: two days after the last note of the sample vault.

`time_machine` makes the zone that of the process."""

BETWEEN_CALLS = timedelta(minutes=1)
"""Time between two calls; it stands still during a call."""

NOTE_AGE = timedelta(days=2)
"""How much older each file of the vault is than the one before it, by path."""

REFERENCES = {
    "id": r"\b20\d{6}-[a-z0-9]{5}\b",
    "receipt": r"[^\s\"\[\]`]+@[0-9a-f]{8,64}\b",
    "digest": r"\b[0-9a-f]{64}\b",
    "cursor": r'"next_cursor": ?"([^"]+)"',
    "token": r"\bgm_[\w-]{20,}",
    "preview": r'"previewId": ?"([^"]+)"',
    "job": r'"job": ?"([^"]+)"',
    "key": r"\b\w+:\S+\.md\b",
}

PIPE = " <<< "
HEADER = re.compile(r" \[([\w-]+): ([^\]]*)\]")

Result = TypeVar("Result")


class Step(NamedTuple):
    """A line of the table: how the call ended, its JSON and its text."""

    line: str
    outcome: str
    reply: Any
    text: str


@dataclass
class Played:
    """A sequence that ran: its steps, and what it changed in the vault."""

    steps: list[Step] = field(default_factory=list)
    changes: str = ""


def read_table() -> dict[str, list[list[str]]]:
    """Return the sequences of every group of the table."""
    groups: dict[str, list[list[str]]] = {}
    sequences: list[list[str]] = []
    for line in CALLS.read_text("utf-8").splitlines():
        if line.startswith("== "):
            sequences = groups.setdefault(line.strip("= "), [[]])
        elif not line.strip():
            sequences.append([])
        elif not line.startswith("#"):
            sequences[-1].append(line)
    return {
        name: [lines for lines in sequences if lines]
        for name, sequences in groups.items()
    }


class Stage:
    """A folder with the sample vault and its index, restored for every sequence."""

    def __init__(self, root: Path) -> None:
        root = root.resolve()
        self._kept, self.root = root / "kept", root / "run"
        self.home, self.vault = self.root / "home", self.root / "Notes"
        self.env = {
            "HOME": str(self.home),
            "PATH": os.defpath,
            "LANG": "C.UTF-8",
            "COLUMNS": "80",
            "TZ": "UTC",
            "GLASSMIND_EMBEDDINGS_BACKEND": "none",
            "GLASSMIND_VAULT_PATH": str(self.vault),
        }
        python = Path(sys.executable)
        self.mask = Mask({
            str(self.vault): "<vault>",
            str(self.home): "<home>",
            str(self.root): "<folder>",
            str(python): "<python>",
            str(python.parent): "<bin>",
            str(SAMPLE.parent): "<source>",
        })  # fmt: skip
        self._build()

    def _build(self) -> None:
        self.home.mkdir(parents=True)
        shutil.copytree(SAMPLE, self.vault)
        files = (path for path in self.vault.rglob("*") if path.is_file())
        for at, path in enumerate(sorted(files)):
            stamp = (NOW - at * NOTE_AGE).timestamp()
            os.utime(path, (stamp, stamp))
        with time_machine.travel(NOW, tick=False):
            done = read_shapes.run_cli(["index"], env=self.env, folder=self.home)
        assert done.code == 0, done.stderr
        shutil.copytree(self.root, self._kept)
        self._stamps = _stamps(self._kept / "Notes")

    def reset(self) -> None:
        """Restore every file that a sequence added, changed or removed.

        The home folder, which has the index, is always new: SQLite must not take the
        database for one that is still open in this process.
        """
        read_shapes.forget_clients()
        shutil.rmtree(self.home)
        shutil.copytree(self._kept / "home", self.home)
        found, kept = _stamps(self.vault), self._stamps
        for path in sorted(found.keys() - kept.keys(), reverse=True):
            place = self.vault / path
            if found[path] is None:
                place.rmdir()
            else:
                place.unlink()
        for path in sorted(path for path in kept if kept[path] != found.get(path, ())):
            if kept[path] is None:
                (self.vault / path).mkdir()
            else:
                shutil.copy2(self._kept / "Notes" / path, self.vault / path)

    def changes(self) -> str:
        """Return the differences between the vault and the sample vault."""
        found, kept = _stamps(self.vault), self._stamps
        parts: list[str] = []
        for path in sorted(found.keys() | kept.keys()):
            stamps = found.get(path, "none"), kept.get(path, "none")
            if stamps[0] == stamps[1] or None in stamps:
                continue
            after, before = (
                _lines(self.vault / path),
                _lines(self._kept / "Notes" / path),
            )
            parts += difflib.unified_diff(
                before,
                after,
                f"before/{path}" if before else "none",
                f"after/{path}" if after else "none",
                n=1,
            )
        return self.mask("".join(parts))


def _stamps(root: Path) -> dict[str, tuple[int, int] | None]:
    """Return size and time of every file below a folder; None for a folder."""
    stamps: dict[str, tuple[int, int] | None] = {}
    below = len(str(root)) + 1
    for folder, folders, files in os.walk(root):
        stamps |= {f"{folder}/{name}"[below:]: None for name in folders}
        for name in files:
            facts = os.lstat(f"{folder}/{name}")
            stamps[f"{folder}/{name}"[below:]] = facts.st_size, facts.st_mtime_ns
    return stamps


def _lines(file: Path) -> list[str]:
    """Return the lines of a file, with carriage returns and a missing end visible."""
    if not file.is_file():
        return []
    text = file.read_bytes().decode("utf-8", "backslashreplace").replace("\r", "\\r")
    *lines, last = text.split("\n")
    ends = [f"{last}\n", "\\ no newline at the end\n"] if last else []
    return [*(f"{line}\n" for line in lines), *ends]


class Player:
    """Runs sequences on a stage."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._toolset = read_shapes.toolset_of()

    def play(self, lines: list[str]) -> list[Played]:
        """Run a sequence on a fresh vault, twice where the CLI is called.

        The second run has `--json`.
        """
        runs = [self._play(lines, as_json=False)]
        if any(line.startswith("$ ") for line in lines):
            runs.append(self._play(lines, as_json=True))
        return runs

    def _play(self, lines: list[str], *, as_json: bool) -> Played:
        self._stage.reset()
        log = redirect_stderr(io.StringIO())
        steps = []
        with time_machine.travel(NOW, tick=False) as clock, log, ExitStack() as stack:
            run = _Run(self._stage, self._toolset, stack, as_json=as_json)
            for line in lines:
                clock.shift(BETWEEN_CALLS)
                steps.append(run.call(line))
        return Played(steps, self._stage.changes())


class _Run:
    """One run of one sequence."""

    def __init__(
        self,
        stage: Stage,
        toolset: Mapping[str, str],
        stack: ExitStack,
        *,
        as_json: bool,
    ) -> None:
        self._stage, self._toolset = stage, toolset
        self._stack, self._as_json = stack, as_json
        self._env = dict(stage.env)
        self._output = ""
        self._servers: dict[str, Any] = {}
        self._web: TestClient | None = None

    def call(self, line: str) -> Step:
        """Run a line; the outcome is empty where it calls nothing."""
        said, kind = self._resolved(line), line.split(" ", 1)[0]
        if kind == "env":
            name, _, value = said.removeprefix("env ").partition("=")
            self._env[name] = value
            if not value:
                del self._env[name]
            return Step(line, "", None, "")
        if kind == "file":
            path, _, text = said.removeprefix("file ").partition(PIPE)
            (self._stage.vault / path).write_text(_unescaped(text), "utf-8")
            return Step(line, "", None, "")
        calls = {"$": self._cli, ">": self._mcp, "GET": self._http, "POST": self._http}
        step = calls[kind](said)
        return step._replace(line=line, text=self._stage.mask(step.text))

    def _resolved(self, line: str) -> str:
        def found(match: re.Match[str]) -> str:
            values = re.findall(REFERENCES[match[1]], self._output)
            assert values, f"no {match[0]} in earlier output of: {line}"
            return str(values[-1])

        named = "|".join(REFERENCES)
        return re.sub(f"%({named})%", found, line)

    def _cli(self, said: str) -> Step:
        words, _, piped = said.removeprefix("$ ").partition(PIPE)
        argv = shlex.split(words.replace("VAULT", str(self._stage.vault)))
        done = read_shapes.run_cli(
            [*(["--json"] if self._as_json else []), *argv],
            env=self._env,
            folder=self._stage.home,
            stdin=_unescaped(piped),
        )
        self._output += done.stdout
        reply = _json_of(done.stdout) if self._as_json else None
        error = reply.get("error") if isinstance(reply, dict) else None
        kind = f" {error['kind']}" if isinstance(error, dict) else ""
        stderr = f"--- stderr\n{done.stderr}" if done.stderr else ""
        text = f"exit {done.code}\n{done.stdout}{stderr}"
        return Step("", f"exit {done.code}{kind}", reply, text)

    def _mcp(self, said: str) -> Step:
        name, _, given = said.removeprefix("> ").partition(" ")
        toolset = self._toolset.get(name, "core")
        if toolset not in self._servers:
            opened = self._open("mcp")
            self._servers[toolset] = read_shapes.mcp_server(opened, toolset)
        result = ask(self._servers[toolset], name, json.loads(given or "{}"))
        if isinstance(result, MCPError):
            text, outcome = result.error.message, f"error {result.error.code}"
            return Step("", outcome, None, text)
        reply, text = _reply_of(result)
        self._output += json.dumps(reply) + text
        error = reply.get("error") if isinstance(reply, dict) else None
        failed = bool(getattr(result, "is_error", False))
        kind = f" {error['kind']}" if failed and isinstance(error, dict) else ""
        outcome = f"error{kind}" if failed else "ok"
        return Step("", outcome, reply, text)

    def _http(self, said: str) -> Step:
        headers = {"Authorization": f"Bearer {read_shapes.TOKEN}"}
        headers |= dict(HEADER.findall(said))
        method, path, *body = HEADER.sub("", said).split(" ", 2)
        if self._web is None:
            app = read_shapes.http_app(self._open("http"))
            web = TestClient(app, f"http://{read_shapes.HOST}")
            self._web = self._stack.enter_context(web)
        if body:
            headers.setdefault("Content-Type", "application/json")
        sent = body[0].encode() if body else None
        got = self._web.request(method, path, content=sent, headers=headers)
        media = got.headers.get("content-type", "").partition(";")[0]
        reply = got.json() if media == "application/json" else None
        if path.startswith("/openapi.json") and got.is_success:
            return Step("", f"{got.status_code} {media}", None, "")
        self._output += got.text
        error = reply.get("error") if isinstance(reply, dict) else None
        failed = got.status_code >= 400
        code = f" {error['code']}" if failed and isinstance(error, dict) else ""
        text = got.text if reply is None else ""
        if failed and reply is not None:
            text = json.dumps(error, indent=1, ensure_ascii=False)
        outcome = f"{got.status_code}{code} {media}"
        return Step("", outcome, reply, text)

    def _open(self, client: str) -> Any:
        return self._stack.enter_context(
            read_shapes.engine_of(self._stage.vault, self._env, client)
        )


def _unescaped(text: str) -> str:
    return text.replace("\\n", "\n")


def _json_of(text: str) -> Any:
    """Return the JSON of a text; a list where it has one value a line."""
    try:
        return json.loads(text)
    except ValueError:
        lines = [line for line in text.splitlines() if line.startswith("{")]
        return [json.loads(line) for line in lines] or None


def _reply_of(result: Any) -> tuple[Any, str]:
    """Return the values and the text of an MCP result."""
    if isinstance(result, mcp_types.CallToolResult):
        texts = [part.text for part in result.content if hasattr(part, "text")]
        links = [
            f"[{part.type}]" for part in result.content if not hasattr(part, "text")
        ]
        text = "\n".join([*(_indented(text) for text in texts), *links])
        return result.structured_content, text
    values = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    return values, json.dumps(values, indent=1, ensure_ascii=False, sort_keys=True)


def _indented(text: str) -> str:
    """Return JSON over several lines, and any other text as it is."""
    try:
        return json.dumps(json.loads(text), indent=1, ensure_ascii=False)
    except ValueError:
        return text


def visit(
    server: Any, body: Callable[[Client], Awaitable[Result]]
) -> Result | MCPError:
    """Return what a client gets from a server in this process: a result or an error."""

    async def run() -> Result | MCPError:
        async with Client(server, mode="auto") as client:
            try:
                return await body(client)
            except MCPError as error:
                return error

    return asyncio.run(run())


def ask(server: Any, name: str, given: dict[str, Any]) -> Any:
    """Return the result of a tool, or of one of the other methods of the protocol."""
    bodies: dict[str, Callable[[Client], Awaitable[Any]]] = {
        "tools/list": lambda client: client.list_tools(),
        "resources/list": lambda client: client.list_resources(**given),
        "resources/templates/list": lambda client: client.list_resource_templates(),
        "resources/read": lambda client: client.read_resource(given["uri"]),
        "prompts/list": lambda client: client.list_prompts(),
        "prompts/get": lambda client: client.get_prompt(**given),
        "completion/complete": lambda client: client.complete(
            _reference(given), given["argument"]
        ),
    }

    def call_tool(client: Client) -> Awaitable[Any]:
        return client.call_tool(name, given)

    return visit(server, bodies.get(name, call_tool))


def _reference(
    given: dict[str, Any],
) -> mcp_types.PromptReference | mcp_types.ResourceTemplateReference:
    if "prompt" in given:
        return mcp_types.PromptReference(name=given["prompt"])
    return mcp_types.ResourceTemplateReference(uri=given["template"])


def instructions(server: Any) -> str:
    """Return what the server tells a model about itself."""

    async def body(client: Client) -> str:
        return client.instructions or ""

    return str(visit(server, body))


def openapi(stage: Stage) -> dict[str, Any]:
    """Return the OpenAPI document that the server returns."""
    known = {"Authorization": f"Bearer {read_shapes.TOKEN}"}
    with read_shapes.engine_of(stage.vault, stage.env, "http") as engine:
        app = read_shapes.http_app(engine)
        with TestClient(app, f"http://{read_shapes.HOST}") as web:
            return dict(web.get("/openapi.json", headers=known).json())


def is_good(outcome: str) -> bool:
    """Return whether a call succeeded; exit code 1 means that nothing was found."""
    kind, _, rest = outcome.partition(" ")
    if kind == "exit":
        return rest.split(" ")[0] in ("0", "1")
    return kind == "ok" or kind.startswith("2")


def target_of(line: str, routes: Sequence[str]) -> str:
    """Return what a line calls: `$ COMMAND`, `> TOOL` or the route with its method."""
    words = HEADER.sub("", line).split(" ")
    if words[0] == ">":
        return " ".join(words[:2])
    if words[0] == "$":
        plain = " ".join(word for word in words[1:] if not word.startswith("-")) + " "
        commands = sorted(_commands(), key=len, reverse=True)
        named = (name for name in commands if plain.startswith(f"{name} "))
        return f"$ {next(named, 'glassmind')}"
    target = f"{words[0]} {words[1].partition('?')[0]}"
    for route in sorted(routes, key=lambda route: route.count("{")):
        if re.fullmatch(re.sub(r"\\{\w+\\}", ".+", re.escape(route)), target):
            return route
    return target


@cache
def _commands() -> tuple[str, ...]:
    return tuple(read_shapes.cli_commands())


def result_shapes(played: Iterable[Played], routes: Sequence[str]) -> dict[str, Any]:
    """Return keys and types of the JSON replies, by what was called."""
    replies: dict[str, list[Any]] = {}
    for step in (step for run in played for step in run.steps):
        if step.reply is not None:
            target = target_of(step.line, routes)
            surface = {"$": "$", ">": ">"}.get(target[0], "HTTP")
            kind = target if is_good(step.outcome) else f"{surface} error"
            replies.setdefault(kind, []).append(step.reply)
    return {target: shape_of(values) for target, values in sorted(replies.items())}
