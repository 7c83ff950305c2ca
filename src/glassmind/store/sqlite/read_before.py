"""What bundles read of notes, kept for the next one while no row is another.

Questions of one piece of work are about the same notes, and links lead to the same few
everywhere. Each connection keeps its own, so nothing is locked.
"""

from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import apsw

from glassmind.model.sections import SectionHeading, SectionNote, SectionSign

MOST_PAGES, MOST_NAMES = 1_000, 20_000
"""Notes whose text is kept, some 5 MB of usual ones, and whose name is: beyond that all
is read anew, since what is asked about now is seldom what was asked first."""

LinkRow = tuple[int, int, int, str]


@dataclass(slots=True)
class ReadBefore:
    """What was read, by note, of the rows as they were at one `version`."""

    version: int
    notes: dict[int, SectionNote] = field(default_factory=dict)
    named: dict[int, tuple[str, str]] = field(default_factory=dict)
    pages: dict[int, list[str]] = field(default_factory=dict)
    headings: dict[int, tuple[SectionHeading, ...]] = field(default_factory=dict)
    links: dict[int, list[LinkRow]] = field(default_factory=dict)
    degrees: dict[int, int] = field(default_factory=dict)
    parts: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    signs: dict[tuple[str, str], dict[int, list[SectionSign]]] = field(
        default_factory=dict
    )
    heads: dict[int, dict[int, str]] = field(default_factory=dict)
    crowds: dict[int, bool] = field(default_factory=dict)

    @property
    def is_full(self) -> bool:
        """Whether it is time to begin anew."""
        return len(self.pages) > MOST_PAGES or len(self.named) > MOST_NAMES


_READ: WeakKeyDictionary[apsw.Connection, ReadBefore] = WeakKeyDictionary()


def read_before(db: apsw.Connection) -> ReadBefore:
    """Return what a connection has read since the rows became what they are."""
    row: Any = db.execute("pragma data_version").fetchone()
    known = _READ.get(db)
    if known is None or known.version != row[0] or known.is_full:
        known = _READ[db] = ReadBefore(row[0])
    return known
