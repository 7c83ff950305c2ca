"""The tasks of a bundle that are not done.

Which statuses are open the rows know: those the Tasks plugin has so, else the usual
ones. A day on which a task is due, or planned for, stands in its line: `📅 2026-03-01`
or `[due:: 2026-03-01]`.
"""

from glassmind.context.captured import approved_first, captures
from glassmind.context.items import (
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


def tasks(rows: SectionRows, scope: Scope) -> list[Item]:
    """Return the tasks of the notes and the project that are not done.

    Those with a day first, the earliest first, so that what is overdue leads; then
    those of the selected notes, best first, and of the project by path.
    """
    found = rows.tasks(asked_ids(scope), DUE)
    paths = {
        note_id: path
        for note_id, (path, _) in rows.named({task.note_id for task in found}).items()
        if not is_pattern(path) and not path.startswith(f"{scope.agent}/")
    }
    place = {note_id: at for at, note_id in enumerate(scope.note_ids)}

    def order(task: SectionTask) -> tuple[str, int, str, int]:
        at = place.get(task.note_id, len(place))
        return (_due(task) or FAR, at, paths[task.note_id], task.line)

    ours = [task for task in found if task.note_id in paths]
    chosen = sorted(ours, key=order)[:LIMIT]
    if len(ours) > LIMIT:
        rows.cut.add("tasks")
    ids = {task.note_id for task in chosen}
    notes, pages = rows.notes(ids), pages_of(rows, ids)
    made = [
        _item(task, notes[task.note_id], pages[task.note_id], scope)
        for task in chosen
        if task.note_id in pages and task.line <= len(pages[task.note_id].lines)
    ]
    captured = [item_of(one, "task") for one in captures(rows, scope, "task")]
    return _with_captures(made, captured)


def _item(task: SectionTask, note: SectionNote, page: Page, scope: Scope) -> Item:
    due = _due(task)
    span = page.block_from(task.line) or Span(task.line, task.line)
    rule = "task" if not due else "overdue" if due < scope.today.isoformat() else "due"
    return item_of(Found(note, page, span, rule), "task", due or day_of(note))


def _with_captures(made: list[Item], captured: list[Item]) -> list[Item]:
    """Return tasks that have a day, those captured, the others, what is unapproved."""
    dated = [item for item in made if item.rule != "task"]
    newest = sorted(captured, key=lambda item: (item.date, item.path), reverse=True)
    others = (item for item in made if item.rule == "task")
    return approved_first((*dated, *newest, *others))


def _due(task: SectionTask) -> str | None:
    days = (first_day(task.dates[key]) for key in DUE if key in task.dates)
    return next((day for day in days if day), None)
