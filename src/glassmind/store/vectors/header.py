"""The header of a matrix on disk: what counts of its files, and which rows are dead.

It is one small file, replaced whole. Rows are only ever added behind those that it
counts, so whoever holds a header holds a state of the matrix, whatever a writer does
meanwhile.
"""

import json
import os
import re
import time
import zlib
from pathlib import Path
from typing import NamedTuple

from glassmind.errors import IndexDamaged
from glassmind.store.syncing import sync_folder

HEADER, _STAGED = "header", "header.new"

OURS = re.compile(r"(vectors|chunks|notes|small)-[0-9a-f]{16}\.bin|header(\.new)?")
"""How the files of a matrix are called."""

VERSION = 1
"""Raised whenever the same rows make other files, so that all are made anew."""

_MAGIC = b"glassmind vectors\n"

_PATIENCE, _PAUSE_S = 50, 0.02
"""How often, and how long, a system that locks open files is given to let one go."""


class Column(NamedTuple):
    """One file with an entry for each row, and the CRC-32 of those that count."""

    name: str
    checksum: int = 0


class Columns(NamedTuple):
    """The files of one generation: unit rows, and whose they are."""

    vectors: Column
    chunks: Column
    notes: Column


class Small(NamedTuple):
    """The rows once more in one byte a number: value = byte * scale.

    `residual` is the longest difference between a row and what its bytes say.
    """

    column: Column
    scale: float
    residual: float


class Header(NamedTuple):
    """One state of a matrix; `dead` has a bit for each row, first row highest."""

    marker: str
    width: int
    rows: int
    gone: int
    columns: Columns
    small: Small | None
    dead: bytes

    @property
    def names(self) -> tuple[str, ...]:
        """The files that it counts on."""
        small = (self.small.column.name,) if self.small else ()
        return (HEADER, *(column.name for column in self.columns), *small)


def read_header(place: Path) -> Header | None:
    """Return the header in a folder; None when there is none.

    Raises:
        IndexDamaged: it is not what was written, or what another release wrote.
        OSError: the disk does not give it back.
    """
    file = place / HEADER
    try:
        content = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        return _decoded(content)
    except (ValueError, TypeError, KeyError) as error:
        raise IndexDamaged(str(file), str(error)) from error


def write_header(place: Path, header: Header) -> None:
    """Put a header in the place of the one before, in one step that lasts.

    Raises:
        OSError: the disk does not take it; the one before is still there.
    """
    staged = place / _STAGED
    with staged.open("wb") as file:
        file.write(_encoded(header))
        file.flush()
        os.fsync(file.fileno())
    _replace(staged, place / HEADER)
    sync_folder(place)


def _replace(staged: Path, file: Path) -> None:
    for _ in range(_PATIENCE):
        try:
            staged.replace(file)
        except PermissionError:  # Windows: a reader has it open for a moment
            time.sleep(_PAUSE_S)
        else:
            return
    staged.replace(file)


def _encoded(header: Header) -> bytes:
    told = header._asdict() | {"version": VERSION}
    del told["dead"]
    line = json.dumps(told).encode() + b"\n" + header.dead
    return _MAGIC + b"%08x\n" % zlib.crc32(line) + line


def _decoded(content: bytes) -> Header:
    """Return what `_encoded` was given, or raise ValueError."""
    begin = len(_MAGIC) + 9
    if not content.startswith(_MAGIC):
        raise ValueError("it does not begin as one")
    if b"%08x\n" % zlib.crc32(content[begin:]) != content[len(_MAGIC) : begin]:
        raise ValueError("it has changed since it was written")
    end = content.index(b"\n", begin)
    told = json.loads(content[begin:end])
    if told.pop("version") != VERSION:
        raise ValueError("another release wrote it")
    told["columns"] = Columns(*(Column(*pair) for pair in told["columns"]))
    if told["small"]:
        column, scale, residual = told["small"]
        told["small"] = Small(Column(*column), scale, residual)
    header = Header(dead=content[end + 1 :], **told)
    if len(header.dead) != (header.rows + 7) // 8:
        raise ValueError("it does not fit its rows")
    return header
