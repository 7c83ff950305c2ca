"""Searches over HTTP against the bare framework that returns the same bytes.

    python benchmarks/serving_http.py [--notes N] [--seconds S]

Eight clients ask at once and go on asking. The baseline is the framework alone: it has
the engine find the same hits in the same name, by as many threads as ours, and returns
bodies that were written down. So both share the interpreter and the cores with the same
clients. What the parts take one by one is told beside it, and the ratio to their sum:
the framework that only returns bodies, and the engine asked in a row, by nobody else.
Ours and the baselines take turns, so that a busy machine is busy for all.
"""

import argparse
import asyncio
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import vaults
from compare_sides import TOKEN
from embedding import Ratio

from glassmind import Engine, open_vault
from glassmind.model.access import EVERY_AGENT
from glassmind.serve.http.server import THREADS

CLIENTS = 8
LEAST = 0.6
"""Of the baseline's throughput, how much ours has to reach."""

NOTES, TURNS, SECONDS = 2_000, 7, 2.0
HERE = Path(__file__).resolve()


def bare(file: str, *, asks: bool) -> None:
    """Serve bodies that were written down, with the framework alone; print the url.

    Where it `asks`, the engine finds what they are made of before each is returned.
    """
    import uvicorn  # noqa: PLC0415 - in a process of its own
    from starlette.applications import Starlette  # noqa: PLC0415
    from starlette.requests import Request  # noqa: PLC0415
    from starlette.responses import Response  # noqa: PLC0415
    from starlette.routing import Route  # noqa: PLC0415

    written = json.loads(Path(file).read_text("utf-8"))
    known = {query: body.encode() for query, body in written.items()}
    engine = open_vault(os.environ["GLASSMIND_VAULT_PATH"]).seen_by(EVERY_AGENT)
    threads = ThreadPoolExecutor(THREADS)

    async def search(request: Request) -> Response:
        asked = await request.json()
        if asks:
            work = partial(engine.search, asked["query"], mode=asked["mode"])
            await asyncio.get_running_loop().run_in_executor(threads, work)
        return Response(known[asked["query"]], media_type="application/json")

    app = Starlette(routes=[Route("/search", search, methods=["POST"])])
    # With no protocol named, asyncio would leave small packets to wait for each other.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen(128)
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    settings = uvicorn.Config(app, access_log=False, log_level="warning")
    uvicorn.Server(settings).run(sockets=[listening])


