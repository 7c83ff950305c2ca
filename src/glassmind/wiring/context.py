"""The adapters of bundles.

A part of `wiring` that a search does not need.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

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
from glassmind.vault import Vault
from glassmind.wiring.search import semantic_for


def bundles_for(vault: Vault, sources: Sources) -> Bundles:
    """Return the verbs of bundles over a vault."""
    if vault.scope is not None:
        sources = replace(sources, shared=None)
    return Bundles(
        ContextParts(
            config=vault.config,
            root=vault.config.vault.path,
            files=vault.files,
            faults=vault.reader.faults,
            still=lambda: still(vault.reader.connection()),
            sources=sources,
            projects=lambda: ProjectRows(vault.reader.connection()),
            sections=lambda: SectionRows(
                vault.reader.connection(),
                open_boxes(vault.config.vault.path),
                vault.reader.pairs,
            ),
            rules=vault.ignore_rules,
            traces=lambda: TraceRows(vault.reader.connection()),
            day=parse_day,
            changes=lambda: ChangeRows(vault.reader.connection()),
            counter=counter_for(vault),
            passages=lambda: PassageRows(vault.reader.connection()),
            is_followed=lambda: read_state(vault.place.folder).mode != "off",
            reranker=lambda: semantic_for(vault).reranker(),
        )
    )


def counter_for(vault: Vault) -> Callable[[], TokenCounter]:
    """Return what finds what counts tokens: as the model does, if it is here."""

    @cache
    def counter() -> TokenCounter:
        if vault.config.embeddings.backend == "none":
            return Estimate()
        try:
            found = getattr(vault.embedder(), "counter", None)
            return (found() if found is not None else None) or Estimate()
        except ModelFault:
            return Estimate()

    return counter
