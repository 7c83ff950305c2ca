"""The words by which people say that something is over, or does not hold any more.

In small letters. English and German.
"""

CLOSED = frozenset((
    "done", "answered", "closed", "resolved", "solved", "cancelled", "canceled",
    "rejected", "dropped", "superseded", "obsolete",
    "erledigt", "beantwortet", "geschlossen", "gelöst", "verworfen",
))  # fmt: skip
"""Statuses of a question or a task that nobody waits for any more."""

OVERRULED = frozenset((
    "superseded", "rejected", "deprecated", "obsolete", "withdrawn", "declined",
    "replaced", "ersetzt", "verworfen", "abgelehnt", "überholt",
))  # fmt: skip
"""Statuses of a decision that does not hold, or never did."""


def is_over(status: str, *, decided: bool) -> bool:
    """Whether a status says that something is over; `decided`, that it never holds."""
    return status.casefold() in (OVERRULED if decided else CLOSED)
