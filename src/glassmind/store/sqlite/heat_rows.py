"""Asking the rows what makes notes warm: what changed lately, projects, and links."""

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import apsw

from glassmind.store.sqlite.successor_rows import successors_in
from glassmind.types import NotePath
from glassmind.types.use import Edit

MINUTES = """
select mtime_ns / 60000000000, path > ?3 and path < ?4, count(*) from files
where mtime_ns >= ?1 and mtime_ns < ?2 group by 1, 2
"""
EDITED = """
select n.id, f.mtime_ns, f.path > ?3 and f.path < ?4
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

        That is how many files changed in the same minute; those of a minute in which
        more than `most` did are left out. Files of the agent folder have all others for
        company, as those of a copied vault do, and are none to them: what an agent
        writes says nothing of what a person does.
        """
        bound = (since_ns, until_ns, f"{self._folder}/", f"{self._folder}0")
        rows: Any = self._db.execute(MINUTES, bound)
        company = _company({(minute, agents): many for minute, agents, many in rows})
        if company and all(many > most for many in company.values()):
            return []
        found: Any = self._db.execute(EDITED, bound)
        return [
            Edit(note_id, mtime_ns, many)
            for note_id, mtime_ns, agents in found
            if (many := company.get((mtime_ns // 60_000_000_000, agents), 1)) <= most
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

    def superseded(self) -> dict[int, str]:
        """Return the notes that another has taken the place of, with its name."""
        found = successors_in(self._db)
        return {note: one.name for note, one in found.items()}

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


def _company(counts: Mapping[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    """Return the files that count as company, by minute and whether for an agent's."""
    return {
        (minute, agents): many + (counts.get((minute, 0), 0) if agents else 0)
        for (minute, agents), many in counts.items()
    }
