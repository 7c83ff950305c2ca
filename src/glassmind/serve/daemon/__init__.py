"""The daemon: one process per vault that holds the models, indexes and watches.

Of all long-running processes of a vault (`mcp`, `serve`, `watch`) one is its daemon.
The others, and commands such as `search`, are its clients.
"""

from functools import partial
from typing import TYPE_CHECKING

from glassmind.config import Config
from glassmind.engine import Engine, local_vault
from glassmind.vault import Vault

if TYPE_CHECKING:
    from glassmind.serve.daemon.protocol import DaemonClient

CARD_FILE = "daemon.json"
"""Says where the daemon of a vault listens, in the folder of the index."""


def client_engine(config: Config) -> Engine:
    vault = local_vault(config)
    vault.find_daemon = partial(find_daemon, vault)
    return Engine(vault)


def find_daemon(vault: Vault) -> "DaemonClient | None":
    if not (vault.place.folder / CARD_FILE).is_file():
        return None
    # sockets and the protocol double the time that a keyword search takes to start
    from glassmind.serve.daemon.protocol import DaemonClient  # noqa: PLC0415

    return DaemonClient(vault)
