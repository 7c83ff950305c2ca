"""The whole application over HTTP, for clients that cannot show a token.

Usage: clients_drive.py VAULT PORT. The conformance suite sends no headers of ours, so
it meets the application that `glassmind serve` runs, made without a token: only code
can do that, no option of the program.
"""

import sys

from glassmind import open_vault
from glassmind.surfaces.http.addresses import host_names
from glassmind.surfaces.http.app import make_app
from glassmind.surfaces.http.listen import listening_socket
from glassmind.surfaces.http.serve import make_server

HOST = "127.0.0.1"


def main() -> None:
    vault, port = sys.argv[1], int(sys.argv[2])
    with open_vault(vault) as engine, listening_socket(HOST, port) as listening:
        app = make_app(engine, token=None, hosts=[*host_names(HOST, port)])
        make_server(app).run(sockets=[listening])


if __name__ == "__main__":
    main()
