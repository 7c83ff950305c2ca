"""An open folder of a vault, and what every writer does in it: stage, check, record.

An open folder stays the same, while a path may lead elsewhere at the next step, since a
folder can be swapped for a symbolic link. Windows checks every part before each step.

New bytes are staged beside the file that they replace, so that the last step is a
rename. A writer that dies leaves at most a staged file, known by its name.
"""

import errno
import json
import os
import stat
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self
from unicodedata import normalize

from glassmind.errors import (
    FileTooLarge,
    NotDownloaded,
    PathOutsideVault,
    SymlinkInPath,
    VaultError,
    VaultMissing,
    WriteFailed,
)
from glassmind.files.locks import try_lock, unlock
from glassmind.files.read import (
    NOT_HERE,
    SPLIT_IT,
    open_in_steps,
    read_all,
    spelling_order,
    stub_of,
)
from glassmind.files.scan import kind_of
from glassmind.model import MAX_NOTE_BYTES, Digest, NotePath

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


class OpenFolder:
    """One folder below a vault's root; every name is that of an entry of it.

    Whatever the system refuses raises `OSError`; a symbolic link does with `ELOOP`.
    """

    def __init__(self, place: Path, descriptor: int | None) -> None:
        self._place, self._descriptor = place, descriptor

    @classmethod
    def root_of(cls, root: Path) -> Self:
        return cls(root, os.open(root, _FOLDER) if _BY_DESCRIPTOR else None)

    def below(self, name: str, *, make: bool) -> Self:
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
            self.facts(name)  # refuses a link
            if not place.is_dir():
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
            return type(self)(place, None)
        return type(self)(place, open_in_steps(self._descriptor, name, _FOLDER))

    def spelled(self, name: str) -> str:
        """Return how the disk spells a name in NFC; the name itself for a new one."""
        if name.isascii():
            return name
        same = [entry for entry in self.names() if normalize("NFC", entry) == name]
        return min(same, key=spelling_order, default=name)

    def names(self) -> list[str]:
        held = self._descriptor
        return os.listdir(self._place if held is None else held)  # noqa: PTH208

    def facts(self, name: str) -> os.stat_result | None:
        try:
            found = os.lstat(self._at(name), dir_fd=self._descriptor)
        except FileNotFoundError:
            return None
        if stat.S_ISLNK(found.st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
        return found

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        if self._descriptor is None:
            self.facts(name)  # refuses a link
            return os.open(self._at(name), flags | _PLAIN, mode)
        return os.open(name, flags | _NOFOLLOW, mode, dir_fd=self._descriptor)

    def read(self, name: str, limit_bytes: int) -> bytes:
        """Return the bytes of a file; one more than the limit of a larger one."""
        opened = self.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            return read_all(opened, os.fstat(opened).st_size, limit_bytes)
        finally:
            os.close(opened)

    def replace(self, name: str, other: str) -> None:
        held = self._descriptor
        os.replace(self._at(name), self._at(other), src_dir_fd=held, dst_dir_fd=held)

    def swap(self, name: str, other: str) -> bool:
        """Let two files take each other's place; False where the system cannot."""
        held = self._descriptor
        here, there = FolderEntry(self._at(name), held), FolderEntry(other, held)
        code = _system_rename(here, there, _SWAP)
        if code and code not in _UNKNOWN:
            raise OSError(code, os.strerror(code), other)
        return not code

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
        """Rename a file; `FileExistsError` where something has the new name."""
        there = FolderEntry(other._at(new), other._descriptor)  # noqa: SLF001
        rename_new(FolderEntry(self._at(name), self._descriptor), there)

    def rename_to(self, other: "OpenFolder", name: str, new: str) -> None:
        """Move an entry, over itself where only its name is spelled otherwise."""
        ours, theirs = self._descriptor, other._descriptor  # noqa: SLF001 - one of us
        place = other._at(new)  # noqa: SLF001
        os.rename(self._at(name), place, src_dir_fd=ours, dst_dir_fd=theirs)

    def make(self, name: str) -> bool:
        try:
            os.mkdir(self._at(name), dir_fd=self._descriptor)
        except FileExistsError:
            return False
        return True

    def remove(self, name: str) -> None:
        os.rmdir(self._at(name), dir_fd=self._descriptor)

    def unlink(self, name: str) -> None:
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
        """
        if sys.platform == "win32" or self._descriptor is None:
            yield
            return
        until = time.monotonic() + wait_s
        while not try_lock(self._descriptor):
            if time.monotonic() > until:
                raise TimeoutError(errno.ETIMEDOUT, "another program is writing there")
            time.sleep(LOOK_S)
        try:
            yield
        finally:
            unlock(self._descriptor)

    def close(self) -> None:
        if self._descriptor is not None:
            held, self._descriptor = self._descriptor, None
            with suppress(OSError):  # nothing was written to it that could be lost
                os.close(held)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _at(self, name: str) -> str:
        return name if self._descriptor is not None else str(self._place / name)


_FORMS = {"linux": ("renameat2", 1), "darwin": ("renameatx_np", 4)}
"""What refuses to replace is called in C, and the flag that asks for it: see
renameat2(2) on Linux and renamex_np(2) on macOS."""

_SWAP = 2
_UNKNOWN = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
"""What a kernel or a file system says that has no such form."""


class FolderEntry(NamedTuple):
    """A name in an open folder; without a descriptor, a whole path."""

    name: str
    folder: int | None


def rename_new(old: FolderEntry, new: FolderEntry) -> None:
    """Rename a file; what is there by the new name, if anything, stays.

    Where the system cannot refuse by itself, we look first: only a program that makes
    the file in that very moment would lose it.
    """
    code = _system_rename(old, new, _FORMS.get(sys.platform, ("", 0))[1])
    if code and code not in _UNKNOWN:
        raise OSError(code, os.strerror(code), new.name)
    if not code:
        return
    try:
        os.lstat(new.name, dir_fd=new.folder)
    except FileNotFoundError:
        os.rename(old.name, new.name, src_dir_fd=old.folder, dst_dir_fd=new.folder)
    else:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new.name)


def _system_rename(old: FolderEntry, new: FolderEntry, flag: int) -> int:
    """Return the error number of a rename with a flag, 0 for success."""
    name, _ = _FORMS.get(sys.platform, ("", 0))
    call = _rename_call(name) if name and old.folder is not None else None
    if call is None:
        return errno.ENOSYS
    import ctypes  # noqa: PLC0415 - see `_rename_call`

    ends = (old.folder, os.fsencode(old.name), new.folder, os.fsencode(new.name))
    return ctypes.get_errno() if call(*ends, flag) else 0


@cache
def _rename_call(name: str) -> Any | None:
    # Imported late: ten milliseconds that only a writer should pay.
    import ctypes  # noqa: PLC0415

    call = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if call is not None:
        number, text = ctypes.c_int, ctypes.c_char_p
        call.argtypes = [number, text, number, text, ctypes.c_uint]
    return call


STAGED, STAGED_END = ".glassmind-", ".part"
"""How a staged file is called around a random number; a dot hides it from all."""

_HAS_ATTRIBUTES = hasattr(os, "listxattr")


class FileSnapshot(NamedTuple):
    """A file as it was found; the one in its place gets its mode and attributes.

    Owner and attributes are set as far as the system lets us.
    """

    facts: os.stat_result
    extended: Sequence[tuple[str, bytes]] = ()


def staged_name() -> str:
    return f"{STAGED}{os.urandom(8).hex()}{STAGED_END}"


def above(path: str) -> str:
    return path.rpartition("/")[0]


def open_folder(root: Path, path: str, *, make: bool = False) -> OpenFolder:
    try:
        here = OpenFolder.root_of(root)
    except OSError as fault:
        raise VaultMissing(str(root), fault.strerror or "unknown") from fault
    try:
        for part in path.split("/") if path else ():
            upper, here = here, here.below(part, make=make)
            upper.close()
    except OSError:
        here.close()
        raise
    return here


@contextmanager
def folder_of(
    root: Path, path: NotePath, *, make: bool
) -> Iterator[tuple[OpenFolder, str]]:
    """Open the folder a file stands in, and tell how the disk spells its name."""
    with name_errors(path, absent=make):
        here = open_folder(root, above(path), make=make)
    try:
        with name_errors(path, absent=make):
            name = here.spelled(path.rpartition("/")[2])
        yield here, name
    finally:
        here.close()


@contextmanager
def name_errors(path: str, *, absent: bool = True) -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        if isinstance(fault, FileNotFoundError) and not absent:
            raise
        if fault.errno == errno.ELOOP:
            raise SymlinkInPath(path) from fault
        raise WriteFailed(path, fault.strerror or str(fault)) from fault


ATTACHMENT_LIMIT_BYTES = 512 * 1024 * 1024
"""A moved or deleted file is read whole, to compare it and to undo the change."""

MOVE_IT = "; move or delete it in Obsidian"


def content(
    folder: OpenFolder,
    name: str,
    path: NotePath,
    limit_bytes: int = MAX_NOTE_BYTES,
) -> bytes | None:
    with name_errors(path):
        facts = folder.facts(name)
        if facts is None:
            if is_offloaded(folder, path):
                raise NotDownloaded(path, NOT_HERE)
            return None
        if not stat.S_ISREG(facts.st_mode):
            raise WriteFailed(path, "it is not a regular file")
        limit, remedy = limit_bytes, SPLIT_IT
        if kind_of(path) == "attachment":
            limit, remedy = ATTACHMENT_LIMIT_BYTES, MOVE_IT
        raw = b"" if facts.st_size > limit else folder.read(name, limit)
        if max(facts.st_size, len(raw)) > limit:
            raise FileTooLarge(path, limit, remedy)
        return raw


def is_offloaded(folder: OpenFolder, path: str) -> bool:
    try:
        facts = folder.facts(folder.spelled(stub_of(path.rpartition("/")[2])))
    except OSError:  # a link, or too long a name: iCloud makes neither
        return False
    return facts is not None and stat.S_ISREG(facts.st_mode)


def refuse_read_only(facts: os.stat_result, path: NotePath) -> None:
    if not facts.st_mode & stat.S_IWUSR:
        raise WriteFailed(path, "it is read-only")


def snapshot_of(opened: int, facts: os.stat_result) -> FileSnapshot:
    extended = []
    if _HAS_ATTRIBUTES:
        with suppress(OSError):
            names = os.listxattr(opened)
            extended = [(name, os.getxattr(opened, name)) for name in names]
    return FileSnapshot(facts, extended)


def stage(
    folder: OpenFolder, staged: str, raw: bytes, like: FileSnapshot | None
) -> None:
    opened = folder.open(staged, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    try:
        if like is not None and hasattr(os, "fchmod"):
            owner = (like.facts.st_uid, like.facts.st_gid)
            if owner != (os.geteuid(), os.getegid()):
                with suppress(OSError):
                    os.fchown(opened, *owner)
            os.fchmod(opened, stat.S_IMODE(like.facts.st_mode))
            for name, value in like.extended:
                with suppress(OSError):
                    os.setxattr(opened, name, value)
        write_all(opened, raw)
        os.fsync(opened)
    finally:
        os.close(opened)


def sweep(folder: OpenFolder) -> bool:
    left = (
        n for n in folder.names() if n.startswith(STAGED) and n.endswith(STAGED_END)
    )
    gone = [is_gone(folder, name) for name in left]
    return all(gone)


def is_gone(folder: OpenFolder, name: str) -> bool:
    try:
        folder.unlink(name)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


LOG = "logs/writes.jsonl"
"""Where the record stands below the agent folder; what is there is never indexed."""


class AuditFile(NamedTuple):
    """Where lines go: a file below the folder of a vault, or below one outside."""

    root: Path
    path: NotePath


class AuditEntry(NamedTuple):
    """A write about to be made, and why; `before` is None for a new file.

    `client` is who asked for it. What is moved goes `to` another path; a whole folder
    is told without digests.
    """

    path: NotePath
    before: Digest | None
    after: Digest | None
    size_bytes: int
    why: str
    client: str = ""
    to: NotePath | None = None


def record(
    file: AuditFile,
    entries: Sequence[AuditEntry],
    at: datetime,
    *,
    undone: bool = False,
) -> None:
    """Add a line for each write to the record, or raise `WriteFailed`."""
    lines = b""
    for entry in entries:
        fields = {
            "at": at.isoformat(timespec="seconds"),
            "client": entry.client,
            "path": entry.path,
            "why": entry.why,
            "before": entry.before,
            "after": entry.after,
            "bytes": entry.size_bytes,
        }
        if entry.to is not None:
            fields["to"] = entry.to
        if undone:
            fields["undone"] = True
        lines += json.dumps(fields, ensure_ascii=False).encode() + b"\n"
    try:
        with folder_of(file.root, file.path, make=True) as (folder, name):
            known = folder.facts(name)
            append(folder, name, lines)
            if known is None:
                folder.sync()
    except PathOutsideVault:
        raise
    except (OSError, VaultError) as fault:
        reason = (fault.strerror if isinstance(fault, OSError) else None) or str(fault)
        said = f"it cannot go on record in {file.path} ({reason})"
        raise WriteFailed(entries[0].path, said) from fault


def append(folder: OpenFolder, name: str, line: bytes) -> None:
    """Add a line, or several, to a file and wait until the disk has it.

    A line that an earlier death or a full disk cut short is ended first. What the disk
    refuses raises `OSError`, and so does a file that has a second name: it may be a
    note.
    """
    flags = os.O_CREAT | os.O_RDWR | os.O_APPEND | getattr(os, "O_NONBLOCK", 0)
    opened = folder.open(name, flags)
    try:
        refuse_special_file(os.fstat(opened))
        size = os.lseek(opened, 0, os.SEEK_END)
        if size:
            os.lseek(opened, size - 1, os.SEEK_SET)
            line = line if os.read(opened, 1) == b"\n" else b"\n" + line
        write_all(opened, line)
        os.fsync(opened)
    finally:
        os.close(opened)


def refuse_special_file(facts: os.stat_result) -> None:
    """Raise `OSError` for what is no regular file, or has a second name."""
    if not stat.S_ISREG(facts.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
    if facts.st_nlink > 1:
        reason = "it is one with another file, by a hard link; copy or delete one"
        raise OSError(errno.EMLINK, f"{reason} of them")


def write_all(opened: int, raw: bytes) -> None:
    left = memoryview(raw)
    while left:
        left = left[os.write(opened, left) :]
