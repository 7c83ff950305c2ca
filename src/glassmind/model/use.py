"""What was handed out, as it goes on record."""

from datetime import datetime
from typing import NamedTuple

NOTES_A_MINUTE = 5
"""Files that a person changes in a minute; where more were, it was a program, such as a
sync or a checkout, and what each change says of a person shrinks as there are more."""

MOST_AT_ONCE = 20
"""Files changed about one minute beyond which none of it was an edit: four times what a
person does, and fewer than any vault has that is checked out."""


def alone(company: int) -> float:
    """Return how far a change among so many about its minute was a person's own."""
    if company > MOST_AT_ONCE:
        return 0.0
    return min(1.0, NOTES_A_MINUTE / max(1, company))


class UseEvent(NamedTuple):
    """Notes that were handed out at once: when, by which verb, and to whom."""

    at: datetime
    verb: str
    client: str
    paths: tuple[str, ...]


class UseTail(NamedTuple):
    """Events that were not taken in yet, and how far each file was read by now."""

    events: list[UseEvent]
    upto: dict[str, int]


class DayUse(NamedTuple):
    """How often a verb handed out a note on a day, such as `2026-03-01`."""

    note_id: int
    verb: str
    day: str
    times: int


class Edit(NamedTuple):
    """When a note was changed last, and how many files were about that minute."""

    note_id: int
    mtime_ns: int
    company: int
