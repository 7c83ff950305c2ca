"""Taking a port, or saying who has it."""

import errno
import json
import socket
import sys
from urllib.request import ProxyHandler, build_opener

from glassmind.errors.serving import AddressUnusable, PortTaken
from glassmind.surfaces.http.addresses import bracketed

PROBE_S = 1.0
"""Seconds that whoever has the port gets to say that it is a Glassmind."""

BACKLOG = 512


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises:
        PortTaken: another program listens there.
        AddressUnusable: this machine has no such address, or may not use it.
    """
    # by either name of this machine clients try 127.0.0.1, and not all try ::1
    bare = "127.0.0.1" if host == "localhost" else host.strip("[]")
    try:
        family, *_, address = socket.getaddrinfo(
            bare, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise AddressUnusable(host, port, "there is no such address") from error
    # Only where TCP is named does asyncio send small packets at once: 40 ms each.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":  # there it would let two listen
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(BACKLOG)
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(host, port, who_listens(host, port)) from error
        raise AddressUnusable(host, port, error.strerror or str(error)) from error
    made.setblocking(False)
    return made


def who_listens(host: str, port: int) -> str:
    """Name the program that has a port, if it says so itself."""
    reached = "127.0.0.1" if host in {"0.0.0.0", "::"} else bracketed(host)  # noqa: S104
    opener = build_opener(ProxyHandler({}))
    try:
        with opener.open(f"http://{reached}:{port}/health", timeout=PROBE_S) as answer:
            said = json.loads(answer.read(65_536))
    except (OSError, ValueError):
        return "another program"
    ours = isinstance(said, dict) and {"status", "channels", "note_count"} <= set(said)
    return "another glassmind serve" if ours else "another program"
