"""What a run of indexing asks of editing: new links for notes renamed outside.

A part of `wiring` that a search does not need. Most runs find no such note, and then
nothing of editing is imported.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from glassmind.errors import GlassmindError
from glassmind.model import NotePath

if TYPE_CHECKING:
    from glassmind.wiring.editing import Adapters


def renamed_for(
    adapters: "Adapters",
) -> Callable[[Sequence[tuple[NotePath, NotePath]]], Sequence[str]]:
    """Return what proposes new links, and says what is proposed or went wrong."""
    return partial(_proposed, adapters)


def _proposed(
    adapters: "Adapters", pairs: Sequence[tuple[NotePath, NotePath]]
) -> Sequence[str]:
    adapters.renames.add(pairs)
    moves = adapters.renames.take()
    if not moves or adapters.config.writes.user_notes == "off":
        return ()
    from glassmind.wiring.editing import editing_for, unindexed  # noqa: PLC0415

    try:
        done = editing_for(adapters, unindexed).found_moved(moves)
    except GlassmindError as error:
        return (f"links to renamed notes could not be looked at: {error}",)
    if done is None:
        return ()
    identity, draft = done.changeset.id, done.changeset.draft
    said = f"{draft.title}, can be written anew: glassmind proposals show {identity}"
    return (said,)
