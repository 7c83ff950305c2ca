"""The name under which the acts of an MCP client are recorded.

Over HTTP there are no sessions, and a client of the older protocol gives its name only
in `initialize`. So the session id in that response carries the name, and comes back
with every call. A client could make up such an id, but so it could its name.
"""

import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

from glassmind.access.clients import NAME_CHARS, plain_caller

USUAL = "mcp"
"""The name of a client that gives none."""

SESSION = "mcp-session-id"

LONGEST_WRITTEN = NAME_CHARS * 6
"""Characters of a name in base64: at most four bytes each, four letters per three."""


def caller_of(session: Any, request: Any = None) -> str:
    """Return the name of a session's client; `request` is that of HTTP, if any."""
    said = getattr(session, "client_params", None)
    if said is not None:
        return plain_caller(said.client_info.name, USUAL)
    head = getattr(request, "headers", {})
    return plain_caller(_named_by(head.get(SESSION, "")), USUAL)


def session_of(said: str) -> str:
    """Return a unique session id that carries a client's name; empty without a name."""
    name = plain_caller(said, USUAL)
    if name == USUAL:
        return ""
    written = urlsafe_b64encode(name.encode()).decode().rstrip("=")
    return f"{secrets.token_hex(16)}.{written}"


def _named_by(session: str) -> str:
    """Return the name that a session id carries; empty for an id that is not ours."""
    written = session.partition(".")[2]
    if len(written) > LONGEST_WRITTEN:
        return ""
    try:
        name = urlsafe_b64decode(f"{written}{'=' * (-len(written) % 4)}").decode()
    except ValueError:
        return ""
    return name if plain_caller(name, USUAL) == name else ""
