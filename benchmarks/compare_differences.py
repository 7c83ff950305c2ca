"""Compare the replies and the vault files of two sides, and group the differences.

Values that differ in every run count as equal: times of the run, durations, process
ids, folders of the two copies, and random ids. An id of one side matches exactly one
id of the other.
"""

import math
import os
import re
import statistics
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from compare_sides import Call, Renamed, Reply

Difference = tuple[str, Any, Any]
"""A JSON path, or a word in parentheses, with the old and the new value."""

MISSING = "(missing)"  # compared by identity
LEAST_CALLS, SLOWEST_SHOWN = 5, 10
"""Operations need so many calls for a ratio of times; so many ratios are printed."""

LISTED_KEYS = ("surface", "operation", "path", "reason", "since")
WORDING = {"description", "summary", "instructions", "title"}
"""Keys of a catalogue (tools/list, openapi.json) that are compared with --text only."""

_ID = re.compile(
    r"\b\d{8}-[a-z2-9]{5}\b"  # changesets
    r"|(?<![0-9a-zA-Z])[0-9a-f]{8,64}(?![0-9a-zA-Z])"  # digests, jobs, marks in text
    r"|\bWyI[\w-]{10,}"  # cursors
)
_OPAQUE = re.compile(r"cursor$|token$", re.IGNORECASE)
_VARIABLE = re.compile(
    r"(^|[._])(ms|seconds|took|elapsed|duration|uptime|pid|port)(_|$)"
    r"|(^|\.)(bytes\..+|index_bytes)$"  # tantivy's files vary in size
)
_CHANGING = re.compile(r"\bprocess \d+|[\d,.]+ [KMG]?i?B\b")
"""Process ids, and sizes of the index, in text."""

_READ_BEFORE = re.compile(r'(?m)^derived-from:\n(?:  - .*\n)+|(?<="bytes": )\d+')
"""In a memory the notes that its client had read, and its size in the log. They follow
from all calls before, so a difference in one reply would show in each later memory."""

_DAY = 86_400
_TOLERANCE = 2e-4
"""Activity decays with the clock: its rounded score may differ in the last digit."""


