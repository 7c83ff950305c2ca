"""What the reasons of hits quote, noted while a call is on record.

Apart from the rest of the access log, since every search looks whether one is kept.
"""

from collections.abc import Iterable
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from glassmind.types.search import Hit

QUOTES: ContextVar[dict[str, tuple[str, ...]] | None] = ContextVar("quotes")
"""What is known in a call of the reasons of hits that quote other notes: their paths.

A reason tells those by their titles alone. Nobody asks for it outside of a call.
"""


def note_quotes(hits: "Iterable[Hit]") -> None:
    """Remember, for as long as a call is recorded, which notes reasons quote."""
    quotes = QUOTES.get(None)
    if quotes is not None:
        for hit in hits:
            quoting = tuple(one.quoted for one in hit.evidence if one.quoted)
            if quoting:
                quotes[hit.match_reason] = quoting
