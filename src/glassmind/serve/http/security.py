"""Who may use the server: Host, Origin and token checks, and back-off for guesses."""

import asyncio
import hmac
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from ipaddress import IPv6Address, IPv6Network, ip_address
from math import ceil
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.types import Scope

from glassmind.access.clients import PREFIX, Clients, digest_of
from glassmind.config.values import is_loopback
from glassmind.errors.access import ClientsUnreadable
from glassmind.serve.http.replies import Refusal, Refused
from glassmind.serve.http.token import TokenFile
from glassmind.serve.mcp.log import log
from glassmind.types.access import EVERY_AGENT
from glassmind.types.access import Scope as ReadScope

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
ALL_INTERFACES = frozenset(("0.0.0.0", "::", "[::]"))  # noqa: S104 - to recognise it

OPEN_PATH = "/health"
"""The only path that answers without a token."""

OTHER_SITES = frozenset(("cross-site", "same-site"))
"""Values of `Sec-Fetch-Site` for requests that a page of another server made."""

CHALLENGE = {"www-authenticate": 'Bearer realm="glassmind"'}

MISDIRECTED = Refusal(
    421,
    "wrong_host",
    "this server does not answer to that host",
    "use the address that glassmind serve printed, or add a name to server.hosts",
)
FOREIGN = Refusal(
    403,
    "wrong_origin",
    "pages of other servers may not use this one",
    "add the origin to server.origins if it is yours",
)
NO_TOKEN = Refusal(
    401,
    "no_token",
    "a token is needed",
    "send Authorization: Bearer TOKEN; glassmind serve --show-token prints it",
    CHALLENGE,
)
WRONG_TOKEN = NO_TOKEN._replace(
    code="wrong_token",
    message="the token is not valid",
    hint="glassmind serve --show-token prints the token of the vault; glassmind "
    "clients add printed that of a client",
)
TOO_MANY = Refusal(
    429,
    "too_many_wrong_tokens",
    "too many wrong tokens came from this address",
    "send a valid token, or wait as long as Retry-After says",
    {"retry-after": "1"},
)

FREE, WINDOW_S = 5, 60.0
"""Wrong tokens before the first back-off, more than a person mistypes, and the seconds
without one after which the count starts again."""

FIRST_S, LONGEST_S = 1.0, 60.0
"""The first back-off; each further wrong token doubles it up to the longest."""

DELAY_S, MOST_HELD = 0.5, 32
"""How late a wrong token is answered, and how many of an address wait at once. Together
they bound the guesses of an address in back-off: 64 a second."""

MOST_PEERS = 1024
"""Addresses that are remembered, the latest ones: about 200 KB."""


def bracketed(host: str) -> str:
    """Return an address as it is written in a URL."""
    bare = host.strip("[]")
    return f"[{bare}]" if ":" in bare else bare


def host_names(host: str, port: int, more: Iterable[str] = ()) -> frozenset[str]:
    """Return every accepted `Host` of a server; `more` may have a port or not."""
    hosts = list(LOOPBACK_NAMES) if host in ALL_INTERFACES or is_loopback(host) else []
    if host not in ALL_INTERFACES:
        hosts.append(bracketed(host))
    names = set()
    for name in (*hosts, *more):
        last = name.rpartition(":")[2]
        if last != name and last.isdigit():
            names.add(name)
        else:
            names.add(f"{name}:{port}")
            names |= {name} if port == 80 else set()  # noqa: PLR2004 - HTTP's own
    return frozenset(names)


def origins_of(hosts: Iterable[str], more: Iterable[str] = ()) -> frozenset[str]:
    """Return every accepted `Origin`: pages of this server, and those configured."""
    return frozenset([*(f"http://{host}" for host in hosts), *more])


class Identity(NamedTuple):
    """Who sent a request, by its token: a named client, or an agent without a name.

    The owner shows the vault's own token and may use routes that no client may.
    """

    name: str = ""
    scope: ReadScope = EVERY_AGENT
    is_owner: bool = False


ANONYMOUS, OWNER = Identity(), Identity(is_owner=True)


