"""The access log: which client was given which passages, when.

It stands in the user's data folder and never in the vault. A line of JSON for each
answer: when, to whom, by which way and verb, and the places that it showed, but neither
their text nor what was asked. Each day has a file, and one that is full is followed by
the next of that day, so that lines are only ever added, by any number of processes, and
nothing is renamed. Files are deleted when they are as old as the settings say, and
before that, the oldest first, when all of them take too much room.
"""

import json
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from json.encoder import encode_basestring as _quoted
from pathlib import Path
from unicodedata import normalize

from glassmind.model.access import Passage, Reading, Shown, Sum, SumBy, Wanted
from glassmind.store.disk import may_purge
from glassmind.store.place import can_write, make_folder

_NOTE_SUFFIX = ".md"

_FILES = "access-log-*.jsonl"

_FULL_BYTES = 8 * 1024 * 1024
"""When a file of a day is followed by the next: some ten thousand searches."""

_MOST_BYTES = 256 * 1024 * 1024
"""Room for all files: a third of a million searches. A client that asks without pause
pushes out what is oldest, and nothing less than days of that reaches what is recent."""

MOST_NAMED = 100
"""Notes of an answer on record that it only names: a list of a vault is no reading, and
must not push out what was read."""

_BLOCK = 64 * 1024
"""Bytes read at once, from the end of a file to its beginning."""

_ALL = Wanted()

_FLAGS = os.O_CREAT | os.O_WRONLY | os.O_APPEND | getattr(os, "O_NONBLOCK", 0)
_FLAGS |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)

_BEGIN = b'{"at":'
_NAME = re.compile(r"access-log-(\d{4}-\d{2}-\d{2})\.(\d{3,})\.jsonl")