class Equality:
    """Decides whether two values mean the same; remembers which ids belong together.

    `folders` are the old and the new side's; `now` is a Unix time during the run;
    `renamed_keys` are the new names of keys of JSON objects.
    """

    def __init__(
        self,
        folders: tuple[str, str],
        now: float,
        renamed_keys: Mapping[str, str] | None = None,
    ) -> None:
        self._folders = folders
        self._keys = renamed_keys or {}
        self._now = now
        self._to_new: dict[str, str] = {}
        self._to_old: dict[str, str] = {}
        days = [time.gmtime(now + shift * _DAY) for shift in (-1, 0, 1)]
        dates = "|".join(time.strftime("%Y-%m-%d", day) for day in days)
        zone = r"(?:Z|[+-]\d\d:?\d\d)"
        self._date = re.compile(dates)
        self._time = re.compile(
            rf"(?:{dates})[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?{zone}?"
            rf"|(?<![T\d])\d\d:\d\d:\d\d{zone}"
        )

    def same_text(self, old: str, new: str) -> bool:
        """Return True if texts differ in times, ids, processes and folders at most."""
        if old == new:
            return True
        masked, ids = [], []
        for text, folder in zip((old, new), self._folders, strict=True):
            plain = self._time.sub("<time>", text.replace(folder, "<folder>"))
            plain = _CHANGING.sub("<changing>", plain)
            masked.append(_ID.sub("<id>", plain))
            ids.append(_ID.findall(plain))
        pairs = zip(*ids, strict=False)
        return masked[0] == masked[1] and all(self._same_id(*pair) for pair in pairs)

    def _same_id(self, old: str, new: str) -> bool:
        return (
            self._to_new.setdefault(old, new) == new
            and self._to_old.setdefault(new, old) == old
        )

    def differences(self, old: Any, new: Any, path: str = "") -> Iterator[Difference]:
        """Yield the differences of two JSON values; a list item has the path `#`."""
        if isinstance(old, dict) and isinstance(new, dict):
            old = {
                key if key in new else self._keys.get(key, key): value
                for key, value in old.items()
            }
            for key in [*old, *(key for key in new if key not in old)]:
                name = "<path>" if "/" in key or key.endswith(".md") else key
                inner = f"{path}.{name}" if path else name
                if key in old and key in new:
                    yield from self.differences(old[key], new[key], inner)
                else:
                    yield inner, old.get(key, MISSING), new.get(key, MISSING)
        elif isinstance(old, list) and isinstance(new, list):
            if len(old) != len(new):
                yield f"{path}.#", f"{len(old)} items", f"{len(new)} items"
            else:
                for pair in zip(old, self._reordered(old, new), strict=True):
                    yield from self.differences(*pair, f"{path}.#")
        elif not self._same(path, old, new):
            yield path, old, new

    def _same(self, path: str, old: Any, new: Any) -> bool:
        if isinstance(old, str) and isinstance(new, str):
            opaque = bool(_OPAQUE.search(path) and old and new)
            return opaque or self.same_text(old, new)
        if isinstance(old, bool) or isinstance(new, bool):
            return old is new
        if not isinstance(old, int | float) or not isinstance(new, int | float):
            return bool(old == new)
        whole = isinstance(old, int) and isinstance(new, int)
        tolerance = 0.0 if whole else _TOLERANCE
        return (
            math.isclose(old, new, rel_tol=tolerance, abs_tol=tolerance)
            or bool(_VARIABLE.search(path))
            or (self._is_time(old) and self._is_time(new))
        )

    def _is_time(self, value: float) -> bool:
        return any(abs(value / unit - self._now) < _DAY for unit in (1, 1e3, 1e9))

    def _reordered(self, old: list[Any], new: list[Any]) -> list[Any]:
        """Return the new items in the order of the old ones they equal.

        Only items whose order is chance may move: those with a day of the run, since
        files that one edit changes get times that differ by a tick or not at all, and
        those with the same score.
        """
        result = list(new)
        for place, item in enumerate(old):
            if item == result[place]:
                continue
            for other in range(place, len(result)):
                pair = result[place], result[other]
                if self._may_swap(*pair) and self._is_equal(item, pair[1]):
                    result[place], result[other] = pair[1], pair[0]
                    break
        return result

    def _may_swap(self, one: Any, other: Any) -> bool:
        if all(self._date.search(str(item)) for item in (one, other)):
            return True
        if not isinstance(one, dict) or not isinstance(other, dict):
            return False
        scores = [item.get("score", item.get("relevance")) for item in (one, other)]
        return None not in scores and self._same("score", *scores)

    def _is_equal(self, old: Any, new: Any) -> bool:
        remembered = dict(self._to_new), dict(self._to_old)
        found = self.differences(old, new)  # more keys do not make it another item
        equal = all(value is MISSING for _, value, _ in found)
        if not equal:  # forget the ids of a pair that does not belong together
            self._to_new, self._to_old = remembered
        return equal

    def replies(self, old: Reply, new: Reply, *, text: bool) -> Iterator[Difference]:
        """Yield the differences of replies: status, JSON and, if asked for, text."""
        if old.status != new.status or old.failed or new.failed:
            shown = [f"{each.status} {each.text or each.json}" for each in (old, new)]
            yield "(status)", shown[0], shown[1]
            return
        yield from self.differences(old.json, new.json)
        if text and not self.same_text(old.text, new.text):
            yield "(text)", *self._first_lines(old.text, new.text)

    def _first_lines(self, old: str, new: str) -> tuple[str, str]:
        """Return the first lines that differ, or all if only their number does."""
        pairs = zip(old.split("\n"), new.split("\n"), strict=False)
        return next((pair for pair in pairs if not self.same_text(*pair)), (old, new))

    def files(
        self, old: dict[str, bytes], new: dict[str, bytes]
    ) -> Iterator[Difference]:
        """Yield the differences of two vaults, given as bytes by path.

        Bytes are compared as they are, except under `.agent/`, where generated times
        and ids count as equal, in file names too.
        """
        added = [path for path in new if path not in old]
        for path, content in old.items():
            ours, twin = path.startswith(".agent/"), path
            if path not in new and ours:
                twin = next((p for p in added if self.same_text(path, p)), path)
            if twin not in new:
                yield "(vault file)", path, MISSING
                continue
            if twin != path:
                added.remove(twin)
            texts = content.decode("latin-1"), new[twin].decode("latin-1")
            if ours:
                texts = _READ_BEFORE.sub("", texts[0]), _READ_BEFORE.sub("", texts[1])
            if texts[0] == texts[1] or (ours and self.same_text(*texts)):
                continue
            cut = self._first_lines(*texts) if ours else _first_bytes(*texts)
            yield "(vault bytes)", f"{path}: {cut[0]!r}", f"{path}: {cut[1]!r}"
        for path in added:
            yield "(vault file)", MISSING, path


