"""What a caller goes by where its acts are put on record.

Over HTTP no sessions are kept, and a client of the older era says its name in the
greeting alone. So the id of the session that it is given there carries the name, and
comes back with every call. Whoever makes up such an id says a name of its own choice,
which it might have said in the greeting just as well.
"""

import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

from glassmind.access.clients import NAME_CHARS as NAME_CHARS  # noqa: PLC0414 - for the HTTP server
from glassmind.access.clients import plain_caller as plain_caller  # noqa: PLC0414 - same

USUAL = "mcp"
"""What a client of the protocol is called that says no name."""

SESSION = "mcp-session-id"
"""The header that a session of the older era is known by."""

ID_BYTES = 16
"""Of an id by chance, as many as those have that the protocol gives as an example."""

LONGEST_WRITTEN = NAME_CHARS * 6
"""Letters of a name inside an id: four bytes each at most, and four letters for three
bytes."""


def caller_of(session: Any, request: Any = None) -> str:
    """Return what the client of a session calls itself; old ones may say nothing.

    `request` is the one of HTTP that a call came by, if it did.
    """
    said = getattr(session, "client_params", None)
    if said is not None:
        return plain_caller(said.client_info.name, USUAL)
    head = getattr(request, "headers", {})
    return plain_caller(_named_by(head.get(SESSION, "")), USUAL)


def session_of(said: str) -> str:
    """Return an id for a session whose client calls itself so; empty without a name.

    No two are the same: clients and what stands between may go by that.
    """
    name = plain_caller(said, USUAL)
    if name == USUAL:
        return ""
    written = urlsafe_b64encode(name.encode()).decode().rstrip("=")
    return f"{secrets.token_hex(ID_BYTES)}.{written}"


def _named_by(session: str) -> str:
    """Return the name that an id of a session carries; empty for one not of ours."""
    written = session.partition(".")[2]
    if len(written) > LONGEST_WRITTEN:
        return ""
    try:
        name = urlsafe_b64decode(f"{written}{'=' * (-len(written) % 4)}").decode()
    except ValueError:
        return ""
    return name if plain_caller(name, USUAL) == name else ""
