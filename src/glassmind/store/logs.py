"""The two logs of what was handed out, in the user's data folder, never in the vault.

The access log says which client was given which passages; the usage log says which
notes were handed out, from which memory knows what is active. Neither has the text of a
note, nor the query. Both are lines of JSON that are only ever added, by any number of
processes at once: each period has a file, and one that is full is followed by the next
of that period, so nothing is renamed. The oldest files are deleted when all take too
much room.
"""

import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unicodedata import normalize
from zlib import crc32

from glassmind.model.access import (
    CALLER,
    DisclosedLines,
    DisclosedNotes,
    LoggedAnswer,
    ReadFilter,
)
from glassmind.model.memory import UsageEvents, UseEvent
from glassmind.store.disk import may_purge
from glassmind.store.place import can_write, make_folder, outside

_NOTE_SUFFIX = ".md"

_FLAGS = os.O_CREAT | os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)

_BEGIN = b'{"at":'

_MONTH, _DAY = len("2026-03"), len("2026-03-12")
"""How much of a date names the period of a file."""


class LineFiles:
    """The files of one log; for any number of threads and processes.

    Each is named by the `log`, its period and a number. `room` is how many bytes fill
    a file, and how many all of them may take.
    """

    def __init__(
        self,
        log: str,
        period: int,
        room: tuple[int, int],
        clock_ns: Callable[[], int],
    ) -> None:
        self._log, self._period, self._clock_ns = log, period, clock_ns
        self._full_bytes, self._most_bytes = room
        self._name = re.compile(rf"{log}-([0-9-]{{{period}}})\.(\d{{3,}})\.jsonl")

    def now(self) -> datetime:
        return datetime.fromtimestamp(self._clock_ns() / 10**9, UTC)

    def append(self, folder: Path, entry: Mapping[str, object]) -> bool:
        """Add a line to the file of its time that has room; return if it is the first.

        The file is opened for this line alone: if it is deleted or moved, the next line
        begins a new one. Raises OSError.
        """
        at = self.now().isoformat(timespec="microseconds")
        text = json.dumps(
            {"at": at, **entry}, ensure_ascii=False, separators=(",", ":")
        )
        raw = f"{text}\n".encode("utf-8", "surrogatepass")
        period, part = at[: self._period], 0
        newest = next(iter(self.listed([folder])), None)
        if newest is not None and self.period_of(newest) == period:
            is_full = newest.stat().st_size >= self._full_bytes
            part = self._order(newest)[1] + is_full
        make_folder(folder)
        file = folder / f"{self._log}-{period}.{part:03d}.jsonl"
        opened = os.open(file, _FLAGS, 0o600)
        try:
            is_first = not os.fstat(opened).st_size
            if os.write(opened, raw) != len(raw):  # whole, behind all others
                raise OSError("the disk is full")
        finally:
            os.close(opened)
        return is_first

    def listed(self, folders: Iterable[Path]) -> list[Path]:
        """Return the files of the log, the newest first."""
        paths: list[Path] = []
        for folder in folders:
            with suppress(OSError):
                names = os.listdir(folder)  # noqa: PTH208 - a fifth of what paths take
                paths += [folder / name for name in names if self._name.fullmatch(name)]
        return sorted(paths, key=self._order, reverse=True)

    def purge(self, folder: Path, oldest: str = "") -> None:
        """Delete files of periods before `oldest`, and those without room."""
        room = self._most_bytes
        for file in self.listed([folder]):
            with suppress(OSError):
                room -= file.stat().st_size
                if self.period_of(file) < oldest or room < 0:
                    file.unlink()

    def period_of(self, file: Path) -> str:
        return self._order(file)[0]

    def _order(self, file: Path) -> tuple[str, int]:
        match = self._name.fullmatch(file.name)
        return (match[1], int(match[2])) if match else ("", 0)


def _fields_of(line: bytes) -> Any:
    """Return the JSON of a line.

    Behind what a full disk cut short stands the next line, which is whole.
    """
    whole = line[max(0, line.rfind(_BEGIN)) :]
    return json.loads(whole.decode("utf-8", "surrogatepass"))


_FULL_BYTES = 8 * 1024 * 1024
"""When a file of the access log is followed by the next: some ten thousand searches."""

_MOST_BYTES = 256 * 1024 * 1024
"""Room for all its files: a third of a million searches. A client that asks without
pause pushes out what is oldest, and nothing less than days of that reaches what is
recent."""

MOST_NAMED = 100
"""Notes of an answer on record that it only names: a list of a vault is no reading, and
must not push out what was read."""

_ALL = ReadFilter()


