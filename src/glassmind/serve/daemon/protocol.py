"""The protocol between the daemon and its clients.

A daemon listens on a Unix socket beside the index, or on a loopback port on Windows. A
card beside the index says where, with a token. Each call is one connection: frames of a
length and JSON. While a call runs, the daemon sends a sign of life twice a second, so
that a client can tell a slow daemon from a hung one.
"""

import hmac
import json
import os
import pkgutil
import secrets
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
from typing import Any, TypeAlias

import msgspec

import glassmind.errors
from glassmind.config import Config
from glassmind.errors import GlassmindError
from glassmind.serve.daemon import CARD_FILE
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


# Values as JSON: a record is a list that begins with its name. Only records of this
# table, and errors of Glassmind, are ever created from a message.

_SEARCH, _FILES = "glassmind.types.search", "glassmind.types.files"
_ACCESS = "glassmind.types.access"
RECORDS = {
    "SearchReply": _SEARCH,
    "Hit": _SEARCH,
    "Passage": _SEARCH,
    "Snippet": _SEARCH,
    "Evidence": _SEARCH,
    "Hop": "glassmind.types.graph",
    "Adjustment": "glassmind.types.adjustments",
    "Span": "glassmind.types",
    "IndexReport": _FILES,
    "Skipped": _FILES,
    "Progress": _FILES,
    "Scope": _ACCESS,
    "ReadRule": _ACCESS,
}
TUPLE, LIST, DATE = "()", "[]", "date"


def pack(value: Any) -> Any:
    """Return a value as JSON can hold it.

    Raises:
        ProtocolError: its type cannot be sent.
    """
    match value:
        case None | bool() | int() | float() | str():
            return value
        case date():
            return [DATE, value.isoformat()]
        case Mapping():
            return {str(key): pack(item) for key, item in value.items()}
        case list():
            return [LIST, *map(pack, value)]
    name = type(value).__name__
    if RECORDS.get(name) == type(value).__module__:
        return [name, *(pack(getattr(value, field)) for field in _fields(value))]
    if isinstance(value, tuple):
        return [TUPLE, *map(pack, value)]
    raise ProtocolError(f"a {name} cannot be sent")


def _fields(record: Any) -> tuple[str, ...]:
    for name in ("_fields", "__struct_fields__"):
        if names := getattr(record, name, None):
            return tuple(names)
    return tuple(record.__dataclass_fields__)


def unpack(packed: Any) -> Any:
    """Return the value that was packed.

    Raises:
        ProtocolError: `pack` returns nothing like that.
    """
    if isinstance(packed, dict):
        return {key: unpack(item) for key, item in packed.items()}
    if not isinstance(packed, list):
        return packed
    if not packed or not isinstance(packed[0], str):
        raise ProtocolError("a list without a name")
    name, *rest = packed
    parts = [unpack(item) for item in rest]
    try:
        match name:
            case "()":
                return tuple(parts)
            case "[]":
                return parts
            case "date":
                return date.fromisoformat(parts[0])
        record = getattr(import_module(RECORDS[name]), name)
        if len(parts) != len(_fields(record)):
            raise ProtocolError(f"a {name} with another number of fields")
        return record(*parts)
    except (TypeError, ValueError, KeyError, IndexError) as error:
        raise ProtocolError(f"not a valid {name[:40]}") from error


def pack_error(error: GlassmindError) -> Any:
    """Return an error as JSON can hold it: class, message, attributes."""
    attributes = {}
    for name, value in vars(error).items():
        try:
            attributes[name] = pack(value)
        except ProtocolError:
            attributes[name] = str(value)
    return [type(error).__name__, str(error), attributes]


def unpack_error(packed: Any) -> GlassmindError:
    """Return the error that was packed.

    Raises:
        ProtocolError: there is no such error.
    """
    match packed:
        case [str() as name, str() as message, dict() as attributes]:
            modules = pkgutil.iter_modules(
                glassmind.errors.__path__, "glassmind.errors."
            )
            for path in ("glassmind.errors", *(module.name for module in modules)):
                kind = vars(import_module(path)).get(name)
                if isinstance(kind, type) and issubclass(kind, GlassmindError):
                    error = kind.__new__(kind)
                    Exception.__init__(error, message)
                    vars(error).update(unpack(attributes))
                    return error
    raise ProtocolError("an unknown error")


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
    body = _read_bytes(stream, length)
    if len(body) < length:
        raise ProtocolError("an incomplete message")
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("a message that is not JSON") from error


