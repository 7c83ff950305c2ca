"""Choosing the folder of an index, and whether an index inside a vault may be trusted.

The first folder is chosen that can be written, or that has an index to read. Nothing is
created for that: a folder counts as writable if the system says so.

A vault may come from somebody else, and so may an index.db inside it. The user's data
folder, where nobody else writes, has a record of the inode, size and times of the
database that this user wrote last. Any change of the file changes its ctime, so it no
longer matches the record.
"""

import json
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from glassmind.config import Config
from glassmind.config.places import APP
from glassmind.errors import BadSetting, IndexUnwritable
from glassmind.store.disk import write_whole
from glassmind.store.lock import WriterLock

DATABASE = "index.db"

DAEMON_LOCK = "daemon.lock"
"""Held by the daemon of the vault."""

_SOCKET = "daemon.sock"
"""The one thing in the folder of an index that is neither file nor folder."""

_NAME_LENGTH = 40
"""Characters of a vault's name in its index folder; at 4 bytes each below 255."""


def index_name(vault: Path) -> str:
    """Return the name of a vault's index folder: its name and a CRC of its path.

    The CRC only keeps vaults of the same name apart.
    """
    real = os.path.normcase(os.path.realpath(vault))
    digest = crc32(real.encode("utf-8", "surrogatepass"))
    letters = "".join(c if c.isalnum() or c in "-_" else "-" for c in vault.name)
    name = letters.strip("-")[:_NAME_LENGTH].rstrip("-") or "vault"
    return f"{name}-{digest:08x}"


def data_folder(config: Config) -> Path:
    return config.index_home / index_name(config.vault.path)


def index_locations(config: Config) -> list[Path]:
    """Return the folders to try for the index, in order.

    The configured one comes first, then the data folder. A folder inside the vault is
    never a fallback: its content may have come with the vault. Raises `BadSetting` if a
    symbolic link leads the configured folder out of the vault.
    """
    vault, place = config.vault.path, config.index.location
    fallback = data_folder(config)
    if place == "data":
        return [fallback]
    if place not in ("vault", "plugin"):
        return list(dict.fromkeys([Path(place) / index_name(vault), fallback]))
    cache, plugin = f"{config.writes.agent_dir}/cache", f".obsidian/plugins/{APP}"
    first = vault / (cache if place == "vault" else plugin)
    # A vault may come from somebody else: it must not choose where we write.
    if not Path(os.path.realpath(first)).is_relative_to(os.path.realpath(vault)):
        problem = f"is {place!r}, but a symbolic link leads {first} out of the vault"
        raise BadSetting("index.location", config.origins["index.location"], problem)
    return [first, fallback]


class IndexFolder(NamedTuple):
    """The folder chosen, and what a user should know about the choice.

    `folder_in_vault` is the folder of index.db where that is inside the vault. All
    other files are in `folder`, outside the vault.
    """

    folder: Path
    writable: bool
    notices: tuple[str, ...] = ()
    folder_in_vault: Path | None = None

    @property
    def database_folder(self) -> Path:
        return self.folder_in_vault or self.folder

    @property
    def folders(self) -> tuple[Path, ...]:
        if self.folder_in_vault is None:
            return (self.folder,)
        return (self.folder_in_vault, self.folder)


def find_place(config: Config) -> IndexFolder:
    """Return the folder of the index.

    A vault may come from somebody else. A folder inside it is left out if it contains a
    link, which could lead us to another file, or if the user's data folder cannot be
    written: it records which index inside the vault this user built, and has all but
    index.db then.
    """
    vault, data = config.vault.path, data_folder(config)
    folders, notices = [], []
    for folder in index_locations(config):
        odd = _odd_in(folder) if folder.is_relative_to(vault) else None
        if odd is not None:
            notices.append(
                f"{odd} is not a regular file. The index is not kept in {folder}."
            )
        elif _is_inside(folder, vault, data) and not can_write(data):
            notices.append(
                f"The index in {folder} is inside the vault and cannot be checked, "
                f"since {data} cannot be written. Make that folder writable."
            )
        else:
            folders.append(folder)
    index_folder = choose_place(folders)
    if index_folder is None:
        index_folder = IndexFolder(data, False, (f"{data} cannot be written",))
    index_folder = index_folder._replace(notices=(*notices, *index_folder.notices))
    if _is_inside(index_folder.folder, vault, data):
        return index_folder._replace(folder=data, folder_in_vault=index_folder.folder)
    return index_folder


def _is_inside(folder: Path, vault: Path, data: Path) -> bool:
    return folder != data and not any(outside([folder], vault))


