"""The folders of one change, open: as many of them as may be held at once."""

import os
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self

from glassmind.errors import VaultError
from glassmind.vault.folder import OpenFolder
from glassmind.vault.staging import faults_named, open_folder
from glassmind.vault.ways import forward

MOST_HELD = 64
"""Folders held open. macOS lets a program have 256 files, and others need some."""

WORKERS = 8
"""Who wait for the disk at once: it takes 8 files in the time of one, and more no
faster."""


@cache
def crew() -> ThreadPoolExecutor:
    """Return those who wait for the disk; they stay, for an edit is soon done."""
    return ThreadPoolExecutor(WORKERS, "glassmind-disk")


if hasattr(os, "register_at_fork"):  # threads do not come along
    os.register_at_fork(after_in_child=crew.cache_clear)


class Folders:
    """Folders of a vault by path, each with the turn to write in it.

    Those beyond what can be held are opened and closed again each time. All who take
    several turns take them by the order of paths, so nobody waits in a circle.
    """

    def __init__(self, root: Path) -> None:
        self._root, self._stack = root, ExitStack()
        self._held: dict[str, OpenFolder] = {}
        self._moved: list[tuple[str, str]] = []

    def hold(self, paths: Iterable[str]) -> None:
        """Hold folders that are there, as many as may be.

        Raises:
            WriteRefused, PathOutsideVault: one cannot be opened, or is busy for long.
        """
        for path in sorted(set(paths))[:MOST_HELD]:
            with faults_named(path or "the vault"):
                opened = self._stack.enter_context(open_folder(self._root, path))
                self._stack.enter_context(opened.turn())
            self._held[path] = opened

    @contextmanager
    def at(self, path: str, *, alone: bool = False) -> Iterator[OpenFolder]:
        """Open a folder; `alone`, with the turn to write in it."""
        held = self._held.get(path)
        if held is not None:
            yield held
            return
        with open_folder(self._root, forward(path, self._moved)) as opened:
            if not alone:
                yield opened
                return
            with opened.turn():
                yield opened

    @contextmanager
    def both(self, one: str, other: str) -> Iterator[tuple[OpenFolder, OpenFolder]]:
        """Open two folders with the turns to write in them; they may be the same."""
        if one == other:
            with self.at(one, alone=True) as opened:
                yield opened, opened
        elif one < other:
            with self.at(one, alone=True) as first, self.at(other, alone=True) as last:
                yield first, last
        else:
            with self.at(other, alone=True) as first, self.at(one, alone=True) as last:
                yield last, first

    def moved(self, old: str, new: str) -> None:
        """Know that a folder has been moved: paths are meant as they were before."""
        self._moved.append((old, new))

    def moved_back(self, old: str, new: str) -> None:
        """Know that a folder is where it was."""
        if (old, new) in self._moved:
            self._moved.remove((old, new))

    def all_dropped(self, files: Collection[tuple[str, str]]) -> bool:
        """Delete staged files by folder and name; return whether all are gone."""
        if len(files) == 1:
            return all(self.dropped(*one) for one in files)
        return all(list(crew().map(lambda one: self.dropped(*one), files)))

    def dropped(self, path: str, name: str) -> bool:
        """Delete a staged file in a folder; return whether it is gone."""
        if not name:
            return True
        try:
            with self.at(path) as folder:
                folder.unlink(name)
        except FileNotFoundError:
            return True
        except (OSError, VaultError):
            return False
        return True

    def sync(self, paths: Collection[str]) -> None:
        """Wait until the disk has the names in folders, as far as they are there."""
        if len(paths) == 1:
            self._sync_one(*paths)
        elif paths:
            wait([crew().submit(self._sync_one, path) for path in sorted(paths)])

    def _sync_one(self, path: str) -> None:
        with suppress(OSError, VaultError), self.at(path) as folder:
            folder.sync()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()
