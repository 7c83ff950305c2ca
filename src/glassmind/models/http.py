"""Requests to a server of models, with a bound on how long each may take.

Redirects are not followed and no proxy is used: text goes to the host that was named
or nowhere. An error never contains the password of the url, the key, or text that was
sent.
"""

import base64
import json
import socket
import struct
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import cached_property
from math import inf
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import unquote, urlsplit, urlunsplit

from glassmind.config.values import is_loopback
from glassmind.errors import CallAbandoned, ModelFailed, RemoteRefused
from glassmind.models.protocols import Cancellation

if TYPE_CHECKING:
    import httpx2

MOST_BYTES = 64 * 1024 * 1024
"""More than any answer needs; a server must not fill our memory."""

MOST_LINE = 1024 * 1024  # bytes of a line: a piece of an answer has some hundred
MESSAGE_CHARS = 200  # how much of a server's own error message is repeated
ECHO_CHARS = 24
"""So many equal characters in a row are no chance: the server repeats a note."""

OK, BAD = 200, 400
UNTOLD = (401, 403, 407)  # refusals that may repeat the credentials that were sent
UNSENDABLE = "its url or key contains characters that cannot be sent"
NOT_JSON = "what it says is not JSON"

AT_ONCE = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
"""Let closing a connection wait for nothing."""


class Timeouts(NamedTuple):
    """How long we wait, in seconds: for a connection, for all, and between pieces.

    The first piece may take as long as the whole: a server loads its model first.
    `ends` is by the clock, for a request that is made once more in the time left.
    """

    connect_s: float
    total_s: float
    silence_s: float = 20.0
    ends: float = inf

    @property
    def unreached(self) -> str:
        return f"no connection within {self.connect_s:g} s"

    @property
    def late(self) -> str:
        return f"it took longer than {self.total_s:g} s"


class ModelServer:
    """A server by its url, and the model it is asked for; for any number of threads.

    `start` is what to do where nothing listens. Requests raise `ModelFailed` where the
    server gives no answer within the bounds.
    """

    def __init__(
        self,
        model: str,
        url: str,
        key: str = "",
        start: str = "see that it is started and that the url has its port",
    ) -> None:
        self.model, self.start, self._key = model, start, key
        parts = self._parts = urlsplit(url)
        # Without its name and password: the library logs urls.
        bare = parts._replace(netloc=parts.netloc.rpartition("@")[2])
        self.url = urlunsplit(bare).rstrip("/")
        pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
        self._basic = base64.b64encode(pair.encode()).decode() if parts.username else ""

    @property
    def host(self) -> str:
        port = f":{self._parts.port}" if self._parts.port else ""
        return f"{self._parts.hostname or ''}{port}"

    def refuse_remote(
        self,
        *,
        allowed: bool,
        setting: str = "embeddings.allow_remote",
        sent: str = "note text",
    ) -> None:
        if not allowed and not is_loopback(self._parts.hostname or ""):
            raise RemoteRefused(self.host, setting, sent)

    @cached_property
    def client(self) -> "httpx2.Client":
        import ssl  # noqa: PLC0415 - slow to import

        import httpx2  # noqa: PLC0415 - slow to import

        secure = self._parts.scheme == "https"
        return httpx2.Client(
            verify=ssl.create_default_context() if secure else False,
            limits=httpx2.Limits(max_keepalive_connections=0),
            trust_env=False,
        )

    def headers(self) -> dict[str, str]:
        made = {"Accept-Encoding": "identity", "Content-Type": "application/json"}
        if self._basic:
            made["Authorization"] = f"Basic {self._basic}"
        elif self._key:
            made["Authorization"] = f"Bearer {self._key}"
        return made

    def ask(self, path: str, question: Mapping[str, Any], bounds: Timeouts) -> Any:
        return Exchange(self, path, question, bounds).json()

    def look(self, path: str, bounds: Timeouts) -> Any:
        return Exchange(self, path, None, bounds).json()

    def failed(self, reason: str) -> ModelFailed:
        return ModelFailed(self.model, f"{self.host}: {self._hidden(reason)}")

    def message(self, said: object, question: Mapping[str, Any]) -> str:
        """Return the error message in an answer, if it has one in a usual place.

        Empty where it repeats what was sent: errors do not contain notes.
        """
        message = _message(said) if isinstance(said, Mapping) else ""
        # Hidden before it is cut: half a key at the end would still be secret.
        words = self._hidden(" ".join(message.split()))[: 2 * MESSAGE_CHARS]
        return "" if _repeats(words, question) else words[:MESSAGE_CHARS]

    def _hidden(self, words: str) -> str:
        password = self._parts.password or ""
        for secret in (self._key, password, unquote(password), self._basic):
            if secret:
                words = words.replace(secret, "(hidden)")
        return words


