"""A project in sentences of its own notes, each cited, and kept where asked to.

Neither summaries nor what waits in the inbox are read, nor what an agent wrote and no
person has approved, nor notes that say that another is in their place.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime

from msgspec.structs import replace

from glassmind.context.behind import Lookout
from glassmind.context.briefing import APART, SHARES
from glassmind.context.budget import Counter
from glassmind.context.cutting import numbered
from glassmind.context.fitting import most_within
from glassmind.context.items import is_superseded
from glassmind.context.least import made_within
from glassmind.context.markdown import item_line, summary_as_markdown
from glassmind.context.members import members_of
from glassmind.context.scope import Scope
from glassmind.context.shelf import Shelf
from glassmind.context.shortening import cut_to
from glassmind.context.telling import LIMITS, Told, told_of
from glassmind.errors.context import BudgetTooSmall, ProjectUnknown
from glassmind.model.context import AnswerSentence, Item, Summary
from glassmind.model.sections import SectionNote
from glassmind.obsidian.project_names import parse_project

MOST_NOTES = 500
"""Notes that are read, those changed last: about a second for a large project."""


def summarize(
    shelf: Shelf,
    project: str,
    *,
    budget_tokens: int | None,
    save: bool,
    today: date | None,
) -> Summary:
    """Return a project in sentences of its own notes, and keep it where asked to.

    Raises:
        ProjectUnknown: no note belongs to the project.
        BudgetTooSmall: nothing useful fits.
        WriteRefused: it is to be saved, and nothing may be written.
    """
    usual = shelf.config.context.budget_tokens
    budget = usual if budget_tokens is None else budget_tokens
    called = parse_project(project).name.rpartition("/")[2] or project
    counter, lookout = shelf.counter(), Lookout(shelf)
    with shelf.still():
        told, notices = _told(shelf, project, called, today or _today())
        lookout.look(one.path for one in _sentences(told))
    notices = (*lookout.notices(), *notices)

    def within(most: int) -> tuple[str, Told]:
        return _fitted(told, lambda told: _text(called, told, notices), counter, most)

    text, shown = made_within(budget, within)
    made = Summary(
        project=project,
        text=text,
        sentences=tuple(_sentences(shown)),
        tokens=counter.count(text),
        tokenizer=counter.name,
        notices=notices,
    )
    return _kept(shelf, made, f"Summary of {called}") if save else made


def _fitted(
    told: Told, written: Callable[[Told], str], counter: Counter, budget: int
) -> tuple[str, Told]:
    """Return as much of what there is to tell as a budget holds, as text too.

    Raises:
        BudgetTooSmall: none of it fits.
    """
    if counter.count(written(told)) > budget:
        told = _lean(told, counter, budget // SHARES[0])
    turns = _turns(told)

    def size(count: int) -> int:
        return counter.count(written(_first(told, turns[:count])))

    count = most_within(len(turns), size, budget)
    if (turns and not count) or size(count) > budget:
        raise BudgetTooSmall(budget, size(min(1, len(turns))))
    shown = _first(told, turns[:count])
    return written(shown), shown


def _lean(told: Told, counter: Counter, room: int) -> Told:
    """Return what there is to tell, its items cut to a room where that can be."""

    def line(item: Item) -> str:
        return item_line(item, numbered)

    def cut(items: Iterable[Item]) -> tuple[Item, ...]:
        return tuple(cut_to(one, room, line, counter.count) or one for one in items)

    return dataclasses.replace(
        told, decisions=cut(told.decisions), questions=cut(told.questions)
    )


def _today() -> date:
    return datetime.now().astimezone().date()


def _kept(shelf: Shelf, made: Summary, title: str) -> Summary:
    if not made.sentences:
        return made
    receipts = list(dict.fromkeys(one.receipt for one in made.sentences))
    path = shelf.sources.renew(title, made.project, made.text, receipts)
    return replace(made, saved=path)


def _told(
    shelf: Shelf, project: str, called: str, today: date
) -> tuple[Told, tuple[str, ...]]:
    """Return what there is to tell, and what of the project was not read."""
    rows, agent = shelf.sections(), shelf.config.writes.agent_dir.strip("/")
    members = members_of(shelf.projects, project)
    if not members:
        raise ProjectUnknown(project)
    every = rows.notes([note.note_id for note in members])
    ours = [note for note in every.values() if _is_source(note, agent)]
    ours.sort(key=lambda note: (-note.mtime_ns, note.path))
    notes = {note.note_id: note for note in ours[:MOST_NOTES]}
    own = [at for at, note in notes.items() if note.title.lower() == called.lower()]
    scope = Scope(tuple(sorted(own)), frozenset(notes), called, today, agent)
    left = len(ours) - len(notes)
    notices = (f"{left:,} older notes of the project were not read",) if left else ()
    return told_of(rows, notes, scope), notices


def _is_source(note: SectionNote, agent: str) -> bool:
    """Whether a note may be summarized: a person's own, or approved, and it holds."""
    apart = tuple(f"{agent}/{part}/" for part in APART)
    made = note.properties.get("generated") is True
    barred = made or note.path.startswith(apart) or note.path.endswith(".base")
    return not (barred or is_superseded(note))


def _turns(told: Told) -> list[str]:
    """Return the sections in the order in which each is given one thing more."""
    turns = ["short"] * len(told.short)
    for at in range(max(LIMITS.values())):
        others = (name for name in LIMITS if name != "short")
        turns += [name for name in others if at < len(getattr(told, name))]
    return turns


def _first(told: Told, turns: Iterable[str]) -> Told:
    counts = dict.fromkeys(LIMITS, 0)
    for name in turns:
        counts[name] += 1
    return Told(**{name: getattr(told, name)[:count] for name, count in counts.items()})


def _text(called: str, told: Told, notices: Sequence[str]) -> str:
    # the sentences of a note stand together, in its order, behind those of better ones
    places = {one.path: at for at, one in reversed([*enumerate(told.points)])}
    points = sorted(told.points, key=lambda one: (places[one.path], one.rank))
    return summary_as_markdown(
        called,
        short=[one.sentence for one in told.short],
        decisions=told.decisions,
        points=[(one.note.title, one.sentence) for one in points],
        questions=told.questions,
        notices=notices,
    )


def _sentences(told: Told) -> Iterator[AnswerSentence]:
    for said in (*told.short, *told.points):
        yield said.sentence
    for item in (*told.decisions, *told.questions):
        yield AnswerSentence(item.text, item.path, item.receipt, item.trimmed)