class Link:
    """One connection that asks, reads the answer, and asks again."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def open(self) -> None:
        """Connect."""
        self._in, self._out = await asyncio.open_connection("127.0.0.1", self._port)

    async def ask(self, query: str, mode: str) -> bytes:
        """Return the body of an answer."""
        body = json.dumps({"query": query, "mode": mode}).encode()
        head = (
            f"POST /search HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
            f"Authorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self._out.write(head.encode() + body)
        answer = await self._in.readuntil(b"\r\n\r\n")
        length = int(answer.lower().partition(b"content-length:")[2].split(b"\r")[0])
        found = await self._in.readexactly(length)
        if b" 200 " not in answer[:20]:
            raise RuntimeError(found[:300].decode())
        return found

    def close(self) -> None:
        """Hang up."""
        self._out.close()


async def asked_at_once(
    port: int, queries: Sequence[str], mode: str, s: float
) -> float:
    """Return how many seconds an answer takes when many ask at once."""
    links = [Link(port) for _ in range(CLIENTS)]
    for link in links:
        await link.open()
    count, begun = 0, time.perf_counter()

    async def go_on(link: Link, at: int) -> None:
        nonlocal count
        while time.perf_counter() - begun < s:
            await link.ask(queries[at % len(queries)], mode)
            at += 1
            count += 1

    await asyncio.gather(*(go_on(link, 7 * n) for n, link in enumerate(links)))
    took = time.perf_counter() - begun
    for link in links:
        link.close()
    return took / count


async def written_down(port: int, queries: Sequence[str], mode: str) -> dict[str, str]:
    """Return the body of every answer."""
    link = Link(port)
    await link.open()
    bodies = {query: (await link.ask(query, mode)).decode() for query in queries}
    link.close()
    return bodies


def engine_time(engine: Engine, queries: Sequence[str], mode: Any, s: float) -> float:
    """Return how many seconds the engine takes for a search, asked in a row."""
    count, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < s:
        engine.search(queries[count % len(queries)], mode=mode)
        count += 1
    return (time.perf_counter() - begun) / count


@contextmanager
def running(command: Sequence[str], env: dict[str, str]) -> Iterator[int]:
    """Run a server until it is no longer needed; give the port that it chose."""
    server = subprocess.Popen(
        command,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    )
    try:
        assert server.stdout is not None  # noqa: S101 - for the checker
        said = server.stdout.readline()  # when it listens, or has ended
        found = re.search(r":(\d+)", said)
        if found is None:
            raise SystemExit(f"no server but {said!r}")
        yield int(found[1])
    finally:
        server.terminate()
        server.communicate(timeout=30)


def measured(root: Path, place: Path, mode: str, turns: int, seconds: float) -> Ratio:
    """Return one bar, and print what it is made of."""
    queries = vaults.queries(50)
    settings = {"index.location": str(place), "embeddings.backend": "none"}
    engine = open_vault(root, settings=settings, env={})
    engine.index(embed=False)
    asked = engine.seen_by(EVERY_AGENT)  # as the server asks for whoever has its token
    env = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    env |= {
        "GLASSMIND_VAULT_PATH": str(root),
        "GLASSMIND_INDEX_LOCATION": str(place),
        "GLASSMIND_EMBEDDINGS_BACKEND": "none",
        "GLASSMIND_SERVER_TOKEN": TOKEN,
    }
    serve = [sys.executable, "-m", "glassmind", "serve", "--port", "0", "--no-watch"]
    with running(serve, env) as port:
        bodies = asyncio.run(written_down(port, queries, mode))
        file = place / "bodies.json"
        file.write_text(json.dumps(bodies), "utf-8")
        command = [sys.executable, str(HERE), "--bare", str(file)]
        with (
            running([*command, "--asks"], env) as asking_port,
            running(command, env) as bare_port,
        ):
            times = [
                (
                    *(
                        asyncio.run(asked_at_once(one, queries, mode, seconds))
                        for one in (port, asking_port, bare_port)
                    ),
                    engine_time(asked, queries, mode, seconds),
                )
                for _ in range(turns)
            ]
    engine.close()
    ours, both, least, own = (
        statistics.median(part) * 1_000 for part in zip(*times, strict=True)
    )
    ratio = statistics.median(both / mine for mine, both, _, _ in times)
    apart = statistics.median((bare + own) / mine for mine, _, bare, own in times)
    size = statistics.mean(len(body) for body in bodies.values()) / 1_024
    print(
        f"    {mode}: {ours:.2f} ms an answer of {size:.0f} KB; framework and engine "
        f"{both:.2f} ms, one by one {least:.2f} + {own:.2f} ({apart:.2f}x)"
    )
    rate = 1_000 / ours  # and the ratio is that of turns, not of medians
    name = f"HTTP {mode} / bare + engine, {CLIENTS} clients"
    return Ratio(name, rate, rate / ratio, LEAST, "a second", at_least=True)


def generated_vault(notes: int) -> Path:
    """Return a generated vault of so many notes, written on first use."""
    root = Path(tempfile.gettempdir()) / "glassmind-benchmarks" / f"vault-{notes}"
    vaults.write_vault(root, notes)
    return root


def rows(
    notes: int = NOTES, turns: int = TURNS, seconds: float = SECONDS
) -> Iterator[Ratio]:
    """Yield the bars over a generated vault."""
    root = generated_vault(notes)
    with tempfile.TemporaryDirectory() as scratch:
        for mode in ("fulltext", "hybrid"):
            yield measured(root, Path(scratch), mode, turns, seconds)


def main() -> int:
    """Print the bars; the exit code says whether one was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bare", metavar="FILE")
    parser.add_argument("--asks", action="store_true")
    parser.add_argument("--notes", type=int, default=NOTES)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    given = parser.parse_args()
    if given.bare:
        bare(given.bare, asks=given.asks)
        return 0
    missed = False
    for row in rows(notes=given.notes, seconds=given.seconds):
        print(row.row(), flush=True)
        missed |= not row.met
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
