"""Searches over HTTP against the bare framework that returns the same bytes.

    python benchmarks/serving_http.py [--notes N] [--seconds S]

Eight clients ask at once and go on asking. The baseline is what the framework takes to
return the same bodies, plus what the engine takes to find them, asked in a row. Ours
and the framework take turns, so that a busy machine is busy for both.
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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import vaults

from glassmind import Engine, open_vault

CLIENTS = 8
LEAST = 0.6
"""Of the baseline's throughput, how much ours has to reach."""

TURNS = 7
TOKEN = "a-token-that-lives-as-long-as-a-benchmark"  # noqa: S105 - of nothing else
HERE = Path(__file__).resolve()


def bare(file: str, port: int) -> None:
    """Serve bodies that were written down, with the framework alone."""
    import uvicorn  # noqa: PLC0415 - in a process of its own
    from starlette.applications import Starlette  # noqa: PLC0415
    from starlette.requests import Request  # noqa: PLC0415
    from starlette.responses import Response  # noqa: PLC0415
    from starlette.routing import Route  # noqa: PLC0415

    written = json.loads(Path(file).read_text("utf-8"))
    known = {query: body.encode() for query, body in written.items()}

    async def search(request: Request) -> Response:
        asked = await request.json()
        return Response(known[asked["query"]], media_type="application/json")

    app = Starlette(routes=[Route("/search", search, methods=["POST"])])
    uvicorn.run(app, port=port, access_log=False, log_level="warning")


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
def running(command: Sequence[str], env: dict[str, str], port: int) -> Iterator[None]:
    """Run a server until it is no longer needed."""
    server = subprocess.Popen(
        command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        asyncio.run(_listening(port))
        yield
    finally:
        server.terminate()
        server.wait(30)


async def _listening(port: int) -> None:
    async with asyncio.timeout(60):
        while True:
            try:
                _, out = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
            else:
                out.close()
                return


def measured(root: Path, place: Path, mode: str, seconds: float) -> float:
    """Print one bar and return its ratio."""
    queries = vaults.queries(50)
    settings = {"index.location": str(place), "embeddings.backend": "none"}
    engine = open_vault(root, settings=settings, env={})
    engine.index(embed=False)
    env = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    env |= {
        "GLASSMIND_VAULT_PATH": str(root),
        "GLASSMIND_INDEX_LOCATION": str(place),
        "GLASSMIND_EMBEDDINGS_BACKEND": "none",
        "GLASSMIND_SERVER_TOKEN": TOKEN,
    }
    ports = (7431, 7432)
    serve = [sys.executable, "-m", "glassmind", "serve", "--port", str(ports[0])]
    with running([*serve, "--no-watch"], env, ports[0]):
        bodies = asyncio.run(written_down(ports[0], queries, mode))
        file = place / "bodies.json"
        file.write_text(json.dumps(bodies), "utf-8")
        command = [sys.executable, str(HERE), "--bare", str(file), str(ports[1])]
        with running(command, env, ports[1]):
            turns = [
                (
                    asyncio.run(asked_at_once(ports[0], queries, mode, seconds)),
                    asyncio.run(asked_at_once(ports[1], queries, mode, seconds)),
                    engine_time(engine, queries, mode, seconds),
                )
                for _ in range(TURNS)
            ]
    engine.close()
    ours, least, own = (
        statistics.median(part) * 1_000 for part in zip(*turns, strict=True)
    )
    ratio = statistics.median((bare + own) / mine for mine, bare, own in turns)
    size = statistics.mean(len(body) for body in bodies.values()) / 1_024
    state = "ok" if ratio >= LEAST else "MISSED"
    print(
        f"HTTP search, {mode}, {CLIENTS} clients: {ours:.2f} ms an answer "
        f"of {size:.0f} KB, {1_000 / ours:.0f}/s; framework {least:.2f} "
        f"+ engine {own:.2f} ms: "
        f"{100 * ratio:.0f} % of its throughput, >= {100 * LEAST:.0f} %  {state}"
    )
    return ratio


def main() -> int:
    """Print the bars; the exit code says whether one was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bare", nargs=2, metavar=("FILE", "PORT"))
    parser.add_argument("--notes", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=2.0)
    given = parser.parse_args()
    if given.bare:
        bare(given.bare[0], int(given.bare[1]))
        return 0
    root = Path(tempfile.gettempdir()) / "glassmind-benchmarks" / f"vault-{given.notes}"
    vaults.write_vault(root, given.notes)
    with tempfile.TemporaryDirectory() as scratch:
        ratios = [
            measured(root, Path(scratch), mode, given.seconds)
            for mode in ("fulltext", "hybrid")
        ]
    return int(min(ratios) < LEAST)


if __name__ == "__main__":
    sys.exit(main())
