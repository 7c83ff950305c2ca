"""Suggestions that are to be followed: those named by key, or those of a list."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from glassmind.graph.suggest.asking import MOST, KeptRankings, suggest
from glassmind.graph.suggest.joined import Wish, joined
from glassmind.model import NotePath
from glassmind.model.repairs import Repairs, Unmended
from glassmind.model.suggestions import LEADS, Suggestion

if TYPE_CHECKING:
    from glassmind.graph.study import Study

NOT_SUGGESTED = "nothing of that key is suggested now"


def followed(  # noqa: PLR0913 - each wish by its name
    study: "Study",
    kept: KeptRankings,
    note: NotePath | None,
    *,
    keys: Sequence[str] | None,
    mentions: bool,
    limit: int,
) -> Repairs:
    """Return the edits that make suggested links, joined for each note.

    Those of `keys`, and with `mentions` every name in a text that should be a link;
    without either the first `limit`, as they are listed. No keys at all are none, not
    all.

    Raises:
        BadLimit: so many cannot be given.
    """
    many = MOST if keys or mentions else limit
    found = suggest(study, kept, note, limit=many)
    known = {one.key: one for one in found.suggestions}
    known |= _around(study, kept, [key for key in keys or () if key not in known])
    wanted = dict.fromkeys(keys or ())
    if mentions or keys is None:
        named = (one for one in found.suggestions if not mentions or _is_sure(one))
        wanted |= dict.fromkeys(one.key for one in named)
    left = [Unmended(key, NOT_SUGGESTED) for key in wanted if key not in known]
    wishes = [Wish(key, known[key]) for key in wanted if key in known]
    edits, undone = joined(study, wishes)
    return Repairs(edits=tuple(edits), unmended=(*left, *undone), notices=found.notices)


def _is_sure(one: Suggestion) -> bool:
    """Whether a name stands in the text, and is that of one note alone."""
    return one.mention is not None and not one.mention.namesakes


def _around(
    study: "Study", kept: KeptRankings, keys: Iterable[str]
) -> dict[str, Suggestion]:
    """Return what is suggested for the notes that keys begin with."""
    found: dict[str, Suggestion] = {}
    for source in dict.fromkeys(key.partition(LEADS)[0] for key in keys):
        around = suggest(study, kept, NotePath(source), limit=MOST)
        found |= {one.key: one for one in around.suggestions}
    return found
