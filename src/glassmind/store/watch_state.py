"""How the watching of a vault stands, for other processes to read."""

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec.structs import asdict, replace

from glassmind.model.index import WatchState

FILE = "watch.json"

_BEAT_S = 60.0
"""How often whoever watches writes, though nothing has changed."""

STALE_S = 3 * _BEAT_S
"""What was written longer ago than this is not believed: a process may hang, and its
number may have gone to another."""


def write_state(folder: Path, state: WatchState) -> None:
    """Leave word of how watching stands; where that cannot be, nobody is told."""
    staged = folder / f"{FILE}.{state.pid}.part"
    text = json.dumps(asdict(state) | {"written": time.time()}, ensure_ascii=False)
    with suppress(OSError):
        staged.write_text(text, "utf-8", "surrogatepass")
        os.replace(staged, folder / FILE)  # noqa: PTH105 - same folder, atomic


def clear_state(folder: Path, pid: int) -> None:
    found = _read(folder)
    if found.get("pid") == pid:
        with suppress(OSError):
            (folder / FILE).unlink()


def read_state(folder: Path) -> WatchState:
    """Return how watching stands; `off` when whoever watched is gone."""
    found = _read(folder)
    written = found.pop("written", 0.0)
    try:
        state = replace(WatchState(), **found)
        age_s = abs(time.time() - written)
    except TypeError:
        return WatchState()
    return state if age_s < STALE_S and _is_alive(state.pid) else WatchState()


def _read(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / FILE).read_text("utf-8", "surrogatepass"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_alive(pid: int) -> bool:
    """Whether there is such a process; on Windows the age of the word has to tell."""
    if os.name == "nt" or pid <= 0:
        return pid > 0
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True
