"""Notes that are alike and that nobody has linked yet."""

from typing import TYPE_CHECKING

from glassmind.errors import BadLimit, BadWish
from glassmind.model import NotePath
from glassmind.model.pairs import Dismissals, Pair, Similar

if TYPE_CHECKING:
    from glassmind.graph.context import GraphContext


MOST = 20
"""Notes without a link that one is paired with. A person looks at a handful; the rest
is room for those that are linked or dismissed before notes are paired again."""

VERSION = 2
"""Raised when the same vectors would make other pairs, so that all are made anew."""

MOST_SHOWN = 1_000
"""Pairs that one answer shows at most, as the other lists of the engine do."""


def similar(
    study: "GraphContext", note: NotePath | None, *, limit: int, least: float
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
    dismissals = study.book.now()
    kept = undismissed(found, dismissals)
    return Similar(
        note=note,
        pairs=tuple(kept[:limit]),
        total=len(kept),
        dismissed=len(found) - len(kept),
        status=rows.status(study.space(), dismissals.pairs),
        notices=unknown(study),
    )


def unknown(study: "GraphContext") -> tuple[str, ...]:
    """Return what is not known yet of similar notes, and what is not followed."""
    notice = study.pairs().lag(study.space()).notice
    return (*([notice] if notice else []), *study.book.now().problems)


def alike(study: "GraphContext", note: NotePath, *, limit: int) -> list[Pair]:
    """Return what a note is like, unlinked and not dismissed, the most similar first.

    The note asked about is the first of each pair.
    """
    return undismissed(study.pairs().of_note(note), study.book.now())[:limit]


def undismissed(pairs: list[Pair], dismissals: Dismissals) -> list[Pair]:
    """Return the pairs that nobody dismissed, in their order."""
    if not dismissals.pairs:
        return pairs
    return [p for p in pairs if not dismissals.has_pair(p.path, p.other_path)]
