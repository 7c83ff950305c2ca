"""Notes that are alike and that nobody has linked yet."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Protocol

from glassmind.errors import BadLimit, BadWish
from glassmind.types import NotePath
from glassmind.types.pairs import Dismissals, Pair, PairStatus, Similar

if TYPE_CHECKING:
    from glassmind.knowledge.study import Study

MOST = 20
"""Notes that one is paired with. A person looks at a handful; the rest is room for
those that are linked by now, which are paired all the same and not shown."""

VERSION = 1
"""Raised when the same vectors would make other pairs, so that all are made anew."""

MOST_SHOWN = 1_000
"""Pairs that one answer shows at most, as the other lists of the engine do."""


class Pairs(Protocol):
    """The pairs of notes that the rows hold."""

    def pairs(self, *, least: float = 0.0) -> list[Pair]:
        """Return every pair without a link once, the most similar first."""

    def of_note(self, path: NotePath, /, *, least: float = 0.0) -> list[Pair]:
        """Return what a note is like and has no link with, the most similar first."""

    def status(self, space: str, /) -> PairStatus:
        """Return how many pairs there are; `space` names the vectors that answer."""

    def there(self, paths: Collection[NotePath], /) -> set[NotePath]:
        """Return those of some paths that a file has."""

    def titles(self, paths: Collection[NotePath], /) -> dict[NotePath, str]:
        """Return the title of each note."""

    def titled(self, titles: Collection[str], /) -> dict[str, list[NotePath]]:
        """Return the notes that have each title, by path."""


def similar(
    study: "Study", note: NotePath | None, *, limit: int, least: float
) -> Similar:
    """Return the pairs of a note, or of the whole vault, the most similar first.

    Pairs that are linked by now, and those that a person dismissed, are left out.

    Raises:
        BadLimit, BadWish: so many pairs, or pairs so alike, cannot be given.
    """
    if not 1 <= limit <= MOST_SHOWN:
        raise BadLimit(limit, MOST_SHOWN)
    if not 0 <= least <= 1:
        raise BadWish("least", least, "from 0 to 1")
    rows = study.pairs()
    found = rows.of_note(note, least=least) if note else rows.pairs(least=least)
    kept = undismissed(found, study.book.now())
    return Similar(
        tuple(kept[:limit]),
        len(kept),
        len(found) - len(kept),
        rows.status(study.space()),
        note,
    )


def alike(study: "Study", note: NotePath, *, limit: int = 20) -> list[Pair]:
    """Return what a note is like, unlinked and not dismissed, the most similar first.

    The note asked about is the first of each pair.
    """
    return undismissed(study.pairs().of_note(note), study.book.now())[:limit]


def undismissed(pairs: list[Pair], dismissals: Dismissals) -> list[Pair]:
    """Return the pairs that nobody dismissed, in their order."""
    if not dismissals.pairs:
        return pairs
    return [p for p in pairs if not dismissals.has_pair(p.path, p.other_path)]
