"""What a person means by a file, a folder and a destination, when files are moved."""

import stat
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from glassmind.edit.desk import Desk
from glassmind.edit.naming import check_read, read_for_edit
from glassmind.edit.new_names import check_new_name, trimmed
from glassmind.edit.seen import check_folder_seen, check_seen, is_seen
from glassmind.errors import (
    AmbiguousName,
    FileGone,
    NoteNotFound,
    PathOutsideVault,
    VaultError,
)
from glassmind.errors.editing import BadEdit
from glassmind.errors.vault import SymlinkInPath
from glassmind.errors.writing import NameTaken
from glassmind.files.names import CLOSEST_SHOWN
from glassmind.files.paths import safe_path
from glassmind.files.placeholder import NOT_HERE
from glassmind.files.read import VaultFiles
from glassmind.files.resolve import NOTE_SUFFIX, fold
from glassmind.files.scan import kind_of
from glassmind.model import Digest, NotePath

_KINDS = (NOTE_SUFFIX, ".canvas", ".base")


class Origin(NamedTuple):
    """What is to be moved: a file, or with `folder` a folder."""

    path: NotePath
    folder: bool


class Ground(NamedTuple):
    """The files and folders of a vault, as far as they are known."""

    paths: Sequence[NotePath]
    folders: frozenset[str]
    disk: "Disk"

    @classmethod
    def of(cls, desk: Desk, paths: Sequence[NotePath]) -> "Ground":
        """Return where things can be moved from and to."""
        folders: set[str] = set()
        for path in paths:
            folder = path.rpartition("/")[0]
            while folder and folder not in folders:
                folders.add(folder)
                folder = folder.rpartition("/")[0]
        return cls(paths, frozenset(folders), Disk(desk))

    def is_folder(self, path: str) -> bool:
        """Whether a folder of that name is there."""
        return path in self.folders or self.disk.is_folder(path)

    def is_told(self, desk: Desk, path: str) -> bool:
        """Whether a folder of that name is there for whoever asks.

        One with files of which he may read none is not.
        """
        if desk.sight is None or not self.is_folder(path):
            return self.is_folder(path)
        if path in self.folders:
            inside = f"{path}/"
            return any(seen.startswith(inside) for seen in desk.sight.paths())
        return desk.sight.may_name(path)


class Disk:
    """What stands on the disk under a path, whether the index knows it or not."""

    def __init__(self, desk: Desk) -> None:
        self._root, self._sight = desk.root, desk.sight

    def is_folder(self, path: str) -> bool:
        """Whether it is a folder, and no link to one."""
        mode = self._mode(path)
        return mode is not None and stat.S_ISDIR(mode)

    def is_there(self, path: str) -> bool:
        """Whether anything is there, ours to look at or not, downloaded or not."""
        return self._mode(path) is not None or self.is_offloaded(path)

    def is_offloaded(self, path: str) -> bool:
        """Whether a file has that name which iCloud has taken away."""
        with VaultFiles(self._root) as files:
            return files.is_offloaded(path)

    def refuse_taken(self, path: str) -> None:
        """Refuse a name that a file or folder has.

        Raises:
            NameTaken: it is taken.
        """
        if self._mode(path) is not None:
            raise NameTaken(path)
        if self.is_offloaded(path):
            raise NameTaken(path, NOT_HERE)

    def _mode(self, path: str) -> int | None:
        try:
            with VaultFiles(self._root) as files:
                return files.stat(path).st_mode
        except FileGone:
            return None
        except PathOutsideVault as fault:
            if self._sight is not None and isinstance(fault, SymlinkInPath):
                return 0  # to an agent, the name is taken
            raise
        except VaultError:
            return 0


def origin_of(desk: Desk, ground: Ground, name: str) -> Origin:
    """Return the file or folder that is called so to the letter, and is read.

    A note is named as for an edit, other files and folders by their paths. What ends in
    `/` is a folder; a note goes before a folder beside it that has its name.

    Raises:
        NoteNotFound, AmbiguousName: there is none, or more than one.
        PathOutsideVault: it is no path of a vault.
        FileUnreadable: it is a file that is left out of the index.
    """
    origin = _origin_of(desk, ground, name)
    if not origin.folder:
        check_seen(desk, name, origin.path)
        check_read(desk.rules(), origin.path)
    else:
        inside = f"{origin.path}/"
        below = (path for path in ground.paths if path.startswith(inside))
        check_folder_seen(desk, origin.path, below)
    return origin


def _origin_of(desk: Desk, ground: Ground, name: str) -> Origin:
    path = _from_root(name)
    if path and not name.endswith("/"):
        file = _file_at(desk, ground, path)
        if file is not None:
            return Origin(file, folder=False)
    sure = None if name.endswith("/") else desk.sure(name)
    if path and ground.is_told(desk, path):
        if sure is not None:  # rather asked for than a whole folder moved
            raise AmbiguousName(name, (sure, f"{path}/"), 2)
        return Origin(path, folder=True)
    if sure is not None:
        return Origin(sure, folder=False)
    raise NoteNotFound(name, _closest(desk, ground, name))


