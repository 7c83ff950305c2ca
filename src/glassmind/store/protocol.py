"""What every store offers, wherever it keeps the index."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from glassmind.model.search import Candidate
    from glassmind.model.vectors import Vector


class Vectors(Protocol):
    """The vectors of chunks, in one space."""

    @property
    def count(self) -> int:
        """How many rows there are, of all chunks."""

    def reaches(self, head: str) -> bool:
        """Return True if everything up to `head` is in, looking again if need be."""

    def follows(self, head: str) -> bool:
        """Return True if the vectors are of the log that `head` is of."""

    def best(
        self, query: "Vector", limit: int, /, *, among: Collection[int] | None = None
    ) -> "list[Candidate]":
        """Return the chunks nearest to a unit vector."""

    def near(self, query: "Vector", chunk_ids: Sequence[int], /) -> dict[int, float]:
        """Return the cosine of each chunk that has a vector, nearest first."""

    def close(self) -> None:
        """Close what was opened."""
