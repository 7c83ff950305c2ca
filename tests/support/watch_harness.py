"""Vaults that are followed: by a thread of the test, or by the real program."""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self, TypeVar

import apsw
from fault_tools.dump import differences, dump
from fault_tools.harness import Harness

from glassmind.engine import Engine
from glassmind.model.index import IndexUpdated, News, UpdateFailed, WatchModeChanged

LIMIT_S = 60.0
"""How long anything may take that has to happen; a busy machine takes its time."""

LOOK_S = 0.02

QUICK: dict[str, object] = {
    "watch.debounce_ms": 60,
    "watch.longest_wait_ms": 1_000,
    "watch.rescan_s": 300,
    "watch.poll_s": 1,
}
"""A watch that a test need not wait for; whatever is missed stays missed."""

T = TypeVar("T")


def until(wanted: Callable[[], T], what: str = "", limit_s: float = LIMIT_S) -> T:
    """Return the first answer that is true, looking again and again."""
    deadline = time.monotonic() + limit_s
    while not (found := wanted()):
        assert time.monotonic() < deadline, what or "it did not happen"
        time.sleep(LOOK_S)
    return found


class Follower:
    """An engine that follows its vault in a thread of the test."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.news = engine, list[News]()
        self.stop = threading.Event()
        self.failed: list[BaseException] = []
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        try:
            self.engine.watch(self.stop, told=self.news.append)
        except BaseException as error:
            self.failed.append(error)
            raise

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Stop it; it ends by itself, without an error."""
        self.stop.set()
        self._thread.join(LIMIT_S)
        assert not self._thread.is_alive()
        assert self.failed == []

    @property
    def brought(self) -> list[IndexUpdated]:
        """What was indexed so far, text alone."""
        found = [new for new in self.news if isinstance(new, IndexUpdated)]
        return [one for one in found if one.cause != "vectors"]

    @property
    def hindered(self) -> list[UpdateFailed]:
        return [new for new in self.news if isinstance(new, UpdateFailed)]

    @property
    def turned(self) -> list[WatchModeChanged]:
        return [new for new in self.news if isinstance(new, WatchModeChanged)]

    def ready(self) -> Self:
        """Wait for the look at the whole vault that comes first."""
        until(lambda: self.brought, "the first look")
        return self

    def after(self, change: Callable[[], object]) -> IndexUpdated:
        """Change something, and return the batch that it became."""
        known = len(self.brought)
        change()
        until(lambda: len(self.brought) > known, "a batch")
        return self.brought[known]


class Watcher:
    """`glassmind watch` on a harness's vault, as a process of its own."""

    def __init__(
        self, harness: Harness, *, wrap: Sequence[str] = (), **env: str
    ) -> None:
        self.harness = harness
        quick = {
            "GLASSMIND_" + name.upper().replace(".", "_"): str(value)
            for name, value in QUICK.items()
        }
        self.running = subprocess.Popen(
            [*wrap, sys.executable, "-m", "glassmind", "--json",
             "--vault", str(harness.vault), "watch"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**harness.env, **quick, **env},
        )  # fmt: skip
        self.events: list[dict[str, Any]] = []
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self.running.stdout is not None
        for line in self.running.stdout:
            self.events.append(json.loads(line))

    def ready(self) -> Self:
        """Wait for the look at the whole vault that comes first."""
        until(lambda: self._is_ready() or self.running.poll() is not None)
        assert self._is_ready(), self.errors()
        return self

    def _is_ready(self) -> bool:
        return any(e.get("cause") == "start" for e in self.events)

    def mode(self) -> str:
        """Return how it follows the vault now, as it said."""
        return str([e["mode"] for e in self.events if e["event"] == "mode"][-1])

    def errors(self) -> str:
        self.running.kill()
        assert self.running.stderr is not None
        return self.running.stderr.read()

    def pause(self) -> None:
        self.running.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.running.send_signal(signal.SIGCONT)

    def end(self, number: int = signal.SIGTERM) -> float:
        """End it by a signal; return how long that took."""
        began = time.monotonic()
        self.running.send_signal(number)
        code = self.running.wait(LIMIT_S)
        took_s = time.monotonic() - began
        self._reading.join(LIMIT_S)
        assert code == 0, self.errors()
        return took_s

    def close(self) -> None:
        if self.running.poll() is None:
            self.running.send_signal(signal.SIGCONT)
            self.running.kill()
            self.running.wait(LIMIT_S)
        self._reading.join(LIMIT_S)
        for pipe in (self.running.stdout, self.running.stderr):
            assert pipe is not None
            pipe.close()


@contextmanager
def watcher(
    harness: Harness, *, wrap: Sequence[str] = (), **env: str
) -> Iterator[Watcher]:
    """Start `glassmind watch`, and see that it is gone afterwards."""
    started = Watcher(harness, wrap=wrap, **env)
    try:
        yield started
    finally:
        started.close()


def check_follows(harness: Harness, limit_s: float = LIMIT_S) -> None:
    """The index becomes, by itself, what a fresh one of the vault is."""
    wanted, _ = harness.fresh(queries=())
    folder = harness.folder
    deadline = time.monotonic() + limit_s
    while (found := dump(folder)) != wanted:
        assert time.monotonic() < deadline, differences(found, wanted)
        time.sleep(LOOK_S * 5)


def ids_of(harness: Harness) -> dict[str, int]:
    """Return the number that the index has for each note, by its path."""
    db = apsw.Connection(str(harness.folder / "index.db"))
    rows: Any = db.execute("select f.path, n.id from notes n join files f using (id)")
    found = dict(rows)
    db.close()
    return found
