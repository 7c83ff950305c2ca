"""Asking the rows which notes were changed, and which note stands where."""

import json
from collections.abc import Collection
from typing import Any

import apsw

from glassmind.types.sections import ChangedRow

CHANGED = """
select n.id, f.path, n.title,
  date(f.mtime_ns / 1000000000, 'unixepoch', 'localtime') as changed
from notes n join files f on f.id = n.id
where changed >= ? order by f.mtime_ns desc, f.path
"""
PLACED = """
select f.path, n.id from notes n join files f on f.id = n.id
where f.path in (select value from json_each(?))
"""


class ChangeRows:
    """What an open database knows of when notes were changed."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def changed(self, since: str) -> list[ChangedRow]:
        """Return the notes changed on a day or later, the last one first."""
        return [ChangedRow(*row) for row in self._ask(CHANGED, since)]

    def placed(self, paths: Collection[str]) -> dict[str, int]:
        """Return the ids of the notes at some paths."""
        return dict(self._ask(PLACED, json.dumps(list(paths))))

    def _ask(self, statement: str, bound: str) -> Any:
        return self._db.execute(statement, (bound,))
