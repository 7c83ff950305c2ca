"""Back-off for addresses that send wrong tokens.

A valid token is not slowed, since clients of one machine share an address. A wrong one
from an address in back-off is answered late, and only so many are checked at a time.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from math import ceil

from glassmind.surfaces.http.replies import Refusal
from glassmind.surfaces.mcp.log import log

FREE = 5
"""Wrong tokens that an address may send in a window: more than a person mistypes."""

WINDOW_S = 60.0
"""Seconds without a wrong token after which an address starts afresh."""

FIRST_S, LONGEST_S = 1.0, 60.0
"""The first back-off; each further wrong token doubles it up to the longest."""

DELAY_S, MOST_HELD = 0.5, 32
"""How late a wrong token is answered, and how many of an address wait at once. Together
they bound the guesses of an address in back-off: 64 a second."""

MOST_PEERS = 1024
"""Addresses that are remembered, the latest ones: about 200 KB."""

TOO_MANY = Refusal(
    429,
    "too_many_wrong_tokens",
    "too many wrong tokens came from this address",
    "send a valid token, or wait as long as Retry-After says",
)


@dataclass(slots=True)
class _Peer:
    """Wrong tokens of one address since it started afresh."""

    count: int = 0
    last: float = 0.0
    until: float = 0.0
    held: int = 0
    backoff_s: float = 0.0


class TokenThrottle:
    """Counts wrong tokens by peer address. For one thread: the server's event loop."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, delay_s: float = DELAY_S
    ) -> None:
        self._clock, self._delay_s = clock, delay_s
        self._peers: OrderedDict[str, _Peer] = OrderedDict()

    def __len__(self) -> int:
        return len(self._peers)

    def is_flooded_by(self, address: str) -> bool:
        """Return whether an address guesses so fast that no token is checked now."""
        peer = self._peers.get(_network(address))
        if peer is None or self._clock() >= peer.until:
            return False
        return peer.held >= MOST_HELD

    async def hold(self, address: str) -> None:
        """Keep a wrong guess waiting; takes no thread."""
        peer = self._peers.get(_network(address), _Peer())
        peer.held += 1
        try:
            await asyncio.sleep(self._delay_s)
        finally:
            peer.held -= 1

    def wait_s(self, address: str, *, guessed: bool) -> int:
        """Return how many seconds an address without a valid token must wait, or 0.

        `guessed` says that it sent a token, which was wrong.
        """
        name, now = _network(address), self._clock()
        peer = self._peers.get(name)
        if peer is not None and now >= max(peer.until, peer.last) + WINDOW_S:
            del self._peers[name]
            peer = None
        if peer is not None and now < peer.until:
            peer.count += guessed
            return ceil(peer.until - now)
        if guessed:
            self._count(name, peer or _Peer(), now)
        return 0

    def _count(self, name: str, peer: _Peer, now: float) -> None:
        peer.count, peer.last = peer.count + 1, now
        self._peers[name] = peer
        self._peers.move_to_end(name)
        if len(self._peers) > MOST_PEERS:
            self._peers.popitem(last=False)
        if peer.count >= FREE:
            peer.backoff_s = min(max(2 * peer.backoff_s, FIRST_S), LONGEST_S)
            peer.until = now + peer.backoff_s
            log(
                "wrong_tokens",
                level="WARNING",
                peer=name,
                count=peer.count,
                retry_after_s=int(peer.backoff_s),
            )


def _network(address: str) -> str:
    """Return what an address counts as: an IPv6 one as its /64, which one host has."""
    try:
        found = ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        if not found.is_loopback:
            return f"{IPv6Address(int(found) >> 64 << 64)}/64"
    return str(found)
