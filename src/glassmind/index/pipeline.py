"""Bring the rows of an index up to what a scan of the vault found."""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from glassmind.errors import FileGone, FileUnreadable, MassDeletion, VaultError
from glassmind.files.ignore import IgnoreRules
from glassmind.files.names import Names
from glassmind.files.read import (
    Unreadable,
    VaultFiles,
    decode,
    digest_of,
    marks_in,
)
from glassmind.files.scan import Scan
from glassmind.model import Digest, NotePath, PropertyValue
from glassmind.model.index import (
    SPLITTER_VERSION,
    TO_HASH,
    UNREAD,
    FileFacts,
    Indexed,
    IndexReport,
    Progress,
    ShowProgress,
    Skipped,
    SplitRules,
    UndecidedLink,
)
from glassmind.model.notes import Note
from glassmind.obsidian.secrets import SHAPES_VERSION
from glassmind.obsidian.text import first_day
from glassmind.store.protocol import Transaction, Writer

GUARD_SHARE, GUARD_NOTES = 1 / 3, 20
"""More than this share, and more than this many notes, gone at once is an unmounted
disk or an emptied folder rather than a tidy-up."""


def exceeds(gone: int, known: int) -> bool:
    return gone > GUARD_NOTES and gone > known * GUARD_SHARE


def guard(gone: int, known: int) -> None:
    if exceeds(gone, known):
        raise MassDeletion(gone, known)


def _suffix(path: str) -> str:
    """Return the ending that decides how a file is read; drawings have their own."""
    name = path.rpartition("/")[2].lower()
    drawing = ".excalidraw.md"
    return drawing if name.endswith(drawing) else name.rpartition(".")[2]


DATED_BY = ("date", "day", "created")  # the first that holds a day wins


def day_of(properties: Mapping[str, PropertyValue], name: str) -> str | None:
    """Return the day as `YYYY-MM-DD`: from the properties, else from the name."""
    folded = {key.lower(): value for key, value in properties.items()}
    for key in DATED_BY:
        source = folded.get(key)
        if isinstance(source, str) and (found := first_day(source)):
            return found
    return first_day(name)


DOUBT_NS = 2_000_000_000
"""A file written this shortly before we read it may be written again within one tick of
its clock, unseen; two seconds is the coarsest clock in use (FAT's)."""

ReadBytes = Callable[[NotePath], bytes]


class Content(NamedTuple):
    raw: bytes
    digest: Digest


def read_content(file: FileFacts, read: ReadBytes) -> Content | Skipped | None:
    """Return what the file holds, why that is not known, or None when it is gone."""
    try:
        raw = read(NotePath(file.disk_path or file.path))
    except FileGone:
        return None
    except FileUnreadable as error:
        return Skipped(file.path, error.reason, unknown=True)
    except VaultError as error:
        return Skipped(file.path, str(error), unknown=True)
    return Content(raw, digest_of(raw))


def take_in(file: FileFacts, content: Content, rules: SplitRules) -> Indexed | Skipped:
    decoded = decode(content.raw)
    if isinstance(decoded, Unreadable):
        return Skipped(file.path, decoded.reason)
    # Imported here: a run that finds no change needs no parser.
    from glassmind.obsidian.notes import read_safe_note  # noqa: PLC0415
    from glassmind.obsidian.split import split  # noqa: PLC0415

    note, secrets = read_safe_note(file.path, decoded.text)
    passages = split(note, rules)
    guessed = (decoded.reason,) if decoded.flagged else ()
    found = (*note.warnings, *note.frontmatter.warnings, *guessed, *passages.warnings)
    return Indexed(
        file=file,
        note=note,
        digest=content.digest,
        encoding=decoded.encoding,
        day=day_of(note.frontmatter.properties, note.title),
        chunks=passages.chunks,
        warnings=tuple(dict.fromkeys(found)),
        secrets=secrets,
    )


BATCH = 20_000  # links at a time; bounds memory in a vault with a million links


