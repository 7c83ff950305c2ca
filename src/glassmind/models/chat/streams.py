"""A question whose answer is read as it comes, and can be cut at any moment.

Everything happens in the thread that asks: what another thread does, be it a timer or
whoever halts, is to shut the connection, which wakes the one that waits for it.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from errno import EINPROGRESS, EWOULDBLOCK
from http.client import HTTPConnection, HTTPException, HTTPResponse
from selectors import EVENT_WRITE, DefaultSelector
from socket import SO_ERROR, SOL_SOCKET, socket
from threading import Timer
from time import monotonic
from typing import Any, NamedTuple, Self

from glassmind.errors import ModelFailed
from glassmind.errors.serving import CallAbandoned
from glassmind.models.broken import NOBODY, broken_by
from glassmind.models.chat.length import LENGTH_HINT, is_too_long
from glassmind.models.http import BAD, MOST_BYTES, UNSENDABLE, ModelServer, shut
from glassmind.models.lookup import SLICE_S, Unreached, addresses
from glassmind.ports.chat import Halt

CONNECT_S = 2.0
"""A server on this machine is there at once or not at all."""

SILENCE_S = 20.0
"""Once it writes, a model on a slow machine takes a second or two for a word; one that
is silent for so long has hung."""

MOST_LINE = 1024 * 1024
"""Bytes of a line: a piece of an answer has some hundred."""

MOST_FAULT = 64 * 1024
"""Bytes that are read of what a server says about its fault."""

PIECE = 64 * 1024

ON_ITS_WAY = (EINPROGRESS, EWOULDBLOCK)
"""What a system says of a connection that is on its way."""


class StreamBounds(NamedTuple):
    """How long we wait, in seconds: for a connection, between pieces, and in all.

    The first piece may take as long as the whole: a server loads its model first, and
    reads what it is sent.
    """

    total_s: float
    silence_s: float = SILENCE_S
    connect_s: float = CONNECT_S


class Wanted(NamedTuple):
    """What is asked: where, in which words, and which kinds of answer are one.

    `start` says how such a server is started; `ends` is when, by the clock, the whole
    is over.
    """

    path: str
    question: Mapping[str, Any]
    kinds: tuple[str, ...]
    start: str
    ends: float


class Stream:
    """One question on its way; nothing of it is left once it is closed."""

    def __init__(
        self, server: ModelServer, wanted: Wanted, bounds: StreamBounds, halt: Halt
    ) -> None:
        self._server, self._wanted, self._halt = server, wanted, halt
        self._bounds = bounds
        self._link: HTTPConnection | None = None
        self._socket: socket | None = None
        self._reply: HTTPResponse | None = None
        self._late = self._begun = False
        self._waited_s = 0.0
        self._complaint: str | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Send the question and wait until the server begins to answer.

        Raises:
            ModelFailed: it does not.
            CallAbandoned: it was halted.
        """
        with ExitStack() as opening:
            opening.callback(self._close)
            timer = Timer(max(self._left(), 0), self._expire)
            timer.daemon = True
            timer.start()
            opening.callback(timer.join)
            opening.callback(timer.cancel)
            opening.enter_context(self._halt.ending(self._cut))
            with self._guarded():
                self._send()
            self._stack = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def status(self) -> int:
        """What the server says of the question: 200 where it answers."""
        return self._reply.status if self._reply else 0

    @property
    def kind(self) -> str:
        """The type of what it sends, in lower case; empty where it does not tell."""
        named = self._reply.getheader("Content-Type", "") if self._reply else ""
        return named.partition(";")[0].strip().lower()

    @property
    def complaint(self) -> str | None:
        """The server's own words for its fault; None where it has told none yet."""
        return self._complaint

    def begun(self) -> None:
        """Take note that the model writes: from now on it may not be silent."""
        self._begun, self._waited_s = True, 0.0

    def fault(self) -> bytes:
        """Return what the server says in place of an answer, as far as we want it.

        Raises:
            ModelFailed: it does not come to an end.
            CallAbandoned: it was halted.
        """
        said = bytearray()
        self.begun()  # a fault is told at once
        while len(said) < MOST_FAULT and (piece := self._piece()):
            said += piece
        return bytes(said)

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of the answer as they come, without what ends them.

        Raises:
            ModelFailed: it breaks, falls silent, takes too long or has no end.
            CallAbandoned: it was halted.
        """
        kinds = self._wanted.kinds
        if self.kind and self.kind not in kinds:
            reason = f"it answers {self.kind[:60]}, not {kinds[0]}; check llm.url"
            raise self.failed(reason)
        held, total = bytearray(), 0
        while piece := self._piece():
            total += len(piece)
            held += piece
            *whole, held = held.split(b"\n") if b"\n" in piece else [held]
            if len(held) > MOST_LINE or any(len(line) > MOST_LINE for line in whole):
                raise self.failed(f"a line has more than {MOST_LINE:,} bytes")
            if total > MOST_BYTES:
                raise self.failed(f"its answer has more than {MOST_BYTES:,} bytes")
            for line in whole:
                self._check()
                yield bytes(line.rstrip(b"\r"))
        if held:
            yield bytes(held)

    def said(self, line: bytes) -> dict[str, Any]:
        """Return what a line says.

        Raises:
            ModelFailed: that is no JSON object, or tells a fault.
        """
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict):
            raise self.failed("what it says is not JSON")
        if said.get("error") or said.get("object") == "error":
            self._complaint = words = self._server.words(said, self._wanted.question)
            if is_too_long(BAD, words):
                raise self.failed(f"{words}; {LENGTH_HINT}")
            raise self.failed(words or "it failed in the middle of its answer")
        return said

    def tellable(self, words: str) -> str:
        """Return as much of a model's words as may be told with a fault."""
        return self._server.words({"error": words}, self._wanted.question)

    def failed(self, reason: str) -> ModelFailed:
        """Return the fault for a reason."""
        return self._server.failed(reason)

    def refusal(self) -> str:
        """Return the server's own words for a status that is no answer."""
        told = self._server.told(self.status, self.fault(), self._wanted.question)
        self._complaint = told
        return told

    def _piece(self) -> bytes:
        """Return what came, however little; nothing when it is over."""
        self._check()
        with self._guarded():
            if self._socket is None or self._reply is None:
                return b""
            self._socket.settimeout(self._patience())
            since = monotonic()
            piece = self._reply.read1(PIECE)
            self._waited_s += monotonic() - since
        self._check()
        return piece

    def _patience(self) -> float:
        """Return how long the next bytes may take.

        What keeps a connection alive is no word: it starts nothing anew. Nor does the
        time count that somebody takes to listen.
        """
        if not self._begun:
            return self._bounds.total_s
        left = self._bounds.silence_s - self._waited_s
        if left <= 0:
            raise TimeoutError
        return left

    def _send(self) -> None:
        self._check()
        body = json.dumps(self._wanted.question).encode()
        headers = self._server.headers() | {"Accept": ", ".join(self._wanted.kinds)}
        self._link = link = self._server.connection(self._bounds.connect_s)
        link.sock = made = self._connected()
        self._check()
        made.settimeout(self._bounds.total_s)
        link.request("POST", self._server.path(self._wanted.path), body, headers)
        self._reply = link.getresponse()

    def _connected(self) -> socket:
        """Return a connection, tried at every address that the server has."""
        host, port = self._server.address
        ends = monotonic() + min(self._bounds.connect_s, max(self._left(), 0))
        problem = OSError(f"no address of {host}")
        for each in addresses(host, port, ends, self._check):
            made = socket(each.family, each.kind, each.protocol)
            self._socket = made
            try:
                self._reach(made, each.place, ends)
                return self._encrypted(made, host, ends)
            except OSError as error:
                self._socket.close()
                problem = error
        raise problem

    def _reach(self, made: socket, address: Any, ends: float) -> None:
        made.setblocking(False)
        code = made.connect_ex(address)
        if code in ON_ITS_WAY:
            with DefaultSelector() as watching:
                watching.register(made, EVENT_WRITE)
                while not watching.select(SLICE_S):
                    self._check()
                    if monotonic() > ends:
                        raise Unreached
            code = made.getsockopt(SOL_SOCKET, SO_ERROR)
        if code:
            raise OSError(code, os.strerror(code))

    def _encrypted(self, made: socket, host: str, ends: float) -> socket:
        made.settimeout(max(ends - monotonic(), SLICE_S))
        tls = self._server.tls
        if tls is None:
            return made
        # In two steps, so that whoever halts finds what is to be shut.
        safe = tls.wrap_socket(
            made, server_hostname=host, do_handshake_on_connect=False
        )
        self._socket = safe
        self._check()
        try:
            safe.do_handshake()
        except TimeoutError:
            raise Unreached from None
        return safe

    def _close(self) -> None:
        for part in (self._reply, self._link, self._socket):
            if part is not None:
                part.close()

    def _cut(self) -> None:
        if self._socket is not None:
            shut(self._socket)

    def _expire(self) -> None:
        self._late = True
        self._cut()

    def _check(self) -> None:
        if self._halt.is_set():
            raise CallAbandoned
        if self._late:
            raise self.failed(f"it took longer than {self._bounds.total_s:g} s")

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Give the faults of a connection their names."""
        try:
            yield
        except (OSError, HTTPException, ValueError) as error:
            self._check()  # what breaks because we cut it is no fault of the server
            raise self.failed(self._reason(error)) from None

    def _reason(self, error: Exception) -> str:
        match error:
            case TimeoutError():
                return self._slowness(error)
            case ConnectionRefusedError():
                return f"{NOBODY}; {self._wanted.start}"
            case OSError() | HTTPException():
                return broken_by(error)
            case _:  # its words would repeat what cannot be sent
                return UNSENDABLE

    def _slowness(self, error: TimeoutError) -> str:
        if isinstance(error, Unreached):
            return f"no connection within {self._bounds.connect_s:g} s"
        if self._begun:
            return f"it was silent for {self._bounds.silence_s:g} s"
        return f"it took longer than {self._bounds.total_s:g} s"

    def _left(self) -> float:
        return self._wanted.ends - monotonic()
