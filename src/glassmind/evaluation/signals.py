"""Asking without one signal of search, or with one more: what each of them adds.

No setting turns these off, so an engine is made whose search asks other sources.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from types import MappingProxyType
from typing import Any

from glassmind.config import Config
from glassmind.engine import Engine
from glassmind.evaluation.gold import GoldQuery
from glassmind.evaluation.measure import (
    Answer,
    Asker,
    Change,
    Configuration,
    engine_asker,
)
from glassmind.model.graph import Edge
from glassmind.ports.retrieval import NoteFacts, WordSearch
from glassmind.search.hybrid import Hybrid
from glassmind.search.search import Sources
from glassmind.wiring import LocalAdapters

SIMILAR = 0.25
"""Weight of similar notes, the best that was measured (docs/ranking.md)."""


class Told:
    """What is known of notes, with some questions answered otherwise."""

    def __init__(self, notes: NoteFacts, **otherwise: Callable[..., object]) -> None:
        self._notes, self._otherwise = notes, otherwise

    def __getattr__(self, name: str) -> Any:
        return self._otherwise.get(name) or getattr(self._notes, name)


def without_themes(sources: Sources) -> Sources:
    """Return the sources where no note has a theme."""
    return sources._replace(notes=Told(sources.notes, homes=lambda _: {}))


def without_confidence(sources: Sources) -> Sources:
    """Return the sources where each link counts as one in a sentence."""
    notes = sources.notes

    def plain(edges: Sequence[Edge]) -> list[Edge]:
        return [edge._replace(property="", kind="link") for edge in edges]

    return sources._replace(
        notes=Told(
            notes,
            edges_from=lambda note_ids: plain(notes.edges_from(note_ids)),
            edges_to=lambda note_ids: plain(notes.edges_to(note_ids)),
        )
    )


def without_recency(sources: Sources) -> Sources:
    """Return the sources where it does not matter when a note was changed."""
    settled = sources.settled
    return sources._replace(
        lifts={**sources.lifts, "recency": 0.0},
        settled=settled._replace(lifts={**settled.lifts, "recency": 0.0}),
    )


def with_similar(sources: Sources) -> Sources:
    """Return the sources where notes like a good hit count, as by the setting."""
    settled = sources.settled
    balanced = {**settled.balanced, "implicit": SIMILAR}
    return sources._replace(settled=settled._replace(balanced=balanced))


SIGNALS: Mapping[str, Change] = MappingProxyType(
    {
        "without themes": without_themes,
        "without edge confidence": without_confidence,
        "without recency": without_recency,
        f"with similar notes {SIMILAR}": with_similar,
    }
)
"""What each signal is compared by."""


def signals() -> list[Configuration]:
    """Return the ways of asking that show what a signal adds."""
    return [Configuration(name, change=change) for name, change in SIGNALS.items()]


class ChangedAdapters(LocalAdapters):
    """The adapters of a vault whose search asks changed sources."""

    def __init__(self, config: Config, change: Change) -> None:
        super().__init__(config)
        self._change = change

    def hybrid(self, words: WordSearch) -> Hybrid:
        """Return what answers by more than words, from the changed sources."""
        made = super().hybrid(words)
        return made._replace(sources=self._change(made.sources))


@contextmanager
def asker_of(engine: Engine) -> Iterator[Asker]:
    """Yield what asks an engine, or one like it where the sources are changed.

    Engines like it are made when they are first asked, and closed in the end.
    """
    with ExitStack() as opened:

        @cache
        def like_it(change: Change) -> Engine:
            adapters = ChangedAdapters(engine.config, change)
            made = Engine(adapters, alone=True, records=False)
            made.warm()  # what loads is no part of any answer's time
            return opened.enter_context(made)

        def ask(query: GoldQuery, way: Configuration, limit: int, /) -> Answer:
            asked = engine if way.change is None else like_it(way.change)
            return engine_asker(asked)(query, way, limit)

        yield ask
