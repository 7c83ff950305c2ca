"""One question to a server of models, with a bound on how long it may take.

Nothing is followed and no proxy is asked: text goes to the host that was named or
nowhere. What went wrong is told without the url's password or the key, and without
what we sent.
"""

import base64
import json
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from errno import EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETUNREACH
from http.client import HTTPConnection, HTTPException, HTTPSConnection, IncompleteRead
from threading import Event, Thread, Timer
from time import monotonic
from typing import Any, NamedTuple, Self
from urllib.parse import unquote, urlsplit

from glassmind.config.values import is_loopback
from glassmind.errors import ModelFailed, RemoteRefused

MOST_BYTES = 64 * 1024 * 1024
"""More than any answer we ask for; a server must not fill our memory."""

SAID_CHARS = 200
"""What is told of a server's own words about a fault."""

ECHO_CHARS = 24
"""So many letters in a row that we sent are no chance: the server repeats a note."""

OK, BAD = 200, 400
UNTOLD = (401, 403, 407)
"""Refusals that may repeat what we sent to be let in."""

UNSENDABLE = "its url or key holds letters that cannot be sent"

PORTS = {"http": 80, "https": 443}


class Bounds(NamedTuple):
    """How long we wait, in seconds: for a connection, and for the whole answer."""

    connect_s: float
    total_s: float


class ModelServer(NamedTuple):
    """A server by its url, and the model we ask it for."""

    model: str
    url: str
    key: str = ""

    @property
    def host(self) -> str:
        """The machine and port, without anything secret."""
        parts = urlsplit(self.url)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.hostname or ''}{port}"

    @property
    def address(self) -> tuple[str, int]:
        """The machine, and the port also where the url leaves it out."""
        parts = urlsplit(self.url)
        return parts.hostname or "", parts.port or PORTS.get(parts.scheme, 80)

    @property
    def tls(self) -> ssl.SSLContext | None:
        """How to see that it is who it says it is; None where nothing is encrypted."""
        secure = urlsplit(self.url).scheme == "https"
        return ssl.create_default_context() if secure else None

    def refuse_remote(
        self,
        *,
        allowed: bool,
        setting: str = "embeddings.allow_remote",
        sent: str = "note text",
    ) -> None:
        """See that text does not leave this machine without consent.

        Raises:
            RemoteRefused: what is `sent` would; `setting` is what would allow it.
        """
        if not allowed and not is_loopback(urlsplit(self.url).hostname or ""):
            raise RemoteRefused(self.host, setting, sent)

    def ask(self, path: str, question: Mapping[str, Any], bounds: Bounds) -> Any:
        """Return the JSON that the server answers to a JSON question.

        Raises:
            ModelFailed: it did not, within the bounds.
        """
        return self._answered("POST", path, question, bounds)

    def look(self, path: str, bounds: Bounds) -> Any:
        """Return the JSON that the server has at a path.

        Raises:
            ModelFailed: it has none, or does not tell within the bounds.
        """
        return self._answered("GET", path, {}, bounds)

    def _answered(
        self, verb: str, path: str, question: Mapping[str, Any], bounds: Bounds
    ) -> Any:
        body = json.dumps(question).encode() if question else None
        try:
            status, answer = self._sent(verb, path, body, bounds)
        except Unreached:
            reason = f"no connection within {bounds.connect_s:g} s"
            raise self.failed(reason) from None
        except TimeoutError:
            raise self.failed(f"it took longer than {bounds.total_s:g} s") from None
        except (OSError, HTTPException) as error:
            raise self.failed(broken_by(error)) from None
        except ValueError:
            raise self.failed(UNSENDABLE) from None
        if status != OK:
            words = self.told(status, answer, question)
            raise self.failed(f"HTTP {status}{words and ': '}{words}")
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):
            raise self.failed("what it says is not JSON") from None

    def _sent(
        self, verb: str, path: str, body: bytes | None, bounds: Bounds
    ) -> tuple[int, bytes]:
        link = self.connection(bounds.connect_s)
        try:
            link.sock = self._reached(bounds.connect_s)
            with _Deadline(link, bounds.total_s) as deadline:
                try:
                    link.request(verb, self.path(path), body, self.headers())
                    with link.getresponse() as reply:
                        answer = reply.read(MOST_BYTES + 1)
                except (OSError, HTTPException):
                    deadline.check()
                    raise
                deadline.check()
        finally:
            link.close()
        if len(answer) > MOST_BYTES:
            raise self.failed(f"its answer has more than {MOST_BYTES:,} bytes")
        return reply.status, answer

    def _reached(self, connect_s: float) -> socket.socket:
        """Return a connection, tried at every address that the server has."""
        (host, port), tls = self.address, self.tls
        problem = OSError(f"no address of {host}")
        for each in addresses(host, port, monotonic() + connect_s, lambda: None):
            made = socket.socket(each.family, each.kind, each.protocol)
            try:
                made.settimeout(connect_s)
                made.connect(each.place)
                made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return tls.wrap_socket(made, server_hostname=host) if tls else made
            except OSError as error:
                made.close()
                problem = Unreached() if isinstance(error, TimeoutError) else error
            except BaseException:
                made.close()
                raise
        raise problem

    def connection(self, connect_s: float) -> HTTPConnection:
        """Return a connection to the server that is not made yet."""
        (host, port), tls = self.address, self.tls
        if tls is not None:
            return HTTPSConnection(host, port, timeout=connect_s, context=tls)
        return HTTPConnection(host, port, timeout=connect_s)

    def path(self, path: str) -> str:
        """Return where a path of its interface is, below that of its url."""
        return urlsplit(self.url).path.rstrip("/") + path

    def headers(self) -> dict[str, str]:
        """Return what goes with a question, secrets too."""
        made = {"Content-Type": "application/json", "Accept": "application/json"}
        if pair := self._pair():
            made["Authorization"] = f"Basic {pair}"
        elif self.key:
            made["Authorization"] = f"Bearer {self.key}"
        return made

    def failed(self, reason: str) -> ModelFailed:
        """Return the fault for a reason, without anything secret in it."""
        return ModelFailed(self.model, f"{self.host}: {self._hidden(reason)}")

    def told(self, status: int, answer: bytes, question: Mapping[str, Any]) -> str:
        """Return what a server says about its fault, if it says so in a usual way.

        Empty where it repeats what we sent: notes are not told with a fault.
        """
        if status in UNTOLD:
            return ""
        try:
            said = json.loads(answer)
        except (ValueError, RecursionError):
            return ""
        return self.words(said, question)

    def words(self, said: object, question: Mapping[str, Any]) -> str:
        """Return what an answer says of its fault, in the form that `told` has."""
        error = _complaint(said) if isinstance(said, Mapping) else ""
        # Hidden first: half a key at the end of what is told would be one too.
        words = self._hidden(" ".join(error.split()))[: 2 * SAID_CHARS]
        return "" if _repeats(words, question) else words[:SAID_CHARS]

    def _pair(self) -> str:
        parts = urlsplit(self.url)
        if not parts.username:
            return ""
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        return base64.b64encode(pair.encode()).decode()

    def _hidden(self, words: str) -> str:
        password = urlsplit(self.url).password or ""
        for secret in (self.key, password, unquote(password), self._pair()):
            if secret:
                words = words.replace(secret, "(hidden)")
        return words


