"""When memos were captured, compared as moments: machines have zones of their own."""

from datetime import datetime
from math import inf


def moment_of(created: str) -> float:
    """Return a time as seconds; one that says no zone is ours, what is none is first.

    So the oldest stand before all others, and what no time is known of before these.
    """
    try:
        return datetime.fromisoformat(created).timestamp()
    except (ValueError, OverflowError, OSError):
        return -inf
