"""The protocol between the daemon and its clients.

A daemon listens on a Unix socket beside the index, or on a loopback port on Windows. A
card beside the index says where, with a token. Each call is one connection and each
message one line of JSON. While a call runs, the daemon sends a sign of life twice a
second, so that a client can tell a slow daemon from a hung one. A client does the work
itself if no daemon answers, or if the daemon refuses or fails.
"""

import hmac
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
from glassmind.model.index import IndexReport, IndexWishes, Progress, ShowProgress
from glassmind.model.search import SearchReply, Wish
from glassmind.serve.daemon import CARD_FILE
from glassmind.vault import Daemon, Vault
from glassmind.version import __version__

SOCKET_FILE = "daemon.sock"

LARGEST_CARD = 16_384  # bytes; a card with the longest path has less than five thousand
LONGEST_SOCKET_PATH = 100  # bytes; systems accept from 104 up
PRIVATE_FOLDER = "glassmind-daemon-"
"""Prefix of the temporary folder of a socket whose usual path would be too long."""

HAS_UNIX_SOCKETS = hasattr(socket, "AF_UNIX")
LOOPBACK = "127.0.0.1"

SECTIONS = ("index", "embeddings", "search", "hindsight")
"""Settings that an answer depends on, besides the vault and the agent folder."""

CONNECT_S, SILENCE_S = 1.0, 5.0
"""Seconds to connect, and without a sign of life, until a client gives up."""

LARGEST_REQUEST, LARGEST_REPLY = 1 << 20, 64 << 20
"""Bytes of a message; the largest possible reply has some 20 MB."""

MOST_CALLS = 80  # calls that are answered at once
PULSE_S = 0.5  # seconds between two signs of life
REPLACED_S, POLL_S = 4.0, 0.02
"""How long a call waits for another daemon, as one that hangs is replaced in this time,
and how often it looks."""

SEARCH_S, INDEX_S = 120.0, 24 * 3600.0
"""Seconds that an answer may take while there are signs of life: loading a model takes
seconds, but embedding a large vault takes hours."""

READ_S, SEND_S = 5.0, 2.0
"""Seconds for a client to send its request, and to read a message."""

T = TypeVar("T")

Address: TypeAlias = str | int  # the path of a socket, or a loopback port


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


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a daemon listens; `settings` is a fingerprint keyed with the token."""

    pid: int
    version: str
    address: Address
    token: str
    settings: str
    watches: bool = True


def fingerprint(config: Config, token: str) -> str:
    sections = [getattr(config, section) for section in SECTIONS]
    values = repr((config.vault.path, config.writes.agent_dir, *sections))
    return hmac.new(token.encode(), os.fsencode(values), sha256).hexdigest()


def read_card(folder: Path) -> Card | None:
    """Return the card in the folder of an index; None if there is no valid one.

    The folder may come with a vault from elsewhere, so the file may be a pipe, a link
    or endless, and the address may lead anywhere.
    """
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with open(os.open(folder / CARD_FILE, os.O_RDONLY | flags), "rb") as file:  # noqa: PTH123 - a descriptor
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            card = msgspec.json.decode(file.read(LARGEST_CARD), type=Card)
    except BROKEN:
        return None
    return card if is_daemon_socket(card.address, folder) else None


def write_card(folder: Path, card: Card) -> None:
    staged = folder / f".{CARD_FILE}.{os.getpid()}"
    staged.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with open(os.open(staged, flags, 0o600), "wb") as file:  # noqa: PTH123 - a descriptor
        file.write(msgspec.json.encode(card))
    staged.replace(folder / CARD_FILE)


def open_socket(folder: Path) -> tuple[socket.socket, Address]:
    """Listen; the caller has the role, so an old socket is of a process that ended."""
    family = socket.AF_UNIX if HAS_UNIX_SOCKETS else socket.AF_INET
    file = folder / SOCKET_FILE
    if HAS_UNIX_SOCKETS:
        if len(os.fsencode(file)) > LONGEST_SOCKET_PATH:
            file = Path(tempfile.mkdtemp(prefix=PRIVATE_FOLDER)) / SOCKET_FILE
        file.unlink(missing_ok=True)
    made = socket.socket(family, socket.SOCK_STREAM)
    made.bind(str(file) if HAS_UNIX_SOCKETS else (LOOPBACK, 0))
    if HAS_UNIX_SOCKETS:
        file.chmod(0o600)
    made.listen()
    return made, str(file) if HAS_UNIX_SOCKETS else int(made.getsockname()[1])


def is_daemon_socket(address: Address, folder: Path) -> bool:
    if isinstance(address, int) or not HAS_UNIX_SOCKETS:
        return isinstance(address, int) and not HAS_UNIX_SOCKETS
    file, private = Path(address), Path(address).parent
    if private != folder and not (
        private.name.startswith(PRIVATE_FOLDER) and _is_own(private, stat.S_ISDIR)
    ):
        return False
    return file.name == SOCKET_FILE and _is_own(file, stat.S_ISSOCK)


def _is_own(file: Path, is_kind: Callable[[int], bool]) -> bool:
    try:
        found = file.lstat()
    except (OSError, ValueError):
        return False
    return is_kind(found.st_mode) and found.st_uid == os.getuid()


def remove_socket(address: Address, folder: Path) -> None:
    if isinstance(address, str):
        file = Path(address)
        with suppress(OSError):
            file.unlink()
            if file.parent != folder:
                file.parent.rmdir()


def connect(address: Address, timeout_s: float) -> socket.socket:
    if isinstance(address, int):
        return socket.create_connection((LOOPBACK, address), timeout_s)
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        stream.settimeout(timeout_s)
        stream.connect(address)
    except OSError:
        stream.close()
        raise
    return stream


class Search(msgspec.Struct, frozen=True):
    """A search; `wish` and `scope` as in the call of the client's engine."""

    text: str
    wish: Wish
    day: date
    scope: Scope | None


