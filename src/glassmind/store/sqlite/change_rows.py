"""Asking the rows which notes were changed, and which note stands where."""

import json
from collections.abc import Collection
from typing import Any

import apsw

from glassmind.types.sections import ChangedRow

_DAY = "date(f.mtime_ns / 1000000000, 'unixepoch', 'localtime')"
_BY_AGENT = "f.path > ?2 and f.path < ?3"
CHANGED = f"""
select n.id, f.path, n.title, {_DAY} as changed,
  f.mtime_ns / 60000000000, {_BY_AGENT}
from notes n join files f on f.id = n.id
where changed >= ?1 order by f.mtime_ns desc, f.path
"""  # noqa: S608 - our own words
MINUTES = f"""
select f.mtime_ns / 60000000000, {_BY_AGENT}, count(*) from files f
where {_DAY} >= date(?1, '-1 day') group by 1, 2
"""  # noqa: S608 - our own words
PLACED = """
select f.path, n.id from notes n join files f on f.id = n.id
where f.path in (select value from json_each(?))
"""


class ChangeRows:
    """What an open database knows of when notes were changed."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def changed(self, since: str, agent: str) -> list[ChangedRow]:
        """Return the notes changed on a day or later, the last one first.

        Files of the agent folder are no company to others, which are company to them.
        """
        bound = (since, f"{agent}/", f"{agent}0")
        minutes = {
            (minute, by_agent): count
            for minute, by_agent, count in self._ask(MINUTES, *bound)
        }
        found = []
        for note_id, path, title, day, minute, by_agent in self._ask(CHANGED, *bound):
            around = [(minute + step, who) for step in (-1, 0, 1) for who in (0, 1)]
            seen = (one for one in around if by_agent or not one[1])
            company = sum(minutes.get(one, 0) for one in seen)
            found.append(ChangedRow(note_id, path, title, day, company))
        return found

    def placed(self, paths: Collection[str]) -> dict[str, int]:
        """Return the ids of the notes at some paths."""
        return dict(self._ask(PLACED, json.dumps(list(paths))))

    def _ask(self, statement: str, *bound: str) -> Any:
        return self._db.execute(statement, bound)
