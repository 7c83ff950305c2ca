"""Keep the index of a vault: update, examine, back up and restore it."""

import gc
import os
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from glassmind.errors import (
    BackupExists,
    BackupUnwritable,
    IndexAbsent,
    IndexBusy,
    IndexDamaged,
    IndexFault,
)
from glassmind.files.scan import Scan, kind_of, scan, scan_folders
from glassmind.index.embed import SMALLEST, EmbeddingPass, waiting
from glassmind.index.pipeline import (
    IndexJob,
    IndexRequest,
    apply_scan,
    exceeds,
    fingerprint,
    folder_of,
    guard,
    is_one_batch,
    known_stamps,
)
from glassmind.model import NotePath
from glassmind.model.index import (
    OWED,
    FileFilter,
    IndexReport,
    Progress,
    ShowProgress,
    SplitRules,
)
from glassmind.store.protocol import KeywordUpdate, Sidecar, Writer
from glassmind.vault import WRITER_WAIT_S, Vault


class IndexKeeper(Struct, frozen=True):
    """Everything done to an index; `view` is what the caller may see of the vault."""

    view: Vault
    wait_s: float = WRITER_WAIT_S

    @property
    def vault(self) -> Vault:
        return self.view.whole

    def index(
        self,
        progress: ShowProgress | None = None,
        *,
        reason: str = "index",
        paths: tuple[str, ...] = (),
        embed: bool = True,
        wait_s: float | None = None,
        **options: bool,
    ) -> IndexReport:
        """Bring the index up to the vault; `options` are those of an `IndexRequest`.

        A rebuild is refused where a run would be: the vault has to be there. With
        `embed`, vectors follow when the text is in. With `wait_s`, others are waited
        for no longer than so, and only one batch of vectors follows.
        """
        show, in_hurry = progress or _quiet, wait_s is not None
        request = IndexRequest(reason=reason, paths=paths, **options)
        if request.rebuild and not request.accept_deletions:
            self._check_rebuild()
        wait = self.wait_s if wait_s is None else wait_s
        try:
            report = run_index(self.vault, request, show, wait)
            if not in_hurry:
                note_paths, problems = self.vault.hooks.after_run(self.vault)
                if note_paths:
                    again = IndexRequest(reason=reason, paths=tuple(note_paths))
                    run_index(self.vault, again, _quiet, self.wait_s)
                found = self.vault.hooks.after_renames(self.vault, report.renamed)
                warnings = (*report.warnings, *problems, *found)
                report = replace(report, warnings=warnings)
        finally:
            self.vault.store.close_keywords()
        if not embed:
            return report
        try:
            return self._embedded(report, show, again=request.verify, wait_s=wait_s)
        except IndexBusy:
            if not in_hurry:
                raise
            return report  # the text is in

    def embed(
        self, progress: ShowProgress | None = None, *, pause: Callable[[], bool]
    ) -> IndexReport:
        """Let vectors follow the text; `pause` ends that between two batches."""
        return self._embedded(IndexReport(), progress or _quiet, pause=pause)

    def _embedded(
        self,
        report: IndexReport,
        progress: ShowProgress,
        *,
        again: bool = False,
        pause: Callable[[], bool] = lambda: False,
        wait_s: float | None = None,
    ) -> IndexReport:
        """Return the report with what was embedded; with `wait_s`, one small batch."""
        if self.vault.config.embeddings.backend == "none":
            return report
        began = time.perf_counter()
        try:
            if wait_s is None:
                work = EmbeddingPass(self.vault, self.wait_s, SMALLEST * 4, progress)
                passed = work.run(again=again, pause=pause)
                self.vault.hooks.after_embedding(self.vault, progress, pause)
            else:
                work = EmbeddingPass(self.vault, wait_s, SMALLEST, progress)
                passed = work.run(again=again, pause=lambda: True)
        finally:
            self.vault.store.close_keywords()
        return replace(
            report,
            embedded=passed.embedded,
            reused=passed.reused,
            left=passed.left,
            seconds=report.seconds + time.perf_counter() - began,
            warnings=(*passed.warnings, *report.warnings),
        )

    def _check_rebuild(self) -> None:
        """Raise `MassDeletion` if the vault lacks many notes that are indexed."""
        try:
            with self.view.faults():
                known = self.view.store.rows().stamps()
        except IndexFault:  # it cannot be read any more
            known = {}
        notes = [path for path in known if kind_of(path) != "attachment"]
        vault = self.vault
        found = scan(vault.config.vault.path, vault.ignore_rules(), {}).changed
        fewer = len(notes) - sum(file.kind != "attachment" for file in found)
        if exceeds(fewer, len(notes)):
            with vault.files() as files:
                gone = sum(not files.exists(path) for path in notes)
            guard(min(fewer, gone), len(notes))

    def catch_up(self, wait_s: float = 0.0) -> str | None:
        try:
            with self.vault.writing(wait_s, here=True) as store, store.faults():
                store.follow("words", _quiet)
                store.follow("vectors", _quiet)
        except IndexBusy:
            return "another process is writing the index"
        except IndexFault as error:
            return str(error)
        finally:
            self.vault.store.close_keywords()
        return None

    def remake_words(self, error: IndexDamaged) -> bool:
        """Make the word index again; damage of the rows needs a run of indexing."""
        if Path(error.file).name == "index.db":
            return False
        self.vault.writer.discard("words")
        return self.catch_up() is None

    def backup(self, file: Path) -> None:
        """Write the rows, from which all else is made, to one new file."""
        staged = file.with_name(f".glassmind-{os.urandom(8).hex()}.part")
        try:
            if os.path.lexists(file):
                raise BackupExists(str(file))
            self.vault.store.back_up(staged)
            file.touch(exist_ok=False)  # holds the name, on disks without links too
            staged.replace(file)
        except FileExistsError as error:
            raise BackupExists(str(file)) from error
        except OSError as error:
            raise BackupUnwritable(str(file.parent), str(error)) from error
        finally:
            staged.unlink(missing_ok=True)

    def restore(self, file: Path, *, force: bool = False) -> str | None:
        """Replace the rows by those of a backup and bring the sidecars up to them.

        Returns what could not be done yet, if anything.

        Raises:
            BackupMissing: there is no such file.
            BackupDamaged: the file is not a valid backup; nothing was changed.
            IndexFault: the vault has next to none of its notes; not raised
                with `force`.
            IndexTooNew: a later release wrote it; nothing was changed.
            IndexBusy: another process is writing.
        """
        notes = [] if force else self.vault.store.backup_notes(file)
        with self.vault.files() as files:
            there = sum(files.exists(path) for path in notes)
        if there < len(notes) * SHARE_THERE:
            vault = str(self.vault.config.vault.path)
            raise IndexFault(
                f"{file} seems to be of another vault: of {len(notes):,} of its notes, "
                f"{vault} has {there:,}; name the other vault, or use --force; nothing "
                "was changed"
            )
        with self.vault.writing() as writer:
            writer.take_from(file)
        self.vault.store.close_keywords()
        return self.catch_up()


