"""Write files of a vault: one below the agent folder, or many at once, all or none.

Every write names the bytes that were read, stages, syncs, records, and then renames. A
death leaves the old bytes or the new, and at most a staged file. No other module writes
notes.
"""

import errno
from collections.abc import Callable, Iterator, Sequence
from contextlib import (
    ExitStack,
    contextmanager,
    suppress,
)
from datetime import UTC, datetime
from pathlib import Path
from threading import local
from typing import NamedTuple
from unicodedata import normalize

from glassmind.errors import (
    FileTooLarge,
    NameTaken,
    NoteChanged,
    NotTakenBack,
    VaultError,
    WriteFailed,
    WriteRefused,
    WritesOff,
)
from glassmind.files.folder import (
    LOG,
    AuditEntry,
    AuditFile,
    above,
    content,
    folder_of,
    name_errors,
    open_folder,
    record,
    sweep,
)
from glassmind.files.read import SPLIT_IT, Unreadable, decode, digest_of, safe_path
from glassmind.files.scan import kind_of
from glassmind.files.steps import InterruptedChange, PlannedStep, folders_of, plan_steps
from glassmind.files.transaction import EditLock, FileTransaction, StagedLeftovers
from glassmind.model import MAX_NOTE_BYTES, Digest, NotePath
from glassmind.model.edits import Applied, FileStep, Standing

TRIES = 20  # how often a change is made anew to a file that others change too


QUEUE_S = 60.0
"""How long a writer waits in a queue. Nobody keeps its order: of eight that changed one
file of a thousand memos without end, one in a hundred waited for six seconds."""


class _LockedFolders(local):
    """The queues whose head a thread is, so that it does not wait for itself."""

    def __init__(self) -> None:
        self.held: set[tuple[Path, str]] = set()


_LOCKED = _LockedFolders()


class Permit(NamedTuple):
    folder: str
    allowed: bool


def _now() -> datetime:
    return datetime.now(UTC)


class VaultWriter:
    """Writes files of one vault, as far as it may; safe to share between threads.

    `client` is who asks for it, and goes on record with every write.
    """

    def __init__(
        self,
        root: Path,
        permit: Permit,
        now: Callable[[], datetime] = _now,
        *,
        client: str = "",
    ) -> None:
        self._root, self._permit, self._now = root, permit, now
        self._client = client
        self._log = AuditFile(root, NotePath(f"{permit.folder}/{LOG}"))

    def allowed(self, path: str) -> NotePath:
        known = safe_path(path)
        if not self._permit.allowed:
            raise WritesOff(known.removesuffix("/-"))  # as `names` asks of a folder
        if not known.startswith(f"{self._permit.folder}/"):
            problem = f"only files below {self._permit.folder}/ are written directly"
            raise WriteRefused(f"{known} was not written: {problem}", known)
        return known

    def read(self, path: str) -> bytes | None:
        return read_whole(self._root, self.allowed(path))

    def names(self, folder: str) -> list[str]:
        allowed = self.allowed(f"{folder}/-")
        try:
            with (
                folder_of(self._root, allowed, make=False) as (opened, _),
                name_errors(NotePath(folder)),
            ):
                return sorted(normalize("NFC", name) for name in opened.names())
        except FileNotFoundError:
            return []

    def put(
        self, path: str, raw: bytes, *, expected: Digest | None, why: str
    ) -> Applied:
        """Write a file whose content the caller has read, and say what was done.

        `expected` is the digest of what was read, None where there was no file. `why`
        goes on record. Permissions stay as they were.

        Raises:
            NoteChanged: the file is another by now.
            WriteRefused: it may not be written, or the disk did not take it.
            PathOutsideVault: the path climbs, or a symbolic link stands in it.
        """
        known = self.allowed(path)
        before = self._read_as(known, expected)
        at, after = None if before is None else known, digest_of(raw)
        if after != expected:
            plan = PlannedStep(FileStep(at, known, before, raw), at, known, known)
            try:
                self._carry_out(plan, why)
            except NameTaken as fault:
                raise NoteChanged(known, expected="", found="a new file") from fault
        return Applied(known, expected, after, len(raw))

    def move(self, path: str, to: str, *, expected: Digest, why: str) -> Applied:
        """Give a file that the caller has read another place, which nothing is in.

        The folder is made if need be. A death on the way leaves the file at one of its
        two places, never at both or at none.
        """
        old, new = self.allowed(path), self.allowed(to)
        raw = self._read_as(old, expected) or b""
        self._carry_out(PlannedStep(FileStep(old, new, raw, raw), old, new, new), why)
        return Applied(new, expected, expected, len(raw))

    def take_back(self, done: Applied, *, why: str) -> None:
        """Delete a file that was just made, if it is as it was made."""
        path = self.allowed(done.path)
        raw = self._read_as(path, done.after)
        self._carry_out(
            PlannedStep(FileStep(path, path, raw, b""), path, None, path), why
        )

    def _read_as(self, path: NotePath, expected: Digest | None) -> bytes | None:
        raw = self.read(path)
        digest = None if raw is None else digest_of(raw)
        if digest != expected:
            raise NoteChanged(path, expected=expected or "", found=digest or "")
        return raw

    def _carry_out(self, plan: PlannedStep, why: str) -> None:
        if plan.via is not None:  # made first, to stage where the next writer sweeps
            with folder_of(self._root, plan.via, make=True):
                pass
        for folder in folders_of([plan]):
            _sweep_folder(self._root, folder)  # a killed writer may have left files
        audit = Audit(self._log, self._now, why, self._client)
        carry_out(self._root, [plan], audit)

    @contextmanager
    def queue(self) -> Iterator[None]:
        """Let others who queue wait until we have changed what we read.

        Several writes look like one to all who queue; a queue within one does not wait.
        Of many who change one file at once without a queue, some would see it changed
        again and again.
        """
        ours = (self._root, self._permit.folder)
        if ours in _LOCKED.held:
            yield
            return
        log = self.allowed(self._log.path)
        with ExitStack() as held:
            with name_errors(log):
                # nobody takes the turn of this folder for anything else
                logs, _ = held.enter_context(folder_of(self._root, log, make=True))
                held.enter_context(logs.turn(QUEUE_S))
            _LOCKED.held.add(ours)
            held.callback(_LOCKED.held.discard, ours)
            yield


