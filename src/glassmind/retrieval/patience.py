"""Leaving a model that failed alone for a while, and then for longer."""

import time
from collections.abc import Callable, Iterator, Sequence

from glassmind.errors import ModelFailed, ModelFault
from glassmind.ports.models import Reranker

WAITS_S = (60.0, 300.0, 1800.0)
"""Seconds after the first, the second and every later failure in a row."""


class Patience:
    """Counts the failures of one model and says when it may be asked again."""

    def __init__(self, model: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._model, self._clock = model, clock
        self._failures, self._until = 0, 0.0

    def check(self) -> None:
        """See that the model may be asked.

        Raises:
            ModelFailed: it failed, and its time has not come yet.
        """
        left = self._until - self._clock()
        if left > 0:
            reason = f"it failed and is asked again in {left:.0f} s"
            raise ModelFailed(self._model, reason)

    def failed(self) -> None:
        """Remember a failure."""
        wait_s = WAITS_S[min(self._failures, len(WAITS_S) - 1)]
        self._failures, self._until = self._failures + 1, self._clock() + wait_s

    def worked(self) -> None:
        """Forget the failures."""
        self._failures = 0


class PatientReranker:
    """A reranker whose failures are remembered."""

    def __init__(self, reranker: Reranker, patience: Patience) -> None:
        self._reranker, self._patience = reranker, patience

    def scores(self, query: str, passages: Sequence[str]) -> Iterator[float]:
        """Yield a probability for each passage, as the reranker does.

        Raises:
            ModelFault: it failed.
        """
        try:
            yield from self._reranker.scores(query, passages)
        except ModelFault:
            self._patience.failed()
            raise
        except GeneratorExit:  # whoever asked had enough, or no more time
            self._patience.worked()
            raise
        self._patience.worked()
