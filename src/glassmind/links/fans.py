"""A row of numbers for each node, all rows in one array: what a graph is made of.

A few rows can be replaced without copying the others: those are kept beside the arrays
until there are many, or until an algorithm wants everything in one piece.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int32]
Column: TypeAlias = NDArray[Any]
Row: TypeAlias = tuple[Column, ...]

MOST_BESIDE = 256
"""Rows kept beside the arrays; looking them up is cheap, copying their table is not."""


class Flat(NamedTuple):
    """The rows in one piece: those of `n` stand from `starts[n]` to `starts[n + 1]`."""

    starts: Ints
    columns: tuple[Column, ...]


class Cut(NamedTuple):
    """The rows from `first` up to `last` give way to others, if only to none."""

    first: int
    last: int
    rows: Sequence[Row]


class Fan:
    """Rows of one or more columns, one row for each node; never changed."""

    def __init__(self, flat: Flat, beside: Mapping[int, Row] | None = None) -> None:
        self._base, self._beside = flat, dict(beside or {})

    def __len__(self) -> int:
        return len(self._base.starts) - 1

    def row(self, node: int) -> Row:
        """Return one row, a part of each column."""
        beside = self._beside.get(node)
        if beside is not None:
            return beside
        first, last = self._base.starts[node : node + 2].tolist()
        return tuple(column[first:last] for column in self._base.columns)

    def with_rows(self, rows: Mapping[int, Row]) -> "Fan":
        """Return the same with other rows for some nodes."""
        if not rows:
            return self
        beside = {**self._beside, **rows}
        fan = Fan(self._base, beside)
        return fan if len(beside) <= MOST_BESIDE else Fan(fan.flat)

    @cached_property
    def flat(self) -> Flat:
        """All rows in one piece."""
        if not self._beside:
            return self._base
        return recut(self._base, (Cut(n, n + 1, [r]) for n, r in self._beside.items()))


def recut(flat: Flat, cuts: Iterable[Cut]) -> Flat:
    """Return the rows with some taken out or put between; cuts do not overlap."""
    ordered = sorted(cuts, key=lambda cut: cut[:2])
    at = 0
    counts, parts = [], [list[Column]() for _ in flat.columns]
    sizes = np.diff(flat.starts)
    for cut in ordered:
        _take(flat, slice(at, cut.first), parts)
        counts.append(sizes[at : cut.first])
        for row in cut.rows:
            for part, column in zip(parts, row, strict=True):
                part.append(column)
        counts.append(np.array([len(row[0]) for row in cut.rows], np.int32))
        at = cut.last
    _take(flat, slice(at, len(sizes)), parts)
    counts.append(sizes[at:])
    columns = zip(parts, flat.columns, strict=True)
    return Flat(
        starts_of(np.concatenate(counts)),
        tuple(np.concatenate(p, dtype=c.dtype, casting="unsafe") for p, c in columns),
    )


def _take(flat: Flat, nodes: slice, parts: list[list[Column]]) -> None:
    first, last = flat.starts[nodes.start], flat.starts[nodes.stop]
    for part, column in zip(parts, flat.columns, strict=True):
        part.append(column[first:last])


def starts_of(counts: NDArray[np.integer[Any]]) -> Ints:
    """Return where rows of these lengths begin, and where the last one ends."""
    starts = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=starts[1:])
    return starts