def read_whole(
    root: Path, path: NotePath, limit_bytes: int = MAX_NOTE_BYTES
) -> bytes | None:
    try:
        with folder_of(root, path, make=False) as (folder, name):
            return content(folder, name, path, limit_bytes)
    except FileNotFoundError:
        return None


class Audit(NamedTuple):
    """What a record says of a change besides its files, and where it says so."""

    log: AuditFile
    now: Callable[[], datetime]
    why: str
    client: str


def carry_out(
    root: Path,
    plans: Sequence[PlannedStep],
    audit: Audit,
    *,
    meanwhile: Callable[[], None] = lambda: None,
    lock: EditLock | None = None,
) -> None:
    """Take every planned step or none; a `lock` names what a death would leave."""
    log, now, why, client = audit
    entries = _audit_entries(plans, why, client)
    begun: list[Sequence[AuditEntry]] = []

    def put_on_record() -> None:
        begun.append(entries)
        if entries:
            record(log, entries, now())

    with FileTransaction(root, plans) as transaction:
        transaction.look()
        if lock is not None:
            with name_errors(plans[0].name if plans else "nothing"):
                lock.leave(transaction.leftovers())
        try:
            transaction.prepare(put_on_record, meanwhile=meanwhile)
            transaction.change()
        except BaseException as fault:
            paths = transaction.take_back()
            if paths:
                raise NotTakenBack(paths[0], len(paths), str(fault)) from fault
            if begun and entries:  # also where half of it was written
                with suppress(OSError, VaultError):
                    record(log, entries, now(), undone=True)
            if lock is not None:
                lock.clear()
            raise
        if transaction.finish() and lock is not None:
            lock.clear()


def _audit_entries(
    plans: Sequence[PlannedStep], why: str, client: str
) -> list[AuditEntry]:
    entries = []
    for plan in plans:
        step = plan.step
        changes_content = step.folder or plan.is_rewritten
        if not (changes_content or plan.is_moved or plan.at != plan.final):
            continue
        before = None if step.before is None else digest_of(step.before)
        gone = step.folder or plan.via is None
        after = None if gone else digest_of(step.after)
        to = None if plan.at in (None, plan.final) else plan.final
        size = len(step.after)
        entries.append(AuditEntry(plan.name, before, after, size, why, client, to))
    return entries


def _sweep_folder(root: Path, path: str) -> bool:
    """Delete staged files that a killed writer left; False to try again later."""
    try:
        known = safe_path(path) if path else ""  # a lock may come with a vault
        with open_folder(root, known) as folder, folder.turn():
            return sweep(folder)
    except OSError as fault:
        return fault.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
    except VaultError:
        return True


class FileText(NamedTuple):
    """The text of a file with its line ends as they are; empty for no file.

    `newline` is what ends most of its lines, and should end new ones.
    """

    text: str
    newline: str = "\n"


def rewrite(
    writer: VaultWriter, path: NotePath, change: Callable[[FileText], str], *, why: str
) -> Applied | None:
    """Change a file and say what was done; None where the text stays as it is.

    Encoding and byte order mark stay. When somebody else changes the file meanwhile,
    `change` is asked again about the new text, so that nothing of theirs is lost.
    """
    for attempt in range(1, TRIES + 1):
        raw = writer.read(path)
        before, encode = _opened(raw or b"", path)
        after = change(before)
        if after == before.text:
            return None
        expected = None if raw is None else digest_of(raw)
        try:
            return writer.put(path, encode(after), expected=expected, why=why)
        except NoteChanged:
            if attempt == TRIES:
                raise
    raise AssertionError("the last attempt returns or raises")


