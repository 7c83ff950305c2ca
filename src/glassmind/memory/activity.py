"""Telling the warmest notes of a vault, and the projects that are active."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cache
from heapq import nlargest
from math import ceil, fsum, log2
from typing import NamedTuple

from glassmind.errors import BadLimit, ProjectUnknown
from glassmind.memory.pins import pinned
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
from glassmind.model.search import Successor
from glassmind.obsidian.properties import parse_project, projects_in
from glassmind.obsidian.text import fold
from glassmind.store.sqlite.memory import EventRows, HeatRows
from glassmind.vault import Vault

_FOLDER = re.compile(r"[\W\d_]*projects?", re.IGNORECASE)
_LIST = re.compile(r"[\W\d_]*(?:projects?|index|readme)", re.IGNORECASE)
"""A note that lists the projects of its folder, and is none."""


class Activity(NamedTuple):
    """A project that is active: how many notes it has, and days since the last use."""

    name: str
    notes: int
    days: int


class _Seen:
    """A project while it is put together: by names, days, and where its notes are."""

    def __init__(self, name: str, days: int) -> None:
        self.name, self.days = name, days
        self.places: set[str] = set()
        self.notes: set[int] = set()


def active_projects(
    rows: HeatRows, lately: Mapping[int, int], apart: Collection[int] = ()
) -> tuple[list[Activity], dict[int, str]]:
    """Return the active projects, the last used first, and the notes they have.

    `lately` has the notes that were changed or used, and how many days ago. A note of
    two projects goes by the one that was used last; those `apart` are of none.
    """
    seen = _seen(rows, lately)
    _fill(rows, seen)
    for one in seen.values():
        one.notes.difference_update(apart)
    order = sorted(seen.values(), key=lambda one: (one.days, one.name.casefold()))
    found: dict[int, str] = {}
    for one in order:
        for note in one.notes:
            found.setdefault(note, one.name)
    return [Activity(one.name, len(one.notes), one.days) for one in order], found


def _seen(rows: HeatRows, lately: Mapping[int, int]) -> dict[str, _Seen]:
    """Return the projects of some notes, by their names without case."""
    seen: dict[str, _Seen] = {}

    def see(name: str, note: int) -> _Seen:
        one = seen.setdefault(fold(name), _Seen(name, lately[note]))
        one.days = min(one.days, lately[note])
        one.notes.add(note)
        return one

    named = rows.names(lately.keys()) if lately else {}
    for note, (path, _) in sorted(named.items(), key=lambda item: item[1]):
        place = place_in(path)
        if place is not None:
            see(place.rpartition("/")[2], note).places.add(place)
    for note, value in rows.projects_of(named.keys()) if named else ():
        for name in projects_in(value):
            see(name, note)
    return seen


def _fill(rows: HeatRows, seen: Mapping[str, _Seen]) -> None:
    """Add the notes that were not changed lately."""
    for one in seen.values():
        for place in one.places:
            one.notes.update(rows.under(place))
            one.notes.update(rows.ids([f"{place}.md"]))
    if not seen:
        return
    said: dict[str, list[_Seen]] = {}
    for text, value in rows.project_values().items():
        names = map(fold, projects_in(value))
        meant = [seen[name] for name in names if name in seen]
        if meant:
            said[text] = meant
    for note, text in rows.with_values(said.keys()) if said else ():
        for one in said[text]:
            one.notes.add(note)


def place_in(path: str) -> str | None:
    """Return the folder or note of a project that a path is in, without its ending."""
    parts = path.split("/")
    for at, part in enumerate(parts[:-1]):
        if _FOLDER.fullmatch(part):
            name = parts[at + 1]
            if at + 2 == len(parts) and not _is_project_note(name):
                return None
            return "/".join((*parts[: at + 1], name.removesuffix(".md")))
    return None


def _is_project_note(name: str) -> bool:
    stem = name.removesuffix(".md")
    return stem != name and not _LIST.fullmatch(stem)


HOT, WARM = 0.5, 0.15
"""Where the levels begin: with the usual half-life a note that was edited today is hot
for three days and warm for two weeks, as long as its project is active."""

EDITED, DATED, USED = 0.7, 0.5, 0.9
"""The most that an edit, a day of its own and use give: no one of them is a pin."""

PROJECT = 0.2
"""What a note gets from a project that is active: enough to be warm, and no more."""

LINKED = 0.25
"""The most that a note gets from a hot note it is linked with."""

LINKS_A_PERSON_READS = 10
"""Links of a hot note that warm in full; those of one with more share that."""

LIVES = 6
"""Half-lives that are looked back: what is older gives less than a sixtieth."""

MEANING: Mapping[str, float] = {
    "read": 1.0,
    "context": 0.5,
    "recall": 0.5,
    "search": 0.25,
    "hot": 0.0,
    "brief": 0.0,
}
"""What being handed out says by the verb: who reads a note means it, who searches may
not even look. What is shown because it is warm is not made warmer by that."""

OTHER_VERB = 0.25

FULL_DAY, FULL = 4.0, 4.0
"""Binary logarithms: fifteen reads of a day are as much as a day can give, and that is
all there is to get."""


class Use(NamedTuple):
    """How often a note was handed out by a verb, and how many days ago."""

    verb: str
    days: int
    times: int


def faded(days: float, half_life_days: float) -> float:
    """Return what time leaves of a share: a half after each half-life."""
    return float(2.0 ** (-max(0.0, days) / half_life_days))


def edit_heat(days: int, company: int, half_life_days: float) -> float:
    """Return what an edit gives."""
    return EDITED * alone(company) * faded(days, half_life_days)


def day_heat(days: int, half_life_days: float) -> float:
    """Return what a day of its own, such as that of a daily note, gives."""
    return DATED * faded(days, half_life_days)


def use_heat(uses: Iterable[Use], half_life_days: float) -> float:
    """Return what use gives; each day by the logarithm of what was used on it.

    So a program that asks for one note all day says little more than a person who read
    it in the morning and again at night.
    """
    by_day: dict[int, list[float]] = {}
    for use in uses:
        said = MEANING.get(use.verb, OTHER_VERB) * use.times
        by_day.setdefault(use.days, []).append(said)
    given = fsum(
        min(FULL_DAY, log2(1 + fsum(sorted(said)))) * faded(days, half_life_days)
        for days, said in sorted(by_day.items())
    )
    return USED * min(1.0, given / FULL)


def link_heat(heat: float, degree: int) -> float:
    """Return what a note gets from a hot one that has so many links in all."""
    return LINKED * heat * min(1.0, LINKS_A_PERSON_READS / max(1, degree))


def together(*shares: float) -> float:
    """Return what shares come to, in whatever order they are."""
    given = [share for share in shares if share > 0]
    if len(given) == 1:
        return min(1.0, given[0])
    left = 1.0
    for share in sorted(given):
        left *= 1.0 - min(1.0, share)
    return 1.0 - left


def level_of(heat: float) -> HeatLevel:
    """Return a temperature in a word."""
    if heat >= HOT:
        return "hot"
    return "warm" if heat >= WARM else "cold"


HOT_LINKED = 200
"""Hot notes whose links warm others; a person has fewer in mind."""

OWN_EDIT = 0.5
"""How far an edit has to be a person's own to keep a project active: one of ten files
about its minute, not of more."""

TOLD = 0.02
"""The least that a reason has to give to be told."""

WEEK = 7

CLOCKED = range(1971, 2200)
"""Years whose days every system can tell the zone of."""

EPOCH_DAY = date(1970, 1, 1).toordinal()

LARGEST = 2**63 - 1
"""The largest number that a row holds."""

QUARTER_S = 900
"""Seconds that are of one day in every zone: all are whole quarters of an hour off."""


class Span(NamedTuple):
    """The days that are looked at, today the last of them."""

    today: date
    half_life_days: float
    active_days: int

    @property
    def first(self) -> date:
        """The earliest day that counts."""
        back = max(ceil(LIVES * self.half_life_days), self.active_days)
        return self.today - timedelta(days=min(back, self.today.toordinal() - 1))

    def ago(self, day: date) -> int:
        """Return how many days ago a day was; none for one that is yet to come."""
        return max(0, (self.today - day).days)


class Tie(NamedTuple):
    """The hot note that warms another most; `leads` where it leads there."""

    share: float
    via: int
    leads: bool


@dataclass(slots=True)
class Warmed:
    """How warm each note is that is not stone cold, with what it comes from."""

    span: Span
    pinned: Collection[int]
    edits: dict[int, tuple[int, int]] = field(default_factory=dict)
    days: dict[int, int] = field(default_factory=dict)
    uses: dict[int, list[Use]] = field(default_factory=dict)
    projects: Sequence[Activity] = ()
    in_project: Mapping[int, str] = field(default_factory=dict)
    ties: dict[int, Tie] = field(default_factory=dict)
    heat: dict[int, float] = field(default_factory=dict)
    captured: Collection[int] = frozenset()
    waiting: Collection[int] = frozenset()
    successors: Mapping[int, Successor] = field(default_factory=dict)


def warmed(
    rows: HeatRows, uses: Iterable[DayUse], pinned: Collection[int], span: Span
) -> Warmed:
    """Return what is warm: first of itself, then by its project and by its links.

    What waits in the inbox is neither warm nor warms anything, unless it is pinned:
    nobody but an agent has said yet that it matters. So are summaries: what they are
    made of is warm, or is not. What is superseded is no warmer than what took its
    place, unless it is pinned.
    """
    made = Warmed(span, pinned, captured=rows.captured(), waiting=rows.waiting())
    made.successors = rows.successors()
    apart = {note for note in (*made.waiting, *rows.made()) if note not in pinned}
    _see_edits(made, rows)
    ago = cache(lambda day: span.ago(date.fromisoformat(day)))
    for note_id, verb, day, times in uses:
        made.uses.setdefault(note_id, []).append(Use(verb, ago(day), times))
    for note in apart:
        for seen in (made.edits, made.days, made.uses):
            seen.pop(note, None)
    direct = {note: _direct(made, note) for note in sorted(_moved(made))}
    direct = _lowered(made, direct)
    lately = _lately(made)
    made.projects, made.in_project = active_projects(rows, lately, apart)
    ties = _ties(rows, direct)
    made.ties = {note: tie for note, tie in ties.items() if note not in apart}
    made.heat = dict.fromkeys(made.in_project, PROJECT)
    for note in {*direct, *made.ties}:
        project = PROJECT if note in made.in_project else 0.0
        tie = made.ties[note].share if note in made.ties else 0.0
        made.heat[note] = together(direct.get(note, 0.0), project, tie)
    made.heat = _lowered(made, made.heat)
    return made


def _lowered(made: Warmed, heat: Mapping[int, float]) -> dict[int, float]:
    """Return how warm notes are, none warmer than what took its place."""
    lowered = dict(heat)
    for note in made.successors.keys() & heat.keys() - {*made.pinned}:
        seen, after = {note}, made.successors[note].note_id
        while after and after not in seen:
            lowered[note] = min(lowered[note], heat.get(after, 0.0))
            seen.add(after)
            after = made.successors[after].note_id if after in made.successors else 0
    return {note: warmth for note, warmth in lowered.items() if warmth > 0}


def _see_edits(made: Warmed, rows: HeatRows) -> None:
    """Look at what was changed; a time that is yet to come is no time."""
    span = made.span
    begin, end = _start_ns(span.first), _start_ns(later(span.today, 2))
    ago = cache(lambda quarter: span.ago(_day_of(quarter * QUARTER_S)))
    # the last that was done to a superseded memo is to say so: that is no edit
    marked = {note for note in made.successors if note in made.captured}
    for note_id, mtime_ns, company in rows.edited(begin, end, MOST_AT_ONCE):
        if note_id not in marked:
            made.edits[note_id] = (ago(mtime_ns // (QUARTER_S * 10**9)), company)
    for note_id, day in rows.dated(span.first.isoformat(), span.today.isoformat()):
        made.days[note_id] = span.ago(date.fromisoformat(day))


def _day_of(second: int) -> date:
    return datetime.fromtimestamp(second).astimezone().date()


def later(day: date, days: int) -> date:
    """Return the day so many days later, or the last there is."""
    return date.fromordinal(min(day.toordinal() + days, date.max.toordinal()))


def _start_ns(day: date) -> int:
    """Return when a day begins; one that no file is of, without regard to zones."""
    if day.year not in CLOCKED:
        seconds = (day.toordinal() - EPOCH_DAY) * 86_400
    else:
        begin = datetime(day.year, day.month, day.day).astimezone()
        seconds = int(begin.timestamp())
    return max(-LARGEST, min(LARGEST, seconds * 10**9))


def _moved(made: Warmed) -> set[int]:
    return {*made.pinned, *made.edits, *made.days, *made.uses}


def _direct(made: Warmed, note: int) -> float:
    """Return how warm a note is of itself."""
    if note in made.pinned:
        return 1.0
    uses = made.uses.get(note)
    used = use_heat(uses, made.span.half_life_days) if uses else 0.0
    return together(used, *_written(made, note))


def _written(made: Warmed, note: int) -> tuple[float, float]:
    """Return what its edit and its own day give a note.

    A memo has its day because it was written on it: the larger of both is all it gets.
    """
    half = made.span.half_life_days
    edit = edit_heat(*made.edits[note], half) if note in made.edits else 0.0
    day = day_heat(made.days[note], half) if note in made.days else 0.0
    if note in made.captured:
        return (edit, 0.0) if edit >= day else (0.0, day)
    return edit, day


def _lately(made: Warmed) -> dict[int, int]:
    """Return the notes that keep a project active, and how many days ago they did."""
    found: dict[int, int] = dict(made.days)
    for note, (days, company) in made.edits.items():
        if alone(company) >= OWN_EDIT:
            found[note] = min(days, found.get(note, days))
    for note, uses in made.uses.items():
        meant = [u.days for u in uses if MEANING.get(u.verb, OTHER_VERB)]
        if meant:
            found[note] = min(*meant, found.get(note, meant[0]))
    return {n: days for n, days in found.items() if days < made.span.active_days}


def _ties(rows: HeatRows, direct: Mapping[int, float]) -> dict[int, Tie]:
    hot = [note for note, heat in direct.items() if heat >= HOT]
    hottest = sorted(hot, key=lambda note: (-direct[note], note))[:HOT_LINKED]
    links = rows.linked(hottest) if hottest else ()
    degree: dict[int, int] = {}
    for one, _, _ in links:
        degree[one] = degree.get(one, 0) + 1
    ties: dict[int, Tie] = {}
    for one, other, leads in links:
        tie = Tie(link_heat(direct[one], degree[one]), one, leads)
        known = ties.get(other)
        if known is None or (tie.share, -tie.via) > (known.share, -known.via):
            ties[other] = tie
    return ties


def reasons_of(made: Warmed, note: int, titles: Mapping[int, str]) -> list[str]:
    """Return in words what warms a note, the most telling first.

    `titles` has what the notes are called that others are linked with.
    """
    said = ["pinned"] if note in made.pinned else []
    edit, day = _written(made, note)
    if edit >= TOLD:
        days, company = made.edits[note]
        others = f" with {company - 1:,} others" if alone(company) < 1 else ""
        said.append(f"edited {_ago(days)}{others}")
    if day >= TOLD:
        said.append(_its_day(made.days[note]))
    said += _used(made.uses.get(note, ()))
    if note in made.in_project:
        said.append(f"project {made.in_project[note]} is active")
    tie = made.ties.get(note)
    if tie is not None and tie.via in titles:
        way = "linked from" if tie.leads else "links to"
        said.append(f"{way} {titles[tie.via]}, which is hot")
    if note in made.successors:
        said.append(f"superseded by {made.successors[note].name}")
    return said


def _used(uses: Sequence[Use]) -> list[str]:
    """Return how often a note was retrieved, by what of that means something."""
    meant = [use for use in uses if MEANING.get(use.verb, OTHER_VERB)]
    if not meant:
        return []
    last = [use.times for use in meant if use.days < WEEK]
    if last:
        return [f"retrieved {_times(sum(last))} in the last week"]
    latest = min(use.days for use in meant)
    return [f"retrieved {_times(sum(u.times for u in meant))}, last {_ago(latest)}"]


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def _ago(days: int) -> str:
    return {0: "today", 1: "yesterday"}.get(days, f"{days:,} days ago")


def _its_day(days: int) -> str:
    return "its day is today" if days == 0 else f"its day was {_ago(days)}"


DIGITS = 6
"""Decimals of a temperature that count when two are compared."""


MOST = 10_000
"""Notes that are told at once."""


MOST_PROJECTS = 50
"""Active projects that are told, those used last."""


def measured(vault: Vault, pins: Collection[NotePath], today: date) -> Warmed:
    """Return how active the notes of a vault are on a day."""
    db, settings = vault.reader.connection(), vault.config.memory
    rows, use = HeatRows(db, vault.agent_folder), EventRows(db)
    span = Span(today, settings.half_life_days, settings.active_days)
    since, until = span.first.isoformat(), later(today, 1).isoformat()
    events, _ = vault.use_log.tail(use.folded())
    uses = [*use.uses(since), *use.counted(events, since)]
    there = [each for each in uses if each.day <= until]
    return warmed(rows, there, rows.ids(pins), span)


def temperatures(
    vault: MemoryVault, today: date, *, limit: int, project: str | None
) -> Temperatures:
    """Return the most active notes, and count the others; see `Memory.temperatures`."""
    if not 1 <= limit <= MOST:
        raise BadLimit(limit, MOST)
    pins = pinned(vault)
    made = measured(vault.vault, pins.paths, today)
    rows = HeatRows(vault.vault.reader.connection(), vault.folder)
    among = None if project is None else _members(vault, project)
    heat = {n: h for n, h in made.heat.items() if among is None or n in among}
    hot = sum(h >= HOT for h in heat.values())
    warm = sum(h >= WARM for h in heat.values()) - hot
    total = rows.count() if among is None else len(among)
    return Temperatures(
        _told(made, heat, rows, limit),
        _active(made),
        hot=hot,
        warm=warm,
        cold=max(0, total - hot - warm),
        notices=(*pins.problems, *_lacking(vault)),
        waiting=len(made.waiting),
    )


def _members(vault: MemoryVault, project: str) -> set[int]:
    known = vault.projects()
    found = {n.note_id for n in known.members(parse_project(project))}
    if not found:
        raise ProjectUnknown(project, known.closest(project))
    return found


def _told(
    made: Warmed, heat: Mapping[int, float], rows: HeatRows, limit: int
) -> tuple[ActiveNote, ...]:
    """Return the warmest; of equal ones what is current, and the first by path."""
    least = min(nlargest(limit, heat.values()), default=0.0) - 10.0**-DIGITS
    named = rows.names([note for note, warmth in heat.items() if warmth >= least])
    ranked = sorted(
        named,
        key=lambda note: (
            -round(heat[note], DIGITS),
            note in made.successors,
            named[note][0],
        ),
    )
    shown = ranked[:limit]
    via = {made.ties[note].via for note in shown if note in made.ties}
    titles = {note: title for note, (_, title) in rows.names(via).items()}
    return tuple(
        ActiveNote(
            named[note][0],
            named[note][1],
            round(heat[note], DIGITS),
            level_of(round(heat[note], DIGITS)),
            tuple(reasons_of(made, note, titles)),
            pinned=note in made.pinned,
        )
        for note in shown
    )


def _active(made: Warmed) -> tuple[ActiveProject, ...]:
    return tuple(
        ActiveProject(
            one.name,
            one.notes,
            (made.span.today - timedelta(days=one.days)).isoformat(),
        )
        for one in made.projects[:MOST_PROJECTS]
    )


def _lacking(vault: MemoryVault) -> list[str]:
    """Return a notice if retrieved notes are not recorded."""
    if not vault.config.memory.record_use:
        return ["use is not recorded, as memory.record_use says"]
    if not vault.vault.use_log.is_kept:
        return ["use is not recorded: no data folder outside of the vault is writable"]
    return []