SHARE_THERE = 0.1
"""Of the notes of a backup, how many a vault has at least; two vaults may share names,
such as those of templates and of days."""


def _quiet(_: Progress) -> None:
    return


def run_index(
    vault: Vault, request: IndexRequest, progress: ShowProgress, wait_s: float
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
    began = time.perf_counter()
    had_collector = gc.isenabled()
    gc.disable()  # searching trees of notes for cycles took a fifth of a first run
    waits = waiting(progress)
    try:
        with vault.writing(wait_s, anew=request.rebuild, waiting=waits) as store:
            if request.rebuild:
                store.discard("words", "vectors")
            elif request.verify:
                _repair(store)
            bring_up = _bring_up_rows if request.narrow else _bring_up
            try:
                with store.faults():
                    report = bring_up(vault, store, request, progress)
            except IndexDamaged as error:
                if Path(error.file).name != "index.db":
                    raise  # a sidecar: the rows it is made from are well
                store.begin_anew(error.reason)
                with store.faults():
                    report = bring_up(vault, store, request, progress)
            notices = tuple(store.notices)
    finally:
        if had_collector:
            gc.enable()
    return replace(
        report,
        seconds=time.perf_counter() - began,
        warnings=(*notices, *report.warnings),
        rebuilt=request.rebuild,
    )


def _repair(store: Writer) -> None:
    """Examine rows and sidecars as a doctor does; begin anew what is damaged."""
    wrong = store.damage("rows")
    if wrong is not None:
        store.begin_anew(wrong)
    damaged = store.rows().damaged_vectors()
    if damaged:
        with store.transaction() as step:
            step.drop_damaged_vectors(damaged)
        much = "1 vector was" if len(damaged) == 1 else f"{len(damaged):,} vectors were"
        store.notices.append(f"{much} damaged and dropped, to be embedded again")
    parts: dict[Sidecar, str] = {"words": "word index", "vectors": "matrix of vectors"}
    for part, name in parts.items():
        wrong = store.damage(part)
        if wrong is not None:
            store.discard(part)
            store.notices.append(f"the {name} was damaged ({wrong}) and was made anew")


def _bring_up(
    vault: Vault,
    store: Writer,
    request: IndexRequest,
    progress: ShowProgress,
) -> IndexReport:
    with store.follower(progress) as follower:
        follower.make_good()
        report = _bring_up_rows(vault, store, request, progress, follower)
        follower.finish(compact=request.compact)
    store.follow("vectors", progress, compact=request.compact)
    fold_usage(vault)
    return replace(report, compacted=True) if follower.anew else report


def _bring_up_rows(
    vault: Vault,
    store: Writer,
    request: IndexRequest,
    progress: ShowProgress,
    follower: KeywordUpdate | None = None,
) -> IndexReport:
    rules, index = vault.ignore_rules(), vault.config.index
    split_rules = SplitRules(
        target_tokens=index.chunk_target_tokens,
        overlap_tokens=index.chunk_overlap_tokens,
        min_chars=index.chunk_min_chars,
        max_chunks=index.max_chunks_per_note,
    )
    with vault.files() as files:
        job = IndexJob(
            store=store,
            vault=files,
            ignore=rules,
            rules=split_rules,
            request=request,
            progress=progress,
            written=follower.advance if follower is not None else lambda: None,
        )
        job, known, found = _looked(vault.config.vault.path, job)
        if follower is not None:
            follower.begin(len(found.changed))
        as_one = request.narrow and is_one_batch(found)
        with store.together() if as_one else nullcontext():
            report = apply_scan(job, known, found)
            if request.narrow:  # its words are left to whoever searches next
                with store.transaction() as step:
                    step.set(OWED, store.head())
    return replace(report, warnings=(*rules.warnings, *report.warnings))


def _looked(root: Path, job: IndexJob) -> tuple[IndexJob, dict[NotePath, int], Scan]:
    """Look at the paths, their folders or everywhere; return what was known there."""
    request, rows = job.request, job.store.rows()
    paths = frozenset(request.paths)
    current = rows.setting("fingerprint") == fingerprint(job.rules)
    if paths and current and not request.verify:
        folders = frozenset(folder_of(path) for path in paths)
        files = paths if request.narrow else None
        if request.narrow:
            there = rows.files(paths=paths)
        else:
            filters: list[FileFilter] = [
                {"folder": folder} if folder else {} for folder in folders
            ]
            there = [
                file
                for which in filters
                for file in rows.files(**which)
                if folder_of(file.path) in folders
            ]
        known = {file.path: file.stamp for file in there}
        found = scan_folders(root, job.ignore, known, folders, files)
        if found is not None:
            return replace(job, folders=folders, files=files), known, found
    known = known_stamps(job)
    job.progress(Progress("scan", 0, len(known)))
    return job, known, scan(root, job.ignore, known)


def fold_usage(vault: Vault) -> None:
    """How far the log was copied is in the rows: a new database takes all again."""
    folded = vault.writer.rows().uses_read()
    events, upto = vault.whole.store.usage_log.tail(folded)
    if events:
        with vault.writer.transaction() as step:
            step.add_uses(events, {**folded, **upto})


def visible_digests(vault: Vault) -> Mapping[NotePath, str]:
    """Needed even if no note is hidden yet: the run may add the first."""
    try:
        return {note.path: note.digest for note in vault.store.rows().notes()}
    except IndexAbsent:
        return {}


def visible_report(
    vault: Vault, report: IndexReport, before: Mapping[NotePath, str]
) -> IndexReport:
    reader = vault.visible_store
    hidden_notes = reader.hidden_notes()
    if hidden_notes:
        report = _counted(vault, report, before)
    skipped = [file for file in report.skipped if vault.may_tell_skipped(file.path)]
    secret = [file.path for file in report.skipped if file not in skipped]
    names = vault.whole.store.rows().names(hidden_notes) if report.warnings else {}
    hidden = [*(path for path, _ in names.values()), *secret]
    warnings = [
        warning
        for warning in report.warnings
        if not any(path in warning for path in hidden)
    ]
    notes = reader.rows().count("notes")
    return replace(report, skipped=skipped, warnings=warnings, notes=notes)


def _counted(
    vault: Vault, report: IndexReport, before: Mapping[NotePath, str]
) -> IndexReport:
    """Passages count only if their note was added or changed."""
    now, known = visible_digests(vault), {} if report.rebuilt else before
    renamed = [pair for pair in report.renamed if pair[0] in known and pair[1] in now]
    moved_from, moved_to = ({pair[side] for pair in renamed} for side in (0, 1))
    added = now.keys() - known.keys() - moved_to
    changed = {path for path in now.keys() & known.keys() if now[path] != known[path]}
    passages = vault.visible_store.embedded_in(added | changed)
    reused = min(report.reused, passages)
    return replace(
        report,
        added=len(added),
        changed=len(changed),
        moved=len(renamed),
        removed=len(known.keys() - now.keys() - moved_from),
        unchanged=len(now) - len(added) - len(changed) - len(renamed),
        embedded=min(report.embedded, passages - reused),
        reused=reused,
        left=min(report.left, passages),
        held=min(report.held, len(now)),
        renamed=renamed,
    )
