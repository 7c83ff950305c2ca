"""How active the notes of a vault are, and which projects are."""

import re
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from heapq import nlargest
from math import ceil, fsum, log2
from threading import Lock
from typing import NamedTuple

from msgspec import Struct

from glassmind.errors import BadLimit, ProjectUnknown
from glassmind.files.read import VaultFiles
from glassmind.memory.pins import pinned, pins_in
from glassmind.memory.vault import MemoryStore
from glassmind.model import NotePath
from glassmind.model.memory import (
    MOST_AT_ONCE,
    ActiveNote,
    ActiveProject,
    ActivityOverview,
    HeatLevel,
    alone,
)
from glassmind.model.search import ActivityLevel
from glassmind.obsidian.properties import parse_project, projects_in
from glassmind.obsidian.text import fold
from glassmind.store.protocol import Rows
from glassmind.vault import Vault

HOT, WARM = 0.5, 0.15
"""Where the levels begin: with the usual half-life a note that was edited today is hot
for three days and warm for two weeks, as long as its project is active."""

EDITED, DATED, USED = 0.7, 0.5, 0.9
"""The most that an edit, a note's own day and use give: less than a pin."""

PROJECT = 0.2  # what an active project gives its notes: enough to be warm, and no more
LINKED = 0.25  # the most that a note gets from a hot note that it is linked with
LINKS_A_PERSON_READS = 10
"""Links of a hot note that warm in full; those of one with more share that."""

LIVES = 6  # half-lives that count: what is older gives less than a sixtieth
WEIGHTS: Mapping[str, float] = {
    "read": 1.0,
    "context": 0.5,
    "recall": 0.5,
    "search": 0.25,
    "hot": 0.0,
    "brief": 0.0,
}
"""What being returned by an operation counts. Whoever searches may not even look at a
note, and what is shown for being active does not get more active."""

OTHER_OPERATION = 0.25
FULL = 4.0  # binary logarithm: the most that a day, and all days, give: fifteen reads
HOT_LINKED = 200  # hot notes whose links warm others
OWN_EDIT = 0.5
"""How far an edit has to be a person's own to keep a project active: one of ten files
in about a minute, not of more."""

LEAST_REASON = 0.02  # the least that a reason gives to be shown
WEEK = 7
DIGITS = 6  # decimals of a temperature that count
MOST, MOST_PROJECTS = 10_000, 50  # notes and projects that are returned at once
CACHED_S = 5.0
"""Seconds for which a search uses the same temperatures: every search is use, and would
have the next one compute them again."""

LARGEST = 2**63 - 1  # the largest number that a row holds

_FOLDER = re.compile(r"[\W\d_]*projects?", re.IGNORECASE)
_LIST = re.compile(r"[\W\d_]*(?:projects?|index|readme)", re.IGNORECASE)
"""A note that lists the projects of its folder, and is not one."""


class UsageCount(NamedTuple):
    """How often a note was returned by an operation, and how many days ago."""

    verb: str
    days: int
    times: int

    @property
    def weight(self) -> float:
        return WEIGHTS.get(self.verb, OTHER_OPERATION)


class WarmingLink(NamedTuple):
    """The hot note that warms another most; `leads` if it links to it."""

    share: float
    via: int
    leads: bool


class Project(Struct):
    """An active project: its folders and notes, and the days since its last use."""

    name: str
    days: int
    places: set[str] = set()
    notes: set[int] = set()


def faded(days: float, half_life_days: float) -> float:
    return float(2.0 ** (-max(0.0, days) / half_life_days))


def use_heat(uses: Iterable[UsageCount], half_life_days: float) -> float:
    """Return what use gives; each day by the logarithm of its use.

    So a program that asks for one note all day says little more than a person who read
    it in the morning and again at night.
    """
    by_day: dict[int, list[float]] = {}
    for use in uses:
        by_day.setdefault(use.days, []).append(use.weight * use.times)
    given = fsum(
        min(FULL, log2(1 + fsum(sorted(counts)))) * faded(days, half_life_days)
        for days, counts in sorted(by_day.items())
    )
    return USED * min(1.0, given / FULL)


def together(*shares: float) -> float:
    """Return the sum of shares as of independent chances, in any order."""
    given = sorted(share for share in shares if share > 0)
    if len(given) == 1:
        return min(1.0, given[0])
    left = 1.0
    for share in given:
        left *= 1.0 - min(1.0, share)
    return 1.0 - left


def level_of(heat: float) -> HeatLevel:
    if heat >= HOT:
        return "hot"
    return "warm" if heat >= WARM else "cold"


