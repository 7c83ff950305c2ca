"""Exact search of all vectors of a space, mapped into memory.

Rows are scored, from int8 copies if there are any, and all that may be among the best
are scored exactly. Each row's product is computed separately (`vecdot`), so a score
depends neither on the row's position nor on the other rows. This also avoids BLAS
threads, which wait for each other on a busy machine. Sizes are checked before anything
is mapped: reading a map beyond the end of its file ends the program.
"""

import math
import mmap
import os
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from glassmind.errors import IndexDamaged, IndexFault
from glassmind.model.access import Seen
from glassmind.model.search import Candidate
from glassmind.store.vectors.files import HEADER, Column, Header, read_header

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from glassmind.model.vectors import Vector
    from glassmind.store.vectors.files import Int8Matrix


_MOST = 127
"""The largest byte, on both sides of zero."""

_DEVIATIONS = 6.0
"""How many standard deviations a rounding error is believed to stay within.

What is lost by rounding points anywhere, so its product with a unit vector is nearly
normal, with a deviation of its length over the root of the width: one in 10^9 is
further out.
"""


def scale_for(peak: float) -> float:
    """Return the scale at which the largest number just fits."""
    return peak / _MOST if peak > 0 else 1.0


def in_bytes(rows: "NDArray[np.float32]", scale: float) -> "NDArray[np.int8]":
    """Return rows in bytes; numbers too large for the scale are cut."""
    scaled: NDArray[np.float32] = np.rint(rows * np.float32(1 / scale))
    np.clip(scaled, -_MOST, _MOST, out=scaled)
    return scaled.astype(np.int8)


def lost(rows: "NDArray[np.float32]", small: "NDArray[np.int8]", scale: float) -> float:
    """Return the length of the longest difference between a row and its bytes."""
    if not rows.size:
        return 0.0
    off = rows - small.astype(np.float32) * np.float32(scale)
    return math.sqrt(float(np.max(np.einsum("ij,ij->i", off, off))))


def most_without_cuts(width: int, scale: float) -> float:
    """Return the longest difference that rounding alone can make."""
    return scale * math.sqrt(width) / 2


def margin(row_residual: float, query_residual: float, width: int) -> float:
    """Return how far a cosine from bytes may be from the true one."""
    certain = row_residual + (1 + row_residual) * query_residual
    likely = _DEVIATIONS * math.hypot(row_residual, query_residual) / math.sqrt(width)
    return min(certain, likely)


FLOAT, IDENTITY, BYTE = np.dtype("<f4"), np.dtype("<i8"), np.dtype("i1")

_TRIES = 20
"""Each failure means that a writer replaced the files meanwhile: one is the rule."""


class Snapshot:
    """The rows that one header counts; holds its maps for as long as it is held."""

    def __init__(self, place: Path, header: Header) -> None:
        self.place, self.header = place, header
        columns, rows, width = header.columns, header.rows, header.width
        self.vectors: NDArray[np.float32] = _mapped(
            place, columns.vectors, FLOAT, (rows, width)
        )
        self.chunks: NDArray[np.int64] = _mapped(
            place, columns.chunks, IDENTITY, (rows,)
        )
        self.notes: NDArray[np.int64] = _mapped(place, columns.notes, IDENTITY, (rows,))
        self.chunk_range = (0, 0)
        if rows:
            self.chunk_range = int(self.chunks.min()), int(self.chunks.max())
        self.small: NDArray[np.int8] | None = None
        if header.small:
            self.small = _mapped(place, header.small.column, BYTE, (rows, width))

    @cached_property
    def dead(self) -> "NDArray[np.bool_] | None":
        """Which rows are dead; None when none is."""
        if not self.header.gone:
            return None
        return flags_of(self.header)


def flags_of(header: Header) -> "NDArray[np.bool_]":
    """Return which rows are dead."""
    packed = np.frombuffer(header.dead, np.uint8)
    return np.unpackbits(packed, count=header.rows).astype(np.bool_)


def open_snapshot(place: Path, width: int) -> Snapshot | None:
    """Return the last state that was committed; None when there is none."""
    for _ in range(_TRIES):
        header = read_header(place)
        if header is None:
            return None
        if header.width != width:
            reason = f"its vectors are {header.width} wide, not {width}"
            raise IndexDamaged(str(place), reason)
        try:
            return Snapshot(place, header)
        except FileNotFoundError as error:
            missing = error
    raise IndexDamaged(str(missing.filename), "it is missing") from missing


