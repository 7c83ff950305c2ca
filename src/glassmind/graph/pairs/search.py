"""Which of many vectors are most alike: exact, in blocks, in memory that stays small.

A product of matrices in single precision tells which pairs are worth a look; its last
digits depend on how the work was cut. So every pair that could count is measured again
by itself, in double precision. What comes out is the same however the blocks lie, and
the same whether all notes are compared or a few of them with all.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]
Measures = NDArray[np.float64]
Chosen = NDArray[np.bool_]

NONE: Numbers = np.empty(0, np.int64)

DIGITS = 6
"""Decimals of a similarity: what single precision could tell at best."""

DOUBT = 2e-5
"""How far a product in single precision may be off, with room to spare: of rows of
unit length, 4,096 wide, the worst we saw is 2e-6."""

TALL, WIDE = 1024, 4096
"""Rows and columns of a block. Its 16 MB of products stay near the processor, and the
product runs as fast as one over larger blocks."""

BUFFERED = 1 << 18
"""Candidates that are kept before the lists take them in."""

MEASURED = 1 << 12
"""Pairs measured at once in double precision: 25 MB of a width of 384."""

DENSE = 1 << 20
"""Candidates of one block from which it is gone through in strips."""

STRIP = 64
"""Rows of a strip."""


class Found(NamedTuple):
    """For each of some rows those that are most like it, strongest first.

    `owner` is ascending; the three have one entry a pair.
    """

    owner: Numbers
    other: Numbers
    similarity: Measures


class Lists:
    """The strongest of every row so far: at most so many, none below a threshold.

    Of two that are equally alike, the one with the smaller number comes first.
    """

    def __init__(self, count: int, most: int, threshold: float) -> None:
        self._most, self._threshold = most, threshold
        self._other = np.full((count, most), -1, np.int64)
        self._similarity = np.full((count, most), -1.0, np.float64)
        self.bar = np.full(count, threshold, np.float64)

    def merge(self, owner: Numbers, other: Numbers, similarity: Measures) -> None:
        """Take candidates in; none may be on its owner's list already."""
        good = similarity >= self.bar[owner]
        owner, other, similarity = owner[good], other[good], similarity[good]
        if not len(owner):
            return
        touched = np.unique(owner)
        rows, places = np.nonzero(self._other[touched] >= 0)
        held = touched[rows]
        owner = np.concatenate((held, owner))
        other = np.concatenate((self._other[held, places], other))
        similarity = np.concatenate((self._similarity[held, places], similarity))
        order = np.lexsort((other, -similarity, owner))
        owner, other, similarity = owner[order], other[order], similarity[order]
        place = _places_in(owner)
        best = place < self._most
        owner, place = owner[best], place[best]
        self._other[touched], self._similarity[touched] = -1, -1.0
        self._other[owner, place] = other[best]
        self._similarity[owner, place] = similarity[best]
        last = self._similarity[touched, -1]
        self.bar[touched] = np.maximum(last, self._threshold)

    def found(self) -> Found:
        """Return all lists."""
        owner, place = np.nonzero(self._other >= 0)
        return Found(owner, self._other[owner, place], self._similarity[owner, place])


def _places_in(groups: Numbers) -> Numbers:
    """Return the place of each entry in its group; groups stand together."""
    starts = np.flatnonzero(np.diff(groups, prepend=groups[:1] - 1))
    sizes = np.diff(np.append(starts, len(groups)))
    return np.arange(len(groups)) - np.repeat(starts, sizes)


class Measuring:
    """Candidates on their way to the lists, measured some at a time."""

    def __init__(self, rows: Floats) -> None:
        self._rows = rows
        self._waiting: list[tuple[Numbers, Numbers]] = []
        self._count = 0

    def add(self, row: Numbers, column: Numbers) -> bool:
        """Keep candidates; return whether it is time to take them in."""
        self._waiting.append((row, column))
        self._count += len(row)
        return self._count >= BUFFERED

    def take(self) -> Iterator[tuple[Numbers, Numbers, Measures]]:
        """Yield what waits, measured, and forget it."""
        waiting, self._waiting, self._count = self._waiting, [], 0
        if waiting:
            row = np.concatenate([one for one, _ in waiting])
            column = np.concatenate([other for _, other in waiting])
            yield row, column, measured(self._rows, row, self._rows, column)


