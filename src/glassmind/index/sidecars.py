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
from glassmind.model.index import Document, Progress, ShowProgress, Stage
from glassmind.model.vectors import NoteVectors
from glassmind.store.lexical import files as word_files
from glassmind.store.protocol import Log, Writer
from glassmind.store.vectors import files as vector_files
from glassmind.vault import Vault

if TYPE_CHECKING:  # numpy and tantivy
    from glassmind.store.lexical.write import WordWriter
    from glassmind.store.vectors.write import VectorWriter

BATCH = 500  # notes read at a time: bounds memory
MUCH = 500  # changes from which a writer with more memory pays for itself


COMPACT_SHARE, COMPACT_CHUNKS = 0.2, 2_000
"""Deleted documents still count in a word's rarity; beyond a fifth, rankings drift."""


class Words:
    """The word index of a vault."""

    stage: Stage = "words"

    def __init__(self, vault: Vault) -> None:
        self._vault, self._folder = vault, vault.place.folder / word_files.FOLDER

    def log(self, store: Writer) -> Log[Document]:
        return store.log()

    def marker(self) -> str | None:
        return word_files.marker_in(self._folder)

    def open(self, *, much: bool) -> "WordWriter":
        from glassmind.store.lexical.write import WordWriter  # noqa: PLC0415 - tantivy

        return WordWriter(self._vault.place.folder, large=much)

    def discard(self) -> None:
        word_files.discard(self._vault.place.folder)

    def deleted(self) -> tuple[int, float]:
        return word_files.deleted_share(self._folder)

    def wrong(self) -> str | None:
        """Return what is damaged, reading all of it."""
        return word_files.damage_in(self._folder) if self._folder.exists() else None


class Vectors:
    """The matrix of the space that answers; those of other spaces are thrown away."""

    stage: Stage = "vectors"

    def __init__(self, vault: Vault) -> None:
        self._vault, self._folder = vault, vault.place.folder

    def log(self, store: Writer) -> Log[NoteVectors] | None:
        return store.vector_log()

    def _matrix(self) -> tuple[Path, int]:
        space = self._vault.writer.rows().answering_space()
        name, width = (space.name, space.width) if space else ("", 1)
        return vector_files.place_of(self._folder, name), width

    def marker(self) -> str | None:
        return vector_files.marker_in(self._matrix()[0])

    def open(self, *, much: bool) -> "VectorWriter":  # noqa: ARG002 - as for words
        from glassmind.store.vectors.write import VectorWriter  # noqa: PLC0415 - numpy

        matrix, width = self._matrix()
        for other in vector_files.places_in(self._folder):
            if other != matrix:
                vector_files.discard(other)
        return VectorWriter(matrix, width=width)

    def discard(self) -> None:
        vector_files.discard_all(self._folder)

    def deleted(self) -> tuple[int, float]:
        return vector_files.deleted_share(self._matrix()[0])

    def wrong(self) -> str | None:
        """Return what is damaged, reading all of it."""
        matrix, _ = self._matrix()
        return vector_files.damage_in(matrix) if matrix.exists() else None


class Follower:
    """A sidecar on its way to the head of the log; `finish` commits once."""

    def __init__(
        self,
        log: Log[Any],
        sidecar: Words | Vectors,
        store: Writer,
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
        total = self._store.rows().note_count()
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


def follow(
    sidecar: Words | Vectors,
    store: Writer,
    progress: ShowProgress,
    *,
    compact: bool = False,
) -> None:
    log = sidecar.log(store)
    if log is not None:  # no vector was ever made
        with Follower(log, sidecar, store, progress) as follower:
            follower.finish(compact=compact)


def waiting(progress: ShowProgress) -> Callable[[], None]:
    """Return what is called while we wait for our turn, and may end that."""
    return lambda: progress(Progress("wait", 0, 0))
