"""Write files of a vault: one below the agent folder, or many at once, all or none.

Every write names the bytes that were read, stages, syncs, records, and then renames. A
death leaves the old bytes or the new, and at most a staged file. No other module writes
notes.
"""

import errno
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import (
    AbstractContextManager,
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
    FileAttributes,
    OpenFolder,
    above,
    append,
    checked,
    content,
    folder_of,
    line_of,
    lines_of,
    name_errors,
    open_folder,
    refuse_taken,
    stage,
    staged_name,
    sweep,
)
from glassmind.files.read import SPLIT_IT, Unreadable, decode, digest_of, safe_path
from glassmind.files.scan import kind_of
from glassmind.files.steps import InterruptedChange, PlannedStep, folders_of, plan_steps
from glassmind.files.transaction import EditLock, FileTransaction, Leftovers
from glassmind.model import MAX_NOTE_BYTES, Digest, NotePath
from glassmind.model.edits import Applied, Standing, Step

TRIES = 20
"""How often a change is made anew to a file that others change too."""


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

    def allowed(self, path: str) -> NotePath:
        known = safe_path(path)
        if not self._permit.allowed:
            raise WritesOff(known.removesuffix("/-"))  # as `names` asks of a folder
        if not known.startswith(f"{self._permit.folder}/"):
            problem = f"only files below {self._permit.folder}/ are written directly"
            raise WriteRefused(f"{known} was not written: {problem}", known)
        return known

    def read(self, path: str) -> bytes | None:
        allowed = self.allowed(path)
        try:
            with self._folder_of(allowed, make=False) as (folder, name):
                return content(folder, name, allowed)
        except FileNotFoundError:
            return None

    def names(self, folder: str) -> list[str]:
        allowed = self.allowed(f"{folder}/-")
        try:
            with (
                self._folder_of(allowed, make=False) as (opened, _),
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
        allowed = self.allowed(path)
        with (
            self._folder_of(allowed, make=True) as (folder, name),
            name_errors(allowed),
            folder.turn(),
        ):
            sweep(folder)
            mode = checked(folder, name, allowed, expected)
            after, size = digest_of(raw), len(raw)
            entry = AuditEntry(allowed, expected, after, size, why, self._client)
            if after != expected:
                self._write(folder, name, raw, mode, entry)
            return Applied(allowed, expected, after, size)

    def move(self, path: str, to: str, *, expected: Digest, why: str) -> Applied:
        """Give a file that the caller has read another place, which nothing is in.

        The folder is made if need be. A death on the way leaves the file at one of its
        two places, never at both or at none.
        """
        old, new = self.allowed(path), self.allowed(to)
        try:
            with (
                self._folder_of(old, make=False) as (source, name),
                self._folder_of(new, make=True) as (target, called),
                name_errors(old),
                _both_locked(source, target, first=above(old) < above(new)),
            ):
                for folder in (source, target):
                    sweep(folder)  # what a killed writer left makes it look like two
                checked(source, name, old, expected)
                facts = source.facts(name)
                size = facts.st_size if facts else 0
                entry = AuditEntry(
                    old, expected, expected, size, why, self._client, new
                )
                self._give(source, name, target, called, entry)
        except FileNotFoundError as fault:
            raise NoteChanged(old, expected=expected, found="") from fault
        return Applied(new, expected, expected, entry.size_bytes)

    def take_back(self, done: Applied, *, why: str) -> None:
        path, size = self.allowed(done.path), done.size_bytes
        with (
            self._folder_of(path, make=True) as (folder, name),
            name_errors(path),
            folder.turn(),
        ):
            checked(folder, name, path, done.after)
            entry = AuditEntry(path, None, done.after, size, why, self._client)
            self._record(entry, undone=True)
            folder.unlink(name)
            folder.sync()

    def _give(
        self,
        source: OpenFolder,
        name: str,
        target: OpenFolder,
        called: str,
        entry: AuditEntry,
    ) -> None:
        refuse_taken(target, called, str(entry.to))
        self._record(entry)
        try:
            checked(source, name, entry.path, entry.before)
            source.give_to(target, name, called)
        except (OSError, WriteRefused) as fault:
            with suppress(OSError, WriteRefused):
                self._record(entry, undone=True)
            if isinstance(fault, FileExistsError):
                raise NameTaken(str(entry.to)) from fault
            raise
        target.sync()  # the new name before the old one is gone
        source.sync()

    @contextmanager
    def queue(self) -> Iterator[None]:
        """Let others who queue wait until we have changed what we read.

        What takes several writes looks like one to all who queue. Who has waited need
        not wait again within. Of many who change one file at once without a queue,
        some would see it changed again and again.
        """
        log = self.allowed(f"{self._permit.folder}/{LOG}")
        ours = (self._root, self._permit.folder)
        if ours in _LOCKED.held:
            yield
            return
        with ExitStack() as held:
            with name_errors(log):
                # nobody takes the turn of this folder for anything else
                logs, _ = held.enter_context(self._folder_of(log, make=True))
                held.enter_context(logs.turn(QUEUE_S))
            _LOCKED.held.add(ours)
            held.callback(_LOCKED.held.discard, ours)
            yield

    def _write(
        self,
        folder: OpenFolder,
        name: str,
        raw: bytes,
        mode: int | None,
        entry: AuditEntry,
    ) -> None:
        staged = staged_name()
        try:
            stage(folder, staged, raw, None if mode is None else FileAttributes(mode))
            checked(folder, name, entry.path, entry.before)
            self._record(entry)
            try:
                # an editor does not wait for its turn as we do, nor for the record
                checked(folder, name, entry.path, entry.before)
                if entry.before is None:
                    folder.give_new_name(staged, name)
                else:
                    folder.replace(staged, name)
            except (OSError, WriteRefused):
                with suppress(OSError, WriteRefused):
                    self._record(entry, undone=True)
                raise
        except FileExistsError as fault:
            raise NoteChanged(entry.path, expected="", found="a new file") from fault
        finally:
            with suppress(OSError):
                folder.unlink(staged)
        folder.sync()

    def _record(self, entry: AuditEntry, *, undone: bool = False) -> None:
        log = NotePath(f"{self._permit.folder}/{LOG}")
        line = line_of(entry, self._now(), undone=undone)
        try:
            with self._folder_of(log, make=True) as (folder, name):
                known = folder.facts(name)
                append(folder, name, line)
                if known is None:
                    folder.sync()
        except OSError as fault:
            reason = f"it cannot go on record in {log} ({fault.strerror or fault})"
            raise WriteFailed(entry.path, reason) from fault

    def _folder_of(
        self, path: NotePath, *, make: bool
    ) -> AbstractContextManager[tuple[OpenFolder, str]]:
        return folder_of(self._root, path, make=make)


@contextmanager
def _both_locked(one: OpenFolder, other: OpenFolder, *, first: bool) -> Iterator[None]:
    """Be the only writer of ours in two folders; all take them in the same order."""
    with ExitStack() as held:
        folders = (one, other) if first else (other, one)
        for folder in folders[:1] if one.is_same(other) else folders:
            held.enter_context(folder.turn())
        yield


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


def _nothing() -> None:
    return


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
        self._record_at, self._agent_folder = record, agent_folder
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
        known = safe_path(path)
        try:
            with folder_of(self._root, known, make=False) as (folder, name):
                return content(folder, name, known, self._limit_bytes)
        except FileNotFoundError:
            return None

    def apply(
        self,
        steps: Sequence[Step],
        /,
        *,
        why: str,
        client: str,
        meanwhile: Callable[[], None] = _nothing,
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

    def standing(self, steps: Sequence[Step], /) -> Sequence[Standing]:
        """Return how each file stands now; one that is half way counts as old."""
        return InterruptedChange(
            self._root, plan_steps(steps, self._agent_folder)
        ).standing()

    def settle(self, steps: Sequence[Step], /, *, forward: bool, why: str) -> None:
        """Take the rest of some steps, or take back those that were taken.

        Files that are neither as a step found them nor as it leaves them stay.
        """
        plans = plan_steps(steps, self._agent_folder)
        with self.turn():
            self._sweep(folders_of(plans))
            scene = InterruptedChange(self._root, plans)
            left, gone = (scene.onward(), []) if forward else scene.backward()
            rest = [*plan_steps(left, self._agent_folder), *gone]
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
        meanwhile: Callable[[], None] = _nothing,
        *,
        why: str,
        client: str = "",
    ) -> None:
        recorded: list[AuditEntry] = []

        def record() -> None:
            recorded.extend(
                _audit_entry(plan, why, client) for plan in plans if _has_effect(plan)
            )
            self._record(recorded)

        with self.turn(), FileTransaction(self._root, plans) as transaction:
            transaction.look()
            with name_errors(plans[0].name if plans else "nothing"):
                self._queue.leave(transaction.leftovers())
            try:
                transaction.prepare(record, meanwhile=meanwhile)
                transaction.change()
            except BaseException as fault:
                self._take_back(transaction, recorded, fault)
                raise
            if transaction.finish():
                self._queue.clear()

    def _take_back(
        self,
        transaction: FileTransaction,
        recorded: Sequence[AuditEntry],
        fault: BaseException,
    ) -> None:
        left = transaction.take_back()
        if left:
            raise NotTakenBack(left[0], len(left), str(fault)) from fault
        with suppress(OSError, VaultError):
            self._record(recorded, undone=True)  # also where half of it was written
        self._queue.clear()

    def _record(self, entries: Sequence[AuditEntry], *, undone: bool = False) -> None:
        if not entries:
            return
        root, log = self._record_at
        lines = lines_of(entries, self._now(), undone=undone)
        try:
            with folder_of(root, log, make=True) as (folder, name):
                known = folder.facts(name)
                append(folder, name, lines)
                if known is None:
                    folder.sync()
        except (OSError, VaultError) as fault:
            reason = f"it cannot go on record in {log} ({_reason_of(fault)})"
            raise WriteFailed(entries[0].path, reason) from fault

    def sweep(self) -> None:
        """Sweep away what one left that was killed on the way; only in a turn."""
        left = self._queue.left()
        if left == Leftovers():
            return
        is_swept = self._sweep(left.staged)
        for made in sorted(left.made, reverse=True):
            with suppress(OSError, VaultError):
                self._remove_empty(made)
        if is_swept:  # else whoever comes next tries it again
            self._queue.clear()

    def _remove_empty(self, path: str) -> None:
        with open_folder(self._root, above(safe_path(path))) as upper:
            upper.remove(upper.spelled(path.rpartition("/")[2]))

    def _sweep(self, folders: Iterable[str]) -> bool:
        swept = [self._sweep_one(path) for path in sorted(folders)]
        return all(swept)

    def _sweep_one(self, path: str) -> bool:
        try:
            known = safe_path(path) if path else ""  # a lock may come with a vault
            with open_folder(self._root, known) as folder, folder.turn():
                return sweep(folder)
        except OSError as fault:
            return fault.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
        except VaultError:
            return True


def _has_effect(plan: PlannedStep) -> bool:
    return (
        plan.step.folder or plan.is_rewritten or plan.is_moved or plan.at != plan.final
    )


def _audit_entry(plan: PlannedStep, why: str, client: str) -> AuditEntry:
    step = plan.step
    before = None if step.before is None else digest_of(step.before)
    gone = step.folder or plan.via is None
    after = None if gone else digest_of(step.after)
    to = None if plan.at in (None, plan.final) else plan.final
    return AuditEntry(plan.name, before, after, len(step.after), why, client, to)


def _reason_of(fault: Exception) -> str:
    return (fault.strerror if isinstance(fault, OSError) else None) or str(fault)
