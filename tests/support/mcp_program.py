"""The real server with one thing about it changed, for what cannot be waited for.

Started as `python mcp_program.py WHAT`, it serves as `glassmind mcp` does.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from glassmind.engine import Engine
from glassmind.model.index import Progress
from glassmind.serve.cli.program import leave, run_program
from glassmind.serve.mcp.stdio import Opening

FOREVER_S = 600

ENGINE: Any = Engine
OPENING: Any = Opening


def noisy() -> None:
    """Let a search print wherever it can."""
    usual = Engine.search

    def search(engine: Engine, *args: Any, **wanted: Any) -> Any:
        print("noise by print", flush=True)  # noqa: T201 - that is the point
        os.write(1, b"noise by descriptor\n")
        os.write(sys.__stdout__.fileno(), b"noise by stream\n")  # type: ignore[union-attr]
        subprocess.run(["echo", "noise by child"], check=True)
        heard = subprocess.run(["cat"], check=True, capture_output=True, timeout=20)
        assert heard.stdout == b""
        return usual(engine, *args, **wanted)

    ENGINE.search = search


def stuck() -> None:
    """Let a search never end."""

    def search(*_: Any, **__: Any) -> Any:
        (Path(os.environ["HOME"]) / "stuck").touch()
        time.sleep(FOREVER_S)

    ENGINE.search = search


def late() -> None:
    """Let a search take a second."""
    usual = Engine.search

    def search(engine: Engine, *args: Any, **wanted: Any) -> Any:
        time.sleep(1.0)
        return usual(engine, *args, **wanted)

    ENGINE.search = search


def unclosing() -> None:
    """Let closing never end."""
    ENGINE.close = lambda _: time.sleep(FOREVER_S)


def slow() -> None:
    """Let the first index be at four tenths until a file says that it may go on."""
    usual, gate = Engine.index, Path(os.environ["HOME"]) / "go"

    def index(engine: Engine, *, progress: Any = None, **wanted: Any) -> Any:
        if progress is not None:
            progress(Progress("read", 4, 10))
        deadline = time.monotonic() + FOREVER_S
        while not gate.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        return usual(engine, progress=progress, **wanted)

    ENGINE.index = index


def unopened() -> None:
    """Open nothing behind the handshake, so that all that is loaded came before it."""
    OPENING.begin = lambda _: None


CHANGES: dict[str, Callable[[], None]] = {
    "noisy": noisy,
    "stuck": stuck,
    "late": late,
    "unclosing": unclosing,
    "slow": slow,
    "unopened": unopened,
}


if __name__ == "__main__":
    CHANGES[sys.argv[1]]()
    leave(run_program(["mcp", *sys.argv[2:]]))