_CONNECTED = object()


class Exchange:
    """One request, made in a thread of its own, and the answer as it comes.

    No call waits longer than the bounds, whatever the network does: no timeout of a
    socket covers the lookup of a name, or a head that comes byte by byte. On leaving
    its context the connection is cut. Where there is no answer in time, or it breaks,
    every method raises `ModelFailed`; after a halt, `CallAbandoned`.
    """

    def __init__(
        self,
        server: ModelServer,
        path: str,
        question: Mapping[str, Any] | None,
        bounds: Timeouts,
        halt: Cancellation | None = None,
    ) -> None:
        self.server, self.question = server, question or {}
        self.status, self.kind = 0, ""
        self._bounds, self._halt = bounds, halt or Cancellation()
        self._check()
        self._came: SimpleQueue[Any] = SimpleQueue()
        self._link: socket.socket | None = None
        self._closed = self._begun = False
        self._waited_s = 0.0
        self._stack = ExitStack()
        body = None if question is None else json.dumps(question).encode()
        work = (server.client, server.url + path, body)
        self._started = monotonic()
        self._ends = min(self._started + bounds.total_s, bounds.ends)
        name = "glassmind-http"
        Thread(target=self._run, args=work, name=name, daemon=True).start()

    def __enter__(self) -> Self:
        with ExitStack() as opening:
            opening.callback(self._cut)
            opening.enter_context(self._halt.ending(lambda: self._came.put(None)))
            ends = min(self._started + self._bounds.connect_s, self._ends)
            if self._next(ends, self._bounds.unreached) is _CONNECTED:
                self.status, self.kind = self._next(self._ends, self._bounds.late)
            self._stack = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def json(self) -> Any:
        with self:
            if self.status != OK:
                words = self.refusal()
                raise self.failed(f"HTTP {self.status}{words and ': '}{words}")
            answer = b"".join(self.pieces())
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):
            raise self.failed(NOT_JSON) from None

    def refusal(self) -> str:
        answer = b"".join(self.pieces())
        if self.status in UNTOLD:
            return ""
        try:
            return self.message(json.loads(answer))
        except (ValueError, RecursionError):
            return ""

    def lines(self) -> Iterator[bytes]:
        held = b""
        for piece in self.pieces():
            *whole, held = (held + piece).split(b"\n")
            if max(map(len, (held, *whole))) > MOST_LINE:
                raise self.failed(f"a line has more than {MOST_LINE:,} bytes")
            for line in whole:
                self._check()
                yield line.rstrip(b"\r")
        if held:
            yield held

    def pieces(self) -> Iterator[bytes]:
        while True:
            since, ends, late = monotonic(), self._ends, self._bounds.late
            quiet = since + self._bounds.silence_s - self._waited_s
            if self._begun and quiet < ends:
                ends, late = quiet, f"it was silent for {self._bounds.silence_s:g} s"
            piece: bytes = self._next(ends, late)
            self._waited_s += monotonic() - since
            if not piece:
                return
            yield piece

    def begun(self) -> None:
        """Note that a word came: from now on the server may not be silent for long.

        What merely keeps a connection alive is no word.
        """
        self._begun, self._waited_s = True, 0.0

    def message(self, said: object) -> str:
        return self.server.message(said, self.question)

    def failed(self, reason: str) -> ModelFailed:
        return self.server.failed(reason)

    def _next(self, ends: float, late: str) -> Any:
        self._check()
        left = ends - monotonic()
        try:
            came = self._came.get(timeout=left) if left > 0 else TimeoutError()
        except Empty:
            came = TimeoutError()
        self._check()
        if isinstance(came, Exception):
            is_late = isinstance(came, TimeoutError)
            reason = late if is_late else _reason(came, self._bounds)
            start = f"; {self.server.start}" if reason == NOBODY else ""
            raise self.failed(reason + start)
        return came

    def _check(self) -> None:
        if self._halt.is_set():
            raise CallAbandoned

    def _run(self, client: "httpx2.Client", url: str, body: bytes | None) -> None:
        import httpx2  # noqa: PLC0415 - slow to import

        bounds = self._bounds
        timeout = (bounds.connect_s, bounds.total_s, bounds.total_s, None)
        try:
            with client.stream(
                "GET" if body is None else "POST",
                url,
                content=body,
                headers=self.server.headers(),
                timeout=timeout,
                extensions={"trace": self._traced},
            ) as reply:
                kind = reply.headers.get("Content-Type", "").partition(";")[0]
                self._came.put((reply.status_code, kind.strip().lower()))
                total = 0
                for piece in reply.iter_raw():
                    total += len(piece)
                    if piece:
                        self._came.put(piece)
                    if total > MOST_BYTES:
                        break
            self._came.put(b"" if total <= MOST_BYTES else _TooMuch())
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
            self._came.put(error)  # for the thread that waits

    def _traced(self, event: str, info: Mapping[str, Any]) -> None:
        """Note the connection once there is one, so that it can be cut."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._link = info["return_value"].get_extra_info("socket")
            if self._closed:
                self._cut()
        elif event.endswith("send_request_headers.started"):
            self._came.put(_CONNECTED)

    def _cut(self) -> None:
        """End whatever the connection is doing, from whatever thread."""
        self._closed = True
        if self._link is not None:
            try:
                # With a reset: a server that is still sending may else wait a minute.
                self._link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
                # Not the method of an encrypted one: it closes what a reader uses.
                socket.socket.shutdown(self._link, socket.SHUT_RDWR)
            except OSError:
                return  # the other side was quicker


class _TooMuch(Exception):
    """An answer has no end."""


def _message(said: Mapping[str, Any]) -> str:
    """Return an error message, wherever a server puts it.

    Most have an `error`, a text or with its `message`; vLLM has the `message` alone,
    and what is made with FastAPI a `detail`: a text, or a list of what is wrong where.
    """
    error = said.get("error")
    if isinstance(error, Mapping):
        error = error.get("message") or error.get("type")
    found = error or said.get("message") or said.get("detail") or ""
    return found if isinstance(found, str) else json.dumps(found)


def _repeats(words: str, question: Mapping[str, Any]) -> bool:
    """Whether a stretch of the words is of the texts that a question holds."""
    texts = {
        name: question.get(name) for name in ("messages", "input", "query", "items")
    }
    sent = " ".join(
        " ".join(json.dumps(texts, ensure_ascii=escaped).replace("\\n", " ").split())
        for escaped in (True, False)
    ).casefold()
    heard = words.casefold()
    stretches = (heard[n : n + ECHO_CHARS] for n in range(len(heard) - ECHO_CHARS + 1))
    return any(stretch in sent for stretch in stretches)


NOBODY = "nothing listens there"
CUT_SHORT = "it stopped in the middle of its answer"
CLOSED = "it closed the connection before its answer was whole"


def _reason(error: Exception, bounds: Timeouts) -> str:
    import httpx2  # noqa: PLC0415 - slow to import

    match error:
        case httpx2.ConnectTimeout():
            return bounds.unreached
        case httpx2.TimeoutException():
            return bounds.late
        case _:
            return broken_by(error)


def broken_by(error: BaseException) -> str:
    """Return what went wrong with a connection, by the first cause that is known."""
    import ssl  # noqa: PLC0415 - slow to import

    import httpx2  # noqa: PLC0415 - slow to import

    malformed, problem = "what it answers is not HTTP; look at the url", str(error)
    if "without sending" in problem:
        malformed = CLOSED if "response" in problem else CUT_SHORT
    kinds = {
        ConnectionRefusedError: NOBODY,
        ConnectionError: CLOSED,
        socket.gaierror: "no machine is known by this name; look at the url",
        ssl.SSLCertVerificationError: "its certificate is not trusted on this machine",
        ssl.SSLError: "it does not encrypt as https does; look at the url",
        _TooMuch: f"its answer has more than {MOST_BYTES:,} bytes",
        httpx2.RemoteProtocolError: malformed,
        httpx2.LocalProtocolError: UNSENDABLE,
        httpx2.InvalidURL: UNSENDABLE,
        UnicodeError: UNSENDABLE,
    }
    cause: BaseException | None = error
    while cause is not None:
        for kind, words in kinds.items():
            if isinstance(cause, kind):
                return words
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror.lower()
        cause = cause.__cause__ or cause.__context__
    return "the connection failed"
