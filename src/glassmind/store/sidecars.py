"""Bring a sidecar, the word index or the matrix of vectors, up to the rows.

It re-applies the *current* rows of each changed note, so doing it twice does no harm
and a killed run is finished by the next. A marker that the log does not know means that
the sidecar followed another database: it is made again from the rows, never from the
vault.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from glassmind.errors import IndexDamaged, IndexFault
from glassmind.model.index import Progress, ShowProgress, Stage
from glassmind.store.lexical import files as word_files
from glassmind.store.sqlite.change_log import ChangeLog
from glassmind.store.vectors import files as vector_files

if TYPE_CHECKING:  # numpy and tantivy
    from glassmind.store.lexical.write import WordWriter
    from glassmind.store.protocol import Writer
    from glassmind.store.sqlite.vectors import VectorRows
    from glassmind.store.vectors.write import VectorWriter

BATCH = 500  # notes read at a time: bounds memory
MUCH = 500  # changes from which a writer with more memory pays for itself


COMPACT_SHARE, COMPACT_CHUNKS = 0.2, 2_000
"""Deleted documents still count in a word's rarity; beyond a fifth, rankings drift."""


class Words:
    """The word index in the folder of an index."""

    stage: Stage = "words"

    def __init__(self, folder: Path) -> None:
        self._folder, self.place = folder, folder / word_files.FOLDER

    def marker(self) -> str | None:
        return word_files.marker_in(self.place)

    def open(self, *, much: bool) -> "WordWriter":
        from glassmind.store.lexical.write import WordWriter  # noqa: PLC0415 - tantivy

        return WordWriter(self._folder, large=much)

    def discard(self) -> None:
        word_files.discard(self._folder)

    def deleted(self) -> tuple[int, float]:
        return word_files.deleted_share(self.place)

    def damage(self) -> str | None:
        """Return what is damaged, reading all of it."""
        return word_files.damage_in(self.place)


class Matrix:
    """The matrix of the space that answers; those of other spaces are thrown away."""

    stage: Stage = "vectors"

    def __init__(self, folder: Path, rows: "Callable[[], VectorRows]") -> None:
        self._folder, self._rows = folder, rows

    @property
    def place(self) -> Path:
        space = self._rows().answering_space()
        return vector_files.place_of(self._folder, space.name if space else "")

    def marker(self) -> str | None:
        return vector_files.marker_in(self.place)

    def open(self, *, much: bool) -> "VectorWriter":  # noqa: ARG002 - as for words
        from glassmind.store.vectors.write import VectorWriter  # noqa: PLC0415 - numpy

        space, place = self._rows().answering_space(), self.place
        for other in vector_files.places_in(self._folder):
            if other != place:
                vector_files.discard(other)
        return VectorWriter(place, width=space.width if space else 1)

    def discard(self) -> None:
        vector_files.discard_all(self._folder)

    def deleted(self) -> tuple[int, float]:
        return vector_files.deleted_share(self.place)

    def damage(self) -> str | None:
        """Return what is damaged, reading all of it."""
        return vector_files.damage_in(self.place)


class SidecarUpdate:
    """A sidecar on its way to the head of the log; `finish` commits once."""

    def __init__(
        self,
        log: ChangeLog[Any],
        sidecar: Words | Matrix,
        store: "Writer",
        progress: ShowProgress,
    ) -> None:
        self._log, self._sidecar, self._progress = log, sidecar, progress
        self._store = store
        self._writer: WordWriter | VectorWriter | None = None
        self._marker = sidecar.marker()
        self._known = self._marker is not None and log.holds(self._marker)
        self._committed = self._marker if self._known else None
        self._done = 0
        self.anew = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and self._writer is not None:
            with suppress(IndexFault):
                self._writer.rollback()
        self._close()

    def begin(self, expected: int) -> None:
        """Follow from nothing, if sidecar and index are both empty."""
        if self._known or not self._log.is_empty():
            return
        try:
            self._open(much=expected > MUCH).reset()
        except IndexDamaged:
            self._throw_away()
            return
        self._marker, self._known, self.anew = self._log.head(), True, True

    def make_good(self) -> None:
        """Commit what a narrow run left to be followed, before what may take long."""
        if self._known and self._marker is not None:
            pending = self._log.pending(self._marker) or 0
            if 0 < pending <= MUCH:
                self._bring_up(pending)

    def advance(self, total: int = 0) -> None:
        """Apply what is new, without a commit; what is damaged waits for one."""
        try:
            while self._known and self._marker is not None:
                ids, reached = self._log.after(self._marker, BATCH)
                if not ids:
                    return
                much = (self._log.pending(self._marker) or 0) > MUCH
                self._put(ids, total, much=much)
                self._marker = reached
        except IndexDamaged:
            self._throw_away()

    def finish(self, *, compact: bool = False) -> None:
        """Commit everything; make the sidecar anew when that is due or asked for.

        Deleted documents still count in a word's rarity until all are written anew.
        """
        was_level = self._committed == self._log.head()
        if was_level and not compact:
            return
        total = self._store.rows().count("notes")
        self._bring_up(total)
        if not self.anew:
            gone, share = self._sidecar.deleted()
            if compact or (share > COMPACT_SHARE and gone > COMPACT_CHUNKS):
                self._remake(total)
        if not was_level and self._committed is not None:
            self._store.fence()
            self._log.prune(self._committed)

    def _bring_up(self, total: int) -> None:
        self.advance(total)
        if not self._known or self._marker is None:
            self._remake(total)
        elif self._writer is not None:
            try:
                self._commit(self._marker)
            except IndexDamaged:
                self._throw_away()
                self._remake(total)

    def _remake(self, total: int, *, again: bool = True) -> None:
        """Write every note anew in one commit."""
        try:
            head, self._done = self._log.head(), 0
            self._open(much=total > MUCH).reset()
            for ids in self._log.all_notes(BATCH):
                self._put(ids, total, much=True)
            self._commit(head)
            self.anew = True
        except IndexDamaged:
            if not again:
                raise
            self._throw_away()
            self._remake(total, again=False)

    def _put(self, ids: Sequence[int], total: int, *, much: bool) -> None:
        self._open(much=much).put(ids, self._log.current(ids))
        self._done += len(ids)
        done = self._done
        self._progress(Progress(self._sidecar.stage, done, max(total, done)))

    def _commit(self, marker: str) -> None:
        self._store.fence()
        self._open(much=False).commit(marker)
        self._marker = self._committed = marker
        self._known = True

    def _throw_away(self) -> None:
        self._store.fence()
        with suppress(IndexFault):
            self._close()
        self._sidecar.discard()
        self._marker = self._committed = None
        self._known = False

    def _open(self, *, much: bool) -> "WordWriter | VectorWriter":
        if self._writer is None:
            self._store.fence()  # opening clears away what no commit names
            self._writer = self._sidecar.open(much=much)
        return self._writer

    def _close(self) -> None:
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.close()
