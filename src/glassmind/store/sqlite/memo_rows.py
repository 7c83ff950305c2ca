"""Asking the rows for the notes of the agent folder: names, properties, whole texts."""

import json
from collections.abc import Collection
from typing import Any, get_args

import apsw

from glassmind.model import NotePath
from glassmind.model.memory import MemoKind, MemoNote
from glassmind.store.sqlite.successor_rows import successors_in

NOTES = """
select f.path, n.title, n.aliases,
  (select json_group_object(p.name, json(p.value)) from properties p
   where p.note_id = n.id)
from files f join notes n on n.id = f.id
where f.path > :folder || '/' and f.path < :folder || '0' and n.kind = 'markdown'
order by f.path
"""
"""The character "0" follows "/", so that the index of paths answers."""
STRAYS = """
select f.path, n.title, n.aliases,
  (select json_group_object(p.name, json(p.value)) from properties p
   where p.note_id = n.id)
from properties c join notes n on n.id = c.note_id join files f on f.id = n.id
where c.name = 'client' and n.kind = 'markdown'
  and not (f.path > :folder || '/' and f.path < :folder || '0')
  and exists (select 1 from properties p where p.note_id = n.id and p.name = 'status')
  and exists (select 1 from properties p where p.note_id = n.id and p.name = 'kind'
    and p.value in (select json_quote(value) from json_each(:kinds)))
  and exists (select 1 from properties p where p.note_id = n.id and p.name = 'created'
    and p.value like '"____-__-__T%')
order by f.path
"""
"""By the properties that every memo has; notes of a person have not all of them."""
TEXTS = """
select f.path, substr(c.text, c.overlap + 1) from json_each(?) wanted
join files f on f.path = wanted.value join chunks c on c.note_id = f.id
order by f.path, c.chunk_index
"""
TICKED = """
select f.path from files f
where f.path > :folder || '/' and f.path < :folder || '0' and (
  exists (select 1 from tasks t where t.note_id = f.id
    and t.status in ('x', 'X') and (t.text = :said or t.text like :said || ' %'))
  or exists (select 1 from properties p where p.note_id = f.id and p.name = :mark))
order by f.path
"""

BROKEN = """
select f.path, n.error from files f join notes n on n.id = f.id
where f.path > :folder || '/' and f.path < :folder || '0' and n.error is not null
  and n.kind = 'markdown'
order by f.path
"""
LATELY = """
select distinct f.path from (select note_id from changes order by seq desc limit ?) c
join files f on f.id = c.note_id
"""
PATHS = "select path from files where id in (select value from json_each(?))"


class MemoRows:
    """What an open database knows of the agent folder."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def notes(self, folder: str) -> list[MemoNote]:
        """Return the notes below a folder, by path."""
        return _noted(self._db.execute(NOTES, {"folder": folder}))

    def strays(self, folder: str) -> list[MemoNote]:
        """Return the memos that a person moved out of a folder, by path."""
        kinds = json.dumps(get_args(MemoKind))
        return _noted(self._db.execute(STRAYS, {"folder": folder, "kinds": kinds}))

    def texts(self, paths: Collection[NotePath]) -> dict[NotePath, str]:
        """Return the whole text of some notes, as it was indexed."""
        found: dict[NotePath, list[str]] = {}
        rows: Any = self._db.execute(TEXTS, (json.dumps(list(paths)),))
        for path, text in rows:
            found.setdefault(path, []).append(text)
        return {path: "".join(parts) for path, parts in found.items()}

    def broken(self, folder: str) -> list[tuple[NotePath, str]]:
        """Return the notes below a folder whose properties cannot be read, and why."""
        rows: Any = self._db.execute(BROKEN, {"folder": folder})
        return [(path, error) for path, error in rows if error]

    def lately(self, limit: int) -> set[NotePath]:
        """Return the notes of the vault that the last changes of the rows were to."""
        rows: Any = self._db.execute(LATELY, (limit,))
        return {path for (path,) in rows}

    def superseded(self) -> set[NotePath]:
        """Return the notes of the vault that another has taken the place of."""
        ids = json.dumps(sorted(successors_in(self._db)))
        rows: Any = self._db.execute(PATHS, (ids,))
        return {path for (path,) in rows}

    def ticked(self, folder: str, said: str, mark: str) -> list[NotePath]:
        """Return the notes below a folder with a ticked box that says so, or a mark.

        `mark` is the name of the property.
        """
        bound = {"folder": folder, "said": said, "mark": mark}
        rows: Any = self._db.execute(TICKED, bound)
        return [path for (path,) in rows]


def _noted(rows: Any) -> list[MemoNote]:
    return [
        MemoNote(path, title, _aliases(aliases), json.loads(properties))
        for path, title, aliases, properties in rows
    ]


def _aliases(said: str) -> tuple[str, ...]:
    return () if said == "[]" else tuple(json.loads(said))
