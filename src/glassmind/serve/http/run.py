"""Running the server: the listening socket, signals, connections and uvicorn."""

import asyncio
import contextlib
import errno
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple, cast

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from glassmind.access.clients import clients_of
from glassmind.config import Config
from glassmind.errors.serving import AddressUnusable, PortTaken
from glassmind.serve.daemon.host import VaultHost
from glassmind.serve.http.app import make_app
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

HEAD_S = 10.0
"""Seconds for the head of a request, from its first byte."""

LARGEST_HEAD = 32 * 1024
"""Bytes of a head: a URL with two thousand characters, each encoded in twelve bytes."""

MOST_CONNECTIONS = 128
"""More requests are answered with 503. Half as many as the files that a process may
open on some systems: the index and the models need the rest."""

SPARE_CONNECTIONS = 16
"""More connections that are accepted, to be answered with 503."""

BACKLOG = 128
"""Connections that may wait in the kernel, and that asyncio accepts in a row."""


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
        UnknownToolset: there is no such set of tools.
    """

    def log_vault(message: str) -> None:
        log("vault", said=message)

    listening = listening_socket(terms.host, terms.port)
    stderr = PatientStream(sys.stderr)
    try:
        sys.stderr = stderr
        take_over_logging()
        server = make_server(None)
        with (
            _stopped_by_signals(server),
            VaultHost(config, watch=terms.watch, log=log_vault) as host,
        ):
            host.engine.client = "http"
            bound, port = listening.getsockname()[:2]
            server.config.app = _app(host, terms, bound, port)
            # an address can be written in several ways: 0 is 0.0.0.0
            address = bound if bound in ALL_INTERFACES else terms.host
            on_start(f"http://{bracketed(address)}:{port}")
            server.run(sockets=[listening])
    finally:
        sys.stderr = stderr.finish()
        listening.close()


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


class Connection(H11Protocol):
    """uvicorn's connection, with a limit for heads and for the rest of a refused body.

    Too many connections are closed at once, so that some files stay free.
    """

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        most = self.limit_concurrency or MOST_CONNECTIONS
        if len(self.connections) > most + SPARE_CONNECTIONS:
            transport.abort()
        else:
            self._start_timer()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        cycle: RequestResponseCycle | None = self.cycle
        if cycle and not cycle.response_complete:
            self._stop_timer()  # the application limits the time for an answer
        elif self._timer is None and self.timeout_keep_alive_task is None:
            self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _start_timer(self) -> None:
        self._timer = self.loop.call_later(HEAD_S, self.transport.abort)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Server(uvicorn.Server):
    """A uvicorn server that leaves signals alone: its own handlers raise them again."""

    capture_signals = contextlib.nullcontext  # type: ignore[assignment]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the answers of models, which can say so, and then the server."""
        cast("Starlette", self.config.app).state.server.models.halt()
        await super().shutdown(sockets)


def make_server(app: Starlette | None, most: int = MOST_CONNECTIONS) -> Server:
    """Return a server for at most so many connections; `config.app` may come later."""
    return Server(
        uvicorn.Config(
            cast("Starlette", app),
            http=Connection,
            ws="none",
            loop="asyncio",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=BACKLOG,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=SHUTDOWN_S,
            limit_concurrency=most,
            h11_max_incomplete_event_size=LARGEST_HEAD,
        )
    )


@contextlib.contextmanager
def _stopped_by_signals(server: Server) -> Iterator[None]:
    """Stop a server on signals, but not on SIGHUP if it was started with nohup."""
    with contextlib.ExitStack() as restoring:
        for name in SIGNALS:
            number = getattr(signal, name, None)
            if number is None:
                continue
            if name != "SIGHUP" or signal.getsignal(number) is not signal.SIG_IGN:
                before = signal.signal(number, server.handle_exit)
                restoring.callback(signal.signal, number, before)
        yield


def listening_socket(host: str, port: int) -> socket.socket:
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
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":  # there two programs could listen then
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(BACKLOG)
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(host, port) from error
        raise AddressUnusable(host, port, error.strerror or str(error)) from error
    made.setblocking(False)
    return made
