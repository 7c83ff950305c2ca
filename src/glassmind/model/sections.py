"""What the sections of a bundle are read from: rows of notes and of what is in them.

All are named tuples: a bundle makes hundreds of them.
"""

from collections.abc import Collection, Mapping
from typing import Literal, NamedTuple

APART = "\x1e"
"""Stands between texts that are read as one: no heading holds it."""


OPEN_BOXES = (" ", "/", "!", "*", "?")
"""The statuses of a task that is not done, where nothing else is set: to do, begun,
important, starred, in doubt. Other signs are done or given up (`x`, `-`, `✓`, `~`), put
off to another place (`>`, `<`), or no tasks at all: themes draw quotes, ideas and
places by them (`"`, `i`, `l`)."""


class SectionNote(NamedTuple):
    """A note as sections see it.

    `day` is the day it is about, `2026-03-01`, where its name says one. `properties`
    are by name in lower case. `at_once` where its file was written among so many that
    its time says nothing.
    """

    note_id: int
    path: str
    title: str
    day: str | None
    mtime_ns: int
    aliases: tuple[str, ...]
    properties: Mapping[str, object]
    digest: str
    at_once: bool = False


class SectionTask(NamedTuple):
    """A task with the path of its note, and the dates in its line by their names."""

    note_id: int
    path: str
    line: int
    dates: Mapping[str, str]
    text: str


class SectionSign(NamedTuple):
    """What speaks for lines of a note, or for all of it: a type, a tag or a callout.

    A `name` is in lower case, but for what the property `type` says, which is JSON. A
    tag that a property holds, and a type, stand on line 0.
    """

    note_id: int
    form: Literal["type", "tag", "callout"]
    name: str
    start_line: int
    end_line: int


class SectionHeading(NamedTuple):
    """A heading of a note."""

    note_id: int
    level: int
    text: str
    line: int


class SectionLink(NamedTuple):
    """A link between two notes, by its source; `property` where one holds it.

    Sorted, they stand by source and place.
    """

    source_id: int
    line: int
    target_id: int
    property: str


class Likeness(NamedTuple):
    """A note that another is like, without a link between them."""

    note_id: int
    other_id: int
    similarity: float


class MemoWish(NamedTuple):
    """Captures that are looked for below the agent folder: of a kind, and open.

    They are among `note_ids`, of one of some projects, or stand on one of some paths;
    `closed` are the statuses that leave one out.
    """

    agent: str
    kind: str
    closed: frozenset[str]
    note_ids: Collection[int]
    projects: Collection[str]
    paths: Collection[str]


class ChangedRow(NamedTuple):
    """A note with the day of its last change, as `2026-03-01`.

    `company` is how many files were changed in its minute and the two around it.
    """

    note_id: int
    path: str
    title: str
    day: str
    company: int = 1