def _opened(raw: bytes, path: NotePath) -> tuple[FileText, Callable[[str], bytes]]:
    found = decode(raw)
    if isinstance(found, Unreadable):
        raise WriteFailed(path, found.reason)
    if found.flagged and found.encoding.startswith("utf"):
        raise WriteFailed(path, found.reason)  # to write it would lose what is broken
    mark = raw[: len(raw) - len(found.text.encode(found.encoding))]
    crlf = found.text.count("\r\n")
    newline = "\r\n" if crlf * 2 > found.text.count("\n") else "\n"

    def encode(text: str) -> bytes:
        try:
            return mark + text.encode(found.encoding)
        except UnicodeEncodeError:  # a letter that the old 8-bit encoding has not
            return text.encode()

    return FileText(found.text, newline), encode


class VaultChanger:
    """Changes files of one vault; safe to share between threads.

    `lock` is a file outside of the vault, which whoever edits it holds. `record` is
    where a line about each change goes. Nothing is changed in folders that begin with a
    dot, but for `agent_folder` and the trash.
    """

    def __init__(  # noqa: PLR0913 - its settings
        self,
        root: Path,
        *,
        lock: Path,
        record: AuditFile,
        agent_folder: str,
        now: Callable[[], datetime] = _now,
        limit_bytes: int = MAX_NOTE_BYTES,
    ) -> None:
        self._root, self._now, self._limit_bytes = root, now, limit_bytes
        self._log, self._agent_folder = record, agent_folder
        self._queue = EditLock(lock)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Be the only one who edits this vault, in this process and others."""
        first = not self._queue.held
        with self._queue.turn():
            if first:
                self.sweep()
            yield

    def read(self, path: NotePath, /) -> bytes | None:
        return read_whole(self._root, safe_path(path), self._limit_bytes)

    def apply(
        self,
        steps: Sequence[FileStep],
        /,
        *,
        why: str,
        client: str,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        """Take every step, or none.

        New content is staged first, and `meanwhile` is called while the disk takes it:
        no file is touched before both have come to an end, nor where either raises.

        Raises:
            FileTooLarge: a note would grow above the limit.
            NoteChanged: a file is not what a step says it was.
            NameTaken: something is where a new or moved file should be.
            NotEditable: a path lies where nothing is edited.
            WriteRefused, PathOutsideVault: the disk refuses, or a path is none.
            NotTakenBack: it failed on the way, and not all could be taken back.
        """
        for step in steps:
            size = len(step.after)
            grows = size > self._limit_bytes and size > len(step.before or b"")
            if grows and kind_of(step.to) != "attachment":
                raise FileTooLarge(step.to, self._limit_bytes, SPLIT_IT)
        plans = plan_steps(steps, self._agent_folder)
        self._run(plans, meanwhile, why=why, client=client)

    def standing(self, steps: Sequence[FileStep], /) -> Sequence[Standing]:
        """Return how each file stands now; one that is half way counts as old."""
        return InterruptedChange(
            self._root, plan_steps(steps, self._agent_folder)
        ).standing()

    def settle(self, steps: Sequence[FileStep], /, *, forward: bool, why: str) -> None:
        """Take the rest of some steps, or take back those that were taken.

        Files that are neither as a step found them nor as it leaves them stay.
        """
        plans = plan_steps(steps, self._agent_folder)
        with self.turn():
            for folder in sorted(folders_of(plans)):
                _sweep_folder(self._root, folder)
            scene = InterruptedChange(self._root, plans)
            file_steps, planned_steps = (
                (scene.onward(), []) if forward else scene.backward()
            )
            rest = [*plan_steps(file_steps, self._agent_folder), *planned_steps]
            if rest:
                self._run(rest, why=why)

    def clear(self, folders: Sequence[NotePath], /) -> None:
        """Take away folders in which nothing is, in order; any other stays."""
        for path in folders:
            with (
                suppress(OSError, VaultError),
                folder_of(self._root, safe_path(path), make=False) as (folder, name),
            ):
                folder.remove(name)
                folder.sync()

    def _run(
        self,
        plans: Sequence[PlannedStep],
        meanwhile: Callable[[], None] = lambda: None,
        *,
        why: str,
        client: str = "",
    ) -> None:
        audit = Audit(self._log, self._now, why, client)
        with self.turn():
            lock = self._queue
            carry_out(self._root, plans, audit, meanwhile=meanwhile, lock=lock)

    def sweep(self) -> None:
        """Sweep away what one left that was killed on the way; only in a turn."""
        leftovers = self._queue.left()
        if leftovers == StagedLeftovers():
            return
        swept = [_sweep_folder(self._root, path) for path in sorted(leftovers.staged)]
        for made in sorted(leftovers.made, reverse=True):
            with (
                suppress(OSError, VaultError),
                open_folder(self._root, above(safe_path(made))) as upper,
            ):
                upper.remove(upper.spelled(made.rpartition("/")[2]))
        if all(swept):  # else whoever comes next tries it again
            self._queue.clear()