def _from_root(name: str) -> NotePath:
    """Return the path from the vault's folder; one from the disk's is told by name.

    Raises:
        PathOutsideVault: it is no path of a vault.
    """
    path = name.removeprefix("./").removeprefix("/").rstrip("/")
    return safe_path(path) if path else NotePath("")


def _file_at(desk: Desk, ground: Ground, path: NotePath) -> NotePath | None:
    """Return the file at a path, with or without the suffix of notes, that is seen.

    The index goes before the disk. A folder goes before a note that only the disk has.
    """
    note = NotePath(path + NOTE_SUFFIX)
    known = set(ground.paths)
    for file in (path, note):
        if file in known and is_seen(desk, file):
            return file
    for file in (path,) if ground.is_told(desk, path) else (path, note):
        is_there = ground.disk.is_there(file) and not ground.is_folder(file)
        if is_there and is_seen(desk, file):
            return file
    return None


def _closest(desk: Desk, ground: Ground, name: str) -> tuple[str, ...]:
    """Return what may be meant by a name that nothing has, the likeliest first.

    Raises:
        AmbiguousName: several notes may be.
        FileUnreadable: a file is called so that is left out of the index.
    """
    if desk.sight is not None:
        ground = Ground.of(desk, desk.sight.paths())
    files = (path for path in ground.paths if kind_of(path) == "attachment")
    others = {fold(one): one for one in (*files, *ground.folders)}
    alike = get_close_matches(fold(name), others, CLOSEST_SHOWN)
    found = [others[one] for one in alike]
    if name.endswith("/"):
        return tuple(found)
    try:
        found.insert(0, desk.find(name))
    except NoteNotFound as unknown:
        found += unknown.closest
    return tuple(found[:CLOSEST_SHOWN])


def origin_bytes(desk: Desk, origin: Origin, expected: Digest | None) -> bytes | None:
    """Return what a file says that is to be moved; None for a folder.

    Raises:
        NoteChanged: it is not what the caller read, by the digest that is `expected`.
        BadEdit: a folder is `expected` to have a digest.
    """
    if not origin.folder:
        return read_for_edit(desk, origin.path, expected)
    if expected is not None:
        raise BadEdit(f"{origin.path} is a folder, which has no digest")
    return None


def destination_of(desk: Desk, ground: Ground, origin: Origin, name: str) -> NotePath:
    """Return the path that something gets when it is moved to a name.

    A name that ends in `/`, or is that of a folder, means: into that folder; of one in
    which whoever asks sees nothing, only with the `/`. A note
    keeps its suffix, other files keep theirs where the name has none.

    Raises:
        BadEdit: it is there already, lies in what is moved, or no link can name it.
        NameTaken: something else is there, or differs in upper and lower case only.
        PathOutsideVault: it is no path of a vault.
    """
    base = origin.path.rpartition("/")[2]
    folder = name.rstrip("/")
    if folder and not ground.is_told(desk, folder):
        name = trimmed(name)
        folder = name.rstrip("/")
    if not folder and name.endswith("/"):
        to = base  # into the vault's own folder
    else:
        folder = as_there(safe_path(folder), ground)
        is_self = origin.folder and fold(folder) == fold(origin.path)
        if name.endswith("/") or (ground.is_told(desk, folder) and not is_self):
            to = f"{folder}/{base}"
        else:
            to = folder if origin.folder else _suffixed(safe_path(name), base)
            to = as_there(to, ground)
    path = safe_path(to)
    _check(ground, origin, path)
    return path


def _suffixed(name: str, base: str) -> str:
    suffix = f".{base.rpartition('.')[2]}" if "." in base.lstrip(".") else ""
    if suffix.lower() in _KINDS:
        return name if name.lower().endswith(suffix.lower()) else name + suffix
    return name if "." in name.rpartition("/")[2] else name + suffix


def as_there(path: str, ground: Ground) -> NotePath:
    """Return a path whose folders are spelled as those that are there."""
    *folders, name = path.split("/")
    above = ""
    for folder in folders:
        above = _spelled(f"{above}{folder}", ground) + "/"
    return NotePath(above + name)


def _spelled(folder: str, ground: Ground) -> str:
    if folder in ground.folders:
        return folder
    alike = [known for known in ground.folders if fold(known) == fold(folder)]
    if len(alike) == 1 and not ground.disk.is_there(folder):
        return alike[0]
    return folder


def _check(ground: Ground, origin: Origin, path: NotePath) -> None:
    if path == origin.path:
        raise BadEdit(f"{path} is there already")
    if origin.folder and path.startswith(f"{origin.path}/"):
        raise BadEdit(f"{origin.path} cannot be moved into itself")
    check_new_name(
        path, folder=origin.folder, is_there=ground.is_folder, former=origin.path
    )
    known: Iterable[str] = ground.folders if origin.folder else ground.paths
    for other in (*known, *(ground.folders if not origin.folder else ground.paths)):
        if fold(other) == fold(path) and other != origin.path:
            raise NameTaken(other)
    if fold(path) != fold(origin.path):
        ground.disk.refuse_taken(path)
