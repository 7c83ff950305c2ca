"""The tasks of a bundle that are not done.

Which statuses are open the rows know: those the Tasks plugin has so, else the usual
ones. A day on which a task is due, or planned for, stands in its line: `📅 2026-03-01`
or `[due:: 2026-03-01]`.
"""

from collections.abc import Callable, Collection
from functools import partial

from glassmind.context.captured import approved_first, captures
from glassmind.context.items import (
    Drafts,
    Found,
    asked_ids,
    day_of,
    is_pattern,
    item_of,
    pages_of,
)
from glassmind.context.page import Page
from glassmind.context.scope import Scope, SectionRows
from glassmind.markdown.days import first_day
from glassmind.types import Span
from glassmind.types.context import Item
from glassmind.types.sections import SectionNote, SectionTask

LIMIT = 30
"""Tasks of a bundle: it shows a dozen or two."""

DUE = ("due", "scheduled", "fällig")
"""What a line calls the day of a task; the first that it has counts."""

FAR = "9999-12-31"
"""Sorts behind every day."""


def tasks(rows: SectionRows, scope: Scope) -> Collection[Item]:
    """Return the tasks of the notes and the project that are not done.

    Those with a day first, the earliest first, so that what is overdue leads; then
    those of the selected notes, best first, and of the project by path.
    """
    chosen = _chosen(rows, scope)
    ids = {task.note_id for task in chosen}
    notes, pages = rows.notes(ids), pages_of(rows, ids)
    there = [
        task
        for task in chosen
        if task.note_id in pages and task.line <= len(pages[task.note_id].lines)
    ]

    def draft(task: SectionTask) -> Callable[[], Item]:
        at = task.note_id
        return partial(_item, task, notes[at], pages[at], scope.today.isoformat())

    dated = [draft(task) for task in there if _due(task)]
    others = [draft(task) for task in there if not _due(task)]
    captured = [item_of(one, "task") for one in captures(rows, scope, "task")]
    if not captured:
        return Drafts([*dated, *others])
    newest = sorted(captured, key=lambda item: (item.date, item.path), reverse=True)
    return approved_first((*Drafts(dated), *newest, *Drafts(others)))


def _chosen(rows: SectionRows, scope: Scope) -> list[SectionTask]:
    """Return the tasks that come first; of templates and the agent folder none."""
    place = {note_id: at for at, note_id in enumerate(scope.note_ids)}

    def order(task: SectionTask) -> tuple[str, int, str, int]:
        at = place.get(task.note_id, len(place))
        return (_due(task) or FAR, at, task.path, task.line)

    found = [
        task
        for task in rows.tasks(asked_ids(scope), DUE)
        if not is_pattern(task.path) and not task.path.startswith(f"{scope.agent}/")
    ]
    if len(found) > LIMIT:
        rows.cut.add("tasks")
    return sorted(found, key=order)[:LIMIT]


def _item(task: SectionTask, note: SectionNote, page: Page, today: str) -> Item:
    due = _due(task)
    span = page.block_from(task.line) or Span(task.line, task.line)
    rule = "task" if not due else "overdue" if due < today else "due"
    return item_of(Found(note, page, span, rule), "task", due or day_of(note))


def _due(task: SectionTask) -> str | None:
    if not task.dates:  # as in most lines
        return None
    days = (first_day(task.dates[key]) for key in DUE if key in task.dates)
    return next((day for day in days if day), None)
