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
    from glassmind.vault import Vault


def renamed_for(
    vault: "Vault",
) -> Callable[[Sequence[tuple[NotePath, NotePath]]], Sequence[str]]:
    """Return what proposes new links, and says what is proposed or went wrong."""
    return partial(_proposed, vault)


def _proposed(
    vault: "Vault", pairs: Sequence[tuple[NotePath, NotePath]]
) -> Sequence[str]:
    vault.renames.add(pairs)
    moves = vault.renames.take()
    if not moves or vault.config.writes.user_notes == "off":
        return ()
    from glassmind.wiring.editing import editing_for, unindexed  # noqa: PLC0415

    try:
        done = editing_for(vault, unindexed).found_moved(moves)
    except GlassmindError as error:
        return (f"links to renamed notes could not be looked at: {error}",)
    if done is None:
        return ()
    identity, draft = done.changeset.id, done.changeset.draft
    said = f"{draft.title}, can be written anew: glassmind proposals show {identity}"
    return (said,)