def _read_bytes(stream: socket.socket, count: int) -> bytes:
    """Return so many bytes, or none if the stream has ended."""
    data = bytearray()
    while len(data) < count:
        part = stream.recv(min(count - len(data), 1 << 20))
        if not part:
            if data:
                raise ProtocolError("an incomplete message")
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


def new_token() -> str:
    """Return a secret of 256 bits."""
    return secrets.token_hex(32)


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
    arguments: Mapping[str, Any],
    *,
    timeout_s: float,
    on_progress: Callable[[Any], None] = lambda _: None,
    is_stopped: Callable[[int], bool] = lambda _: False,
) -> Any:
    """Return what a daemon answers.

    `is_stopped` says of a process whether it is stopped now. Any exception here, also
    of `on_progress`, closes the connection, which ends the work of the daemon.

    Raises:
        GlassmindError: as the daemon raised it.
        NoDaemon: it is gone, hangs, or refuses the call.
    """
    request = {
        "token": card.token,
        "version": __version__,
        "method": method,
        "arguments": pack(arguments),
    }
    deadline = time.monotonic() + timeout_s
    try:
        with connect(card.address, CONNECT_S) as stream:
            stream.settimeout(SILENCE_S)
            send_frame(stream, request)
            reply = {"working": True}
            while "result" not in reply and "error" not in reply:
                if "progress" in reply:
                    on_progress(unpack(reply["progress"]))
                reply = _next_reply(stream, deadline, lambda: is_stopped(card.pid))
            if "result" in reply:
                return unpack(reply["result"])
            error = unpack_error(reply["error"])
    except (OSError, ProtocolError) as fault:
        raise NoDaemon(str(fault)) from fault
    raise error


def _next_reply(
    stream: socket.socket, deadline: float, is_stopped: Callable[[], bool]
) -> dict[str, Any]:
    """Return the next message of a daemon.

    Raises:
        OSError: nothing came for long, or the daemon is stopped.
        ProtocolError: the daemon refuses the call, or it takes too long.
    """
    if time.monotonic() > deadline:
        raise ProtocolError("the answer took too long")
    _await_frame(stream, is_stopped)
    match read_frame(stream, LARGEST_REPLY):
        case {"refused": str() as reason}:
            raise ProtocolError(reason)
        case dict() as reply:
            return reply
    raise ProtocolError("the connection ended without an answer")


def _await_frame(stream: socket.socket, is_stopped: Callable[[], bool]) -> None:
    """Wait for the first byte of a frame.

    Raises:
        OSError: nothing came for long, or the daemon is stopped.
    """
    deadline, stopped = time.monotonic() + SILENCE_S, 0
    stream.settimeout(STOPPED_CHECK_S)
    while True:
        try:
            stream.recv(1, socket.MSG_PEEK)
        except TimeoutError:
            stopped = stopped + 1 if is_stopped() else 0
            if stopped >= STOPPED_CHECKS or time.monotonic() > deadline:
                raise
        else:
            stream.settimeout(SILENCE_S)
            return


# The daemon's side.

SendProgress: TypeAlias = Callable[[Any], None]
"""Sends progress to the client; raises `ClientLeft` when it is gone."""

Method: TypeAlias = Callable[[Mapping[str, Any], SendProgress], Any]


