"""How soon a server over stdin and stdout answers, against importing the SDK alone.

    python benchmarks/serving.py [--rounds N]

Both are whole processes and take turns, so that a busy machine is busy for both. The
bar: the first reply within 1.5 times the import.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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


def handshake(rounds: int = ROUNDS) -> tuple[float, float]:
    """Return the median times in seconds of a first reply and of the bare import."""
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
    replies, imports = zip(*times, strict=True)
    return statistics.median(replies), statistics.median(imports)


def main() -> int:
    """Print both and their ratio; the exit code says whether the bar is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    reply, bare = handshake(parser.parse_args().rounds)
    print(f"first reply of glassmind mcp  {reply * 1000:6.0f} ms")
    print(f"bare import of mcp.server     {bare * 1000:6.0f} ms")
    print(f"ratio                         {reply / bare:6.2f} (at most {MOST})")
    return 0 if reply <= MOST * bare else 1


if __name__ == "__main__":
    sys.exit(main())
