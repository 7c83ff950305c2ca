"""What was written to a vault, told from the record that every write leaves.

The record only grows, so it is read from its end and no further than a bound. Lines
that say nothing are told as problems: half of one that a death cut short, or one that
somebody else wrote there.
"""

import json
from collections.abc import Iterator
from datetime import date, datetime
from functools import cache
from typing import Any

from glassmind.errors import BadLimit, FileGone
from glassmind.files.folder import LOG
from glassmind.files.read import VaultFiles
from glassmind.files.scan import kind_of
from glassmind.model import Digest, NotePath
from glassmind.model.memory import WriteLog, WriteRecord

LIMIT_BYTES = 16 * 1024 * 1024
"""About 50,000 writes, read in half a second; what is older is in the file."""

MOST_RECORDS = 10_000
"""Writes that are told at once."""

MOST_TOLD = 10
"""Lines that are named as problems."""


def write_log(
    files: VaultFiles, folder: str, *, limit: int, since: date | None, path: str | None
) -> WriteLog:
    """Return what was written, the newest first; nothing where no record is.

    With `since`, from that day on; with `path`, of that file or below that folder. Who
    may not read every note is told of those that are there and may be read, unless they
    came from where nothing may. The lists of pins and dismissals are left out then:
    their size and digest depend on hidden notes.

    Raises:
        BadLimit: so many are not told at once.
        FileUnreadable: the record is there and cannot be read.
    """
    if not 1 <= limit <= MOST_RECORDS:
        raise BadLimit(limit, MOST_RECORDS)
    log = f"{folder}/{LOG}"
    try:
        raw, left_out = files.tail(log, limit_bytes=LIMIT_BYTES)
    except FileGone:
        return WriteLog((), 0)
    may_tell, may_name = cache(files.may_tell), cache(files.may_name)

    def is_list(path: str) -> bool:  # of pins or dismissals, which may name any note
        return path.startswith(f"{folder}/") and kind_of(path) == "attachment"

    records: list[WriteRecord] = []
    wrong: list[int] = []
    for number, line in _lines(raw, whole=left_out == 0):
        found = record_of(line)
        if found is None:
            wrong.append(number)
        elif (
            _is_asked_for(found, since, path)
            and (files.sees_all or not is_list(found.path))
            and may_tell(found.to or found.path)
            and (found.to is None or may_name(found.path))
        ):
            records.append(found)
    problems = _told(log, wrong, left_out, numbered=files.sees_all and not left_out)
    return WriteLog(tuple(records[: -limit - 1 : -1]), len(records), problems)


def record_of(line: bytes) -> WriteRecord | None:
    """Return the write that a line tells of; None for a line that tells of none."""
    try:
        said = json.loads(line)
        moment = datetime.fromisoformat(said["at"])
        path, why = said["path"], said["why"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if moment.tzinfo is None or not (isinstance(path, str) and isinstance(why, str)):
        return None
    size = said.get("bytes")
    return WriteRecord(
        at=said["at"],
        path=NotePath(path),
        why=why,
        client=_text(said.get("client")) or "",
        before=_digest(said.get("before")),
        after=_digest(said.get("after")),
        bytes=size if isinstance(size, int) and size >= 0 else 0,
        undone=said.get("undone") is True,
        to=None if (to := _text(said.get("to"))) is None else NotePath(to),
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _digest(value: Any) -> Digest | None:
    text = _text(value)
    return None if text is None else Digest(text)


def _lines(raw: bytes, *, whole: bool) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that say something, counted; half a one at the front is none."""
    lines = raw.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if line.strip() and (whole or number > 1):
            yield number, line


def _is_asked_for(record: WriteRecord, since: date | None, path: str | None) -> bool:
    if since is not None:
        day = datetime.fromisoformat(record.at).astimezone().date()
        if day < since:
            return False
    if path is None:
        return True
    asked = path.removeprefix("./").rstrip("/")
    touched = (record.path, record.to or record.path)
    return any(one == asked or one.startswith(f"{asked}/") for one in touched)


def _told(
    log: str, wrong: list[int], left_out: int, *, numbered: bool
) -> tuple[str, ...]:
    # without the front of the file, nobody knows which line it is, and where some
    # lines are hidden the number would count them
    told = [
        f"{log}: line {number} is no record of a write"
        if numbered
        else f"{log}: a line is no record of a write"
        for number in wrong[:MOST_TOLD]
    ]
    if len(wrong) > MOST_TOLD:
        told.append(f"{log}: {len(wrong) - MOST_TOLD:,} more lines are none")
    if left_out:
        told.append(f"{log}: the first {left_out:,} bytes of it were not looked at")
    return tuple(dict.fromkeys(told))
