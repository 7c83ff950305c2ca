"""How much of Glassmind one warm call runs through.

    python benchmarks/trace.py [--list]

Counts the distinct Glassmind modules whose functions are called, and the deepest stack
of Glassmind frames, in one hybrid search of the engine and in one append over MCP, both
after calls that loaded everything, in a copy of the sample vault. Exits with 1 if a bar
is missed. With --list it prints the modules, too.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import anyio
from mcp import Client
from processes import SAMPLE

from glassmind import Engine, open_vault
from glassmind.serve.mcp.server import make_server

QUERY = "how is the flood alarm powered in winter"
NOTE = "Heron node v3.md"
LIMIT_S = 60.0


class Bar(NamedTuple):
    """The most modules and frames that a call may take."""

    name: str
    modules: int
    depth: int


SEARCH = Bar("hybrid search", 45, 14)
APPEND = Bar("MCP append", 60, 20)


class Trace:
    """Records Glassmind modules and stack depth in each thread that installs it."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.deepest: list[str] = []
        self.is_on = False

    def install(self) -> None:
        """Profile the current thread from now on."""
        sys.setprofile(self._called)

    @contextmanager
    def on(self) -> Iterator[None]:
        """Record calls inside the block."""
        self.install()
        self.is_on = True
        try:
            yield
        finally:
            self.is_on = False
            sys.setprofile(None)

    def _called(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call" or not self.is_on:
            return
        module = frame.f_globals.get("__name__", "")
        if not module.startswith("glassmind"):
            return
        self.modules.add(module)
        stack: list[str] = []
        caller: FrameType | None = frame
        while caller is not None:
            name = caller.f_globals.get("__name__", "")
            if name.startswith("glassmind"):
                stack.append(f"{name}.{caller.f_code.co_name}")
            caller = caller.f_back
        if len(stack) > len(self.deepest):
            self.deepest = stack


def trace_search(engine: Engine) -> Trace:
    """Trace one warm hybrid search."""
    trace = Trace()
    for _ in range(2):
        engine.search(QUERY, mode="hybrid")
    with trace.on():
        engine.search(QUERY, mode="hybrid")
    return trace


async def trace_append(engine: Engine) -> Trace:
    """Trace one warm append to a note over MCP, with its update of the index."""
    trace = Trace()

    def source() -> Engine:
        trace.install()  # calls run in worker threads, and each asks for the engine
        return engine

    async with Client(make_server(source, toolsets=("core", "write"))) as client:
        for number in range(3):
            edit = {"op": "append", "text": f"Line {number} of a trace."}
            arguments = {"name": NOTE, "edits": [edit]}
            trace.is_on = number == 2
            if trace.is_on:
                trace.install()
            result = await client.call_tool("glassmind_edit", arguments)
            trace.is_on = False
            sys.setprofile(None)
            if result.is_error:
                raise RuntimeError(result.content)
    return trace


def report(bar: Bar, trace: Trace, *, listed: bool) -> bool:
    """Print what a call took; return whether that is within its bar."""
    modules, depth = len(trace.modules), len(trace.deepest)
    is_met = modules <= bar.modules and depth <= bar.depth
    print(
        f"{bar.name:14} {modules:4} modules (bar {bar.modules})"
        f"  {depth:3} frames deep (bar {bar.depth})  {'ok' if is_met else 'MISSED'}"
    )
    if listed:
        print("  modules:", *sorted(trace.modules), sep="\n    ")
        print("  deepest stack:", *reversed(trace.deepest), sep="\n    ")
    return is_met


def main() -> int:
    """Trace both calls."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="print the modules too")
    listed = parser.parse_args().list
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "vault"
        shutil.copytree(SAMPLE, root)
        index = str(Path(place) / "index")
        settings = {"index.location": index, "writes.mode": "allow"}
        with open_vault(root, settings=settings) as engine:
            engine.index()
            met = [report(SEARCH, trace_search(engine), listed=listed)]
            with anyio.from_thread.start_blocking_portal() as portal:
                trace = portal.call(trace_append, engine)
            met.append(report(APPEND, trace, listed=listed))
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