def _mapped(
    place: Path, column: Column, kind: "np.dtype[Any]", shape: tuple[int, ...]
) -> "NDArray[Any]":
    size = kind.itemsize * int(np.prod(shape))
    file = place / column.name
    with file.open("rb") as opened:
        there = os.fstat(opened.fileno()).st_size
        if there < size:
            reason = f"{there} bytes of {size} are there"
            raise IndexDamaged(str(file), reason)
        if not size:
            return np.empty(shape, kind)
        content = mmap.mmap(opened.fileno(), size, access=mmap.ACCESS_READ)
    return np.frombuffer(content, kind).reshape(shape)


try:
    import numkong
except ImportError:  # it comes with the optional extra `large`
    numkong = None  # type: ignore[assignment]


_PIECE = 16_384
"""Rows scanned at a time: what is made of them stays in the cache of one core."""

_GATHERED = 2_048
"""Rows copied at a time: 3 MB at the usual width."""

_LANES = 64
"""Rows that share a maximum; 32 to 128 measured alike."""

_ROOM = 4
"""Lanes for each value wanted; with fewer, two of the best often share one."""


class Scores(NamedTuple):
    """A score for each row looked at; `margin` is how far it may be off.

    `rows` says which rows they are, None meaning all in order.
    """

    values: "NDArray[np.float32]"
    rows: "NDArray[np.intp] | None" = None
    margin: float = 0.0


def exact_scores(
    vectors: "NDArray[np.float32]",
    query: "NDArray[np.float32]",
    rows: "NDArray[np.intp] | None" = None,
) -> Scores:
    """Return the cosine of every row, or of some."""
    if rows is None:
        return Scores(np.vecdot(vectors, query))
    values = np.empty(rows.size, np.float32)
    for at in range(0, rows.size, _GATHERED):
        part = slice(at, at + _GATHERED)
        np.vecdot(vectors[rows[part]], query, out=values[part])
    return Scores(values, rows)


def can_scan_bytes() -> bool:
    """Return whether `rough_scores` works: it needs numkong.

    Without it, searches scan the float32 rows: same results, about three times slower.
    """
    return numkong is not None


def rough_scores(
    small: "NDArray[np.int8]",
    facts: "Int8Matrix",
    query: "NDArray[np.float32]",
    rows: "NDArray[np.intp] | None" = None,
) -> Scores:
    """Return the product of bytes for every row, or for some, and its margin.

    The values are in units of their own, and so is the margin.
    """
    scale = scale_for(float(np.abs(query).max()))
    small_query = in_bytes(query[None], scale)
    off = margin(facts.residual, lost(query[None], small_query, scale), query.size)
    count = len(small) if rows is None else rows.size
    values = np.empty(count, np.float32)
    for at in range(0, count, _PIECE):
        part = slice(at, at + _PIECE)
        piece = small[part] if rows is None else small[rows[part]]
        products = numkong.cdist(small_query, piece, metric="dot")
        values[part] = np.asarray(products).ravel()
    return Scores(values, rows, off / (scale * facts.scale))


def floor_of(values: "NDArray[np.float32]", wanted: int) -> float:
    """Return a score that at least `wanted` values reach, near the highest such.

    -inf when there are no more values than that. Most values are only compared with
    others of their lane, since putting all in order takes a third of a scan.
    """
    lane = values.size // _LANES
    if wanted >= values.size:
        return -math.inf
    if lane > _ROOM * wanted:
        values = values[: lane * _LANES].reshape(_LANES, lane).max(axis=0)
    at = values.size - wanted
    return float(np.partition(values, at)[at])


_FEW = 0.25
"""The share of rows below which copying them out is cheaper than scanning all: it was
break-even at a third, for floats and bytes alike."""

_TOO_MANY = 0.125
"""The share of rows from which scoring them again costs as much as a scan of floats."""

_MORE = 4
"""How many times more rows are taken when they were of too few chunks."""

_ROOMY = 16
"""Ids that a table of flags may have for each row: a byte each; a row has 1,500."""


