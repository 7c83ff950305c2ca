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
from glassmind.memory.vault import MemoryVault
from glassmind.model import NotePath
from glassmind.model.memory import (
    MOST_AT_ONCE,
    ActiveNote,
    ActiveProject,
    DayUse,
    HeatLevel,
    Temperatures,
    alone,
)
from glassmind.model.search import Successor, Warm
from glassmind.obsidian.properties import parse_project, projects_in
from glassmind.obsidian.text import fold
from glassmind.store.protocol import Rows
from glassmind.vault import Vault

HOT, WARM = 0.5, 0.15
"""Where the levels begin: with the usual half-life a note that was edited today is hot
for three days and warm for two weeks, as long as its project is active."""

EDITED, DATED, USED = 0.7, 0.5, 0.9
"""The most that an edit, a note's own day and use give: less than a pin."""

PROJECT = 0.2
"""What an active project gives its notes: enough to be warm, and no more."""

LINKED = 0.25
"""The most that a note gets from a hot note that it is linked with."""

LINKS_A_PERSON_READS = 10
"""Links of a hot note that warm in full; those of one with more share that."""

LIVES = 6
"""Half-lives that count: what is older gives less than a sixtieth."""

MEANING: Mapping[str, float] = {
    "read": 1.0,
    "context": 0.5,
    "recall": 0.5,
    "search": 0.25,
    "hot": 0.0,
    "brief": 0.0,
}
"""What being returned means, by the operation: whoever reads a note means it, whoever
searches may not even look. What is shown for being active does not get more active."""

OTHER_VERB = 0.25

FULL_DAY, FULL = 4.0, 4.0
"""Binary logarithms: the most that a day, and all days, give: fifteen reads."""

HOT_LINKED = 200
"""Hot notes whose links warm others."""

OWN_EDIT = 0.5
"""How far an edit has to be a person's own to keep a project active: one of ten files
in about a minute, not of more."""

LEAST_REASON = 0.02
"""The least that a reason gives to be shown."""

WEEK = 7
DIGITS = 6
"""Decimals of a temperature that count."""

MOST, MOST_PROJECTS = 10_000, 50
"""Notes and projects that are returned at once."""

HOLD_S = 5.0
"""Seconds for which a search uses the same temperatures: every search is use, and would
have the next one compute them again."""

LARGEST = 2**63 - 1
"""The largest number that a row holds."""

_FOLDER = re.compile(r"[\W\d_]*projects?", re.IGNORECASE)
_LIST = re.compile(r"[\W\d_]*(?:projects?|index|readme)", re.IGNORECASE)
"""A note that lists the projects of its folder, and is not one."""


class Use(NamedTuple):
    """How often a note was returned by an operation, and how many days ago."""

    verb: str
    days: int
    times: int


class Span(NamedTuple):
    """The days that count, today the last of them."""

    today: date
    half_life_days: float
    active_days: int

    @property
    def first(self) -> date:
        back = max(ceil(LIVES * self.half_life_days), self.active_days)
        return self.today - timedelta(days=min(back, self.today.toordinal() - 1))

    def ago(self, day: date) -> int:
        return max(0, (self.today - day).days)


class Tie(NamedTuple):
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


class Warmed(Struct):
    """How active each note is, with what makes it so, by the ids of notes."""

    span: Span
    pinned: Collection[int]
    captured: Collection[int]
    waiting: Collection[int]
    successors: Mapping[int, Successor]
    edits: dict[int, tuple[int, int]] = {}
    days: dict[int, int] = {}
    uses: dict[int, list[Use]] = {}
    projects: Sequence[Project] = ()
    in_project: Mapping[int, str] = {}
    ties: dict[int, Tie] = {}
    heat: dict[int, float] = {}


# What each fact gives


def faded(days: float, half_life_days: float) -> float:
    return float(2.0 ** (-max(0.0, days) / half_life_days))


def edit_heat(days: int, company: int, half_life_days: float) -> float:
    """Return what an edit gives, among so many in the same minute."""
    return EDITED * alone(company) * faded(days, half_life_days)


def day_heat(days: int, half_life_days: float) -> float:
    """Return what a day of its own, such as that of a daily note, gives."""
    return DATED * faded(days, half_life_days)


