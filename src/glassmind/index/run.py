"""Bringing a sidecar up to the rows.

It re-applies the *current* rows of each changed note, so doing it twice does no harm
and a killed run is finished by the next. A marker that the log does not know means that
the sidecar followed another database: it is made anew from the rows, never from the
vault.
"""

import gc
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from glassmind.errors import GlassmindError, IndexDamaged, IndexFault
from glassmind.files.ignore import IgnoreRules, load_rules
from glassmind.files.read import VaultFiles
from glassmind.files.scan import Scan, scan, scan_folders
from glassmind.index.pipeline import (
    Job,
    apply_scan,
    exceeds,
    fingerprint,
    folder_of,
    guard,
    is_one_batch,
    known_stamps,
)
from glassmind.model import NotePath
from glassmind.model.index import OWED, Document, IndexReport, Progress, Stage
from glassmind.model.vectors import NoteVectors
from glassmind.obsidian.split import SplitRules
from glassmind.ports.indexing import (
    ChangeLog,
    IndexStore,
    KnownRows,
    ShowProgress,
    Sidecar,
)

T = TypeVar("T")

BATCH = 500
"""Notes read at a time: bounds memory, and lets the sidecar write while we read."""

MUCH = 500
"""Changes from which a writer with more memory pays for itself."""


@dataclass(frozen=True, slots=True)
class Followed(Generic[T]):
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
        self, log: ChangeLog[T], followed: Followed[T], progress: ShowProgress
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
        """Whether everything is applied and committed."""
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
        """Commit what a narrow run left to be followed, before what may take long."""
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
        """Forget what the log holds below what was committed."""
        if self._committed is not None:
            self._followed.fence()
            self._log.prune(self._committed)

    def abandon(self) -> None:
        """Forget what was not committed."""
        if self._sidecar is not None:
            with suppress(IndexFault):
                self._sidecar.rollback()

    def close(self) -> None:
        """Give the writer back."""
        if self._sidecar is not None:
            sidecar, self._sidecar = self._sidecar, None
            sidecar.close()


COMPACT_SHARE, COMPACT_CHUNKS = 0.2, 2_000
"""Deleted documents still count in a word's rarity; beyond a fifth, rankings drift."""


class WritableStore(IndexStore, Protocol):
    """The rows, with the ways out of trouble."""

    @property
    def notices(self) -> list[str]:
        """What a user should know about how the rows were opened."""

    def begin_anew(self, wrong: str, /) -> None:
        """Set the rows aside, saying what was wrong with them."""

    def wrong(self) -> str | None:
        """Read every row anew and return what is damaged."""

    def leave_failure(self, since: datetime, reason: str, sentence: str, /) -> None:
        """Say in the record of the run that began at `since` why it failed."""


@dataclass(frozen=True, slots=True)
class IndexRequest:
    """What a run is asked for.

    With `narrow`, `paths` are all that is looked at, and the sidecars are left to
    whoever searches next. With `hold_deletions` a large part of the vault that seems
    gone is kept, and all the rest is done, where a run otherwise stops before anything.
    """

    verify: bool = False
    rebuild: bool = False
    compact: bool = False
    accept_deletions: bool = False
    hold_deletions: bool = False
    narrow: bool = False
    reason: str = "index"
    paths: tuple[str, ...] = ()

    def why(self) -> str:
        """Return the reason and the wishes as the record of the run has them."""
        wishes = ("verify", "rebuild", "compact", "accept_deletions")
        asked = [wish.replace("_", "-") for wish in wishes if getattr(self, wish)]
        given = [] if asked and self.reason == "index" else [self.reason]
        return "+".join([*given, *asked])


@dataclass(frozen=True, slots=True)
class Workshop:
    """Everything a run works with; `writing` opens the rows under the writer lock.

    `fold_use` takes into the rows, while they are open, what was handed out since.
    """

    root: Path
    ignore_dirs: tuple[str, ...]
    include_agent_dir: bool
    max_note_bytes: int
    rules: SplitRules
    writing: Callable[..., AbstractContextManager[WritableStore]]
    words: Followed[Document]
    vectors: Followed[NoteVectors]
    fold_use: Callable[[], None] = lambda: None
    agent_dir: str = ""

    def ignore_rules(self) -> IgnoreRules:
        """Return what of the vault is not read, as its files say now."""
        return load_rules(
            self.root,
            ignore_dirs=self.ignore_dirs,
            include_agent_dir=self.include_agent_dir,
            agent_dir=self.agent_dir,
        )


