"""Keeping an index: writing it, catching up, examining, copying."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, Self

from glassmind.errors import (
    BackupExists,
    BackupOfAnotherVault,
    BackupUnwritable,
    IndexBusy,
    IndexDamaged,
    IndexFault,
    MassDeletion,
)
from glassmind.files.read import VaultFiles
from glassmind.files.scan import kind_of
from glassmind.index.checkup import Bench, examine, status_of
from glassmind.index.embed import SMALLEST, Meaning, run_pass
from glassmind.index.run import (
    IndexRequest,
    Workshop,
    WritableStore,
    check_rebuild,
    follow_sidecars,
    run_index,
)
from glassmind.model import NotePath
from glassmind.model.index import Check, IndexReport, Progress, Skipped, Status
from glassmind.ports.indexing import ShowProgress


def _never() -> bool:
    return False


class Copier(Protocol):
    """Copies the rows, whole, while others use them."""

    def write(self, file: Path, /) -> None:
        """Write the rows to a new file."""

    def notes_in(self, file: Path, /) -> list[NotePath]:
        """Return the notes of a file that was written so."""

    def take(self, file: Path, /) -> None:
        """Replace the rows by those of a file."""


@dataclass(frozen=True, slots=True)
class IndexKeeper:
    """Everything that is done to an index beside asking it.

    `wrote` is called when something was written. `learn`, told how many vectors are
    new, and `pair` follow every pass of embedding, until they are told to pause.
    `ticked` follows every run: it may move files of ours, and says which, and what went
    wrong. `renamed` is told which notes moved, and says what is to be known of that.
    """

    shop: Workshop
    bench: Callable[[], Bench]
    copier: Copier
    wrote: Callable[[], None]
    meaning: Meaning | None = None
    learn: Callable[[int, ShowProgress, Callable[[], bool]], None] | None = None
    pair: Callable[[ShowProgress, Callable[[], bool]], None] | None = None
    ticked: Callable[[], tuple[Sequence[NotePath], Sequence[str]]] | None = None
    renamed: Callable[[Sequence[tuple[NotePath, NotePath]]], Sequence[str]] | None = (
        None
    )

    def index(
        self,
        progress: ShowProgress | None = None,
        *,
        reason: str = "index",
        paths: tuple[str, ...] = (),
        embed: bool = True,
        wait_s: float | None = None,
        **wishes: bool,
    ) -> IndexReport:
        """Bring the index up to the vault; `wishes` are those of an `IndexRequest`.

        A rebuild is refused where a run would be: the vault has to be there. With
        `embed`, vectors follow when the text is in. With `wait_s`, see `_hurried`.
        """
        if wait_s is not None:
            ours = self._hurried(wait_s)
            report = ours.index(
                progress, reason=reason, paths=paths, embed=False, **wishes
            )
            return ours.embed_newest(report, progress) if embed else report
        request = IndexRequest(reason=reason, paths=paths, **wishes)
        known = self._known_notes() if request.rebuild else []
        if request.rebuild and not request.accept_deletions:
            self._check_rebuild(request, known)
        try:
            report = run_index(self.shop, request, progress or _quiet)
            report = self._with_ticked(report, request)
            if self.renamed is not None:
                told = self.renamed(report.renamed)
                if told:
                    report = replace(report, warnings=(*report.warnings, *told))
        finally:
            self.wrote()
        lost = unseen_of(known, report.skipped)
        report = replace(report, warnings=(*report.warnings, *lost)) if lost else report
        if self.meaning is None or not embed:
            return report
        return self._embedded(
            report, self.meaning, progress or _quiet, again=request.verify
        )

    def _hurried(self, wait_s: float) -> Self:
        """Return a keeper that waits no longer for others, and does what is needed."""

        def writing(
            longest_s: float = wait_s, **ways: Any
        ) -> AbstractContextManager[WritableStore]:
            return self.shop.writing(longest_s, **ways)

        shop, meaning = replace(self.shop, writing=writing), self.meaning
        if meaning is not None:
            wishes = meaning.wishes._replace(first=SMALLEST)
            meaning = replace(meaning, shop=shop, wishes=wishes)
        return replace(
            self,
            shop=shop,
            meaning=meaning,
            learn=None,
            pair=None,
            ticked=None,
            renamed=None,
        )

    def embed_newest(
        self, report: IndexReport, progress: ShowProgress | None
    ) -> IndexReport:
        """Let vectors of one batch follow, the newest notes first; the text is in."""
        if self.meaning is None:
            return report
        told = progress or _quiet
        try:
            return self._embedded(
                report, self.meaning, told, again=False, pause=lambda: True
            )
        except IndexBusy:
            return report

    def _with_ticked(self, report: IndexReport, request: IndexRequest) -> IndexReport:
        """Take in what was moved because a person ticked it."""
        moved, troubles = self.ticked() if self.ticked is not None else ((), ())
        if moved:
            again = IndexRequest(reason=request.reason, paths=tuple(moved))
            run_index(self.shop, again, _quiet)
        if not troubles:
            return report
        return replace(report, warnings=(*report.warnings, *troubles))

    def embed(
        self, progress: ShowProgress | None = None, *, pause: Callable[[], bool]
    ) -> IndexReport:
        """Let vectors follow the text as it is; `pause` ends that between two batches.

        What is left then is for the next time.
        """
        if self.meaning is None:
            return IndexReport()
        return self._embedded(
            IndexReport(), self.meaning, progress or _quiet, again=False, pause=pause
        )

    def _embedded(
        self,
        report: IndexReport,
        meaning: Meaning,
        progress: ShowProgress,
        *,
        again: bool,
        pause: Callable[[], bool] = _never,
    ) -> IndexReport:
        began = time.perf_counter()
        try:
            passed = run_pass(meaning, progress, again=again, pause=pause)
            if self.learn is not None:
                self.learn(passed.embedded, progress, pause)
            if self.pair is not None:  # notes that are alike, by their vectors
                self.pair(progress, pause)
        finally:
            self.wrote()
        return replace(
            report,
            embedded=passed.embedded,
            reused=passed.reused,
            left=passed.left,
            seconds=report.seconds + time.perf_counter() - began,
            warnings=(*passed.warnings, *report.warnings),
        )

    def _known_notes(self) -> list[NotePath]:
        """Return what the index knows; nothing, where it cannot be read any more."""
        try:
            bench = self.bench()
            with bench.faults():
                known = bench.stamps()
        except IndexFault:
            return []
        return sorted(path for path in known if kind_of(path) != "attachment")

    def _check_rebuild(self, request: IndexRequest, known: list[NotePath]) -> None:
        since = datetime.now(UTC)
        try:
            check_rebuild(self.shop, known)
        except MassDeletion as error:
            with suppress(IndexFault), self.shop.writing(0.0, here=True) as store:
                store.leave_failure(since, request.why(), str(error))
            raise

    def catch_up(self, wait_s: float = 0.0) -> str | None:
        """Bring the sidecars up to the rows, or say why that was not possible."""
        try:
            with self.shop.writing(wait_s, here=True) as store, store.faults():
                follow_sidecars(self.shop, store, _quiet)
        except IndexBusy:
            return "another process is writing the index"
        except IndexFault as error:
            return str(error)
        finally:
            self.wrote()
        return None

    def remake_words(self, error: IndexDamaged) -> bool:
        """Throw the word index away and make it anew; say whether that was the fault.

        Damage of the rows cannot be mended without reading the vault, which is a run of
        indexing and not for us to begin.
        """
        if Path(error.file).name == "index.db":
            return False
        self.shop.words.discard()
        return self.catch_up() is None

    def examine(self) -> list[Check]:
        """Look at the vault, the index and what they stand on."""
        return examine(self.shop, self.bench())

    def status(self) -> Status:
        """Return what is current of the index."""
        bench = self.bench()
        with bench.faults():
            return status_of(bench)

    def backup(self, file: Path) -> None:
        """Write the rows, from which all else is made, to one new file.

        Raises:
            BackupExists: there is a file already.
            BackupUnwritable: the disk does not take it.
        """
        if os.path.lexists(file):
            raise BackupExists(str(file))
        staged = file.with_name(f".glassmind-{os.urandom(8).hex()}.part")
        try:
            self.copier.write(staged)
            _rename_new(staged, file)
        finally:
            staged.unlink(missing_ok=True)

    def restore(self, file: Path, *, force: bool = False) -> str | None:
        """Replace the rows by those of a backup and bring the sidecars up to them.

        Returns what could not be done yet, if anything.

        Raises:
            BackupMissing: there is no such file.
            BackupDamaged: the file is not a valid backup; nothing was changed.
            BackupOfAnotherVault: the vault has next to none of its notes; not raised
                with `force`.
            IndexTooNew: a later release wrote it; nothing was changed.
            IndexBusy: another process is writing.
        """
        if not force:
            self._check_vault(file)
        self.copier.take(file)
        self.wrote()
        return self.catch_up()

    def _check_vault(self, file: Path) -> None:
        notes = self.copier.notes_in(file)
        asked = notes[:: len(notes) // NOTES_ASKED + 1]
        with VaultFiles(self.shop.root) as files:
            there = sum(files.exists(path) for path in asked)
        if there < len(asked) * SHARE_THERE:
            vault = str(self.shop.root)
            raise BackupOfAnotherVault(str(file), vault, there=there, notes=len(asked))


NOTES_ASKED = 1_000
"""Notes of a backup that are looked for in the vault."""

SHARE_THERE = 0.1
"""Of the notes of a backup, how many a vault has at least; two vaults may share names,
such as those of templates and of days."""


def _rename_new(staged: Path, file: Path) -> None:
    """Give a file its name, unless there is one of that name by now.

    Raises:
        BackupExists: there is.
        BackupUnwritable: the disk does not take it.
    """
    try:
        try:
            os.link(staged, file)
        except FileExistsError:
            raise
        except OSError:  # a disk without links: hold the name, then take its place
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            os.replace(staged, file)  # noqa: PTH105 - same folder, atomic
    except FileExistsError as error:
        raise BackupExists(str(file)) from error
    except OSError as error:
        raise BackupUnwritable(str(file.parent), str(error)) from error


def unseen_of(known: Iterable[NotePath], skipped: Iterable[Skipped]) -> list[str]:
    """Say which known notes stand where a run from nothing could not look."""
    unseen = {one.path for one in skipped if one.unknown}
    lost = [p for p in known if unseen.intersection(_with_folders(p))] if unseen else []
    if not lost:
        return []
    more = ", ..." if len(lost) > NAMED else ""
    much = "1 note" if len(lost) == 1 else f"{len(lost):,} notes"
    gone = f"{much} cannot be seen now and did not get into the new index"
    return [f"{gone}: {', '.join(lost[:NAMED])}{more}"]


NAMED = 5
"""Notes that one warning names."""


def _with_folders(path: NotePath) -> Iterator[str]:
    yield path
    while "/" in path:
        path = NotePath(path.rpartition("/")[0])
        yield path


def _quiet(_: Progress) -> None:
    return
