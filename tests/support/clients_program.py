"""The whole application over HTTP, for clients that cannot show a token.

Usage: clients_program.py VAULT. Tells where it listens.

The conformance suite sends no headers of ours, so it meets the application that
`glassmind serve` runs, made without a token: only code can do that, no option of the
program.
"""

import sys

from glassmind import open_vault
from glassmind.serve.http.app import make_app
from glassmind.serve.http.guard import AccessRules, host_names
from glassmind.serve.http.run import listening_socket, make_server

HOST = "127.0.0.1"


def main() -> None:
    with open_vault(sys.argv[1]) as engine, listening_socket(HOST, 0) as listening:
        port = listening.getsockname()[1]
        app = make_app(engine, AccessRules(host_names(HOST, port), None))
        print(f"Listening on http://{HOST}:{port}", flush=True)  # noqa: T201
        make_server(app).run(sockets=[listening])


if __name__ == "__main__":
    main()
