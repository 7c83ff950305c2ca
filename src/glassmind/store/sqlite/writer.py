"""The rows of one vault's index, open for writing by the holder of the lock."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import apsw

from glassmind.errors import IndexBusy, IndexDamaged, IndexFault, IndexTaken
from glassmind.model.sidecar import Document
from glassmind.model.vectors import NoteVectors
from glassmind.store.place import DATABASE
from glassmind.store.sqlite import connection
from glassmind.store.sqlite.begin import Fence, begin, end
from glassmind.store.sqlite.copying import copy_rows
from glassmind.store.sqlite.event_rows import EventRows, EventStep
from glassmind.store.sqlite.examine import wrong_with
from glassmind.store.sqlite.faults import disk_faults_named, faults_named
from glassmind.store.sqlite.log import Log, text_log, vector_log
from glassmind.store.sqlite.note_rows import NameKey
from glassmind.store.sqlite.pair_write import PairStep
from glassmind.store.sqlite.read import Rows
from glassmind.store.sqlite.rescue import HELD_MS, HUNG_MS, PARTS, rescue, try_write
from glassmind.store.sqlite.runs import insert_runs, note_failure, runs_in
from glassmind.store.sqlite.theme_rows import ThemeStep
from glassmind.store.sqlite.vector_rows import VectorRows
from glassmind.store.sqlite.vector_write import VectorStep
from glassmind.store.sqlite.write import Transaction

HURRIED_MS = 1_000
"""How long a search waits that would take in the latest changes on its way."""


class SqliteWriter:
    """Owns the one connection that writes; used only by a holder of the writer lock.

    Between runs the connection may stay open: it holds no lock of its own. `fence` is
    asked before each write; it is the lock's, for as long as that is held. `wal` is as
    for `open_writer`.
    """

    def __init__(self, folder: Path, name_key: NameKey, *, wal: bool = True) -> None:
        self.folder, self._wal = folder, wal
        self._name_key = name_key
        self.notices: list[str] = []
        self.fence: Fence = lambda: None
        self._just_written: dict[int, Document] = {}
        self._db: apsw.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._together = False

    def begin(
        self, *, anew: bool = False, hurried: bool = False, hung: str | None = None
    ) -> None:
        """Get ready for a run; `anew` throws the rows away first, the runs excepted.

        One that was stopped in the middle of its writing is left behind, unless we are
        `hurried`; `hung` is its name, where it is known.

        Raises:
            IndexBusy: another program keeps us from writing.
            IndexUnwritable: the folder does not take a database.
            IndexTooNew: a later release wrote it.
        """
        self.notices.clear()
        self._just_written.clear()  # others may have written since
        if anew:
            self._throw_away()
            return
        began = time.monotonic()
        try:
            self._begin_free(HUNG_MS if hung else HELD_MS, rescues=not hurried)
        except IndexTaken:
            raise
        except IndexBusy as error:
            waited_s = time.monotonic() - began
            raise IndexBusy(hung or "another program", waited_s) from error
        patience = HURRIED_MS if hurried else connection.BUSY_MS
        self._open_db().set_busy_timeout(patience)

    def _begin_free(self, held_ms: int, *, rescues: bool) -> None:
        """Begin in a file that nobody keeps us from writing to."""
        try:
            self._begin(held_ms)
        except IndexBusy:
            if not rescues:
                raise
            self.close()
            rescue(self.folder, self.fence)
            self._begin(held_ms)

    def _begin(self, held_ms: int) -> None:
        kept = self._db is not None and self._identity == self._found()
        with self.faults():
            if not kept or Rows(self._open_db()).unfinished():
                self.close()
                self._db = self._open(held_ms)
                self._identity = self._found()
            self._open_db().set_busy_timeout(held_ms)
            try_write(self._open_db())

    def _throw_away(self) -> None:
        self.close()
        runs = runs_in(self.folder)
        self._delete()
        self._db = self._open()
        self._identity = self._found()
        with suppress(apsw.Error):  # what a damaged file said of its runs may be odd
            insert_runs(self._db, runs)

    def wrong(self) -> str | None:
        """Read every row from the disk and return the first thing wrong, if any.

        Raises:
            IndexUnwritable: the folder does not take a database.
        """
        self.close()  # and with it what is remembered of the pages
        self._db = self._open()
        self._identity = self._found()
        return wrong_with(self._db)

    def leave_failure(self, since: datetime, reason: str, sentence: str) -> None:
        """Say in the record of the run that began at `since` why it failed.

        A disk that took nothing before may not take this either.
        """
        with suppress(apsw.Error, IndexFault):
            self.fence()
            self._open_db().set_busy_timeout(HURRIED_MS)  # the run has waited enough
            note_failure(self._open_db(), since, reason, sentence)

    def _found(self) -> tuple[int, int] | None:
        try:
            there = (self.folder / DATABASE).stat()
        except OSError:
            return None
        return (there.st_dev, there.st_ino)

    def _open_db(self) -> apsw.Connection:
        if self._db is None:
            raise RuntimeError("begin() comes first")
        return self._db

    def _open(self, busy_ms: int = connection.BUSY_MS) -> apsw.Connection:
        """Open the file; one that is damaged is set aside and begun anew.

        Raises:
            IndexUnwritable: the folder does not take a database.
            IndexTooNew: a later release wrote it.
        """
        try:
            with self.faults():
                db = connection.open_writer(self.folder, busy_ms, wal=self._wal)
                wrong = connection.is_sound(db) if Rows(db).unfinished() else None
            if wrong is None:
                return db
            db.close()
        except IndexDamaged as error:
            wrong = error.reason
        self._set_aside(wrong)
        with self.faults():
            return connection.open_writer(self.folder, wal=self._wal)

    def move_aside(self) -> Path | None:
        """Move the database aside and return its new name; None if there is none.

        Raises:
            IndexUnwritable: the disk refuses.
        """
        self.close()
        self.fence()
        stamp = f"{datetime.now(UTC):%Y%m%d%H%M%S}"
        with disk_faults_named(self.folder):
            return connection.move_aside(self.folder, stamp)

    def _set_aside(self, wrong: str) -> None:
        aside = self.move_aside()
        self.notices.append(
            f"index.db was damaged ({wrong}); it is kept as {aside} and was made anew"
        )

    def rows(self) -> Rows:
        """Return the rows as this connection sees them."""
        return Rows(self._open_db())

    def log(self) -> Log[Document]:
        """Return the change log of text as this connection sees it."""
        return text_log(self._open_db(), self._just_written)

    def vectors(self) -> VectorRows:
        """Return what there is of vectors as this connection sees it."""
        return VectorRows(self._open_db())

    def vector_log(self) -> Log[NoteVectors] | None:
        """Return the change log of the vectors that answer; None when none do."""
        space = self.vectors().answering()
        return None if space is None else vector_log(self._open_db(), space.id)

    def vector_step(self) -> VectorStep:
        """Return one atomic step of writing vectors."""
        return VectorStep(self._open_db(), self.fence)

    def theme_step(self) -> ThemeStep:
        """Return one atomic step of writing themes."""
        return ThemeStep(self._open_db(), self.fence)

    def pair_step(self) -> PairStep:
        """Return one atomic step of writing pairs of similar notes."""
        return PairStep(self._open_db(), self.fence)

    def events(self) -> EventRows:
        """Return what there is of use as this connection sees it."""
        return EventRows(self._open_db())

    def event_step(self) -> EventStep:
        """Return one atomic step of taking use in."""
        return EventStep(self._open_db(), self.fence)

    def transaction(self) -> Transaction:
        """Return one atomic step of writing."""
        db, kept = self._open_db(), self._just_written
        return Transaction(db, self._name_key, kept, self.fence, part=self._together)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let all steps that are taken inside be one: all of them happen, or none."""
        db = self._open_db()
        begin(db, self.fence)
        self._together = True
        try:
            yield
        except BaseException:
            self._just_written.clear()
            end(db, self.fence, keep=False)
            raise
        else:
            end(db, self.fence, keep=True)
        finally:
            self._together = False

    def faults(self) -> AbstractContextManager[None]:
        """Return what names the faults of everything done inside it."""
        return faults_named(self.folder, self._open_db)

    def _delete(self) -> None:
        self.fence()
        with disk_faults_named(self.folder):
            for part in PARTS:
                file = Path(f"{self.folder / DATABASE}{part}")
                file.unlink(missing_ok=True)

    def begin_anew(self, wrong: str) -> None:
        """Set the rows aside, saying what was wrong with them, and begin again.

        Raises:
            IndexUnwritable: the folder does not take a database.
        """
        self._set_aside(wrong)
        with self.faults():
            self._db = connection.open_writer(self.folder, wal=self._wal)
        self._identity = self._found()

    def take_from(self, file: Path) -> None:
        """Replace every row by those of a backup, while others read.

        Raises:
            BackupDamaged: the file is no sound index.
            IndexTooNew: a later release wrote it.
        """
        source = connection.open_copy(file)
        try:
            self.fence()
            copy_rows(source, self._open_db())
        finally:
            source.close()

    def close(self) -> None:
        """Close the connection; the next run opens another."""
        self._just_written.clear()
        if self._db is not None:
            self._db.close()
            self._db = None
