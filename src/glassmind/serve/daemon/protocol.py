"""The protocol between the daemon and its clients.

A daemon listens on a Unix socket beside the index, or on a loopback port on Windows. A
card beside the index says where, with a token. Each call is one connection: frames of a
length and JSON. While a call runs, the daemon sends a sign of life twice a second, so
that a client can tell a slow daemon from a hung one.
"""

import hmac
import json
import os
import socket
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec

from glassmind.config import Config
from glassmind.errors import GlassmindError
from glassmind.serve.daemon import CARD_FILE
from glassmind.store.hung import is_stopped
from glassmind.types.access import Scope
from glassmind.types.files import Progress
from glassmind.types.search import Wish
from glassmind.version import __version__

SOCKET_FILE = "daemon.sock"

LARGEST_CARD = 16_384
"""Bytes; a card with the longest path has less than five thousand."""

LONGEST_SOCKET_PATH = 100
"""Bytes; systems accept from 104 up."""

PRIVATE_FOLDER = "glassmind-daemon-"
"""Prefix of the temporary folder of a socket whose usual path would be too long."""

HAS_UNIX_SOCKETS = hasattr(socket, "AF_UNIX")
LOOPBACK = "127.0.0.1"
BACKLOG = 64

SECTIONS = ("index", "embeddings", "search", "hindsight")
"""Settings that an answer depends on, besides the vault and the agent folder."""

CONNECT_S = 1.0
SILENCE_S = 10.0
"""Seconds without a sign of life until a client gives up."""

STOPPED_CHECK_S, STOPPED_CHECKS = 0.8, 2
"""How often a waiting client checks whether the daemon is stopped, and how often in a
row that must be so: by then another process is about to replace it."""

LARGEST_REQUEST, LARGEST_REPLY = 1 << 20, 64 << 20
"""Bytes of a frame; the largest possible reply has some 20 MB."""

MOST_ANSWERED, MOST_ACCEPTED = 16, 32
"""Calls that are answered at once, and connections; others wait in the backlog."""

MOST_LONG, MOST_LONG_WAITING = 4, 64
"""Long calls that run at once, and that run or wait; more are refused."""

PULSE_S = 0.5
"""Seconds between two signs of life."""

READ_S, SEND_S = 5.0, 2.0
"""Seconds for a client to send its request, and to read a frame."""

T = TypeVar("T")

Address: TypeAlias = str | int
"""The path of a socket, or a loopback port."""


class ProtocolError(ValueError):
    """A message that neither side of this protocol would send."""


class NoDaemon(Exception):
    """No daemon answered; the client does the work itself."""


class ClientLeft(BaseException):
    """The client of a call is gone: like Ctrl-C, this ends its work between two steps.

    Not an `Exception`: nothing on the way may handle it and go on.
    """


def pack(value: object) -> Any:
    """Return a value as JSON can hold it.

    Raises:
        ProtocolError: its type cannot be sent.
    """
    try:
        return msgspec.to_builtins(value, enc_hook=dict)  # read-only mappings
    except (TypeError, ValueError) as error:
        raise ProtocolError(f"a {type(value).__name__} cannot be sent") from error


def unpack(packed: Any, kind: type[T]) -> T:
    """Return the value that was packed.

    Raises:
        ProtocolError: it is not of that kind.
    """
    try:
        return msgspec.convert(packed, kind)
    except msgspec.ValidationError as error:
        raise ProtocolError(f"not a valid {kind.__name__}") from error


def pack_error(error: GlassmindError) -> Any:
    """Return an error as JSON can hold it: module, class, message, attributes."""
    attributes = msgspec.to_builtins(vars(error), enc_hook=str)
    return [type(error).__module__, type(error).__name__, str(error), attributes]


def unpack_error(packed: Any) -> GlassmindError:
    """Return the error that was packed. Only errors of Glassmind are ever created.

    Raises:
        ProtocolError: there is no such error.
    """
    match packed:
        case [str() as module, str() as name, str() as message, dict() as attributes]:
            kind = None
            if module.split(".")[:2] == ["glassmind", "errors"]:
                with suppress(ImportError):
                    kind = getattr(import_module(module), name, None)
            if isinstance(kind, type) and issubclass(kind, GlassmindError):
                error = kind.__new__(kind)
                Exception.__init__(error, message)
                vars(error).update(_with_tuples(attributes))
                return error
    raise ProtocolError("an unknown error")


def _with_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_tuples(item) for key, item in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


