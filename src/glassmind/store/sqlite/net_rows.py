"""Asking the rows for the link graph, and for the sentence around a link.

A column of numbers comes as one JSON text, which SQLite writes and numpy reads several
times faster than as many rows are fetched.
"""

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from glassmind.markdown.sentences import sentence_at
from glassmind.store.sqlite.log import text_log
from glassmind.types.graph import (
    GhostLink,
    LinkRow,
    LinkRows,
    News,
    NodeRow,
    NodeRows,
)

HEAD = """
select s.value, c.seq, c.token from settings s
left join (select seq, token from link_changes order by seq desc limit 1) c
where s.key = 'epoch'
"""
NEWS = """
select (select value from settings where key = 'epoch'), seq, token, note_id
from link_changes where seq >= ? order by seq limit ?
"""
NODES = """
select json_group_array(id), json_group_array(path), json_group_array(title) from (
  select f.id, f.path, n.title from files f join notes n on n.id = f.id
  order by f.path)
"""
NODES_OF = """
select f.id, f.path, n.title from files f join notes n on n.id = f.id
where f.id in (select value from json_each(?)) order by f.path
"""
LINKS = """
select json_group_array(note_id), json_group_array(coalesce(target_id, 0)),
  json_group_array(line * 8 + case kind when 'canvas' then 4 when 'property' then 3
    else case when embed then 1 when kind = 'markdown' then 2 else 0 end end)
from links not indexed
"""
"""Read by the primary key, and so by note and as written."""
LINKS_OF = """
select note_id, coalesce(target_id, 0),
  line * 8 + case kind when 'canvas' then 4 when 'property' then 3
    else case when embed then 1 when kind = 'markdown' then 2 else 0 end end,
  coalesce(property, '') from links
where note_id in (select value from json_each(?)) order by note_id, seq
"""
PROPERTIES = "select note_id, seq, property from links where property is not null"
LEADING = """
select distinct note_id from links
where target_id in (select value from json_each(?)) order by note_id
"""
GHOSTS = """
select note_id, seq, target from links where target_id is null and target <> ''
order by note_id, seq
"""
AROUND = """
select l.note_id, l.seq, coalesce(l.property, ''), l.target, l.kind,
  (select count(*) from links p where p.note_id = l.note_id
   and p.seq between l.seq - 64 and l.seq - 1
   and p.line = l.line and p.kind = l.kind and p.target = l.target),
  l.line - c.start_line, c.text
from json_each(?) k
join links l on l.note_id = k.value ->> 0 and l.seq = k.value ->> 1
left join chunks c on c.id = (select x.id from chunks x where x.note_id = l.note_id
  and l.line between x.start_line and x.end_line order by x.chunk_index limit 1)
"""
"""The links before one are looked at, up to 64, for the same one on its line: all of
them would cost a hub of 5,000 links ten times as much."""

MOST_CHANGES = 5_000
"""From some such number on, reading everything is faster than piece by piece."""


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
        """Return how far the rows have come: a marker, as those of `log`."""
        try:
            epoch, seq, token = next(iter(self._db.execute(HEAD)))
        except apsw.SQLError:  # the former release kept no log of links
            return text_log(self._db).head()
        return _marker(epoch, seq, token)

    def news(self, head: str) -> News | None:
        """Return what came since a head.

        None when the log does not go back to it, or tells too much.
        """
        epoch, seq, token = head.split(":")
        bound = (int(seq), MOST_CHANGES + 2)
        try:
            rows: Any = self._db.execute(NEWS, bound).fetchall()
        except apsw.SQLError:  # the former release kept no log of links
            rows = []
        if seq != "0" and rows:
            known, *rows = rows
            if known[:3] != (epoch, int(seq), bytes.fromhex(token)):
                return None
        elif not rows:
            return News(head, []) if self.head() == head else None
        if rows and (rows[0][:2] != (epoch, int(seq) + 1) or len(rows) > MOST_CHANGES):
            return None
        later = _marker(*rows[-1][:3]) if rows else head
        return News(later, list(dict.fromkeys(row[3] for row in rows)))

    def nodes(self) -> NodeRows:
        """Return every note, by path."""
        ids, paths, titles = next(iter(self._db.execute(NODES)))
        return NodeRows(_numbers(ids), json.loads(paths), json.loads(titles))

    def nodes_of(self, file_ids: Collection[int]) -> list[NodeRow]:
        """Return those of these files that are notes, by path."""
        return [NodeRow(*row) for row in self._ask(NODES_OF, file_ids)]

    def links(self) -> LinkRows:
        """Return every link, by note and as written."""
        sources, targets, marks = map(_numbers, next(iter(self._db.execute(LINKS))))
        said: Any = self._db.execute(PROPERTIES).fetchall()
        return LinkRows(sources, targets, marks, said)

    def links_of(self, note_ids: Collection[int]) -> list[LinkRow]:
        """Return every link of these notes, by note and as written."""
        return [LinkRow(*row) for row in self._ask(LINKS_OF, note_ids)]

    def leading_to(self, file_ids: Collection[int]) -> list[int]:
        """Return the notes with a link to any of these files."""
        return [row[0] for row in self._ask(LEADING, file_ids)]

    def ghosts(self) -> list[GhostLink]:
        """Return every link to what no file is called."""
        return [GhostLink(*row) for row in self._db.execute(GHOSTS)]

    def sentences(
        self, keys: Collection[tuple[int, int]]
    ) -> dict[tuple[int, int], str]:
        """Return the sentence around each link, by file id and place in the note.

        A link in a property gives that property; one that is gone gives nothing.
        """
        rows: Any = self._db.execute(AROUND, (json.dumps(list(keys)),))
        return {row[:2]: _sentence(*row[2:]) for row in rows}

    def _ask(self, statement: str, ids: Collection[int]) -> Any:
        return self._db.execute(statement, (json.dumps(list(ids)),))


def _marker(epoch: str, seq: int | None, token: bytes | None) -> str:
    return f"{epoch}:{seq or 0}:{(token or b'').hex()}"


def _sentence(  # noqa: PLR0913, PLR0917 - the columns of a row
    name: str, target: str, kind: str, nth: int, at: int, text: str | None
) -> str:
    if name:
        return f"{name}: [[{target}]]"
    if text is None:
        return ""
    written = f"[[{target}" if kind == "wikilink" else f"]({target}"
    return sentence_at(text, at, written, nth)


def _numbers(column: str) -> NDArray[np.int64]:
    return np.fromstring(column[1:-1], np.int64, sep=",")
