"""The files of a matrix: header, folder of a space, checksums.

The header is one small file, replaced whole: it says what counts of the other files and
which rows are dead. Rows are only ever added behind those that it counts, so a header
is a state of the matrix, whatever a writer does meanwhile.
"""

import json
import os
import re
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from glassmind.errors import IndexDamaged, IndexFault, IndexUnwritable
from glassmind.store.disk import sync_folder


@contextmanager
def faults_named(place: str) -> Iterator[None]:
    """Turn what the disk raises into an error that says what happened.

    Raises:
        IndexUnwritable: the disk did not take what was written, or give it back.
    """
    try:
        yield
    except OSError as error:
        raise IndexUnwritable(place, str(error)) from error


HEADER, _STAGED = "header", "header.new"

OURS = re.compile(r"(vectors|chunks|notes|small)-[0-9a-f]{16}\.bin|header(\.new)?")
"""How the files of a matrix are called."""

_VERSION = 1
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
    told = header._asdict() | {"version": _VERSION}
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
    if told.pop("version") != _VERSION:
        raise ValueError("another release wrote it")
    told["columns"] = Columns(*(Column(*pair) for pair in told["columns"]))
    if told["small"]:
        column, scale, residual = told["small"]
        told["small"] = Small(Column(*column), scale, residual)
    header = Header(dead=content[end + 1 :], **told)
    if len(header.dead) != (header.rows + 7) // 8:
        raise ValueError("it does not fit its rows")
    return header


_FOLDER = "vectors"

_LONGEST = 40
"""Characters of a space's name that its folder shows; the digest tells them apart."""


def place_of(folder: Path, space: str) -> Path:
    """Return where an index folder keeps the vectors of an embedding space."""
    return folder / _FOLDER / slug(space)


def slug(space: str) -> str:
    """Return a folder name for a space: its first words, and a digest of all of it."""
    words = re.sub(r"[^a-z0-9]+", "-", space.lower())[:_LONGEST].strip("-")
    return f"{words or 'space'}-{sha256(space.encode()).hexdigest()[:12]}"


def places_in(folder: Path) -> list[Path]:
    """Return the folders of every space that an index folder keeps, by name."""
    try:
        return sorted(place for place in (folder / _FOLDER).iterdir() if place.is_dir())
    except OSError:
        return []


def marker_in(place: Path) -> str | None:
    """Return how far the vectors in a folder have come; None when it cannot be told."""
    try:
        with faults_named(str(place)):
            header = read_header(place)
    except IndexFault:
        return None
    return header.marker if header else None


def deleted_share(place: Path) -> tuple[int, float]:
    """Return how many rows are dead but still scanned, and their share.

    Raises:
        IndexDamaged: the header is not what was written.
        IndexUnwritable: the disk does not give it back.
    """
    with faults_named(str(place)):
        header = read_header(place)
    if header is None or not header.rows:
        return 0, 0.0
    return header.gone, header.gone / header.rows


def discard(place: Path) -> None:
    """Delete the vectors of a space, which are made anew; other files stay."""
    with suppress(OSError):
        (place / HEADER).unlink(missing_ok=True)
    remove_files(place, keep=())
    with suppress(OSError):
        place.rmdir()


def remove_files(place: Path, keep: tuple[str, ...]) -> None:
    """Delete files of ours that are not to be kept.

    One that a reader still maps stays where the system does not let it go; the next
    writer tries again.
    """
    try:
        found = list(place.iterdir())
    except OSError:
        return
    for file in found:
        if OURS.fullmatch(file.name) and file.name not in keep:
            with suppress(OSError):
                file.unlink(missing_ok=True)


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
