"""Report what changes in a vault, and hold changes back until a file is stable.

Events only say where to look. On Linux every folder that is read is watched by itself,
so that what is ignored costs no watch; a new folder is watched at the next `listen`.

A path is due when there was no event for a while. Two things wait for all others: a
path whose file is gone, as its new name may be on its way, and everything in a storm.
"""

import os
import stat
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from unicodedata import normalize

from glassmind.errors import VaultMissing
from glassmind.files.ignore import IGNORE_FILE, UNLISTED, IgnoreRules
from glassmind.files.read import STUB
from glassmind.files.scan import is_real

if TYPE_CHECKING:
    from watchfiles import Change

_Event: TypeAlias = "tuple[Change, str]"

STEP_MS, GATHER_MS = 100, 200
"""How often new events are asked for, and how long they are gathered: well below any
time a user could set for a file to be quiet, and next to nothing for a machine at rest.
"""

STOOD_STILL_S = 0.4
"""More than this between two looks at the events, which come every `STEP_MS` or when
`GATHER_MS` are over, and the process stood still: long enough for the system's queue to
run over, of which nobody is told."""

AFTER_S = 2.0  # events that come so soon after that may be what was left of more

OBSIDIAN = ".obsidian"
RULE_FILES = frozenset({IGNORE_FILE, f"{OBSIDIAN}/app.json"})
"""What decides which files are read: a change of it concerns the whole vault."""

JOIN_S = 1.0
"""How long a thread that was told to end is waited for; it looks every step."""

ATTEMPTS = 3  # a folder may go between being listed and being watched

ENDED = "the system's events are not watched"

EACH_FOLDER = sys.platform == "linux"


class VaultChanges(NamedTuple):
    """Paths where something changed, or is gone; or that all has to be looked at.

    A path that ends in `/` means the files directly in that folder.
    """

    changed: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    whole: bool = False

    def __bool__(self) -> bool:
        return bool(self.changed or self.gone or self.whole)


class VaultEvents:
    """Owns the thread that watches one vault and reports its changes.

    `apart` is a folder whose changes are our own doing. `hear` is called in the thread.
    """

    def __init__(
        self,
        root: Path,
        apart: Path,
        rules: Callable[[], IgnoreRules],
        hear: Callable[[VaultChanges], None],
    ) -> None:
        self._root, self._apart, self._rules, self._hear = root, apart, rules, hear
        self._events: _EventThread | None = None
        self._watched: tuple[object, ...] = ()

    @property
    def failure(self) -> str:
        return self._events.failure if self._events is not None else ENDED

    def listen(self) -> str:
        """Watch every folder that exists now; return why that cannot be, if so.

        What was heard before goes on to be heard, without a gap unless there are too
        few watches for the old and the new at once; so look at the vault afterwards.
        """
        base = os.path.realpath(self._root)
        for _ in range(ATTEMPTS):
            folders = folders_of(base, self._rules()) if EACH_FOLDER else [base]
            watched = (identity_of(self._root), tuple(folders))
            if watched == self._watched and not self.failure:
                return ""
            events = _EventThread(watched[1], self._on_changes)
            try:
                refused = events.start()
            except FileNotFoundError:
                continue
            had_watches = not self.failure
            self.close()
            if refused and had_watches:
                continue
            self._events, self._watched = events, watched
            return refused
        raise VaultMissing(str(self._root), "its folders come and go")

    def close(self) -> None:
        if self._events is not None:
            self._events.close()
        self._events, self._watched = None, ()

    def _on_changes(
        self,
        changes: Collection[_Event],
        lossy: bool,  # noqa: FBT001
    ) -> None:
        base = os.path.realpath(self._root)
        apart = os.path.realpath(self._apart)
        try:
            vault_changes = judged(changes, base, apart, self._rules())
        except VaultMissing:
            vault_changes = VaultChanges(whole=True)
        if vault_changes or lossy:
            self._hear(vault_changes._replace(whole=vault_changes.whole or lossy))


def identity_of(root: Path) -> tuple[int, int]:
    try:
        found = root.stat()
    except OSError as fault:
        raise VaultMissing(str(root), fault.strerror or "unknown") from fault
    return found.st_dev, found.st_ino


def folders_of(base: str, rules: IgnoreRules) -> list[str]:
    found, ahead = [base], [("", base)]
    while ahead:
        prefix, place = ahead.pop()
        with suppress(OSError), os.scandir(place) as entries:
            below = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
            found.append(place)
            for entry in below:
                path = prefix + normalize("NFC", entry.name)
                if rules.folder(path) is None:
                    ahead.append((f"{path}/", entry.path))
                elif path == OBSIDIAN:
                    found.append(entry.path)
    return sorted(set(found))


def judged(
    changes: Collection[_Event], base: str, apart: str, rules: IgnoreRules
) -> VaultChanges:
    """Return what of the system's events concerns the index of the vault in `base`.

    `apart` is a folder that does not count.
    """
    changed: set[str] = set()
    gone: set[str] = set()
    inside, beside = base.rstrip(os.sep) + os.sep, apart.rstrip(os.sep) + os.sep
    whole = any(place == base for _, place in changes)
    for change, place in changes:
        if not place.startswith(inside) or place.startswith(beside):
            continue
        path = normalize("NFC", place[len(inside) :].replace(os.sep, "/"))
        if path in RULE_FILES:
            whole = True
        elif _is_reached(path, place, rules):
            effect = _effect(change, path, place, rules)
            whole |= effect.whole
            changed |= effect.changed
            gone |= effect.gone
    return VaultChanges(frozenset(changed), frozenset(gone - changed), whole)


