"""The addresses of a machine by its name, with a bound on how long that may take.

What the system does to look up a name can be neither bounded nor cut. So it does it in
a thread that nobody waits for longer than they want to.
"""

import socket
from collections.abc import Callable
from ipaddress import ip_address
from threading import Event, Thread
from time import monotonic
from typing import Any, NamedTuple

SLICE_S = 0.05
"""How soon somebody who halts is heard while a connection is made."""


class Unreached(TimeoutError):
    """No connection was made in time."""


class Address(NamedTuple):
    """Where a machine is, in the form that a socket wants."""

    family: int
    kind: int
    protocol: int
    place: Any


def addresses(
    host: str, port: int, ends: float, check: Callable[[], None]
) -> list[Address]:
    """Return where a machine is, in the order to try; never empty.

    `ends` is by the clock; `check` is called while we wait, and may raise.

    Raises:
        Unreached: nobody says so in time.
        OSError: there is no such machine.
        ValueError: that is no name.
    """
    if is_loopback(host):  # no other machine is asked for it
        return _found(host, port)
    asked = _Lookup(host, port)
    while not asked.done.wait(min(SLICE_S, max(ends - monotonic(), 0))):
        check()
        if monotonic() >= ends:
            raise Unreached
    return asked.result()


def is_loopback(host: str) -> bool:
    """Return whether a host name or address can only mean this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


class _Lookup:
    """A name that is being looked up."""

    def __init__(self, host: str, port: int) -> None:
        self.done = Event()
        self._host, self._port = host, port
        self._made: list[Address] = []
        self._error: Exception = OSError(f"no address of {host}")
        Thread(target=self._run, name="glassmind-lookup", daemon=True).start()

    def _run(self) -> None:
        try:
            self._made = _found(self._host, self._port)
        except (OSError, ValueError) as error:
            self._error = error  # for who waits to see
        finally:
            self.done.set()

    def result(self) -> list[Address]:
        """Return what was found, or raise what came of it."""
        if not self._made:
            raise self._error
        return self._made


def _found(host: str, port: int) -> list[Address]:
    return [
        Address(family, kind, protocol, place)
        for family, kind, protocol, _, place in socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM
        )
    ]
