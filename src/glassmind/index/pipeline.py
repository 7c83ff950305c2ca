"""One run of indexing: scan, read, parse, split, store, resolve.

Every step is one transaction that leaves the rows whole, so a run that is killed
anywhere is finished by the next. The bytes of a file, not its times, decide whether a
row changes.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from glassmind.files.decode import marks_in
from glassmind.files.scan import Scan
from glassmind.index.intake import (
    Content,
    ReadBytes,
    doubted,
    read_content,
    take_in,
    troubles_of,
)
from glassmind.index.plan import Vanished, exceeds, guard
from glassmind.index.settle import Ends, recheck_links, settle_in, settle_links
from glassmind.model import NotePath
from glassmind.model.files import (
    TO_HASH,
    UNREAD,
    FileFacts,
    IndexReport,
    Progress,
    Skipped,
)
from glassmind.model.index import Indexed
from glassmind.obsidian.secrets import SHAPES_VERSION
from glassmind.obsidian.split import SPLITTER_VERSION, SplitRules
from glassmind.ports.indexing import IndexStore, ShowProgress

BATCH_NOTES, BATCH_BYTES = 1024, 8_000_000
"""One transaction's worth: bounds memory, and what a kill can undo."""

MARK_BYTES = 16
"""Bytes added to a batch's size for each line or Markdown mark, since each becomes an
object."""

MOST_TROUBLES = 200
"""Sentences about notes in one report; where there are more, many are alike."""

MOST_NAMED = 5
"""Notes that one warning names."""

PARSER_VERSION = 2
"""Raised whenever the same bytes give other rows, so that every note is read again."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a run works with and is asked for.

    `left_out` says why a file is not read, if it is not.
    `written` is called after each batch of rows, `verify` compares every note's rows
    with its file,
    `accept_deletions` believes that notes are gone; `hold_deletions` keeps them where
    that is hard to believe. `folders` are those that were looked at, where it was not
    the whole vault, and `files` all that was looked at in them, where not every file.
    """

    store: IndexStore
    read: ReadBytes
    exists: Callable[[NotePath], bool]
    left_out: Callable[[NotePath], str | None]
    rules: SplitRules
    progress: ShowProgress
    written: Callable[[], None]
    verify: bool = False
    accept_deletions: bool = False
    hold_deletions: bool = False
    reason: str = "index"
    folders: frozenset[str] | None = None
    files: frozenset[str] | None = None

    def looked_at(self, path: str) -> bool:
        """Whether this run would have seen that file."""
        if self.files is not None:
            return path in self.files
        return self.folders is None or folder_of(path) in self.folders


def fingerprint(rules: SplitRules) -> str:
    """Return what the rows depend on beside the vault."""
    return f"{PARSER_VERSION}/{SPLITTER_VERSION}/{SHAPES_VERSION}/{rules}"


@dataclass(slots=True)
class Tally:
    """What a run has done so far."""

    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    held: int = 0
    repaired: list[NotePath] = field(default_factory=list)
    renamed: list[tuple[NotePath, NotePath]] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)

    def told(self) -> tuple[str, ...]:
        """Return what is wrong with the notes read, the first of it in full."""
        more = len(self.troubles) - MOST_TROUBLES
        rest = f"{more:,} more things to mend in notes: see glassmind doctor"
        troubles = [*self.troubles[:MOST_TROUBLES], *([rest] if more > 0 else [])]
        return (*self._repairs(), *troubles)

    def _repairs(self) -> list[str]:
        """Return a sentence about the notes whose rows were wrong, if there are any."""
        count, first = len(self.repaired), sorted(self.repaired)[:MOST_NAMED]
        if not count:
            return []
        much = "1 note" if count == 1 else f"{count:,} notes"
        names = ", ".join(first) + (", ..." if count > len(first) else "")
        return [
            f"The index of {much} did not match the files and was repaired: {names}"
        ]

    def report(self, notes: int, seconds: float) -> IndexReport:
        """Return the counts as they are now."""
        return IndexReport(
            added=self.added,
            changed=self.changed,
            moved=self.moved,
            removed=self.removed,
            unchanged=notes - self.added - self.changed - self.moved,
            notes=notes,
            seconds=seconds,
            skipped=tuple(sorted(self.skipped, key=lambda s: s.path)),
            warnings=self.told(),
            held=self.held,
            renamed=tuple(self.renamed),
        )


def known_stamps(job: Job) -> dict[NotePath, int]:
    """Return the stamps a scan compares with; none fits where all is to be hashed."""
    rows = job.store.rows()
    stamps = rows.stamps()
    if job.verify or rows.setting("fingerprint") != fingerprint(job.rules):
        return {p: UNREAD if s == UNREAD else TO_HASH for p, s in stamps.items()}
    return stamps