def run_index(
    shop: Workshop, request: IndexRequest, progress: ShowProgress
) -> IndexReport:
    """Bring the whole index up to the vault, and say what was done.

    A database that turns out to be damaged on the way is set aside and made anew: the
    vault holds everything it held.

    Raises:
        MassDeletion: a large part of the vault seems gone; nothing was removed.
        VaultMissing: the vault's folder is not there; nothing was written.
        IndexBusy: another process is writing.
        IndexUnwritable: the disk does not take the index.
    """
    began, since = time.perf_counter(), datetime.now(UTC)
    writing = shop.writing(anew=request.rebuild, waiting=waiting(progress))
    with _collector_paused(), writing as store:
        if request.rebuild:
            shop.words.discard()
            shop.vectors.discard()
        elif request.verify:
            _mend(shop, store)
        try:
            report = _sound_run(shop, store, request, progress)
        except GlassmindError as error:
            store.leave_failure(since, request.why(), str(error))
            raise
        notices = tuple(store.notices)
    return replace(
        report,
        seconds=time.perf_counter() - began,
        warnings=(*notices, *report.warnings),
        rebuilt=request.rebuild,
    )


def waiting(progress: ShowProgress) -> Callable[[], None]:
    """Return what is called while we wait for our turn, and may end that."""
    return lambda: progress(Progress("wait", 0, 0))


def _mend(shop: Workshop, store: WritableStore) -> None:
    """Examine rows and sidecars as a doctor does; begin anew what is damaged."""
    wrong = store.wrong()
    if wrong is not None:
        store.begin_anew(wrong)
    _mend_vectors(store)
    for name, wrong, discard in (
        ("word index", shop.words.wrong(), shop.words.discard),
        ("matrix of vectors", shop.vectors.wrong(), shop.vectors.discard),
    ):
        if wrong is not None:
            discard()
            store.notices.append(f"the {name} was damaged ({wrong}) and was made anew")


def _mend_vectors(store: WritableStore) -> None:
    """Forget vectors that are not what was written: they are embedded again."""
    damaged = store.vectors().damaged()
    if damaged:
        with store.vector_step() as step:
            step.drop_damaged(damaged)
        much = "1 vector was" if len(damaged) == 1 else f"{len(damaged):,} vectors were"
        store.notices.append(f"{much} damaged and dropped, to be embedded again")


def _sound_run(
    shop: Workshop,
    store: WritableStore,
    request: IndexRequest,
    progress: ShowProgress,
) -> IndexReport:
    """Run; once more from nothing when the rows turn out to be damaged on the way."""
    try:
        with store.faults():
            return _bring_up(shop, store, request, progress)
    except IndexDamaged as error:
        if Path(error.file).name != "index.db":
            raise  # a sidecar: the rows it is made from are well
        store.begin_anew(error.reason)
        with store.faults():
            return _bring_up(shop, store, request, progress)


def check_rebuild(shop: Workshop, notes: Sequence[NotePath]) -> None:
    """Look whether the vault is there before an index that knows it is thrown away.

    Raises:
        MassDeletion: a large part of the known notes is gone.
        VaultMissing: the vault's folder is not there.
    """
    found = scan(shop.root, shop.ignore_rules(), {}).changed
    fewer = len(notes) - sum(file.kind != "attachment" for file in found)
    if exceeds(fewer, len(notes)):
        with VaultFiles(shop.root) as files:
            gone = sum(not files.exists(path) for path in notes)
        guard(min(fewer, gone), len(notes))


def _bring_up(
    shop: Workshop,
    store: WritableStore,
    request: IndexRequest,
    progress: ShowProgress,
) -> IndexReport:
    if request.narrow:
        return _bring_up_rows(shop, store, request, progress)
    follower = Follower(store.log(), shop.words, progress)
    with _followed_through(follower):
        follower.make_good()
        report = _bring_up_rows(shop, store, request, progress, follower)
        finish(follower, shop.words, store, compact=request.compact)
    follow_vectors(shop, store, progress, compact=request.compact)
    shop.fold_use()
    return replace(report, compacted=True) if follower.anew else report


