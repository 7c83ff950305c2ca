"""Apply a change over many files: all of it, or it is rolled back.

All is checked, then staged, then touched. A file and the one staged for it change
places, so that rolling back needs no room on the disk. `EditLock` lets one editor at a
time into a vault; its file names the folders that the next one may have to clean up.
"""

import errno
import json
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from threading import local
from typing import NamedTuple, Self

from glassmind.errors import (
    NameTaken,
    NoteChanged,
    NowhereToKeep,
    VaultError,
    WriteFailed,
)
from glassmind.files.folder import (
    FileSnapshot,
    OpenFolder,
    above,
    is_gone,
    is_offloaded,
    name_errors,
    open_folder,
    refuse_read_only,
    refuse_special_file,
    snapshot_of,
    stage,
    staged_name,
    sweep,
)
from glassmind.files.locks import try_lock, unlock
from glassmind.files.read import NOT_HERE, digest_of, read_all
from glassmind.files.steps import PlannedStep, path_after_moves
from glassmind.model import MAX_NOTE_BYTES, NotePath

_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)


def snapshot(
    folder: OpenFolder, name: str, path: NotePath, before: bytes
) -> FileSnapshot:
    file_snapshot = refuse_changed(folder, name, path, before)
    refuse_read_only(file_snapshot.facts, path)
    if file_snapshot.facts.st_nlink > 1:
        sweep(folder)  # a writer that was killed may have left it two names
        file_snapshot = file_snapshot._replace(
            facts=folder.facts(name) or file_snapshot.facts
        )
        refuse_special_file(file_snapshot.facts)
    return file_snapshot


def refuse_changed(
    folder: OpenFolder, name: str, path: NotePath, before: bytes
) -> FileSnapshot:
    """Raise `NoteChanged` for a file that does not say what it said before.

    Its times are not asked: on a coarse clock a second write may not show in them.
    """
    facts = folder.facts(name)
    if facts is None:
        raise NoteChanged(path, expected=digest_of(before), found="")
    if not stat.S_ISREG(facts.st_mode):  # not even opened: it may be a pipe
        raise WriteFailed(path, "it is not a regular file")
    opened = folder.open(name, _READ)
    try:
        facts = os.fstat(opened)
        raw = read_all(opened, facts.st_size, max(len(before), MAX_NOTE_BYTES))
        file_snapshot = snapshot_of(opened, facts)
    finally:
        os.close(opened)
    if raw != before:
        raise NoteChanged(path, expected=digest_of(before), found=digest_of(raw))
    return file_snapshot


def is_same_file(now: os.stat_result, then: os.stat_result) -> bool:
    return os.path.samestat(now, then)  # some network disks number files anew


def is_unchanged(now: os.stat_result, then: os.stat_result) -> bool:
    return (
        is_same_file(now, then)
        and now.st_size == then.st_size
        and now.st_mtime_ns == then.st_mtime_ns
    )


QUEUE_S = 60.0
"""How long an editor waits. A change of thousands of files takes seconds, and nobody
keeps the order of the queue."""

LOOK_S = 0.002
"""How often it looks whether it is its turn; most changes take a few milliseconds."""

LONGEST_LOOK_S = 0.02  # how long it waits between two looks when others take longer

_FLAGS = os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)


class StagedLeftovers(NamedTuple):
    """What a killed editor may have left: staged files in folders, and new folders."""

    staged: tuple[str, ...] = ()
    made: tuple[str, ...] = ()


class _LockedFiles(local):
    def __init__(self) -> None:
        self.files: dict[Path, int] = {}


_LOCKED = _LockedFiles()


