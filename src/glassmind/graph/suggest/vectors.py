"""The vectors of a vault's notes, kept as long as they are the same."""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from threading import Lock
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from glassmind.graph.suggest.ground import GroundRows

Block: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float32]]
"""Ids of notes, ascending, and the vector of each."""

AT_A_TIME = 4_096
"""Vectors that are compared at once: six megabytes of 384 numbers each."""

MOST_KEPT = 8
"""Blocks that are kept, about 50 MB; of a larger vault they are read for each call."""


class Vectors(NamedTuple):
    """The vectors at one state of the rows; `kept` is None where they are too many."""

    rows: GroundRows
    kept: Sequence[Block] | None

    def some(self, note_ids: Collection[int]) -> tuple[list[int], NDArray[np.float32]]:
        """Return those of some notes that have one, by id."""
        known = dict(self.rows.vectors(note_ids))
        return list(known), rows_of(list(known.values()), self.rows.width())

    def all(self) -> Iterator[Block]:
        """Yield the vectors of all notes, by id, a few thousand at a time."""
        yield from _blocks(self.rows) if self.kept is None else self.kept


class KeptVectors:
    """Owns the vectors as they were last read."""

    def __init__(self) -> None:
        self._reading = Lock()
        self._kept: tuple[str, Sequence[Block] | None] | None = None

    def of(self, rows: GroundRows) -> Vectors:
        """Return the vectors as they are now."""
        stamp = rows.vector_stamp()
        with self._reading:
            if self._kept is None or self._kept[0] != stamp:
                first = list(islice(_blocks(rows), MOST_KEPT + 1))
                self._kept = stamp, first if len(first) <= MOST_KEPT else None
            return Vectors(rows, self._kept[1])


def _blocks(rows: GroundRows) -> Iterator[Block]:
    stream = rows.vectors()
    while block := list(islice(stream, AT_A_TIME)):
        ids = np.array([note for note, _ in block], np.int64)
        yield ids, rows_of([blob for _, blob in block], rows.width())


def rows_of(blobs: Sequence[bytes], width: int) -> NDArray[np.float32]:
    """Return vectors as they are stored as the rows of a matrix."""
    return np.frombuffer(b"".join(blobs), "<f4").reshape(-1, max(width, 1))
