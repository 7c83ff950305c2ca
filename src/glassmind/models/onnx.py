"""Embedding in this process, with ONNX Runtime."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from glassmind.models.cards import ModelCard
from glassmind.models.cores import in_order, usable_cores
from glassmind.models.spaces import space_of
from glassmind.models.unit import unit

if TYPE_CHECKING:
    from glassmind.model.vectors import Embeddable, Matrix, Vector
    from glassmind.models.counting import TokenCounter
    from glassmind.models.session import OnnxSession
    from glassmind.models.windows import WindowedTokenizer


class OnnxEmbedder:
    """A model of the card's kind from the files in `folder`.

    `weights` is the sha256 of its weights. Nothing is loaded before it is needed; with
    `warm()` loading begins in the background.
    """

    def __init__(
        self,
        card: ModelCard,
        folder: Path,
        *,
        weights: str,
        threads: int | None = None,
    ) -> None:
        self._card, self._folder = card, folder
        self._threads = threads or usable_cores()
        self._space = space_of(card, weights)
        self._lock = Lock()
        self._loading: Future[OnnxSession] | None = None
        self._tokenizer: WindowedTokenizer | None = None
        self._counter: TokenCounter | None = None

    @property
    def space(self) -> str:
        """What the vectors depend on."""
        return self._space

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return self._card.width

    def passages(self, parts: "Sequence[Embeddable]", /) -> "Iterator[Matrix]":
        """Yield a matrix for each part, in order: a row for each window of it."""
        self.warm()
        yield from in_order(self._matrix, parts, threads=self._threads)

    def query(self, text: str, /) -> "Vector":
        """Return the vector of a question."""
        self.warm()
        asked = self._card.asked(text)
        return self._vector(self._words().query(asked, self._card.max_tokens))

    def warm(self) -> None:
        """Begin to load the model, if nobody has; does not wait for it."""
        with self._lock:
            if self._loading is not None and not _failed(self._loading):
                return
            file = self._folder / self._card.weights.name
            pool = ThreadPoolExecutor(1, "glassmind-load")
            self._loading = pool.submit(_loaded, self._card.id, file)
            pool.shutdown(wait=False)

    def _session(self) -> "OnnxSession":
        self.warm()
        assert self._loading is not None  # noqa: S101 - warm() has seen to it
        return self._loading.result()

    def counter(self) -> "TokenCounter":
        """Return what counts tokens as this model does; the model is not loaded.

        Raises:
            ModelFault: its tokenizer cannot be read.
        """
        words = self._words()
        with self._lock:
            if self._counter is None:
                from glassmind.models.counting import TokenCounter  # noqa: PLC0415

                self._counter = TokenCounter(words, self._card.id)
            return self._counter

    def _words(self) -> "WindowedTokenizer":
        with self._lock:
            if self._tokenizer is None:
                from glassmind.models.windows import tokenizer_of  # noqa: PLC0415

                file = self._folder / "tokenizer.json"
                self._tokenizer = tokenizer_of(self._card, file)
            return self._tokenizer

    def _matrix(self, part: "Embeddable") -> "Matrix":
        card = self._card
        windows = self._words().windows(part, card.passage_prefix, card.window)
        return np.stack([self._vector(ids) for ids in windows])

    def _vector(self, ids: Sequence[int]) -> "Vector":
        rows = self._session().run(ids)
        return unit(rows.mean(axis=0) if self._card.pooling == "mean" else rows[0])


def _loaded(model: str, file: Path) -> "OnnxSession":
    """Load a model, and the runtime with it.

    Whoever only asks whether there is a model has no use for either.
    """
    from glassmind.models.session import OnnxSession  # noqa: PLC0415

    return OnnxSession(model, file)


def _failed(loading: "Future[OnnxSession]") -> bool:
    """Whether loading ended badly: the files may have been put right since."""
    return loading.done() and loading.exception() is not None