def _best(
    snapshot: "Snapshot",
    query: "NDArray[np.float32]",
    limit: int,
    among: Collection[int] | None,
    but: Collection[int],
) -> list[Candidate]:
    if limit < 1 or snapshot.header.rows == snapshot.header.gone:
        return []
    picked = _eligible(snapshot, among, but)
    scores = _scored(snapshot, query, picked)
    taken = limit
    while True:
        _check(snapshot, scores.values)
        floor = floor_of(scores.values, taken)
        at = _reaching(scores.values, floor - 2 * scores.margin)
        if scores.margin and at.size > _TOO_MANY * len(snapshot.vectors):
            scores = _scored(snapshot, query, picked, exactly=True)
            continue
        rows = at if scores.rows is None else scores.rows[at]
        values = scores.values[at]
        if scores.margin:
            values = exact_scores(snapshot.vectors, query, rows).values
            _check(snapshot, values)
        certain = scores.values[at] >= floor
        # a set: np.unique would load numpy.ma, ten milliseconds of a cold search
        known = len(set(snapshot.chunks[rows[certain]].tolist()))
        if known >= limit or floor == -math.inf:
            return _ranked(snapshot, rows, values, limit)
        taken *= _MORE


def _scored(
    snapshot: "Snapshot",
    query: "NDArray[np.float32]",
    picked: "NDArray[np.bool_] | None",
    *,
    exactly: bool = False,
) -> Scores:
    """Return scores of all rows, or of those that may be found; others are -inf."""
    few = None
    if picked is not None and np.count_nonzero(picked) < _FEW * picked.size:
        few = np.flatnonzero(picked)
    small, facts = snapshot.small, snapshot.header.small
    if small is None or facts is None or exactly or not can_scan_bytes():
        scores = exact_scores(snapshot.vectors, query, few)
    else:
        scores = rough_scores(small, facts, query, few)
    if few is not None:
        return scores
    others = snapshot.dead if picked is None else ~picked
    if others is not None:
        np.putmask(scores.values, others, -math.inf)
    return scores


def _eligible(
    snapshot: "Snapshot", among: Collection[int] | None, but: Collection[int]
) -> "NDArray[np.bool_] | None":
    """Return which rows may be found; None where all that live may."""
    if not but:
        return None if among is None else _picked(snapshot, among)
    barred = _picked(snapshot, but)
    if among is not None:
        return _picked(snapshot, among) & ~barred
    return ~barred if snapshot.dead is None else ~(barred | snapshot.dead)


def _picked(snapshot: "Snapshot", chunk_ids: Collection[int]) -> "NDArray[np.bool_]":
    """Return which rows are living ones of some chunks."""
    ids = np.fromiter(chunk_ids, np.int64, len(chunk_ids))
    lowest, highest = snapshot.chunk_range
    if lowest >= 0 and highest < _ROOMY * (snapshot.chunks.size + 1_000):
        ids = ids[(ids >= 0) & (ids <= highest)]
        flags = np.zeros(highest + 1, np.bool_)
        flags[ids] = True
        picked = flags[snapshot.chunks]
    else:
        picked = np.isin(snapshot.chunks, ids)
    if snapshot.dead is not None:
        picked &= ~snapshot.dead
    return picked


def _reaching(values: "NDArray[np.float32]", floor: float) -> "NDArray[np.intp]":
    if floor == -math.inf:
        return np.flatnonzero(values > -math.inf)
    # rounded down, or the float32 nearest to it might leave out what reaches it
    return np.flatnonzero(values >= np.nextafter(np.float32(floor), np.float32(-9e9)))


def _ranked(
    snapshot: "Snapshot",
    rows: "NDArray[np.intp]",
    values: "NDArray[np.float32]",
    limit: int | None = None,
) -> list[Candidate]:
    """Return each chunk once, with its best row's score, best first, ties by id."""
    chunks = snapshot.chunks[rows]
    order = np.lexsort((chunks, -values))
    _, first = np.unique(chunks[order], return_index=True)
    order = order[np.sort(first)[:limit]]
    return [
        Candidate(*found)
        for found in zip(
            chunks[order].tolist(),
            snapshot.notes[rows[order]].tolist(),
            values[order].tolist(),
            strict=True,
        )
    ]


def _check(snapshot: "Snapshot", values: "NDArray[np.float32]") -> None:
    """See that no score is impossible: we write none but finite numbers."""
    if values.size and not values.max() < math.inf:
        file = snapshot.place / snapshot.header.columns.vectors.name
        raise IndexDamaged(str(file), "a vector in it is no vector")


