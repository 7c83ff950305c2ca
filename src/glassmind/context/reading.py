"""What the sections of one bundle read from the index, each note once."""

import re
from collections.abc import Callable, Collection, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

from glassmind.model import NotePath
from glassmind.model.context import OPEN_BOXES, MemoWish, SectionNote, SectionTask

if TYPE_CHECKING:
    from glassmind.store.protocol import Rows

_TASKS_EACH = 200
"""Unfinished tasks of one note that are looked at; a bundle shows a few dozen."""
_MEMORIES = 300
"""Memory items of one kind that are looked at, the latest: a bundle shows ten."""
_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")

Read = TypeVar("Read")


class BundleRows:
    """The rows for one bundle, which asks for the same notes several times.

    Tasks are open by their `boxes`. `cut` has the names of what was too much to look
    at.
    """

    def __init__(self, store: "Rows", boxes: Sequence[str] = OPEN_BOXES) -> None:
        self.store, self._boxes = store, boxes
        self._notes: dict[int, SectionNote] = {}
        self._lines: dict[int, list[str]] = {}
        self.cut: set[str] = set()

    def section_notes(self, note_ids: Collection[int]) -> dict[int, SectionNote]:
        return _once(self._notes, note_ids, self.store.section_notes)

    def note_lines(self, note_ids: Collection[int]) -> dict[int, list[str]]:
        return _once(self._lines, note_ids, self.store.note_lines)

    def names(self, note_ids: Collection[int]) -> dict[int, tuple[NotePath, str]]:
        known = self.store.names(note_ids)
        return {at: known[at] for at in note_ids if at in known}

    def dated_notes(self, note_ids: Collection[int]) -> list[tuple[int, str]]:
        named = self.names(note_ids)
        dated = [(at, path) for at, (path, _) in named.items() if _DAY.search(path)]
        return sorted(dated, key=lambda one: one[1])

    def open_tasks(
        self, note_ids: Collection[int], keys: Collection[str]
    ) -> list[SectionTask]:
        """Return the tasks that are not finished, by note and line.

        Of the fields in their lines those of some keys count as dates. Of a note with
        very many, those with a date first.
        """
        found = self.store.open_tasks(note_ids, keys, self._boxes)
        by_note = groupby(found, key=lambda task: task.note_id)
        return [task for _, tasks in by_note for task in self._few(list(tasks))]

    def _few(self, tasks: list[SectionTask]) -> list[SectionTask]:
        if len(tasks) <= _TASKS_EACH:
            return tasks
        self.cut.add("tasks")
        dated = [task for task in tasks if task.dates]
        dated.sort(key=lambda task: (min(task.dates.values()), task.line))
        others = [task for task in tasks if not task.dates]
        return [*dated, *others][:_TASKS_EACH]

    def wanted_memories(self, wish: MemoWish) -> list[SectionNote]:
        """Return the memory items that may be wanted, the latest first.

        A few too many: properties are read closely by the caller.
        """
        ids = self.store.memory_ids(wish, _MEMORIES + 1)
        if len(ids) > _MEMORIES:
            self.cut.add(f"{wish.kind}s")
        return [*self.section_notes(ids[:_MEMORIES]).values()]


def _once(
    known: dict[int, Read],
    note_ids: Collection[int],
    read: Callable[[Collection[int]], dict[int, Read]],
) -> dict[int, Read]:
    known.update(read([at for at in note_ids if at not in known]))
    return {at: known[at] for at in note_ids if at in known}