class AccessRules(NamedTuple):
    """What the head of a request must show. Without `token` anybody may use the server.

    With `by_address`, the address that the client connected to is accepted as a host.
    The token of a `TokenFile` may change at any time. `clients` have their own tokens.
    """

    hosts: frozenset[str]
    origins: frozenset[str]
    token: str | TokenFile | None
    by_address: bool = False
    clients: Clients | None = None

    def refusal(
        self, scope: Scope, head: Headers, identity: Identity | None = None
    ) -> Refusal | None:
        """Return why a request is rejected; None if it is accepted."""
        host = head.get("host", "")
        by_address = self.by_address and host == _local_address(scope)
        if not by_address and host not in self.hosts:
            return MISDIRECTED
        origin = head.get("origin")
        if origin is None and head.get("sec-fetch-site") in OTHER_SITES:
            return FOREIGN
        if origin is not None and origin not in self.origins:
            return FOREIGN
        if identity is not None or scope["path"] == OPEN_PATH:
            return None
        return WRONG_TOKEN if "authorization" in head else NO_TOKEN

    def identify(self, head: Headers) -> Identity | None:
        """Return whose token a request shows; None without a valid one.

        Every digest is compared, whatever the scheme, so that the time says nothing.
        """
        if self.token is None:
            return OWNER
        scheme, _, shown = head.get("authorization", "").partition(" ")
        token = shown.strip().encode("latin-1")
        current = self.token if isinstance(self.token, str) else self.token.current()
        is_owner = hmac.compare_digest(digest_of(token), digest_of(current.encode()))
        client = None
        try:
            client = self.clients.holder(token) if self.clients else None
        except ClientsUnreadable as error:
            if token.startswith(PREFIX.encode()):
                log("unready", kind=type(error).__name__)
        if scheme.lower() != "bearer":
            return None
        if is_owner and current:
            return OWNER
        if client is None or self.clients is None:
            return None
        self.clients.note_use(client)
        return Identity(client.name, client.scope)


def _local_address(scope: Scope) -> str:
    address, port = scope["server"]
    # an IPv4 client of an IPv6 socket connects to an address such as ::ffff:192.0.2.1
    plain = address.removeprefix("::ffff:") if "." in address else address
    return f"{bracketed(plain)}:{port}"


class TokenThrottle:
    """Back-off for addresses that send wrong tokens. For the event loop only.

    A valid token is not slowed, since clients of one machine share an address. A wrong
    one from an address in back-off is answered late, and only so many at a time.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, delay_s: float = DELAY_S
    ) -> None:
        self._clock, self._delay_s = clock, delay_s
        # wrong tokens, and when the last one came or its back-off ends
        self._peers: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._held: Counter[str] = Counter()

    def is_flooded_by(self, address: str) -> bool:
        """Return whether so many guesses wait that no token is checked now."""
        return self._held[_network(address)] >= MOST_HELD

    async def slow_down(self, address: str, *, guessed: bool) -> None:
        """Reject, late, a request without a valid token if its address guesses."""
        wait_s = self.wait_s(address, guessed=guessed)
        if wait_s and guessed:
            await self.hold(address)
        if wait_s:
            headers = {"retry-after": str(wait_s)}
            raise Refused(TOO_MANY._replace(headers=headers))

    async def hold(self, address: str) -> None:
        """Delay the answer to a wrong token."""
        name = _network(address)
        self._held[name] += 1
        try:
            await asyncio.sleep(self._delay_s)
        finally:
            self._held[name] -= 1
            self._held += Counter()  # drops what is zero

    def wait_s(self, address: str, *, guessed: bool) -> int:
        """Return how many seconds an address without a valid token must wait, or 0.

        `guessed` says that it sent a token, which was wrong.
        """
        name, now = _network(address), self._clock()
        count, until = self._peers.get(name, (0, now))
        if now < until:
            return ceil(until - now)
        if not guessed:
            return 0
        count = count + 1 if now < until + WINDOW_S else 1
        steps = min(count - FREE, 10)  # more would be longer than the longest anyway
        backoff_s = min(FIRST_S * 2**steps, LONGEST_S) if steps >= 0 else 0.0
        self._peers[name] = count, now + backoff_s
        self._peers.move_to_end(name)
        if len(self._peers) > MOST_PEERS:
            self._peers.popitem(last=False)
        if backoff_s:
            facts = {"peer": name, "count": count, "retry_after_s": int(backoff_s)}
            log("wrong_tokens", level="WARNING", **facts)
        return 0


def _network(address: str) -> str:
    """Return the key of an address: for IPv6 its /64, since one host has all of it."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is None:
        return str(IPv6Network((int(parsed) >> 64 << 64, 64)))
    return str(getattr(parsed, "ipv4_mapped", None) or parsed)
