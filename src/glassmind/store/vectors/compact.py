"""Copying the living rows of a matrix into files of their own."""

from pathlib import Path

import numpy as np

from glassmind.store.vectors.growth import PIECE, Growth, new_columns
from glassmind.store.vectors.header import Header
from glassmind.store.vectors.snapshot import Snapshot, flags_of


def compacted(place: Path, header: Header) -> Header:
    """Return the header of the living rows alone, in new files, order kept.

    Raises:
        IndexDamaged: the files are not what was written.
        OSError: the disk does not take the new ones; the old ones are untouched.
    """
    header = header._replace(small=None)  # which has not grown yet
    old = Snapshot(place, header)
    living = np.flatnonzero(~flags_of(header))
    growth = Growth(place, new_columns(), 0, header.width)
    try:
        for at in range(0, living.size, PIECE):
            rows = living[at : at + PIECE]
            growth.add(old.vectors[rows], old.chunks[rows], old.notes[rows])
        growth.sync()
    finally:
        growth.close()
    return header._replace(
        rows=growth.rows,
        gone=0,
        columns=growth.columns,
        dead=bytes((growth.rows + 7) // 8),
    )
