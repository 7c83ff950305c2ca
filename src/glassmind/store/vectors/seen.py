"""Vectors as somebody meets them who may not read every note."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from glassmind.model.access import Seen
from glassmind.model.search import Candidate
from glassmind.store.vectors.following import FollowingVectors

if TYPE_CHECKING:
    from glassmind.model.vectors import Vector


class SeenVectors:
    """Finds the chunks that are seen by their vectors."""

    def __init__(self, vectors: FollowingVectors, seen: Callable[[], Seen]) -> None:
        self._vectors, self._seen = vectors, seen

    def best(
        self, query: "Vector", limit: int, /, *, among: Collection[int] | None = None
    ) -> list[Candidate]:
        """Return the chunks nearest to a unit vector; see `FollowingVectors.best`."""
        seen = self._seen()
        if among is not None:
            among = [chunk for chunk in among if seen.has(chunk)]
        elif not seen.hidden:
            among = seen.ids
        but = seen.ids if among is None else ()
        return self._vectors.best(query, limit, among=among, but=but)

    def near(self, query: "Vector", chunk_ids: Sequence[int], /) -> dict[int, float]:
        """Return the cosine of each chunk that has a vector, nearest first."""
        seen = self._seen()
        return self._vectors.near(query, [one for one in chunk_ids if seen.has(one)])
