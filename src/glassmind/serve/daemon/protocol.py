"""The protocol between the daemon and its clients.

A daemon listens on a Unix socket beside the index that only its user can open. Each
call is one connection and each message one line of JSON. While a call runs, the daemon
sends a sign of life twice a second, so that a client can tell a slow daemon from a hung
one. A client does the work itself if no daemon answers, or if it refuses or fails.
"""

import json
import os
import socket
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, TypeVar

import msgspec

from glassmind.config import Config
from glassmind.errors import GlassmindError
from glassmind.model.access import Scope
from glassmind.model.index import IndexOptions, IndexReport, Progress, ShowProgress
from glassmind.model.search import SearchOptions, SearchReply
from glassmind.serve.daemon import LONGEST_SOCKET_PATH, SOCKET_FILE
from glassmind.vault import NoDaemonRunning, Vault
from glassmind.version import __version__

HAS_SOCKETS = hasattr(socket, "AF_UNIX")  # Windows has none: each process works alone

SECTIONS = ("index", "embeddings", "search", "hindsight")
"""Settings that an answer depends on, besides the vault and the agent folder."""

CONNECT_S, SILENCE_S = 1.0, 5.0  # until a client gives up
LARGEST_REQUEST, LARGEST_REPLY = 1 << 20, 64 << 20  # bytes; replies have up to 20 MB
MOST_CALLS = 80  # calls that are answered at once
PULSE_S = 0.5  # seconds between two signs of life
REPLACED_S, POLL_S = 4.0, 0.02
"""How long a call waits for another daemon, as one that hangs is replaced in this time,
and how often it looks."""

SEARCH_S, INDEX_S = 120.0, 24 * 3600.0
"""Seconds that an answer may take while there are signs of life: loading a model takes
seconds, but embedding a large vault takes hours."""

READ_S, SEND_S = 5.0, 2.0  # for a client to send, and to read
T = TypeVar("T")


class NoDaemon(Exception):
    """No daemon answered."""


class CallRefused(NoDaemon):
    """A daemon answered that it does not do the work, or failed."""


class ClientLeft(BaseException):
    """Ends work between two steps, as Ctrl-C: nothing on the way may handle it."""


BROKEN = (OSError, ValueError, RecursionError, msgspec.MsgspecError)
"""Raised where the other side is gone, or sends what this protocol would not."""


def pack(value: object) -> Any:
    return msgspec.to_builtins(value, enc_hook=dict)  # read-only mappings


def unpack(packed: Any, kind: type[T]) -> T:
    return msgspec.convert(packed, kind)


