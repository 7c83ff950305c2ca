"""Which notes of a vault are warm, and what makes each of them so."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cache
from math import ceil
from typing import NamedTuple, Protocol

from glassmind.memory.active import Activity, ProjectFacts, active_projects
from glassmind.memory.temperature import (
    HOT,
    LIVES,
    MEANING,
    OTHER_VERB,
    PROJECT,
    Use,
    day_heat,
    edit_heat,
    link_heat,
    together,
    use_heat,
)
from glassmind.model.adjustments import Successor
from glassmind.model.use import MOST_AT_ONCE, DayUse, Edit, alone

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


class HeatFacts(ProjectFacts, Protocol):
    """What the rows know of what is alive; see `HeatRows`."""

    def edited(self, since_ns: int, until_ns: int, most: int, /) -> Sequence[Edit]:
        """Return the notes changed between two times, each with its company."""

    def dated(self, since: str, until: str, /) -> Sequence[tuple[int, str]]:
        """Return the notes whose own day is one of these, with it."""

    def captured(self) -> Collection[int]:
        """Return the notes of the agent folder."""

    def waiting(self) -> Collection[int]:
        """Return those of them that nobody has approved yet."""

    def made(self) -> Collection[int]:
        """Return those of them that were made of other notes."""

    def successors(self) -> Mapping[int, Successor]:
        """Return what took the place of each note that says so; 0 is none we know."""

    def linked(self, note_ids: Collection[int], /) -> Sequence[tuple[int, int, bool]]:
        """Return each note with what it leads to (True) and what leads to it."""


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
    rows: HeatFacts, uses: Iterable[DayUse], pinned: Collection[int], span: Span
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


def _see_edits(made: Warmed, rows: HeatFacts) -> None:
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


def _ties(rows: HeatFacts, direct: Mapping[int, float]) -> dict[int, Tie]:
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