def outside(candidates: Iterable[Path], vault: Path) -> Iterator[Path]:
    """Yield the folders that do not stand in the vault, also not by a link."""
    root = os.path.realpath(vault)
    for folder in candidates:
        real = os.path.realpath(folder)
        if real != root and not real.startswith(f"{root}{os.sep}"):
            yield folder


def _odd_in(folder: Path) -> Path | None:
    """Return what is neither a file nor a folder in a folder or below it, if any."""
    for above, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(above, name)
            mode = path.lstat().st_mode
            is_ours = stat.S_ISDIR(mode) or stat.S_ISREG(mode)
            if not is_ours and not (name == _SOCKET and stat.S_ISSOCK(mode)):
                return path
    return None


def choose_place(candidates: Sequence[Path]) -> IndexFolder | None:
    """Return the first folder that can be written, or that has an index to read.

    None means that there is nowhere at all.
    """
    for at, folder in enumerate(candidates):
        if can_write(folder):
            skipped = ", ".join(map(str, candidates[:at]))
            notice = f"{skipped} cannot be written: the index is in {folder}"
            return IndexFolder(folder, writable=True, notices=(notice,) if at else ())
        if (folder / DATABASE).is_file():
            notice = f"{folder} cannot be written: answering from the index as it is"
            return IndexFolder(folder, writable=False, notices=(notice,))
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


_RECORD, LOCK = "vault-index.json", "writer.lock"

_FILES = tuple(DATABASE + suffix for suffix in ("", "-wal", "-journal"))
"""The database, and the logs that SQLite would replay into it."""

_WRITING = "writing"
"""The record while a process of this user writes the index."""

_ATTEMPTS = 3
"""How often a reader looks again: a writer may finish between two of its looks."""


class VaultIndex:
    """Tells whether index.db in `folder`, inside the vault, is as this user left it.

    `state` is the folder outside the vault that has the record and the writer lock.
    """

    def __init__(self, folder: Path, state: Path) -> None:
        self._files = [str(folder / name) for name in _FILES]
        self._record, self._lock = state / _RECORD, state / LOCK
        self._known: list[Any] | None = None

    def is_ours(self) -> bool:
        """Whether the index may be read: unchanged, or being written by this user."""
        for _ in range(_ATTEMPTS):
            stamps = self._stamps()
            if stamps == self._known or not any(stamps):
                return True
            record = self._recorded()
            if record == stamps:
                self._known = stamps
                return True
            if record == _WRITING and WriterLock(self._lock).busy_holder() is not None:
                return True
        return False

    def is_unchanged(self, *, taken: bool) -> bool:
        """Whether the holder of the writer lock may go on with the index.

        `taken` says that the lock was taken from a process that hangs: the index was
        in the hands of this user all the time.
        """
        stamps, record = self._stamps(), self._recorded()
        return not any(stamps) or record == stamps or (taken and record == _WRITING)

    def begin(self) -> None:
        """Record that the index is being written. Raises IndexUnwritable."""
        try:
            write_whole(str(self._record), json.dumps(_WRITING).encode())
        except OSError as error:
            reason = error.strerror or str(error)
            raise IndexUnwritable(str(self._record.parent), reason) from error

    def end(self) -> None:
        """Record the index as it is now, with no connection open for writing."""
        write_whole(str(self._record), json.dumps(self._stamps()).encode())

    def _stamps(self) -> list[list[int] | None]:
        """Return inode, size and times of each file; None if it is missing or empty."""
        return [_stamp(file) for file in self._files]

    def _recorded(self) -> Any:
        try:
            return json.loads(self._record.read_bytes())
        except (OSError, ValueError):
            return None


def _stamp(file: str) -> list[int] | None:
    try:
        facts = os.stat(file)  # noqa: PTH116 - at every call of a reader
    except OSError:
        return None
    if not facts.st_size:
        return None
    return [facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns]


CHANGESETS = "changesets"
EDIT_LOCK = "edits.lock"
"""Held by the process that edits the vault, in the data folder; lists staged files."""

UNFINISHED_EDITS = "changesets/applying"
"""Where a changeset is while it is applied; normally there is none."""


def is_edit_interrupted(home: Path) -> bool:
    """True if a change of notes was cut short, by two names in the data folder."""
    with suppress(OSError):
        if os.stat(f"{home}{os.sep}{EDIT_LOCK}").st_size:  # noqa: PTH116 - in every run
            return True
    with suppress(OSError), os.scandir(f"{home}{os.sep}{UNFINISHED_EDITS}") as entries:
        return any(True for _ in entries)
    return False
