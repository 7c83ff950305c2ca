"""The one way several files of a vault are changed: all of them or none, on record.

Steps name whole files as they were and as they should be. Everything is looked at and
staged before anything is touched, and what fails on the way is taken back. A death on
the way leaves some files old and some new, each of them whole; whoever knows the steps
can tell how each stands, and bring all to the new state or to the old.
"""

import errno
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from glassmind.errors import FileTooLarge, VaultError
from glassmind.errors.writing import NotTakenBack, WriteFailed
from glassmind.files import audit
from glassmind.files.audit import Act, Record
from glassmind.files.carrying import Carrying
from glassmind.files.paths import safe_path
from glassmind.files.queueing import EditQueue, Leftovers
from glassmind.files.read import SPLIT_IT, digest_of
from glassmind.files.scan import kind_of
from glassmind.files.staging import (
    above,
    content,
    faults_named,
    folder_of,
    open_folder,
    sweep,
)
from glassmind.files.standing import Scene, folders_of
from glassmind.files.ways import Way, ways_of
from glassmind.model import MAX_NOTE_BYTES, NotePath
from glassmind.model.editing import Step
from glassmind.ports.editing import Standing


def _now() -> datetime:
    return datetime.now(UTC)


def _nothing() -> None:
    return


class _Beside(NamedTuple):
    """What is done while the disk is waited for, before and after files change."""

    meanwhile: Callable[[], None] = _nothing
    afterwards: Callable[[], None] = _nothing


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
        record: Record,
        agent_folder: str,
        now: Callable[[], datetime] = _now,
        limit_bytes: int = MAX_NOTE_BYTES,
    ) -> None:
        self._root, self._now, self._limit_bytes = root, now, limit_bytes
        self._record_at, self._agent_folder = record, agent_folder
        self._queue = EditQueue(lock)

    def turn(self) -> AbstractContextManager[None]:
        """Be the only one who edits this vault, in this process and others.

        Whoever has the turn may ask for it again. What a killed one left staged is
        swept first.

        Raises:
            WriteFailed: another took too long.
            NowhereToKeep: nothing can be kept outside of the vault.
        """
        return self._turn()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        first = not self._queue.held
        with self._queue.turn():
            if first:
                self.sweep()
            yield

    def read(self, path: NotePath, /) -> bytes | None:
        """Return the bytes of a file; None where there is none.

        Raises:
            FileTooLarge: it is too large to edit.
            NotDownloaded: iCloud has taken it away.
            WriteFailed: it is no regular file, or cannot be read.
            PathOutsideVault: the path climbs, or a symbolic link stands in it.
        """
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
        afterwards: Callable[[], None] = _nothing,
    ) -> None:
        """Take every step, or none.

        New content is staged first, and `meanwhile` is called while the disk takes it:
        no file is touched before both have come to an end, nor where either raises.
        `afterwards` is called when all are changed, while the disk is waited for.

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
        ways = ways_of(steps, self._agent_folder)
        beside = _Beside(meanwhile, afterwards)
        self._carry(ways, beside, why=why, client=client)

    def standing(self, steps: Sequence[Step], /) -> Sequence[Standing]:
        """Return how each file stands now; one that is half way counts as old.

        Raises:
            WriteFailed, VaultMissing: that cannot be told at the moment.
        """
        return Scene(self._root, ways_of(steps, self._agent_folder)).standing()

    def settle(self, steps: Sequence[Step], /, *, forward: bool, why: str) -> None:
        """Take the rest of some steps, or take back those that were taken.

        Files that are neither as a step found them nor as it leaves them stay.

        Raises:
            WriteRefused, PathOutsideVault: the disk refuses; all is as it was before.
        """
        ways = ways_of(steps, self._agent_folder)
        with self._turn():
            self._sweep(folders_of(ways))
            scene = Scene(self._root, ways)
            left, gone = (scene.onward(), []) if forward else scene.backward()
            rest = [*ways_of(left, self._agent_folder), *gone]
            if rest:
                self._carry(rest, _Beside(), why=why, client="")

    def clear(self, folders: Sequence[NotePath], /) -> None:
        """Take away folders in which nothing is, in order; any other stays."""
        for path in folders:
            with (
                suppress(OSError, VaultError),
                folder_of(self._root, safe_path(path), make=False) as (folder, name),
            ):
                folder.remove(name)
                folder.sync()

    def _carry(
        self, ways: Sequence[Way], beside: _Beside, *, why: str, client: str
    ) -> None:
        recorded: list[Act] = []

        def record() -> None:
            recorded.extend(_act(way, why, client) for way in ways if _is_one(way))
            self._record(recorded)

        with self._turn(), Carrying(self._root, ways) as carrying:
            carrying.look()
            with faults_named(ways[0].name if ways else "nothing"):
                self._queue.leave(carrying.leftovers())
            try:
                carrying.prepare(record, meanwhile=beside.meanwhile)
                carrying.change()
            except BaseException as fault:
                self._take_back(carrying, recorded, fault)
                raise
            if carrying.finish(beside.afterwards):
                self._queue.clear()

    def _take_back(
        self, carrying: Carrying, recorded: Sequence[Act], fault: BaseException
    ) -> None:
        left = carrying.take_back()
        if left:
            raise NotTakenBack(left[0], len(left), str(fault)) from fault
        with suppress(OSError, VaultError):
            self._record(recorded, undone=True)  # also where half of it was written
        self._queue.clear()

    def _record(self, acts: Sequence[Act], *, undone: bool = False) -> None:
        if not acts:
            return
        root, log = self._record_at
        lines = audit.lines_of(acts, self._now(), undone=undone)
        try:
            with folder_of(root, log, make=True) as (folder, name):
                known = folder.facts(name)
                audit.append(folder, name, lines)
                if known is None:
                    folder.sync()
        except (OSError, VaultError) as fault:
            reason = f"it cannot go on record in {log} ({_said(fault)})"
            raise WriteFailed(acts[0].path, reason) from fault

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
        """Sweep folders, as far as they are there; whether nothing is left in them."""
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


def _is_one(way: Way) -> bool:
    """Whether a step changes anything, so that it goes on record."""
    return way.step.folder or way.is_rewritten or way.is_moved or way.at != way.final


def _act(way: Way, why: str, client: str) -> Act:
    step = way.step
    before = None if step.before is None else digest_of(step.before)
    gone = step.folder or way.via is None
    after = None if gone else digest_of(step.after)
    to = None if way.at in (None, way.final) else way.final
    return Act(way.name, before, after, len(step.after), why, client, to)


def _said(fault: Exception) -> str:
    return (fault.strerror if isinstance(fault, OSError) else None) or str(fault)
