"""Adding rows to the files of a matrix, behind those that count already."""

import os
import secrets
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from glassmind.store.syncing import sync_folder
from glassmind.store.vectors.header import Column, Columns, Small
from glassmind.store.vectors.small import (
    in_bytes,
    lost,
    most_without_cuts,
    scale_for,
)
from glassmind.store.vectors.snapshot import BYTE, FLOAT, IDENTITY

if TYPE_CHECKING:
    from numpy.typing import NDArray

PIECE = 8_192
"""Rows copied or put in bytes at a time: 12 MB at the usual width."""

CUT = 1.2
"""How far beyond rounding a row may be off before all rows get a new scale."""


def new_columns() -> Columns:
    """Return the names of a new generation; none is ever used twice."""
    token = secrets.token_hex(8)
    return Columns(*(Column(f"{kind}-{token}.bin") for kind in Columns._fields))


class _Tail:
    """The end of one file, open for writing; what it held beyond is written over."""

    def __init__(self, place: Path, column: Column, size: int) -> None:
        file = place / column.name
        self._file: BinaryIO = file.open("r+b" if file.exists() else "w+b")
        self._file.seek(size)
        self.column = column

    def add(self, rows: "NDArray[Any]", kind: "np.dtype[Any]") -> None:
        """Write rows and take them into the checksum."""
        content = np.ascontiguousarray(rows, kind).reshape(-1).view(np.uint8).data
        self._file.write(content)
        checksum = zlib.crc32(content, self.column.checksum)
        self.column = self.column._replace(checksum=checksum)

    def sync(self) -> None:
        """Make it last."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Give the file back."""
        self._file.close()


class Growth:
    """The three files of a generation, open for adding rows."""

    def __init__(self, place: Path, columns: Columns, rows: int, width: int) -> None:
        self._place, self._first, self.rows = place, rows, rows
        with ExitStack() as opened:
            sizes = (FLOAT.itemsize * width, IDENTITY.itemsize, IDENTITY.itemsize)
            tails = []
            for column, size in zip(columns, sizes, strict=True):
                tails.append(_Tail(place, column, rows * size))
                opened.callback(tails[-1].close)
            self._vectors, self._chunks, self._notes = tails
            self._opened = opened.pop_all()

    @property
    def columns(self) -> Columns:
        """The files, with the checksums of all rows so far."""
        return Columns(self._vectors.column, self._chunks.column, self._notes.column)

    def add(
        self,
        vectors: "NDArray[np.float32]",
        chunks: "NDArray[np.int64]",
        notes: "NDArray[np.int64]",
    ) -> None:
        """Write rows behind the others.

        Raises:
            OSError: the disk does not take them; the growth is of no use any more.
        """
        self._vectors.add(vectors, FLOAT)
        self._chunks.add(chunks, IDENTITY)
        self._notes.add(notes, IDENTITY)
        self.rows += len(vectors)

    def sync(self) -> None:
        """Make what was added last."""
        for tail in (self._vectors, self._chunks, self._notes):
            tail.sync()
        if not self._first:
            sync_folder(self._place)

    def close(self) -> None:
        """Give the files back."""
        self._opened.close()


def grown_small(
    place: Path, vectors: Column, small: Small | None, span: tuple[int, int], width: int
) -> Small:
    """Return the bytes of all rows, having added those of the rows in `span`.

    Rows that do not fit the scale give all rows a new one, in a new file.
    """
    begin, end = span
    if small is not None:
        small = _extended(place, vectors, small, (begin, end), width)
        if small.residual <= CUT * most_without_cuts(width, small.scale):
            return small
    peak = max(
        (
            float(np.abs(rows).max())
            for rows in _pieces(place, vectors, (0, end), width)
        ),
        default=0.0,
    )
    column = Column(f"small-{secrets.token_hex(8)}.bin")
    fresh = Small(column, scale_for(peak), 0.0)
    return _extended(place, vectors, fresh, (0, end), width)


def _extended(
    place: Path, vectors: Column, small: Small, span: tuple[int, int], width: int
) -> Small:
    tail = _Tail(place, small.column, span[0] * width)
    residual = small.residual
    try:
        for rows in _pieces(place, vectors, span, width):
            written = in_bytes(rows, small.scale)
            residual = max(residual, lost(rows, written, small.scale))
            tail.add(written, BYTE)
        tail.sync()
    finally:
        tail.close()
    sync_folder(place)
    return small._replace(column=tail.column, residual=residual)


def _pieces(
    place: Path, vectors: Column, span: tuple[int, int], width: int
) -> "Iterator[NDArray[np.float32]]":
    with (place / vectors.name).open("rb") as file:
        file.seek(span[0] * width * FLOAT.itemsize)
        for at in range(*span, PIECE):
            count = min(PIECE, span[1] - at)
            yield np.fromfile(file, FLOAT, count * width).reshape(count, width)