def apply_scan(job: Job, known: Mapping[NotePath, int], scan: Scan) -> IndexReport:
    """Bring the rows up to what a scan saw, and say what was done.

    Raises:
        MassDeletion: a large part of the vault seems gone; nothing was written. Not
            raised where the job holds deletions.
    """
    began = time.perf_counter()
    tally = Tally(skipped=[*scan.skipped])
    run, held = None, frozenset[NotePath]()
    if scan.changed or scan.missing:
        work = _Work(job, known, scan, tally)
        held = work.check()
        with job.store.transaction() as step:
            run = step.start_run(datetime.now(UTC), job.reason)
            if job.verify:
                step.repair_names()
            if not known:  # so that a first run that is cut short is gone on with
                step.set("fingerprint", fingerprint(job.rules))
        work.apply()
    tally.skipped += _still_skipped(job, known, scan, held)
    settle_links(job.store, job.progress)
    if job.verify:
        recheck_links(job.store)
    with job.store.transaction() as step:
        run = run or step.start_run(datetime.now(UTC), job.reason)
        notes = job.store.rows().note_count()
        report = tally.report(notes, time.perf_counter() - began)
        step.set("fingerprint", fingerprint(job.rules))
        step.replace_skipped(report.skipped)
        step.end_run(run, report)
    return report


def is_one_batch(found: Scan) -> bool:
    """Whether what a scan found fits into one transaction."""
    if len(found.changed) + len(found.missing) > BATCH_NOTES:
        return False
    return sum(file.size for file in found.changed) <= BATCH_BYTES


def _still_skipped(
    job: Job, known: Mapping[NotePath, int], scan: Scan, held: frozenset[NotePath]
) -> list[Skipped]:
    """Return what the last run could make nothing of and what has not changed since."""
    again = {file.path for file in scan.changed} | (set(scan.missing) - held)
    kept = []
    for path, reason, unknown in job.store.rows().skipped():
        unchanged = not unknown and path in known and path not in again
        if unchanged or not job.looked_at(path):
            kept.append(Skipped(path, reason, unknown=unknown))
    return kept


def folder_of(path: str) -> str:
    """Return the folder a path stands in; "" is the vault's root."""
    return path.rpartition("/")[0]