# Frames: four bytes of length, then JSON.


def send_frame(stream: socket.socket, message: Any) -> None:
    """Send one message.

    Raises:
        OSError: the other side is gone, or does not read.
    """
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    stream.sendall(len(body).to_bytes(4, "big") + body)


def read_frame(stream: socket.socket, largest: int) -> Any:
    """Return the next message; None when the other side has closed.

    Raises:
        OSError: nothing came in time.
        ProtocolError: it is too long, incomplete, or not JSON.
    """
    head = _read_bytes(stream, 4)
    if not head:
        return None
    length = int.from_bytes(head, "big")
    if length > largest:
        raise ProtocolError(f"a message of {length:,} bytes")
    try:
        return json.loads(_read_bytes(stream, length))
    except (ValueError, RecursionError) as error:
        raise ProtocolError("a message that is not JSON") from error


def _read_bytes(stream: socket.socket, count: int) -> bytes:
    """Return so many bytes, or fewer if the stream has ended."""
    data = bytearray()
    while len(data) < count:
        part = stream.recv(min(count - len(data), 1 << 20))
        if not part:
            break
        data += part
    return bytes(data)


# The card, and the socket that it names.


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a daemon listens; only its owner can read it.

    `settings` is a fingerprint of the settings in force, keyed with the token.
    `watches` says whether the daemon watches the vault.
    """

    pid: int
    version: str
    address: Address
    token: str
    settings: str
    since: str
    watches: bool = True


def fingerprint(config: Config, token: str) -> str:
    """Return a digest of all settings that an answer depends on."""
    values: list[object] = [str(config.vault.path), config.writes.agent_dir]
    for section in SECTIONS:
        settings = vars(getattr(config, section))
        values.append({name: repr(value) for name, value in settings.items()})
    content = json.dumps(values, sort_keys=True).encode()
    return hmac.new(token.encode(), content, sha256).hexdigest()


def read_card(folder: Path) -> Card | None:
    """Return the card in the folder of an index; None if there is no valid one.

    The folder may come with a vault from elsewhere, so the file may be a pipe, a link
    or endless.
    """
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with open(os.open(folder / CARD_FILE, os.O_RDONLY | flags), "rb") as file:  # noqa: PTH123 - a descriptor
            found = os.fstat(file.fileno())
            ours = not hasattr(os, "getuid") or found.st_uid == os.getuid()
            if not ours or not stat.S_ISREG(found.st_mode):
                return None
            if found.st_size > LARGEST_CARD:
                return None
            return msgspec.json.decode(file.read(LARGEST_CARD), type=Card)
    except (OSError, ValueError, RecursionError, msgspec.MsgspecError):
        return None


def write_card(folder: Path, card: Card) -> None:
    """Write a card in the place of any other, atomically.

    Raises:
        OSError: it cannot be written.
    """
    staged = folder / f".{CARD_FILE}.{os.getpid()}"
    staged.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with open(os.open(staged, flags, 0o600), "wb") as file:  # noqa: PTH123 - a descriptor
        file.write(msgspec.json.encode(card))
    staged.replace(folder / CARD_FILE)


def remove_card(folder: Path, token: str) -> None:
    """Remove the card with that token; another's stays."""
    card = read_card(folder)
    if card is not None and card.token == token:
        with suppress(OSError):
            (folder / CARD_FILE).unlink()


def open_socket(folder: Path) -> tuple[socket.socket, Address]:
    """Listen for users of this machine, and return the address.

    The caller has the role of the daemon, so an old socket is of a process that ended.

    Raises:
        OSError: no socket can be opened.
    """
    family = socket.AF_UNIX if HAS_UNIX_SOCKETS else socket.AF_INET
    file = folder / SOCKET_FILE
    if HAS_UNIX_SOCKETS:
        if len(os.fsencode(file)) > LONGEST_SOCKET_PATH:
            file = Path(tempfile.mkdtemp(prefix=PRIVATE_FOLDER)) / SOCKET_FILE
        file.unlink(missing_ok=True)
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.bind(str(file) if HAS_UNIX_SOCKETS else (LOOPBACK, 0))
        if HAS_UNIX_SOCKETS:
            file.chmod(0o600)
        made.listen(BACKLOG)
    except OSError:
        made.close()
        raise
    return made, str(file) if HAS_UNIX_SOCKETS else int(made.getsockname()[1])


