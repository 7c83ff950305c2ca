"""What keeps the index of a vault, put together.

A part of `wiring` that a search does not need.
"""

from functools import partial
from typing import TYPE_CHECKING, Protocol

from glassmind.index.keeper import IndexKeeper
from glassmind.store.sqlite.writer import SqliteCopier
from glassmind.wiring.confidence import is_due
from glassmind.wiring.index import bench_for, meaning_for, workshop_for
from glassmind.wiring.renamed import renamed_for
from glassmind.wiring.ticked import ticked_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from glassmind.ports.indexing import ShowProgress
    from glassmind.ports.retrieval import FollowingWords
    from glassmind.wiring import editing, index, memory
    from glassmind.wiring.pairs import OpenPairing
    from glassmind.wiring.search import OpenMeaning

    class Adapters(index.Adapters, editing.Adapters, memory.Adapters, Protocol):
        """What `wiring` has for us."""

        @property
        def meaning(self) -> OpenMeaning:
            """The model and the vectors that answer."""

        @property
        def pairing(self) -> OpenPairing:
            """What keeps the pairs of similar notes up to their vectors."""

        def words(self) -> FollowingWords | None:
            """Return the word index; None when there is none that can be opened."""

        def forget_words(self) -> None:
            """Open the word index anew when it is next asked for."""


def _learn(
    adapters: "Adapters",
    embedded: int,
    progress: "ShowProgress",
    pause: "Callable[[], bool]",
) -> None:
    """Learn from new vectors what questions mean, and what an answer looks like."""
    if embedded:  # numpy only then
        adapters.meaning.learn_intents()
    if not pause() and is_due(adapters):
        adapters.meaning.learn_curve(adapters.words(), progress, pause)


def keeper_for(adapters: "Adapters") -> IndexKeeper:
    """Return what writes, examines and copies the index of a vault."""
    copier = SqliteCopier(adapters.reader, adapters.writing)
    shop = workshop_for(adapters)
    return IndexKeeper(
        shop,
        partial(bench_for, adapters),
        copier,
        adapters.forget_words,
        meaning_for(adapters, shop),
        partial(_learn, adapters),
        adapters.pairing,
        ticked_for(adapters),
        renamed_for(adapters),
    )
