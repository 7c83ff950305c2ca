"""The files of a matrix: header, folder of a space, checksums.

The header is one small file, replaced whole: it says what counts of the other files and
which rows are dead. Rows are only ever added behind those that it counts, so a header
is a state of the matrix, whatever a writer does meanwhile.
"""

import os
import re
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from glassmind.errors import IndexDamaged, IndexFault, IndexUnwritable
from glassmind.store.disk import sync_folder


@contextmanager
def faults_named(place: str) -> Iterator[None]:
    """Turn what the disk raises into an error that says what happened."""
    try:
        yield
    except OSError as error:
        raise IndexUnwritable(place, str(error)) from error


HEADER, _STAGED = "header", "header.new"

OURS = re.compile(r"(vectors|chunks|notes|small)-[0-9a-f]{16}\.bin|header(\.new)?")
"""How the files of a matrix are called."""

_MAGIC = b"glassmind vectors 2\n"
"""The number is raised when the same rows make other files: all are then rebuilt."""

_ATTEMPTS, _PAUSE_S = 50, 0.02
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


class Int8Matrix(NamedTuple):
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
    small: Int8Matrix | None
    dead: bytes

    def sizes(self) -> list[tuple[Column, int]]:
        """Return each file with the bytes that its rows take."""
        row_bytes = (4 * self.width, 8, 8)
        found = [
            (column, self.rows * size)
            for column, size in zip(self.columns, row_bytes, strict=True)
        ]
        if self.small:
            found.append((self.small.column, self.rows * self.width))
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The files that it counts on."""
        return (HEADER, *(column.name for column, _ in self.sizes()))


def read_header(place: Path) -> Header | None:
    """Return the header in a folder; None when there is none."""
    file = place / HEADER
    try:
        content = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    begin = len(_MAGIC) + 9
    if not content.startswith(_MAGIC):
        raise IndexDamaged(str(file), "it does not begin as one")
    if b"%08x\n" % zlib.crc32(content[begin:]) != content[len(_MAGIC) : begin]:
        raise IndexDamaged(str(file), "it has changed since it was written")
    try:
        return msgspec.json.decode(content[begin:], type=Header)
    except msgspec.MsgspecError as error:
        raise IndexDamaged(str(file), "another release wrote it") from error


def write_header(place: Path, header: Header) -> None:
    """Put a header in the place of the one before, in one step that lasts."""
    line = msgspec.json.encode(header)
    staged = place / _STAGED
    with staged.open("wb") as file:
        file.write(_MAGIC + b"%08x\n" % zlib.crc32(line) + line)
        file.flush()
        os.fsync(file.fileno())
    for _ in range(_ATTEMPTS):
        with suppress(PermissionError):  # Windows: a reader has it open for a moment
            staged.replace(place / HEADER)
            break
        time.sleep(_PAUSE_S)
    else:
        staged.replace(place / HEADER)
    sync_folder(place)


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
    """Return how many rows are dead but still scanned, and their share."""
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


def discard_all(folder: Path) -> None:
    """Delete the vectors of every space of an index folder."""
    for place in places_in(folder):
        discard(place)


def remove_files(place: Path, keep: tuple[str, ...]) -> None:
    """Delete files of ours that are not to be kept.

    One that a reader still maps stays where the system does not let it go; the next
    writer tries again.
    """
    try:
        paths = list(place.iterdir())
    except OSError:
        return
    for file in paths:
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
    problem, header = _examine(place)
    for _ in range(_TRIES):
        if problem is None or header is None:
            break
        before = header
        problem, header = _examine(place)
        if header == before:  # no writer replaced the files while they were read
            break
    return problem


def _examine(place: Path) -> tuple[str | None, Header | None]:
    """Return what is wrong, and with the files of which header."""
    try:
        header = read_header(place)
    except IndexDamaged as error:
        return f"the header cannot be used: {error.reason}", None
    except OSError as error:
        return f"the header cannot be read: {error}", None
    if header is None:
        return "there is no header", None
    for column, size in header.sizes():
        problem = _problem(place / column.name, column.checksum, size)
        if problem is not None:
            return f"{column.name} {problem}", header
    return None, header


def _problem(file: Path, expected: int, size: int) -> str | None:
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
    return None if checksum == expected else "has changed"
