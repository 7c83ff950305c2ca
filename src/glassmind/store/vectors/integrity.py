"""Checking the files of a matrix against the checksums in its header."""

import zlib
from pathlib import Path

from glassmind.errors import IndexDamaged
from glassmind.store.vectors.header import Column, Header, read_header

_PIECE_BYTES = 1 << 22

_TRIES = 5
"""How often a writer may replace the files while they are read."""


def damage_in(place: Path) -> str | None:
    """Return what is wrong with the first damaged file, or None; reads all of them.

    What lies beyond the rows that count is no damage: a killed writer leaves it.
    """
    wrong, told = _look(place)
    for _ in range(_TRIES):
        if wrong is None or told is None:
            break
        before = told
        wrong, told = _look(place)
        if told == before:  # no writer replaced the files while they were read
            break
    return wrong


def _look(place: Path) -> tuple[str | None, Header | None]:
    """Return what is wrong, and with the files of which header."""
    try:
        header = read_header(place)
    except IndexDamaged as error:
        return f"the header cannot be used: {error.reason}", None
    except OSError as error:
        return f"the header cannot be read: {error}", None
    if header is None:
        return "there is no header", None
    return _damage(place, header), header


def _damage(place: Path, header: Header) -> str | None:
    for column, row_bytes in _columns(header):
        wrong = _wrong(place / column.name, column, header.rows * row_bytes)
        if wrong is not None:
            return f"{column.name} {wrong}"
    return None


def _columns(header: Header) -> list[tuple[Column, int]]:
    """Return each file with the bytes that a row takes in it."""
    vectors, chunks, notes = header.columns
    found = [(vectors, 4 * header.width), (chunks, 8), (notes, 8)]
    if header.small:
        found.append((header.small.column, header.width))
    return found


def _wrong(file: Path, column: Column, size: int) -> str | None:
    checksum = 0
    try:
        with file.open("rb") as opened:
            while size:
                piece = opened.read(min(size, _PIECE_BYTES))
                if not piece:
                    return "is cut short"
                checksum = zlib.crc32(piece, checksum)
                size -= len(piece)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return None if checksum == column.checksum else "has changed"