class AccessLog:
    """The access log of one vault; for any number of threads and processes.

    `folders` may hold it, the first that takes a line does. Without any, or with none
    that can be written, nothing is on record, and no answer fails for it.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        *,
        keep_days: int,
        full_bytes: int = _FULL_BYTES,
        most_bytes: int = _MOST_BYTES,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self.folders, self.keep_days = tuple(folders), keep_days
        self._full_bytes, self._most_bytes = full_bytes, most_bytes
        self._clock_ns = clock_ns
        self._part, self._stamp = ("", 0), (-1, "")

    def append(self, surface: str, verb: str, client: str, shown: Shown) -> bool:
        """Add what an answer showed; return whether it is on record.

        An answer that shows and names no note is none.
        """
        if not shown.passages and not shown.named:
            return True
        second, rest = divmod(self._clock_ns(), 10**9)
        known, stamp = self._stamp
        if known != second:
            stamp = datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")
            self._stamp = (second, stamp)
        at = f"{stamp}.{rest // 1000:06d}+00:00"
        line = _line(at, surface, verb, client, shown)
        raw = line.encode("utf-8", "surrogatepass")
        for folder in self.folders:
            try:
                self._write(folder, stamp[:10], raw)
            except OSError:
                continue
            return True
        return False

    def _write(self, folder: Path, day: str, line: bytes) -> None:
        """Add a line to the file of a day that has room, opened for this line alone.

        So if the file is deleted or moved, the next line begins a new one.
        """
        known, part = self._part
        part = part if known == day else 0
        while True:
            opened = _opened(
                f"{folder}{os.sep}access-log-{day}.{part:03d}.jsonl", folder
            )
            try:
                facts = os.fstat(opened)
                if not stat.S_ISREG(facts.st_mode):
                    raise OSError("it is not a regular file")
                last = part if facts.st_size else _last_part(folder, day)
                if last > part:  # what was there had gone, for want of room
                    part = last - 1
                elif facts.st_size < self._full_bytes:
                    if os.write(opened, line) != len(line):  # whole, behind all others
                        raise OSError("the disk is full")
                    break
            finally:
                os.close(opened)
            part += 1
        self._part = (day, part)
        if not facts.st_size:
            self._purge(folder)

    def purge(self) -> None:
        """Let go of what is older than the settings say."""
        for folder in self.folders:
            self._purge(folder)

    def _purge(self, folder: Path) -> None:
        room = self._most_bytes
        oldest = self._oldest_day() if may_purge(folder, self._now()) else ""
        for file in _files_in([folder]):
            with suppress(OSError):
                room -= file.stat().st_size
                if _day_of(file) < oldest or room < 0:
                    file.unlink()

    def _oldest_day(self) -> str:
        return (self._now() - timedelta(days=self.keep_days)).strftime("%Y-%m-%d")

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock_ns() // 10**9, UTC)

    def trouble(self) -> str:
        """Return why nothing could go on record now; empty where it can."""
        if any(can_write(folder) for folder in self.folders):
            return ""
        lacking = "no folder outside of the vault can be written"
        return f"what clients read is not recorded: {lacking}"

    def readings(self, wanted: Wanted = _ALL) -> Iterator[Reading]:
        """Yield what is asked for, the newest first; memory is that of one block.

        Lines that cannot be read are passed over.
        """
        oldest, first = self._oldest_day(), wanted.since and _utc_day(wanted.since)
        for file in _files_in(self.folders):
            day = _day_of(file)
            if day < oldest or (first and day < first):
                continue
            if wanted.until and day > _utc_day(wanted.until):
                continue
            with suppress(OSError):
                for line in _lines_back(file):
                    reading = reading_of(line)
                    kept = reading and _narrowed(reading, wanted)
                    if kept:
                        yield kept


def reading_of(line: bytes) -> Reading | None:
    """Return what a line says; None for one that is broken.

    Behind what a full disk cut short stands the next line, which is whole.
    """
    try:
        whole = line[max(0, line.rfind(_BEGIN)) :].decode("utf-8", "surrogatepass")
        said = json.loads(whole)
        return Reading(
            datetime.fromisoformat(said["at"]).astimezone(UTC),
            str(said["client"]),
            str(said["surface"]),
            str(said["verb"]),
            tuple(_passage(*one) for one in said["passages"]),
            tuple(str(one) for one in said["named"]),
            int(said["more_named"]),
        )
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def _passage(path: object, first: object = 0, last: object = 0) -> Passage:
    return Passage(str(path), int(str(first)), int(str(last)))


def _opened(file: str, folder: Path) -> int:
    try:
        return os.open(file, _FLAGS, 0o600)
    except FileNotFoundError:
        make_folder(folder)
        return os.open(file, _FLAGS, 0o600)


def _line(at: str, surface: str, verb: str, client: str, shown: Shown) -> str:
    """Return an answer as JSON, put together by hand: a third of the time."""
    passages = ",".join(
        f"[{_quoted(path)},{first},{last}]" if first else f"[{_quoted(path)}]"
        for path, first, last in shown.passages
    )
    named = ",".join(map(_quoted, shown.named[:MOST_NAMED]))
    more = max(0, len(shown.named) - MOST_NAMED)
    return (
        f'{{"at":"{at}","client":{_quoted(client)},"surface":{_quoted(surface)},'
        f'"verb":{_quoted(verb)},"passages":[{passages}],"named":[{named}],'
        f'"more_named":{more}}}\n'
    )


def _files_in(folders: Sequence[Path]) -> list[Path]:
    """Return the files of the access log, the newest first."""
    found: list[Path] = []
    for folder in folders:
        with suppress(OSError):
            found += [one for one in folder.glob(_FILES) if _NAME.fullmatch(one.name)]
    return sorted(found, key=_order, reverse=True)


def _order(file: Path) -> tuple[str, int]:
    found = _NAME.fullmatch(file.name)
    return (found[1], int(found[2])) if found else ("", 0)


def _last_part(folder: Path, day: str) -> int:
    """Return the number of the last file of a day."""
    parts = [_order(one)[1] for one in _files_in([folder]) if _day_of(one) == day]
    return max(parts, default=0)


def _day_of(file: Path) -> str:
    return _order(file)[0]


def _utc_day(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d")


def _lines_back(file: Path) -> Iterator[bytes]:
    """Yield the lines of a file, the last first."""
    with file.open("rb") as opened:
        at = opened.seek(0, os.SEEK_END)
        rest = b""
        while at > 0:
            size = min(_BLOCK, at)
            at -= size
            opened.seek(at)
            first, *lines = (opened.read(size) + rest).split(b"\n")
            yield from filter(None, reversed(lines))
            rest = first
        if rest:
            yield rest


def _narrowed(reading: Reading, wanted: Wanted) -> Reading | None:
    """Return what is asked for of a reading; None where that is nothing."""
    if wanted.client and reading.client != wanted.client:
        return None
    if wanted.since and reading.at < wanted.since:
        return None
    if wanted.until and reading.at >= wanted.until:
        return None
    if not wanted.notes:
        return reading
    passages = tuple(one for one in reading.passages if _is_of(one.path, wanted.notes))
    named = tuple(path for path in reading.named if _is_of(path, wanted.notes))
    if not passages and not named:
        return None
    return reading._replace(passages=passages, named=named, more_named=0)


def _is_of(path: str, notes: Sequence[str]) -> bool:
    return any(is_called(path, note) for note in notes)


def is_called(path: str, name: str) -> bool:
    """Whether a note has a name: its path, its file's name, or a folder with a `/`.

    The suffix of a note may be left out, and letters may be large or small. Titles are
    not known here: the note may be gone.
    """
    path, name = _folded(path), _folded(name)
    if name.endswith("/"):
        return path.startswith(name)
    if "/" not in name:
        path = path.rpartition("/")[2]
    return path == name or path.removesuffix(_NOTE_SUFFIX) == name


def _folded(text: str) -> str:
    return normalize("NFC", text).casefold()


class _Count:
    """What was counted of one client, or of one note."""

    def __init__(self, last: datetime) -> None:
        self.answers = self.named = 0
        self.others: set[str] = set()
        self.last = last


def summed(readings: Iterable[Reading], by: SumBy) -> list[Sum]:
    """Return a sum for each client or each note, those with most answers first.

    `readings` are the newest first. What is kept of them is a count for each client and
    note, however many they are.
    """
    counts: dict[str, _Count] = {}
    for reading in readings:
        given = {one.path for one in reading.passages}
        for of, other, has_text in _pairs(reading, given, by):
            count = counts.setdefault(of, _Count(reading.at))
            count.last = max(count.last, reading.at)
            if has_text and other:
                count.others |= other
            count.answers += has_text
            count.named += not has_text
    made = [
        Sum(of, one.answers, one.named, len(one.others), one.last)
        for of, one in counts.items()
    ]
    return sorted(made, key=lambda one: (-one.answers, -one.named, one.of))


def _pairs(
    reading: Reading, given: set[str], by: SumBy
) -> Iterator[tuple[str, set[str], bool]]:
    """Yield whom an answer counts for, with whom, and whether it had text."""
    if by == "client":
        yield reading.client, given, bool(given)
        return
    for path in given:
        yield path, {reading.client}, True
    for path in reading.named:
        yield path, set(), False