def use_heat(uses: Iterable[Use], half_life_days: float) -> float:
    """Return what use gives; each day by the logarithm of its use.

    So a program that asks for one note all day says little more than a person who read
    it in the morning and again at night.
    """
    by_day: dict[int, list[float]] = {}
    for use in uses:
        meant = MEANING.get(use.verb, OTHER_VERB) * use.times
        by_day.setdefault(use.days, []).append(meant)
    given = fsum(
        min(FULL_DAY, log2(1 + fsum(sorted(meant)))) * faded(days, half_life_days)
        for days, meant in sorted(by_day.items())
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


# Temperatures of all notes


def measured(vault: Vault, pins: Collection[NotePath], today: date) -> Warmed:
    rows, settings = vault.rows(), vault.config.memory
    span = Span(today, settings.half_life_days, settings.active_days)
    since, until = span.first.isoformat(), _later(today, 1).isoformat()
    events, _ = vault.use_log.tail(rows.uses_read())
    uses = [*rows.uses(since), *rows.count_uses(events, since)]
    there = [each for each in uses if each.day <= until]
    return warmed(rows, there, rows.note_ids(paths=pins), span, vault.agent_folder)


def warmed(
    rows: Rows,
    uses: Iterable[DayUse],
    pinned: Collection[int],
    span: Span,
    agent: str,
) -> Warmed:
    """Return how active notes are: by themselves, then by projects and links.

    What waits in the inbox is not active, nor does it warm anything, unless it is
    pinned: only an agent said that it matters. The same holds for summaries. What is
    superseded is not more active than its successor, unless it is pinned.
    """
    captured, waiting = (
        rows.note_ids(folder=agent),
        rows.note_ids(folder=f"{agent}/inbox"),
    )
    made = Warmed(span, pinned, captured, waiting, rows.successors())
    summaries = rows.note_ids(folder=f"{agent}/summaries")
    apart = {note for note in (*waiting, *summaries) if note not in pinned}
    _add_edits(made, rows, agent)
    for note_id, verb, day, times in uses:
        use = Use(verb, span.ago(date.fromisoformat(day)), times)
        made.uses.setdefault(note_id, []).append(use)
    for note in apart:
        for facts in (made.edits, made.days, made.uses):
            facts.pop(note, None)
    notes = sorted({*pinned, *made.edits, *made.days, *made.uses})
    direct = _lowered(made, {note: _direct(made, note) for note in notes})
    made.projects = active_projects(rows, _recent(made), apart)
    made.in_project = {
        note: project.name
        for project in reversed(made.projects)  # the first one of a note wins
        for note in project.notes
    }
    ties = _ties(rows, direct)
    made.ties = {note: tie for note, tie in ties.items() if note not in apart}
    heat = dict.fromkeys(made.in_project, PROJECT)
    for note in {*direct, *made.ties}:
        tie = made.ties[note].share if note in made.ties else 0.0
        heat[note] = together(direct.get(note, 0.0), heat.get(note, 0.0), tie)
    made.heat = _lowered(made, heat)
    return made


def _add_edits(made: Warmed, rows: Rows, agent: str) -> None:
    """Add edits and the notes' own days; a time in the future does not count."""
    span = made.span
    begin, end = _start_ns(span.first), _start_ns(_later(span.today, 2))
    for note_id, mtime_ns, company in rows.edited_between(
        begin, end, MOST_AT_ONCE, agent
    ):
        # the last edit of a superseded memo says so, and does not count
        if note_id not in made.successors or note_id not in made.captured:
            day = datetime.fromtimestamp(mtime_ns // 10**9).astimezone().date()
            made.edits[note_id] = (span.ago(day), company)
    first, last = span.first.isoformat(), span.today.isoformat()
    for note in rows.notes(first_day=first, last_day=last):
        if note.day is not None:
            made.days[note.id] = span.ago(date.fromisoformat(note.day))


def _later(day: date, days: int) -> date:
    return date.fromordinal(min(day.toordinal() + days, date.max.toordinal()))


def _start_ns(day: date) -> int:
    """Return when a day begins, as far as the system knows its time zone."""
    try:
        seconds = int(datetime(day.year, day.month, day.day).astimezone().timestamp())
    except (ValueError, OverflowError, OSError):
        seconds = (day - date(1970, 1, 1)).days * 86_400
    return max(-LARGEST, min(LARGEST, seconds * 10**9))


def _direct(made: Warmed, note: int) -> float:
    if note in made.pinned:
        return 1.0
    uses = made.uses.get(note)
    used = use_heat(uses, made.span.half_life_days) if uses else 0.0
    return together(used, *_written(made, note))


def _written(made: Warmed, note: int) -> tuple[float, float]:
    """Return what its edit and its own day give a note.

    The day of a memo is that of its first edit, so the larger of both is all it gets.
    """
    half = made.span.half_life_days
    edit = edit_heat(*made.edits[note], half) if note in made.edits else 0.0
    day = day_heat(made.days[note], half) if note in made.days else 0.0
    if note in made.captured:
        return (edit, 0.0) if edit >= day else (0.0, day)
    return edit, day


def _lowered(made: Warmed, heat: Mapping[int, float]) -> dict[int, float]:
    lowered = dict(heat)
    for note in made.successors.keys() & heat.keys() - {*made.pinned}:
        seen, after = {note}, made.successors[note].note_id
        while after and after not in seen:
            lowered[note] = min(lowered[note], heat.get(after, 0.0))
            seen.add(after)
            after = made.successors[after].note_id if after in made.successors else 0
    return {note: warmth for note, warmth in lowered.items() if warmth > 0}


def _recent(made: Warmed) -> dict[int, int]:
    """Return the notes that keep a project active, and how many days ago they did."""
    found = dict(made.days)
    for note, (days, company) in made.edits.items():
        if alone(company) >= OWN_EDIT:
            found[note] = min(days, found.get(note, days))
    for note, uses in made.uses.items():
        for use in _meant(uses):
            found[note] = min(use.days, found.get(note, use.days))
    return {n: days for n, days in found.items() if days < made.span.active_days}


def _meant(uses: Iterable[Use]) -> list[Use]:
    return [use for use in uses if MEANING.get(use.verb, OTHER_VERB)]


def _ties(rows: Rows, direct: Mapping[int, float]) -> dict[int, Tie]:
    hot = [note for note, heat in direct.items() if heat >= HOT]
    hottest = sorted(hot, key=lambda note: (-direct[note], note))[:HOT_LINKED]
    links = rows.linked_notes(hottest) if hottest else ()
    degree: dict[int, int] = {}
    for note, _, _ in links:
        degree[note] = degree.get(note, 0) + 1
    ties: dict[int, Tie] = {}
    for note, other, leads in links:
        share = LINKED * direct[note] * min(1.0, LINKS_A_PERSON_READS / degree[note])
        known = ties.get(other)
        if known is None or (share, -note) > (known.share, -known.via):
            ties[other] = Tie(share, note, leads)
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
    for note, value in rows.projects_of(named.keys()) if named else ():
        for name in projects_in(value):
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
    by_text: dict[str, list[Project]] = {}
    for text, value in rows.project_values().items() if projects else ():
        names = map(fold, projects_in(value))
        if meant := [projects[name] for name in names if name in projects]:
            by_text[text] = meant
    for note, text in rows.notes_with_project(by_text.keys()) if by_text else ():
        for project in by_text[text]:
            project.notes.add(note)


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
    vault: MemoryVault, today: date, *, limit: int, project: str | None
) -> Temperatures:
    """Return the most active notes, and count the others; see `Memory.temperatures`."""
    if not 1 <= limit <= MOST:
        raise BadLimit(limit, MOST)
    pins = pinned(vault)
    made = measured(vault.vault, pins.paths, today)
    rows = vault.rows()
    among = None if project is None else _members(vault, project)
    heat = {n: h for n, h in made.heat.items() if among is None or n in among}
    hot = sum(h >= HOT for h in heat.values())
    warm = sum(h >= WARM for h in heat.values()) - hot
    total = rows.note_count() if among is None else len(among)
    projects = tuple(
        ActiveProject(
            one.name, len(one.notes), (today - timedelta(days=one.days)).isoformat()
        )
        for one in made.projects[:MOST_PROJECTS]
    )
    return Temperatures(
        _most_active(made, heat, rows, limit),
        projects,
        hot=hot,
        warm=warm,
        cold=max(0, total - hot - warm),
        notices=(*pins.problems, *_not_recorded(vault)),
        waiting=len(made.waiting),
    )


def _members(vault: MemoryVault, project: str) -> set[int]:
    known = vault.rows()
    found = {note.note_id for note in known.project_notes(parse_project(project))}
    if not found:
        raise ProjectUnknown(project, known.projects_like(project))
    return found


def _most_active(
    made: Warmed, heat: Mapping[int, float], rows: Rows, limit: int
) -> tuple[ActiveNote, ...]:
    least = min(nlargest(limit, heat.values()), default=0.0) - 10.0**-DIGITS
    named = rows.names([note for note, warmth in heat.items() if warmth >= least])
    rounded = {note: round(heat[note], DIGITS) for note in named}
    order = lambda n: (-rounded[n], n in made.successors, named[n][0])  # noqa: E731
    shown = sorted(named, key=order)[:limit]
    via = {made.ties[note].via for note in shown if note in made.ties}
    titles = {note: title for note, (_, title) in rows.names(via).items()}
    return tuple(
        ActiveNote(
            *named[note],
            rounded[note],
            level_of(rounded[note]),
            tuple(reasons_of(made, note, titles)),
            pinned=note in made.pinned,
        )
        for note in shown
    )


def reasons_of(made: Warmed, note: int, titles: Mapping[int, str]) -> list[str]:
    """Return what makes a note active, the most telling first.

    `titles` are those of the notes that warm others by links.
    """
    reasons = ["pinned"] if note in made.pinned else []
    edit, day = _written(made, note)
    if edit >= LEAST_REASON:
        days, company = made.edits[note]
        others = f" with {company - 1:,} others" if alone(company) < 1 else ""
        reasons.append(f"edited {_ago(days)}{others}")
    if day >= LEAST_REASON:
        days = made.days[note]
        reasons.append(f"its day was {_ago(days)}" if days else "its day is today")
    if uses := _meant(made.uses.get(note, ())):
        week = sum(use.times for use in uses if use.days < WEEK)
        times, latest = sum(use.times for use in uses), min(use.days for use in uses)
        when = "in the last week" if week else f"last {_ago(latest)}"
        comma = "" if week else ","
        reasons.append(f"retrieved {_times(week or times)}{comma} {when}")
    if note in made.in_project:
        reasons.append(f"project {made.in_project[note]} is active")
    tie = made.ties.get(note)
    if tie is not None and tie.via in titles:
        way = "linked from" if tie.leads else "links to"
        reasons.append(f"{way} {titles[tie.via]}, which is hot")
    if note in made.successors:
        reasons.append(f"superseded by {made.successors[note].name}")
    return reasons


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def _ago(days: int) -> str:
    return {0: "today", 1: "yesterday"}.get(days, f"{days:,} days ago")


def _not_recorded(vault: MemoryVault) -> list[str]:
    if not vault.config.memory.record_use:
        return ["use is not recorded, as memory.record_use says"]
    if not vault.vault.use_log.is_kept:
        return ["use is not recorded: no data folder outside of the vault is writable"]
    return []


# The boost of active notes in a search


class OpenHeat:
    """How active notes are, for searches; computed again when rows change or it is old.

    For any number of threads.
    """

    def __init__(self, vault: Vault) -> None:
        self._vault, self._lock = vault, Lock()
        self._state: object = None
        self._until = 0.0
        self._heat: Mapping[int, Warm] = {}

    def __call__(self) -> Mapping[int, Warm]:
        vault, today = self._vault, datetime.now().astimezone().date()
        with self._lock:
            state = (vault.store.log().head(), today)
            if self._state != state or time.monotonic() >= self._until:
                rows = vault.rows()
                with VaultFiles(vault.config.vault.path) as files:
                    pins = pins_in(files, vault.agent_folder, rows).paths
                made = measured(vault, pins, today)
                self._heat = {
                    note: Warm(heat, pinned=note in made.pinned)
                    for note, heat in made.heat.items()
                }
                self._state, self._until = state, time.monotonic() + HOLD_S
            return self._heat
