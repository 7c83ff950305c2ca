"""The adapters that write the rows: the right to, the place, and the rows themselves.

A part of `wiring` that a search does not need.
"""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Protocol

from glassmind.errors import IndexAbsent, IndexFault, IndexUntrusted, IndexUnwritable
from glassmind.store.lexical.write import discard as discard_words
from glassmind.store.lock import WriterLock, await_turn
from glassmind.store.place import (
    LOCK,
    Place,
    Trusted,
    VaultIndex,
    make_folder,
    make_place,
)
from glassmind.store.sqlite.writer import SqliteWriter
from glassmind.store.vectors.files import discard, places_in

WRITER_WAIT_S = 600.0
"""How long a run waits for another to finish; a large first run takes minutes."""


def temporary_place(notices: tuple[str, ...]) -> Place:
    """Return a new folder that the index has where no other can be written."""
    folder = Path(tempfile.mkdtemp(prefix="glassmind-"))
    notice = (
        "no place for the index can be written: it is kept for this process alone; "
        "set index.location to a folder you can write"
    )
    return Place(folder, writable=True, notices=(*notices, notice), temporary=True)


class Adapters(Protocol):
    """What `wiring` has for us; the place may become another while we write."""

    @property
    def locations(self) -> Trusted:
        """The folders that the index may stand in."""

    @property
    def place(self) -> Place:
        """The folder of the index."""

    @property
    def writer(self) -> SqliteWriter:
        """The rows, for the holder of the writer lock."""

    @property
    def vault_index(self) -> VaultIndex | None:
        """Checks an index inside the vault; None if the index is outside it."""

    def move_to(self, place: Place, /) -> None:
        """Have the index in another folder from now on."""


class Writing:
    """The right to write the rows of one vault, for one thread of this process.

    A lock that is taken from a thread is still in the hands of that thread until it
    asks; another thread of ours, which would share its connection, waits until then.
    """

    def __init__(self, adapters: Adapters) -> None:
        self._adapters, self._turn = adapters, Lock()

    @contextmanager
    def __call__(
        self,
        wait_s: float = WRITER_WAIT_S,
        *,
        anew: bool = False,
        here: bool = False,
        waiting: Callable[[], None] = lambda: None,
    ) -> Iterator[SqliteWriter]:
        """Hold the writer lock and the rows open for writing; `anew` throws them away.

        With `here` that is where the rows are read, and otherwise in the first place
        that takes them. What `waiting` raises while we wait ends that.

        Raises:
            IndexBusy: another process wrote for longer than `wait_s`.
            IndexUnwritable: the folder does not take an index.
            IndexAbsent: the index was deleted while we wrote.
            IndexUntrusted: with `here`, the index inside the vault is not ours.
                Otherwise such an index is moved aside, and the rows are empty.
        """
        await_turn(self._try_turn, lambda: "this process", wait_s, waiting)
        try:
            self._make_place(here=here)
            file = self._adapters.place.folder / LOCK
            with WriterLock(file, takes_over=True) as lock:
                lock.acquire(timeout_s=wait_s, waiting=waiting)
                aside = self._take_up(lock, here=here)
                try:
                    yield from self._opened(lock, aside, anew=anew, hurried=not wait_s)
                finally:
                    self._record(lock)
        finally:
            self._turn.release()

    def _try_turn(self) -> bool:
        return self._turn.acquire(blocking=False)

    def _take_up(self, lock: WriterLock, *, here: bool) -> Path | None:
        """Move an index inside the vault that is not ours aside, and return where to.

        Raises:
            IndexUntrusted: with `here`, it is not ours.
        """
        index, writer = self._adapters.vault_index, self._adapters.writer
        if index is None:
            return None
        aside, writer.fence = None, lock.check
        if not index.is_unchanged(taken=lock.taken):
            if here:
                raise IndexUntrusted(str(writer.folder))
            aside = writer.move_aside()
            discard_words(writer.folder)
            for matrix in places_in(writer.folder):
                discard(matrix)
        index.begin()
        return aside

    def _record(self, lock: WriterLock) -> None:
        """Record an index inside the vault as ours, or let the next run rebuild it."""
        index = self._adapters.vault_index
        if index is not None:
            self._adapters.writer.close()  # this may write to the database, too
            with suppress(IndexFault, OSError):
                lock.check()
                index.end()

    def _opened(
        self, lock: WriterLock, aside: Path | None, *, anew: bool, hurried: bool
    ) -> Iterator[SqliteWriter]:
        if lock.taken:
            self._leave_files_of_others()
        writer = self._adapters.writer
        try:
            writer.fence = lock.check
            writer.begin(anew=anew, hurried=hurried, hung=lock.ousted)
            writer.notices.extend(self._adapters.place.notices)
            if aside is not None:
                reason = IndexUntrusted(str(writer.folder)).reason
                writer.notices.append(
                    f"{reason} It was moved to {aside.name} and rebuilt."
                )
            yield writer
        except IndexUnwritable as error:
            writer.close()
            folder = self._adapters.place.folder
            if not (folder / LOCK).exists():  # ours: it went with the index
                raise IndexAbsent(str(folder)) from error
            raise
        except BaseException:
            writer.close()  # in whatever state: the next run begins clean
            raise

    def _leave_files_of_others(self) -> None:
        """Begin the vectors in new files: a process that hangs may have the old open.

        Where it wakes it goes on writing at its place in them before it asks whether it
        may. Words need no such care: another writer of theirs cannot be opened, and
        they are made anew then.
        """
        for matrix in places_in(self._adapters.place.folder):
            discard(matrix)

    def _make_place(self, *, here: bool) -> None:
        """Make the folder of the index, or another that can be made."""
        place, spare = self._adapters.place, self._adapters.locations.folders
        if not place.writable:
            raise IndexUnwritable(str(place.folder), "it is read-only")
        stays = here or place.temporary or place.database_folder == spare[0]
        failed = (
            make_folder(place.database_folder)
            if stays
            else "there may be a better place"
        )
        if failed is not None:
            made = None if here or place.temporary else make_place(spare)
            if made is None:
                raise IndexUnwritable(str(place.database_folder), failed)
            if made.folder != place.database_folder:
                self._adapters.move_to(made)
        folder = self._adapters.place.folder
        failed = make_folder(folder)  # where index.db is inside the vault
        if failed is not None:
            raise IndexUnwritable(str(folder), failed)
