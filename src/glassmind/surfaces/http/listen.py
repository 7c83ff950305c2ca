"""Taking a port, or saying who has it."""

import errno
import json
import socket
import sys
import time
from typing import Any

from glassmind.errors.serving import AddressUnusable, PortTaken
from glassmind.surfaces.http.addresses import EVERYWHERE, bracketed

PROBE_S = 1.0
"""Seconds that whoever has the port gets to say that it is a Glassmind."""

PROBE_BYTES = 65_536
"""Of what it says, how much is listened to."""

BACKLOG = 512

AT_ONCE = 16
"""Connections taken in a row, before those that are too many can be closed again."""

NO_ROOM = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))
"""Why a connection cannot be taken though it is there."""


class Listening(socket.socket):
    """A socket that listens, and gives a few connections at a time.

    asyncio takes as many in a row as may wait, hundreds, and looks at none before it
    has them all. Where a process may open no more files it leaves a socket alone for a
    second, but not before it has failed as often, with a line for each.
    """

    _taken, _failed = 0, False

    def accept(self) -> tuple[socket.socket, Any]:
        """Take the next connection.

        Raises:
            BlockingIOError: there is none, or enough for now.
        """
        if self._taken == AT_ONCE:
            self._taken = 0
            raise BlockingIOError(errno.EAGAIN, "enough for now")
        try:
            made = super().accept()
        except BlockingIOError:
            self._taken = 0
            raise
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            self._failed = not self._failed
            if self._failed:
                raise
            raise BlockingIOError(errno.EAGAIN, "no room as yet") from error
        self._taken, self._failed = self._taken + 1, False
        return made


def listening_socket(host: str, port: int) -> Listening:
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
    made = Listening(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":  # there it would let two listen
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(BACKLOG)
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(host, port, who_listens(str(address[0]), port)) from error
        raise AddressUnusable(host, port, error.strerror or str(error)) from error
    made.setblocking(False)
    return made


def who_listens(address: str, port: int) -> str:
    """Name the program that has a port, if it says so itself, and in time."""
    reached = "127.0.0.1" if address in EVERYWHERE else address
    try:
        said = json.loads(_health_of(reached, port))
    except (OSError, ValueError, RecursionError):
        return "another program"
    version = said.get("version") if isinstance(said, dict) else None
    ours = isinstance(version, str) and version.startswith("glassmind ")
    return "another glassmind serve" if ours else "another program"


def _health_of(address: str, port: int) -> bytes:
    """Return what a server says of its health; it gets one moment for all of it.

    By hand: a client would follow it elsewhere, and give it as long for every byte.
    """
    ends, got = time.monotonic() + PROBE_S, bytearray()
    host = f"{bracketed(address)}:{port}"
    with socket.create_connection((address, port), timeout=PROBE_S) as wire:
        wire.sendall(f"GET /health HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
        while len(got) < PROBE_BYTES:
            wire.settimeout(max(ends - time.monotonic(), 0.001))
            part = wire.recv(PROBE_BYTES)
            if not part or time.monotonic() > ends:
                break
            got += part
    head, _, body = bytes(got).partition(b"\r\n\r\n")
    return body if head.startswith(b"HTTP/1.") else b""
