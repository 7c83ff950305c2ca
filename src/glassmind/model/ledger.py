"""What clients were given to read, as it goes on record."""

from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

Surface: TypeAlias = Literal["mcp-stdio", "mcp-http", "http"]
"""The way by which a client asks."""

SumBy: TypeAlias = Literal["client", "note"]


class Passage(NamedTuple):
    """Lines of a note whose text was given; without lines, text of it that has none.

    Such text is a part of the note whose place the answer does not tell, such as an
    excerpt or its properties, so the whole of it has to be reckoned with.
    """

    path: str
    first: int = 0
    last: int = 0


class Shown(NamedTuple):
    """What an answer shows: passages, and notes that it names without their text."""

    passages: tuple[Passage, ...] = ()
    named: tuple[str, ...] = ()


class Reading(NamedTuple):
    """One answer: when, to whom, by which way, to which verb, and what it showed.

    Of many notes that were only named the first are here; `more_named` counts others.
    """

    at: datetime
    client: str
    surface: str
    verb: str
    passages: tuple[Passage, ...]
    named: tuple[str, ...]
    more_named: int = 0


class Wanted(NamedTuple):
    """Which readings are asked for; empty means all.

    `notes` are names and paths that one note has or had, or a folder that ends with
    `/`. `since` is included, `until` is not.
    """

    client: str = ""
    notes: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None


class Sum(NamedTuple):
    """What one client was given, or to whom one note was, over some time.

    `answers` had text, `named` had the name alone. `others` are how many notes a client
    was given text of, or how many clients were given text of a note.
    """

    of: str
    answers: int
    named: int
    others: int
    last: datetime
