"""The record of every write to a vault: one line of JSON each, never changed later."""

import errno
import json
import os
import stat
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from glassmind.files.folder import OpenFolder
from glassmind.model import Digest, NotePath

LOG = "logs/writes.jsonl"
"""Where the record stands below the agent folder; what is there is never indexed."""


class Record(NamedTuple):
    """Where lines go: a file below the folder of a vault, or below one outside."""

    root: Path
    path: NotePath


class Act(NamedTuple):
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


def line_of(act: Act, at: datetime, *, undone: bool = False) -> bytes:
    """Return a line of the record; `undone` says that nothing came of the one before.

    It stands there before the file is replaced: no write goes unrecorded, and whether
    one was made shows in the file's own digest.
    """
    said = {
        "at": at.isoformat(timespec="seconds"),
        "client": act.client,
        "path": act.path,
        "why": act.why,
        "before": act.before,
        "after": act.after,
        "bytes": act.size_bytes,
    }
    if act.to is not None:
        said["to"] = act.to
    if undone:
        said["undone"] = True
    return json.dumps(said, ensure_ascii=False).encode() + b"\n"


def lines_of(acts: Iterable[Act], at: datetime, *, undone: bool = False) -> bytes:
    """Return the lines of several writes that are one change."""
    return b"".join(line_of(act, at, undone=undone) for act in acts)


def append(folder: OpenFolder, name: str, line: bytes) -> None:
    """Add a line, or several, to a file and wait until the disk has it.

    A line that an earlier death or a full disk cut short is ended first. What the disk
    refuses raises `OSError`, and so does a file that has a second name: it may be a
    note.
    """
    flags = os.O_CREAT | os.O_RDWR | os.O_APPEND | getattr(os, "O_NONBLOCK", 0)
    opened = folder.open(name, flags)
    try:
        refuse_other(os.fstat(opened))
        size = os.lseek(opened, 0, os.SEEK_END)
        if size:
            os.lseek(opened, size - 1, os.SEEK_SET)
            line = line if os.read(opened, 1) == b"\n" else b"\n" + line
        write_all(opened, line)
        os.fsync(opened)
    finally:
        os.close(opened)


def refuse_other(facts: os.stat_result) -> None:
    """Raise `OSError` for what is no regular file, or has a second name."""
    if not stat.S_ISREG(facts.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
    if facts.st_nlink > 1:
        said = "it is one with another file, by a hard link; copy or delete one of them"
        raise OSError(errno.EMLINK, said)


def write_all(opened: int, raw: bytes) -> None:
    """Write all bytes to a descriptor."""
    left = memoryview(raw)
    while left:
        left = left[os.write(opened, left) :]
