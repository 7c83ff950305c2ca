"""What clients were given to read, as it goes on record."""

from collections.abc import Iterable
from contextvars import ContextVar
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

from glassmind.types.search import Hit

Surface: TypeAlias = Literal["mcp-stdio", "mcp-http", "http"]
"""The way by which a client asks."""

SumBy: TypeAlias = Literal["client", "note"]


QUOTES: ContextVar[dict[str, tuple[str, ...]] | None] = ContextVar("quotes")
"""What is known in a call of the reasons of hits that quote other notes: their paths.

A reason tells those by their titles alone. Nobody asks for it outside of a call.
"""


def note_quotes(hits: Iterable[Hit]) -> None:
    """Remember, for as long as a call is recorded, which notes reasons quote."""
    quotes = QUOTES.get(None)
    if quotes is not None:
        for hit in hits:
            quoting = tuple(one.quoted for one in hit.evidence if one.quoted)
            if quoting:
                quotes[hit.match_reason] = quoting


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