class Activity:
    """How active each note is, by its id, and what makes it so.

    What waits in the inbox is not active, nor does it warm anything, unless it is
    pinned: only an agent said that it matters. The same holds for summaries. What is
    superseded is not more active than its successor, unless it is pinned.
    """

    def __init__(self, vault: Vault, pins: Collection[NotePath], today: date) -> None:
        rows, settings, agent = vault.rows(), vault.config.memory, vault.agent_folder
        self._rows, self._today = rows, today
        self._half_life = settings.half_life_days
        self._active_days = settings.active_days
        back = max(ceil(LIVES * self._half_life), self._active_days)
        self._first = today - timedelta(days=min(back, today.toordinal() - 1))
        self.pinned = rows.note_ids(paths=pins)
        self.captured = rows.note_ids(folder=agent)
        self.waiting = rows.note_ids(folder=f"{agent}/inbox")
        self.successors = vault.store.successors()
        self.edits, self.days = self._edits(agent), self._own_days()
        self.uses: dict[int, list[UsageCount]] = {}
        since, until = self._first.isoformat(), _later(today, 1).isoformat()
        events, _ = vault.whole.store.usage_log.tail(rows.uses_read())
        for use in rows.uses(since, events):
            if use.day <= until:
                days = self._ago(date.fromisoformat(use.day))
                count = UsageCount(use.verb, days, use.times)
                self.uses.setdefault(use.note_id, []).append(count)
        summaries = rows.note_ids(folder=f"{agent}/summaries")
        apart = (self.waiting | summaries) - {*self.pinned}
        for note in apart:
            for facts in (self.edits, self.days, self.uses):
                facts.pop(note, None)
        notes = sorted({*self.pinned, *self.edits, *self.days, *self.uses})
        direct = self._lowered({note: self._direct(note) for note in notes})
        self.projects = active_projects(rows, self._recent(), apart)
        self.in_project = {
            note: project.name
            for project in reversed(self.projects)  # the first one of a note wins
            for note in project.notes
        }
        ties = _ties(rows, direct)
        self.ties = {note: tie for note, tie in ties.items() if note not in apart}
        heat = dict.fromkeys(self.in_project, PROJECT)
        for note in {*direct, *self.ties}:
            tie = self.ties[note].share if note in self.ties else 0.0
            heat[note] = together(direct.get(note, 0.0), heat.get(note, 0.0), tie)
        self.heat = self._lowered(heat)

    def _ago(self, day: date) -> int:
        return max(0, (self._today - day).days)

    def _edits(self, agent: str) -> dict[int, tuple[int, int]]:
        """Return how many days ago each note was edited, among how many others."""
        begin = _start_ns(self._first)
        end = _start_ns(_later(self._today, 2))  # later is a clock gone wrong
        edits = {}
        for note, mtime_ns, company in self._rows.edited_between(
            begin, end, MOST_AT_ONCE, agent
        ):
            # the last edit of a superseded memo says so, and does not count
            if note not in self.successors or note not in self.captured:
                day = datetime.fromtimestamp(mtime_ns // 10**9).astimezone().date()
                edits[note] = (self._ago(day), company)
        return edits

    def _own_days(self) -> dict[int, int]:
        first, last = self._first.isoformat(), self._today.isoformat()
        return {
            note.id: self._ago(date.fromisoformat(note.day))
            for note in self._rows.notes(first_day=first, last_day=last)
            if note.day is not None
        }

    def _direct(self, note: int) -> float:
        if note in self.pinned:
            return 1.0
        uses = self.uses.get(note)
        used = use_heat(uses, self._half_life) if uses else 0.0
        return together(used, *self._written(note))

    def _written(self, note: int) -> tuple[float, float]:
        """Return what its edit and its own day give a note.

        The day of a memo is that of its first edit, so the larger of both is all it
        gets.
        """
        edit = day = 0.0
        if note in self.edits:
            days, company = self.edits[note]
            edit = EDITED * alone(company) * faded(days, self._half_life)
        if note in self.days:
            day = DATED * faded(self.days[note], self._half_life)
        if note in self.captured:
            return (edit, 0.0) if edit >= day else (0.0, day)
        return edit, day

    def _lowered(self, heat: Mapping[int, float]) -> dict[int, float]:
        """Return heat by note, where nothing is hotter than its successors."""
        lowered = dict(heat)
        for note in self.successors.keys() & heat.keys() - {*self.pinned}:
            passed, after = {note}, self.successors[note].note_id
            while after and after not in passed:
                lowered[note] = min(lowered[note], heat.get(after, 0.0))
                passed.add(after)
                known = self.successors.get(after)
                after = known.note_id if known else 0
        return {note: warmth for note, warmth in lowered.items() if warmth > 0}

    def _recent(self) -> dict[int, int]:
        """Return the notes that keep a project active, and how many days ago."""
        found = dict(self.days)
        for note, (days, company) in self.edits.items():
            if alone(company) >= OWN_EDIT:
                found[note] = min(days, found.get(note, days))
        for note, uses in self.uses.items():
            for use in uses:
                if use.weight:
                    found[note] = min(use.days, found.get(note, use.days))
        return {note: days for note, days in found.items() if days < self._active_days}

    def reasons_of(self, note: int, titles: Mapping[int, str]) -> list[str]:
        """Return what makes a note active, the most telling first.

        `titles` are those of the notes that warm others by links.
        """
        reasons = ["pinned"] if note in self.pinned else []
        edit, day = self._written(note)
        if edit >= LEAST_REASON:
            days, company = self.edits[note]
            others = f" with {company - 1:,} others" if alone(company) < 1 else ""
            reasons.append(f"edited {_ago(days)}{others}")
        if day >= LEAST_REASON:
            days = self.days[note]
            reasons.append(f"its day was {_ago(days)}" if days else "its day is today")
        if uses := [use for use in self.uses.get(note, ()) if use.weight]:
            week = sum(use.times for use in uses if use.days < WEEK)
            times = week or sum(use.times for use in uses)
            count = {1: "once", 2: "twice"}.get(times, f"{times:,} times")
            last = f", last {_ago(min(use.days for use in uses))}"
            when = " in the last week" if week else last
            reasons.append(f"retrieved {count}{when}")
        if note in self.in_project:
            reasons.append(f"project {self.in_project[note]} is active")
        tie = self.ties.get(note)
        if tie is not None and tie.via in titles:
            way = "linked from" if tie.leads else "links to"
            reasons.append(f"{way} {titles[tie.via]}, which is hot")
        if note in self.successors:
            reasons.append(f"superseded by {self.successors[note].name}")
        return reasons


def _later(day: date, days: int) -> date:
    return date.fromordinal(min(day.toordinal() + days, date.max.toordinal()))


def _start_ns(day: date) -> int:
    """Return when a day begins, as far as the system knows its time zone."""
    try:
        seconds = int(datetime(day.year, day.month, day.day).astimezone().timestamp())
    except (ValueError, OverflowError, OSError):
        seconds = (day - date(1970, 1, 1)).days * 86_400
    return max(-LARGEST, min(LARGEST, seconds * 10**9))


def _ago(days: int) -> str:
    return {0: "today", 1: "yesterday"}.get(days, f"{days:,} days ago")


def _ties(rows: Rows, direct: Mapping[int, float]) -> dict[int, WarmingLink]:
    hot = [note for note, heat in direct.items() if heat >= HOT]
    hottest = sorted(hot, key=lambda note: (-direct[note], note))[:HOT_LINKED]
    onward = rows.links(sources=hottest, between_notes=True)
    back = rows.links(targets=hottest, between_notes=True)
    links = sorted(
        {(link.source_id, link.target_id or 0, True) for link in onward}
        | {(link.target_id or 0, link.source_id, False) for link in back}
    )
    degree: dict[int, int] = {}
    for note, _, _ in links:
        degree[note] = degree.get(note, 0) + 1
    ties: dict[int, WarmingLink] = {}
    for note, other, leads in links:
        share = LINKED * direct[note] * min(1.0, LINKS_A_PERSON_READS / degree[note])
        known = ties.get(other)
        if known is None or (share, -note) > (known.share, -known.via):
            ties[other] = WarmingLink(share, note, leads)
    return ties


# Projects


def active_projects(
    rows: Rows, recent: Mapping[int, int], apart: Collection[int] = ()
) -> list[Project]:
    """Return the active projects with all of their notes, the last used first.

    `recent` are the notes that were changed or used, and how many days ago; those
    `apart` belong to none.
    """
    projects: dict[str, Project] = {}

    def add(name: str, note: int) -> Project:
        project = projects.setdefault(fold(name), Project(name, recent[note]))
        project.days = min(project.days, recent[note])
        project.notes.add(note)
        return project

    named = rows.names(recent.keys()) if recent else {}
    for note, (path, _) in sorted(named.items(), key=lambda item: item[1]):
        place = place_in(path)
        if place is not None:
            add(place.rpartition("/")[2], note).places.add(place)
    for value, notes in rows.project_values(named.keys()) if named else ():
        for name in projects_in(value):
            for note in notes:
                add(name, note)
    _add_members(rows, projects)
    for project in projects.values():
        project.notes.difference_update(apart)
    return sorted(projects.values(), key=lambda one: (one.days, one.name.casefold()))


def _add_members(rows: Rows, projects: Mapping[str, Project]) -> None:
    for project in projects.values():
        for place in project.places:
            project.notes.update(rows.note_ids(folder=place))
            project.notes.update(rows.note_ids(paths=[f"{place}.md"]))
    for value, notes in rows.project_values() if projects else ():
        for name in map(fold, projects_in(value)):
            if name in projects:
                projects[name].notes.update(notes)


def place_in(path: str) -> str | None:
    """Return the folder or note of a project that a path is in, without its ending."""
    parts = path.split("/")
    for at, part in enumerate(parts[:-1]):
        if _FOLDER.fullmatch(part):
            name = parts[at + 1]
            stem = name.removesuffix(".md")
            is_note = at + 2 == len(parts)
            if is_note and (stem == name or _LIST.fullmatch(stem)):
                return None
            return "/".join((*parts[: at + 1], stem))
    return None


# The answer


def temperatures(
    vault: MemoryStore, today: date, *, limit: int, project: str | None
) -> ActivityOverview:
    """Return the most active notes, and count the others; see `Memory.temperatures`."""
    if not 1 <= limit <= MOST:
        raise BadLimit(limit, MOST)
    pins, rows = pinned(vault), vault.rows()
    activity = Activity(vault.vault, pins.paths, today)
    heat, total = activity.heat, rows.count("notes")
    if project is not None:
        members = {n.note_id for n in rows.project_notes(parse_project(project))}
        if not members:
            raise ProjectUnknown(project, rows.projects_like(project))
        heat = {note: warmth for note, warmth in heat.items() if note in members}
        total = len(members)
    hot = sum(h >= HOT for h in heat.values())
    warm = sum(h >= WARM for h in heat.values()) - hot
    notices = list(pins.problems)
    if not vault.config.memory.record_use:
        notices.append("use is not recorded, as memory.record_use says")
    elif not vault.vault.whole.store.usage_log.place:
        why = "no data folder outside of the vault is writable"
        notices.append(f"use is not recorded: {why}")
    projects = tuple(
        ActiveProject(
            one.name, len(one.notes), (today - timedelta(days=one.days)).isoformat()
        )
        for one in activity.projects[:MOST_PROJECTS]
    )
    return ActivityOverview(
        _most_active(activity, heat, rows, limit),
        projects,
        hot=hot,
        warm=warm,
        cold=max(0, total - hot - warm),
        notices=tuple(notices),
        waiting=len(activity.waiting),
    )


def _most_active(
    found: Activity, heat: Mapping[int, float], rows: Rows, limit: int
) -> tuple[ActiveNote, ...]:
    least = min(nlargest(limit, heat.values()), default=0.0) - 10.0**-DIGITS
    named = rows.names([note for note, warmth in heat.items() if warmth >= least])
    rounded = {note: round(heat[note], DIGITS) for note in named}
    order = lambda n: (-rounded[n], n in found.successors, named[n][0])  # noqa: E731
    shown: Sequence[int] = sorted(named, key=order)[:limit]
    via = {found.ties[note].via for note in shown if note in found.ties}
    titles = {note: title for note, (_, title) in rows.names(via).items()}
    return tuple(
        ActiveNote(
            *named[note],
            rounded[note],
            level_of(rounded[note]),
            tuple(found.reasons_of(note, titles)),
            pinned=note in found.pinned,
        )
        for note in shown
    )


class CachedHeat:
    """How active notes are, for searches; computed again when rows change or it is old.

    For any number of threads.
    """

    def __init__(self, vault: Vault) -> None:
        self._vault, self._lock = vault, Lock()
        self._state: object = None
        self._until = 0.0
        self._heat: Mapping[int, ActivityLevel] = {}

    def __call__(self) -> Mapping[int, ActivityLevel]:
        vault, today = self._vault, datetime.now().astimezone().date()
        with self._lock:
            state = (vault.store.head(), today)
            if self._state != state or time.monotonic() >= self._until:
                with VaultFiles(vault.config.vault.path) as files:
                    pins = pins_in(files, vault.agent_folder, vault.rows()).paths
                activity = Activity(vault, pins, today)
                self._heat = {
                    note: ActivityLevel(heat, pinned=note in activity.pinned)
                    for note, heat in activity.heat.items()
                }
                self._state, self._until = state, time.monotonic() + CACHED_S
            return self._heat