def send_message(stream: socket.socket, message: Any) -> None:
    # msgspec would refuse the lone surrogates that names of files may have
    stream.sendall(json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n")


def read_message(stream: BinaryIO, largest: int) -> Any:
    return json.loads(stream.readline(largest))


def fingerprint(config: Config) -> str:
    """Return what version and settings an answer depends on: clients must have both."""
    sections = [getattr(config, section) for section in SECTIONS]
    values = __version__, config.vault.path, config.writes.agent_dir, *sections
    return sha256(os.fsencode(repr(values))).hexdigest()


def socket_of(folder: Path) -> Path:
    """Return the daemon's socket: beside the index, if that path is short enough."""
    file = folder / SOCKET_FILE
    if len(os.fsencode(file)) <= LONGEST_SOCKET_PATH:
        return file
    name = sha256(os.fsencode(folder)).hexdigest()[:16]
    return Path(tempfile.gettempdir(), f"glassmind-{os.getuid()}-{name}", SOCKET_FILE)


def daemon_at(folder: Path) -> tuple[int, int] | None:
    """Return what tells a daemon's socket from later ones; None if there is none.

    The folder may come with a vault from elsewhere, so the file may be anything.
    """
    if not HAS_SOCKETS:
        return None
    file, private = socket_of(folder), socket_of(folder).parent
    try:
        found = file.lstat()
        owners = {found.st_uid, os.getuid()}
        if private != folder:
            owners.add(private.lstat().st_uid)
    except (OSError, ValueError):
        return None
    is_own = len(owners) == 1 and stat.S_ISSOCK(found.st_mode)
    return (found.st_ino, found.st_ctime_ns) if is_own else None


def open_socket(folder: Path) -> socket.socket:
    """Listen; the caller has the role, so an old socket is of a process that ended."""
    file = socket_of(folder)
    if file.parent != folder:
        file.parent.mkdir(mode=0o700, exist_ok=True)
    file.unlink(missing_ok=True)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.bind(str(file))
    file.chmod(0o600)
    made.listen()
    return made


def remove_socket(folder: Path) -> None:
    file = socket_of(folder)
    with suppress(OSError):
        file.unlink()
        if file.parent != folder:
            file.parent.rmdir()


def connect(folder: Path, timeout_s: float) -> socket.socket:
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        stream.settimeout(timeout_s)
        stream.connect(str(socket_of(folder)))
    except OSError:
        stream.close()
        raise
    return stream


class DaemonSearch(msgspec.Struct, frozen=True):
    """A search; `wish` and `scope` as in the call of the client's engine."""

    text: str
    wish: SearchOptions
    day: date
    scope: Scope | None


class Request(msgspec.Struct, frozen=True):
    """A call; `settings` is a fingerprint."""

    settings: str
    method: str
    arguments: Any


def call(  # noqa: PLR0913 - options by name
    folder: Path,
    settings: str,
    method: str,
    arguments: object,
    result: type[T],
    *,
    timeout_s: float,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> T:
    """Return what a daemon answers.

    Any exception here, also of `on_progress`, closes the connection, which ends the
    work of the daemon.

    Raises:
        NoDaemon: it is gone, hangs, refuses the call, or fails.
    """
    request = Request(settings, method, pack(arguments))
    deadline = time.monotonic() + timeout_s
    try:
        with connect(folder, CONNECT_S) as stream, stream.makefile("rb") as file:
            send_message(stream, pack(request))
            stream.settimeout(SILENCE_S)
            while time.monotonic() < deadline:
                match read_message(file, LARGEST_REPLY):
                    case {"progress": progress}:
                        on_progress(unpack(progress, Progress))
                    case {"result": packed}:
                        return unpack(packed, result)
                    case {"refused": reason}:
                        raise CallRefused(str(reason))
    except BROKEN as fault:
        raise NoDaemon(str(fault)) from fault
    raise NoDaemon("the answer took too long")


class DaemonClient(NoDaemonRunning):
    """Calls the daemon, and waits for one as long as `may_wait` returns true."""

    def __init__(
        self, vault: Vault, may_wait: Callable[[], bool] = lambda: False
    ) -> None:
        self._folder, self._may_wait = vault.place.folder, may_wait
        self._settings = fingerprint(vault.config)

    def search(
        self, text: str, wish: SearchOptions, day: date, scope: Scope | None = None
    ) -> SearchReply | None:
        search = DaemonSearch(text, wish, day, scope)
        return self._call("search", search, SearchReply, timeout_s=SEARCH_S)

    def index(
        self, wishes: IndexOptions, progress: ShowProgress | None
    ) -> IndexReport | None:
        """Let the daemon index; an exception of `progress` ends its work too."""
        on_progress = progress or (lambda _: None)
        return self._call(
            "index", wishes, IndexReport, timeout_s=INDEX_S, on_progress=on_progress
        )

    def _call(
        self, method: str, arguments: object, result: type[T], **options: Any
    ) -> T | None:
        failed, deadline = None, time.monotonic() + REPLACED_S
        folder, settings = self._folder, self._settings
        while True:
            found = daemon_at(folder)
            if found is not None and found != failed:
                failed, deadline = found, time.monotonic() + REPLACED_S
                try:
                    return call(folder, settings, method, arguments, result, **options)
                except CallRefused:
                    return None
                except NoDaemon:
                    continue
            if time.monotonic() > deadline or not self._may_wait():
                return None
            time.sleep(POLL_S)


SendProgress: TypeAlias = Callable[[Progress], None]
"""Sends progress to the client; raises `ClientLeft` when it is gone."""


class DaemonServer:
    """Answers every client that has the same settings, until closed."""

    def __init__(
        self,
        listening: socket.socket,
        settings: str,
        methods: Mapping[str, Callable[..., Any]],
    ) -> None:
        self._listening, self._settings, self._methods = listening, settings, methods
        self._pool = ThreadPoolExecutor(MOST_CALLS, "glassmind-answer")
        self._calls: set[_Call] = set()
        self._closing = threading.Event()
        self._thread = threading.Thread(
            target=self._serve, name="glassmind-serve", daemon=True
        )
        self._thread.start()

    def _serve(self) -> None:
        self._listening.settimeout(PULSE_S)
        while not self._closing.is_set():
            try:
                stream, _ = self._listening.accept()
            except TimeoutError:
                pass
            except OSError:  # no file is free
                self._closing.wait(PULSE_S)
            else:
                self._pool.submit(self._answer, _Call(stream))
            for call in self._calls.copy():
                call.pulse()

    def _answer(self, call: "_Call") -> None:
        with call.stream, suppress(*BROKEN, ClientLeft):
            request = call.read_request()
            self._calls.add(call)
            try:
                call.send(self._reply(request, call.send_progress))
            finally:
                self._calls.discard(call)

    def _reply(self, request: Request, send: SendProgress) -> Mapping[str, Any]:
        if request.settings != self._settings:
            return {"refused": "other settings, or another version"}
        if request.method not in self._methods or self._closing.is_set():
            return {"refused": "unknown method"}
        try:
            return {
                "result": pack(self._methods[request.method](request.arguments, send))
            }
        except GlassmindError as error:
            return {"refused": str(error)}

    def close(self, timeout_s: float) -> bool:
        deadline = time.monotonic() + timeout_s
        self._closing.set()
        for call in self._calls.copy():
            call.has_left.set()
        self._thread.join(timeout_s)
        self._pool.shutdown(wait=False, cancel_futures=True)
        while self._calls and time.monotonic() < deadline:
            time.sleep(POLL_S)
        for call in self._calls.copy():
            call.stream.close()
        self._listening.close()
        return not self._calls


class _Call:
    def __init__(self, stream: socket.socket) -> None:
        self.stream, self._lock = stream, threading.Lock()
        self.has_left = threading.Event()

    def read_request(self) -> Request:
        self.stream.settimeout(READ_S)
        with self.stream.makefile("rb") as file:
            request = unpack(read_message(file, LARGEST_REQUEST), Request)
        self.stream.settimeout(SEND_S)
        return request

    def send_progress(self, progress: Progress) -> None:
        self.send({"progress": pack(progress)})
        if self.has_left.is_set():
            raise ClientLeft

    def pulse(self) -> None:
        if self._lock.acquire(blocking=False):
            try:
                self._send({"working": True})
            finally:
                self._lock.release()

    def send(self, message: object) -> None:
        with self._lock:
            self._send(message)

    def _send(self, message: object) -> None:
        try:
            send_message(self.stream, message)
        except OSError:
            self.has_left.set()
