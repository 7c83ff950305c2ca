"""Exact scan of all vectors: read every row once, then select the best scores.

Each row's product is computed separately (`vecdot`), so a score depends neither on the
row's position nor on the other rows. This also avoids BLAS threads, which wait for each
other on a busy machine.
"""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from glassmind.store.vectors.small import in_bytes, lost, margin, scale_for

try:
    import numkong
except ImportError:  # it comes with the optional extra `large`
    numkong = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from glassmind.store.vectors.header import Small

PIECE = 16_384
"""Rows scanned at a time: what is made of them stays in the cache of one core."""

GATHERED = 2_048
"""Rows copied at a time: 3 MB at the usual width."""

LANES = 64
"""Rows that share a maximum; 32 to 128 measured alike."""

ROOM = 4
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
    for at in range(0, rows.size, GATHERED):
        part = slice(at, at + GATHERED)
        np.vecdot(vectors[rows[part]], query, out=values[part])
    return Scores(values, rows)


def can_scan_bytes() -> bool:
    """Return whether `rough_scores` works: it needs numkong.

    Without it, searches scan the float32 rows: same results, about three times slower.
    """
    return numkong is not None


def rough_scores(
    small: "NDArray[np.int8]",
    facts: "Small",
    query: "NDArray[np.float32]",
    rows: "NDArray[np.intp] | None" = None,
) -> Scores:
    """Return the product of bytes for every row, or for some, and its margin.

    The values are in units of their own, and so is the margin.
    """
    scale = scale_for(float(np.abs(query).max()))
    asked = in_bytes(query[None], scale)
    off = margin(facts.residual, lost(query[None], asked, scale), query.size)
    count = len(small) if rows is None else rows.size
    values = np.empty(count, np.float32)
    for at in range(0, count, PIECE):
        part = slice(at, at + PIECE)
        piece = small[part] if rows is None else small[rows[part]]
        values[part] = _products(asked, piece)
    return Scores(values, rows, off / (scale * facts.scale))


def _products(asked: "NDArray[np.int8]", piece: "NDArray[np.int8]") -> "NDArray[Any]":
    return np.asarray(numkong.cdist(asked, piece, metric="dot")).ravel()


def floor_of(values: "NDArray[np.float32]", wanted: int) -> float:
    """Return a score that at least `wanted` values reach, near the highest such.

    -inf when there are no more values than that. Most values are only compared with
    others of their lane, since putting all in order takes a third of a scan.
    """
    lane = values.size // LANES
    if wanted >= values.size:
        return -math.inf
    if lane > ROOM * wanted:
        values = values[: lane * LANES].reshape(LANES, lane).max(axis=0)
    at = values.size - wanted
    return float(np.partition(values, at)[at])
