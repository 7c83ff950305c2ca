"""The bars of serving, each a ratio against a baseline of the same run.

    python benchmarks/serving.py [--only handshake|http|calls] [--quick] [--before REV]

`handshake` is the CPU time of a server over stdin and stdout that answers `initialize`
and `tools/list`, against importing the SDK's low-level server: whole processes both.
`http` (in `serving_http.py`) is how many searches eight clients get, against the bare
framework that returns the same bytes. `calls` (in `calls.py`) is what a call over MCP
costs above the engine's work, beside the SDK's floor, without a bar. `--before` also
measures the servers of an earlier commit and prints the ratios. Ours and the baseline
take turns, so that a busy machine is busy for both.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import calls
import serving_http
import vaults
from bare_server import TOOL
from compare_sides import Side, install
from embedding import Ratio
from processes import PROGRAM, SAMPLE, environment

from glassmind import open_vault

MOST = 1.25
ROUNDS = 9
BARE = [sys.executable, "-c", "import mcp.server.lowlevel"]
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
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


def tools_cpu_s(env: dict[str, str], command: Sequence[str] = (PROGRAM,)) -> float:
    """Return the CPU seconds of a server that is asked for its tools and then ends."""
    with subprocess.Popen(
        [*command, "mcp"],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        assert server.stdin is not None  # noqa: S101 - for the checker
        assert server.stdout is not None  # noqa: S101
        for message in (HELLO, INITIALIZED, LIST_TOOLS):
            server.stdin.write(json.dumps(message).encode() + b"\n")
        server.stdin.flush()
        replies = [server.stdout.readline() for _ in range(2)]
        server.stdin.close()
        return finished_cpu_s(server, succeeded=b'"inputSchema"' in replies[1])


def import_cpu_s(env: dict[str, str]) -> float:
    """Return the CPU seconds of a process that imports the SDK and ends."""
    with subprocess.Popen(BARE, env=env) as process:
        return finished_cpu_s(process, succeeded=True)


def finished_cpu_s(process: subprocess.Popen[bytes], *, succeeded: bool) -> float:
    """Wait for a process to end and return its CPU seconds."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or not succeeded:
        raise SystemExit(f"{process.args!r} failed with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def handshake(rounds: int = ROUNDS) -> Iterator[Ratio]:
    """Yield the CPU of initialize and tools/list, against the bare import; medians."""
    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder) / "index")
        settings = {"index.location": place, "embeddings.backend": "none"}
        with open_vault(SAMPLE, settings=settings, env={}) as engine:
            engine.index()
            env = environment(engine.config)
        env["GLASSMIND_EMBEDDINGS_BACKEND"] = "none"
        tools_cpu_s(env)
        import_cpu_s(env)  # what is compiled is compiled now
        times = [(tools_cpu_s(env), import_cpu_s(env)) for _ in range(rounds)]
    replies, imports = (
        statistics.median(part) * 1_000 for part in zip(*times, strict=True)
    )
    name = "CPU of tools/list / import of the SDK"
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


def side_tools_cpu(side: Side) -> float:
    """Return the CPU milliseconds of a side's MCP server that lists its tools."""
    return tools_cpu_s(side.env, side.program.command) * 1_000


def side_http(mode: str, side: Side) -> float:
    """Return how many milliseconds a search takes when eight clients ask at once."""
    assert side.http is not None  # noqa: S101 - it was started
    asked = serving_http.asked_at_once(
        side.http.port, vaults.queries(50), mode, serving_http.SECONDS
    )
    return asyncio.run(asked) * 1_000


def side_call(side: Side) -> float:
    """Return how many milliseconds a search over MCP takes."""
    assert side.mcp is not None  # noqa: S101 - it was started
    began = time.perf_counter()
    for query in calls.ASKED:
        arguments = {"name": TOOL, "arguments": {"query": query}}
        if side.mcp.call("tools/call", arguments).status != "ok":
            raise SystemExit(f"{side.name}: {TOOL} failed")
    return (time.perf_counter() - began) * 1_000 / len(calls.ASKED)


def against_before(revision: str, sections: Sequence[str], *, quick: bool) -> None:
    """Print how long this tree takes, as a ratio to an earlier commit.

    Both sides index the vault themselves and take turns; the ratio is the median of
    those of the turns.
    """
    generated = serving_http.generated_vault(serving_http.NOTES)
    rows: dict[str, list[tuple[str, Path, Callable[[Side], float]]]] = {
        "handshake": [("CPU of tools/list over MCP", SAMPLE, side_tools_cpu)],
        "http": [
            (f"HTTP {mode}, 8 clients", generated, partial(side_http, mode))
            for mode in ("fulltext", "hybrid")
        ],
        "calls": [("search over MCP", SAMPLE, side_call)],
    }
    print(f"{'ms':<34}{'now':>9}{'before':>9}")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        programs = {
            "old": install(revision, Path(folder, "old")),
            "new": install(None, Path(folder, "new")),
        }
        started: dict[Path, list[Side]] = {}
        for section in sections:
            for name, vault, measure in rows[section]:
                if vault not in started:
                    started[vault] = [
                        Side(side, program, Path(folder, side, vault.name), vault,
                             {"GLASSMIND_EMBEDDINGS_BACKEND": "none"})
                        for side, program in programs.items()
                    ]  # fmt: skip
                    for side in started[vault]:
                        side.start("core")
                        stack.callback(side.stop)
                turns = SECTIONS[section][1] // (3 if quick else 1)
                print_ratio(name, started[vault], measure, turns)


def print_ratio(
    name: str, sides: Sequence[Side], measure: Callable[[Side], float], turns: int
) -> None:
    """Print the medians of the old and the new side, and the ratio."""
    for side in sides:
        measure(side)  # warms up
    times = [[measure(side) for side in sides] for _ in range(turns)]
    old, new = (statistics.median(part) for part in zip(*times, strict=True))
    ratio = statistics.median(now / before for before, now in times)
    print(f"{name:<34}{new:>9.2f}{old:>9.2f} {ratio:>6.2f}x before", flush=True)


def main() -> int:
    """Print every row; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=[*SECTIONS], action="append")
    parser.add_argument("--quick", action="store_true", help="a third of the turns")
    parser.add_argument("--before", metavar="REV", help="compare with this commit too")
    given = parser.parse_args()
    missed = False
    for name in given.only or SECTIONS:
        measure, turns = SECTIONS[name]
        for row in measure(turns // 3 if given.quick else turns):
            print(row.row(), flush=True)
            missed |= not row.met
    if given.before:
        sections = given.only or [*SECTIONS]
        against_before(given.before, sections, quick=given.quick)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
