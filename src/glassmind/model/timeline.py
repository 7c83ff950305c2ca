"""How the neighbourhood of a note grew: dated events, each with where it is from."""

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

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


class TimelineEvent(Struct, frozen=True):
    """Something that happened to a note, to a link of it or to a linked note.

    `day` is `YYYY-MM-DD`; `time` is `HH:MM:SS` with its offset, empty if only the day
    is known. `path` and `title` are of the other note, or of the note itself. Links
    that no longer exist are not events.
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
    uri: str | None = None


class Timeline(Struct, frozen=True, kw_only=True):
    """The latest events around a note, earliest first; `total` counts all."""

    path: str
    title: str
    uri: str | None = None
    events: tuple[TimelineEvent, ...]
    total: int
    notices: tuple[str, ...] = ()
