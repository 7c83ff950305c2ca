"""What every writer of a vault does: it opens the folder, looks, stages and sweeps.

New bytes are staged in the folder of the file whose place they take, so that the last
step is a name alone. A writer that dies leaves at most a staged file, whose name tells
what it is.
"""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from glassmind.errors import FileTooLarge, NotDownloaded, VaultMissing
from glassmind.errors.vault import SymlinkInPath
from glassmind.errors.writing import NameTaken, NoteChanged, WriteFailed
from glassmind.files import audit
from glassmind.files.folder import OpenFolder
from glassmind.files.placeholder import NOT_HERE, stub_of
from glassmind.files.read import SPLIT_IT, digest_of
from glassmind.files.scan import kind_of
from glassmind.model import MAX_NOTE_BYTES, Digest, NotePath

STAGED, STAGED_END = ".glassmind-", ".part"
"""How a staged file is called around a random number; a dot hides it from all."""

_HAS_ATTRIBUTES = hasattr(os, "listxattr")


class Dress(NamedTuple):
    """What a file has besides its bytes, and the one in its place should have too.

    Owner and attributes are given as far as the system lets us.
    """

    mode: int
    owner: tuple[int, int] | None = None
    attributes: Sequence[tuple[str, bytes]] = ()


def staged_name() -> str:
    """Return a name for a staged file that no other has."""
    return f"{STAGED}{os.urandom(8).hex()}{STAGED_END}"


def above(path: str) -> str:
    """Return the folder that a path stands in; empty for that of the vault."""
    return path.rpartition("/")[0]


def open_folder(root: Path, path: str, *, make: bool = False) -> OpenFolder:
    """Open a folder of a vault, which may have to be made.

    Raises:
        VaultMissing: there is no vault.
        OSError: the system refuses; `ELOOP` for a symbolic link.
    """
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
    with faults_named(path, absent=make):
        here = open_folder(root, above(path), make=make)
    try:
        with faults_named(path, absent=make):
            name = here.spelled(path.rpartition("/")[2])
        yield here, name
    finally:
        here.close()


@contextmanager
def faults_named(path: str, *, absent: bool = True) -> Iterator[None]:
    """Let what the system refuses be told of a file.

    Without `absent`, that something is not there is raised as it is.
    """
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
"""What to do with an attachment that is too large."""


def content(
    folder: OpenFolder,
    name: str,
    path: NotePath,
    limit_bytes: int = MAX_NOTE_BYTES,
) -> bytes | None:
    """Return the bytes of a regular file; None where there is none.

    `limit_bytes` is for notes; attachments have a limit of their own.

    Raises:
        FileTooLarge: it is above its limit.
        NotDownloaded: iCloud has taken it away.
        WriteFailed: it is no regular file, or cannot be read.
    """
    with faults_named(path):
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
    """Whether a stub of iCloud in its folder stands for a file."""
    try:
        facts = folder.facts(folder.spelled(stub_of(path.rpartition("/")[2])))
    except OSError:  # a link, or too long a name: iCloud makes neither
        return False
    return facts is not None and stat.S_ISREG(facts.st_mode)


def refuse_taken(folder: OpenFolder, name: str, path: str) -> None:
    """Raise `NameTaken` where a file of that name is, on this machine or not."""
    if folder.facts(name) is not None:
        raise NameTaken(path)
    if is_offloaded(folder, path):
        raise NameTaken(path, NOT_HERE)


def checked(
    folder: OpenFolder, name: str, path: NotePath, expected: Digest | None
) -> int | None:
    """Return the permissions of a file that is as the caller read it; None if new."""
    raw = content(folder, name, path)
    found = None if raw is None else digest_of(raw)
    if found != expected:
        raise NoteChanged(path, expected=expected or "", found=found or "")
    facts = folder.facts(name)
    if facts is None:
        return None
    audit.refuse_other(facts)
    refuse_read_only(facts, path)
    return stat.S_IMODE(facts.st_mode)


def refuse_read_only(facts: os.stat_result, path: NotePath) -> None:
    """Raise `WriteFailed` for a file that its owner may not write."""
    if not facts.st_mode & stat.S_IWUSR:
        raise WriteFailed(path, "it is read-only")


def dress_of(opened: int, facts: os.stat_result) -> Dress:
    """Return what an open file has besides its bytes."""
    owner = (facts.st_uid, facts.st_gid)
    kept = []
    if _HAS_ATTRIBUTES:
        with suppress(OSError):
            kept = [(name, os.getxattr(opened, name)) for name in os.listxattr(opened)]
    return Dress(stat.S_IMODE(facts.st_mode), owner, kept)


def stage(folder: OpenFolder, staged: str, raw: bytes, dress: Dress | None) -> None:
    """Write the bytes beside their place and wait until the disk has them."""
    opened = folder.open(staged, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    try:
        if dress is not None and hasattr(os, "fchmod"):
            _put_on(opened, dress)
        audit.write_all(opened, raw)
        os.fsync(opened)
    finally:
        os.close(opened)


def _put_on(opened: int, dress: Dress) -> None:
    owner = dress.owner if hasattr(os, "fchown") else None
    if owner is not None and owner != (os.geteuid(), os.getegid()):
        with suppress(OSError):
            os.fchown(opened, *owner)
    os.fchmod(opened, dress.mode)
    for name, value in dress.attributes:
        with suppress(OSError):
            os.setxattr(opened, name, value)


def sweep(folder: OpenFolder) -> bool:
    """Delete what writers left that did not live to finish; it is our turn now.

    Returns whether nothing of it is there any more.
    """
    left = (
        n for n in folder.names() if n.startswith(STAGED) and n.endswith(STAGED_END)
    )
    gone = [is_gone(folder, name) for name in left]
    return all(gone)


def is_gone(folder: OpenFolder, name: str) -> bool:
    """Delete a staged file; whether it is gone then."""
    try:
        folder.unlink(name)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