def is_daemon_socket(address: Address, folder: Path) -> bool:
    """Return whether a daemon of this folder could listen there.

    A card may come with a vault from elsewhere: it must not lead us anywhere else.
    """
    if isinstance(address, int) or not HAS_UNIX_SOCKETS:
        return isinstance(address, int) and not HAS_UNIX_SOCKETS
    file, private = Path(address), Path(address).parent
    if address != str(folder / SOCKET_FILE):
        fits = file.name == SOCKET_FILE and private.name.startswith(PRIVATE_FOLDER)
        if not fits or private.parent != Path(tempfile.gettempdir()):
            return False
        if not _is_own(private, stat.S_ISDIR):
            return False
    return _is_own(file, stat.S_ISSOCK)


def _is_own(file: Path, is_kind: Callable[[int], bool]) -> bool:
    """Return whether a file is of that kind, not a link, and belongs to this user."""
    try:
        found = file.lstat()
    except (OSError, ValueError):
        return False
    return is_kind(found.st_mode) and found.st_uid == os.getuid()


def remove_socket(address: Address, folder: Path) -> None:
    """Remove the file of a socket of this folder's daemon."""
    if isinstance(address, str) and is_daemon_socket(address, folder):
        file = Path(address)
        with suppress(OSError):
            file.unlink()
            if file.parent != folder:
                file.parent.rmdir()


def connect(address: Address, timeout_s: float) -> socket.socket:
    """Return a connection to a daemon.

    Raises:
        OSError: nothing listens there.
    """
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


