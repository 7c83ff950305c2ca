"""Writing the vectors of a space: rows behind rows, then one header that counts them.

Rows are never changed. Those of a note that is put again are marked dead, and once they
are many, the living are copied into new files.
"""

import os
import secrets
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from glassmind.errors import IndexDamaged, IndexUnwritable
from glassmind.model.vectors import NoteVectors
from glassmind.store.disk import sync_folder
from glassmind.store.vectors.files import (
    Column,
    Columns,
    Header,
    Int8Matrix,
    faults_named,
    remove_files,
    write_header,
)
from glassmind.store.vectors.search import (
    BYTE,
    FLOAT,
    IDENTITY,
    Snapshot,
    can_scan_bytes,
    flags_of,
    in_bytes,
    lost,
    most_without_cuts,
    open_snapshot,
    scale_for,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


PIECE = 8_192
"""Rows copied or put in bytes at a time: 12 MB at the usual width."""

_CUT = 1.2
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
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


class _Growth:
    """The three files of a generation, open for adding rows."""

    def __init__(self, place: Path, columns: Columns, rows: int, width: int) -> None:
        self._place, self._first, self.rows = place, rows, rows
        self._kinds: tuple[np.dtype[Any], ...] = (FLOAT, IDENTITY, IDENTITY)
        sizes = (FLOAT.itemsize * width, IDENTITY.itemsize, IDENTITY.itemsize)
        with ExitStack() as opened:
            self._tails = [
                opened.enter_context(closing(_Tail(place, column, rows * size)))
                for column, size in zip(columns, sizes, strict=True)
            ]
            self._opened = opened.pop_all()

    @property
    def columns(self) -> Columns:
        """The files, with the checksums of all rows so far."""
        return Columns(*(tail.column for tail in self._tails))

    def add(self, *arrays: "NDArray[Any]") -> None:
        """Write vectors, chunk ids and note ids behind the others. Raises OSError."""
        for tail, array, kind in zip(self._tails, arrays, self._kinds, strict=True):
            tail.add(array, kind)
        self.rows += len(arrays[0])

    def sync(self) -> None:
        for tail in self._tails:
            tail.sync()
        if not self._first:
            sync_folder(self._place)

    def close(self) -> None:
        self._opened.close()


def _grown_small(place: Path, header: Header, begin: int) -> Int8Matrix:
    """Return the bytes of all rows, having added those of the rows from `begin` on.

    Rows that do not fit the scale give all rows a new one, in a new file.
    """
    if header.small is not None:
        small = _extended(place, header, header.small, begin)
        if small.residual <= _CUT * most_without_cuts(header.width, small.scale):
            return small
    peaks = (float(np.abs(rows).max()) for rows in _pieces(place, header, 0))
    column = Column(f"small-{secrets.token_hex(8)}.bin")
    fresh = Int8Matrix(column, scale_for(max(peaks, default=0.0)), 0.0)
    return _extended(place, header, fresh, 0)


def _extended(place: Path, header: Header, small: Int8Matrix, begin: int) -> Int8Matrix:
    residual = small.residual
    with closing(_Tail(place, small.column, begin * header.width)) as tail:
        for rows in _pieces(place, header, begin):
            written = in_bytes(rows, small.scale)
            residual = max(residual, lost(rows, written, small.scale))
            tail.add(written, BYTE)
        tail.sync()
    sync_folder(place)
    return small._replace(column=tail.column, residual=residual)


def _pieces(place: Path, header: Header, begin: int) -> "Iterator[NDArray[np.float32]]":
    width = header.width
    with (place / header.columns.vectors.name).open("rb") as file:
        file.seek(begin * width * FLOAT.itemsize)
        for at in range(begin, header.rows, PIECE):
            count = min(PIECE, header.rows - at)
            yield np.fromfile(file, FLOAT, count * width).reshape(count, width)


def _compacted(place: Path, header: Header) -> Header:
    """Return the header of the living rows alone, in new files, order kept."""
    header = header._replace(small=None)  # which has not grown yet
    old = Snapshot(place, header)
    living = np.flatnonzero(~flags_of(header))
    with closing(_Growth(place, new_columns(), 0, header.width)) as growth:
        for at in range(0, living.size, PIECE):
            rows = living[at : at + PIECE]
            growth.add(old.vectors[rows], old.chunks[rows], old.notes[rows])
        growth.sync()
    return header._replace(
        rows=growth.rows,
        gone=0,
        columns=growth.columns,
        dead=bytes((growth.rows + 7) // 8),
    )


_SMALL_FROM = 20_000
"""Above this many rows, and if numkong is installed, an int8 copy is kept as well. At
this size a float32 scan takes about 3 ms of CPU; int8 needs a third of the time."""

_DEAD_SHARE, _DEAD_LEAST = 0.25, 1_000
"""When the living are copied: dead rows are scanned in vain, but below this share they
cost less than copying, and below this count neither is felt."""


class VectorWriter:
    """The one writer of the vectors of a space; the caller holds the writer lock."""

    def __init__(
        self,
        folder: Path,
        *,
        width: int,
        small_from: int = _SMALL_FROM,
        dead_least: int = _DEAD_LEAST,
    ) -> None:
        self._place, self._width = folder, width
        self._small_from, self._dead_least = small_from, dead_least
        self._growth: _Growth | None = None
        with faults_named(str(folder)):
            folder.mkdir(parents=True, exist_ok=True)
            self._begin(self._committed())
        remove_files(folder, keep=self._header.names)

    def _committed(self) -> Header:
        """Return the header of the last commit, its files being there."""
        snapshot = open_snapshot(self._place, self._width)
        return snapshot.header if snapshot else _nothing(self._width)

    def _begin(self, header: Header) -> None:
        """Start from what was committed last."""
        self._header = header
        self._start_from(header)

    def _start_from(self, base: Header) -> None:
        """Add rows to those of `base` from now on."""
        self._base = base
        self._owners: NDArray[np.int64] | None = None
        self._dead: list[NDArray[np.intp]] = []
        self._added: dict[int, list[NDArray[np.intp]]] = {}
        self._spoiled = False
        if self._growth is not None:
            growth, self._growth = self._growth, None
            with suppress(OSError):  # what was not synced by now is not wanted
                growth.close()

    @contextmanager
    def _step(self) -> Iterator[None]:
        """Let nothing be committed after a failure, until it is rolled back."""
        if self._spoiled:
            raise IndexUnwritable(str(self._place), "an earlier step failed")
        self._spoiled = True
        with faults_named(str(self._place)):
            yield
        self._spoiled = False

    def marker(self) -> str | None:
        """Return the position in the log; None before a commit."""
        return self._header.marker or None

    def reset(self) -> None:
        """Begin again from nothing; takes effect with the next commit."""
        with faults_named(str(self._place)):
            self._start_from(_nothing(self._width))

    def put(self, note_ids: Iterable[int], notes: Sequence[NoteVectors]) -> None:
        """Replace everything known of the notes.

        A window that is no vector, having a number that is none, is left out. Raises
        IndexDamaged.
        """
        with self._step():
            self._bury({*note_ids, *(note.note_id for note in notes)})
            self._add(notes)

    def _bury(self, note_ids: set[int]) -> None:
        for note_id in note_ids:
            self._dead += self._added.pop(note_id, ())
        if not self._base.rows:
            return
        if self._owners is None:
            self._owners = Snapshot(self._place, self._base).notes
        known = np.fromiter(note_ids, np.int64, len(note_ids))
        self._dead.append(np.flatnonzero(np.isin(self._owners, known)))

    def _add(self, notes: Sequence[NoteVectors]) -> None:
        parts = [(note.note_id, *chunk) for note in notes for chunk in note.chunks]
        if not parts:
            return
        counts = [self._count(chunk_id, stored) for _, chunk_id, stored in parts]
        content = b"".join(stored for *_, stored in parts)
        vectors = np.frombuffer(content, FLOAT).reshape(-1, self._width)
        chunks = np.repeat([chunk_id for _, chunk_id, _ in parts], counts)
        owners = np.repeat([note_id for note_id, *_ in parts], counts)
        sound = np.isfinite(vectors).all(axis=1)
        if not sound.all():
            vectors, chunks, owners = vectors[sound], chunks[sound], owners[sound]
        growth = self._growing()
        first = growth.rows
        growth.add(vectors, chunks, owners)
        for run in np.split(
            np.arange(len(owners)), np.flatnonzero(np.diff(owners)) + 1
        ):
            if run.size:
                self._added.setdefault(int(owners[run[0]]), []).append(first + run)

    def _count(self, chunk_id: int, stored: bytes) -> int:
        count, rest = divmod(len(stored), FLOAT.itemsize * self._width)
        if rest:
            reason = f"chunk {chunk_id} has {len(stored)} bytes for {self._width} wide"
            raise IndexDamaged(str(self._place), reason)
        return count

    def _growing(self) -> _Growth:
        if self._growth is None:
            base = self._base
            self._growth = _Growth(self._place, base.columns, base.rows, self._width)
        return self._growth

    def commit(self, marker: str) -> None:
        """Make everything since the last commit visible, or nothing of it."""
        with self._step():
            header = self._grown(marker)
            if header.gone > max(self._dead_least, _DEAD_SHARE * header.rows):
                header = _compacted(self._place, header)
            is_large = header.rows > self._small_from and can_scan_bytes()
            if header.small or is_large:
                begin = self._base.rows if header.small else 0
                small = _grown_small(self._place, header, begin)
                header = header._replace(small=small)
            write_header(self._place, header)
            replaced = set(self._header.names) - set(header.names)
            self._begin(header)
        if replaced:
            remove_files(self._place, keep=header.names)

    def _grown(self, marker: str) -> Header:
        """Return the header that counts all rows there are."""
        growth, base = self._growing(), self._base
        growth.sync()
        flags = np.zeros(growth.rows, np.bool_)
        flags[: base.rows] = flags_of(base)
        for rows in self._dead:
            flags[rows] = True
        return base._replace(
            marker=marker,
            rows=growth.rows,
            gone=int(np.count_nonzero(flags)),
            columns=growth.columns,
            dead=np.packbits(flags).tobytes(),
        )

    def rollback(self) -> None:
        """Forget everything since the last commit."""
        with faults_named(str(self._place)):
            self._begin(self._committed())

    def close(self) -> None:
        """Give the files back; what was not committed is forgotten."""
        with faults_named(str(self._place)):
            self._start_from(self._header)


def _nothing(width: int) -> Header:
    return Header("", width, 0, 0, new_columns(), None, b"")
