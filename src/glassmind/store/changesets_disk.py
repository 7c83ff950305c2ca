"""The files that changesets are kept in: for their owner alone, and whole or not there.

Paths are text here: a change of one note looks at a dozen of them, within milliseconds.
"""

import os
import stat
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from glassmind.store.place import make_folder
from glassmind.store.syncing import sync_folder

PART = ".part"
"""How a file ends that is not whole yet."""

_FLAGS = (
    os.O_CREAT
    | os.O_EXCL
    | os.O_WRONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)


def make_own(*folders: str) -> None:
    """Make folders, each in the one before, and see that nobody else looks in.

    Raises:
        OSError: the disk refuses.
    """
    for folder in folders:
        try:
            facts = os.lstat(folder)
        except FileNotFoundError:
            why = make_folder(Path(folder))
            if why is not None:
                raise OSError(why) from None
            facts = os.lstat(folder)
        if stat.S_IMODE(facts.st_mode) & 0o077:
            Path(folder).chmod(0o700)


def write_whole(
    file: str, raw: bytes, *, soon: bool = False, made: float | None = None
) -> None:
    """Write a file for its owner alone, whole or not at all, and wait for the disk.

    With `soon` it gets its name first, so that the disk is waited for but once. A power
    cut before that has come to an end may leave a torn file, and no file of the vault
    is touched before. `made` is the time it says it was written at.

    Raises:
        OSError: the disk refuses, and nothing is left.
    """
    staged = f"{os.path.splitext(file)[0]}-{os.urandom(4).hex()}{PART}"  # noqa: PTH122
    opened = os.open(staged, _FLAGS, 0o600)
    try:
        with os.fdopen(opened, "wb", buffering=0) as writing:
            left = memoryview(raw)
            while left:
                left = left[writing.write(left) :]
            if made is not None:
                os.utime(staged, (made, made))
            if soon:
                os.replace(staged, file)  # noqa: PTH105
            os.fsync(opened)
        if not soon:
            os.replace(staged, file)  # noqa: PTH105
    except OSError:
        for one in (staged, file) if soon else (staged,):
            drop(one)
        raise
    sync(os.path.dirname(file))  # noqa: PTH120


def sync(folder: str) -> None:
    """Wait until the disk has the names; not every file system can be asked."""
    with suppress(OSError):
        sync_folder(folder)


def drop(file: str, now: datetime | None = None) -> None:
    """Delete a file; with a time, only one that has long been left alone."""
    if now is not None and time_of(file) > (now - timedelta(days=1)).timestamp():
        return
    with suppress(OSError):
        os.unlink(file)  # noqa: PTH108


def time_of(file: str) -> float:
    """Return when a changeset was made, which its file says too."""
    try:
        return os.stat(file).st_mtime  # noqa: PTH116
    except OSError:
        return float("inf")


def moment_of(file: str) -> datetime:
    """Return when a file was written; the first moment of all for one that is gone."""
    time = time_of(file)
    return datetime.fromtimestamp(0 if time == float("inf") else time).astimezone()
