"""Text on its way to vectors, and vectors on their way to a search."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:  # numpy costs a search by words more than the search
    import numpy as np
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float32]
    """One row of unit length."""

    Matrix: TypeAlias = NDArray[np.float32]
    """Rows of unit length."""


class Embeddable(NamedTuple):
    """What is embedded of a chunk: where it stands in words, and what it says.

    `context` is the note's title and the headings above the chunk, as
    "Project Alpha / Status Updates".
    """

    context: str
    text: str


class ChunkVectors(NamedTuple):
    """The vectors of one chunk: a row for each window, little-endian float32."""

    chunk_id: int
    rows: bytes


class NoteVectors(NamedTuple):
    """The chunks of one note that have vectors."""

    note_id: int
    chunks: Sequence[ChunkVectors]