def _first_bytes(old: str, new: str) -> tuple[str, str]:
    """Return both texts around the first place where they differ."""
    pairs = enumerate(zip(old, new, strict=False))
    shorter = min(len(old), len(new))
    at = next((n for n, (a, b) in pairs if a != b), shorter)
    return old[max(0, at - 40) : at + 40], new[max(0, at - 40) : at + 40]


class VaultFiles:
    """The files of a vault copy, read again only where they changed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._states: dict[str, tuple[int, int, int]] = {}
        self.contents: dict[str, bytes] = {}

    def changes(self) -> dict[str, bytes | None]:
        """Return the files that changed since the last call; None for removed ones."""
        changed: dict[str, bytes | None] = {}
        states = {}
        for folder, _, names in os.walk(self._root):
            for file in (Path(folder, name) for name in names):
                path, info = file.relative_to(self._root).as_posix(), file.stat()
                states[path] = (info.st_mtime_ns, info.st_size, info.st_ino)
                if self._states.get(path) != states[path]:
                    changed[path] = self.contents[path] = file.read_bytes()
        for path in self._states.keys() - states.keys():
            changed[path] = None
            del self.contents[path]
        self._states = states
        return changed


@dataclass
class Group:
    """Differences of one operation at one path: how many, and the first of them."""

    surface: str
    operation: str
    path: str
    example: str
    count: int = 1
    reason: str = ""


@dataclass(frozen=True)
class Listed:
    """An intended difference; `*` in its first three fields matches anything."""

    surface: str
    operation: str
    path: str
    reason: str
    since: str

    def matches(self, group: Group) -> bool:
        """Return True if a group of differences is this one."""
        return (
            fnmatchcase(group.surface, self.surface)
            and fnmatchcase(group.operation, self.operation)
            and fnmatchcase(group.path, self.path)
        )


def read_listed(file: Path) -> list[Listed]:
    """Read the intended differences.

    Raises:
        ValueError: an entry lacks a field, or has an unknown or empty one.
    """
    entries = tomllib.loads(file.read_text("utf-8")).get("difference", [])
    for entry in entries:
        if set(entry) != set(LISTED_KEYS) or not all(entry.values()):
            raise ValueError(f"{file.name}: {entry} must have {', '.join(LISTED_KEYS)}")
    return [Listed(**entry) for entry in entries]


def read_renamed_keys(file: Path) -> dict[str, str]:
    """Read how keys of JSON objects are named now."""
    return dict(tomllib.loads(file.read_text("utf-8")).get("renamed_keys", {}))


def read_renamed(file: Path) -> list[Renamed]:
    """Read how operations and arguments are named now."""
    entries = tomllib.loads(file.read_text("utf-8")).get("renamed", [])
    return [Renamed(**entry) for entry in entries]


@dataclass
class Report:
    """Groups of differences by surface, operation and path, in order of appearance."""

    groups: dict[tuple[str, str, str], Group] = field(default_factory=dict)
    calls: int = 0
    _times: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    _succeeded: set[str] = field(default_factory=set)
    _successes: int = 0

    def add_replies(self, call: Call, old: Reply, new: Reply) -> None:
        """Count a call with the times that it took."""
        name = f"{call.surface} {call.operation}"
        self.calls += 1
        self._times.setdefault(name, []).append((old.seconds, new.seconds))
        if old.status in {"ok", 0, 200, 201, 202}:
            self._successes += 1
            self._succeeded.add(name)

    def time_lines(self) -> Iterator[str]:
        """Yield the time of all calls and the operations that became slower."""
        pairs = [pair for each in self._times.values() for pair in each]
        old, new = (sum(times) for times in zip(*pairs, strict=True))
        ratio = f"{new / old:.2f}x before"
        yield f"all calls: {old:.1f} s before, {new:.1f} s now ({ratio})"
        ratios = {
            name: statistics.median(new / old for old, new in each)
            for name, each in self._times.items()
            if len(each) >= LEAST_CALLS
        }
        for name in sorted(ratios, key=lambda name: -ratios[name])[:SLOWEST_SHOWN]:
            count = len(self._times[name])
            yield f"  {ratios[name]:5.2f}x before  {name} (median of {count} calls)"
        never = sorted(self._times.keys() - self._succeeded)
        yield f"{self._successes} of {self.calls} calls succeeded on the old side"
        yield f"  never did: {', '.join(never) or 'none'}"

    def add(self, call: Call, difference: Difference, number: int = 0) -> None:
        """Count a difference; the first of its group is kept as the example."""
        path, old, new = difference
        if not path.startswith("("):
            added, removed = (each is MISSING for each in (old, new))
            path += " (added)" if added else " (removed)" if removed else ""
        key = (call.surface, call.operation, path or "(json)")
        if key in self.groups:
            self.groups[key].count += 1
            return
        example = f"call {number} {shortened(call.request)}\n"
        example += f"        old: {shortened(old)}\n        new: {shortened(new)}"
        self.groups[key] = Group(*key, example)

    def match(self, listed: Sequence[Listed]) -> list[Listed]:
        """Mark the groups that are intended; return the entries that matched none."""
        used = set()
        for group in self.groups.values():
            for entry in filter(lambda entry: entry.matches(group), listed):
                group.reason = group.reason or entry.reason
                used.add(entry)
        return [entry for entry in listed if entry not in used]

    def lines(self) -> Iterator[str]:
        """Yield the report: unlisted groups with an example, listed ones in a line."""
        for group in self.groups.values():
            head = f"{group.surface} {group.operation}: {group.path} ({group.count}x)"
            if group.reason:
                yield f"  listed    {head}: {group.reason}"
            else:
                yield f"  DIFFERENT {head}\n        {group.example}"

    @property
    def unlisted(self) -> int:
        """How many groups are not intended."""
        return sum(not group.reason for group in self.groups.values())


def shortened(value: Any) -> str:
    """Return a value on one line, cut where it is long."""
    text = value if isinstance(value, str) else repr(value)
    text = text.replace("\n", "\\n").encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= 300 else f"{text[:300]}..."


def without_wording(value: Any) -> Any:
    """Return a catalogue without its descriptions, and with parameters by name."""
    if isinstance(value, list):
        if value and all(
            isinstance(item, dict) and {"name", "in"} <= item.keys() for item in value
        ):
            return {item["name"]: without_wording(item) for item in value}
        return [without_wording(item) for item in value]
    if isinstance(value, dict):
        return {
            key: without_wording(item)
            for key, item in value.items()
            if not (key in WORDING and isinstance(item, str))
        }
    return value
