"""Briefings: what is active, decided and open, and what changed since a day.

Where the budget does not hold everything, each section gets an item in turn.
"""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from msgspec.structs import replace

from glassmind.context.budget import Estimate, TokenCounter, made_within
from glassmind.context.conflicts import conflicts
from glassmind.context.items import BundleScope, decisions, is_pattern, questions, tasks
from glassmind.context.markdown import SECTIONS, briefing_as_markdown, numbered
from glassmind.context.parts import (
    SUMMARIES,
    ContextParts,
    StaleCheck,
    day_or_today,
    inbox_notice,
)
from glassmind.context.sections import Parts, parts_within
from glassmind.model import NotePath
from glassmind.model.context import (
    Briefing,
    ChangedNote,
    Item,
    NextRead,
    OmittedSection,
)
from glassmind.model.memory import alone
from glassmind.search.query import parse_day

USUAL_DAYS = 7
"""Days of changes that a briefing covers unless a day is named."""

LIMITS = {
    "hot": 10,
    "decisions": 10,
    "questions": 10,
    "tasks": 20,
    "changed": 20,
    "conflicts": 10,
}
"""The most of each section, in the order of the Markdown: a page or two."""

WARM_NOTES = 40
"""Active notes whose items count; more add items of notes that nobody uses."""

APART = ("inbox", SUMMARIES)
"""Parts of the agent folder that hold no work."""


def brief(
    parts: ContextParts,
    project: str | None,
    since: str | None,
    budget_tokens: int | None,
    today: date | None,
) -> Briefing:
    """Return a briefing within a budget."""
    now = day_or_today(today)
    start = parse_day(since, now) if since else now - timedelta(days=USUAL_DAYS)
    budget = parts.budget(budget_tokens)
    counter = parts.counter
    empty = Briefing(project or "", start.isoformat(), budget, 0, counter.name)
    whole = _whole(parts, empty, now)
    briefing = made_within(
        budget, lambda most: fitted(replace(whole, budget_tokens=most), counter)
    )
    parts.used("brief", [read.path for read in briefing.hot])
    return briefing


def _whole(parts: ContextParts, empty: Briefing, today: date) -> Briefing:
    named = empty.project or None
    members = {note.note_id for note in parts.members_of(named)}
    day = today.isoformat()
    warm = parts.warmth(limit=WARM_NOTES, project=named, today=day)
    agent = parts.agent
    apart = tuple(f"{agent}/{part}/" for part in APART)
    hot = [
        active_note for active_note in warm.notes if _is_work(active_note.path, apart)
    ]
    with parts.vault.rows().still():
        changes = parts.vault.rows()
        rows = parts.sections()
        changed = [
            row
            for row in changes.changed_since(empty.since, agent)
            if (not named or row.note_id in members) and _is_work(row.path, apart)
        ]
        edited = [row for row in changed if alone(row.company)]
        at_once = [row.day for row in changed if not alone(row.company)]
        known = changes.notes(paths=[active_note.path for active_note in hot])
        ids = {note.path: note.id for note in known}
        best = [ids[active_note.path] for active_note in hot if active_note.path in ids]
        best += [row.note_id for row in (*edited, *changed)[:WARM_NOTES]]
        note_ids = tuple(dict.fromkeys(best))
        scope = BundleScope(note_ids, frozenset(members), "", today, agent)
        active = [active_note for active_note in hot if active_note.level != "cold"][
            : LIMITS["hot"]
        ]
        briefing = replace(
            empty,
            hot=tuple(
                NextRead(
                    active_note.path,
                    active_note.title,
                    "; ".join((active_note.level, *active_note.reasons)),
                )
                for active_note in active
            ),
            decisions=tuple(decisions(rows, scope)),
            questions=tuple(questions(rows, scope)),
            tasks=tuple(tasks(rows, scope)),
            changed=tuple(
                ChangedNote(NotePath(row.path), row.title, row.day) for row in edited
            ),
            notices=(*_at_once(at_once), *inbox_notice(warm.waiting)),
            conflicts=tuple(conflicts(rows, scope)),
            dropped=tuple(
                OmittedSection(name, 0, 0, at_least=True) for name in sorted(rows.cut)
            ),
        )
        stale = StaleCheck(parts)
        stale.look(_paths(briefing))
        return replace(briefing, degraded=(*stale.notices(), *warm.notices))


def _paths(whole: Briefing) -> Iterator[NotePath]:
    for name, most in LIMITS.items():
        for one in getattr(whole, name)[:most]:
            yield from (part.path for part in getattr(one, "sides", (one,)))


def _is_work(path: str, apart: tuple[str, ...]) -> bool:
    return not (path.startswith(apart) or is_pattern(path))


def _at_once(days: Sequence[str]) -> tuple[str, ...]:
    if not days:
        return ()
    more = len(set(days)) - 1
    others = f" and on {more} other day{'s' if more > 1 else ''}" if more else ""
    when, notes = f"{max(days)}{others}", f"{len(days):,} notes"
    return (f"Many files were written at once on {when} ({notes}); that is no edit",)


def fitted(whole: Briefing, counter: TokenCounter) -> Briefing:
    """Return as much of a briefing as its budget holds, and what is left out."""
    every = {name: getattr(whole, name)[:most] for name, most in LIMITS.items()}

    def text(shown: Parts) -> str:
        return briefing_as_markdown(_with(whole, shown))

    shown = parts_within(every, whole.budget_tokens, counter, text, _line)
    briefing = _with(whole, shown)
    return replace(
        briefing,
        tokens=counter.count(text(shown)),
        dropped=tuple(_sized(section, briefing, whole) for section in briefing.dropped),
    )


def _with(whole: Briefing, shown: Parts) -> Briefing:
    cut = {section.section for section in whole.dropped}
    left = {name: len(getattr(whole, name)) - len(shown[name]) for name in LIMITS}
    dropped = [
        OmittedSection(name, count, 0, name in cut)
        for name, count in left.items()
        if count
    ]
    items: dict[str, Any] = dict(shown)
    return replace(whole, **items, dropped=tuple(dropped))


def _sized(dropped: OmittedSection, made: Briefing, whole: Briefing) -> OmittedSection:
    """Return what was left out with about the tokens that its lines would take."""
    name = dropped.section
    shown = [_key(one) for one in getattr(made, name)]
    left = (one for one in getattr(whole, name) if _key(one) not in shown)
    text = "".join(_line(name, one) for one in left)
    return replace(dropped, tokens=Estimate().count(text))


def _key(one: Any) -> object:
    return (one.path, one.lines) if isinstance(one, Item) else one


def _line(name: str, one: Any) -> str:
    return SECTIONS[name](one, numbered)
