"""Running the server: the listening socket, signals and uvicorn."""

import contextlib
import errno
import json
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NamedTuple

import uvicorn
from starlette.applications import Starlette

from glassmind.access.clients import clients_of
from glassmind.config import Config
from glassmind.errors.serving import AddressUnusable, PortTaken
from glassmind.serve.daemon.host import VaultHost
from glassmind.serve.http.app import make_app
from glassmind.serve.http.limits import (
    LARGEST_HEAD,
    MOST_CONNECTIONS,
    Connection,
    raise_file_limit,
)
from glassmind.serve.http.middleware import ignore_request, log_request
from glassmind.serve.http.security import ALL_INTERFACES, bracketed, host_names
from glassmind.serve.http.token import TokenFile
from glassmind.serve.mcp.log import PatientStream, log, take_over_logging

KEEP_ALIVE_S = 15
"""Seconds for which a connection stays open between two requests."""

SHUTDOWN_S = 1
"""Seconds that running requests get when the server ends."""

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""Signals that end the server; not every system has all of them."""

PROBE_S, PROBE_BYTES = 1.0, 65_536
"""Limits of the answer of a program that uses the port already."""

BACKLOG = 512
"""Connections that may wait in the kernel."""

AT_ONCE = 16
"""Connections that asyncio accepts in a row, before it can close any of them."""

NO_FILES = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))


class Terms(NamedTuple):
    """How to serve a vault; port 0 means any free port."""

    host: str
    port: int
    token: str | TokenFile
    toolsets: tuple[str, ...] = ("core",)
    watch: bool = True
    quiet: bool = False
    structured: bool = False


def serve(config: Config, terms: Terms, on_start: Callable[[str], None]) -> None:
    """Serve a vault until a signal ends it; `on_start` is called with the URL.

    Raises:
        PortTaken, AddressUnusable: the server cannot listen there.
        UnknownToolset, ToolsetsClash: the sets of tools cannot be served.
    """
    most = raise_file_limit()
    listening = listening_socket(terms.host, terms.port)
    stderr = PatientStream(sys.stderr)
    try:
        sys.stderr = stderr
        take_over_logging()
        with (
            stopping_signals() as stop_on_signal,
            VaultHost(config, watch=terms.watch, log=_log_vault) as host,
        ):
            host.engine.client = "http"
            bound, port = listening.getsockname()[:2]
            server = make_server(_app(host, terms, bound, port), most)
            stop_on_signal(server)
            # an address can be written in several ways: 0 is 0.0.0.0
            address = bound if bound in ALL_INTERFACES else terms.host
            on_start(f"http://{bracketed(address)}:{port}")
            server.run(sockets=[listening])
    finally:
        sys.stderr = stderr.finish()
        listening.close()


def _log_vault(message: str) -> None:
    log("vault", said=message)


def _app(vault: VaultHost, terms: Terms, bound: str, port: int) -> Starlette:
    server, everywhere = vault.config.server, bound in ALL_INTERFACES
    host = bound if everywhere else terms.host
    more = [*server.hosts] if everywhere else [*server.hosts, bracketed(bound)]
    return make_app(
        vault.engine,
        token=terms.token,
        hosts=sorted(host_names(host, port, more)),
        origins=server.origins,
        toolsets=terms.toolsets,
        on_request=ignore_request if terms.quiet else log_request,
        by_address=everywhere,
        clients=clients_of(vault.config),
        structured=terms.structured,
    )


class Server(uvicorn.Server):
    """A uvicorn server that leaves signals alone: its own handlers raise them again."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle no signal."""
        yield


def make_server(app: Starlette, most: int = MOST_CONNECTIONS) -> Server:
    """Return a server for an application and at most so many connections."""
    return Server(
        uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            loop="asyncio",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=AT_ONCE,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=SHUTDOWN_S,
            limit_concurrency=most,
            h11_max_incomplete_event_size=LARGEST_HEAD,
        )
    )


@contextlib.contextmanager
def stopping_signals() -> Iterator[Callable[[Server], None]]:
    """Handle signals that end a program; yield a function that names the server.

    A signal that came earlier ends the server at once. A program that was started with
    nohup ignores SIGHUP.
    """
    servers: list[Server] = []
    stopped = False

    def handle(_number: int, _frame: FrameType | None) -> None:
        nonlocal stopped
        stopped = True
        for server in servers:
            server.should_exit = True

    def stop_on_signal(server: Server) -> None:
        servers.append(server)
        server.should_exit = stopped

    before = {}
    for name in SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and not (
            name == "SIGHUP" and signal.getsignal(number) is signal.SIG_IGN
        ):
            before[number] = signal.signal(number, handle)
    try:
        yield stop_on_signal
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class ListeningSocket(socket.socket):
    """A socket for asyncio, which accepts `backlog` connections before any other work.

    So uvicorn's backlog is small, and that of the kernel is set here. When no file can
    be opened, asyncio tries as often again and logs every failure; here it stops after
    the first.
    """

    _failed = False

    def listen(self, _backlog: int = 0) -> None:
        """Listen with a backlog of our own."""
        super().listen(BACKLOG)

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection.

        Raises:
            BlockingIOError: there is none, or the last attempt found no free file.
        """
        try:
            return super().accept()
        except OSError as error:
            if error.errno not in NO_FILES:
                raise
            self._failed = not self._failed
            if self._failed:
                raise
            raise BlockingIOError(errno.EAGAIN, "no free file yet") from error


def listening_socket(host: str, port: int) -> ListeningSocket:
    """Return a socket that listens.

    Raises:
        PortTaken: another program listens there.
        AddressUnusable: this machine does not have the address, or may not use it.
    """
    # clients try 127.0.0.1 for localhost, and not all of them ::1
    bare = "127.0.0.1" if host == "localhost" else host.strip("[]")
    try:
        family, *_, address = socket.getaddrinfo(
            bare, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise AddressUnusable(host, port, "there is no such address") from error
    # asyncio sets TCP_NODELAY only if TCP is named: without it answers take 40 ms more
    made = ListeningSocket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":  # there two programs could listen then
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen()
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(host, port, _who_listens(str(address[0]), port)) from error
        raise AddressUnusable(host, port, error.strerror or str(error)) from error
    made.setblocking(False)
    return made


def _who_listens(address: str, port: int) -> str:
    """Name the program that uses a port, if it says so itself and in time."""
    reached = "127.0.0.1" if address in ALL_INTERFACES else address
    try:
        health = json.loads(_health_of(reached, port))
    except (OSError, ValueError, RecursionError):
        return "another program"
    version = health.get("version") if isinstance(health, dict) else None
    ours = isinstance(version, str) and version.startswith("glassmind ")
    return "another glassmind serve" if ours else "another program"


def _health_of(address: str, port: int) -> bytes:
    """Return the body of `/health`; `PROBE_S` bounds all of it, unlike http.client."""
    ends, got = time.monotonic() + PROBE_S, bytearray()
    request = f"GET /health HTTP/1.0\r\nHost: {bracketed(address)}:{port}\r\n\r\n"
    with socket.create_connection((address, port), timeout=PROBE_S) as wire:
        wire.sendall(request.encode())
        while len(got) < PROBE_BYTES:
            wire.settimeout(max(ends - time.monotonic(), 0.001))
            part = wire.recv(PROBE_BYTES)
            if not part or time.monotonic() > ends:
                break
            got += part
    head, _, body = bytes(got).partition(b"\r\n\r\n")
    return body if head.startswith(b"HTTP/1.") else b""
