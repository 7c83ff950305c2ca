"""Carrying out a change over many files: all of it, or it is taken back.

First everything is looked at, then all new bytes are staged, and only then is anything
touched. A file and the one staged for it change places, so that the old one is still
there, under the staged name, until all is done: taking back needs no room on the disk.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from glassmind.errors import VaultError
from glassmind.errors.writing import NameTaken, NoteChanged, WriteFailed
from glassmind.files.folder import OpenFolder
from glassmind.files.holding import Folders, crew
from glassmind.files.looking import Met, is_one, is_same, met, refuse_changed
from glassmind.files.placeholder import NOT_HERE
from glassmind.files.queueing import Leftovers
from glassmind.files.read import digest_of
from glassmind.files.staging import (
    above,
    faults_named,
    is_offloaded,
    stage,
    staged_name,
)
from glassmind.files.ways import Way, forward, in_order
from glassmind.model import NotePath


@dataclass(slots=True)
class Load:
    """One file on its way: how it was found, and what is staged for it.

    `name` is what the disk calls it, `home` the folder that `staged` stands in,
    `ours` what the file system says of what we staged, and `old` what the old file is
    called beside the new one.
    """

    way: Way
    name: str = ""
    found: Met | None = None
    staged: str = ""
    home: str = ""
    old: str = ""
    ours: os.stat_result | None = None


class Carrying:
    """One change, from the first look to the last; a resource to be closed."""

    def __init__(self, root: Path, ways: Sequence[Way]) -> None:
        self._loads = [Load(way) for way in ways]
        self._by_way = {id(load.way): load for load in self._loads}
        self._folders = Folders(root)
        self._places: dict[str, str] = {}
        self._touched: set[str] = set()
        self._leftover: list[tuple[str, str]] = []
        self._undoing: list[tuple[NotePath, Callable[[], None]]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._folders.__exit__(kind, fault, trace)

    def look(self) -> None:
        """See that everything is as the steps say it is, and every new place free.

        Raises:
            NoteChanged, NameTaken: it is not.
            WriteRefused, PathOutsideVault: something may not be touched.
        """
        in_order(load.way for load in self._loads)  # no circle
        self._folders.hold(self._standing_folders())
        leaving = {load.way.at for load in self._loads}
        for load in self._loads:
            with faults_named(load.way.name):
                if load.way.at is not None:
                    self._look_at(load, load.way.at)
                self._look_where_it_goes(load, leaving)

    def leftovers(self) -> Leftovers:
        """Return what would be left by a death from now on; asked after `look`."""
        moves = [(w.step.path, w.final) for w in self._ways() if w.step.folder]
        folders = [(old, new) for old, new in moves if old is not None]
        homes = {load.home for load in self._loads if load.staged}
        after = {str(forward(home, folders)) for home in homes}
        made = [path for path, known in self._places.items() if path != known]
        return Leftovers(tuple(sorted(homes | after)), tuple(sorted(made)))

    def prepare(
        self, *beside: Callable[[], None], meanwhile: Callable[[], None]
    ) -> None:
        """Stage all new bytes; `meanwhile` and what is `beside` run in that time.

        Returns when all have come to an end, and raises what the first of them raised.
        """
        staging = [load for load in self._loads if load.staged]
        waited: list[Future[None]] = [crew().submit(one) for one in beside]
        waited += [crew().submit(self._stage, load) for load in staging]
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
        """Let all be as it should; whatever raises, `take_back` must follow."""
        for load in self._loads:
            if load.staged and load.way.at is not None and load.way.via is not None:
                with faults_named(load.way.name):
                    self._rewrite(load, load.way.at)
        for way in in_order(load.way for load in self._loads):
            with faults_named(way.name):
                self._place(self._by_way[id(way)])
        for load in self._loads:
            if load.way.step.folder:
                with faults_named(load.way.name):
                    self._place(load)
                self._folders.moved(load.way.step.path or "", load.way.final)

    def finish(self, meanwhile: Callable[[], None]) -> bool:
        """Let go of the old files, and wait until the disk has all names.

        Returns whether nothing is left behind; `meanwhile` runs in that time.
        """
        waited = self._letting_go(self._staged_files())
        try:
            meanwhile()
        finally:
            gone = [one.result() for one in waited]
        return all(gone)

    def _letting_go(self, staged: Iterable[tuple[str, str]]) -> list[Future[bool]]:
        """Begin to delete files and to wait for the disk, folder by folder."""
        left: dict[str, list[str]] = {path: [] for path in sorted(self._touched)}
        for path, name in staged:
            left.setdefault(path, []).append(name)
        return [crew().submit(self._folders.let_go, *one) for one in left.items()]

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
        wait(self._letting_go([] if failed else self._staged_files()))
        return failed

    def _staged_files(self) -> list[tuple[str, str]]:
        named = [(load.home, load.staged) for load in self._loads if load.staged]
        return [*named, *self._leftover]

    def _ways(self) -> list[Way]:
        return [load.way for load in self._loads]

    def _standing_folders(self) -> Iterable[str]:
        """Yield the folders that are there already, of all that are to be touched."""
        for load in self._loads:
            for place in (load.way.at, load.way.via):
                if place is not None:
                    with faults_named(load.way.name):
                        folder = self._nearest(above(place))
                    yield folder

    def _nearest(self, folder: str) -> str:
        """Return a folder, or the lowest above it that is there."""
        known = self._places.get(folder)
        if known is None:
            try:
                with self._folders.at(folder):
                    known = folder
            except FileNotFoundError:
                known = self._nearest(above(folder)) if folder else ""
            self._places[folder] = known
        return known

    def _look_at(self, load: Load, at: NotePath) -> None:
        step = load.way.step
        try:
            with self._folders.at(above(at)) as folder:
                load.name = folder.spelled(at.rpartition("/")[2])
                if step.folder:
                    _refuse_no_folder(folder, load.name, at)
                else:
                    load.found = met(folder, load.name, at, step.before or b"")
        except FileNotFoundError as fault:
            expected = "" if step.before is None else digest_of(step.before)
            raise NoteChanged(load.way.name, expected=expected, found="") from fault
        if load.way.is_rewritten:
            load.home, load.staged = above(at), staged_name()

    def _look_where_it_goes(self, load: Load, leaving: set[NotePath | None]) -> None:
        way = load.way
        if way.via is None or way.via == way.at:
            return
        if way.at is None:
            load.home, load.staged = self._nearest(above(way.via)), staged_name()
        if way.via in leaving or self._nearest(above(way.via)) != above(way.via):
            return
        with self._folders.at(above(way.via)) as folder:
            called = folder.spelled(way.via.rpartition("/")[2])
            facts = folder.facts(called)
            if facts is None and is_offloaded(folder, way.via):
                raise NameTaken(way.step.to, NOT_HERE)
        if facts is not None and not self._is_itself(load, facts):
            raise NameTaken(way.step.to)

    def _is_itself(self, load: Load, there: os.stat_result) -> bool:
        """Whether what is at the new place is the file, under another spelling."""
        if load.way.at is None or load.way.via is None:
            return False
        if load.way.at.casefold() != load.way.via.casefold():
            return False
        with self._folders.at(above(load.way.at)) as folder:
            facts = folder.facts(load.name)
        return facts is not None and is_one(facts, there)

    def _stage(self, load: Load) -> None:
        dress = None if load.found is None else load.found.dress
        with faults_named(load.way.name), self._folders.at(load.home) as folder:
            stage(folder, load.staged, load.way.step.after, dress)
            load.ours = folder.facts(load.staged)

    def _rewrite(self, load: Load, at: NotePath) -> None:
        """Let the staged file take the place of the old one, which stays beside it."""
        before, then = load.way.step.before or b"", load.found
        if then is None:
            raise AssertionError("what is rewritten was looked at")
        with self._folders.at(load.home, alone=True) as folder:
            refuse_changed(folder, load.name, at, before, then)
            self._undo_by(load.way, partial(self._restore, load), load.home)
            load.old = load.staged
            if not folder.swap(load.staged, load.name):
                spare = staged_name()
                load.old = spare if folder.link(load.name, spare) else ""
                self._leftover.append((load.home, load.old))
                folder.replace(load.staged, load.name)
                return
            old = folder.facts(load.old)
            if old is None or not is_same(old, then.facts):  # saved in that moment
                refuse_changed(folder, load.old, at, before, then)

    def _restore(self, load: Load) -> None:
        """Let the old file be in its place again, unless somebody wrote there since."""
        with self._folders.at(load.home, alone=True) as folder:
            if not self._took_its_place(folder, load):
                return
            if not load.old:
                load.old = staged_name()
                dress = load.found.dress if load.found else None
                stage(folder, load.old, load.way.step.before or b"", dress)
            if not folder.swap(load.old, load.name):
                folder.replace(load.old, load.name)

    def _took_its_place(self, folder: OpenFolder, load: Load) -> bool:
        """Whether what we staged stands there; False where the old file never left."""
        facts, step = folder.facts(load.name), load.way.step
        if facts and load.ours and is_same(facts, load.ours):
            return True
        if load.found and facts and is_one(facts, load.found.facts):
            return False
        limit = max(len(step.before or b""), len(step.after))
        raw = None if facts is None else folder.read(load.name, limit)
        if raw is None or raw not in (step.before, step.after):
            raise OSError(errno.ESTALE, "somebody else wrote it")
        return raw == step.after

    def _place(self, load: Load) -> None:
        """Move a file or a folder, or give a new one its name; nothing gives way."""
        way = load.way
        source, name = above(way.at or ""), load.name
        if way.at is None:
            source, name = load.home, load.staged
        target = source if way.via is None else above(way.via)
        self._make(target)
        with self._folders.both(source, target) as (here, there):
            if way.via is None:
                called = staged_name()
                self._leftover.append((target, called))
            else:
                called = there.spelled(way.via.rpartition("/")[2])
            entity = self._refuse_other(load, here, name)
            taken = there.facts(called)
            if taken is not None and not self._is_itself(load, taken):
                raise NameTaken(way.step.to)
            back = partial(
                self._put_back, load, (source, name), (target, called), entity
            )
            self._undo_by(way, back, source, target)
            try:
                if taken is None:
                    here.give_to(there, name, called)
                else:
                    here.rename_to(there, name, called)
            except FileExistsError as fault:
                raise NameTaken(way.step.to) from fault

    def _refuse_other(self, load: Load, here: OpenFolder, name: str) -> os.stat_result:
        """Return what is to be moved, if it is still what was looked at."""
        way, before = load.way, load.way.step.before or b""
        if way.step.folder:
            return _refuse_no_folder(here, name, way.name)
        if way.at is not None and load.found is not None and not way.is_rewritten:
            refuse_changed(here, name, way.name, before, load.found)
        facts = here.facts(name)
        if facts is None:
            raise NoteChanged(way.name, expected=digest_of(before), found="")
        return facts

    def _put_back(
        self,
        load: Load,
        source: tuple[str, str],
        target: tuple[str, str],
        entity: os.stat_result,
    ) -> None:
        """Let what was placed be where it was, unless somebody wrote it since."""
        (home, name), (place, called) = source, target
        with self._folders.both(home, place) as (here, there):
            now, then = there.facts(called), here.facts(name)
            never_left = then is not None and (now is None or is_one(then, entity))
            if never_left and (now is None or not is_one(now, entity)):
                return
            if now is None or not self._is_ours(load, there, called, now, entity):
                raise OSError(errno.ESTALE, "somebody else wrote it")
            if never_left:  # one file under two spellings
                there.rename_to(here, called, name)
            else:
                there.give_to(here, called, name)
        if load.way.step.folder:
            self._folders.moved_back(load.way.step.path or "", load.way.final)

    def _is_ours(
        self,
        load: Load,
        there: OpenFolder,
        called: str,
        now: os.stat_result,
        entity: os.stat_result,
    ) -> bool:
        """Whether what was placed is what we placed; a moved file may be written."""
        if is_one(now, entity) and (load.way.at is not None or is_same(now, entity)):
            return True
        if load.way.step.folder:
            return stat.S_ISDIR(now.st_mode)
        return there.read(called, len(load.way.step.after)) == load.way.step.after

    def _make(self, folder: str) -> None:
        """Make a folder and those above it, as far as they are not there."""
        if self._nearest(folder) == folder:
            return
        self._make(above(folder))
        home, name = above(folder), folder.rpartition("/")[2]
        with self._folders.at(home) as upper:
            if upper.make(name):
                undo = partial(self._unmake, home, name)
                self._undoing.append((NotePath(folder), undo))
                self._touched.add(home)
        self._places[folder] = folder

    def _unmake(self, home: str, name: str) -> None:
        with suppress(OSError, VaultError), self._folders.at(home) as upper:
            upper.remove(name)  # unless somebody put something there

    def _undo_by(self, way: Way, undo: Callable[[], None], *folders: str) -> None:
        """Know how to take something back, before it is done."""
        self._touched.update(folders)
        self._undoing.append((way.name, undo))


def _refuse_no_folder(upper: OpenFolder, name: str, path: NotePath) -> os.stat_result:
    facts = upper.facts(name)
    if facts is None:
        raise NoteChanged(path, expected="", found="")
    if not stat.S_ISDIR(facts.st_mode):
        raise WriteFailed(path, "it is no folder")
    return facts
