"""Asking the rows what makes notes warm: what changed lately, projects, and links."""

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import apsw

from glassmind.model import NotePath
from glassmind.model.adjustments import Successor
from glassmind.model.use import Edit
from glassmind.store.sqlite.company import company_of
from glassmind.store.sqlite.successor_rows import successors_in

EDITED = """
select n.id, f.mtime_ns, f.mtime_ns / 60000000000, f.path > ?3 and f.path < ?4
from files f join notes n on n.id = f.id
where f.mtime_ns >= ?1 and f.mtime_ns < ?2
"""
DATED = "select id, day from notes where day >= ?1 and day <= ?2"
COUNT = "select count(*) from notes"
NAMES = """
select f.id, f.path, n.title from files f join notes n on n.id = f.id
where f.id in (select value from json_each(?))
"""
IDS = """
select f.id from files f join notes n on n.id = f.id
where f.path in (select value from json_each(?))
"""
_NAMED = "p.name in ('project', 'Project', 'PROJECT')"
PROJECTS = f"""
select p.note_id, p.value from properties p
where {_NAMED} and p.note_id in (select value from json_each(?))
"""  # noqa: S608 - our own words
VALUES = f"select distinct p.value from properties p where {_NAMED}"  # noqa: S608
WITH_VALUES = f"""
select p.note_id, p.value from properties p
where {_NAMED} and p.value in (select value from json_each(?))
"""  # noqa: S608 - our own words
UNDER = """
select n.id from files f join notes n on n.id = f.id where f.path >= ? and f.path < ?
"""
_ENDS = "(select value from json_each(?)) and l.target_id <> l.note_id"
FROM = f"""
select distinct l.note_id, l.target_id from links l join notes t on t.id = l.target_id
where l.note_id in {_ENDS}
"""  # noqa: S608 - our own words
TO = f"""
select distinct l.target_id, l.note_id from links l where l.target_id in {_ENDS}
"""  # noqa: S608 - our own words


class HeatRows:
    """What an open database knows of what is alive; `folder` is the agent folder."""

    def __init__(self, db: apsw.Connection, folder: str) -> None:
        self._db, self._folder = db, folder

    def edited(self, since_ns: int, until_ns: int, most: int) -> list[Edit]:
        """Return the notes changed between two times, each with its company.

        That is how many files changed in the same minute and the two around it; what
        more than `most` did is left out.
        """
        company = company_of(self._db, since_ns, until_ns, self._folder)
        if company and all(many > most for many in company.values()):
            return []
        bound = (since_ns, until_ns, f"{self._folder}/", f"{self._folder}0")
        found: Any = self._db.execute(EDITED, bound)
        return [
            Edit(note_id, mtime_ns, many)
            for note_id, mtime_ns, minute, agents in found
            if (many := company.get((minute, agents), 1)) <= most
        ]

    def dated(self, since: str, until: str) -> list[tuple[int, str]]:
        """Return the notes whose own day is one of these, with it."""
        rows: Any = self._db.execute(DATED, (since, until))
        return list(rows)

    def captured(self) -> set[int]:
        """Return the notes of the agent folder."""
        return set(self.under(self._folder))

    def waiting(self) -> set[int]:
        """Return those of them that nobody has approved yet."""
        return set(self.under(f"{self._folder}/inbox"))

    def made(self) -> set[int]:
        """Return those of them that were made of other notes."""
        return set(self.under(f"{self._folder}/summaries"))

    def successors(self) -> Mapping[int, Successor]:
        """Return what took the place of each note that says so; 0 is none we know."""
        return successors_in(self._db)

    def count(self) -> int:
        """Return how many notes there are."""
        found: Any = self._db.execute(COUNT).get
        return int(found)

    def names(self, note_ids: Collection[int]) -> dict[int, tuple[NotePath, str]]:
        """Return path and title of each note."""
        return {row[0]: (row[1], row[2]) for row in self._ask(NAMES, note_ids)}

    def ids(self, paths: Collection[str]) -> set[int]:
        """Return the notes of some paths."""
        rows: Any = self._db.execute(IDS, (json.dumps(sorted(paths)),))
        return {row[0] for row in rows}

    def projects_of(self, note_ids: Collection[int]) -> list[tuple[int, object]]:
        """Return what the property `project` of notes says, where they have it."""
        return [(n, json.loads(value)) for n, value in self._ask(PROJECTS, note_ids)]

    def project_values(self) -> dict[str, object]:
        """Return all that the property says anywhere, by its text in the rows."""
        rows: Any = self._db.execute(VALUES)
        return {text: json.loads(text) for (text,) in rows}

    def with_values(self, texts: Collection[str]) -> list[tuple[int, str]]:
        """Return the notes whose property says one of these, with its text."""
        rows: Any = self._db.execute(WITH_VALUES, (json.dumps(sorted(texts)),))
        return list(rows)

    def under(self, folder: str) -> list[int]:
        """Return the notes below a folder."""
        rows: Any = self._db.execute(UNDER, (f"{folder}/", f"{folder}0"))
        return [row[0] for row in rows]

    def linked(self, note_ids: Collection[int]) -> list[tuple[int, int, bool]]:
        """Return each note with what it leads to (True) and what leads to it."""
        leads = [(one, other, True) for one, other in self._ask(FROM, note_ids)]
        led = [(one, other, False) for one, other in self._ask(TO, note_ids)]
        return sorted([*leads, *led])

    def _ask(self, statement: str, ids: Collection[int]) -> Iterable[Any]:
        return self._db.execute(statement, (json.dumps(sorted(ids)),))
