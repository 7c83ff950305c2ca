"""The tasks of a bundle that are not done.

Which statuses are open the rows know: those the Tasks plugin has so, else the usual
ones. A day on which a task is due, or planned for, stands in its line: `📅 2026-03-01`
or `[due:: 2026-03-01]`.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import NamedTuple

from msgspec import structs

from glassmind.context.captured import approved_first, captures
from glassmind.context.items import (
    Drafts,
    Found,
    asked_ids,
    is_pattern,
    item_of,
    pages_of,
)
from glassmind.context.page import Page
from glassmind.context.relevance import asks_for_due, closeness
from glassmind.context.scope import Scope, SectionRows
from glassmind.model import Span
from glassmind.model.context import UNAPPROVED, Item
from glassmind.model.sections import SectionHeading, SectionNote, SectionTask
from glassmind.obsidian.days import first_day
from glassmind.obsidian.fields import bracketed_fields, dated_fields

LIMIT = 30
"""Tasks of a bundle: it shows a dozen or two."""

DUE = ("due", "scheduled", "fällig")
"""What a line calls the day of a task; the first that it has counts."""

FAR = "9999-12-31"
"""Sorts behind every day."""


class Place(NamedTuple):
    """What tasks are sorted by: how much they say to the question, then their day.

    `late` is below all others for what is due, where the question asks for that. Of
    those without a day, captures come first.
    """

    late: bool
    closeness: int
    day: str
    captured: int
    rank: int
    path: str
    line: int


def tasks(rows: SectionRows, scope: Scope) -> Collection[Item]:
    """Return the tasks of the notes and the project that are not done.

    Those that share most words with the question first; then those with a day, the
    earliest first, so that what is overdue leads; then those of the selected notes,
    best first, and of the project by path. Where tasks are what is asked for, those
    that share any word with the question come by their day; and where it is what is
    due, nothing without a day comes before it.
    """
    chosen = _chosen(rows, scope)
    ids = {task.note_id for _, task in chosen}
    notes, pages = rows.notes(ids), pages_of(rows, ids)
    today = scope.today.isoformat()
    placed: list[tuple[Place, Callable[[], Item]]] = [
        (place, partial(_item, task, notes[at], pages[at], today))
        for place, task in chosen
        if (at := task.note_id) in pages and task.line <= len(pages[at].lines)
    ]
    captured = _captured(rows, scope)
    if not captured:
        return Drafts([make for _, make in placed])
    placed += [(place, partial(structs.replace, made)) for place, made in captured]
    return approved_first(make() for _, make in sorted(placed, key=itemgetter(0)))


def _chosen(rows: SectionRows, scope: Scope) -> list[tuple[Place, SectionTask]]:
    """Return the tasks that come first; of templates and the agent folder none."""
    ranks = {note_id: at for at, note_id in enumerate(scope.note_ids)}
    found = [
        task
        for task in rows.tasks(asked_ids(scope), DUE)
        if not is_pattern(task.path) and not task.path.startswith(f"{scope.agent}/")
    ]
    if len(found) > LIMIT:
        rows.cut.add("tasks")
    heads = rows.headings({task.note_id for task in found if task.note_id in ranks})
    said = [
        (
            task.text,
            task.path.rpartition("/")[2],
            _above(heads.get(task.note_id, ()), task.line),
        )
        for task in found
    ]
    due_first, last = asks_for_due(scope.query), len(ranks)
    placed = []
    for task, near in zip(found, closeness(scope.query, said, "tasks"), strict=True):
        at, path, line, dates, _ = task
        day = _due(dates) or FAR
        late = not due_first or day == FAR
        placed.append(
            (Place(late, -near, day, 1, ranks.get(at, last), path, line), task)
        )
    placed.sort(key=itemgetter(0))
    return placed[:LIMIT]


def _above(headings: Sequence[SectionHeading], line: int) -> str:
    """Return the heading that a line stands under."""
    at = bisect_right(headings, line, key=lambda heading: heading.line)
    return headings[at - 1].text if at else ""


def _captured(rows: SectionRows, scope: Scope) -> list[tuple[Place, Item]]:
    """Return what was captured, with its place; of that without a day the newest first.

    A day that it is due stands in its text, as in any task.
    """
    today, made = scope.today.isoformat(), []
    found = [(item_of(one, "task"), one) for one in captures(rows, scope, "task")]
    found.sort(key=lambda pair: (pair[0].date, pair[0].path), reverse=True)
    said = [(item.text, item.title) for item, _ in found]
    close = closeness(scope.query, said, "tasks")
    for rank, (item, one) in enumerate(found):
        due = _due(_dates(one.page.raw(one.span)))
        rule = _rule(due, today) if due and one.rule != UNAPPROVED else one.rule
        late, day = not due or not asks_for_due(scope.query), due or FAR
        place = Place(late, -close[rank], day, 0, rank, item.path, item.lines.start)
        made.append((place, structs.replace(item, date=due or "", rule=rule)))
    return made


def _item(task: SectionTask, note: SectionNote, page: Page, today: str) -> Item:
    due = _due(task.dates)
    span = page.block_from(task.line) or Span(task.line, task.line)
    return item_of(Found(note, page, span, _rule(due, today)), "task", due or "")


def _rule(due: str | None, today: str) -> str:
    return "task" if not due else "overdue" if due < today else "due"


def _dates(text: str) -> dict[str, str]:
    """Return the fields of some lines by their names; the first of a name counts."""
    fields = (*dated_fields(text), *bracketed_fields(text))
    return {one.key.lower(): one.value for one in reversed(fields)}


def _due(dates: Mapping[str, str]) -> str | None:
    if not dates:  # as in most lines
        return None
    days = (first_day(dates[key]) for key in DUE if key in dates)
    return next((day for day in days if day), None)
