"""What a caller goes by where its acts are put on record."""

import re
import unicodedata
from typing import Any

from glassmind.surfaces.mcp.fence import one_line, sound

NAME_CHARS = 80
"""Letters of a name on record; the longest of a known client has 30."""

OURS = frozenset(("cli", "person", "user", "obsidian", "http", "library", "glassmind"))
"""Names that the record has for the user and for ourselves; no caller goes by them."""

_UNSEEN = re.compile(r"[\W_\u115f\u1160\u3164\uffa0]+")
"""What may stand in a name that reads as another all the same."""

USUAL = "mcp"
"""What a client of the protocol is called that says no name."""


def plain_caller(said: str, usual: str) -> str:
    """Return a name that a caller gives itself, on one line, or the usual one."""
    name = one_line(sound(said))[:NAME_CHARS].strip()
    read = _UNSEEN.sub("", unicodedata.normalize("NFKC", name)).casefold()
    return usual if not name or read in OURS else name


def caller_of(session: Any) -> str:
    """Return what the client of a session calls itself; old ones may say nothing."""
    said = getattr(session, "client_params", None)
    return plain_caller(said.client_info.name if said is not None else "", USUAL)