def measured(rows: Floats, row: Numbers, columns: Floats, column: Numbers) -> Measures:
    """Return the similarity of pairs of rows: a function of the two alone."""
    found = np.empty(len(row), np.float64)
    for at in range(0, len(row), MEASURED):
        part = slice(at, at + MEASURED)
        left = rows[row[part]].astype(np.float64)
        left *= columns[column[part]]
        # one row at a time, in an order that its width alone decides
        found[part] = left.sum(axis=1)
    np.clip(found, -1.0, 1.0, out=found)
    return found.round(DIGITS)


def pair_keys(one: Numbers, other: Numbers, count: int) -> Numbers:
    """Return a number for each two of so many rows, in whichever order."""
    return np.minimum(one, other) * count + np.maximum(one, other)


def are_apart(one: Numbers, other: Numbers, count: int, linked: Numbers) -> Chosen:
    """Return which pairs are not among those linked, given as ascending keys."""
    if not len(linked):
        return np.ones(len(one), np.bool_)
    keys = pair_keys(one, other, count)
    places = np.minimum(np.searchsorted(linked, keys), len(linked) - 1)
    apart: Chosen = linked[places] != keys
    return apart


class HalfPass:
    """Every row with every other, block by block; it can be left and gone on with.

    Of the square of all products the half above the diagonal is enough.
    """

    def __init__(
        self, rows: Floats, most: int, threshold: float, linked: Numbers = NONE
    ) -> None:
        """Take the rows, and as `pair_keys` those that are not to be paired."""
        self._rows, self._linked = rows, linked
        self._lists = Lists(len(rows), most, threshold)
        self._measuring = Measuring(rows)
        self._products = np.empty(TALL * WIDE, np.float32)
        self._good = np.empty(TALL * WIDE, np.bool_)
        self._ahead = self._blocks()
        self.at = 0

    def _blocks(self) -> Iterator[tuple[int, int, int, int]]:
        count = len(self._rows)
        for top in range(0, count, TALL):
            for left in range(top, count, WIDE):
                yield top, min(top + TALL, count), left, min(left + WIDE, count)

    def run(self, pause: Callable[[], bool]) -> bool:
        """Go on until all is done, or `pause` says so; return whether all is done.

        `at` is the row that it has come to.
        """
        for block in self._ahead:
            self.at = block[0]
            self._block(*block)
            if pause():
                return False
        self._take()
        self.at = len(self._rows)
        return True

    def found(self) -> Found:
        """Return the lists, when all is done."""
        return self._lists.found()

    def _block(self, top: int, bottom: int, left: int, right: int) -> None:
        tall, wide = bottom - top, right - left
        products = self._products[: tall * wide].reshape(tall, wide)
        np.matmul(self._rows[top:bottom], self._rows[left:right].T, out=products)
        bars = self._lists.bar
        low = np.float32(min(bars[top:bottom].min(), bars[left:right].min()) - DOUBT)
        good = self._good[: tall * wide]
        np.greater_equal(products.reshape(-1), low, out=good)
        count = int(np.count_nonzero(good))
        if count > DENSE:
            for at in range(0, tall, STRIP):
                part = products[at : at + STRIP]
                found = np.flatnonzero(part.reshape(-1) >= low)
                self._candidates(part, found, top + at, left)
        elif count:
            self._candidates(products, np.flatnonzero(good), top, left)

    def _candidates(
        self, products: Floats, found: Numbers, top: int, left: int
    ) -> None:
        row, column = np.divmod(found, products.shape[1])
        value = products.reshape(-1)[found]
        row, column = row + top, column + left
        bars = self._lists.bar
        lowest = np.minimum(bars[row], bars[column]) - DOUBT
        kept = (row < column) & (value >= lowest)
        row, column = row[kept], column[kept]
        apart = are_apart(row, column, len(self._rows), self._linked)
        row, column = row[apart], column[apart]
        if len(row) and self._measuring.add(row, column):
            self._take()

    def _take(self) -> None:
        for row, column, similarity in self._measuring.take():
            self._lists.merge(
                np.concatenate((row, column)),
                np.concatenate((column, row)),
                np.concatenate((similarity, similarity)),
            )


def near(
    rows: Floats, columns: Floats, threshold: float
) -> tuple[Numbers, Numbers, Measures]:
    """Return row, column and similarity of all that are so alike, in no order.

    For a few rows with a stretch of columns; a row meets itself where it is in both.
    """
    products = rows @ columns.T
    found = np.flatnonzero(products.reshape(-1) >= np.float32(threshold - DOUBT))
    row, column = np.divmod(found, len(columns))
    similarity = measured(rows, row, columns, column)
    good = similarity >= threshold
    return row[good], column[good], similarity[good]
