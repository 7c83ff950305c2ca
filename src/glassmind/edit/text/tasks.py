"""Give a task another status: one sign in its box."""

from glassmind.edit.text.likeness import likeness
from glassmind.edit.text.page import Page, Planned
from glassmind.errors.editing import BadEdit, NoMatch, SeveralMatches
from glassmind.model.editing import TOGGLE, SetTask, Splice
from glassmind.model.notes import Task

NAMED = 3
"""How many of the nearest are named where no task is meant."""

DONE, OPEN = "x", " "

_HOW = "give its line, or more of its text"


def task_set(page: Page, edit: SetTask) -> Planned:
    """Return how the box of one task is given another sign.

    Only what the parser reads as a task is one: none in code or comments.

    Raises:
        BadEdit: no task or no such status is named, or the line holds no task.
        NoMatch, SeveralMatches: no one task, or not that of the line, has that text.
    """
    if edit.line is None and not edit.find.strip():
        raise BadEdit("name the task, by its line or its text")
    task = _meant(page, edit)
    status = _status(task, edit.status)
    facts = {"task": task.text, "status": status, "was": task.status}
    if status == task.status:
        return Planned([], facts=facts)
    start = page.source.index(b"[", task.start) + 1
    end = start + len(task.status.encode())
    return Planned([Splice(start, end, status.encode())], facts=facts)


def _status(task: Task, wanted: str) -> str:
    if wanted == TOGGLE:
        return OPEN if task.done else DONE
    if len(wanted) != 1 or wanted in "[]\r\n\t\0" or "\ud800" <= wanted <= "\udfff":
        raise BadEdit(f"a status is one sign, or {TOGGLE}; {wanted!r} is none")
    return wanted


def _meant(page: Page, edit: SetTask) -> Task:
    tasks = page.note.tasks
    if edit.line is not None:
        tasks = tuple(task for task in tasks if task.line == edit.line)
        if not tasks:
            raise BadEdit(f"there is no task on line {edit.line} of {page.path}")
        if not edit.find.strip():
            return tasks[0]
    wanted = _folded(edit.find)
    found = [task for task in tasks if _folded(task.text) == wanted]
    found = found or [task for task in tasks if wanted in _folded(task.text)]
    if len(found) > 1:
        lines = [task.line for task in found]
        raise SeveralMatches(page.path, edit.find, lines, _HOW)
    if not found:
        near = _nearest(page, edit.find)
        raise NoMatch(page.path, edit.find, near, line=edit.line)
    return found[0]


def _nearest(page: Page, find: str) -> list[tuple[int, str, float]]:
    scored = [(t.line, t.text, likeness(t.text, find)) for t in page.note.tasks]
    return sorted(scored, key=lambda one: (-one[2], one[0]))[:NAMED]


def _folded(text: str) -> str:
    return " ".join(text.split()).lower()
