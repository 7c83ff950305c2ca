"""Choosing the folder an index stands in: the first that can be written.

To answer, nothing is made: a folder counts as one that can be written if the system
says so. To write, the folder is made, and if that fails the next one is tried.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

DATABASE = "index.db"

SOCKET = "resident.sock"
"""The one thing in the folder of an index that is neither file nor folder."""


class Place(NamedTuple):
    """The folder chosen, and what a user should know about the choice."""

    folder: Path
    writable: bool
    notices: tuple[str, ...] = ()
    temporary: bool = False


class Trusted(NamedTuple):
    """The folders that may be used, and why others may not."""

    folders: tuple[Path, ...]
    notices: tuple[str, ...]


def trusted(candidates: Sequence[Path], vault: Path) -> Trusted:
    """Return the folders but for those inside the vault in which a link lies.

    A vault may come from somebody else: what lies where we would write must not lead us
    to another file.
    """
    odd = {c: _odd_in(c) for c in candidates if c.is_relative_to(vault)}
    notices = tuple(
        f"{file} is no plain file and may lead elsewhere: no index is kept in {folder}"
        for folder, file in odd.items()
        if file is not None
    )
    return Trusted(tuple(c for c in candidates if odd.get(c) is None), notices)


def outside(candidates: Iterable[Path], vault: Path) -> Iterator[Path]:
    """Yield the folders that do not stand in the vault, also not by a link."""
    root = os.path.realpath(vault)
    for folder in candidates:
        real = os.path.realpath(folder)
        if real != root and not real.startswith(f"{root}{os.sep}"):
            yield folder


def _odd_in(folder: Path) -> Path | None:
    """Return what is neither a file nor a folder in a folder or below it, if any."""
    return next(_odd_below(str(folder)), None)


def _odd_below(folder: str) -> Iterator[Path]:
    try:
        with os.scandir(folder) as found:
            entries = list(found)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _odd_below(entry.path)
        elif not entry.is_file(follow_symlinks=False) and not _is_socket(entry):
            yield Path(entry.path)


def _is_socket(entry: "os.DirEntry[str]") -> bool:
    if entry.name != SOCKET:
        return False
    return stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode)


def choose_place(candidates: Sequence[Path]) -> Place | None:
    """Return the first folder that can be written; failing that, one to read from.

    An index in a folder that cannot be written is still better than none. None means
    that there is nowhere at all.
    """
    writable = next((c for c in candidates if can_write(c)), None)
    if writable is not None:
        at = candidates.index(writable)
        return _written(writable, candidates[:at], candidates[at + 1 :])
    for folder in candidates:
        if (folder / DATABASE).is_file():
            notice = f"{folder} cannot be written: answering from the index as it is"
            return Place(folder, writable=False, notices=(notice,))
    return None


def _written(folder: Path, skipped: Sequence[Path], later: Sequence[Path]) -> Place:
    has_index = (folder / DATABASE).is_file()
    for other in () if has_index else skipped:
        if (other / DATABASE).is_file():
            notice = f"{other} cannot be written: answering from it as it is"
            return Place(other, writable=False, notices=(notice,))
    for other in () if has_index else later:
        if (other / DATABASE).is_file():
            notice = f"there is no index in {folder}: answering from {other}"
            return Place(other, writable=True, notices=(notice,))
    if not skipped:
        return Place(folder, writable=True)
    notice = f"{_listed(skipped)} cannot be written: the index is in {folder}"
    return Place(folder, writable=True, notices=(notice,))


def make_place(candidates: Sequence[Path]) -> Place | None:
    """Return the first folder that is there or could be made; None if none could."""
    for at, folder in enumerate(candidates):
        if can_write(folder) and make_folder(folder) is None:
            if not at:
                return Place(folder, writable=True)
            skipped = _listed(candidates[:at])
            notice = f"{skipped} cannot be written: the index is in {folder}"
            return Place(folder, writable=True, notices=(notice,))
    return None


def make_folder(folder: Path) -> str | None:
    """Make a folder for its owner alone, and return why that failed if it did."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        return str(error)
    return None


def can_write(folder: Path) -> bool:
    """Whether files can be made in the folder, or the folder itself can be made."""
    while not folder.exists():
        if folder.parent == folder:
            return False
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def _listed(folders: Sequence[Path]) -> str:
    return ", ".join(str(folder) for folder in folders)
