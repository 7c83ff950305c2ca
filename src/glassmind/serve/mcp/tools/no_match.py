"""Which edit of a call found no match, and what a caller may try next."""

from collections.abc import Sequence

from glassmind.errors.editing import NoMatch
from glassmind.types.editing import Replace, TextEdit


def looser_helps(
    error: NoMatch, edits: Sequence[TextEdit], least: float | None = None
) -> bool:
    """Whether what was looked for may be found where less likeness will do.

    That is so for a text to be replaced, not for the name of a heading or of a block.
    `least` is the likeness that would do; without one, any that was not asked for.
    """
    places = [f"edits[{at}]" for at in range(len(edits))]
    at = places.index(error.place) if error.place in places else 0
    missed = edits[at]
    if not isinstance(missed, Replace):
        return False
    return missed.fuzzy is None or (least is not None and missed.fuzzy > least)