class Request(msgspec.Struct, frozen=True):
    """A call."""

    token: str
    version: str
    method: str
    arguments: Any


def call(  # noqa: PLR0913 - options by name
    card: Card,
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
    request = Request(card.token, __version__, method, pack(arguments))
    deadline = time.monotonic() + timeout_s
    try:
        with connect(card.address, CONNECT_S) as stream, stream.makefile("rb") as file:
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


class DaemonClient(Daemon):
    """Calls the daemon, and waits for one as long as `may_wait` returns true."""

    def __init__(
        self, vault: Vault, may_wait: Callable[[], bool] = lambda: False
    ) -> None:
        self._config, self._folder = vault.config, vault.place.folder
        self._may_wait = may_wait

    def search(
        self, text: str, wish: Wish, day: date, scope: Scope | None = None
    ) -> SearchReply | None:
        asked = Search(text, wish, day, scope)
        return self._call("search", asked, SearchReply, timeout_s=SEARCH_S)

    def index(
        self, wishes: IndexWishes, progress: ShowProgress | None
    ) -> IndexReport | None:
        """Let the daemon index; an exception of `progress` ends its work too."""
        on_progress = progress or (lambda _: None)
        return self._call(
            "index", wishes, IndexReport, timeout_s=INDEX_S, on_progress=on_progress
        )

    def _call(
        self, method: str, arguments: object, result: type[T], **options: Any
    ) -> T | None:
        failed, deadline = "", time.monotonic() + REPLACED_S
        while True:
            card = read_card(self._folder)
            if card is not None and card.token != failed:
                if not self._agrees(card):
                    return None
                failed, deadline = card.token, time.monotonic() + REPLACED_S
                try:
                    return call(card, method, arguments, result, **options)
                except CallRefused:
                    return None
                except NoDaemon:
                    continue
            if time.monotonic() > deadline or not self._may_wait():
                return None
            time.sleep(POLL_S)

    def _agrees(self, card: Card) -> bool:
        if card.version != __version__:
            return False
        return card.settings == fingerprint(self._config, card.token)


SendProgress: TypeAlias = Callable[[Progress], None]
"""Sends progress to the client; raises `ClientLeft` when it is gone."""


class DaemonServer:
    """Answers every client that knows the token, until closed."""

    def __init__(
        self,
        listening: socket.socket,
        token: str,
        methods: Mapping[str, Callable[..., Any]],
    ) -> None:
        self._listening, self._token, self._methods = listening, token, methods
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
        if not hmac.compare_digest(request.token.encode(), self._token.encode()):
            return {"refused": "wrong token"}
        if request.version != __version__:
            return {"refused": "another version"}
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
