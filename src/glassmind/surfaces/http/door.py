"""Who may come in: checks of a request's head, the same on every route."""

import hmac
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from glassmind.surfaces.http.addresses import bracketed
from glassmind.surfaces.http.replies import Refusal

OPEN_PATH = "/health"
"""The one path that answers without a token."""

ONCE = frozenset(
    (b"host", b"origin", b"authorization", b"content-type", b"content-length")
)
"""Headers that would mean two things if they stood twice."""

FROM_ELSEWHERE = frozenset((b"cross-site", b"same-site"))
"""What a browser says of a request that a page of another server made."""

CHALLENGE = ((b"www-authenticate", b'Bearer realm="glassmind"'),)

UNHOSTED = Refusal(400, "bad_host", "the request names no host", "send one header Host")
DOUBLED = Refusal(
    400, "doubled_header", "a header stands twice that may stand once", "send it once"
)
TWO_LENGTHS = Refusal(
    400,
    "two_lengths",
    "Content-Length and Transfer-Encoding stand together",
    "send one of them",
)
MISDIRECTED = Refusal(
    421,
    "wrong_host",
    "this server does not answer to that host",
    "use the address that glassmind serve printed, or add a name to server.hosts",
)
FOREIGN = Refusal(
    403,
    "wrong_origin",
    "pages of other servers may not ask this one",
    "add the origin to server.origins if it is yours",
)
NO_TOKEN = Refusal(
    401,
    "no_token",
    "a token is needed",
    "send Authorization: Bearer TOKEN; glassmind serve --show-token tells it",
    CHALLENGE,
)
WRONG_TOKEN = NO_TOKEN._replace(code="wrong_token", message="the token is not the one")
NOT_JSON = Refusal(
    415,
    "not_json",
    "only JSON is taken",
    "send the header Content-Type: application/json",
)

Scope = Mapping[str, Any]


class Door(NamedTuple):
    """What a request has to show. Without `token` nobody has to know one."""

    hosts: frozenset[str]
    origins: frozenset[str]
    token: str | None
    by_address: bool = False
    """Whether the address that a client reached counts as a name too."""

    def refusal(self, scope: Scope, head: Mapping[bytes, bytes]) -> Refusal | None:
        """Return why a request may not come in; None when it may."""
        if b"" in head:
            return DOUBLED
        if b"content-length" in head and b"transfer-encoding" in head:
            return TWO_LENGTHS  # where one request ends is read in two ways
        return (
            self._wrong_host(scope, head)
            or self._wrong_origin(head)
            or self._wrong_token(scope, head)
        )

    def _wrong_host(self, scope: Scope, head: Mapping[bytes, bytes]) -> Refusal | None:
        if b"host" not in head:
            return UNHOSTED
        host = head[b"host"].decode("latin-1")
        known = host in self.hosts or (self.by_address and host == _reached(scope))
        return None if known else MISDIRECTED

    def _wrong_origin(self, head: Mapping[bytes, bytes]) -> Refusal | None:
        origin = head.get(b"origin")
        if origin is None:
            return FOREIGN if head.get(b"sec-fetch-site") in FROM_ELSEWHERE else None
        return None if origin.decode("latin-1") in self.origins else FOREIGN

    def _wrong_token(self, scope: Scope, head: Mapping[bytes, bytes]) -> Refusal | None:
        if scope["path"] == OPEN_PATH or self.knows(head):
            return None
        return WRONG_TOKEN if b"authorization" in head else NO_TOKEN

    def knows(self, head: Mapping[bytes, bytes]) -> bool:
        """Whether a request shows the token, or none is asked for."""
        if self.token is None:
            return True
        scheme, _, shown = head.get(b"authorization", b"").partition(b" ")
        # compared whatever the scheme: how long it takes tells nothing
        same = hmac.compare_digest(shown.strip(), self.token.encode())
        return same and scheme.lower() == b"bearer"


def head_of(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Return the headers by name; the empty name tells that one stands twice."""
    head: dict[bytes, bytes] = {}
    for name, value in headers:
        if name in head and name in ONCE:
            head[b""] = name
        head[name] = value
    return head


def _reached(scope: Scope) -> str:
    address, port = scope["server"]
    # who comes by IPv4 to a socket of IPv6 is said to have reached ::ffff:192.0.2.1
    plain = address.removeprefix("::ffff:") if "." in address else address
    return f"{bracketed(plain)}:{port}"


def is_json(head: Mapping[bytes, bytes]) -> bool:
    """Whether a body is said to be JSON, which no form of a page can say."""
    kind, _, rest = head.get(b"content-type", b"").lower().partition(b";")
    charset = rest.strip().removeprefix(b"charset=").strip(b'"')
    plain = charset in {b"", b"utf-8"}
    return kind.strip() == b"application/json" and plain
