"""Answering from one state of a matrix.

Rows are scored, from bytes where there are any, and all that may be among the best are
scored exactly. A chunk with many windows can fill the best rows alone; then more rows
are taken, until enough chunks are certain.
"""

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from glassmind.errors import IndexDamaged
from glassmind.model.search import Candidate
from glassmind.store.vectors.scan import (
    Scores,
    can_scan_bytes,
    exact_scores,
    floor_of,
    rough_scores,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from glassmind.store.vectors.snapshot import Snapshot

FEW = 0.25
"""The share of rows below which copying them out is cheaper than scanning all: it was
break-even at a third, for floats and bytes alike."""

TOO_MANY = 0.125
"""The share of rows from which scoring them again costs as much as a scan of floats."""

MORE = 4
"""How many times more rows are taken when they were of too few chunks."""

ROOMY = 16
"""Ids that a table of flags may have for each row: a byte each; a row has 1,500."""


def best(
    snapshot: "Snapshot",
    query: "NDArray[np.float32]",
    limit: int,
    among: Collection[int] | None = None,
    but: Collection[int] = (),
) -> list[Candidate]:
    """Return the chunks nearest to a unit vector, nearest first; ties by chunk id.

    With `among`, of these chunks, and none of `but`.

    Raises:
        IndexDamaged: the files hold what was never written.
    """
    if limit < 1 or snapshot.header.rows == snapshot.header.gone:
        return []
    picked = _eligible(snapshot, among, but)
    scores = _scored(snapshot, query, picked)
    wanted = limit
    while True:
        _check(snapshot, scores.values)
        floor = floor_of(scores.values, wanted)
        at = _reaching(scores.values, floor - 2 * scores.margin)
        if scores.margin and at.size > TOO_MANY * len(snapshot.vectors):
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
        wanted *= MORE


def near(
    snapshot: "Snapshot", query: "NDArray[np.float32]", chunk_ids: Sequence[int]
) -> dict[int, float]:
    """Return the cosine of each chunk that has a vector, nearest first.

    Raises:
        IndexDamaged: the files hold what was never written.
    """
    rows = np.flatnonzero(_picked(snapshot, chunk_ids))
    scores = exact_scores(snapshot.vectors, query, rows)
    _check(snapshot, scores.values)
    ranked = _ranked(snapshot, rows, scores.values)
    return {found.chunk_id: found.score for found in ranked}


def _scored(
    snapshot: "Snapshot",
    query: "NDArray[np.float32]",
    picked: "NDArray[np.bool_] | None",
    *,
    exactly: bool = False,
) -> Scores:
    """Return scores of all rows, or of those that may be found; others are -inf."""
    few = None
    if picked is not None and np.count_nonzero(picked) < FEW * picked.size:
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
    if lowest >= 0 and highest < ROOMY * (snapshot.chunks.size + 1_000):
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
