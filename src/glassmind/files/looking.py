"""A file as it was found, and whether it still is that one."""

import os
import stat
import time
from typing import NamedTuple

from glassmind.errors.writing import NoteChanged, WriteFailed
from glassmind.files import audit
from glassmind.files.folder import OpenFolder
from glassmind.files.read import digest_of, read_all
from glassmind.files.staging import Dress, dress_of, refuse_read_only, sweep
from glassmind.model import MAX_NOTE_BYTES, NotePath

COARSE_NS = 2_000_000_000
"""The coarsest clock of a file system, that of FAT: a file written later than this
before it was read may have been written again under the same time."""

_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)


class Met(NamedTuple):
    """What the file system said of a file when its bytes were read.

    `settled` says that a change since then would show in its times.
    """

    facts: os.stat_result
    dress: Dress
    settled: bool


def met(folder: OpenFolder, name: str, path: NotePath, before: bytes) -> Met:
    """Return how a file was found that is as the caller read it, and may be changed.

    Raises:
        NoteChanged: it is another, or none.
        WriteFailed: it is no regular file, or read-only.
        OSError: the system refuses, or it has a second name.
    """
    raw, facts, dress, settled = _read(folder, name, path, before)
    if raw != before:
        raise NoteChanged(path, expected=digest_of(before), found=digest_of(raw))
    refuse_read_only(facts, path)
    if facts.st_nlink > 1:
        sweep(folder)  # a writer that was killed may have left it two names
        facts = folder.facts(name) or facts
        audit.refuse_other(facts)
    return Met(facts, dress, settled)


def refuse_changed(
    folder: OpenFolder, name: str, path: NotePath, before: bytes, then: Met
) -> None:
    """Raise `NoteChanged` for a file that is not any more as it was found."""
    facts = folder.facts(name)
    if facts is None:
        raise NoteChanged(path, expected=digest_of(before), found="")
    if then.settled and is_same(facts, then.facts):
        return
    raw, *_ = _read(folder, name, path, before)
    if raw != before:
        raise NoteChanged(path, expected=digest_of(before), found=digest_of(raw))


def is_one(now: os.stat_result, then: os.stat_result) -> bool:
    """Whether two looks found one file; some disks of others number them anew."""
    return os.path.samestat(now, then)


def is_same(now: os.stat_result, then: os.stat_result) -> bool:
    """Whether two looks found one file that nobody wrote in between."""
    return (
        is_one(now, then)
        and now.st_size == then.st_size
        and now.st_mtime_ns == then.st_mtime_ns
    )


def _read(
    folder: OpenFolder, name: str, path: NotePath, before: bytes
) -> tuple[bytes, os.stat_result, Dress, bool]:
    facts = folder.facts(name)
    if facts is None:
        raise NoteChanged(path, expected=digest_of(before), found="")
    _refuse_odd(facts, path)  # not even opened: somebody may wait for that at a pipe
    opened = folder.open(name, _READ)
    try:
        facts, now = os.fstat(opened), time.time_ns()
        _refuse_odd(facts, path)
        raw = read_all(opened, facts.st_size, max(len(before), MAX_NOTE_BYTES))
        settled = max(facts.st_mtime_ns, facts.st_ctime_ns) < now - COARSE_NS
        return raw, facts, dress_of(opened, facts), settled
    finally:
        os.close(opened)


def _refuse_odd(facts: os.stat_result, path: NotePath) -> None:
    if not stat.S_ISREG(facts.st_mode):
        raise WriteFailed(path, "it is not a regular file")
