"""The adapters of knowledge: the graph, its rows, and who finds names.

A part of `wiring` that a search does not need.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from glassmind.graph.keeping import KeptGraph
from glassmind.knowledge.study import Study
from glassmind.knowledge.verbs import Knowledge
from glassmind.store.sqlite.net_rows import NetRows
from glassmind.wiring.grounds import Grounds

if TYPE_CHECKING:
    from glassmind.retrieval.notes import NoteReader
    from glassmind.types.search import Hit


class Adapters(Grounds, Protocol):
    """What `wiring` has for us; the place may become another while we write."""

    def notes(self) -> "NoteReader":
        """Return what reads single notes and lists."""


def knowledge_for(
    adapters: Adapters, found: "Callable[[str, int], Sequence[Hit]]"
) -> Knowledge:
    """Return the verbs of knowledge over the vault of these adapters."""

    def rows() -> NetRows:
        return NetRows(adapters.reader.connection())

    return Knowledge(
        Study(
            config=adapters.config,
            faults=adapters.reader.faults,
            find=lambda name: adapters.notes().find(name),
            found=found,
            net=KeptGraph(rows).now,
            sentences=lambda keys: rows().sentences(keys),
        )
    )
