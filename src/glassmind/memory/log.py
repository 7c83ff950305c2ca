"""The log of writes to the vault, read from `logs/writes.jsonl`."""

from collections.abc import Callable
from datetime import date, datetime
from functools import cache

from msgspec import DecodeError, json

from glassmind.errors import BadLimit, FileGone
from glassmind.files.folder import LOG
from glassmind.files.read import VaultFiles
from glassmind.files.scan import kind_of
from glassmind.model.memory import WriteLog, WriteRecord

LIMIT_BYTES = 16 * 1024 * 1024
"""About 50,000 writes, read in half a second; older ones are in the file."""

MOST_RECORDS = 10_000  # writes that are returned at once


def write_log(
    files: VaultFiles, folder: str, *, limit: int, since: date | None, path: str | None
) -> WriteLog:
    """Return what was written, the newest first; nothing if there is no log.

    With `since`, from that day on; with `path`, of that file or below that folder.
    """
    if not 1 <= limit <= MOST_RECORDS:
        raise BadLimit(limit, MOST_RECORDS)
    log = f"{folder}/{LOG}"
    try:
        raw, skipped = files.tail(log, limit_bytes=LIMIT_BYTES)
    except FileGone:
        return WriteLog((), 0)
    lines = raw.split(b"\n")[1 if skipped else 0 :]  # the first may be half a line
    read = [record_of(line) for line in lines if line.strip()]
    may_show = _visible(files, folder)
    records = [
        record
        for record in read
        if record and _is_wanted(record, since, path) and may_show(record)
    ]
    problems = []
    if wrong := read.count(None):
        problems.append(f"{log}: {wrong:,} lines are not records of writes")
    if skipped:
        problems.append(f"{log}: the first {skipped:,} bytes were skipped")
    return WriteLog(tuple(records[: -limit - 1 : -1]), len(records), tuple(problems))


def _visible(files: VaultFiles, folder: str) -> Callable[[WriteRecord], bool]:
    """Return which writes may be shown to whoever reads these files.

    A scope is shown the writes of files that it may read, unless they were moved from
    where it may read nothing. The lists of pins and dismissals are left out then: their
    size and digest depend on hidden notes.
    """
    may_tell, may_name = cache(files.may_tell), cache(files.may_name)

    def may_show(record: WriteRecord) -> bool:
        in_folder = record.path.startswith(f"{folder}/")
        is_list = in_folder and kind_of(record.path) == "attachment"
        return (
            (files.sees_all or not is_list)
            and may_tell(record.to or record.path)
            and (record.to is None or may_name(record.path))
        )

    return may_show


def record_of(line: bytes) -> WriteRecord | None:
    try:
        record = json.decode(line, type=WriteRecord)
        moment = datetime.fromisoformat(record.at)
    except (DecodeError, ValueError, RecursionError):
        return None
    return record if moment.tzinfo and record.bytes >= 0 else None


def _is_wanted(record: WriteRecord, since: date | None, path: str | None) -> bool:
    if since and datetime.fromisoformat(record.at).astimezone().date() < since:
        return False
    if path is None:
        return True
    wanted = path.removeprefix("./").rstrip("/")
    touched = (record.path, record.to or record.path)
    return any(
        note_path == wanted or note_path.startswith(f"{wanted}/")
        for note_path in touched
    )
