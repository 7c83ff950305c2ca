"""The vectors of a space as a reader meets them: behind the rows, or level."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from glassmind.errors import IndexDamaged, IndexFault
from glassmind.model.search import Candidate
from glassmind.store.vectors import search
from glassmind.store.vectors.header import HEADER
from glassmind.store.vectors.snapshot import Snapshot, open_snapshot

if TYPE_CHECKING:
    from glassmind.model.vectors import Vector


class FollowingVectors:
    """The vectors of one space, open for reading; safe to use from several threads.

    An answer is always of one state: that of the last look.
    """

    def __init__(self, place: Path, width: int) -> None:
        self._place, self._width = place, width
        self._seen = self._stamp()
        found = open_snapshot(place, width)
        if found is None:
            raise IndexDamaged(str(place), "there is no header")
        self._snapshot: Snapshot | None = found
        self._marker: str | None = found.header.marker

    @classmethod
    def open(cls, place: Path, width: int) -> "FollowingVectors | None":
        """Return the vectors in the folder of a space; None when they do not open."""
        try:
            return cls(place, width)
        except (IndexFault, OSError):
            return None

    @property
    def count(self) -> int:
        """How many rows can be found."""
        if self._snapshot is None:
            return 0
        header = self._snapshot.header
        return header.rows - header.gone

    @property
    def marker(self) -> str | None:
        """How far the last look saw the vectors follow the log; None when damaged."""
        return self._marker

    def reaches(self, head: str) -> bool:
        """Whether it shows everything up to `head`, looking anew if need be.

        Damaged files reach nothing; what was seen before is still answered from.
        """
        if self._marker != head:
            self.look()
        return self._marker == head

    def follows(self, head: str) -> bool:
        """Whether what is answered from is of the log of `head`, however far behind.

        The ids of another log, that of an index before it was begun anew, are those of
        other chunks.
        """
        snapshot = self._snapshot
        return snapshot is not None and _log_of(snapshot.header.marker) == _log_of(head)

    def look(self) -> None:
        """Take up what was committed since the last look."""
        stamp = self._stamp()
        if stamp == self._seen:
            return
        try:
            found = open_snapshot(self._place, self._width)
        except (IndexFault, OSError):
            found = None
        self._seen = stamp
        if found is not None:
            self._snapshot = found
        self._marker = found.header.marker if found else None

    def _stamp(self) -> tuple[int, ...] | None:
        try:
            found = (self._place / HEADER).stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def best(
        self,
        query: "Vector",
        limit: int,
        /,
        *,
        among: Collection[int] | None = None,
        but: Collection[int] = (),
    ) -> list[Candidate]:
        """Return the chunks nearest to a unit vector, nearest first; ties by chunk id.

        A chunk scores by its best window: the cosine. With `among`, only these chunks
        are looked at, and `limit` is filled from them; none of `but` is.

        Raises:
            IndexDamaged: the files hold what was never written.
            ValueError: the query is no vector of this space.
        """
        snapshot, asked = self._snapshot, self._checked(query)
        return search.best(snapshot, asked, limit, among, but) if snapshot else []

    def near(self, query: "Vector", chunk_ids: Sequence[int], /) -> dict[int, float]:
        """Return the cosine of each chunk that has a vector, nearest first.

        Raises:
            IndexDamaged: the files hold what was never written.
            ValueError: the query is no vector of this space.
        """
        snapshot, asked = self._snapshot, self._checked(query)
        return search.near(snapshot, asked, chunk_ids) if snapshot else {}

    def _checked(self, query: "Vector") -> "Vector":
        asked = np.ascontiguousarray(query, np.float32)
        if asked.shape != (self._width,) or not np.isfinite(asked).all():
            raise ValueError(f"no vector of {self._width} numbers: {asked.shape}")
        return asked

    def close(self) -> None:
        """Let go of the files; nothing is found any more."""
        self._snapshot = self._marker = None


def _log_of(marker: str) -> str:
    return marker.partition(":")[0]
