"""Bring a sidecar, the word index or the matrix of vectors, up to the rows.

It re-applies the *current* rows of each changed note, so doing it twice does no harm
and a killed run is finished by the next. A marker that the log does not know means that
the sidecar followed another database: it is made again from the rows, never from the
vault.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from msgspec import Struct

from glassmind.errors import IndexDamaged, IndexFault
from glassmind.model.index import Document, Progress, ShowProgress, Stage
from glassmind.model.vectors import NoteVectors
from glassmind.store.lexical import files as word_files
from glassmind.store.sqlite.change_log import Log
from glassmind.store.sqlite.writer import SqliteWriter
from glassmind.store.vectors import files as vector_files
from glassmind.vault import Vault

if TYPE_CHECKING:  # numpy and tantivy
    from glassmind.store.lexical.write import WordWriter
    from glassmind.store.vectors.write import VectorWriter

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)

BATCH = 500
"""Notes read at a time: bounds memory, and lets the sidecar write while we read."""

MUCH = 500
"""Changes from which a writer with more memory pays for itself."""


COMPACT_SHARE, COMPACT_CHUNKS = 0.2, 2_000
"""Deleted documents still count in a word's rarity; beyond a fifth, rankings drift."""


class Sidecar(Protocol[T_contra]):
    """A sidecar open for writing: that of words or that of vectors."""

    def reset(self) -> None:
        """Start again from nothing; takes effect with the next commit."""

    def put(self, note_ids: Iterable[int], notes: Sequence[T_contra], /) -> None:
        """Replace everything known of the notes."""

    def commit(self, marker: str, /) -> None:
        """Make everything since the last commit visible, or nothing."""

    def rollback(self) -> None:
        """Forget everything since the last commit."""

    def close(self) -> None:
        """Give the files back."""


class Followed(Struct, Generic[T], frozen=True):
    """How one sidecar is looked at, opened, thrown away and measured.

    `open` is told whether much is to be written. `wrong` reads all of it and returns
    what is damaged. `stage` is what its progress is called. `fence` raises where the
    right to write is not ours any more.
    """

    stage: Stage
    marker: Callable[[], str | None]
    open: Callable[[bool], Sidecar[T]]
    discard: Callable[[], None]
    deleted: Callable[[], tuple[int, float]]
    wrong: Callable[[], str | None]
    fence: Callable[[], None] = lambda: None


class Follower(Generic[T]):
    """One sidecar on its way to the head of the log; owns its writer once opened.

    Nothing is visible before `finish`, which commits once.
    """

    def __init__(
        self, log: Log[T], followed: Followed[T], progress: ShowProgress
    ) -> None:
        self._log, self._followed, self._progress = log, followed, progress
        self._sidecar: Sidecar[T] | None = None
        self._marker = followed.marker()
        self._known = self._marker is not None and log.holds(self._marker)
        self._committed = self._marker if self._known else None
        self._done = 0
        self.anew = False

    @property
    def is_level(self) -> bool:
        return self._committed == self._log.head()

    def begin(self, expected: int) -> None:
        """Get ready for about `expected` changes, before the first of them is logged.

        A sidecar that follows nothing yet can follow an index that holds nothing yet.
        """
        if self._known or not self._log.is_empty():
            return
        try:
            self._open(much=expected > MUCH).reset()
        except IndexDamaged:
            self._throw_away()
            return
        self._marker, self._known, self.anew = self._log.head(), True, True

    def make_good(self) -> None:
        if self._known and self._marker is not None:
            pending = self._log.pending(self._marker) or 0
            if 0 < pending <= MUCH:
                self.finish(pending)

    def advance(self, total: int = 0) -> None:
        """Apply what the log holds beyond the marker, without committing.

        A sidecar that is damaged, or followed another log, has to be made anew, which
        waits until every row is there.
        """
        try:
            self._catch_up(total)
        except IndexDamaged:
            self._throw_away()

    def _catch_up(self, total: int) -> None:
        while self._known and self._marker is not None:
            ids, reached = self._log.after(self._marker, BATCH)
            if not ids:
                return
            much = (self._log.pending(self._marker) or 0) > MUCH
            self._open(much=much).put(ids, self._log.current(ids))
            self._marker, self._done = reached, self._done + len(ids)
            self._tell(self._done, total)

    def finish(self, total: int) -> None:
        """Apply what is left and commit; a damaged sidecar is made anew."""
        self.advance(total)
        if not self._known or self._marker is None:
            self.remake(total)
        elif self._sidecar is not None:
            try:
                self._commit(self._sidecar, self._marker)
            except IndexDamaged:
                self._throw_away()
                self._remake(total)

    def remake(self, total: int) -> None:
        """Write every note anew in one commit.

        This is also compaction: documents that were deleted still count in a word's
        rarity until all are written anew.
        """
        try:
            self._remake(total)
        except IndexDamaged:
            self._throw_away()
            self._remake(total)

    def _throw_away(self) -> None:
        self._followed.fence()
        with suppress(IndexFault):
            self.close()
        self._followed.discard()
        self._marker = self._committed = None
        self._known = False

    def _commit(self, sidecar: Sidecar[T], marker: str) -> None:
        self._followed.fence()
        sidecar.commit(marker)
        self._marker = self._committed = marker
        self._known = True

    def _remake(self, total: int) -> None:
        sidecar, head, done = self._open(much=total > MUCH), self._log.head(), 0
        sidecar.reset()
        for ids in self._log.all_notes(BATCH):
            sidecar.put(ids, self._log.current(ids))
            done += len(ids)
            self._tell(done, total)
        self._commit(sidecar, head)
        self.anew = True

    def _open(self, *, much: bool) -> Sidecar[T]:
        if self._sidecar is None:
            self._followed.fence()  # opening clears away what no commit names
            self._sidecar = self._followed.open(much)
        return self._sidecar

    def _tell(self, done: int, total: int) -> None:
        self._progress(Progress(self._followed.stage, done, max(total, done)))

    def prune(self) -> None:
        if self._committed is not None:
            self._followed.fence()
            self._log.prune(self._committed)

    def abandon(self) -> None:
        if self._sidecar is not None:
            with suppress(IndexFault):
                self._sidecar.rollback()

    def close(self) -> None:
        if self._sidecar is not None:
            sidecar, self._sidecar = self._sidecar, None
            sidecar.close()


