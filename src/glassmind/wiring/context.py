"""The adapters of bundles.

A part of `wiring` that a search does not need.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Protocol

from glassmind.context.budget import Estimate, TokenCounter
from glassmind.context.bundles import Bundles
from glassmind.context.parts import ContextParts, Sources
from glassmind.errors import ModelFault
from glassmind.files.settings import open_boxes
from glassmind.search.query import parse_day
from glassmind.store.sqlite.connection import still
from glassmind.store.sqlite.memory import ChangeRows
from glassmind.store.sqlite.notes import ProjectRows, TraceRows
from glassmind.store.sqlite.passages import PassageRows, SectionRows
from glassmind.store.watch_state import read_state
from glassmind.wiring.grounds import EmbeddingGrounds, rules_of

if TYPE_CHECKING:
    from glassmind.files.read import VaultFiles
    from glassmind.ports.models import Reranker
    from glassmind.search.notes import NoteReader


class Reading(Protocol):
    """What has the model that reads a question and a passage together."""

    def reranker(self) -> "Reranker":
        """Return it."""


class Adapters(EmbeddingGrounds, Protocol):
    """What `wiring` has for us; the place may become another while we write."""

    @property
    def meaning(self) -> Reading:
        """The models of a search."""

    def notes(self) -> "NoteReader":
        """Return what reads single notes and lists."""

    def files(self) -> "VaultFiles":
        """Return what reads notes as they are on disk now."""


def bundles_for(adapters: Adapters, sources: Sources) -> Bundles:
    """Return the verbs of bundles over the vault of these adapters."""
    return Bundles(
        ContextParts(
            config=adapters.config,
            root=adapters.config.vault.path,
            files=adapters.files,
            faults=adapters.reader.faults,
            still=lambda: still(adapters.reader.connection()),
            find=lambda name: adapters.notes().find(name),
            sources=sources,
            projects=lambda: ProjectRows(adapters.reader.connection()),
            sections=lambda: SectionRows(
                adapters.reader.connection(),
                open_boxes(adapters.config.vault.path),
                adapters.reader.pairs,
            ),
            rules=lambda: rules_of(adapters),
            traces=lambda: TraceRows(adapters.reader.connection()),
            day=parse_day,
            changes=lambda: ChangeRows(adapters.reader.connection()),
            counter=counter_for(adapters),
            passages=lambda: PassageRows(adapters.reader.connection()),
            is_followed=lambda: read_state(adapters.place.folder).mode != "off",
            reranker=lambda: adapters.meaning.reranker(),  # noqa: PLW0108 - numpy
        )
    )


def counter_for(adapters: Adapters) -> Callable[[], TokenCounter]:
    """Return what finds what counts tokens: as the model does, if it is here."""

    @cache
    def counter() -> TokenCounter:
        if adapters.config.embeddings.backend == "none":
            return Estimate()
        try:
            found = getattr(adapters.embedder(), "counter", None)
            return (found() if found is not None else None) or Estimate()
        except ModelFault:
            return Estimate()

    return counter
