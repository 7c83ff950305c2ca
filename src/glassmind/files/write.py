"""How one file below the agent folder is written: all of it or none, and on record.

Notes of the user, and several files at once, are changed by `changing`, which stages,
looks and records in the same way. No other module writes notes or memos.

Who writes names the bytes that were read, by digest. The new bytes are staged in the
same folder and reach the disk before anything else happens; then the write goes on
record, and then the staged file takes the place of the old one. A death between any two
steps leaves the old bytes or the new, never a mixture, and at most a staged file that
the next write in that folder sweeps away.
"""

from collections.abc import Callable, Iterator
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

from glassmind.errors.writing import (
    NameTaken,
    NoteChanged,
    NotOursToWrite,
    WriteFailed,
    WriteRefused,
    WritesOff,
)
from glassmind.files import audit
from glassmind.files.folder import OpenFolder
from glassmind.files.paths import safe_path
from glassmind.files.read import digest_of
from glassmind.files.staging import (
    Dress,
    above,
    checked,
    content,
    faults_named,
    folder_of,
    refuse_taken,
    stage,
    staged_name,
    sweep,
)
from glassmind.model import Digest, NotePath
from glassmind.model.writing import Applied

TRIES = 20
"""How often a change is made anew to a file that others change too."""


QUEUE_S = 60.0
"""How long a writer waits in a queue. Nobody keeps its order: of eight that changed one
file of a thousand memos without end, one in a hundred waited for six seconds."""


class _Queues(local):
    """The queues whose head a thread is, so that it does not wait for itself."""

    def __init__(self) -> None:
        self.held: set[tuple[Path, str]] = set()


_QUEUES = _Queues()