def settle_in(step: Transaction) -> None:
    """Resolve every unsettled link, among the files that share its last name."""
    while links := step.unsettled(BATCH):
        ends = LinkTargets.of(step.files({link.name_key for link in links}))
        step.settle(
            [(k, ends.end(k.kind, k.target, k.source, k.note_id)) for k in links]
        )


class LinkTargets(Struct, frozen=True):
    """Where links may lead; `plain` has the ends that wikilinks have everywhere."""

    names: Names
    files: Mapping[NotePath, int]
    plain: dict[str, int | None] = {}

    @classmethod
    def of(cls, files: Mapping[NotePath, int]) -> "LinkTargets":
        return cls(Names.of(files), files)

    def of_note(self, note: Note) -> list[int | None]:
        path, own = note.path, self.files[note.path]
        return [self.end(link.kind, link.target, path, own) for link in note.links]

    def of_link(self, link: UndecidedLink) -> int | None:
        return self.end(link.kind, link.target, link.source, link.note_id)

    def end(self, kind: str, target: str, source: NotePath, own: int) -> int | None:
        """Return where a link leads; None where it is unresolved."""
        if target in self.plain and kind != "markdown":
            return self.plain[target]
        if not target:
            return own  # a link into its own note
        path = self.names.resolve(target, source, markdown=kind == "markdown")
        end = None if path is None else self.files[path]
        if kind != "markdown" and self.names.is_plain(target):
            self.plain[target] = end
        return end


BATCH_NOTES, BATCH_BYTES = 1024, 8_000_000  # of a transaction: what a kill can undo

MARK_BYTES = 16
"""Bytes added to a batch's size for each line or Markdown mark, since each becomes an
object."""

MOST_TROUBLES = 200  # in one report; where there are more, many are alike
MOST_NAMED = 5  # notes that one warning names
PARSER_VERSION = 2  # raised whenever the same bytes give other rows


class IndexRequest(Struct, frozen=True):
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
        names = ("verify", "rebuild", "compact", "accept_deletions")
        options = [name.replace("_", "-") for name in names if getattr(self, name)]
        reason = [] if options and self.reason == "index" else [self.reason]
        return "+".join([*reason, *options])


class IndexJob(Struct, frozen=True):
    """What a run works with and is asked for.

    `written` is called after each batch of rows. `folders` are those that were looked
    at, where it was not the whole vault, and `files` all that was looked at in them,
    where not every file.
    """

    store: Writer
    vault: VaultFiles
    ignore: IgnoreRules
    rules: SplitRules
    request: IndexRequest
    progress: ShowProgress
    written: Callable[[], None]
    folders: frozenset[str] | None = None
    files: frozenset[str] | None = None

    def looked_at(self, path: str) -> bool:
        if self.files is not None:
            return path in self.files
        return self.folders is None or folder_of(path) in self.folders


def fingerprint(rules: SplitRules) -> str:
    return f"{PARSER_VERSION}/{SPLITTER_VERSION}/{SHAPES_VERSION}/{rules}"


class RunCounts(Struct):
    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    held: int = 0
    repaired: list[NotePath] = []
    renamed: list[tuple[NotePath, NotePath]] = []
    skipped: list[Skipped] = []
    troubles: list[str] = []

    def report(self, notes: int, seconds: float) -> IndexReport:
        count, first = len(self.repaired), sorted(self.repaired)[:MOST_NAMED]
        warnings = []
        if count:
            much = "1 note" if count == 1 else f"{count:,} notes"
            named = ", ".join(first) + (", ..." if count > len(first) else "")
            said = f"The index of {much} did not match the files and was repaired"
            warnings.append(f"{said}: {named}")
        warnings += self.troubles[:MOST_TROUBLES]
        more = len(self.troubles) - MOST_TROUBLES
        if more > 0:
            warnings.append(
                f"{more:,} more things to mend in notes: see glassmind doctor"
            )
        return IndexReport(
            added=self.added,
            changed=self.changed,
            moved=self.moved,
            removed=self.removed,
            unchanged=notes - self.added - self.changed - self.moved,
            notes=notes,
            seconds=seconds,
            skipped=tuple(sorted(self.skipped, key=lambda s: s.path)),
            warnings=tuple(warnings),
            held=self.held,
            renamed=tuple(self.renamed),
        )


