"""What keeps the index of a vault, put together.

A part of `wiring` that a search does not need.
"""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from glassmind.index.keeper import IndexKeeper
from glassmind.store.sqlite.writer import SqliteCopier
from glassmind.vault import Vault
from glassmind.wiring.confidence import is_due
from glassmind.wiring.index import bench_for, meaning_for, workshop_for
from glassmind.wiring.pairs import pairing_for
from glassmind.wiring.renamed import renamed_for
from glassmind.wiring.scoped import ScopedKeeper
from glassmind.wiring.search import semantic_for
from glassmind.wiring.ticked import ticked_for

if TYPE_CHECKING:
    from collections.abc import Callable

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


def keeper_for(vault: Vault) -> IndexKeeper:
    """Return what writes, examines and copies the index of a vault."""
    if vault.scope is not None:  # written for all, and examined as far as it is visible
        keeper = replace(keeper_for(vault.whole), bench=partial(bench_for, vault))
        return cast("IndexKeeper", ScopedKeeper(keeper, vault))
    copier = SqliteCopier(vault.reader, vault.writing)
    shop = workshop_for(vault)
    return IndexKeeper(
        shop,
        partial(bench_for, vault),
        copier,
        vault.close_words,
        meaning_for(vault, shop),
        partial(_learn, vault),
        pairing_for(vault),
        ticked_for(vault),
        renamed_for(vault),
    )
