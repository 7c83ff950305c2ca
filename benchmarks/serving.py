"""The bars of serving, each a ratio against a baseline of the same run.

    python benchmarks/serving.py [--only handshake|http|calls] [--quick]

`handshake` is how soon a server over stdin and stdout answers, against importing the
SDK alone: whole processes both. `http` (in `serving_http.py`) is how many searches
eight clients get, against the bare framework that returns the same bytes. `calls` (in
`calls.py`) tells what a call over MCP costs above the engine's work, beside the SDK's
floor, without a bar. Ours and the baseline take turns, so that a busy machine is busy
for both.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import calls
import serving_http
from embedding import Ratio
from processes import PROGRAM, SAMPLE, environment

from glassmind import open_vault

MOST = 1.5
ROUNDS = 9
BARE = [sys.executable, "-c", "import mcp.server"]
HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "benchmark", "version": "1"},
    },
}


def first_reply_s(env: dict[str, str]) -> float:
    """Return how long a server takes from its start to its first reply."""
    began = time.perf_counter()
    with subprocess.Popen(
        [PROGRAM, "mcp"],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        assert server.stdin is not None  # noqa: S101 - for the checker
        assert server.stdout is not None  # noqa: S101
        server.stdin.write(json.dumps(HELLO).encode() + b"\n")
        server.stdin.flush()
        reply = server.stdout.readline()
        took = time.perf_counter() - began
        server.stdin.close()
    if b'"serverInfo"' not in reply:
        raise SystemExit(f"no reply but {reply[:200]!r}")
    return took


def bare_import_s(env: dict[str, str]) -> float:
    """Return how long a process takes that imports the SDK and ends."""
    began = time.perf_counter()
    subprocess.run(BARE, env=env, check=True)
    return time.perf_counter() - began


def handshake(rounds: int = ROUNDS) -> Iterator[Ratio]:
    """Yield how long a first reply takes, against the bare import; medians."""
    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder) / "index")
        settings = {"index.location": place, "embeddings.backend": "none"}
        with open_vault(SAMPLE, settings=settings, env={}) as engine:
            engine.index()
            env = environment(engine.config)
        env["GLASSMIND_EMBEDDINGS_BACKEND"] = "none"
        first_reply_s(env)
        bare_import_s(env)  # what is compiled is compiled now
        times = [(first_reply_s(env), bare_import_s(env)) for _ in range(rounds)]
    replies, imports = (
        statistics.median(part) * 1_000 for part in zip(*times, strict=True)
    )
    name = "first reply / import mcp.server"
    yield Ratio(name, replies, imports, MOST, "ms")


def http(turns: int) -> Iterator[Ratio]:
    """Yield searches over HTTP."""
    yield from serving_http.rows(turns=turns)


def overhead(rounds: int) -> Iterator[Ratio]:
    """Print what calls cost beside the SDK's floor; there is no bar to it."""
    calls.report(calls.measured(rounds))
    yield from ()


SECTIONS: dict[str, tuple[Callable[[int], Iterator[Ratio]], int]] = {
    "handshake": (handshake, ROUNDS),
    "http": (http, serving_http.TURNS),
    "calls": (overhead, calls.ROUNDS),
}
"""What is measured, and how many turns it takes."""


def main() -> int:
    """Print every row; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=[*SECTIONS], action="append")
    parser.add_argument("--quick", action="store_true", help="a third of the turns")
    given = parser.parse_args()
    missed = False
    for name in given.only or SECTIONS:
        measure, turns = SECTIONS[name]
        for row in measure(turns // 3 if given.quick else turns):
            print(row.row(), flush=True)
            missed |= not row.met
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
