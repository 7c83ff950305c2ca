"""Writing the vectors of a space: rows behind rows, then one header that counts them.

Rows are never changed. Those of a note that is put again are marked dead, and once they
are many, the living are copied into new files.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from glassmind.errors import IndexDamaged, IndexUnwritable
from glassmind.model.vectors import NoteVectors
from glassmind.store.vectors.compact import compacted
from glassmind.store.vectors.faults import faults_named
from glassmind.store.vectors.growth import Growth, grown_small, new_columns
from glassmind.store.vectors.header import Header, write_header
from glassmind.store.vectors.place import remove_files
from glassmind.store.vectors.scan import can_scan_bytes
from glassmind.store.vectors.snapshot import FLOAT, Snapshot, flags_of, open_snapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALL_FROM = 100_000
"""Above this many rows, and if numkong is installed, an int8 copy is kept as well. At
this size a float32 scan takes about 10 ms and reads 150 MB; int8 needs a third of the
time. Below it, the second file saves too little to notice."""

DEAD_SHARE, DEAD_LEAST = 0.25, 1_000
"""When the living are copied: dead rows are scanned in vain, but below this share they
cost less than copying, and below this count neither is felt."""


class VectorWriter:
    """The one writer of the vectors of a space; the caller holds the writer lock.

    Raises:
        IndexDamaged: the files are not what was written.
        IndexUnwritable: the disk does not take what is written.
    """

    def __init__(
        self,
        folder: Path,
        *,
        width: int,
        small_from: int = SMALL_FROM,
        dead_least: int = DEAD_LEAST,
    ) -> None:
        self._place, self._width = folder, width
        self._small_from, self._dead_least = small_from, dead_least
        self._growth: Growth | None = None
        with faults_named(str(folder)):
            folder.mkdir(parents=True, exist_ok=True)
            self._begin(self._committed())
        remove_files(folder, keep=self._header.names)

    def _committed(self) -> Header:
        """Return the header of the last commit, its files being there."""
        found = open_snapshot(self._place, self._width)
        return found.header if found else _nothing(self._width)

    def _begin(self, header: Header) -> None:
        """Be as a commit leaves things."""
        self._header = header
        self._stand_on(header)

    def _stand_on(self, base: Header) -> None:
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
        """Return how far these vectors have followed the log; None before a commit."""
        return self._header.marker or None

    def reset(self) -> None:
        """Begin again from nothing; takes effect with the next commit."""
        with faults_named(str(self._place)):
            self._stand_on(_nothing(self._width))

    def put(self, note_ids: Iterable[int], notes: Sequence[NoteVectors]) -> None:
        """Replace everything known of the notes.

        A window that is no vector, having a number that is none, is left out.

        Raises:
            IndexDamaged: what was stored of a chunk has another width.
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

    def _growing(self) -> Growth:
        if self._growth is None:
            base = self._base
            self._growth = Growth(self._place, base.columns, base.rows, self._width)
        return self._growth

    def commit(self, marker: str) -> None:
        """Make everything since the last commit visible, or nothing of it."""
        with self._step():
            header = self._grown(marker)
            if header.gone > max(self._dead_least, DEAD_SHARE * header.rows):
                header = compacted(self._place, header)
            header = self._with_small(header)
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

    def _with_small(self, header: Header) -> Header:
        kept = header.small
        is_wanted = header.rows > self._small_from and can_scan_bytes()
        if kept is None and not is_wanted:
            return header
        span = (self._base.rows if kept else 0, header.rows)
        small = grown_small(
            self._place, header.columns.vectors, kept, span, self._width
        )
        return header._replace(small=small)

    def rollback(self) -> None:
        """Forget everything since the last commit."""
        with faults_named(str(self._place)):
            self._begin(self._committed())

    def close(self) -> None:
        """Give the files back; what was not committed is forgotten."""
        with faults_named(str(self._place)):
            self._stand_on(self._header)


def _nothing(width: int) -> Header:
    return Header("", width, 0, 0, new_columns(), None, b"")
