"""What the rows tell of each note that decides who may read it."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import apsw

from glassmind.model import NotePath
from glassmind.model.access import NoteMarks, said_once

AMONG = "{} in (select value from json_each(:ids))"
"""Which notes are asked for, by the name of their id."""

FILES = "select id, path from main.files where kind <> 'attachment' and {among}"
NAMES = "select distinct name from main.properties"
PROPERTIES = """
select note_id, name, value from main.properties
where name in (select value from json_each(:names))
  and {among} order by note_id, seq
"""
TAGS = "select note_id, name from main.tags where {among}"
DASHED = """
select c.note_id, c.text from main.chunks c join main.notes n on n.id = c.note_id
where c.chunk_index = 0
  and substr(ltrim(c.text, char(9, 10, 13, 32, 8203, 65279)), 1, 3) = '---' and (
  n.error is not null or n.warnings <> '[]'
  or not exists (select 1 from main.properties p where p.note_id = n.id))
  and {among}
"""
"""Notes that begin as if they had properties, and have none, or not all of them."""

WHOLE = """
select group_concat(substr(text, overlap + 1), '') from (
  select text, overlap from main.chunks where note_id = ? order by chunk_index)
"""
ATTACHMENTS = """
select f.id, f.path, exists (select 1 from main.links l where l.target_id = f.id),
  exists (select 1 from main.links l where l.target_id = f.id and l.note_id in {})
from main.files f where f.kind = 'attachment'
"""


class MarkRows:
    """The marks of notes, over an open database, whatever views hide of it."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def marks(
        self,
        names: Callable[[str], str],
        unread_head: Callable[[str], str],
        *,
        by_tags: bool,
        by_place: bool,
        among: Sequence[int] | None = None,
    ) -> Iterator[tuple[int, NoteMarks]]:
        """Yield the marks of notes with their ids: what their properties and tags say.

        `names` returns what a property is called by its name; empty for one that does
        not matter. One that is said twice has a list of what is said. `unread_head`
        tells properties that cannot be read from a note's text. Without `by_place`, of
        a note that has none of all that nothing is said. With `among`, of these notes.
        """
        found: Any = self._db.execute(NAMES)
        called = {name: word for (name,) in found if (word := names(name))}
        bound = {"names": json.dumps(sorted(called))}
        properties: dict[int, list[tuple[str, object]]] = {}
        for note, name, value in self._ask(PROPERTIES, "note_id", among, bound):
            said = properties.setdefault(note, [])
            said.append((called[name], json.loads(value)))
        tags: dict[int, list[str]] = {}
        for note, name in self._ask(TAGS, "note_id", among) if by_tags else ():
            tags.setdefault(note, []).append(name)
        unread = self._unread(unread_head, among)
        for note, path in self._ask(FILES, "id", among):
            if by_place or note in properties or note in tags or note in unread:
                yield (
                    note,
                    NoteMarks(
                        NotePath(path),
                        tuple(tags.get(note, ())),
                        said_once(properties.get(note, ())),
                        unread.get(note, ""),
                    ),
                )

    def _unread(
        self, unread_head: Callable[[str], str], among: Sequence[int] | None
    ) -> dict[int, str]:
        found: dict[int, str] = {}
        for note, text in self._ask(DASHED, "n.id", among).fetchall():
            whole: Any = self._db.execute(WHOLE, (note,)).get
            head = unread_head(whole or text)
            if head:
                found[note] = head
        return found

    def attachments(self, readable: str) -> list[tuple[int, NotePath, bool, bool]]:
        """Return id and path of files that are no notes, and what leads to them.

        Whether any link does, and one of a note that stands in the table `readable`.
        """
        rows: Any = self._db.execute(ATTACHMENTS.format(readable)).fetchall()
        return [(one, path, bool(any_), bool(seen)) for one, path, any_, seen in rows]

    def _ask(
        self,
        statement: str,
        column: str,
        among: Sequence[int] | None,
        bound: Mapping[str, str] = MappingProxyType({}),
    ) -> Any:
        """Return the rows of some notes, or of all."""
        if among is None:
            return self._db.execute(statement.format(among="true"), dict(bound))
        ids = {"ids": json.dumps(list(among))}
        asked = statement.format(among=AMONG.format(column))
        return self._db.execute(asked, {**bound, **ids})
