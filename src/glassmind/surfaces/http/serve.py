"""Serving a vault on a socket until somebody ends it."""

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NamedTuple

import uvicorn
from starlette.applications import Starlette

from glassmind.config import Config
from glassmind.residence import Residence
from glassmind.surfaces.http.addresses import EVERYWHERE, bracketed, host_names
from glassmind.surfaces.http.app import make_app
from glassmind.surfaces.http.connection import LARGEST_HEAD, Connection
from glassmind.surfaces.http.listen import BACKLOG, listening_socket
from glassmind.surfaces.http.log import tell_nobody, tell_request
from glassmind.surfaces.mcp.log import log, take_over_logging
from glassmind.surfaces.mcp.patient import PatientStream

KEEP_ALIVE_S = 15
"""Seconds for which a connection stays open between two requests."""

LAST_ANSWERS_S = 1
"""Seconds that answers under way get when the server is to end."""

MOST_CONNECTIONS = 512
"""Beyond these new requests are refused; a process may open about a thousand files."""

ENDING = (signal.SIGINT, signal.SIGTERM)


class Terms(NamedTuple):
    """How a vault is to be served; port 0 means any that is free."""

    host: str
    port: int
    token: str
    toolsets: tuple[str, ...] = ("core",)
    watch: bool = True
    quiet: bool = False


def serve(config: Config, terms: Terms, told: Callable[[str], None]) -> None:
    """Serve a vault until SIGINT or SIGTERM; `told` hears the url once it is taken.

    Raises:
        PortTaken, AddressUnusable: nobody can listen there.
        UnknownToolset, ToolsetsClash: these sets of tools cannot be served.
    """
    listening = listening_socket(terms.host, terms.port)
    port = listening.getsockname()[1]
    patient = PatientStream(sys.stderr)
    try:
        sys.stderr = patient
        take_over_logging()
        with Residence(config, watch=terms.watch, log=_tell_vault) as home:
            app = _app(home, terms, port)
            told(f"http://{bracketed(terms.host)}:{port}")
            make_server(app).run(sockets=[listening])
    finally:
        sys.stderr = patient.finish()
        listening.close()


def _tell_vault(sentence: str) -> None:
    log("vault", said=sentence)


def _app(home: Residence, terms: Terms, port: int) -> Starlette:
    server = home.config.server
    return make_app(
        home.engine,
        token=terms.token,
        hosts=sorted(host_names(terms.host, port, server.hosts)),
        origins=server.origins,
        toolsets=terms.toolsets,
        tell=tell_nobody if terms.quiet else tell_request,
        by_address=terms.host in EVERYWHERE,
    )


class Server(uvicorn.Server):
    """Ends on a signal as if it had been asked to, and lets the program go on."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Listen to the signals that end a program; a second one changes nothing."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._end) for number in ENDING}
        try:
            yield
        finally:
            for number, usual in before.items():
                signal.signal(number, usual)

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        self.should_exit = True


def make_server(app: Starlette) -> Server:
    """Return what runs an application, within the limits of one machine."""
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
            limit_concurrency=MOST_CONNECTIONS,
            h11_max_incomplete_event_size=LARGEST_HEAD,
        )
    )