class _Deadline:
    """Cuts a connection when its time is up, in whatever it is doing.

    A timeout of the socket alone bounds each piece of an answer, not the whole: a
    server that sends a byte now and then would hold us for ever.
    """

    def __init__(self, link: HTTPConnection, total_s: float) -> None:
        self._socket, self._over = link.sock, False
        self._socket.settimeout(total_s)
        self._timer = Timer(total_s, self._cut)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._timer.join()

    def _cut(self) -> None:
        self._over = True
        shut(self._socket)

    def check(self) -> None:
        """Tell a connection that we cut from one that broke.

        Raises:
            TimeoutError: the time is up.
        """
        if self._over:
            raise TimeoutError


def shut(link: socket.socket) -> None:
    """End what a connection is doing, from whatever thread."""
    try:
        # Not the method of an encrypted one: it takes away what a reader is using.
        socket.socket.shutdown(link, socket.SHUT_RDWR)
    except OSError:
        return  # the other side was quicker


def _complaint(said: Mapping[str, Any]) -> str:
    """Return the words of a fault, wherever a server puts them.

    Most have an `error`, in a text or with its `message`; vLLM has the `message` alone,
    and what is made with FastAPI a `detail`: a text, or a list of what is wrong where.
    """
    error = said.get("error")
    if isinstance(error, Mapping):
        error = error.get("message") or error.get("type")
    if error:
        return str(error)
    if isinstance(message := said.get("message"), str) and message:
        return message
    detail = said.get("detail")
    if isinstance(detail, str):
        return detail
    faults = detail if isinstance(detail, list) else []
    return "; ".join(filter(None, map(_wrong, faults)))


