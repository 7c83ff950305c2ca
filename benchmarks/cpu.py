"""CPU time of everyday calls, all threads together.

    python benchmarks/cpu.py [--rounds N]

CPU time depends less on what else the machine does than time on the clock. Each figure
is a median, beside its bar in milliseconds and the time that a bare Python takes to
start, as a measure of the machine.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import hybrid
import vaults
from processes import PROGRAM, environment
from serving import HELLO, INITIALIZED, finished_cpu_s

from glassmind import Engine, open_vault
from glassmind.edit.vault import EditRequest
from glassmind.model.edits import Append

ROUNDS = 40
TICKS = os.sysconf("SC_CLK_TCK")
NO_MODEL = {"GLASSMIND_EMBEDDINGS_BACKEND": "none"}
BUNDLE_TOKENS = 6_000


def main() -> int:
    """Print every figure; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args().rounds
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"{'python -c pass':44}{command_ms([sys.executable, '-c', 'pass']):8.1f} ms")
    rows = [*small_vault(rounds), *large_vault(rounds)]
    for name, spent, bar, unit in rows:
        verdict = "ok" if spent <= bar else "MISSED"
        print(f"{name:44}{spent:8.1f} {unit:2} <= {bar:g}  {verdict}")
    return int(any(spent > bar for _, spent, bar, _ in rows))


Row = tuple[str, float, float, str]


def small_vault(rounds: int) -> list[Row]:
    """Measure keyword search, an edit and a run of nothing on 2,000 notes."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "Notes"
        vaults.write_vault(root, 2_000)
        settings = {
            "index.location": str(Path(place) / "index"),
            "embeddings.backend": "none",
            "writes.mode": "allow",
        }
        with open_vault(root, settings=settings, env={}) as engine:
            engine.index()
            env = environment(engine.config) | NO_MODEL
            direct = median_ms(
                lambda text: engine.search(text, mode="fulltext"), rounds
            )
        searched = over_mcp_ms(env, vaults.queries(rounds))
        nothing = [command_ms([PROGRAM, "index"], env) for _ in range(7)]
        with open_vault(root, settings=settings, env={}) as engine:
            edited = edit_ms(engine, root, rounds)
    return [
        ("keyword search, engine, 2,000 notes", direct, 6.0, "ms"),
        ("keyword search over MCP, 2,000 notes", searched, 6.0, "ms"),
        ("index command, nothing to do, 2,000 notes", min(nothing), 200.0, "ms"),
        ("an edit, 2,000 notes", edited, 4.0, "ms"),
    ]


def large_vault(rounds: int) -> list[Row]:
    """Measure hybrid search and a bundle on 10,000 notes with generated vectors."""
    root, place = hybrid.vault_of(10_000)
    questions = vaults.queries(rounds)
    model = hybrid.Generated(hybrid.real_model(), questions)
    with Engine(hybrid.StandIn(model, root, place)) as engine:
        searched = median_ms(engine.search, rounds)
        packed = median_ms(
            lambda text: engine.bundles.pack(text, budget_tokens=BUNDLE_TOKENS), rounds
        )
    ratio = packed / searched
    return [
        ("hybrid search, 10,000 notes", searched, 20.0, "ms"),
        ("a bundle of 6,000 tokens / its search", ratio, 1.5, "x"),
    ]


def median_ms(ask: Callable[[str], object], rounds: int) -> float:
    """Return the median CPU milliseconds of a call, all threads together."""
    times = []
    for text in vaults.queries(rounds):
        began = time.process_time()
        ask(text)
        times.append((time.process_time() - began) * 1_000)
    return statistics.median(times)


def edit_ms(engine: Engine, root: Path, rounds: int) -> float:
    """Return the median CPU milliseconds of an append with its update of the index."""
    (root / "Tea.md").write_text("# Tea\n\nOolong.\n", "utf-8")
    engine.index()
    request, times = EditRequest(client="bench"), []
    for number in range(rounds):
        began = time.process_time()
        engine.editing.edit("Tea.md", [Append(f"Line {number}.")], request)
        times.append((time.process_time() - began) * 1_000)
    return statistics.median(times)


def over_mcp_ms(env: dict[str, str], questions: Sequence[str]) -> float:
    """Return the CPU milliseconds of a server process for a keyword search."""
    with subprocess.Popen(
        [PROGRAM, "mcp", "--no-watch"],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        assert server.stdin is not None  # noqa: S101 - for the checker
        assert server.stdout is not None  # noqa: S101

        def send(*messages: dict[str, Any]) -> None:
            for message in messages:
                server.stdin.write(json.dumps(message).encode() + b"\n")  # type: ignore[union-attr]
            server.stdin.flush()  # type: ignore[union-attr]

        def ask(number: int, text: str) -> None:
            arguments = {"query": text, "limit": 5, "mode": "fulltext"}
            call = {"name": "glassmind_search", "arguments": arguments}
            send(
                {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}
            )
            if b'"isError":true' in server.stdout.readline():  # type: ignore[union-attr]
                raise SystemExit("the search failed")

        send(HELLO, INITIALIZED)
        server.stdout.readline()
        for number, text in enumerate(questions[:5], 1):
            ask(number, text)
        before = spent_s(server.pid)
        for number, text in enumerate(questions, 100):
            ask(number, text)
        spent = spent_s(server.pid) - before
        server.stdin.close()
        finished_cpu_s(server, succeeded=True)
    return spent * 1_000 / len(questions)


def spent_s(pid: int) -> float:
    """Return the CPU seconds that a process has taken so far."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def command_ms(command: Sequence[str], env: dict[str, str] | None = None) -> float:
    """Return the CPU milliseconds of a command."""
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL) as process:
        return finished_cpu_s(process, succeeded=True) * 1_000


if __name__ == "__main__":
    sys.exit(main())