class _Work:
    """The changes of one run, written in batches."""

    def __init__(
        self, job: Job, known: Mapping[NotePath, int], scan: Scan, tally: Tally
    ) -> None:
        self._job, self._known, self._scan, self._tally = job, known, scan, tally
        rows = job.store.rows()
        self._rows = rows
        self._anew = rows.setting("fingerprint") != fingerprint(job.rules)
        read = [one.path for one in scan.changed if one.path in known]
        self._digests = rows.digests_of(read) if read else {}
        digests = rows.digests() if scan.missing else {}
        self._gone_notes = [path for path in scan.missing if path in digests]
        self._note_count = len(digests)
        self._vanished = Vanished.of(self._gone_notes, digests)
        self._taken: set[NotePath] = set()
        self._held: frozenset[NotePath] = frozenset()
        self._back: frozenset[NotePath] = frozenset()
        self._lost: list[NotePath] = []
        self._ends: Ends | None = None
        self._unread = {path for path, stamp in known.items() if stamp == UNREAD}
        self._clear()

    def _clear(self) -> None:
        self._notes: list[Indexed] = []
        self._touched: list[FileFacts] = []
        self._compared: list[Indexed] = []
        self._attachments: list[FileFacts] = []
        self._skipped: list[Skipped] = []
        self._moves: list[tuple[NotePath, FileFacts, Content]] = []
        self._bytes = 0

    def check(self) -> frozenset[NotePath]:
        """Refuse to believe that a large part of the vault was deleted.

        Returns what is missing and kept, where the job holds deletions. It never does
        where every note is to be read anew: what is held would seem to be read.

        Raises:
            MassDeletion: notes beyond the guard are gone and did not move.
        """
        accept = self._job.accept_deletions
        if not exceeds(len(self._gone_notes), self._note_count) or accept:
            return self._held
        gone = self._gone_for_good()
        if not self._anew:
            self._back = self._came_back(gone)
        if self._job.hold_deletions and not self._anew:
            notes = gone.intersection(self._gone_notes)
            if exceeds(len(notes), self._note_count):
                self._held, self._tally.held = gone, len(notes)
        else:
            guard(len(gone.intersection(self._gone_notes)), self._note_count)
        return self._held

    def _gone_for_good(self) -> frozenset[NotePath]:
        """Return what is missing, neither moved nor there but for new rules."""
        taken: set[NotePath] = set()
        for file in self._scan.changed:
            if file.kind == "attachment" or file.path in self._known:
                continue
            content = read_content(file, self._job.read)
            if isinstance(content, Content):
                origin = self._vanished.origin_of(file, content.digest, taken)
                taken.update([origin] if origin else [])
        gone = (path for path in self._scan.missing if path not in taken)
        # what new rules exclude is not gone: nobody lost it
        return frozenset(path for path in gone if not self._job.exists(path))

    def _came_back(self, gone: frozenset[NotePath]) -> frozenset[NotePath]:
        """Return what was missing and is there again, for the next look to take in."""
        job = self._job
        there = (path for path in self._scan.missing if path not in gone)
        return frozenset(
            path for path in there if job.left_out(path) is None and job.exists(path)
        )

    def apply(self) -> None:
        """Take in every changed file, then forget what is gone.

        Before the first notes of all, every file is announced, so that each link can be
        written with its end. What is then never read is forgotten, be it by a later run
        that goes on with this one.
        """
        total = len(self._scan.changed)
        if not self._known and self._job.folders is None:
            self._unread = {file.path for file in self._scan.changed}
            with self._job.store.transaction() as step:
                self._ends = Ends.of(step.announce(self._scan.changed))
        for done, file in enumerate(self._scan.changed, 1):
            self._take(doubted(file, time.time_ns()))
            taken = len(self._notes) + len(self._compared)
            if taken >= BATCH_NOTES or self._bytes >= BATCH_BYTES:
                self._flush()
            self._job.progress(Progress("read", done, total))
        self._flush()
        kept = self._taken | self._held | self._back
        gone = [p for p in self._scan.missing if p not in kept]
        self._forget([*gone, *self._lost, *sorted(self._unread)])

    def _take(self, file: FileFacts) -> None:
        if file.kind == "attachment":
            self._attachments.append(file)
            return
        content = read_content(file, self._job.read)
        match content:
            case None:
                self._lost.extend([file.path] if file.path in self._known else [])
            case Skipped():
                self._tally.skipped.append(content)
            case Content():
                self._bytes += len(content.raw) + MARK_BYTES * marks_in(content.raw)
                self._take_content(file, content)

    def _take_content(self, file: FileFacts, content: Content) -> None:
        known = self._digests.get(file.path)
        if known == content.digest and not self._anew and not self._job.verify:
            self._touched.append(file)
            return
        origin = None
        if file.path not in self._known and not self._anew:
            origin = self._vanished.origin_of(file, content.digest, self._taken)
        if origin is not None:
            self._taken.add(origin)
            self._moves.append((origin, file, content))
            return
        found = take_in(file, content, self._job.rules)
        if isinstance(found, Skipped):
            self._tally.skipped.append(found)
            self._skipped.append(found)
            self._attachments.append(file)  # its stamp spares us the next reading
            self._tally.removed += known is not None
            return
        if known == content.digest and not self._anew:
            self._touched.append(file)
            self._compared.append(found)
            return
        if self._ends is not None:
            found = found._replace(ends=self._ends.of_note(found.note))
        self._notes.append(found)
        self._tally.troubles.extend(troubles_of(found))
        self._tally.added += known is None
        self._tally.changed += known is not None

    def _flush(self) -> None:
        with self._job.store.transaction() as step:
            step.put_notes(self._notes)
            for file in self._touched:
                step.touch(file)
            for file in self._attachments:
                step.put_attachment(file)
            for origin, file, content in self._moves:
                moved = take_in(file, content, self._job.rules)
                if isinstance(moved, Indexed):
                    step.move(origin, file, moved.note.title, moved.day)
                    self._compared += [moved] if self._job.verify else []
            wrong = step.differing(self._compared)
            step.put_notes(wrong)
            step.add_skipped(self._skipped)
            settle_in(step)
        self._unread.difference_update(item.file.path for item in self._notes)
        self._unread.difference_update(file.path for file in self._attachments)
        self._job.written()
        self._tally.repaired += [item.file.path for item in wrong]
        moved_to = {file.path for _, file, _ in self._moves}
        self._tally.changed += sum(item.file.path not in moved_to for item in wrong)
        self._tally.moved += len(self._moves)
        self._tally.renamed += [(origin, file.path) for origin, file, _ in self._moves]
        self._clear()

    def _forget(self, paths: Sequence[NotePath]) -> None:
        notes = self._rows.digests() if paths else {}
        for start in range(0, len(paths), BATCH_NOTES):
            with self._job.store.transaction() as step:
                for path in paths[start : start + BATCH_NOTES]:
                    step.remove(path)
                settle_in(step)
        self._tally.removed += sum(path in notes for path in paths)
