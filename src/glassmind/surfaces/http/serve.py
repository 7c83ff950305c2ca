"""Serving a vault on a socket until somebody ends it."""

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NamedTuple

import uvicorn
from starlette.applications import Starlette

from glassmind.access.clients import clients_of
from glassmind.config import Config
from glassmind.residence import Residence
from glassmind.surfaces.http.addresses import EVERYWHERE, bracketed, host_names
from glassmind.surfaces.http.app import make_app
from glassmind.surfaces.http.connection import LARGEST_HEAD, Connection
from glassmind.surfaces.http.listen import BACKLOG, listening_socket
from glassmind.surfaces.http.log import tell_nobody, tell_request
from glassmind.surfaces.http.room import MOST_CONNECTIONS, make_room
from glassmind.surfaces.http.token import TokenFile
from glassmind.surfaces.mcp.log import log, take_over_logging
from glassmind.surfaces.mcp.patient import PatientStream

KEEP_ALIVE_S = 15
"""Seconds for which a connection stays open between two requests."""

LAST_ANSWERS_S = 1
"""Seconds that answers under way get when the server is to end."""

ENDING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""What ends a program on one system or another."""


class Terms(NamedTuple):
    """How a vault is to be served; port 0 means any that is free."""

    host: str
    port: int
    token: str | TokenFile
    toolsets: tuple[str, ...] = ("core",)
    watch: bool = True
    quiet: bool = False
    structured: bool = False


def serve(config: Config, terms: Terms, told: Callable[[str], None]) -> None:
    """Serve a vault until a signal ends it; `told` hears the url once it is taken.

    Raises:
        PortTaken, AddressUnusable: nobody can listen there.
        UnknownToolset, ToolsetsClash: these sets of tools cannot be served.
    """
    most = make_room()
    listening = listening_socket(terms.host, terms.port)
    patient = PatientStream(sys.stderr)
    try:
        sys.stderr = patient
        take_over_logging()
        with (
            ending_signals() as ending,
            Residence(config, watch=terms.watch, log=_tell_vault) as home,
        ):
            home.engine.client = "http"
            bound, port = listening.getsockname()[:2]
            server = make_server(_app(home, terms, bound, port), most)
            ending.ends(server)
            # an address may be written in many ways: 0 is 0.0.0.0
            host = bound if bound in EVERYWHERE else terms.host
            told(f"http://{bracketed(host)}:{port}")
            server.run(sockets=[listening])
    finally:
        sys.stderr = patient.finish()
        listening.close()


def _tell_vault(sentence: str) -> None:
    log("vault", said=sentence)


def _app(home: Residence, terms: Terms, bound: str, port: int) -> Starlette:
    server, everywhere = home.config.server, bound in EVERYWHERE
    host = bound if everywhere else terms.host
    more = [*server.hosts] if everywhere else [*server.hosts, bracketed(bound)]
    return make_app(
        home.engine,
        token=terms.token,
        hosts=sorted(host_names(host, port, more)),
        origins=server.origins,
        toolsets=terms.toolsets,
        tell=tell_nobody if terms.quiet else tell_request,
        by_address=everywhere,
        clients=clients_of(home.config),
        structured=terms.structured,
    )


class Server(uvicorn.Server):
    """Leaves signals to whoever runs it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Listen to no signal."""
        yield


class Ending:
    """Ends a server when a signal comes, also one that came before it was there."""

    def __init__(self) -> None:
        self._server: Server | None = None
        self._told = False

    def ends(self, server: Server) -> None:
        """Have this server end when it is time, which may be now."""
        self._server = server
        if self._told:
            server.should_exit = True

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        """End it as if it had been asked to; a second signal changes nothing."""
        self._told = True
        if self._server is not None:
            self._server.should_exit = True


@contextlib.contextmanager
def ending_signals() -> Iterator[Ending]:
    """Listen to the signals that end a program, for as long as this is open."""
    ending, before = Ending(), {}
    for name in ENDING:
        number = getattr(signal, name, None)
        # who began a program with nohup wants it to outlive the terminal
        ignored = (
            name == "SIGHUP" and number and signal.getsignal(number) is signal.SIG_IGN
        )
        if number is not None and not ignored:
            before[number] = signal.signal(number, ending)
    try:
        yield ending
    finally:
        for number, usual in before.items():
            signal.signal(number, usual)


def make_server(app: Starlette, most: int = MOST_CONNECTIONS) -> Server:
    """Return what runs an application, for at most so many connections."""
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
            backlog=BACKLOG,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=LAST_ANSWERS_S,
            limit_concurrency=most,
            h11_max_incomplete_event_size=LARGEST_HEAD,
        )
    )