class VectorIndex:
    """The vectors of one space, open for reading; safe to use from several threads.

    An answer is always of one state: that of the last look. With `visible`, only the
    chunks that it allows are found.
    """

    def __init__(
        self, place: Path, width: int, visible: Callable[[], Seen] | None = None
    ) -> None:
        self._place, self._width, self._visible = place, width, visible
        self._looked_at = self._stamp()
        snapshot = open_snapshot(place, width)
        if snapshot is None:
            raise IndexDamaged(str(place), "there is no header")
        self._snapshot: Snapshot | None = snapshot
        self.marker: str | None = snapshot.header.marker
        """How far the last look saw the vectors follow the log; None when damaged."""

    @classmethod
    def open(
        cls, place: Path, width: int, visible: Callable[[], Seen] | None = None
    ) -> "VectorIndex | None":
        """Return the vectors in the folder of a space; None when they do not open."""
        try:
            return cls(place, width, visible)
        except (IndexFault, OSError):
            return None

    @property
    def count(self) -> int:
        """How many rows there are, of all chunks."""
        if self._snapshot is None:
            return 0
        header = self._snapshot.header
        return header.rows - header.gone

    def reaches(self, head: str) -> bool:
        """Whether it shows everything up to `head`, looking again if need be.

        Damaged files reach nothing; what was read before still answers.
        """
        if self.marker != head:
            self.look()
        return self.marker == head

    def follows(self, head: str) -> bool:
        """Whether what answers is of the log of `head`, however far behind.

        The ids of another log, that of an index before it was rebuilt, are those of
        other chunks.
        """
        if self._snapshot is None:
            return False
        marker = self._snapshot.header.marker
        return marker.partition(":")[0] == head.partition(":")[0]

    def look(self) -> None:
        """Read what was committed since the last look."""
        stamp = self._stamp()
        if stamp == self._looked_at:
            return
        try:
            snapshot = open_snapshot(self._place, self._width)
        except (IndexFault, OSError):
            snapshot = None
        self._looked_at = stamp
        if snapshot is not None:
            self._snapshot = snapshot
        self.marker = snapshot.header.marker if snapshot else None

    def _stamp(self) -> tuple[int, ...] | None:
        try:
            found = (self._place / HEADER).stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def best(
        self, query: "Vector", limit: int, /, *, among: Collection[int] | None = None
    ) -> list[Candidate]:
        """Return the chunks nearest to a unit vector, nearest first; ties by chunk id.

        A chunk scores by its best window: the cosine. With `among`, only these chunks
        are looked at, and `limit` is filled from them. Raises IndexDamaged or
        ValueError.
        """
        snapshot, vector = self._snapshot, self._checked(query)
        if snapshot is None:
            return []
        but: Collection[int] = ()
        if self._visible is not None:
            visible = self._visible()
            if among is not None:
                among = [chunk for chunk in among if visible.has(chunk)]
            elif visible.hidden:
                but = visible.ids
            else:
                among = visible.ids
        return _best(snapshot, vector, limit, among, but)

    def near(self, query: "Vector", chunk_ids: Sequence[int], /) -> dict[int, float]:
        """Return the cosine of each chunk that has a vector, nearest first.

        Raises: as `best`.
        """
        snapshot, vector = self._snapshot, self._checked(query)
        if snapshot is None:
            return {}
        if self._visible is not None:
            visible = self._visible()
            chunk_ids = [chunk for chunk in chunk_ids if visible.has(chunk)]
        rows = np.flatnonzero(_picked(snapshot, chunk_ids))
        scores = exact_scores(snapshot.vectors, vector, rows)
        _check(snapshot, scores.values)
        ranked = _ranked(snapshot, rows, scores.values)
        return {candidate.chunk_id: candidate.score for candidate in ranked}

    def _checked(self, query: "Vector") -> "Vector":
        vector = np.ascontiguousarray(query, np.float32)
        if vector.shape != (self._width,) or not np.isfinite(vector).all():
            raise ValueError(f"no vector of {self._width} numbers: {vector.shape}")
        return vector

    def close(self) -> None:
        """Close the files; nothing is found any more."""
        self._snapshot = self.marker = None
