"""Telling the warmest notes of a vault, and the projects that are active."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from heapq import nlargest
from typing import TYPE_CHECKING, Protocol

from glassmind.config.settings import Memory
from glassmind.errors import BadLimit
from glassmind.errors.context import ProjectUnknown
from glassmind.memory.pins import pinned
from glassmind.memory.temperature import HOT, WARM, level_of
from glassmind.memory.warmed import (
    HeatFacts,
    Span,
    Warmed,
    later,
    reasons_of,
    warmed,
)
from glassmind.model import NotePath
from glassmind.model.memory import ActiveNote, ActiveProject, Temperatures
from glassmind.model.use import DayUse, UseEvent
from glassmind.obsidian.properties import parse_project

if TYPE_CHECKING:
    from glassmind.memory.cabinet import Cabinet

DIGITS = 6
"""Decimals of a temperature that count when two are compared."""


MOST = 10_000
"""Notes that are told at once."""


MOST_PROJECTS = 50
"""Active projects that are told, those used last."""


class UseFacts(Protocol):
    """What the rows know of use; see `EventRows`."""

    def folded(self) -> Mapping[str, int]:
        """Return how far each file of the record was taken in."""

    def uses(self, since: str, /) -> Sequence[DayUse]:
        """Return what was handed out from a day on."""

    def counted(self, events: Collection[UseEvent], since: str, /) -> Sequence[DayUse]:
        """Return the same of events that are not in the rows yet."""


class CountedFacts(HeatFacts, Protocol):
    """The same with how many notes there are."""

    def count(self) -> int:
        """Return how many notes there are."""


class UseRecord(Protocol):
    """What was handed out, on record; see `UseLog`."""

    @property
    def is_kept(self) -> bool:
        """Whether there is a place for it."""

    def tail(
        self, folded: Mapping[str, int], /
    ) -> tuple[Sequence[UseEvent], Mapping[str, int]]:
        """Return what was added behind what is folded."""


@dataclass(frozen=True, slots=True)
class HeatSources:
    """What temperatures are made from: the rows, those of use, and the record."""

    rows: CountedFacts
    use: UseFacts
    log: UseRecord


def measured(
    sources: HeatSources, settings: Memory, pins: Collection[NotePath], today: date
) -> Warmed:
    """Return what of the vault is warm on a day."""
    span = Span(today, settings.half_life_days, settings.active_days)
    since, until = span.first.isoformat(), later(today, 1).isoformat()
    events, _ = sources.log.tail(sources.use.folded())
    uses = [*sources.use.uses(since), *sources.use.counted(events, since)]
    there = [use for use in uses if use.day <= until]
    return warmed(sources.rows, there, sources.rows.ids(pins), span)


def temperatures(
    cabinet: "Cabinet", today: date, *, limit: int, project: str | None
) -> Temperatures:
    """Return the warmest notes first, all warm ones counted.

    With `project`, only its notes are told and counted.

    Raises:
        BadLimit: so many cannot be told.
        ProjectUnknown: no note belongs to the project.
    """
    if not 1 <= limit <= MOST:
        raise BadLimit(limit, MOST)
    settings, pins = cabinet.config.memory, pinned(cabinet)
    sources = cabinet.heat()
    made, rows = measured(sources, settings, pins.paths, today), sources.rows
    among = None if project is None else _members(cabinet, project)
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
        notices=(*pins.problems, *_lacking(cabinet)),
        waiting=len(made.waiting),
    )


def _members(cabinet: "Cabinet", project: str) -> set[int]:
    known = cabinet.projects()
    found = {n.note_id for n in known.members(parse_project(project))}
    if not found:
        raise ProjectUnknown(project, known.closest(project))
    return found


def _told(
    made: Warmed, heat: Mapping[int, float], rows: CountedFacts, limit: int
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


def _lacking(cabinet: "Cabinet") -> list[str]:
    """Say so where use warms nothing, since none of it is on record."""
    if not cabinet.config.memory.record_use:
        return ["use is not recorded, as memory.record_use says"]
    if not cabinet.heat().log.is_kept:
        return ["use is not recorded: no data folder outside of the vault is writable"]
    return []
