"""Where an answer goes on: a mark that a caller hands back unread.

It carries how far the last answer came, which call it belongs to, and a trace of what
was shown, so that a call made later can tell whether things changed meanwhile.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple

from glassmind.errors.serving import BadArgument

TRACE_CHARS = 12
"""48 bits: against accidents, not against forgers, who would fool themselves alone."""

LONGEST = 200
"""Characters of a cursor that we gave are below a hundred."""

FURTHEST = 1_000_000_000
"""Where no answer comes: a note has fewer letters, a vault fewer notes."""


class Cursor(NamedTuple):
    """How far an answer came, and a trace of what stood before."""

    offset: int
    trace: str


def trace_of(*seen: object) -> str:
    """Return a short trace of values that were shown."""
    made = json.dumps(seen, ensure_ascii=True, default=str)
    return sha256(made.encode()).hexdigest()[:TRACE_CHARS]


def write_cursor(tool: str, given: Mapping[str, object], cursor: Cursor) -> str:
    """Return the cursor that goes on behind an answer to this call."""
    made = json.dumps([_call(tool, given), *cursor], separators=(",", ":"))
    return urlsafe_b64encode(made.encode()).decode().rstrip("=")


def read_cursor(tool: str, given: Mapping[str, object]) -> Cursor:
    """Return where a call begins, by its argument `cursor`; without one at 0.

    Raises:
        BadArgument: this tool gave no such cursor, or it belongs to another call.
    """
    text = str(given.get("cursor") or "")
    if not text:
        return Cursor(0, "")
    try:
        raw = urlsafe_b64decode(text[:LONGEST] + "=" * (-len(text) % 4))
        call, offset, trace = json.loads(raw)
        cursor = Cursor(int(offset), str(trace))
    except (ValueError, TypeError, OverflowError, RecursionError):
        cursor = None
    if cursor is None or not 0 <= cursor.offset <= FURTHEST:
        raise BadArgument(tool, "it gave no such cursor; call it without one")
    if call != _call(tool, given):
        raise BadArgument(
            tool,
            "this cursor belongs to a call with other arguments; repeat those with "
            "it, or call without it",
        )
    return cursor


def _call(tool: str, given: Mapping[str, object]) -> str:
    """Return a trace of a call, whatever its cursor."""
    return trace_of(tool, sorted((k, v) for k, v in given.items() if k != "cursor"))