class Permit(NamedTuple):
    """What the settings let be written: the files below one folder, or nothing."""

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
        """Return a path that may be written.

        Raises:
            WriteRefused: it may not.
            PathOutsideVault: it climbs, or is none.
        """
        known = safe_path(path)
        if not self._permit.allowed:
            raise WritesOff(known.removesuffix("/-"))  # as `names` asks of a folder
        if not known.startswith(f"{self._permit.folder}/"):
            raise NotOursToWrite(known, self._permit.folder)
        return known

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file that may be written; None where there is none.

        Raises:
            WriteRefused: it may not be written.
            PathOutsideVault: the path climbs, or a symbolic link stands in it.
        """
        allowed = self.allowed(path)
        try:
            with self._folder_of(allowed, make=False) as (folder, name):
                return content(folder, name, allowed)
        except FileNotFoundError:
            return None

    def names(self, folder: str) -> list[str]:
        """Return what stands in a folder that may be written; nothing for no folder.

        Raises:
            WriteRefused: nothing in it may be written.
            PathOutsideVault: the path climbs, or a symbolic link stands in it.
        """
        allowed = self.allowed(f"{folder}/-")
        try:
            with (
                self._folder_of(allowed, make=False) as (opened, _),
                faults_named(NotePath(folder)),
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
            faults_named(allowed),
            folder.turn(),
        ):
            sweep(folder)
            mode = checked(folder, name, allowed, expected)
            after, size = digest_of(raw), len(raw)
            act = audit.Act(allowed, expected, after, size, why, self._client)
            if after != expected:
                self._write(folder, name, raw, mode, act)
            return Applied(allowed, expected, after, size)

    def move(self, path: str, to: str, *, expected: Digest, why: str) -> Applied:
        """Give a file that the caller has read another place, which nothing is in.

        The folder is made if need be. A death on the way leaves the file at one of its
        two places, never at both or at none.

        Raises:
            NoteChanged: the file is another by now, or gone.
            NameTaken: there is a file at the other place.
            WriteRefused: it may not be moved, or the disk refused.
            PathOutsideVault: a path climbs, or a symbolic link stands in it.
        """
        old, new = self.allowed(path), self.allowed(to)
        try:
            with (
                self._folder_of(old, make=False) as (source, name),
                self._folder_of(new, make=True) as (target, called),
                faults_named(old),
                _turns(source, target, first=above(old) < above(new)),
            ):
                for folder in (source, target):
                    sweep(folder)  # what a killed writer left makes it look like two
                checked(source, name, old, expected)
                facts = source.facts(name)
                size = facts.st_size if facts else 0
                act = audit.Act(old, expected, expected, size, why, self._client, new)
                self._give(source, name, target, called, act)
        except FileNotFoundError as fault:
            raise NoteChanged(old, expected=expected, found="") from fault
        return Applied(new, expected, expected, act.size_bytes)

    def take_back(self, done: Applied, *, why: str) -> None:
        """Delete a file that `put` has just made, as long as it is as it was written.

        Its line of the record is followed by one that says so.

        Raises:
            NoteChanged: the file is another by now, or gone.
            WriteRefused, PathOutsideVault: it may not be deleted, or the disk refused.
        """
        path, size = self.allowed(done.path), done.size_bytes
        with (
            self._folder_of(path, make=True) as (folder, name),
            faults_named(path),
            folder.turn(),
        ):
            checked(folder, name, path, done.after)
            act = audit.Act(path, None, done.after, size, why, self._client)
            self._record(act, undone=True)
            folder.unlink(name)
            folder.sync()

    def _give(
        self,
        source: OpenFolder,
        name: str,
        target: OpenFolder,
        called: str,
        act: audit.Act,
    ) -> None:
        refuse_taken(target, called, str(act.to))
        self._record(act)
        try:
            checked(source, name, act.path, act.before)
            source.give_to(target, name, called)
        except (OSError, WriteRefused) as fault:
            with suppress(OSError, WriteRefused):
                self._record(act, undone=True)
            if isinstance(fault, FileExistsError):
                raise NameTaken(str(act.to)) from fault
            raise
        target.sync()  # the new name before the old one is gone
        source.sync()

    @contextmanager
    def queue(self) -> Iterator[None]:
        """Let others who queue wait until we have changed what we read.

        What takes several writes looks like one to all who queue. Who has waited need
        not wait again within. Of many who change one file at once without a queue,
        some would see it changed again and again.

        Raises:
            WriteRefused: nothing may be written, or another took too long.
        """
        log = self.allowed(f"{self._permit.folder}/{audit.LOG}")
        ours = (self._root, self._permit.folder)
        if ours in _QUEUES.held:
            yield
            return
        with ExitStack() as held:
            with faults_named(log):
                # nobody takes the turn of this folder for anything else
                logs, _ = held.enter_context(self._folder_of(log, make=True))
                held.enter_context(logs.turn(QUEUE_S))
            _QUEUES.held.add(ours)
            held.callback(_QUEUES.held.discard, ours)
            yield

    def _write(
        self,
        folder: OpenFolder,
        name: str,
        raw: bytes,
        mode: int | None,
        act: audit.Act,
    ) -> None:
        staged = staged_name()
        try:
            stage(folder, staged, raw, None if mode is None else Dress(mode))
            checked(folder, name, act.path, act.before)
            self._record(act)
            try:
                # an editor does not wait for its turn as we do, nor for the record
                checked(folder, name, act.path, act.before)
                if act.before is None:
                    folder.give_new_name(staged, name)
                else:
                    folder.replace(staged, name)
            except (OSError, WriteRefused):
                with suppress(OSError, WriteRefused):
                    self._record(act, undone=True)
                raise
        except FileExistsError as fault:
            raise NoteChanged(act.path, expected="", found="a new file") from fault
        finally:
            with suppress(OSError):
                folder.unlink(staged)
        folder.sync()

    def _record(self, act: audit.Act, *, undone: bool = False) -> None:
        log = NotePath(f"{self._permit.folder}/{audit.LOG}")
        line = audit.line_of(act, self._now(), undone=undone)
        try:
            with self._folder_of(log, make=True) as (folder, name):
                known = folder.facts(name)
                audit.append(folder, name, line)
                if known is None:
                    folder.sync()
        except OSError as fault:
            reason = f"it cannot go on record in {log} ({fault.strerror or fault})"
            raise WriteFailed(act.path, reason) from fault

    def _folder_of(
        self, path: NotePath, *, make: bool
    ) -> AbstractContextManager[tuple[OpenFolder, str]]:
        return folder_of(self._root, path, make=make)


@contextmanager
def _turns(one: OpenFolder, other: OpenFolder, *, first: bool) -> Iterator[None]:
    """Be the only writer of ours in two folders; all take them in the same order."""
    with ExitStack() as held:
        folders = (one, other) if first else (other, one)
        for folder in folders[:1] if one.is_same(other) else folders:
            held.enter_context(folder.turn())
        yield
