"""The daemon: one process per vault that holds the models, indexes and watches.

Of all long-running processes of a vault (`mcp`, `serve`, `watch`) one is its daemon.
The others, and commands such as `search`, are its clients.
"""

from functools import partial
from typing import TYPE_CHECKING

from glassmind.config import Config
from glassmind.engine import Engine

if TYPE_CHECKING:
    from glassmind.serve.daemon.protocol import DaemonClient
    from glassmind.wiring import LocalAdapters

CARD_FILE = "daemon.json"
"""Says where the daemon of a vault listens, in the folder of the index."""


def client_engine(config: Config) -> Engine:
    """Return an engine that lets the daemon of its vault work, if there is one."""
    from glassmind.wiring import LocalAdapters  # noqa: PLC0415 - tantivy

    adapters = LocalAdapters(config)
    adapters.host = partial(find_daemon, adapters)
    return Engine(adapters)


def find_daemon(adapters: "LocalAdapters") -> "DaemonClient | None":
    """Return a client of the vault's daemon; None if there is no daemon."""
    if not (adapters.place.folder / CARD_FILE).is_file():
        return None
    # sockets and the protocol double the time that a keyword search takes to start
    from glassmind.serve.daemon.protocol import DaemonClient  # noqa: PLC0415

    return DaemonClient(adapters)