def words_of(vault: Vault) -> Followed[Document]:
    def folder() -> Path:
        return vault.place.folder / word_files.FOLDER

    def opened(large: bool) -> "WordWriter":  # noqa: FBT001 - as its port
        from glassmind.store.lexical.write import WordWriter  # noqa: PLC0415 - tantivy

        return WordWriter(vault.place.folder, large=large)

    return Followed(
        stage="words",
        marker=lambda: word_files.marker_in(folder()),
        open=opened,
        discard=lambda: word_files.discard(vault.place.folder),
        deleted=lambda: word_files.deleted_share(folder()),
        wrong=lambda: word_files.damage_in(folder()) if folder().exists() else None,
        fence=lambda: vault.writer.fence(),  # noqa: PLW0108 - that of the lock then
    )


def vectors_of(vault: Vault) -> Followed[NoteVectors]:
    def answering() -> tuple[Path, int]:
        space = vault.writer.rows().answering_space()
        name, width = (space.name, space.width) if space else ("", 1)
        return vector_files.place_of(vault.place.folder, name), width

    def opened(_large: bool) -> "VectorWriter":  # noqa: FBT001 - as its port
        from glassmind.store.vectors.write import VectorWriter  # noqa: PLC0415 - numpy

        matrix, width = answering()
        for other in vector_files.places_in(vault.place.folder):
            if other != matrix:  # of a space that does not answer any more
                vector_files.discard(other)
        return VectorWriter(matrix, width=width)

    def discard() -> None:
        for matrix in vector_files.places_in(vault.place.folder):
            vector_files.discard(matrix)

    def wrong() -> str | None:
        matrix, _ = answering()
        return vector_files.damage_in(matrix) if matrix.exists() else None

    return Followed(
        stage="vectors",
        marker=lambda: vector_files.marker_in(answering()[0]),
        open=opened,
        discard=discard,
        deleted=lambda: vector_files.deleted_share(answering()[0]),
        wrong=wrong,
        fence=lambda: vault.writer.fence(),  # noqa: PLW0108 - as above
    )


@contextmanager
def followed_through(follower: Follower[T]) -> Iterator[None]:
    try:
        yield
    except BaseException:
        follower.abandon()
        raise
    finally:
        follower.close()


def follow_sidecars(vault: Vault, store: SqliteWriter, progress: ShowProgress) -> None:
    follow(store.log(), words_of(vault), store, progress)
    follow_vectors(vault, store, progress)


def follow_vectors(
    vault: Vault,
    store: SqliteWriter,
    progress: ShowProgress,
    *,
    compact: bool = False,
) -> None:
    log = store.vector_log()
    if log is not None:
        follow(log, vectors_of(vault), store, progress, compact=compact)


def follow(
    log: Log[T],
    followed: Followed[T],
    store: SqliteWriter,
    progress: ShowProgress,
    *,
    compact: bool = False,
) -> None:
    follower = Follower(log, followed, progress)
    with followed_through(follower):
        finish(follower, followed, store, compact=compact)


def finish(
    follower: Follower[T],
    followed: Followed[T],
    store: SqliteWriter,
    *,
    compact: bool = False,
) -> None:
    was_level = follower.is_level
    if was_level and not compact:
        return
    total = store.rows().note_count()
    follower.finish(total)
    if not follower.anew and (compact or _is_due(followed)):
        follower.remake(total)
    if not was_level:
        follower.prune()


def _is_due(followed: Followed[T]) -> bool:
    gone, share = followed.deleted()
    return share > COMPACT_SHARE and gone > COMPACT_CHUNKS


def waiting(progress: ShowProgress) -> Callable[[], None]:
    return lambda: progress(Progress("wait", 0, 0))
