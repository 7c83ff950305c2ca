"""Running the server: the listening socket, signals, connections and uvicorn."""

import asyncio
import contextlib
import errno
import os
import signal
import socket
from collections.abc import Callable, Sequence
from typing import cast

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from glassmind.access.clients import clients_of
from glassmind.config import Config
from glassmind.errors import ServingFault
from glassmind.serve.daemon.host import VaultHost
from glassmind.serve.http.app import make_app
from glassmind.serve.http.guard import (
    ALL_INTERFACES,
    AccessRules,
    bracketed,
    host_names,
    log_request,
)
from glassmind.serve.http.token import TokenFile
from glassmind.serve.log import log, take_over_logging

KEEP_ALIVE_S = 15  # seconds for which a connection stays open between two requests
SHUTDOWN_S = 1  # seconds that running requests get when the server ends
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
HEAD_S = 10.0  # seconds for the head of a request, from its first byte
LARGEST_HEAD = 64 * 1024  # room for a name of 4,096 characters, encoded
MOST_CONNECTIONS = 128
"""More requests are answered with 503. Half as many as the files that a process may
open on some systems: the index and the models need the rest."""

BACKLOG = 128  # asyncio accepts as many in a row


def serve(  # noqa: PLR0913 - options by name
    config: Config,
    host: str,
    port: int,
    token: str | TokenFile,
    *,
    on_start: Callable[[str], None],
    toolsets: Sequence[str] = ("core",),
    watch: bool = True,
    quiet: bool = False,
    structured: bool = False,
) -> None:
    """Serve until a signal; `on_start` gets the URL, port 0 means any free port."""
    listening = listening_socket(host, port)
    bound, port = listening.getsockname()[:2]
    everywhere = bound in ALL_INTERFACES
    # an address can be written in several ways: 0 is 0.0.0.0
    address = bound if everywhere else host
    more = [*config.server.hosts, *([] if everywhere else [bracketed(bound)])]
    rules = AccessRules(
        host_names(address, port, more),
        token,
        frozenset(config.server.origins),
        clients_of(config),
        everywhere,
    )
    try:
        take_over_logging()
        server = make_server(None)
        _stop_on_signals(server)
        with VaultHost(
            config, watch=watch, log=lambda said: log("vault", said=said)
        ) as vault:
            vault.engine.client = "http"
            server.config.app = make_app(
                vault.engine,
                rules,
                toolsets=toolsets,
                structured=structured,
                on_request=None if quiet else log_request,
            )
            on_start(f"http://{bracketed(address)}:{port}")
            server.run(sockets=[listening])
    finally:
        listening.close()


class Connection(H11Protocol):
    """uvicorn's connection, with a limit for heads and for the rest of a refused body.

    Too many connections are closed at once, so that some files stay free.
    """

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        most = self.limit_concurrency or MOST_CONNECTIONS
        if len(self.connections) > most + most // 8 + 1:  # some get a 503
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


class HttpServer(uvicorn.Server):
    """A uvicorn server that leaves signals alone: its own handlers raise them again."""

    capture_signals = contextlib.nullcontext  # type: ignore[assignment]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the answers of models, which can say so, and then the server."""
        cast("Starlette", self.config.app).state.server.models.halt()
        await super().shutdown(sockets)


def make_server(app: Starlette | None, most: int = MOST_CONNECTIONS) -> HttpServer:
    return HttpServer(
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


def _stop_on_signals(server: HttpServer) -> None:
    """Stop a server on signals, but not on SIGHUP if it was started with nohup."""
    for name in SIGNALS:
        number = getattr(signal, name, None)
        if number and (name != "SIGHUP" or signal.getsignal(number) != signal.SIG_IGN):
            signal.signal(number, server.handle_exit)


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens."""
    # clients try 127.0.0.1 for localhost, and not all of them ::1
    bare = "127.0.0.1" if host == "localhost" else host.strip("[]")
    try:
        family, *_, address = socket.getaddrinfo(
            bare, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.create_server(
            address, family=family, backlog=BACKLOG, dualstack_ipv6=bare == "::"
        )
    except (OSError, UnicodeError) as error:
        number = getattr(error, "errno", None)
        if number == errno.EADDRINUSE:
            raise ServingFault(
                f"port {port} of {host} is taken by another program; stop it, or "
                f"choose another port: glassmind serve --port {port % 65_535 + 1}"
            ) from error
        is_unknown = isinstance(error, socket.gaierror | UnicodeError)
        reason = "there is no such address" if is_unknown else os.strerror(number or 0)
        raise ServingFault(
            f"cannot listen on {host} port {port} ({reason}); 127.0.0.1 is this "
            "machine alone, and ports below 1024 are for its administrator"
        ) from error
    # connections inherit it; asyncio would leave it, and answers would take 40 ms more
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made