class Server:
    """Answers every client that knows the token, until closed.

    `long` names methods that take long: they have threads of their own, so that others
    are answered meanwhile. `on_call` is called after each call.
    """

    def __init__(
        self,
        listening: socket.socket,
        token: str,
        methods: Mapping[str, Method],
        on_call: Callable[[], None] = lambda: None,
        *,
        long: Collection[str] = (),
    ) -> None:
        self._listening, self._token, self._methods = listening, token, methods
        self._on_call, self._long = on_call, long
        self._accepted = threading.Semaphore(MOST_ACCEPTED)
        self._answers = ThreadPoolExecutor(MOST_ANSWERED, "glassmind-answer")
        self._work = ThreadPoolExecutor(MOST_LONG, "glassmind-work")
        self._calls: set[_Call] = set()
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._threads = [
            threading.Thread(target=target, name=f"glassmind-{name}", daemon=True)
            for name, target in (("accept", self._accept), ("pulse", self._pulse))
        ]

    def start(self) -> None:
        """Begin to answer; returns at once."""
        for thread in self._threads:
            thread.start()

    def move_to(self, listening: socket.socket) -> None:
        """Listen on another socket from now on; calls that run go on."""
        self._listening = listening

    def _accept(self) -> None:
        listening = self._listening
        while not self._closing.is_set():
            if listening is not self._listening:
                listening.close()
                listening = self._listening
            listening.settimeout(PULSE_S)
            try:
                stream, _ = listening.accept()
            except TimeoutError:
                continue
            except OSError:  # no file is free
                self._closing.wait(PULSE_S)
                continue
            while not self._accepted.acquire(timeout=PULSE_S):
                if self._closing.is_set():
                    stream.close()
                    return
            call = _Call(stream)
            with self._changed:
                self._calls.add(call)
            self._submit(self._answers, self._answer_first, call)

    def _submit(
        self, pool: ThreadPoolExecutor, work: Callable[..., None], *arguments: Any
    ) -> None:
        try:
            pool.submit(work, *arguments)
        except RuntimeError:  # closed just now
            self._end(arguments[0])

    def _answer_first(self, call: "_Call") -> None:
        """Read a request, and answer it or pass it on to the threads for long work."""
        passed_on = False
        try:
            with suppress(OSError, ProtocolError):
                request = call.read_request()
                reason = self._refusal(request)
                if reason is not None:
                    call.send({"refused": reason}, is_last=True)
                elif request["method"] in self._long:
                    call.is_long = passed_on = True
                    self._submit(self._work, self._answer_long, call, request)
                else:
                    self._answer(call, request)
        finally:
            self._accepted.release()
            if not passed_on:
                self._end(call)

    def _answer_long(self, call: "_Call", request: Any) -> None:
        try:
            if not call.has_left.is_set():
                with suppress(OSError, ProtocolError):
                    self._answer(call, request)
        finally:
            self._end(call)

    def _answer(self, call: "_Call", request: Any) -> None:
        method = self._methods[request["method"]]
        try:
            result = method(unpack(request["arguments"]), call.send_progress)
        except GlassmindError as error:
            call.send({"error": pack_error(error)}, is_last=True)
        except ClientLeft:
            call.has_left.set()
        else:
            call.send({"result": pack(result)}, is_last=True)

    def _refusal(self, request: Any) -> str | None:
        """Return why a call is not answered, if so."""
        if not isinstance(request, dict) or not isinstance(request.get("token"), str):
            return "not a request"
        if not hmac.compare_digest(request["token"].encode(), self._token.encode()):
            return "wrong token"
        if request.get("version") != __version__:
            return "another version"
        if request.get("method") not in self._methods or "arguments" not in request:
            return "unknown method"
        is_full = self.long_calls >= MOST_LONG_WAITING
        return "too many wait" if is_full and request["method"] in self._long else None

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
        self._on_call()

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
        for thread in self._threads:
            if thread.is_alive() and thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))
        with self._changed:
            left = max(0.0, deadline - time.monotonic())
            ended = self._changed.wait_for(lambda: not self._calls, left)
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

    def read_request(self) -> Any:
        """Return the request.

        Raises:
            OSError, ProtocolError: none that can be read comes in time.
        """
        self._stream.settimeout(READ_S)
        request = read_frame(self._stream, LARGEST_REQUEST)
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

    def send_progress(self, progress: Any) -> None:
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

    def send(self, message: Any, *, is_last: bool = False) -> None:
        """Send a message, unless the last one was sent."""
        with self._lock:
            if self._ended:
                return
            self._ended = is_last
            try:
                send_frame(self._stream, message)
            except OSError:
                self.has_left.set()