def known_stamps(job: IndexJob) -> dict[NotePath, int]:
    """Return the stamps a scan compares with; none fits where all is to be hashed."""
    rows = job.store.rows()
    stamps = rows.stamps()
    if job.request.verify or rows.setting("fingerprint") != fingerprint(job.rules):
        return {p: UNREAD if s == UNREAD else TO_HASH for p, s in stamps.items()}
    return stamps


def apply_scan(job: IndexJob, known: Mapping[NotePath, int], scan: Scan) -> IndexReport:
    """Bring the rows up to what a scan saw, and say what was done.

    Raises:
        MassDeletion: a large part of the vault seems gone; nothing was written. Not
            raised where the job holds deletions.
    """
    began = time.perf_counter()
    tally = RunCounts(skipped=[*scan.skipped])
    run, paths = None, frozenset[NotePath]()
    if scan.changed or scan.missing:
        work = _Work(job, known, scan, tally)
        paths = work.check()
        with job.store.transaction() as step:
            run = step.start_run(datetime.now(UTC), job.request.why())
            if job.request.verify:
                step.repair_names()
            if not known:  # so that a first run that is cut short is gone on with
                step.set("fingerprint", fingerprint(job.rules))
        work.apply()
    again = {file.path for file in scan.changed} | (set(scan.missing) - paths)
    for path, reason, unknown in job.store.rows().skipped():
        unchanged = not unknown and path in known and path not in again
        if unchanged or not job.looked_at(path):
            tally.skipped.append(Skipped(path, reason, unknown=unknown))
    with job.store.transaction() as step:
        if job.request.verify:
            ends = LinkTargets.of(step.files())
            checked = [(link, end, ends.of_link(link)) for link, end in step.settled()]
            step.settle([(link, right) for link, end, right in checked if end != right])
        run = run or step.start_run(datetime.now(UTC), job.request.why())
        notes = job.store.rows().count("notes")
        report = tally.report(notes, time.perf_counter() - began)
        step.set("fingerprint", fingerprint(job.rules))
        step.put_skipped(report.skipped, anew=True)
        step.end_run(run, report)
    return report


def is_one_batch(found: Scan) -> bool:
    if len(found.changed) + len(found.missing) > BATCH_NOTES:
        return False
    return sum(file.size for file in found.changed) <= BATCH_BYTES


def folder_of(path: str) -> str:
    """Return the folder a path stands in; "" is the vault's root."""
    return path.rpartition("/")[0]


