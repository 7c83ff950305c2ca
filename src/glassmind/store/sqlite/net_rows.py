"""Asking the rows for the link graph, and for the sentence around a link."""

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import apsw

from glassmind.store.sqlite.log import text_log
from glassmind.types.graph import LinkRow, NodeRow

NODES = """
select f.id, f.path, n.title from notes n join files f on f.id = n.id order by f.path
"""
LINKS = """
select l.note_id, l.seq, coalesce(l.target_id, 0),
  case when l.embed then 1 else case l.kind
    when 'wikilink' then 0 when 'markdown' then 2 when 'property' then 3 else 4 end end,
  l.line, coalesce(l.property, ''),
  case when l.target_id is null then l.target else '' end
from links l where l.target <> '' order by l.note_id, l.seq
"""
AROUND = """
select l.note_id, l.seq, coalesce(l.property, ''), l.target, l.line - c.start_line,
  c.text
from json_each(?) k
join links l on l.note_id = k.value ->> 0 and l.seq = k.value ->> 1
left join chunks c on c.id = (select x.id from chunks x where x.note_id = l.note_id
  and l.line between x.start_line and x.end_line order by x.chunk_index limit 1)
"""


class NetRows:
    """The rows of the link graph in an open database."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    @contextmanager
    def still(self) -> Iterator[None]:
        """Keep the rows as they are for all that is read inside it."""
        with self._db:
            yield

    def head(self) -> str:
        """Return how far the rows have come."""
        return text_log(self._db).head()

    def nodes(self) -> list[NodeRow]:
        """Return every note, by path."""
        return [NodeRow(*row) for row in self._db.execute(NODES)]

    def links(self) -> list[LinkRow]:
        """Return every link to a note or to nothing."""
        return [LinkRow(*row) for row in self._db.execute(LINKS)]

    def sentences(
        self, keys: Collection[tuple[int, int]]
    ) -> dict[tuple[int, int], str]:
        """Return the sentence around each link, by file id and place in the note."""
        found: dict[tuple[int, int], str] = {}
        rows: Any = self._db.execute(AROUND, (json.dumps(list(keys)),))
        for note_id, seq, name, target, at, text in rows:
            if name:
                found[note_id, seq] = f"{name}: [[{target}]]"
            elif text is not None:
                lines = text.split("\n")
                found[note_id, seq] = lines[min(at, len(lines) - 1)].strip()
        return found