class EditLock:
    """The queue of those who edit one vault; its file is made when first asked for."""

    def __init__(self, file: Path, *, wait_s: float = QUEUE_S) -> None:
        self._file, self._wait_s = file, wait_s

    @property
    def held(self) -> bool:
        return self._file in _LOCKED.files

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Be the only one; whoever is it already does not wait for itself."""
        if self.held:
            yield
            return
        opened = self._first_in_line()
        _LOCKED.files[self._file] = opened
        try:
            yield
        finally:
            del _LOCKED.files[self._file]
            unlock(opened)
            _close(opened)

    def leave(self, leftovers: StagedLeftovers) -> None:
        """Say what would be left if we died now; only in a turn."""
        opened = _LOCKED.files[self._file]
        said = json.dumps(leftovers, ensure_ascii=False).encode(
            "utf-8", "surrogatepass"
        )
        os.ftruncate(opened, 0)
        os.lseek(opened, 0, os.SEEK_SET)
        os.write(opened, said)

    def left(self) -> StagedLeftovers:
        """Return what the one before us left; only in a turn."""
        opened = _LOCKED.files[self._file]
        try:
            size = os.fstat(opened).st_size
            if not size:
                return StagedLeftovers()
            os.lseek(opened, 0, os.SEEK_SET)
            staged, made = json.loads(os.read(opened, size).decode("utf-8"))
            return StagedLeftovers(tuple(map(str, staged)), tuple(map(str, made)))
        except (OSError, ValueError, TypeError, RecursionError):
            return StagedLeftovers()  # cut short, as nothing was staged yet then

    def clear(self) -> None:
        """Say that nothing is left; only in a turn."""
        with suppress(OSError):  # then the next one looks in vain
            os.ftruncate(_LOCKED.files[self._file], 0)

    def _first_in_line(self) -> int:
        until, pause = time.monotonic() + self._wait_s, LOOK_S
        while True:
            opened = self._opened()
            try:
                if try_lock(opened) and os.path.samestat(
                    os.fstat(opened), self._file.lstat()
                ):
                    return opened
            except FileNotFoundError:
                pass  # deleted meanwhile: lock a new one
            except OSError as fault:
                _close(opened)
                raise NowhereToKeep(fault.strerror or str(fault)) from fault
            _close(opened)
            if time.monotonic() > until:
                raise WriteFailed("the vault", "another program is editing it")
            time.sleep(pause)
            pause = min(pause * 1.5, LONGEST_LOOK_S)

    def _opened(self) -> int:
        try:
            with suppress(FileNotFoundError):
                return os.open(self._file, _FLAGS, 0o600)
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return os.open(self._file, _FLAGS, 0o600)
        except OSError as fault:
            raise NowhereToKeep(fault.strerror or str(fault)) from fault


def _close(opened: int) -> None:
    with suppress(OSError):  # nothing was written to it that could be lost
        os.close(opened)


@dataclass(slots=True)
class StagedStep:
    """One file on its way: how it was found, and what is staged for it.

    `name` is what the disk calls it, `home` the folder that `staged` stands in,
    `ours` what the file system says of what we staged, and `old` what the old file is
    called beside the new one.
    """

    plan: PlannedStep
    name: str = ""
    found: FileSnapshot | None = None
    staged: str = ""
    home: str = ""
    old: str = ""
    ours: os.stat_result | None = None


class FileTransaction:
    """One change, from the first look to the last; a resource to be closed."""

    def __init__(self, root: Path, plans: Sequence[PlannedStep]) -> None:
        self._entries = [StagedStep(plan) for plan in plans]
        self._folders = OpenFolders(root)
        self._places: dict[str, str] = {}
        self._touched: set[str] = set()
        self._leftover: list[tuple[str, str]] = []
        self._undoing: list[tuple[NotePath, Callable[[], None]]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._folders.close()

    def look(self) -> None:
        existing = set()
        for entry in self._entries:
            for place in (entry.plan.at, entry.plan.via):
                if place is not None:
                    with name_errors(entry.plan.name):
                        existing.add(self._nearest(above(place)))
        self._folders.hold(existing)
        for entry in self._entries:
            with name_errors(entry.plan.name):
                if entry.plan.at is not None:
                    self._look_at(entry, entry.plan.at)
                self._look_where_it_goes(entry)

    def leftovers(self) -> StagedLeftovers:
        """Return what would be left by a death from now on; asked after `look`."""
        plans = [entry.plan for entry in self._entries]
        moves = [(plan.step.path, plan.final) for plan in plans if plan.step.folder]
        folders = [(old, new) for old, new in moves if old is not None]
        homes = {entry.home for entry in self._entries if entry.staged}
        after = {str(path_after_moves(home, folders)) for home in homes}
        made = [path for path, known in self._places.items() if path != known]
        return StagedLeftovers(tuple(sorted(homes | after)), tuple(sorted(made)))

    def prepare(
        self, *beside: Callable[[], None], meanwhile: Callable[[], None]
    ) -> None:
        """Stage all new bytes; `meanwhile` and what is `beside` run in that time."""
        staging = [entry for entry in self._entries if entry.staged]
        waited: list[Future[None]] = [disk_threads().submit(one) for one in beside]
        waited += [disk_threads().submit(self._stage, entry) for entry in staging]
        try:
            meanwhile()
            for one in waited:
                one.result()
        except BaseException:
            for one in waited:
                one.cancel()
            wait(waited)
            raise

    def change(self) -> None:
        for entry in self._entries:
            plan = entry.plan
            if entry.staged and plan.at is not None and plan.via is not None:
                with name_errors(plan.name):
                    self._rewrite(entry, plan.at)
        for entry in self._entries:
            if entry.plan.is_moved:
                with name_errors(entry.plan.name):
                    self._place(entry)
        for entry in self._entries:
            if entry.plan.step.folder:
                with name_errors(entry.plan.name):
                    self._place(entry)
                self._folders.moved(entry.plan.step.path or "", entry.plan.final)

    def finish(self) -> bool:
        """Delete the old files and sync the folders; True if nothing is left behind."""
        gone = [work.result() for work in self._delete_staged()]
        return all(gone)

    def _delete_staged(self, *, keep: bool = False) -> list[Future[bool]]:
        """Delete what is staged in every folder, unless to keep it, and sync them."""
        names: dict[str, list[str]] = {path: [] for path in sorted(self._touched)}
        if not keep:
            staged = [(e.home, e.staged) for e in self._entries if e.staged]
            for path, name in (*staged, *self._leftover):
                names.setdefault(path, []).append(name)
        return [
            disk_threads().submit(self._folders.delete_staged, path, known)
            for path, known in names.items()
        ]

    def take_back(self) -> list[NotePath]:
        """Undo what was done, the last of it first; return what could not be."""
        failed: list[NotePath] = []
        while self._undoing:
            path, undo = self._undoing.pop()
            try:
                undo()
            except (OSError, VaultError):
                failed.append(path)
        # what could not go back may be the only one of its kind
        wait(self._delete_staged(keep=bool(failed)))
        return failed

    def _nearest(self, folder: str) -> str:
        known = self._places.get(folder)
        if known is None:
            try:
                with self._folders.at(folder):
                    known = folder
            except FileNotFoundError:
                known = self._nearest(above(folder)) if folder else ""
            self._places[folder] = known
        return known

    def _look_at(self, entry: StagedStep, at: NotePath) -> None:
        step = entry.plan.step
        try:
            with self._folders.at(above(at)) as folder:
                entry.name = folder.spelled(at.rpartition("/")[2])
                if step.folder:
                    _refuse_no_folder(folder, entry.name, at)
                else:
                    entry.found = snapshot(folder, entry.name, at, step.before or b"")
        except FileNotFoundError as fault:
            expected = "" if step.before is None else digest_of(step.before)
            raise NoteChanged(entry.plan.name, expected=expected, found="") from fault
        if entry.plan.is_rewritten:
            entry.home, entry.staged = above(at), staged_name()

    def _look_where_it_goes(self, entry: StagedStep) -> None:
        plan = entry.plan
        if plan.via is None or plan.via == plan.at:
            return
        if plan.at is None:
            entry.home, entry.staged = self._nearest(above(plan.via)), staged_name()
        if self._nearest(above(plan.via)) != above(plan.via):
            return
        with self._folders.at(above(plan.via)) as folder:
            called = folder.spelled(plan.via.rpartition("/")[2])
            facts = folder.facts(called)
            if facts is None and is_offloaded(folder, plan.via):
                raise NameTaken(plan.step.to, NOT_HERE)
        if facts is not None and not self._is_itself(entry, facts):
            raise NameTaken(plan.step.to)

    def _is_itself(self, entry: StagedStep, there: os.stat_result) -> bool:
        if entry.plan.at is None or entry.plan.via is None:
            return False
        if entry.plan.at.casefold() != entry.plan.via.casefold():
            return False
        with self._folders.at(above(entry.plan.at)) as folder:
            facts = folder.facts(entry.name)
        return facts is not None and is_same_file(facts, there)

    def _stage(self, entry: StagedStep) -> None:
        with name_errors(entry.plan.name), self._folders.at(entry.home) as folder:
            stage(folder, entry.staged, entry.plan.step.after, entry.found)
            entry.ours = folder.facts(entry.staged)

    def _rewrite(self, entry: StagedStep, at: NotePath) -> None:
        before, then = entry.plan.step.before or b"", entry.found
        if then is None:
            raise AssertionError("what is rewritten was looked at")
        with self._folders.at(entry.home, alone=True) as folder:
            refuse_changed(folder, entry.name, at, before)
            self._touched.add(entry.home)
            self._undoing.append((entry.plan.name, partial(self._restore, entry)))
            entry.old = entry.staged
            if not folder.swap(entry.staged, entry.name):
                spare = staged_name()
                entry.old = spare if folder.link(entry.name, spare) else ""
                self._leftover.append((entry.home, entry.old))
                folder.replace(entry.staged, entry.name)
                return
            old = folder.facts(entry.old)
            if old is None or not is_unchanged(old, then.facts):  # saved in that moment
                refuse_changed(folder, entry.old, at, before)

    def _restore(self, entry: StagedStep) -> None:
        """Let the old file be in its place again, unless somebody wrote there since."""
        with self._folders.at(entry.home, alone=True) as folder:
            if not self._took_its_place(folder, entry):
                return
            if not entry.old:
                entry.old = staged_name()
                stage(folder, entry.old, entry.plan.step.before or b"", entry.found)
            if not folder.swap(entry.old, entry.name):
                folder.replace(entry.old, entry.name)

    def _took_its_place(self, folder: OpenFolder, entry: StagedStep) -> bool:
        """Whether what we staged stands there; False where the old file never left."""
        facts, step = folder.facts(entry.name), entry.plan.step
        if facts and entry.ours and is_unchanged(facts, entry.ours):
            return True
        if entry.found and facts and is_same_file(facts, entry.found.facts):
            return False
        limit = max(len(step.before or b""), len(step.after))
        raw = None if facts is None else folder.read(entry.name, limit)
        if raw is None or raw not in (step.before, step.after):
            raise OSError(errno.ESTALE, "somebody else wrote it")
        return raw == step.after

    def _place(self, entry: StagedStep) -> None:
        plan = entry.plan
        source, name = above(plan.at or ""), entry.name
        if plan.at is None:
            source, name = entry.home, entry.staged
        target = source if plan.via is None else above(plan.via)
        self._make(target)
        with self._folders.both(source, target) as (here, there):
            if plan.via is None:
                called = staged_name()
                self._leftover.append((target, called))
            else:
                called = there.spelled(plan.via.rpartition("/")[2])
            entity = self._refuse_other(entry, here, name)
            taken = there.facts(called)
            if taken is not None and not self._is_itself(entry, taken):
                raise NameTaken(plan.step.to)
            back = partial(
                self._put_back, entry, (source, name), (target, called), entity
            )
            self._touched.update((source, target))
            self._undoing.append((plan.name, back))
            try:
                if taken is None:
                    here.give_to(there, name, called)
                else:
                    here.rename_to(there, name, called)
            except FileExistsError as fault:
                raise NameTaken(plan.step.to) from fault

    def _refuse_other(
        self, entry: StagedStep, here: OpenFolder, name: str
    ) -> os.stat_result:
        plan, before = entry.plan, entry.plan.step.before or b""
        if plan.step.folder:
            return _refuse_no_folder(here, name, plan.name)
        if plan.at is not None and entry.found is not None and not plan.is_rewritten:
            refuse_changed(here, name, plan.name, before)
        facts = here.facts(name)
        if facts is None:
            raise NoteChanged(plan.name, expected=digest_of(before), found="")
        return facts

    def _put_back(
        self,
        entry: StagedStep,
        source: tuple[str, str],
        target: tuple[str, str],
        entity: os.stat_result,
    ) -> None:
        """Let what was placed be where it was, unless somebody wrote it since."""
        (home, name), (place, called) = source, target
        with self._folders.both(home, place) as (here, there):
            now, then = there.facts(called), here.facts(name)
            never_left = then is not None and (
                now is None or is_same_file(then, entity)
            )
            if never_left and (now is None or not is_same_file(now, entity)):
                return
            if now is None or not self._is_ours(entry, there, called, now, entity):
                raise OSError(errno.ESTALE, "somebody else wrote it")
            if never_left:  # one file under two spellings
                there.rename_to(here, called, name)
            else:
                there.give_to(here, called, name)
        if entry.plan.step.folder:
            self._folders.moved_back(entry.plan.step.path or "", entry.plan.final)

    def _is_ours(
        self,
        entry: StagedStep,
        there: OpenFolder,
        called: str,
        now: os.stat_result,
        entity: os.stat_result,
    ) -> bool:
        """Whether what was placed is what we placed; a moved file may be written."""
        if is_same_file(now, entity) and (
            entry.plan.at is not None or is_unchanged(now, entity)
        ):
            return True
        if entry.plan.step.folder:
            return stat.S_ISDIR(now.st_mode)
        return there.read(called, len(entry.plan.step.after)) == entry.plan.step.after

    def _make(self, folder: str) -> None:
        if self._nearest(folder) == folder:
            return
        self._make(above(folder))
        home, name = above(folder), folder.rpartition("/")[2]
        with self._folders.at(home) as upper:
            if upper.make(name):

                def unmake() -> None:  # unless somebody put something there
                    with suppress(OSError, VaultError), self._folders.at(home) as again:
                        again.remove(name)

                self._undoing.append((NotePath(folder), unmake))
                self._touched.add(home)
        self._places[folder] = folder


def _refuse_no_folder(upper: OpenFolder, name: str, path: NotePath) -> os.stat_result:
    facts = upper.facts(name)
    if facts is None:
        raise NoteChanged(path, expected="", found="")
    if not stat.S_ISDIR(facts.st_mode):
        raise WriteFailed(path, "it is not a folder")
    return facts


MOST_HELD = 64
"""Folders held open. macOS lets a program have 256 files, and others need some."""

WORKERS = 8
"""Who wait for the disk at once: it takes 8 files in the time of one, and more no
faster."""


@cache
def disk_threads() -> ThreadPoolExecutor:
    """Return those who wait for the disk; they stay, for an edit is soon done."""
    return ThreadPoolExecutor(WORKERS, "glassmind-disk")


if hasattr(os, "register_at_fork"):  # threads do not come along
    os.register_at_fork(after_in_child=disk_threads.cache_clear)


class OpenFolders:
    """Folders of a vault by path, each with the turn to write in it.

    Those beyond what can be held are opened and closed again each time. All who take
    several turns take them by the order of paths, so nobody waits in a circle.
    """

    def __init__(self, root: Path) -> None:
        self._root, self._stack = root, ExitStack()
        self._held: dict[str, OpenFolder] = {}
        self._moved: list[tuple[str, str]] = []

    def hold(self, paths: Iterable[str]) -> None:
        for path in sorted(set(paths))[:MOST_HELD]:
            with name_errors(path or "the vault"):
                opened = self._stack.enter_context(open_folder(self._root, path))
                self._stack.enter_context(opened.turn())
            self._held[path] = opened

    @contextmanager
    def at(self, path: str, *, alone: bool = False) -> Iterator[OpenFolder]:
        """Open a folder; `alone`, with the turn to write in it."""
        folder = self._held.get(path)
        if folder is not None:
            yield folder
            return
        with open_folder(self._root, path_after_moves(path, self._moved)) as opened:
            if not alone:
                yield opened
                return
            with opened.turn():
                yield opened

    @contextmanager
    def both(self, one: str, other: str) -> Iterator[tuple[OpenFolder, OpenFolder]]:
        """Open two folders with the turns to write in them; they may be the same."""
        with ExitStack() as stack:
            opened = {
                path: stack.enter_context(self.at(path, alone=True))
                for path in sorted({one, other})
            }
            yield opened[one], opened[other]

    def moved(self, old: str, new: str) -> None:
        self._moved.append((old, new))

    def moved_back(self, old: str, new: str) -> None:
        if (old, new) in self._moved:
            self._moved.remove((old, new))

    def delete_staged(self, path: str, names: Iterable[str]) -> bool:
        try:
            with self.at(path) as folder:
                gone = [is_gone(folder, name) for name in names if name]
                folder.sync()
        except FileNotFoundError:
            return True
        except (OSError, VaultError):
            return False
        return all(gone)

    def close(self) -> None:
        self._stack.close()