def _bring_up_rows(
    shop: Workshop,
    store: WritableStore,
    request: IndexRequest,
    progress: ShowProgress,
    follower: Follower[Document] | None = None,
) -> IndexReport:
    rules = shop.ignore_rules()
    with VaultFiles(shop.root, limit_bytes=shop.max_note_bytes) as files:
        job = Job(
            store=store,
            read=files.read,
            exists=files.exists,
            left_out=rules.left_out,
            rules=shop.rules,
            progress=progress,
            written=follower.advance if follower is not None else lambda: None,
            verify=request.verify,
            accept_deletions=request.accept_deletions,
            hold_deletions=request.hold_deletions,
            reason=request.why(),
        )
        job, known, found = _looked(shop, job, rules, request)
        if follower is not None:
            follower.begin(len(found.changed))
        as_one = request.narrow and is_one_batch(found)
        with store.together() if as_one else nullcontext():
            report = apply_scan(job, known, found)
            if request.narrow:
                _owe_words(store)
    if not rules.warnings:
        return report
    return replace(report, warnings=(*rules.warnings, *report.warnings))


def _owe_words(store: IndexStore) -> None:
    """Note that the words of what was written are left to whoever searches next."""
    with store.transaction() as step:
        step.set(OWED, store.log().head())


def _looked(
    shop: Workshop, job: Job, rules: IgnoreRules, request: IndexRequest
) -> tuple[Job, dict[NotePath, int], Scan]:
    """Look at the paths, their folders or everywhere; return what was known there."""
    rows, paths = job.store.rows(), frozenset(request.paths)
    current = rows.setting("fingerprint") == fingerprint(job.rules)
    if paths and current and not job.verify:
        folders = frozenset(folder_of(path) for path in paths)
        files = paths if request.narrow else None
        known = rows.stamps_of(paths) if request.narrow else _stamps_in(rows, folders)
        found = scan_folders(shop.root, rules, known, folders, files)
        if found is not None:
            return replace(job, folders=folders, files=files), known, found
    known = known_stamps(job)
    job.progress(Progress("scan", 0, len(known)))
    return job, known, scan(shop.root, rules, known)


def _stamps_in(rows: KnownRows, folders: Iterable[str]) -> dict[NotePath, int]:
    known: dict[NotePath, int] = {}
    for folder in folders:
        known |= rows.stamps_in(folder)
    return known


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the collector of reference cycles from searching what has none.

    Notes are trees and go when the last name for them goes; looking through them again
    and again took a fifth of a first run.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def _followed_through(follower: Follower[T]) -> Iterator[None]:
    """Give the sidecar back whatever happens, without what was not committed."""
    try:
        yield
    except BaseException:
        follower.abandon()
        raise
    finally:
        follower.close()


def follow_sidecars(shop: Workshop, store: IndexStore, progress: ShowProgress) -> None:
    """Bring the sidecars up to the rows as they are: words, then vectors if any."""
    follow(store.log(), shop.words, store, progress)
    follow_vectors(shop, store, progress)


def follow_vectors(
    shop: Workshop,
    store: IndexStore,
    progress: ShowProgress,
    *,
    compact: bool = False,
) -> None:
    """Bring the vectors up to the rows as they are, where there are any."""
    log = store.vector_log()
    if log is not None:
        follow(log, shop.vectors, store, progress, compact=compact)


def follow(
    log: ChangeLog[T],
    followed: Followed[T],
    store: IndexStore,
    progress: ShowProgress,
    *,
    compact: bool = False,
) -> None:
    """Bring one sidecar up to the rows as they are."""
    follower = Follower(log, followed, progress)
    with _followed_through(follower):
        finish(follower, followed, store, compact=compact)


def finish(
    follower: Follower[T],
    followed: Followed[T],
    store: IndexStore,
    *,
    compact: bool = False,
) -> None:
    """Commit a sidecar, compacting it when that is due or asked for."""
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
