"""What a caller goes by where its acts are put on record."""

from typing import Any

from glassmind.surfaces.mcp.fence import one_line, sound

NAME_CHARS = 80
"""Letters of a name on record; the longest of a known client has 30."""

OURS = frozenset(("cli", "person", "user"))
"""Names that stand for the user at the keyboard; no other caller goes by them."""

USUAL = "mcp"
"""What a client of the protocol is called that says no name."""


def plain_caller(said: str, usual: str) -> str:
    """Return a name that a caller gives itself, on one line, or the usual one."""
    name = one_line(sound(said))[:NAME_CHARS].strip()
    return usual if not name or name.casefold() in OURS else name


def caller_of(session: Any) -> str:
    """Return what the client of a session calls itself; old ones may say nothing."""
    said = getattr(session, "client_params", None)
    return plain_caller(said.client_info.name if said is not None else "", USUAL)
