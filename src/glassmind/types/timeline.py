"""How the neighbourhood of a note grew: dated events, each with where it is from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from glassmind.types import NotePath

EventKind: TypeAlias = Literal[
    "made", "renamed", "links_to", "linked_from", "neighbour_made", "changed"
]
"""What happened: to the note itself, to a link of it, or to a note at its other end."""

DateOrigin: TypeAlias = Literal["property", "name", "git", "modified"]
"""Where a date comes from, the surest first: a property of the note, the day in its
name, the history of the vault, or when its file was last changed."""


class NoteDates(NamedTuple):
    """What dates a note: the day it is about, its file's last change, properties."""

    day: str | None
    mtime_ns: int
    properties: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened around a note.

    `day` is `YYYY-MM-DD`; `time` is `HH:MM:SS` with the offset of where it was written,
    empty where only the day is known. `path` and `title` are of the other note, or of
    the note itself where the event is about it. `commit` is of the history, if it is
    from there. A link that is no longer there is not an event.
    """

    day: str
    time: str
    kind: EventKind
    path: str
    title: str
    origin: DateOrigin
    detail: str
    sentence: str = ""
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Timeline:
    """What happened around a note, the first thing first.

    Of many events the latest are here; `total` counts all. `notices` say what could not
    be told, such as a vault without a history.
    """

    path: NotePath
    title: str
    events: tuple[Event, ...]
    total: int
    notices: tuple[str, ...]
