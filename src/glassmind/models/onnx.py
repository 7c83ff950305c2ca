"""Embedding in this process, with ONNX Runtime."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from math import exp
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from glassmind.errors import ModelDamaged, ModelFailed
from glassmind.models.cards import ModelCard
from glassmind.models.tokens import FileEmbedder, WindowedTokenizer, tokenizer_of
from glassmind.models.vectors import in_order, unit, usable_cores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from glassmind.model.vectors import Embeddable, Matrix, Vector


class OnnxEmbedder(FileEmbedder):
    def __init__(
        self, card: ModelCard, folder: Path, *, threads: int | None = None
    ) -> None:
        super().__init__(card, folder)
        self._threads = threads or usable_cores()
        self._lock = Lock()
        self._loading: Future[OnnxSession] | None = None

    def passages(self, parts: "Sequence[Embeddable]", /) -> "Iterator[Matrix]":
        self.warm()
        yield from in_order(self._matrix, parts, threads=self._threads)

    def query(self, text: str, /) -> "Vector":
        self.warm()
        return super().query(text)

    def warm(self) -> None:
        """Begin to load the model, if nobody has; does not wait for it."""
        with self._lock:
            if self._loading is not None and not _failed(self._loading):
                return
            file = self._folder / self._card.weights.name
            pool = ThreadPoolExecutor(1, "glassmind-load")
            self._loading = pool.submit(OnnxSession, self._card.id, file)
            pool.shutdown(wait=False)

    def _session(self) -> "OnnxSession":
        self.warm()
        assert self._loading is not None  # noqa: S101 - warm() has seen to it
        return self._loading.result()

    def _vector(self, ids: Sequence[int]) -> "Vector":
        rows = self._session().run(ids)
        return unit(rows.mean(axis=0) if self._card.pooling == "mean" else rows[0])


def _failed(loading: "Future[OnnxSession]") -> bool:
    """Whether loading ended badly: the files may have been put right since."""
    return loading.done() and loading.exception() is not None


ERRORS_ONLY = 3
"""ONNX Runtime's word for it: its warnings are not for a user's terminal."""


class OnnxSession:
    """One model, run on one text at a time; may be shared by threads.

    One core for each run: several texts at once keep all cores busy with less loss, and
    for a short question one core was the quickest. One text for each run: the scale of
    dynamic int8 is that of the whole batch, so in company a vector would be another.
    """

    def __init__(self, model: str, file: Path) -> None:
        from glassmind.models.runtime import onnxruntime  # noqa: PLC0415 - heavy

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = ERRORS_ONLY
        try:
            self._session = onnxruntime.InferenceSession(
                str(file), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise ModelDamaged(model, file.name) from error
        self._model = model
        self._inputs = [given.name for given in self._session.get_inputs()]

    def run(
        self, ids: Sequence[int], kinds: Sequence[int] | None = None
    ) -> "NDArray[np.float32]":
        """Return what the model says of one text: a row for each of its tokens.

        `kinds` tells two texts in one apart. Raises ModelFailed.
        """
        row = np.array([ids], dtype=np.int64)
        given = {
            "input_ids": row,
            "attention_mask": np.ones_like(row),
            "token_type_ids": (
                np.zeros_like(row) if kinds is None else np.array([kinds], np.int64)
            ),
        }
        try:
            said = self._session.run(None, {name: given[name] for name in self._inputs})
        except Exception as error:
            raise ModelFailed(self._model, f"ONNX Runtime: {error}") from error
        rows: NDArray[np.float32] = said[0][0]
        return rows


QUERY_TOKENS = 64
"""What is read of a question: the work grows with both texts, for every passage."""

PASSAGE_TOKENS = 128
"""What is read of a passage; thirty full ones take seconds on two small cores."""


class CrossEncoder:
    def __init__(
        self, card: ModelCard, folder: Path, *, threads: int | None = None
    ) -> None:
        self._card, self._folder = card, folder
        self._threads = threads or usable_cores()
        self._lock = Lock()

    def scores(self, query: str, passages: Sequence[str], /) -> Iterator[float]:
        self.warm()
        tokens = self._tokenizer
        first, last = tokens.first, tokens.last
        before = [first, *tokens.first_ids(query, QUERY_TOKENS), last]

        def score(passage: str) -> float:
            after = [*tokens.first_ids(passage, PASSAGE_TOKENS), last]
            kinds = [0] * len(before) + [1] * len(after)
            x = float(self._session.run([*before, *after], kinds)[0])
            return 1 / (1 + exp(-x)) if x >= 0 else exp(x) / (1 + exp(x))

        yield from in_order(score, passages, threads=self._threads, ahead=1)

    def warm(self) -> None:
        with self._lock:
            _ = self._session, self._tokenizer

    @cached_property
    def _session(self) -> OnnxSession:
        return OnnxSession(self._card.id, self._folder / self._card.weights.name)

    @cached_property
    def _tokenizer(self) -> WindowedTokenizer:
        return tokenizer_of(self._card, self._folder / "tokenizer.json")
