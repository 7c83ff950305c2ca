"""What keeps the index of a vault, put together.

A part of `wiring` that a search does not need.
"""

from functools import partial
from typing import TYPE_CHECKING, Protocol

from glassmind.indexing.keeper import IndexKeeper
from glassmind.store.sqlite.copier import SqliteCopier
from glassmind.wiring.index import bench_for, meaning_for, workshop_for
from glassmind.wiring.renamed import renamed_for
from glassmind.wiring.ticked import ticked_for

if TYPE_CHECKING:
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

        def forget_words(self) -> None:
            """Open the word index anew when it is next asked for."""


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
        lambda: adapters.meaning.learn_intents(),  # noqa: PLW0108 - numpy only then
        adapters.pairing,
        ticked_for(adapters),
        renamed_for(adapters),
    )
