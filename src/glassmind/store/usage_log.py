"""What was handed out, on record in the user's data folder and never in the vault.

A line of JSON for each time that notes were handed out: when, by which verb, to whom,
and which notes, but not what was asked. Lines are only ever added. A file that has
grown full is set aside under the time of that, and what was set aside long ago goes:
it warms nothing any more. A process that still holds a file which another has set aside
adds its line there, where it is read like any other.
"""

import json
import os
import stat
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from json.encoder import encode_basestring as _quoted
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from glassmind.model.access import CALLER
from glassmind.store.place import can_write, make_folder, outside

if TYPE_CHECKING:
    from glassmind.model.memory import UseEvent, UseTail


_NAME = "use.jsonl"
_SET_ASIDE = "use-", ".jsonl"
"""How what was set aside is called, around the time of that."""

_FULL_BYTES = 4 * 1024 * 1024
"""When a file is set aside: some ten thousand searches, read in a tenth of a second."""

_MOST_SET_ASIDE = 7
"""Files kept beside the one that grows: 32 MiB in all, years for a person, and for a
machine that asks all day more than its recent days."""

_LOOK_S = 1.0
"""How often at most a writer looks whether its file is still the one that grows; what
it adds to one that was set aside meanwhile is read as well."""

_BEGIN = b'{"at":'


def use_folder(candidates: Iterable[Path], vault: Path) -> Path | None:
    """Return the first folder outside of the vault that can be written, if any."""
    return next(filter(can_write, outside(candidates, vault)), None)


class UsageLog:
    """The record of use of one vault; for any number of threads and processes.

    Nothing here raises for what a disk does: use that cannot go on record is not worth
    a failed answer.
    """

    def __init__(
        self,
        folder: Path | None,
        *,
        full_bytes: int = _FULL_BYTES,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self.folder, self._full_bytes, self._clock_ns = folder, full_bytes, clock_ns
        self._stamp = (-1, "")
        self._file = str(folder / _NAME) if folder is not None else ""
        self._opened = -1
        self._known: tuple[int, int] | None = None
        self._look_at = 0.0
        self._lock = Lock()

    @property
    def is_kept(self) -> bool:
        """Whether there is a place for it."""
        return self.folder is not None

    def append(self, verb: str, client: str, paths: Sequence[str]) -> bool:
        """Add an event; return whether it is on record. No paths are no event.

        A caller that is known by name is on record in the place of `client`.
        """
        if not paths or not self._file:
            return False
        who = CALLER.get() or client
        line = self._line(verb, who, paths).encode("utf-8", "surrogatepass")
        with self._lock:
            try:
                # one call writes it whole, behind whatever others have added
                return os.write(self._descriptor(), line) == len(line)
            except OSError:
                self._close()
                return False

    def _line(self, verb: str, client: str, paths: Sequence[str]) -> str:
        """Return an event as JSON, put together by hand: a third of the time."""
        second, rest = divmod(self._clock_ns(), 10**9)
        known, stamp = self._stamp
        if known != second:
            stamp = datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")
            self._stamp = (second, stamp)
        return (
            f'{{"at":"{stamp}.{rest // 1000:06d}+00:00","verb":{_quoted(verb)},'
            f'"client":{_quoted(client)},"paths":[{",".join(map(_quoted, paths))}]}}\n'
        )

    def _descriptor(self) -> int:
        """Return the file that grows, opened anew if it is another by now."""
        now = time.monotonic()
        if self._opened >= 0 and now < self._look_at:
            return self._opened
        self._look_at = now + _LOOK_S
        try:
            there = os.stat(self._file)  # noqa: PTH116 - once a search
        except FileNotFoundError:
            return self._open()
        if there.st_size >= self._full_bytes:
            self._set_aside((there.st_dev, there.st_ino))
            return self._open()
        if self._known != (there.st_dev, there.st_ino):
            return self._open()
        return self._opened

    def _open(self) -> int:
        self._close()
        if self.folder is not None:
            make_folder(self.folder)
        flags = os.O_CREAT | os.O_WRONLY | os.O_APPEND | getattr(os, "O_NONBLOCK", 0)
        flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        self._opened = os.open(self._file, flags, 0o600)
        facts = os.fstat(self._opened)
        if not stat.S_ISREG(facts.st_mode):
            raise OSError("it is not a regular file")
        self._known = (facts.st_dev, facts.st_ino)
        return self._opened

    def _set_aside(self, full: tuple[int, int]) -> None:
        """Begin a new file, and let go of the oldest that were set aside.

        Not so where another has begun one meanwhile: that is not full.
        """
        if self.folder is None:
            return
        aside = self.folder / f"use-{time.time_ns():020d}.jsonl"
        with suppress(OSError):
            there = os.stat(self._file)  # noqa: PTH116 - as above
            if (there.st_dev, there.st_ino) != full:
                return
            Path(self._file).rename(aside)
            for old in _set_aside(self.folder)[:-_MOST_SET_ASIDE]:
                old.unlink()

    def state(self) -> tuple[int, int]:
        """Return what is another whenever something was added since."""
        try:
            there = os.stat(self._file)  # noqa: PTH116 - once a search
        except (OSError, ValueError):
            return (0, 0)
        return (there.st_ino, there.st_size)

    def tail(self, folded: Mapping[str, int]) -> "UseTail":
        """Return what was added behind what is `folded`, in the order it was."""
        from glassmind.model.memory import UseTail  # noqa: PLC0415 - a search only writes

        events: list[UseEvent] = []
        upto: dict[str, int] = {}
        for file in self._files():
            with suppress(OSError):
                _read(file, folded, events, upto)
        return UseTail(events, upto)

    def _files(self) -> list[Path]:
        if self.folder is None:
            return []
        aside: list[Path] = []
        with suppress(OSError):  # they are taken in another time
            aside = _set_aside(self.folder)
        return [*aside, self.folder / _NAME]

    def close(self) -> None:
        """Let go of the file; the next event opens it again."""
        with self._lock:  # a number that is closed may soon be that of another file
            self._close()

    def _close(self) -> None:
        opened, self._opened, self._known = self._opened, -1, None
        if opened >= 0:
            with suppress(OSError):
                os.close(opened)


def _set_aside(folder: Path) -> list[Path]:
    begins, ends = _SET_ASIDE
    names = sorted(os.listdir(folder))  # noqa: PTH208 - a fifth of what paths take
    return [folder / n for n in names if n.startswith(begins) and n.endswith(ends)]


def _read(
    file: Path,
    folded: Mapping[str, int],
    events: "list[UseEvent]",
    upto: dict[str, int],
) -> None:
    """Read the whole lines of a file that are new.

    A file is known by its first line, which has a time to the microsecond: its name is
    another when it is set aside, and its number on the disk may be given to the next.
    """
    from zlib import crc32  # noqa: PLC0415 - a search only writes

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


def event_of(line: bytes) -> "UseEvent | None":
    """Return the event of a line; None for one that is broken.

    Behind what a full disk cut short stands the next line, which is whole.
    """
    from glassmind.model.memory import UseEvent  # noqa: PLC0415 - a search only writes

    try:
        said = json.loads(line[max(0, line.rfind(_BEGIN)) :])
        at = datetime.fromisoformat(said["at"])
        paths = tuple(path for path in said["paths"] if isinstance(path, str))
        verb, client = str(said["verb"]), str(said["client"])
        return UseEvent(at.astimezone(UTC), verb, client, paths)
    except (ValueError, KeyError, TypeError, OverflowError):
        return None
