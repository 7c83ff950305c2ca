"""Where work stands: what is warm, decided and open, and what changed since a day.

A turn takes the best of each section, the next turn the second best, until the budget
is full: so each section has its share, and one that is short leaves its room to the
others.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from glassmind.context.budget import Estimate, TokenCounter, made_within, most_within
from glassmind.context.conflicts import conflicts
from glassmind.context.items import BundleScope, is_pattern
from glassmind.context.markdown import SECTIONS, briefing_as_markdown
from glassmind.context.open_work import decisions, questions, tasks
from glassmind.context.parts import SUMMARIES, ContextParts, StaleCheck, members_of
from glassmind.context.sections import BY_DAY, cut_to
from glassmind.errors import BudgetTooSmall
from glassmind.model import NotePath
from glassmind.model.context import Briefing, ChangedNote, Dropped, Item, NextRead
from glassmind.model.memory import ActiveNote, alone

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

SHARES = (4, 2, 1)
"""Of a budget that does not hold all, the part that one thing may take at most: no
decision of many pages may be all that is told. A larger one where nothing is shorter,
as of a note with a long path."""

LONG_SENTENCE = (1.0, 1.25, 1.5, 2.0)
"""How many times as much an item may take whose first sentence is longer than that: an
older decision is no stand-in for it."""

WARM_NOTES = 40
"""Warm notes that are asked for; where no project is named, what is open is theirs."""

APART = ("inbox", SUMMARIES)
"""Parts of the agent folder that are no work: what waits, and what was made of it."""


def brief(
    shelf: ContextParts,
    *,
    project: str | None,
    since: str | None,
    budget_tokens: int | None,
    today: date | None,
) -> Briefing:
    """Return where work stands, within the budget.

    Raises:
        BadDate: `since` is not a date.
        ProjectUnknown: no note belongs to the project.
        BudgetTooSmall: nothing useful fits.
    """
    now = today or datetime.now().astimezone().date()
    start = shelf.day(since, now) if since else now - timedelta(days=USUAL_DAYS)
    usual = shelf.config.context.budget_tokens
    budget = usual if budget_tokens is None else budget_tokens
    counter = shelf.counter()
    empty = Briefing(project or "", start.isoformat(), budget, 0, counter.name)
    whole = _whole(shelf, empty, now)
    made = made_within(
        budget, lambda most: fitted(replace(whole, budget_tokens=most), counter)
    )
    shelf.sources.used("brief", [one.path for one in made.hot])
    return made


def _whole(shelf: ContextParts, empty: Briefing, today: date) -> Briefing:
    """Return all that there is to tell, whatever the budget."""
    named = empty.project or None
    members = {note.note_id for note in members_of(shelf.projects, named)}
    said = today.isoformat()
    warm = shelf.sources.warmth(limit=WARM_NOTES, project=named, today=said)
    agent = shelf.config.writes.agent_dir.strip("/")
    apart = tuple(f"{agent}/{part}/" for part in APART)
    hot = [one for one in warm.notes if _is_work(one.path, apart)]
    with shelf.still():
        changes, rows = shelf.changes(), shelf.sections()
        changed = [
            one
            for one in changes.changed(empty.since, agent)
            if (not named or one.note_id in members) and _is_work(one.path, apart)
        ]
        edited = [one for one in changed if alone(one.company)]
        at_once = [one.day for one in changed if not alone(one.company)]
        ids = changes.placed([one.path for one in hot])
        best = [ids[one.path] for one in hot if one.path in ids]
        best += [one.note_id for one in (*edited, *changed)[:WARM_NOTES]]
        scope = BundleScope(
            note_ids=tuple(dict.fromkeys(best)),
            project_ids=frozenset(members),
            query="",
            today=today,
            agent=agent,
        )
        made = replace(
            empty,
            hot=tuple(_hot(one) for one in hot if one.level != "cold")[: LIMITS["hot"]],
            decisions=tuple(decisions(rows, scope)),
            questions=tuple(questions(rows, scope)),
            tasks=tuple(tasks(rows, scope)),
            changed=tuple(
                ChangedNote(NotePath(one.path), one.title, one.day) for one in edited
            ),
            notices=(*_at_once(at_once), *inbox_notice(warm.waiting)),
            conflicts=tuple(conflicts(rows, scope)),
            dropped=tuple(
                Dropped(name, 0, 0, at_least=True) for name in sorted(rows.cut)
            ),
        )
        lookout = StaleCheck(shelf)
        lookout.look(_told_of(made))
        return replace(made, degraded=(*lookout.notices(), *warm.notices))


def _told_of(whole: Briefing) -> Iterator[NotePath]:
    """Yield the notes that a briefing may tell of, whatever its budget."""
    for name, most in LIMITS.items():
        for one in getattr(whole, name)[:most]:
            yield from (part.path for part in getattr(one, "sides", (one,)))


def _is_work(path: str, apart: tuple[str, ...]) -> bool:
    return not (path.startswith(apart) or is_pattern(path))


def _at_once(days: Sequence[str]) -> tuple[str, ...]:
    """Return in a sentence that notes changed together, and when, if some did."""
    if not days:
        return ()
    more = len(set(days)) - 1
    others = f" and on {more} other day{'s' if more > 1 else ''}" if more else ""
    when, notes = f"{max(days)}{others}", f"{len(days):,} notes"
    return (f"Many files were written at once on {when} ({notes}); that is no edit",)


def inbox_notice(count: int) -> tuple[str, ...]:
    """Return in a sentence that captures wait for a person, if some do."""
    if not count:
        return ()
    many = "1 capture waits" if count == 1 else f"{count:,} captures wait"
    return (f"{many} in the inbox, approved by nobody yet",)


def _hot(note: ActiveNote) -> NextRead:
    return NextRead(note.path, note.title, "; ".join((note.level, *note.reasons)))


def fitted(whole: Briefing, counter: TokenCounter) -> Briefing:
    """Return as much of a briefing as its budget holds, and say what is left out.

    Raises:
        BudgetTooSmall: there is something to tell, and none of it fits.
    """
    every = _most_of(whole)
    made = _counted(_told(every, whole), counter)
    if made.tokens > whole.budget_tokens:
        made = _part(every, whole, counter)
    left = tuple(_weighed(one, made, whole) for one in made.dropped)
    return replace(made, dropped=left)


def _most_of(whole: Briefing) -> Briefing:
    """Return a briefing with the most of each section."""
    parts: dict[str, Any] = {
        name: tuple(getattr(whole, name)[:most]) for name, most in LIMITS.items()
    }
    return replace(whole, **parts)


def _counted(made: Briefing, counter: TokenCounter) -> Briefing:
    return replace(made, tokens=counter.count(briefing_as_markdown(made)))


def _part(every: Briefing, whole: Briefing, counter: TokenCounter) -> Briefing:
    """Return what fits of a briefing that does not fit as it is.

    Raises:
        BudgetTooSmall: none of it fits.
    """
    least = 0
    for share in SHARES:
        lean = _lean(every, counter, whole.budget_tokens // share)
        made, least = _in_turns(lean, whole, counter)
        if made is not None:
            return made
    raise BudgetTooSmall(whole.budget_tokens, least)


def _in_turns(
    lean: Briefing, whole: Briefing, counter: TokenCounter
) -> tuple[Briefing | None, int]:
    """Return what fits, a thing of each section in turn, and what the first takes.

    None where that does not fit.
    """
    turns = [
        name
        for at in range(max(LIMITS.values()))
        for name in LIMITS
        if at < len(getattr(lean, name))
    ]

    def first(count: int) -> Briefing:
        return _counted(_told(_first(lean, turns[:count]), whole), counter)

    budget = whole.budget_tokens
    fits = most_within(len(turns), lambda count: first(count).tokens, budget)
    return first(fits) if fits else None, first(1).tokens


def _lean(every: Briefing, counter: TokenCounter, room: int) -> Briefing:
    """Return a briefing with nothing that takes more than a room."""
    parts: dict[str, Any] = {
        name: tuple(_within(name, getattr(every, name), counter, room))
        for name in LIMITS
    }
    return replace(every, **parts)


def _within(
    name: str, found: Iterable[Any], counter: TokenCounter, room: int
) -> Iterator[Any]:
    """Yield what of a section takes a room at most, items cut to that.

    What cannot be is passed by; in a section by day it is the last that is looked at.
    """

    def line(one: Any) -> str:
        return SECTIONS[name](one, _number)

    for one in found:
        if isinstance(one, Item):
            rooms = (int(part * room) for part in LONG_SENTENCE)
            cuts = (cut_to(one, most, line, counter.count) for most in rooms)
            kept = next((cut for cut in cuts if cut), None)
        else:
            kept = one if counter.count(line(one)) <= room else None
        if kept is not None:
            yield kept
        elif name in BY_DAY:
            return


def _first(lean: Briefing, turns: Iterable[str]) -> Briefing:
    """Return a briefing with what was taken in these turns."""
    counts = dict.fromkeys(LIMITS, 0)
    for name in turns:
        counts[name] += 1
    parts: dict[str, Any] = {
        name: getattr(lean, name)[:count] for name, count in counts.items()
    }
    return replace(lean, **parts)


def _told(made: Briefing, whole: Briefing) -> Briefing:
    """Return a briefing that tells how much of the whole it does not have."""
    left = {
        name: len(getattr(whole, name)) - len(getattr(made, name)) for name in LIMITS
    }
    cut = {one.section for one in whole.dropped}
    dropped = tuple(
        Dropped(name, count, 0, name in cut) for name, count in left.items() if count
    )
    return replace(made, dropped=dropped)


def _weighed(dropped: Dropped, made: Briefing, whole: Briefing) -> Dropped:
    """Return what was left out with about the tokens that its lines would have had."""
    line, shown = SECTIONS[dropped.section], getattr(made, dropped.section)
    places = [_place(one) for one in shown]
    every = getattr(whole, dropped.section)
    left = (one for one in every if _place(one) not in places)
    text = "".join(line(one, _number) for one in left)
    return dataclasses.replace(dropped, tokens=Estimate().count(text))


def _place(one: Any) -> object:
    """Return what tells one thing of a section from the others, be it cut or not."""
    return (one.path, one.lines) if isinstance(one, Item) else one


def _number(_: str) -> str:
    return "[10]"
