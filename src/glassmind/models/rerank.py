"""A cross-encoder in this process: a question and a passage read together."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import exp
from pathlib import Path
from threading import Lock

from glassmind.models.cards import ModelCard
from glassmind.models.onnx import OnnxSession
from glassmind.models.tokens import WindowedTokenizer, tokenizer_of
from glassmind.models.vectors import in_order, usable_cores

QUERY_TOKENS = 64
"""What is read of a question: the work grows with both texts, for every passage."""

PASSAGE_TOKENS = 128
"""What is read of a passage; thirty full ones take seconds on two small cores."""


class CrossEncoder:
    """The reranker of a card, from the files in `folder`; loaded when first asked."""

    def __init__(
        self, card: ModelCard, folder: Path, *, threads: int | None = None
    ) -> None:
        self._card, self._folder = card, folder
        self._threads = threads or usable_cores()
        self._lock = Lock()

    def scores(self, query: str, passages: Sequence[str], /) -> Iterator[float]:
        """Yield a probability for each passage, in order, each when it is asked for.

        With several cores the next few are worked on meanwhile.
        """
        self.warm()
        asked = self._tokenizer.first_ids(query, QUERY_TOKENS)

        def score(passage: str) -> float:
            return self._score(
                asked, self._tokenizer.first_ids(passage, PASSAGE_TOKENS)
            )

        yield from in_order(score, passages, threads=self._threads, ahead=1)

    def warm(self) -> None:
        """Load the model, if that has not been done."""
        with self._lock:
            _ = self._session, self._tokenizer

    @cached_property
    def _session(self) -> OnnxSession:
        return OnnxSession(self._card.id, self._folder / self._card.weights.name)

    @cached_property
    def _tokenizer(self) -> WindowedTokenizer:
        return tokenizer_of(self._card, self._folder / "tokenizer.json")

    def _score(self, query: Sequence[int], passage: Sequence[int]) -> float:
        first, last = self._tokenizer.first, self._tokenizer.last
        ids = [first, *query, last, *passage, last]
        kinds = [0] * (len(query) + 2) + [1] * (len(passage) + 1)
        return sigmoid(float(self._session.run(ids, kinds)[0]))


def sigmoid(x: float) -> float:
    """Return the probability that a logit stands for."""
    return 1 / (1 + exp(-x)) if x >= 0 else exp(x) / (1 + exp(x))