def _wrong(fault: object) -> str:
    """Return what is wrong, and with which part of what was sent if that is told."""
    if not isinstance(fault, Mapping) or not isinstance(fault.get("msg"), str):
        return ""
    at = fault.get("loc")
    names = [str(each) for each in at if each != "body"] if isinstance(at, list) else []
    return f"{'.'.join(names)}{': ' if names else ''}{fault['msg']}"


def _repeats(words: str, question: Mapping[str, Any]) -> bool:
    """Whether a stretch of the words is of the texts that a question holds."""
    heard = words.casefold()
    sent = [
        form
        for name in ("messages", "input", "query", "items")
        for text in _texts(question.get(name))
        for form in (" ".join(text.split()).casefold(), json.dumps(text).casefold())
    ]
    stretches = (heard[n : n + ECHO_CHARS] for n in range(len(heard) - ECHO_CHARS + 1))
    return any(stretch in form for stretch in stretches for form in sent)


def _texts(part: object) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping):
        for value in part.values():
            yield from _texts(value)
    elif isinstance(part, list | tuple):
        for value in part:
            yield from _texts(value)


NOBODY = "nothing listens there"
"""What is said of a port that nobody has opened."""

CUT_SHORT = "it stopped in the middle of its answer"

KINDS: tuple[tuple[type[Exception], str], ...] = (
    (
        ConnectionRefusedError,
        f"{NOBODY}; see that it is started and that the url has its port",
    ),
    (ConnectionError, "it closed the connection before its answer was whole"),
    (socket.gaierror, "no machine is known by this name; look at the url"),
    (ssl.SSLCertVerificationError, "its certificate is not trusted on this machine"),
    (ssl.SSLError, "it does not encrypt as https does; look at the url"),
    (IncompleteRead, CUT_SHORT),
    (HTTPException, "what it answers is not HTTP; look at the url"),
)
"""The first that fits is told."""

FAR = (EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETUNREACH)


def broken_by(error: OSError | HTTPException) -> str:
    """Return what went wrong with a connection, as one part of a sentence."""
    for kind, words in KINDS:
        if isinstance(error, kind):
            return words
    if isinstance(error, OSError) and error.errno in FAR:
        return "there is no way to it from this machine"
    return (getattr(error, "strerror", "") or "the connection failed").lower()


SLICE_S = 0.05
"""How soon somebody who halts is heard while a connection is made."""


class Unreached(TimeoutError):
    """No connection was made in time."""


class Address(NamedTuple):
    """Where a machine is, in the form that a socket wants."""

    family: int
    kind: int
    protocol: int
    place: Any


def addresses(
    host: str, port: int, ends: float, check: Callable[[], None]
) -> list[Address]:
    """Return where a machine is, in the order to try; never empty.

    `ends` is by the clock; `check` is called while we wait, and may raise.

    Raises:
        Unreached: nobody says so in time.
        OSError: there is no such machine.
        ValueError: that is no name.
    """
    if is_loopback(host):  # no other machine is asked for it
        return _found(host, port)
    asked = _Lookup(host, port)
    while not asked.done.wait(min(SLICE_S, max(ends - monotonic(), 0))):
        check()
        if monotonic() >= ends:
            raise Unreached
    return asked.result()


class _Lookup:
    """A name that is being looked up."""

    def __init__(self, host: str, port: int) -> None:
        self.done = Event()
        self._host, self._port = host, port
        self._made: list[Address] = []
        self._error: Exception = OSError(f"no address of {host}")
        Thread(target=self._run, name="glassmind-lookup", daemon=True).start()

    def _run(self) -> None:
        try:
            self._made = _found(self._host, self._port)
        except (OSError, ValueError) as error:
            self._error = error  # for who waits to see
        finally:
            self.done.set()

    def result(self) -> list[Address]:
        """Return what was found, or raise what came of it."""
        if not self._made:
            raise self._error
        return self._made


def _found(host: str, port: int) -> list[Address]:
    return [
        Address(family, kind, protocol, place)
        for family, kind, protocol, _, place in socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM
        )
    ]
