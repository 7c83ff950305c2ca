"""Reading files of the vault without ever leaving it, whatever races us.

A check before an open can be outrun: between the two, a folder may be swapped for a
symbolic link. So the opening itself refuses links. Linux has one call for it
(`openat2`); elsewhere each folder is opened from the one before; Windows has neither,
so there every part is checked before the open, and the opened file after it.
"""

import errno
import os
import stat
from pathlib import Path
from types import TracebackType
from typing import Self
from unicodedata import normalize

import xxhash

from glassmind.errors import (
    FileGone,
    FileTooLarge,
    FileUnreadable,
    NotDownloaded,
    PathOutsideVault,
    VaultMissing,
)
from glassmind.errors.vault import SymlinkInPath
from glassmind.files.beneath import opener
from glassmind.files.paths import check_parts
from glassmind.files.placeholder import NOT_HERE, is_placeholder, stub_of
from glassmind.model import MAX_NOTE_BYTES, Digest

SPLIT_IT = "; split it, or raise index.max_note_bytes"
"""What to do with a note that is too large."""

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_READ = os.O_RDONLY
for _flag in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY", "O_NOINHERIT"):
    _READ |= getattr(os, _flag, 0)

_BY_DESCRIPTOR = os.open in os.supports_dir_fd

_JUNCTION = 0xA0000003
"""IO_REPARSE_TAG_MOUNT_POINT: a Windows folder that stands for another."""


def digest_of(raw: bytes) -> Digest:
    """Return the content hash that the index knows a file by (XXH3, 128 bits)."""
    return Digest(xxhash.xxh3_128_hexdigest(raw))


def spelling_order(name: str) -> tuple[bool, bool, str]:
    """Return what orders names that are one in NFC: composed, decomposed, the rest."""
    return name != normalize("NFC", name), name != normalize("NFD", name), name


def read_file(root: Path, path: str, *, limit_bytes: int | None = None) -> bytes:
    """Return the bytes of one file; see `VaultFiles.read`."""
    with VaultFiles(root) as files:
        return files.read(path, limit_bytes=limit_bytes)


