"""Notes by number, which is their place by path; and which of them a link joins."""

from collections.abc import Iterator, Sequence

import numpy as np

from glassmind.graph.pairs.search import Floats, Found, Numbers, pair_keys
from glassmind.model.pairs import Partner


class Numbering:
    """The place of each note among all, by path."""

    def __init__(self, ids: Sequence[int]) -> None:
        self._ids = np.asarray(ids, np.int64)
        self._order = np.argsort(self._ids)
        self._sorted = self._ids[self._order]

    def of(self, notes: Sequence[int] | Numbers) -> Numbers:
        """Return the places of notes that are all among them."""
        places: Numbers = self._order[np.searchsorted(self._sorted, notes)]
        return places

    def linked(self, links: tuple[Sequence[int], Sequence[int]]) -> Numbers:
        """Return the pairs that links join, as numbers for `are_apart`."""
        ends = np.asarray(links, np.int64).reshape(2, -1)
        known = np.isin(ends, self._sorted).all(axis=0)
        one, other = self.of(ends[0, known]), self.of(ends[1, known])
        return np.unique(pair_keys(one, other, len(self._ids)))


def rows_of(raw: bytes, width: int) -> Floats:
    """Return vectors that were joined, a row each."""
    return np.frombuffer(raw, "<f4").astype(np.float32, copy=False).reshape(-1, width)


def as_rows(
    found: Found, owners: Sequence[int], ids: Sequence[int]
) -> Iterator[Partner]:
    """Yield what was found by number, by note."""
    own, all_ids = np.asarray(owners, np.int64), np.asarray(ids, np.int64)
    notes, others = own[found.owner].tolist(), all_ids[found.other].tolist()
    yield from map(Partner, notes, others, found.similarity.tolist())
