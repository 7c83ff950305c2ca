"""Asking the rows which notes were changed, and which note stands where."""

import json
from collections.abc import Collection
from typing import Any

import apsw

from glassmind.model.sections import ChangedRow
from glassmind.store.sqlite.company import company_of
from glassmind.store.sqlite.successor_rows import successors_in

LARGEST = 2**63 - 1
"""The largest number that a row holds."""

_DAY = "date(f.mtime_ns / 1000000000, 'unixepoch', 'localtime')"
_BY_AGENT = "f.path > ?2 and f.path < ?3"
CHANGED = f"""
select n.id, f.path, n.title, {_DAY} as changed,
  f.mtime_ns / 60000000000, {_BY_AGENT}
from notes n join files f on f.id = n.id
where changed >= ?1 order by f.mtime_ns desc, f.path
"""  # noqa: S608 - our own words
EVE = "select cast(strftime('%s', ?, '-1 day', 'utc') as integer)"
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

        Each with its company; see `company_of`. What was captured and is superseded is
        not among them: the last that was done to it is to say so.
        """
        bound = (since, f"{agent}/", f"{agent}0")
        eve: int = self._ask(EVE, since).get
        first = min(LARGEST, max(-LARGEST, eve * 10**9))
        company = company_of(self._db, first, LARGEST, agent)
        former = successors_in(self._db)
        return [
            ChangedRow(note, path, title, day, company.get((minute, by_agent), 1))
            for note, path, title, day, minute, by_agent in self._ask(CHANGED, *bound)
            if not (by_agent and note in former)
        ]

    def placed(self, paths: Collection[str]) -> dict[str, int]:
        """Return the ids of the notes at some paths."""
        return dict(self._ask(PLACED, json.dumps(list(paths))))

    def _ask(self, statement: str, *bound: str) -> Any:
        return self._db.execute(statement, bound)
