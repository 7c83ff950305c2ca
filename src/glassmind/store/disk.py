"""Whole files, synced folders, kinds of disk, and when old data may be deleted."""

import json
import os
import stat
import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path


def sync_folder(place: Path | str) -> None:
    """Make the names in a folder last, where the system knows how to."""
    if os.name != "posix":  # pragma: no cover
        return
    folder = os.open(place, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


_NETWORK_KINDS = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "afpfs", "webdav", "davfs", "9p",
     "fuse.sshfs", "fuse.rclone", "fuse.gvfsd-fuse", "ncpfs", "glusterfs", "ceph"}
)  # fmt: skip
"""File systems that several hosts can share, where SQLite's WAL is not safe."""

_MOUNTS = Path("/proc/self/mounts")


def filesystem_kind(folder: Path, mounts: Path = _MOUNTS) -> str:
    """Return the type of the file system of `folder`; empty if it cannot be told."""
    if sys.platform == "win32":  # pragma: no cover
        return "smbfs" if str(folder).startswith("\\\\") else ""
    try:
        lines = mounts.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return ""
    here = os.path.realpath(folder)
    best, kind = "", ""
    for line in lines:
        parts = line.split()
        if len(parts) < 3:  # noqa: PLR2004 - device, place, type
            continue
        place = parts[1].replace("\\040", " ")
        inside = here == place or here.startswith(place.rstrip("/") + "/")
        if inside and len(place) >= len(best):
            best, kind = place, parts[2]
    return kind


def on_network(folder: Path, mounts: Path = _MOUNTS) -> bool:
    return filesystem_kind(folder, mounts) in _NETWORK_KINDS


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
    """Make folders, each in the one before, and see that nobody else looks in."""
    for folder in folders:
        try:
            facts = os.lstat(folder)
        except FileNotFoundError:
            Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
            facts = os.lstat(folder)
        if stat.S_IMODE(facts.st_mode) & 0o077:
            Path(folder).chmod(0o700)


def write_whole(
    file: str, raw: bytes, *, soon: bool = False, made: float | None = None
) -> None:
    """Write a file for its owner alone, whole or not at all, and wait for the disk.

    With `soon` it gets its name first, so that the disk is waited for but once. A power
    cut before that has come to an end may leave a torn file, and no file of the vault
    is touched before. `made` is the time it says it was written at. Raises OSError.
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
        drop(staged)
        if soon:
            drop(file)
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


_NAME = "clock.json"

_STEP = timedelta(days=30)
"""A longer gap since the last run may be a clock that was set wrong."""

_STEADY = timedelta(days=1)
"""How long the clock must have run without a step before anything is purged."""

_WRITE_EVERY = timedelta(hours=1)
"""How often at most the time of the last run is written."""


def may_purge(folder: Path, now: datetime) -> bool:
    """Whether old data in the folder may be deleted now; records the time of this run.

    After a step of the clock, more than 30 days ahead or a day back, the answer is no
    until a run at least a day later. A missing record counts as a step.
    """
    now = now.astimezone(UTC)
    last, since = _read(folder) or (None, now)
    if last is None or not -_STEADY <= now - last <= _STEP:
        _write(folder, now, now)
        return False
    if abs(now - last) >= _WRITE_EVERY:
        _write(folder, now, since)
    return now - since >= _STEADY


def _read(folder: Path) -> tuple[datetime, datetime] | None:
    """Return when the last run was, and since when the clock is steady."""
    try:
        last, since = map(
            datetime.fromisoformat, json.loads((folder / _NAME).read_bytes())
        )
        return last.astimezone(UTC), since.astimezone(UTC)
    except (OSError, ValueError, TypeError, OverflowError, RecursionError):
        return None


def _write(folder: Path, last: datetime, since: datetime) -> None:
    text = json.dumps([last.isoformat(), since.isoformat()])
    with suppress(OSError):  # without a record, nothing is purged
        write_whole(str(folder / _NAME), text.encode())


def sqlite_version() -> str:
    import apsw  # noqa: PLC0415 - only the store needs a database driver

    return apsw.sqlite_lib_version()
