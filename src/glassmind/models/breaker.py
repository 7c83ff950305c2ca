"""Circuit breaker with exponential back-off, for models and servers."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from glassmind.errors import GlassmindError, ModelFailed, ModelFault
from glassmind.models.protocols import Reranker

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
        left = self._until - self._clock()
        if left > 0:
            raise self._failure(f"it failed and is asked again in {left:.0f} s")

    def failed(self) -> None:
        """Count a failure; of several calls at once, the first counts."""
        if self._until > self._clock():
            return
        wait_s = WAITS_S[min(self._failures, len(WAITS_S) - 1)]
        self._failures, self._until = self._failures + 1, self._clock() + wait_s

    def worked(self) -> None:
        self._failures = 0

    @contextmanager
    def watched(self, failure: type[GlassmindError]) -> Iterator[None]:
        try:
            yield
        except failure:
            self.failed()
            raise
        except GeneratorExit:  # the caller needs no more
            self.worked()
            raise
        self.worked()


class BreakerReranker:
    def __init__(self, reranker: Reranker, patience: CircuitBreaker) -> None:
        self._reranker, self._patience = reranker, patience

    def scores(self, query: str, passages: Sequence[str]) -> Iterator[float]:
        with self._patience.watched(ModelFault):
            yield from self._reranker.scores(query, passages)