def _effect(
    change: "Change", path: str, place: str, rules: IgnoreRules
) -> VaultChanges:
    try:
        is_folder = stat.S_ISDIR(os.lstat(place).st_mode)
    except OSError:
        listed = rules.file(path) != UNLISTED or rules.folder(path) is None
        return VaultChanges(gone=frozenset({path} if listed else ()))
    if not is_folder:
        listed = rules.file(path) != UNLISTED or path.endswith(STUB)
        return VaultChanges(changed=frozenset({path} if listed else ()))
    reason = rules.folder(path)
    if reason is None and change.name != "modified":
        return VaultChanges(whole=True)  # what is in it may have come before its watch
    looked_at = {f"{path}/"} if reason is None else {path} if reason else ()
    return VaultChanges(changed=frozenset(looked_at))


def _is_reached(path: str, place: str, rules: IgnoreRules) -> bool:
    above = path
    while "/" in above:
        above = above.rpartition("/")[0]
        if rules.folder(above) is not None:
            return False
    return is_real(os.path.dirname(place))  # noqa: PTH120


class _EventThread:
    """A thread that hands on events, and whether some may be missing."""

    def __init__(
        self,
        folders: Collection[str],
        report: Callable[[Collection[_Event], bool], None],
    ) -> None:
        self._folders, self._report = folders, report
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.failure = ""

    def start(self) -> str:
        from watchfiles import watch  # noqa: PLC0415 - 30 ms, only for who watches

        events = watch(
            *self._folders,
            watch_filter=None,
            debounce=GATHER_MS,
            step=STEP_MS,
            stop_event=self._stop,
            rust_timeout=STEP_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
            force_polling=False,
            recursive=not EACH_FOLDER,
            ignore_permission_denied=False,  # would hide that a limit is reached, too
        )
        try:
            first = next(events, set())
        except FileNotFoundError:
            raise
        except (OSError, RuntimeError) as fault:
            self.failure = reason_of(fault)
            return self.failure
        self._thread = threading.Thread(
            target=self._run, args=(first, events), name="vault-events", daemon=True
        )
        self._thread.start()
        return ""

    def _run(self, first: set[_Event], events: Iterator[set[_Event]]) -> None:
        try:
            self._report(first, False)
            looked = time.monotonic()
            stood = looked - AFTER_S
            for changes in events:
                now = time.monotonic()
                if now - looked > STOOD_STILL_S:
                    stood = now
                if changes:
                    self._report(changes, now - stood < AFTER_S)
                looked = time.monotonic()
        except (OSError, RuntimeError) as fault:
            self.failure = reason_of(fault)
        finally:  # by whatever fault: somebody has to know that nothing is heard
            self.failure = self.failure or ENDED

    def close(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(JOIN_S)


def reason_of(fault: Exception) -> str:
    said = str(fault)
    if "watch limit" in said:
        return "the system's watch limit is reached; raise fs.inotify.max_user_watches"
    if "os error 24" in said or "Too many open files" in said:
        return "too many programs watch files; raise fs.inotify.max_user_instances"
    return f"the system gives no events ({said})"


STORM = 256
"""Paths waiting at once that no hand has changed; a checkout or a sync is at work."""


class _Heard(NamedTuple):
    first_s: float
    last_s: float
    gone: bool


class Debouncer:
    """The changes that are held back; the clock is whatever the caller counts by.

    A path is known once however often it is heard of, and as it was heard of last.
    Threads may share it.
    """

    def __init__(self, *, quiet_s: float, longest_s: float) -> None:
        self._quiet_s = quiet_s
        self._longest_s = max(longest_s, quiet_s)
        self._waiting: dict[str, _Heard] = {}
        self._last_s = float("-inf")
        self._news = threading.Condition()

    def __len__(self) -> int:
        return len(self._waiting)

    def hear(self, path: str, now_s: float, *, gone: bool = False) -> None:
        """Hold a path back; `gone` says that there is no file of that name any more."""
        with self._news:
            known = self._waiting.get(path)
            first_s = now_s if known is None else known.first_s
            self._waiting[path] = _Heard(first_s, now_s, gone)
            self._last_s = max(self._last_s, now_s)
            self._news.notify_all()

    def due(self, now_s: float) -> list[str]:
        """Return the paths that are due, and forget them."""
        with self._news:
            found = sorted(
                path
                for path, heard in self._waiting.items()
                if self._due_at(heard) <= now_s
            )
            for path in found:
                del self._waiting[path]
        return found

    def next_s(self) -> float | None:
        with self._news:
            times = [self._due_at(heard) for heard in self._waiting.values()]
        return min(times, default=None)

    def wait(self, longest_s: float) -> None:
        """Wait until something is heard or is due, or for that long."""
        with self._news:
            self._news.wait(longest_s)

    def clear(self) -> None:
        with self._news:
            self._waiting.clear()

    def _due_at(self, heard: _Heard) -> float:
        together = heard.gone or len(self._waiting) > STORM
        last_s = self._last_s if together else heard.last_s
        return min(last_s + self._quiet_s, heard.first_s + self._longest_s)
