"""Text on its way to vectors, and vectors on their way to a search."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from glassmind.model import NotePath

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
    chunk_id: int
    rows: bytes


class NoteVectors(NamedTuple):
    note_id: int
    chunks: Sequence[ChunkVectors]


class Space(NamedTuple):
    """Vectors that can be compared: those of one model, used in one way."""

    id: int
    name: str
    width: int
    settings: str


class Unembedded(NamedTuple):
    chunk_id: int
    note_id: int
    path: NotePath
    mtime_ns: int
    title: str
    heading_path: tuple[str, ...]
    first_line: int
    last_line: int
    text: str
    before: str = ""
    after: str = ""


class Embedded(NamedTuple):
    chunk: Unembedded
    key: bytes
    rows: bytes | None
    enriched: bool = False


class Coverage(NamedTuple):
    plain: int
    enriched: int
    missing: int

    @property
    def covered(self) -> int:
        return self.plain + self.enriched

    @property
    def total(self) -> int:
        return self.covered + self.missing
