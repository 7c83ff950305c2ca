"""What keeps the index of a vault, put together.

A part of `wiring` that a search does not need.
"""

from functools import partial
from typing import TYPE_CHECKING, cast

from glassmind.graph.dismissals import dismissals_for
from glassmind.graph.pairing import pair_notes
from glassmind.index.keeper import Hooks, IndexKeeper
from glassmind.index.watching import WRITER_WAIT_S, Watching
from glassmind.vault import Vault
from glassmind.wiring.access_log import access_log_check
from glassmind.wiring.confidence import is_due
from glassmind.wiring.scoped import ScopedKeeper
from glassmind.wiring.search import semantic_for
from glassmind.wiring.ticked import ticked_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from glassmind.model import NotePath
    from glassmind.ports.indexing import ShowProgress


def _learn(
    vault: Vault,
    embedded: int,
    progress: "ShowProgress",
    pause: "Callable[[], bool]",
) -> None:
    """Learn from new vectors what questions mean, and what an answer looks like."""
    if embedded:  # numpy only then
        semantic_for(vault).learn_intents()
    if not pause() and is_due(vault):
        semantic_for(vault).learn_curve(vault.words(), progress, pause)


def _propose_links(
    vault: Vault, pairs: "Sequence[tuple[NotePath, NotePath]]"
) -> "Sequence[str]":
    """Propose new links for notes renamed outside; most runs find no such note."""
    vault.renames.add(pairs)
    moves = vault.renames.take()
    if not moves or vault.config.writes.user_notes == "off":
        return ()
    from glassmind.edit.editing import Editing  # noqa: PLC0415

    notice = Editing(vault).propose_for_renamed(moves)
    return (notice,) if notice else ()


def keeper_for(vault: Vault) -> IndexKeeper:
    """Return what writes, examines and copies the index of a vault."""
    whole = vault.whole
    hooks = Hooks(
        learn=partial(_learn, whole),
        pair=partial(pair_notes, whole),
        ticked=ticked_for(whole),
        renamed=partial(_propose_links, whole),
        dismissals=lambda view: dismissals_for(view).now(),
        access_log=access_log_check,
    )
    keeper = IndexKeeper(whole, vault, hooks)
    if vault.scope is None:
        return keeper
    return cast("IndexKeeper", ScopedKeeper(keeper, vault))


def watching_for(vault: Vault, renew: "Callable[[float], None]") -> Watching:
    """Return what follows a vault.

    `renew` updates what is made from links, waiting so long for writers.
    """
    return Watching(vault, keeper_for(vault), lambda: renew(WRITER_WAIT_S))
