"""Suggestions that are to be followed: those named by key, or those of a list."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from glassmind.errors import GlassmindError
from glassmind.knowledge.suggest.asking import MOST, KeptRankings, suggest
from glassmind.knowledge.suggest.joined import Wish, joined
from glassmind.types import NotePath
from glassmind.types.repairs import Repairs, Unmended
from glassmind.types.suggestions import LEADS, Suggestion, key_of

if TYPE_CHECKING:
    from glassmind.knowledge.study import Study

NOT_SUGGESTED = "nothing of that key is suggested now"


def followed(  # noqa: PLR0913 - each wish by its name
    study: "Study",
    kept: KeptRankings,
    note: NotePath | None,
    *,
    keys: Sequence[str],
    mentions: bool,
    limit: int,
) -> Repairs:
    """Return the edits that make suggested links, joined for each note.

    Those of `keys`, or with `mentions` every name in a text that should be a link, or
    else the first `limit`, as they are listed.

    Raises:
        BadLimit: so many cannot be given.
    """
    many = MOST if keys or mentions else limit
    found = suggest(study, kept, note, limit=many)
    chosen = [one for one in found.suggestions if not mentions or _is_sure(one)]
    left: list[Unmended] = []
    if keys:
        known = {key_of(one): one for one in found.suggestions}
        for key in keys:
            if key not in known:
                known.update(_around(study, kept, key))
        left = [Unmended(key, NOT_SUGGESTED) for key in keys if key not in known]
        chosen = [known[key] for key in dict.fromkeys(keys) if key in known]
    edits, undone = joined(study, [Wish(key_of(one), one) for one in chosen])
    return Repairs(edits=tuple(edits), unmended=(*left, *undone), notices=found.notices)


def _is_sure(one: Suggestion) -> bool:
    """Whether a name stands in the text, and is that of one note alone."""
    return one.mention is not None and not one.mention.namesakes


def _around(study: "Study", kept: KeptRankings, key: str) -> dict[str, Suggestion]:
    """Return what is suggested for the note that a key begins with."""
    source = NotePath(key.partition(LEADS)[0])
    try:
        found = suggest(study, kept, source, limit=MOST)
    except GlassmindError:
        return {}
    return {key_of(one): one for one in found.suggestions}