class _Work:
    """The changes of one run, written in batches."""

    def __init__(
        self, job: IndexJob, known: Mapping[NotePath, int], scan: Scan, tally: RunCounts
    ) -> None:
        self._job, self._known, self._scan, self._tally = job, known, scan, tally
        rows = job.store.rows()
        self._rows = rows
        self._anew = rows.setting("fingerprint") != fingerprint(job.rules)
        read = [file.path for file in scan.changed if file.path in known]
        notes = rows.notes(paths=read) if read else ()
        self._digests = {note.path: note.digest for note in notes}
        notes = rows.notes() if scan.missing else ()
        digests = {note.path: note.digest for note in notes}
        self._gone_notes = [path for path in scan.missing if path in digests]
        self._note_count = len(digests)
        self._vanished: dict[str, list[NotePath]] = {}
        for path in sorted(self._gone_notes):
            self._vanished.setdefault(digests[path], []).append(path)
        self._taken: set[NotePath] = set()  # missing notes that were renamed
        self._held: frozenset[NotePath] = frozenset()
        self._back: frozenset[NotePath] = frozenset()
        self._lost: list[NotePath] = []
        self._ends: LinkTargets | None = None
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
        """Return what seems gone and is held, or raise MassDeletion."""
        accept = self._job.request.accept_deletions
        if not exceeds(len(self._gone_notes), self._note_count) or accept:
            return self._held
        paths, job = self._gone_for_good(), self._job
        notes = paths.intersection(self._gone_notes)
        if self._anew:
            guard(len(notes), self._note_count)
            return self._held
        self._back = frozenset(  # not gone, nor renamed: it came back meanwhile
            path
            for path in self._scan.missing
            if path not in paths
            and job.ignore.left_out(path) is None
            and job.vault.exists(path)
        )
        if not job.request.hold_deletions:
            guard(len(notes), self._note_count)
        elif exceeds(len(notes), self._note_count):
            self._held, self._tally.held = paths, len(notes)
        return self._held

    def _origin_of(
        self, file: FileFacts, digest: str, taken: set[NotePath]
    ) -> NotePath | None:
        """Return the missing note that `file` was by its bytes, best of its name."""
        paths = [
            path
            for path in self._vanished.get(digest, ())
            if path not in taken and _suffix(path) == _suffix(file.path)
        ]
        name = file.path.rpartition("/")[2]
        same = [path for path in paths if path.rpartition("/")[2] == name]
        return next(iter(same or paths), None)

    def _gone_for_good(self) -> frozenset[NotePath]:
        note_paths: set[NotePath] = set()
        for file in self._scan.changed:
            if file.kind == "attachment" or file.path in self._known:
                continue
            content = read_content(file, self._job.vault.read)
            if isinstance(content, Content):
                origin = self._origin_of(file, content.digest, note_paths)
                note_paths.update([origin] if origin else [])
        paths = (path for path in self._scan.missing if path not in note_paths)
        # what new rules exclude is not gone: nobody lost it
        return frozenset(path for path in paths if not self._job.vault.exists(path))

    def apply(self) -> None:
        """Take in every changed file, then forget what is gone."""
        total = len(self._scan.changed)
        if not self._known and self._job.folders is None:
            self._unread = {file.path for file in self._scan.changed}
            with self._job.store.transaction() as step:
                self._ends = LinkTargets.of(step.announce(self._scan.changed))
        for done, file in enumerate(self._scan.changed, 1):
            young = file.mtime_ns > time.time_ns() - DOUBT_NS
            self._take(replace(file, stamp=TO_HASH) if young else file)
            taken = len(self._notes) + len(self._compared)
            if taken >= BATCH_NOTES or self._bytes >= BATCH_BYTES:
                self._flush()
            self._job.progress(Progress("read", done, total))
        self._flush()
        note_paths = self._taken | self._held | self._back
        paths = [p for p in self._scan.missing if p not in note_paths]
        self._forget([*paths, *self._lost, *sorted(self._unread)])

    def _take(self, file: FileFacts) -> None:
        if file.kind == "attachment":
            self._attachments.append(file)
            return
        content = read_content(file, self._job.vault.read)
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
        if known == content.digest and not self._anew and not self._job.request.verify:
            self._touched.append(file)
            return
        origin = None
        if file.path not in self._known and not self._anew:
            origin = self._origin_of(file, content.digest, self._taken)
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
        error = found.note.frontmatter.error
        warnings = found.warnings if error is None else (error, *found.warnings)
        self._tally.troubles += [f"{file.path}: {warning}" for warning in warnings]
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
                indexed = take_in(file, content, self._job.rules)
                if isinstance(indexed, Indexed):
                    step.move(origin, file, indexed.note.title, indexed.day)
                    self._compared += [indexed] if self._job.request.verify else []
            wrong = step.differing(self._compared)
            step.put_notes(wrong)
            step.put_skipped(self._skipped)
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
        notes = {note.path for note in self._rows.notes()} if paths else set()
        for start in range(0, len(paths), BATCH_NOTES):
            with self._job.store.transaction() as step:
                for path in paths[start : start + BATCH_NOTES]:
                    step.remove(path)
                settle_in(step)
        self._tally.removed += sum(path in notes for path in paths)
