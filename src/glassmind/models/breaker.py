"""Leaving who failed alone for a while, and then for longer."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from glassmind.errors import GlassmindError, ModelFailed, ModelFault
from glassmind.models.protocols import Embedder, Reranker

if TYPE_CHECKING:
    from glassmind.model.vectors import Embeddable, Matrix, Vector

WAITS_S = (60.0, 300.0, 1800.0)
"""Seconds after the first, the second and every later failure in a row."""


class CircuitBreaker:
    """Counts the failures of one model, or server, and says when it may be asked again.

    `failure` makes what is raised before, of a reason.
    """

    def __init__(
        self,
        model: str,
        clock: Callable[[], float] = time.monotonic,
        failure: Callable[[str], GlassmindError] | None = None,
    ) -> None:
        self._failure = failure or partial(ModelFailed, model)
        self._clock = clock
        self._failures, self._until = 0, 0.0

    def check(self) -> None:
        """See that it may be asked.

        Raises:
            GlassmindError: it failed, and its time has not come yet.
        """
        left = self._until - self._clock()
        if left > 0:
            raise self._failure(f"it failed and is asked again in {left:.0f} s")

    def failed(self) -> None:
        """Remember a failure; of many who asked at once, the first counts."""
        if self._until > self._clock():
            return
        wait_s = WAITS_S[min(self._failures, len(WAITS_S) - 1)]
        self._failures, self._until = self._failures + 1, self._clock() + wait_s

    def worked(self) -> None:
        """Forget the failures."""
        self._failures = 0

    @contextmanager
    def watched(self, failure: type[GlassmindError]) -> Iterator[None]:
        """Remember whether what is asked of it meanwhile fails so, or works."""
        try:
            yield
        except failure:
            self.failed()
            raise
        except GeneratorExit:  # whoever asked had enough, or no more time
            self.worked()
            raise
        self.worked()


class PatientReranker:
    """A reranker whose failures are remembered."""

    def __init__(self, reranker: Reranker, patience: CircuitBreaker) -> None:
        self._reranker, self._patience = reranker, patience

    def scores(self, query: str, passages: Sequence[str]) -> Iterator[float]:
        with self._patience.watched(ModelFault):
            yield from self._reranker.scores(query, passages)


class PatientEmbedder:
    """A model that embeds for who waits, whose failures are remembered.

    Only that it gave no answer counts: what is missing or damaged is told at once, and
    may be put right at any time.
    """

    def __init__(self, embedder: Embedder, patience: CircuitBreaker) -> None:
        self._embedder, self._patience = embedder, patience

    @property
    def space(self) -> str:
        return self._embedder.space

    @property
    def width(self) -> int:
        return self._embedder.width

    def passages(self, parts: "Sequence[Embeddable]", /) -> "Iterator[Matrix]":
        self._patience.check()
        with self._patience.watched(ModelFailed):
            yield from self._embedder.passages(parts)

    def query(self, text: str, /) -> "Vector":
        self._patience.check()
        with self._patience.watched(ModelFailed):
            return self._embedder.query(text)
