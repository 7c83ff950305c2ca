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
    """The vectors of one chunk: a row for each window, little-endian float32."""

    chunk_id: int
    rows: bytes


class NoteVectors(NamedTuple):
    """The chunks of one note that have vectors."""

    note_id: int
    chunks: Sequence[ChunkVectors]


class Space(NamedTuple):
    """Vectors that can be compared: those of one model, used in one way.

    `settings` is the JSON of what the user had chosen when it was begun, so that its
    model can be asked again while a later one is still at work.
    """

    id: int
    name: str
    width: int
    settings: str


class Unembedded(NamedTuple):
    """A chunk as embedding it needs it; `before` and `after` are its neighbours."""

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
    """A chunk with the key of its vector; `rows` is None where those are known."""

    chunk: Unembedded
    key: bytes
    rows: bytes | None
    enriched: bool = False


class Coverage(NamedTuple):
    """Chunks with a vector, without their surroundings and with; and those without."""

    plain: int
    enriched: int
    missing: int

    @property
    def covered(self) -> int:
        """How many have one."""
        return self.plain + self.enriched

    @property
    def total(self) -> int:
        """How many should have one."""
        return self.covered + self.missing