class VaultFiles:
    """The files of one vault, open for reading; safe to share between threads.

    Paths are those of the index (NFC); a file that the disk spells otherwise is found.
    Where it `hides_secrets`, nobody who is given text of a file is shown credentials.

    Raises:
        VaultMissing: The root is no folder that can be opened.
    """

    hides_secrets = False
    sees_all = True
    """Whether every file may be read, so that one which is not there is gone."""

    def __init__(self, root: Path, *, limit_bytes: int = MAX_NOTE_BYTES) -> None:
        self._root, self._limit_bytes = root, limit_bytes
        self._descriptor = -1
        try:
            if _BY_DESCRIPTOR:
                self._descriptor = os.open(root, _FOLDER)
            elif not root.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        except OSError as fault:
            reason = fault.strerror or "unknown"
            raise VaultMissing(str(root), reason) from fault

    def read(self, path: str, *, limit_bytes: int | None = None) -> bytes:
        """Return the bytes of a regular file, by default as many as a note may have.

        Raises:
            PathOutsideVault: The path climbs, or a symbolic link stands in it.
            FileGone: There is no such file.
            FileTooLarge: It is larger than the limit.
            NotDownloaded: A sync keeps its content elsewhere.
            FileUnreadable: It is no regular file, or not ours to read.
        """
        limit, remedy = limit_bytes, ""
        if limit is None:
            limit, remedy = self._limit_bytes, SPLIT_IT
        opened = self._open(path, _READ)
        try:
            facts = os.fstat(opened)
            if not stat.S_ISREG(facts.st_mode):
                raise FileUnreadable(path, "it is not a regular file")
            if facts.st_size > limit:
                raise FileTooLarge(path, limit, remedy)
            if is_placeholder(facts):
                raise NotDownloaded(path, NOT_HERE)
            raw = read_all(opened, facts.st_size, limit)
        except OSError as fault:
            raise FileUnreadable(path, fault.strerror or "unknown") from fault
        finally:
            os.close(opened)
        if len(raw) > limit:
            raise FileTooLarge(path, limit, remedy)
        return raw

    def may_tell(self, path: str) -> bool:  # noqa: ARG002 - others look at it
        """Whether a file may be told of to whoever these are read for."""
        return self.sees_all

    def may_tell_skipped(self, path: str) -> bool:  # noqa: ARG002 - others look at it
        """Whether what is left out of the index may be told of: a file, or a folder."""
        return self.sees_all

    def may_name(self, path: str) -> bool:  # noqa: ARG002 - others look at it
        """Whether a file may be told of by its place alone."""
        return self.sees_all

    def tail(self, path: str, *, limit_bytes: int) -> tuple[bytes, int]:
        """Return the last bytes of a regular file, and how many stand before them.

        Raises:
            PathOutsideVault: The path climbs, or a symbolic link stands in it.
            FileGone: There is no such file.
            FileUnreadable: It is no regular file, or not ours to read.
        """
        opened = self._open(path, _READ)
        try:
            facts = os.fstat(opened)
            if not stat.S_ISREG(facts.st_mode):
                raise FileUnreadable(path, "it is not a regular file")
            before = max(facts.st_size - limit_bytes, 0)
            os.lseek(opened, before, os.SEEK_SET)
            return read_all(opened, facts.st_size - before, limit_bytes), before
        except OSError as fault:
            raise FileUnreadable(path, fault.strerror or "unknown") from fault
        finally:
            os.close(opened)

    def names(self, folder: str) -> list[str]:
        """Return the names of what stands in a folder, in NFC and in order.

        Nothing where there is no such folder.

        Raises:
            PathOutsideVault: The path climbs, or a symbolic link stands in it.
            FileUnreadable: It cannot be looked into.
        """
        check_parts(folder)
        try:
            found = self._names(folder)
        except OSError as fault:
            error = _error_for(folder, fault)
            if isinstance(error, FileGone):
                return []
            raise error from fault
        return sorted({normalize("NFC", name) for name in found})

    def stat(self, path: str) -> os.stat_result:
        """Return what the file system says of a file, without opening it.

        Raises:
            PathOutsideVault: The path climbs, or a symbolic link stands in it.
            FileGone: There is no such file.
            FileUnreadable: A folder above it cannot be entered.
        """
        check_parts(path)
        try:
            facts = self._stat_as_spelled(path)
        except FileNotFoundError as fault:
            other = self._other_spelling(path)
            if other is None:
                raise FileGone(path) from fault
            facts = self._stat_as_spelled(other)
        except OSError as fault:
            raise _error_for(path, fault) from fault
        if stat.S_ISLNK(facts.st_mode):
            raise SymlinkInPath(path)
        return facts

    def exists(self, path: str) -> bool:
        """Whether there is a file that is ours to look at."""
        try:
            self.stat(path)
        except (FileUnreadable, PathOutsideVault):
            return False
        return True

    def is_offloaded(self, path: str) -> bool:
        """Whether a stub of iCloud stands for a file."""
        try:
            return stat.S_ISREG(self.stat(stub_of(path)).st_mode)
        except (FileUnreadable, PathOutsideVault):
            return False

    def close(self) -> None:
        """Let go of the vault; a second time changes nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _open(self, path: str, flags: int) -> int:
        check_parts(path)
        try:
            return self._open_as_spelled(path, flags)
        except FileNotFoundError as fault:
            other = self._other_spelling(path)
            if other is None:
                raise FileGone(path) from fault
        except OSError as fault:
            raise _error_for(path, fault) from fault
        try:
            return self._open_as_spelled(other, flags)
        except OSError as fault:
            raise _error_for(path, fault) from fault

    def _open_as_spelled(self, path: str, flags: int) -> int:
        if _BY_DESCRIPTOR:
            return opener()(self._descriptor, path, flags)
        return _open_checked(self._root, path, flags)

    def _stat_as_spelled(self, path: str) -> os.stat_result:
        folder, _, name = path.rpartition("/")
        if not _BY_DESCRIPTOR:
            _check_links(self._root, folder)
            return os.lstat(self._root / path)
        if not folder:
            return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
        opened = self._open_as_spelled(folder, _FOLDER)
        try:
            return os.stat(name, dir_fd=opened, follow_symlinks=False)
        finally:
            os.close(opened)

    def _other_spelling(self, path: str) -> str | None:
        """Return how the disk spells a path that it does not know in NFC."""
        if path.isascii():
            return None
        spelled: list[str] = []
        for part in path.split("/"):
            try:
                names = self._names("/".join(spelled))
            except OSError:
                return None
            alike = [name for name in names if normalize("NFC", name) == part]
            if not alike:
                return None
            spelled.append(min(alike, key=spelling_order))
        return "/".join(spelled)

    def _names(self, folder: str) -> list[str]:
        if not _BY_DESCRIPTOR:
            _check_links(self._root, folder)
            return [file.name for file in (self._root / folder).iterdir()]
        if not folder:
            return os.listdir(self._descriptor)  # noqa: PTH208
        opened = self._open_as_spelled(folder, _FOLDER)
        try:
            return os.listdir(opened)  # noqa: PTH208
        finally:
            os.close(opened)


def read_all(opened: int, size: int, limit_bytes: int) -> bytes:
    """Return the bytes of an open file of about that size.

    Of a file above the limit it returns one byte more than the limit.

    Raises:
        OSError: the system refuses, or it is a folder.
    """
    raw = os.read(opened, min(size, limit_bytes) + 1)
    if len(raw) == size:  # a short read of a regular file is its end
        return raw
    pieces = [raw]
    total = len(raw)
    while raw and total <= limit_bytes:
        raw = os.read(opened, limit_bytes + 1 - total)
        pieces.append(raw)
        total += len(raw)
    return b"".join(pieces)


def _error_for(path: str, fault: OSError) -> Exception:
    match fault.errno:
        case errno.ENOENT | errno.ENOTDIR | errno.ENAMETOOLONG:
            return FileGone(path)
        case errno.ELOOP:
            return SymlinkInPath(path)
        case errno.ENXIO:
            return FileUnreadable(path, "it is not a regular file")
        case _:
            return FileUnreadable(path, fault.strerror or "unknown")


def _check_links(root: Path, path: str) -> None:
    here = root
    for part in filter(None, path.split("/")):
        here /= part
        found = here.lstat()
        tag = getattr(found, "st_reparse_tag", 0)
        if stat.S_ISLNK(found.st_mode) or tag == _JUNCTION:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(here))


def _check_same(root: Path, path: str, opened: int) -> None:
    seen = (root / path).lstat()
    inside = (root / path).resolve().is_relative_to(root.resolve())
    if not inside or not os.path.samestat(seen, os.fstat(opened)):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)


def _open_checked(root: Path, path: str, flags: int) -> int:
    """Open by name where nothing better is to be had, and look at what was opened."""
    _check_links(root, path)
    opened = os.open(root / path, flags)
    try:
        _check_links(root, path)
        _check_same(root, path, opened)
    except OSError:
        os.close(opened)
        raise
    return opened
