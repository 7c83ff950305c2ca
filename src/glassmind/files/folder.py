"""A folder of a vault, open: what is done to the files in it is done from there.

A path that is followed anew for each step may lead elsewhere at the next one, since a
folder can be swapped for a symbolic link in between. An open folder stays the one it
was. Where the system has no such thing, as on Windows, every part is looked at before
each step.
"""

import errno
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self
from unicodedata import normalize

from glassmind.files.beneath import open_in_steps
from glassmind.files.read import read_all, spelling_order
from glassmind.files.rename import Entry, rename_new, swap

_BY_DESCRIPTOR = os.open in os.supports_dir_fd
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_PLAIN = getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)

TURN_S = 10.0
"""How long a writer waits for another in the same folder; each holds it for
milliseconds."""

LINKLESS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EXDEV)
"""What file systems say that cannot give a file a second name, such as FAT."""

LOOK_S = 0.01
"""How often it looks whether it is its turn."""


class OpenFolder:
    """One folder below a vault's root; every name is that of an entry of it.

    Whatever the system refuses raises `OSError`; a symbolic link does with `ELOOP`.
    """

    def __init__(self, place: Path, descriptor: int | None) -> None:
        self._place, self._descriptor = place, descriptor

    @classmethod
    def root_of(cls, root: Path) -> Self:
        """Open the folder of a vault."""
        return cls(root, os.open(root, _FOLDER) if _BY_DESCRIPTOR else None)

    def below(self, name: str, *, make: bool) -> Self:
        """Open a folder in this one, which is made first if need be."""
        try:
            return self._opened(name)
        except FileNotFoundError:
            other = self.spelled(name)
            if other != name:
                return self._opened(other)
            if not make:
                raise
        with suppress(FileExistsError):
            os.mkdir(self._at(name), dir_fd=self._descriptor)
            self.sync()
        return self._opened(name)

    def _opened(self, name: str) -> Self:
        place = self._place / name
        if self._descriptor is None:
            self._refuse_link(name)
            if not place.is_dir():
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
            return type(self)(place, None)
        return type(self)(place, open_in_steps(self._descriptor, name, _FOLDER))

    def spelled(self, name: str) -> str:
        """Return how the disk spells a name in NFC; the name itself for a new one."""
        if name.isascii() or self._has(name):
            return name
        alike = [found for found in self.names() if normalize("NFC", found) == name]
        return min(alike, key=spelling_order) if alike else name

    def _has(self, name: str) -> bool:
        """Whether an entry is spelled so: the first among those that are one in NFC."""
        try:
            os.lstat(self._at(name), dir_fd=self._descriptor)
        except OSError:
            return False
        return normalize("NFC", name) == name

    def names(self) -> list[str]:
        """Return the names of all entries."""
        held = self._descriptor
        return os.listdir(self._place if held is None else held)  # noqa: PTH208

    def facts(self, name: str) -> os.stat_result | None:
        """Return what the file system says of an entry; None where there is none."""
        try:
            found = os.lstat(self._at(name), dir_fd=self._descriptor)
        except FileNotFoundError:
            return None
        if stat.S_ISLNK(found.st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
        return found

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        """Open a file and return its descriptor."""
        if self._descriptor is None:
            self._refuse_link(name)
            return os.open(self._at(name), flags | _PLAIN, mode)
        return os.open(name, flags | _NOFOLLOW, mode, dir_fd=self._descriptor)

    def read(self, name: str, limit_bytes: int) -> bytes:
        """Return the bytes of a file; one more than the limit of a larger one."""
        opened = self.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            return read_all(opened, os.fstat(opened).st_size, limit_bytes)
        finally:
            os.close(opened)

    def give_new_name(self, name: str, new: str) -> None:
        """Give a file a name that no other has.

        Raises:
            FileExistsError: there is such a file.
        """
        if self.link(name, new):
            with suppress(OSError):  # it has both names now, and was given the new one
                self.unlink(name)
            return
        # To hold the name by an empty file first would leave that at a power cut.
        if self.facts(new) is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)
        self.replace(name, new)

    def replace(self, name: str, other: str) -> None:
        """Put a file in the place of another, in one step."""
        held = self._descriptor
        os.replace(self._at(name), self._at(other), src_dir_fd=held, dst_dir_fd=held)

    def swap(self, name: str, other: str) -> bool:
        """Let two files take each other's place; False where the system cannot."""
        held = self._descriptor
        return swap(Entry(self._at(name), held), Entry(self._at(other), held))

    def link(self, name: str, new: str) -> bool:
        """Give a file a second name; False where the system cannot."""
        held = self._descriptor
        try:
            os.link(self._at(name), self._at(new), src_dir_fd=held, dst_dir_fd=held)
        except NotImplementedError:
            return False
        except OSError as fault:
            if fault.errno not in LINKLESS:
                raise
            return False
        return True

    def give_to(self, other: "OpenFolder", name: str, new: str) -> None:
        """Move a file to another folder under a name that no file has there.

        Raises:
            FileExistsError: there is such a file.
        """
        ours, theirs = self._at(name), other._at(new)  # noqa: SLF001 - one of us
        rename_new(Entry(ours, self._descriptor), Entry(theirs, other._descriptor))  # noqa: SLF001

    def rename_to(self, other: "OpenFolder", name: str, new: str) -> None:
        """Move an entry, over itself where only its name is spelled otherwise."""
        ours, theirs = self._descriptor, other._descriptor  # noqa: SLF001 - one of us
        place = other._at(new)  # noqa: SLF001
        os.rename(self._at(name), place, src_dir_fd=ours, dst_dir_fd=theirs)

    def make(self, name: str) -> bool:
        """Make a folder; False where there is something of that name."""
        try:
            os.mkdir(self._at(name), dir_fd=self._descriptor)
        except FileExistsError:
            return False
        return True

    def remove(self, name: str) -> None:
        """Delete a folder in which nothing is."""
        os.rmdir(self._at(name), dir_fd=self._descriptor)

    def is_same(self, other: "OpenFolder") -> bool:
        """Whether both are one folder, whatever it was called when it was opened."""
        return os.path.samestat(self._facts(), other._facts())  # noqa: SLF001

    def _facts(self) -> os.stat_result:
        held = self._descriptor
        return os.stat(self._place if held is None else held)  # noqa: PTH116

    def unlink(self, name: str) -> None:
        """Delete a file."""
        os.unlink(self._at(name), dir_fd=self._descriptor)

    def sync(self) -> None:
        """Wait until the disk has the names; not every file system can be asked."""
        if self._descriptor is not None:
            with suppress(OSError):
                os.fsync(self._descriptor)

    @contextmanager
    def turn(self, wait_s: float = TURN_S) -> Iterator[None]:
        """Be the only writer of ours in this folder, in this process and others.

        Programs that do not ask, such as an editor, are not kept out.

        Raises:
            TimeoutError: another took too long.
        """
        if sys.platform == "win32" or self._descriptor is None:
            yield
            return
        until = time.monotonic() + wait_s
        while not _try_lock(self._descriptor):
            if time.monotonic() > until:
                raise TimeoutError(errno.ETIMEDOUT, "another program is writing there")
            time.sleep(LOOK_S)
        try:
            yield
        finally:
            _unlock(self._descriptor)

    def close(self) -> None:
        """Let go of the folder; a second time changes nothing."""
        if self._descriptor is not None:
            held, self._descriptor = self._descriptor, None
            with suppress(OSError):  # nothing was written to it that could be lost
                os.close(held)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _at(self, name: str) -> str:
        return name if self._descriptor is not None else str(self._place / name)

    def _refuse_link(self, name: str) -> None:
        self.facts(name)


if sys.platform != "win32":
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        """Take the lock of a folder; as if it were ours where the disk has none."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    def _unlock(descriptor: int) -> None:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
