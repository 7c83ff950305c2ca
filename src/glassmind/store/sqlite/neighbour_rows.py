"""Asking the rows what single notes of the graph say of themselves."""

import json
from collections.abc import Collection, Iterable
from typing import Any

import apsw

from glassmind.model.timeline import NoteDates

TAGS = """
select note_id, name from tags where note_id in (select value from json_each(?))
order by note_id, seq
"""
PROPERTIES = """
select note_id, name, value from properties
where note_id in (select value from json_each(?)) order by note_id, seq
"""
DATES = """
select n.id, n.day, f.mtime_ns,
  (select json_group_array(json_array(p.name, json(p.value)))
   from properties p where p.note_id = n.id and lower(p.name) in
     (select value from json_each(:names)))
from notes n join files f on f.id = n.id
where n.id in (select value from json_each(:ids))
"""
TARGETS = """
select l.note_id, l.seq, l.target from json_each(?) k
join links l on l.note_id = k.value ->> 0 and l.seq = k.value ->> 1
"""


class NeighbourRows:
    """What an open database knows of notes, by the id of their file."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def tags_of(self, note_ids: Collection[int]) -> dict[int, tuple[str, ...]]:
        """Return the tags of each note that has some, as written, in that order."""
        found: dict[int, dict[str, str]] = {}
        for note_id, name in self._ask(TAGS, note_ids):
            found.setdefault(note_id, {}).setdefault(name.lower(), name)
        return {note_id: tuple(names.values()) for note_id, names in found.items()}

    def properties_of(self, note_ids: Collection[int]) -> dict[int, dict[str, object]]:
        """Return the properties of each note that has some."""
        found: dict[int, dict[str, object]] = {}
        for note_id, name, value in self._ask(PROPERTIES, note_ids):
            found.setdefault(note_id, {})[name] = json.loads(value)
        return found

    def dates_of(
        self, note_ids: Collection[int], names: Collection[str]
    ) -> dict[int, NoteDates]:
        """Return the day, the time of change and these properties of each note."""
        bound = {"ids": json.dumps(list(note_ids)), "names": json.dumps(list(names))}
        rows: Any = self._db.execute(DATES, bound)
        return {
            note_id: NoteDates(
                day, mtime_ns, {name.lower(): v for name, v in json.loads(held)}
            )
            for note_id, day, mtime_ns, held in rows
        }

    def targets_of(
        self, keys: Collection[tuple[int, int]]
    ) -> dict[tuple[int, int], str]:
        """Return what links are written to lead to, by file id and place."""
        rows: Any = self._db.execute(TARGETS, (json.dumps(list(keys)),))
        return {(note_id, seq): target for note_id, seq, target in rows}

    def _ask(self, statement: str, ids: Collection[int]) -> Iterable[Any]:
        return self._db.execute(statement, (json.dumps(list(ids)),))
