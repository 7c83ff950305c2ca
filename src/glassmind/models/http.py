"""One question to a server of models, with a bound on how long it may take.

Nothing is followed and no proxy is asked: text goes to the host that was named or
nowhere. What went wrong is told without the url's password or the key.
"""

import base64
import json
import ssl
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from socket import SHUT_RDWR
from threading import Timer
from typing import Any, NamedTuple, Self
from urllib.parse import unquote, urlsplit

from glassmind.config.guards import is_loopback
from glassmind.errors import ModelFailed, RemoteRefused

MOST_BYTES = 64 * 1024 * 1024
"""More than any answer we ask for; a server must not fill our memory."""

SAID_CHARS = 200
"""What is told of a server's own words about a fault."""

OK = 200
UNTOLD = (401, 403, 407)
"""Refusals that may repeat what we sent to be let in."""


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

    def refuse_remote(self, *, allowed: bool) -> None:
        """See that text does not leave this machine without consent.

        Raises:
            RemoteRefused: it would.
        """
        if not allowed and not is_loopback(urlsplit(self.url).hostname or ""):
            raise RemoteRefused(self.host)

    def ask(self, path: str, question: Mapping[str, Any], bounds: Bounds) -> Any:
        """Return the JSON that the server answers to a JSON question.

        Raises:
            ModelFailed: it did not, within the bounds.
        """
        body = json.dumps(question).encode()
        try:
            status, answer = self._sent(path, body, bounds)
        except TimeoutError:
            raise self._failed(f"it took longer than {bounds.total_s:g} s") from None
        except (OSError, HTTPException) as error:
            raise self._failed(f"{type(error).__name__}: {error}") from None
        except UnicodeError:
            reason = "its url or key holds letters that cannot be sent"
            raise self._failed(reason) from None
        if status != OK:
            raise self._failed(f"HTTP {status}{_said(status, answer)}")
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):
            raise self._failed("what it says is not JSON") from None

    def _sent(self, path: str, body: bytes, bounds: Bounds) -> tuple[int, bytes]:
        link = self._connection(bounds.connect_s)
        try:
            link.connect()
            with _Deadline(link, bounds.total_s) as deadline:
                try:
                    link.request("POST", self._path(path), body, self._headers())
                    reply = link.getresponse()
                    answer = reply.read(MOST_BYTES + 1)
                except (OSError, HTTPException):
                    deadline.check()
                    raise
                deadline.check()
        finally:
            link.close()
        if len(answer) > MOST_BYTES:
            raise self._failed(f"its answer has more than {MOST_BYTES:,} bytes")
        return reply.status, answer

    def _connection(self, connect_s: float) -> HTTPConnection:
        parts = urlsplit(self.url)
        host = parts.hostname or ""
        if parts.scheme == "https":
            context = ssl.create_default_context()
            return HTTPSConnection(host, parts.port, timeout=connect_s, context=context)
        return HTTPConnection(host, parts.port, timeout=connect_s)

    def _path(self, path: str) -> str:
        return urlsplit(self.url).path.rstrip("/") + path

    def _headers(self) -> dict[str, str]:
        made = {"Content-Type": "application/json", "Accept": "application/json"}
        parts = urlsplit(self.url)
        if parts.username:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            made["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        elif self.key:
            made["Authorization"] = f"Bearer {self.key}"
        return made

    def _failed(self, reason: str) -> ModelFailed:
        parts = urlsplit(self.url)
        for secret in (self.key, parts.password, unquote(parts.password or "")):
            if secret:
                reason = reason.replace(secret, "(hidden)")
        return ModelFailed(self.model, f"{self.host}: {reason}")


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

    def _cut(self) -> None:
        self._over = True
        try:
            self._socket.shutdown(SHUT_RDWR)
        except OSError:
            return  # the other side was quicker

    def check(self) -> None:
        """Tell a connection that we cut from one that broke.

        Raises:
            TimeoutError: the time is up.
        """
        if self._over:
            raise TimeoutError


def _said(status: int, answer: bytes) -> str:
    """Return what a server says about its fault, if it says so in a usual way."""
    if status in UNTOLD:
        return ""
    try:
        said = json.loads(answer)["error"]
        said = said["message"] if isinstance(said, dict) else said
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return f": {' '.join(str(said).split())[:SAID_CHARS]}"
