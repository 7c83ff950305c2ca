"""One state of a matrix, mapped into memory.

Sizes are checked before anything is mapped: reading a map beyond the end of its file
ends the program.
"""

import mmap
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from glassmind.errors import IndexDamaged
from glassmind.store.vectors.header import Column, Header, read_header

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
        self.small: NDArray[np.int8] | None = None
        if header.small:
            self.small = _mapped(place, header.small.column, BYTE, (rows, width))

    @cached_property
    def dead(self) -> "NDArray[np.bool_] | None":
        """Which rows are dead; None when none is."""
        if not self.header.gone:
            return None
        return flags_of(self.header)

    @cached_property
    def chunk_range(self) -> tuple[int, int]:
        """The lowest and the highest chunk id."""
        if not self.chunks.size:
            return 0, 0
        return int(self.chunks.min()), int(self.chunks.max())


def flags_of(header: Header) -> "NDArray[np.bool_]":
    """Return which rows are dead."""
    packed = np.frombuffer(header.dead, np.uint8)
    return np.unpackbits(packed, count=header.rows).astype(np.bool_)


def open_snapshot(place: Path, width: int) -> Snapshot | None:
    """Return the last state that was committed; None when there is none.

    Raises:
        IndexDamaged: the files are not what was written.
        OSError: the disk does not give them back.
    """
    for _ in range(_TRIES):
        header = read_header(place)
        if header is None:
            return None
        check_width(place, header, width)
        try:
            return Snapshot(place, header)
        except FileNotFoundError as error:
            missing = error
    raise IndexDamaged(str(missing.filename), "it is missing") from missing


def check_width(place: Path, header: Header, width: int) -> None:
    """See that the vectors are as wide as they should be.

    Raises:
        IndexDamaged: they are not.
    """
    if header.width != width:
        reason = f"its vectors are {header.width} wide, not {width}"
        raise IndexDamaged(str(place), reason)


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
