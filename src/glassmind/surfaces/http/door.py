"""Who may come in: checks of a request's head, the same on every route."""

import hmac
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from glassmind.access.clients import PREFIX, Client, Clients, digest_of
from glassmind.errors.access import ClientsUnreadable
from glassmind.surfaces.http.addresses import bracketed
from glassmind.surfaces.http.replies import Refusal
from glassmind.surfaces.http.token import TokenFile
from glassmind.surfaces.mcp.log import log
from glassmind.types.access import EVERY_AGENT
from glassmind.types.access import Scope as ReadScope

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
WRONG_TOKEN = NO_TOKEN._replace(
    code="wrong_token",
    message="the token is not the one",
    hint="glassmind serve --show-token tells that of the vault; that of a client is "
    "told once, by glassmind clients add",
)
NOT_JSON = Refusal(
    415,
    "not_json",
    "only JSON is taken",
    "send the header Content-Type: application/json",
)

Scope = Mapping[str, Any]


class Visitor(NamedTuple):
    """Who a request is from, by its token: a client, or without a name anybody else.

    Whoever `owns` the vault's own token may also ask what is not for clients.
    """

    name: str = ""
    scope: ReadScope = EVERY_AGENT
    owns: bool = False


STRANGER, OWNER = Visitor(), Visitor(owns=True)


class Door(NamedTuple):
    """What a request has to show. Without `token` nobody has to know one.

    That of a file may be another with every request.
    """

    hosts: frozenset[str]
    origins: frozenset[str]
    token: str | TokenFile | None
    by_address: bool = False
    """Whether the address that a client reached counts as a name too."""
    clients: Clients | None = None
    """Those that have a token of their own."""

    def refusal(
        self,
        scope: Scope,
        head: Mapping[bytes, bytes],
        visitor: Visitor | None = None,
    ) -> Refusal | None:
        """Return why a request of a visitor may not come in; None when it may."""
        if b"" in head:
            return DOUBLED
        if b"content-length" in head and b"transfer-encoding" in head:
            return TWO_LENGTHS  # where one request ends is read in two ways
        return (
            self._wrong_host(scope, head)
            or self._wrong_origin(head)
            or _wrong_token(scope, head, visitor)
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

    def visitor(self, head: Mapping[bytes, bytes]) -> Visitor | None:
        """Return who shows a token; None where it is nobody's, or none is shown.

        Digests are compared, all of them and whatever the scheme: how long that takes
        tells nothing.
        """
        if self.token is None:
            return OWNER
        scheme, _, shown = head.get(b"authorization", b"").partition(b" ")
        token = shown.strip()
        kept = self.token if isinstance(self.token, str) else self.token.current()
        ours = hmac.compare_digest(digest_of(token), digest_of(kept.encode()))
        ours = ours and bool(kept)
        client = self._client(token)
        if scheme.lower() != b"bearer":
            return None
        if ours or client is None or self.clients is None:
            return OWNER if ours else None
        self.clients.note_use(client)
        return Visitor(client.name, client.scope)

    def _client(self, token: bytes) -> Client | None:
        if self.clients is None:
            return None
        try:
            return self.clients.holder(token)
        except ClientsUnreadable as error:
            if token.startswith(PREFIX.encode()):
                log("unready", kind=type(error).__name__)
            return None


def _wrong_token(
    scope: Scope, head: Mapping[bytes, bytes], visitor: Visitor | None
) -> Refusal | None:
    if scope["path"] == OPEN_PATH or visitor is not None:
        return None
    return WRONG_TOKEN if b"authorization" in head else NO_TOKEN


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
