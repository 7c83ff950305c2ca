"""The folders of one change, open: as many of them as may be held at once."""

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self

from glassmind.errors import VaultError
from glassmind.files.folder import OpenFolder
from glassmind.files.staging import faults_named, is_gone, open_folder
from glassmind.files.ways import forward

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

    def let_go(self, path: str, names: Iterable[str]) -> bool:
        """Delete staged files in a folder, and wait until the disk has its names.

        Returns whether they are gone; that the folder is not there is no fault.
        """
        try:
            with self.at(path) as folder:
                gone = [is_gone(folder, name) for name in names if name]
                folder.sync()
        except FileNotFoundError:
            return True
        except (OSError, VaultError):
            return False
        return all(gone)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()
