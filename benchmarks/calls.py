"""What a call over MCP costs above the engine's own work, beside the SDK's floor.

    python benchmarks/calls.py [--rounds N]

The same questions go to the engine directly, to our server and to a bare server of the
SDK's that hands back the same bytes; in process and over standard input and output, in
both eras of the protocol. The ways take turns, so that a busy machine is busy for all.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from pathlib import Path

from bare_server import TOOL, bare_server
from mcp import Client, StdioServerParameters
from mcp.server.lowlevel import Server
from processes import PROGRAM, SAMPLE, environment

from glassmind import Engine, open_vault
from glassmind.serve.mcp.server import make_server

BARE = Path(__file__).with_name("bare_server.py")
ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
ASKED = ("heron", "flood alarm", "winter battery", "radio network", "station handbook")
ROUNDS = 40
NO_MODEL = {"GLASSMIND_EMBEDDINGS_BACKEND": "none"}
"""Embedding beside the calls would be measured with them."""

Ask = Callable[[str], Awaitable[object]]


def arguments(query: str) -> dict[str, object]:
    """Return what the tool is called with."""
    return {"query": query, "limit": 5, "mode": "fulltext"}


async def by_client(client: Client, query: str) -> object:
    """Call the tool once."""
    return await client.call_tool(TOOL, arguments(query))


async def directly(engine: Engine, query: str) -> object:
    """Ask the engine what the tool asks it: one hit more, to know whether there is."""
    return engine.search(query, limit=6, mode="fulltext")


async def written_down(engine: Engine) -> dict[str, object]:
    """Return the result of each call, as a bare server is to hand it back."""
    async with Client(make_server(engine)) as client:
        answers = {q: await client.call_tool(TOOL, arguments(q)) for q in ASKED}
    return {
        query: answer.model_dump(mode="json", by_alias=True, exclude_none=True)
        for query, answer in answers.items()
    }


async def measure(engine: Engine, rounds: int) -> dict[str, float]:
    """Return the median cost of a call in milliseconds by each way."""
    written = await written_down(engine)
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(written, file)
        file.flush()
        async with AsyncExitStack() as opened:
            ways: dict[str, Ask] = {"engine": partial(directly, engine)}
            servers: dict[str, Server | StdioServerParameters] = {
                "in process": make_server(engine),
                "in process, bare": bare_server(written),
                "stdio": StdioServerParameters(
                    command=PROGRAM,
                    args=["mcp", "--no-watch"],
                    env=environment(engine.config) | NO_MODEL,
                ),
                "stdio, bare": StdioServerParameters(
                    command=sys.executable, args=[str(BARE), file.name]
                ),
            }
            for name, server in servers.items():
                for mode, revision in ERAS.items():
                    client = await opened.enter_async_context(Client(server, mode=mode))
                    ways[f"{name}, {revision}"] = partial(by_client, client)
            return await take_turns(ways, rounds)


async def take_turns(ways: dict[str, Ask], rounds: int) -> dict[str, float]:
    """Return the median of each way's times; the first round warms up."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(rounds + 1):
        for query in ASKED:
            for name, ask in ways.items():
                began = time.perf_counter()
                await ask(query)
                if turn:
                    times[name].append((time.perf_counter() - began) * 1_000)
    return {name: statistics.median(spent) for name, spent in times.items()}


@contextmanager
def without_logs() -> Iterator[None]:
    """Let what servers log go nowhere: a line for each call is no reading matter."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def report(found: dict[str, float]) -> None:
    """Print each way of ours beside its floor."""
    engine = found["engine"]
    print(f"the engine itself: {engine:.2f} ms (median)")
    print(f"{'a call':<24}{'ours':>9}{'above engine':>14}{'SDK floor':>11}{'ratio':>8}")
    for way in ("in process", "stdio"):
        for revision in ERAS.values():
            ours, floor = found[f"{way}, {revision}"], found[f"{way}, bare, {revision}"]
            name = f"{way}, {revision}"
            print(
                f"{name:<24}{ours:>6.2f} ms{ours - engine:>11.2f} ms{floor:>8.2f} ms"
                f"{(ours - engine) / floor:>7.2f}x"
            )


def measured(rounds: int) -> dict[str, float]:
    """Return what a call costs over the sample vault, indexed by words alone."""
    with tempfile.TemporaryDirectory() as place:
        settings = {"index.location": place, "embeddings.backend": "none"}
        with open_vault(SAMPLE, settings=settings, env={}) as engine:
            engine.index()
            with without_logs():
                return asyncio.run(measure(engine, rounds))


def main() -> int:
    """Print what every way costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    report(measured(parser.parse_args().rounds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
