"""A vault in a long-running process, which takes the role of the daemon if it is free.

The role is a lock beside the index. When the process that holds it ends or hangs, one
of the others takes it.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any, Self

from msgspec import to_builtins

from glassmind.config import Config
from glassmind.engine import Engine, local_vault
from glassmind.errors import GlassmindError, IndexAbsent, IndexTaken
from glassmind.model import index as domain
from glassmind.model.search import SearchReply
from glassmind.obsidian.text import counted
from glassmind.serve.daemon import find_daemon
from glassmind.serve.daemon.protocol import (
    HAS_SOCKETS,
    DaemonClient,
    DaemonSearch,
    DaemonServer,
    NoDaemon,
    SendProgress,
    call,
    daemon_at,
    fingerprint,
    open_socket,
    remove_socket,
    unpack,
)
from glassmind.store.lock import WriterLock
from glassmind.store.place import DAEMON_LOCK, make_folder

PATHS_SHOWN = 3  # paths shown on one line

MODES = {
    "watching": "watching, the system reports changes",
    "polling": "polling, looking for changes every few seconds",
    "off": "not watching",
}
COUNTS = ("added", "changed", "moved", "removed", "notes", "embedded", "left")
CAUSES = {
    "start": "compared the whole vault",
    "events": "indexed changes",
    "rescan": "found changes that were not reported",
    "poll": "found changes",
    "vectors": "embedded",
}
EVENTS = {
    domain.WatchModeChanged: "mode",
    domain.UpdateFailed: "error",
    domain.ChangeRecovered: "settled",
}


def news_as_json(news: domain.News) -> dict[str, Any]:
    if not isinstance(news, domain.IndexUpdated):
        return {"event": EVENTS[type(news)], **to_builtins(news)}
    report = news.report
    return {
        "event": "indexed",
        "cause": news.cause,
        "paths": list(news.paths),
        **{name: getattr(report, name) for name in COUNTS},
        "seconds": round(report.seconds, 3),
        "warnings": list(report.warnings),
    }


def news_as_text(news: domain.News) -> str:
    match news:
        case domain.IndexUpdated("vectors", report):
            left = f", {report.left:,} left" if report.left else ""
            return f"{counted(report.embedded, 'passage')} embedded{left}"
        case domain.IndexUpdated(cause, report, paths):
            more = ", ..." if len(paths) > PATHS_SHOWN else ""
            named = f" ({', '.join(paths[:PATHS_SHOWN])}{more})" if paths else ""
            return f"{CAUSES[cause]}: {_counts(report)}{named}"
        case domain.WatchModeChanged(mode, reason):
            return f"{MODES[mode]}{f' ({reason})' if reason else ''}"
        case domain.UpdateFailed(message, again_s):
            return f"{message}; trying again in {again_s:.0f} s"
        case domain.ChangeRecovered(message):
            return message


def _counts(report: domain.IndexReport) -> str:
    names = ("added", "changed", "moved", "removed")
    found = [f"{n:,} {name}" for name in names if (n := getattr(report, name))]
    notes = counted(report.notes, "note")
    return f"{', '.join(found) or 'nothing new'}, {notes} in {report.seconds:.2f} s"


TRY_S = 0.5  # a killed daemon is replaced in that time
BEAT_S, YIELD_S = 1.0, 3.0
"""How often a daemon shows that it is alive, and how long a process that yielded the
role does not try for it."""

WARM_AFTER_S = 5.0  # seconds after which the model is loaded, if no search has done so
CLOSE_S = 2.0  # what has not ended by then is left as a kill leaves it


class VaultHost:
    """The engine of a vault in a long-running process.

    `engine` can be used at once, before `start` and from any thread. With `watch`, the
    daemon watches the vault, if the settings allow it. `log` gets messages for the
    operator, and `on_news` all news of watching; any thread may call them.
    """

    def __init__(
        self,
        config: Config,
        *,
        watch: bool = True,
        log: Callable[[str], None],
        on_news: domain.TellNews | None = None,
    ) -> None:
        self.config, self._write_log = config, log
        watches = watch and config.watch.enabled
        self._on_news = (on_news or self._log_news) if watches else None
        self._vault = local_vault(config)
        self._vault.find_daemon = self._find_daemon
        self.engine = Engine(self._vault)
        self._local = Engine(self._vault, alone=True, records=False)
        self._closing, self._try_now, self._is_daemon = Event(), Event(), Event()
        self._has_no_role = self._is_waiting = False
        self._asked: tuple[int, int] | None = None  # the daemon that was last asked
        self._thread: Thread | None = None

    @property
    def is_alive(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        if self._thread is None:
            self._thread = _start_thread("role", self._run)

    def _log(self, message: str) -> None:
        with suppress(OSError, ValueError):  # the client has left
            self._write_log(message)

    def _log_news(self, news: domain.News) -> None:
        if not isinstance(news, domain.IndexUpdated):  # daily work
            self._log(news_as_text(news))

    def _find_daemon(self) -> DaemonClient | None:
        if self._is_daemon.is_set():
            return None
        if self._thread is None:
            return find_daemon(self._vault)
        return DaemonClient(self._vault, self._may_find_daemon)

    def _may_find_daemon(self) -> bool:
        """Return whether another process is or becomes the daemon; if not, we do."""
        self._try_now.set()
        is_over = self._closing.is_set() or self._has_no_role
        return not (is_over or self._is_daemon.is_set())

    def _run(self) -> None:
        """Complete an interrupted change, then try for the role until closed."""
        lock: WriterLock | None = None
        with suppress(GlassmindError, OSError):
            from glassmind.keeping import settle_vault  # noqa: PLC0415

            for message in settle_vault(self._vault):
                self._log(message)
        while not self._closing.is_set():
            try:
                lock = lock or self._role_lock()
                if lock is not None and lock.try_take():
                    self._serve(lock, self._vault.place.folder)
                    lock = None
                elif lock is not None:
                    self._wait_for_role(lock)
            except IndexAbsent:
                more = "" if self._on_news is None else "; it is being rebuilt"
                self._log(f"the index was deleted{more}")
                lock = None
            except (GlassmindError, OSError) as error:
                self._work_alone(str(error))
                lock = None
            self._try_now.wait(TRY_S)
            self._try_now.clear()

    def _role_lock(self) -> WriterLock | None:
        place = self._vault.place
        problem = make_folder(place.folder) if place.writable else "it is read-only"
        if problem is not None:
            self._work_alone(problem)
            return None
        return WriterLock(place.folder / DAEMON_LOCK, takes_over=True)

    def _work_alone(self, reason: str) -> None:
        if not self._has_no_role:
            self._log(f"this process works without a daemon: {reason}")
        self._has_no_role = True

    def _wait_for_role(self, lock: WriterLock) -> None:
        self._has_no_role = False
        folder, settings = self._vault.place.folder, fingerprint(self.config)
        found = daemon_at(folder)
        if self._on_news is None or found in (None, self._asked):
            return
        self._asked, yields = found, False
        with suppress(NoDaemon):
            yields = call(folder, settings, "yield_role", {}, bool, timeout_s=BEAT_S)
        if not yields and not self._is_waiting:
            self._is_waiting = True
            self._log(f"{lock.holder()} already watches this vault; standing by")

    def _serve(self, lock: WriterLock, folder: Path) -> None:
        """Be the daemon; without a socket any more, take the role again."""
        self._is_daemon.set()
        daemon: Daemon | None = None
        try:
            daemon = Daemon(self._local, folder, self._on_news)
            self._has_no_role = False
            self._log("this process is the daemon of the vault now")
            if self._is_waiting:
                self._log("taking over: the process that watched this vault is gone")
            self._is_waiting = False
            while not self._closing.wait(BEAT_S):
                lock.check()
                if daemon.yields.is_set() or daemon_at(folder) != daemon.place:
                    break
                if self._vault.place.folder != folder:
                    break
        except IndexTaken as error:
            self._log(f"{error.holder} is the daemon of the vault now")
        finally:
            if daemon is not None:
                daemon.stop(lock)
            self._is_daemon.clear()
            lock.release()
        if daemon is not None and daemon.yields.is_set():
            self._log("yields the role to a process that watches the vault")
            self._closing.wait(YIELD_S)

    def close(self) -> None:
        self._closing.set()
        self._try_now.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(CLOSE_S)
        if thread is None or not thread.is_alive():
            self.engine.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Daemon:
    """Serves clients, watches the vault if that is wanted, and warms up."""

    def __init__(
        self, engine: Engine, folder: Path, on_news: domain.TellNews | None
    ) -> None:
        self._engine, self._folder = engine, folder
        self._stopped, self.yields = Event(), Event()
        self._watches = on_news is not None
        methods: dict[str, Callable[..., Any]] = {
            "search": self._search,
            "index": self._index,
            "yield_role": self._yield,
        }
        self._server = None
        if HAS_SOCKETS:
            settings = fingerprint(engine.config)
            self._server = DaemonServer(open_socket(folder), settings, methods)
        self.place = daemon_at(folder)
        self._threads = [_start_thread("warm", self._warm)]
        if on_news is not None:
            watch = partial(engine.watch, self._stopped, told=on_news)
            self._threads.append(_start_thread("watch", watch))

    def _search(self, packed: Any, _: SendProgress) -> SearchReply:
        search, engine = unpack(packed, DaemonSearch), self._engine
        if search.scope is not None:
            engine = engine.seen_by(search.scope)
        return engine.search(search.text, today=search.day, **search.wish._asdict())

    def _index(self, packed: Any, send: SendProgress) -> domain.IndexReport:
        return self._engine.index(**unpack(packed, domain.IndexOptions), progress=send)

    def _yield(self, *_: object) -> bool:
        if not self._watches:
            self.yields.set()
        return not self._watches

    def _warm(self) -> None:
        if not self._stopped.wait(WARM_AFTER_S):
            self._engine.warm()

    def stop(self, lock: WriterLock) -> None:
        self._stopped.set()
        deadline = time.monotonic() + CLOSE_S * 0.8
        with suppress(IndexTaken, IndexAbsent, OSError):
            lock.check()
            if daemon_at(self._folder) == self.place:
                remove_socket(self._folder)
        if self._server is not None:
            self._server.close(CLOSE_S / 2)
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))


def _start_thread(name: str, work: Callable[[], None]) -> Thread:
    thread = Thread(target=work, name=f"glassmind-{name}", daemon=True)
    thread.start()
    return thread
