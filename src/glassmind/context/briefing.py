"""Where work stands: what is warm, decided and open, and what changed since a day.

A turn takes the best of each section, the next turn the second best, until the budget
is full: so each section has its share, and one that is short leaves its room to the
others.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

from glassmind.context.budget import Counter, Estimate, checked_budget
from glassmind.context.conflicts import conflicts
from glassmind.context.decisions import decisions
from glassmind.context.fitting import most_within
from glassmind.context.members import members_of
from glassmind.context.questions import questions
from glassmind.context.scope import Scope
from glassmind.context.shelf import Shelf
from glassmind.context.tasks import tasks
from glassmind.render.briefings_markdown import SECTIONS, briefing_as_markdown
from glassmind.types import NotePath
from glassmind.types.context import Briefing, ChangedNote, Dropped, NextRead
from glassmind.types.memory import Temperature

USUAL_DAYS = 7
"""What changed is told of so many days, unless a day is named: a week of work."""

LIMITS = {
    "hot": 10,
    "decisions": 10,
    "questions": 10,
    "tasks": 20,
    "changed": 20,
    "conflicts": 10,
}
"""The most of each section, in the order of the Markdown: a page or two to read."""

WARM_NOTES = 40
"""Warm notes that are asked for; where no project is named, what is open is theirs."""

APART = ("inbox", "summaries")
"""Parts of the agent folder that are no work: what waits, and what was made of it."""


def brief(
    shelf: Shelf,
    *,
    project: str | None,
    since: str | None,
    budget_tokens: int | None,
    today: date | None,
) -> Briefing:
    """Return where work stands, within the budget.

    Raises:
        BadDate: `since` is no day.
        ProjectUnknown: no note belongs to the project.
        BudgetTooSmall: nothing useful fits.
    """
    now = today or datetime.now().astimezone().date()
    start = shelf.day(since, now) if since else now - timedelta(days=USUAL_DAYS)
    budget = checked_budget(budget_tokens, shelf.config.context.budget_tokens)
    counter = shelf.counter()
    empty = Briefing(project or "", start.isoformat(), budget, 0, counter.name)
    made = fitted(_whole(shelf, empty, now), counter)
    shelf.sources.used("brief", [one.path for one in made.hot])
    return made


def _whole(shelf: Shelf, empty: Briefing, today: date) -> Briefing:
    """Return all that there is to tell, whatever the budget."""
    named = empty.project or None
    members = {note.note_id for note in members_of(shelf.projects, named)}
    said = today.isoformat()
    warm = shelf.sources.warmth(limit=WARM_NOTES, project=named, today=said)
    agent = shelf.config.writes.agent_dir.strip("/")
    apart = tuple(f"{agent}/{part}/" for part in APART)
    hot = [one for one in warm.notes if not one.path.startswith(apart)]
    with shelf.still():
        changes, rows = shelf.changes(), shelf.sections()
        changed = [
            one
            for one in changes.changed(empty.since)
            if (not named or one.note_id in members) and not one.path.startswith(apart)
        ]
        ids = changes.placed([one.path for one in hot])
        best = [ids[one.path] for one in hot if one.path in ids]
        best += [one.note_id for one in changed[:WARM_NOTES]]
        scope = Scope(
            note_ids=tuple(dict.fromkeys(best)),
            project_ids=frozenset(members),
            query=empty.project,
            today=today,
            agent=agent,
        )
        return replace(
            empty,
            hot=tuple(_hot(one) for one in hot if one.level != "cold")[: LIMITS["hot"]],
            decisions=tuple(decisions(rows, scope)),
            questions=tuple(questions(rows, scope)),
            tasks=tuple(tasks(rows, scope)),
            changed=tuple(
                ChangedNote(NotePath(one.path), one.title, one.day) for one in changed
            ),
            conflicts=tuple(conflicts(rows, scope)),
            degraded=warm.notices,
        )


def _hot(note: Temperature) -> NextRead:
    return NextRead(note.path, note.title, "; ".join((note.level, *note.reasons)))


def fitted(whole: Briefing, counter: Counter) -> Briefing:
    """Return as much of a briefing as its budget holds, and say what is left out."""
    turns = [
        (name, at)
        for at in range(max(LIMITS.values()))
        for name, most in LIMITS.items()
        if at < min(most, len(getattr(whole, name)))
    ]
    fits = most_within(
        len(turns),
        lambda count: _size(_first(whole, turns[:count]), counter),
        whole.budget_tokens,
    )
    made = _first(whole, turns[:fits])
    left = tuple(_weighed(one, whole) for one in made.dropped)
    return replace(made, tokens=_size(made, counter), dropped=left)


def _size(briefing: Briefing, counter: Counter) -> int:
    return counter.count(briefing_as_markdown(briefing))


def _first(whole: Briefing, turns: Iterable[tuple[str, int]]) -> Briefing:
    """Return a briefing with what was taken in these turns."""
    counts = dict.fromkeys(LIMITS, 0)
    for name, _ in turns:
        counts[name] += 1
    parts: dict[str, Any] = {
        name: getattr(whole, name)[:count] for name, count in counts.items()
    }
    dropped = tuple(
        Dropped(name, left, 0)
        for name, count in counts.items()
        if (left := len(getattr(whole, name)) - count)
    )
    return replace(whole, dropped=dropped, **parts)


def _weighed(dropped: Dropped, whole: Briefing) -> Dropped:
    """Return what was left out with about the tokens that its lines would have had."""
    line = SECTIONS[dropped.section]
    left = getattr(whole, dropped.section)[-dropped.count :]
    text = "".join(line(one, lambda _: "[0]") for one in left)
    return replace(dropped, tokens=Estimate().count(text))