class AccessLogFiles:
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
        self._files = LineFiles("access-log", _DAY, (full_bytes, most_bytes), clock_ns)

    def append(
        self, surface: str, verb: str, client: str, shown: DisclosedNotes
    ) -> bool:
        """Add what an answer showed; return whether it is on record.

        An answer that shows and names no note is none.
        """
        if not shown.passages and not shown.named:
            return True
        entry = {
            "client": client,
            "surface": surface,
            "verb": verb,
            "passages": [p if p.first else [p.path] for p in shown.passages],
            "named": shown.named[:MOST_NAMED],
            "more_named": max(0, len(shown.named) - MOST_NAMED),
        }
        for folder in self.folders:
            try:
                if self._files.append(folder, entry):
                    self._purge(folder)
            except OSError:
                continue
            return True
        return False

    def purge(self) -> None:
        for folder in self.folders:
            self._purge(folder)

    def _purge(self, folder: Path) -> None:
        is_due = may_purge(folder, self._files.now())
        self._files.purge(folder, self._oldest_day() if is_due else "")

    def _oldest_day(self) -> str:
        return _utc_day(self._files.now() - timedelta(days=self.keep_days))

    def trouble(self) -> str:
        """Return why nothing could go on record now; empty where it can."""
        if any(can_write(folder) for folder in self.folders):
            return ""
        lacking = "no folder outside of the vault can be written"
        return f"what clients read is not recorded: {lacking}"

    def readings(self, wanted: ReadFilter = _ALL) -> Iterator[LoggedAnswer]:
        """Yield what is asked for, the newest first, without lines that are broken."""
        first = max(self._oldest_day(), _utc_day(wanted.since) if wanted.since else "")
        last = _utc_day(wanted.until) if wanted.until else "9999"
        for file in self._files.listed(self.folders):
            if not first <= self._files.period_of(file) <= last:
                continue
            with suppress(OSError):
                for line in reversed(file.read_bytes().split(b"\n")):
                    reading = reading_of(line)
                    answer = reading and _narrowed(reading, wanted)
                    if answer:
                        yield answer


def reading_of(line: bytes) -> LoggedAnswer | None:
    """Return what a line says; None for one that is broken."""
    try:
        said = _fields_of(line)
        return LoggedAnswer(
            datetime.fromisoformat(said["at"]).astimezone(UTC),
            str(said["client"]),
            str(said["surface"]),
            str(said["verb"]),
            tuple(DisclosedLines(*row) for row in said["passages"]),
            tuple(str(path) for path in said["named"]),
            int(said["more_named"]),
        )
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def _utc_day(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d")


def _narrowed(reading: LoggedAnswer, wanted: ReadFilter) -> LoggedAnswer | None:
    """Return what is asked for of a reading; None where that is nothing."""
    if wanted.client and reading.client != wanted.client:
        return None
    if wanted.since and reading.at < wanted.since:
        return None
    if wanted.until and reading.at >= wanted.until:
        return None
    if not wanted.notes:
        return reading
    passages = tuple(p for p in reading.passages if _is_of(p.path, wanted.notes))
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


_USE_FULL_BYTES, _USE_MOST_BYTES = 4 * 1024 * 1024, 32 * 1024 * 1024
"""When a file of the usage log is followed by the next: some ten thousand searches; and
room for all of them: years for a person, and for a machine that asks all day more than
its recent days."""


def use_folder(candidates: Iterable[Path], vault: Path) -> Path | None:
    """Return the first folder outside of the vault that can be written, if any."""
    return next(filter(can_write, outside(candidates, vault)), None)


class UsageLogFiles:
    """The usage log of one vault; for any number of threads and processes.

    Nothing here raises for what a disk does: use that cannot go on record is not worth
    a failed answer.
    """

    def __init__(
        self,
        folder: Path | None,
        *,
        full_bytes: int = _USE_FULL_BYTES,
        most_bytes: int = _USE_MOST_BYTES,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self.folder = folder
        self._files = LineFiles("use", _MONTH, (full_bytes, most_bytes), clock_ns)

    @property
    def place(self) -> str:
        """The folder of the log; empty if nothing is recorded."""
        return str(self.folder or "")

    def append(self, verb: str, client: str, paths: Sequence[str]) -> bool:
        """Add an event; return whether it is on record. No paths are no event.

        A caller that is known by name is on record in the place of `client`.
        """
        if not paths or self.folder is None:
            return False
        entry = {"verb": verb, "client": CALLER.get() or client, "paths": [*paths]}
        try:
            if self._files.append(self.folder, entry):
                self._files.purge(self.folder)
        except OSError:
            return False
        return True

    def tail(self, folded: Mapping[str, int]) -> UsageEvents:
        """Return what was added behind what is `folded`, in the order it was."""
        events: list[UseEvent] = []
        upto: dict[str, int] = {}
        for file in reversed(self._listed()):
            with suppress(OSError):
                _read(file, folded, events, upto)
        return UsageEvents(events, upto)

    def _listed(self) -> list[Path]:
        return [] if self.folder is None else self._files.listed([self.folder])


def _read(
    file: Path, folded: Mapping[str, int], events: list[UseEvent], upto: dict[str, int]
) -> None:
    """Read the whole lines of a file that are new.

    A file is known by its first line, which has a time to the microsecond: one that is
    deleted may be followed by another of its name.
    """
    with file.open("rb") as opened:
        first = opened.readline()
        if not first.endswith(b"\n"):
            return
        key = f"{crc32(first):08x}-{len(first)}"
        begin = folded.get(key, 0)
        opened.seek(begin)
        whole, _, _ = (raw := opened.read()).rpartition(b"\n")
        if raw and whole:
            events.extend(filter(None, map(event_of, whole.split(b"\n"))))
    upto[key] = begin + len(whole) + bool(whole)


def event_of(line: bytes) -> UseEvent | None:
    """Return the event of a line; None for one that is broken."""
    try:
        said = _fields_of(line)
        at = datetime.fromisoformat(said["at"])
        paths = tuple(path for path in said["paths"] if isinstance(path, str))
        verb, client = str(said["verb"]), str(said["client"])
        return UseEvent(at.astimezone(UTC), verb, client, paths)
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
