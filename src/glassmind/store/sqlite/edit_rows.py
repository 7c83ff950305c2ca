"""Asking the rows which files a change may touch."""

import json
from collections.abc import Collection
from typing import Any

import apsw

from glassmind.model import NotePath

PATHS = "select path from files order by path"
LINKING = """
select distinct f.path from links l join files f on f.id = l.note_id
where l.name_key in (select value from json_each(?)) order by f.path
"""
INSIDE = "select path from files where path >= ? and path < ? order by path"
TAGGED = """
select distinct f.path from tags t join files f on f.id = t.note_id
where t.folded = ?1 or (t.folded >= ?1 || '/' and t.folded < ?1 || '0')
order by f.path
"""
OF_KIND = """
select f.path from notes n join files f on f.id = n.id
where n.kind = ? order by f.path
"""


class SqliteEditRows:
    """Where in a vault something is spoken of, over an open database."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def paths(self) -> list[NotePath]:
        """Return every file that a link may lead to."""
        return self._ask(PATHS)

    def linking(self, keys: Collection[str], /) -> list[NotePath]:
        """Return the notes with a link whose target has one of these `name_key`s."""
        return self._ask(LINKING, (json.dumps(sorted(keys)),))

    def inside(self, folder: str, /) -> list[NotePath]:
        """Return the files below a folder, all of them for the empty name."""
        if not folder:
            return self.paths()
        return self._ask(INSIDE, (f"{folder}/", f"{folder}0"))  # "0" follows "/"

    def tagged(self, tag: str, /) -> list[NotePath]:
        """Return the notes with a tag, or one below it, in any case."""
        return self._ask(TAGGED, (tag.removeprefix("#").lower(),))

    def of_kind(self, kind: str, /) -> list[NotePath]:
        """Return the notes of a kind, such as canvas or base."""
        return self._ask(OF_KIND, (kind,))

    def _ask(self, statement: str, bound: tuple[str, ...] = ()) -> list[NotePath]:
        rows: Any = self._db.execute(statement, bound)
        return [NotePath(path) for (path,) in rows]