# The client's side.


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
        GlassmindError: as the daemon raised it.
        NoDaemon: it is gone, hangs, or refuses the call.
    """
    request = Request(card.token, __version__, method, pack(arguments))
    deadline = time.monotonic() + timeout_s
    try:
        with connect(card.address, CONNECT_S) as stream:
            send_frame(stream, pack(request))
            while True:
                match _next_reply(stream, deadline, card.pid):
                    case {"progress": progress}:
                        on_progress(unpack(progress, Progress))
                    case {"result": packed}:
                        return unpack(packed, result)
                    case {"error": packed}:
                        error = unpack_error(packed)
                        break
    except (OSError, ProtocolError) as fault:
        raise NoDaemon(str(fault)) from fault
    raise error


def _next_reply(stream: socket.socket, deadline: float, pid: int) -> Any:
    """Return the next message of a daemon.

    Raises:
        OSError: nothing came for long, or the daemon is stopped.
        ProtocolError: it takes too long, refuses the call, or closed the connection.
    """
    silent_until, stopped = time.monotonic() + SILENCE_S, 0
    stream.settimeout(STOPPED_CHECK_S)
    while True:
        try:
            stream.recv(1, socket.MSG_PEEK)
            break
        except TimeoutError:
            stopped = stopped + 1 if is_stopped(pid) else 0
            if stopped >= STOPPED_CHECKS or time.monotonic() > silent_until:
                raise
    if time.monotonic() > deadline:
        raise ProtocolError("the answer took too long")
    stream.settimeout(SILENCE_S)
    match read_frame(stream, LARGEST_REPLY):
        case {"refused": reason}:
            raise ProtocolError(str(reason))
        case dict() as reply:
            return reply
    raise ProtocolError("the connection ended without an answer")


# The daemon's side.

SendProgress: TypeAlias = Callable[[Progress], None]
"""Sends progress to the client; raises `ClientLeft` when it is gone."""

Method: TypeAlias = Callable[[Any, SendProgress], Any]
"""Gets the packed arguments."""


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


class Server:
    """Answers every client that knows the token, until closed.

    `long` names methods that take long: they have threads of their own, so that others
    are answered meanwhile.
    """

    def __init__(
        self,
        listening: socket.socket,
        token: str,
        methods: Mapping[str, Method],
        long: Collection[str] = (),
    ) -> None:
        self._listening, self._token = listening, token
        self._methods, self._long = methods, long
        self._answers = ThreadPoolExecutor(MOST_ANSWERED, "glassmind-answer")
        self._work = ThreadPoolExecutor(MOST_LONG, "glassmind-work")
        self._calls: set[_Call] = set()
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._threads = [
            threading.Thread(target=target, name=f"glassmind-{name}", daemon=True)
            for name, target in (("accept", self._accept), ("pulse", self._pulse))
        ]
        for thread in self._threads:
            thread.start()

    def _accept(self) -> None:
        self._listening.settimeout(PULSE_S)
        while not self._closing.is_set():
            with self._changed:
                room = len(self._calls) - self.long_calls < MOST_ACCEPTED
                if not room:
                    self._changed.wait(PULSE_S)
                    continue
            try:
                stream, _ = self._listening.accept()
            except TimeoutError:
                continue
            except OSError:  # no file is free
                self._closing.wait(PULSE_S)
                continue
            call = _Call(stream)
            with self._changed:
                self._calls.add(call)
            with suppress(RuntimeError):  # closed just now
                self._answers.submit(self._answer_first, call)

    def _answer_first(self, call: "_Call") -> None:
        """Read a request, and answer it or pass it on to the threads for long work."""
        try:
            request = call.read_request()
            reason = self._refusal(request)
            if reason is None and request.method in self._long:
                call.is_long = True
                self._work.submit(self._answer, call, request)
                return
            if reason is None:
                self._answer(call, request)
            else:
                call.send({"refused": reason}, is_last=True)
        except (OSError, ValueError, RuntimeError):
            pass  # not a request, or closed just now
        self._end(call)

    def _answer(self, call: "_Call", request: Request) -> None:
        try:
            if not call.has_left.is_set():
                method = self._methods[request.method]
                result = method(request.arguments, call.send_progress)
                call.send({"result": pack(result)}, is_last=True)
        except GlassmindError as error:
            call.send({"error": pack_error(error)}, is_last=True)
        except ClientLeft:
            pass
        finally:
            self._end(call)

    def _refusal(self, request: Request) -> str | None:
        """Return why a call is not answered, if so."""
        if not hmac.compare_digest(request.token.encode(), self._token.encode()):
            return "wrong token"
        if request.version != __version__:
            return "another version"
        if request.method not in self._methods:
            return "unknown method"
        is_full = self.long_calls >= MOST_LONG_WAITING
        return "too many wait" if is_full and request.method in self._long else None

    @property
    def long_calls(self) -> int:
        """How many long calls run or wait."""
        return sum(call.is_long for call in self._live())

    def _live(self) -> list["_Call"]:
        with self._changed:
            return list(self._calls)

    def _end(self, call: "_Call") -> None:
        call.close()
        with self._changed:
            self._calls.discard(call)
            self._changed.notify_all()

    def _pulse(self) -> None:
        """Send signs of life, which also finds clients that have left."""
        while not self._closing.wait(PULSE_S):
            for call in self._live():
                call.pulse()

    def close(self, timeout_s: float) -> bool:
        """End all calls between two steps; return whether they ended in `timeout_s`."""
        deadline = time.monotonic() + timeout_s
        self._closing.set()
        for call in self._live():
            call.dismiss()
        with self._changed:
            ended = self._changed.wait_for(lambda: not self._calls, timeout_s)
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        for pool in (self._answers, self._work):
            pool.shutdown(wait=False, cancel_futures=True)
        for call in self._live():
            call.close()
        self._listening.close()
        return ended and not any(thread.is_alive() for thread in self._threads)


class _Call:
    """One client that waits for an answer."""

    def __init__(self, stream: socket.socket) -> None:
        self._stream, self._lock = stream, threading.Lock()
        self._was_read = self._ended = self.is_long = False
        self.has_left = threading.Event()

    def read_request(self) -> Request:
        """Return the request.

        Raises:
            OSError, ProtocolError: none that can be read comes in time.
        """
        self._stream.settimeout(READ_S)
        request = unpack(read_frame(self._stream, LARGEST_REQUEST), Request)
        self._stream.settimeout(SEND_S)
        self._was_read = True
        return request

    def dismiss(self) -> None:
        """End the work after its current step, and read no more."""
        self.has_left.set()
        with suppress(OSError):
            self._stream.shutdown(socket.SHUT_RD)

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._ended = True
            self._stream.close()

    def send_progress(self, progress: Progress) -> None:
        """Send progress.

        Raises:
            ClientLeft: the client is gone.
        """
        if not self.has_left.is_set():
            self.send({"progress": pack(progress)})
        if self.has_left.is_set():
            raise ClientLeft

    def pulse(self) -> None:
        """Send a sign of life."""
        if self._was_read and not self.has_left.is_set():
            self.send({"working": True})

    def send(self, message: object, *, is_last: bool = False) -> None:
        """Send a message, unless the last one was sent."""
        with self._lock:
            if self._ended:
                return
            self._ended = is_last
            try:
                send_frame(self._stream, message)
            except OSError:
                self.has_left.set()
