"""The daemon: one process per vault that holds the models, indexes and watches.

Of all long-running processes of a vault (`mcp`, `serve`, `watch`) one is its daemon.
The others, and commands such as `search`, are its clients.
"""

import os
from functools import partial
from typing import TYPE_CHECKING

from glassmind.config import Config
from glassmind.engine import Engine, local_vault
from glassmind.vault import Vault

if TYPE_CHECKING:
    from glassmind.serve.daemon.protocol import DaemonClient

SOCKET_FILE = "daemon.sock"  # where the daemon listens, in the folder of the index
LONGEST_SOCKET_PATH = 100  # bytes; systems accept from 104 up


def client_engine(config: Config) -> Engine:
    vault = local_vault(config)
    vault.find_daemon = partial(find_daemon, vault)
    return Engine(vault)


def find_daemon(vault: Vault) -> "DaemonClient | None":
    file = vault.place.folder / SOCKET_FILE
    if not file.exists() and len(os.fsencode(file)) <= LONGEST_SOCKET_PATH:
        return None
    # sockets and the protocol double the time that a keyword search takes to start
    from glassmind.serve.daemon.protocol import DaemonClient  # noqa: PLC0415

    return DaemonClient(vault)
