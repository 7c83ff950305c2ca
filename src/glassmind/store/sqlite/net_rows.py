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

from glassmind.model.graph import (
    GhostLink,
    LinkRow,
    LinkRows,
    News,
    NodeRow,
    NodeRows,
)
from glassmind.obsidian.prose import sentence_at
from glassmind.store.sqlite.log import text_log
from glassmind.store.sqlite.schema import CHUNK_STARTS

HEAD = """
select s.value, c.seq, c.token from settings s
left join (select seq, token from link_changes order by seq desc limit 1) c
where s.key = 'epoch'
"""
NEWS = """
select (select value from settings where key = 'epoch'), c.seq, c.token, c.note_id,
  f.path, n.title
from link_changes c left join notes n on n.id = c.note_id
  left join files f on f.id = n.id
where c.seq >= ? order by c.seq limit ?
"""
"""With what the notes are called: another statement would cost as much again."""
NODES = """
select json_group_array(id), json_group_array(path), json_group_array(title) from (
  select f.id, f.path, n.title from files f join notes n on n.id = f.id
  order by f.path)
"""
_MARK = """line * 8 + case kind when 'canvas' then 4 when 'property' then 3
    else case when embed then 1 when kind = 'markdown' then 2 else 0 end end"""
"""Line and kind of a link in one number, as the arrays of the graph hold them."""
LINKS = f"""
select json_group_array(note_id), json_group_array(coalesce(target_id, 0)),
  json_group_array({_MARK})
from {{}} not indexed
"""  # noqa: S608 - our own words
"""Read by the primary key, and so by note and as written."""
LINKS_OF = f"""
select note_id, coalesce(target_id, 0), {_MARK}, coalesce(property, '') from {{}}
where note_id in (select value from json_each(?)) order by note_id, seq
"""  # noqa: S608 - our own words
PROPERTIES = "select note_id, seq, property from {} where property is not null"
LEADING = """
select distinct note_id from links
where target_id in (select value from json_each(?)) order by note_id
"""
GHOSTS = """
select note_id, seq, target from links
where target_id is null and target <> '' and settled
order by note_id, seq
"""
UNSETTLED = "select count(*) from links where settled = 0"
_AROUND = """
select l.note_id, l.seq, coalesce(l.property, ''), l.target,
  l.start_byte - c.start_byte, l.end_byte - c.start_byte, c.overlap, c.text
from json_each(?1) k
join links l on l.note_id = k.value ->> 0 and l.seq = k.value ->> 1
left join placed c on l.property is null and c.id = (select x.id from placed x
  where x.note_id = l.note_id and x.start_byte <= l.start_byte
  order by x.start_byte desc limit 1)
"""
AROUND = _AROUND.replace("placed", "chunks")
AROUND_FORMER = f"""
with placed as materialized ({CHUNK_STARTS}
  where note_id in (select value ->> 0 from json_each(?1))) {_AROUND}
"""  # noqa: S608 - our own words
"""For rows of the former release, whose chunks do not say where they begin."""

MOST_CHANGES = 5_000
"""From some such number on, reading everything is faster than piece by piece."""


class NetRows:
    """The rows of the link graph in an open database.

    `table` has every link of a note, so that the place of each is its number.
    """

    def __init__(self, db: apsw.Connection, table: str = "links") -> None:
        self._db, self._table = db, table

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
            return News(head, [], []) if self.head() == head else None
        if rows and (rows[0][:2] != (epoch, int(seq) + 1) or len(rows) > MOST_CHANGES):
            return None
        later = _marker(*rows[-1][:3]) if rows else head
        notes = {NodeRow(*row[3:]) for row in rows if row[4] is not None}
        changed = list(dict.fromkeys(row[3] for row in rows))
        return News(later, changed, sorted(notes, key=lambda note: note.path))

    def nodes(self) -> NodeRows:
        """Return every note, by path."""
        ids, paths, titles = next(iter(self._db.execute(NODES)))
        return NodeRows(_numbers(ids), json.loads(paths), json.loads(titles))

    def links(self) -> LinkRows:
        """Return every link, by note and as written."""
        found = next(iter(self._db.execute(LINKS.format(self._table))))
        sources, targets, marks = map(_numbers, found)
        said: Any = self._db.execute(PROPERTIES.format(self._table)).fetchall()
        return LinkRows(sources, targets, marks, said)

    def links_of(self, note_ids: Collection[int]) -> list[LinkRow]:
        """Return every link of these notes, by note and as written."""
        links = LINKS_OF.format(self._table)
        return [LinkRow(*row) for row in self._ask(links, note_ids)]

    def leading_to(self, file_ids: Collection[int]) -> list[int]:
        """Return the notes with a link to any of these files."""
        return [row[0] for row in self._ask(LEADING, file_ids)]

    def unsettled(self) -> int:
        """Return how many links a run that was cut short left without an end."""
        return int(self._db.execute(UNSETTLED).get)

    def ghosts(self) -> list[GhostLink]:
        """Return every link to what no file is called, as far as that is known."""
        return [GhostLink(*row) for row in self._db.execute(GHOSTS)]

    def sentences(
        self, keys: Collection[tuple[int, int]]
    ) -> dict[tuple[int, int], str]:
        """Return the sentence around each link, by file id and place in the note.

        A link in a property gives that property; one that is gone gives nothing.
        """
        bound = (json.dumps(list(keys)),)
        try:
            rows: Any = self._db.execute(AROUND, bound)
        except apsw.SQLError:  # the former release kept no places of chunks
            rows = self._db.execute(AROUND_FORMER, bound)
        return {row[:2]: _sentence(*row[2:]) for row in rows}

    def _ask(self, statement: str, ids: Collection[int]) -> Any:
        return self._db.execute(statement, (json.dumps(list(ids)),))


def _marker(epoch: str, seq: int | None, token: bytes | None) -> str:
    return f"{epoch}:{seq or 0}:{(token or b'').hex()}"


def _sentence(  # noqa: PLR0913, PLR0917 - the columns of a row
    name: str,
    target: str,
    start: int | None,
    end: int | None,
    overlap: int | None,
    text: str | None,
) -> str:
    if name:
        return f"{name}: [[{target}]]"
    if text is None or start is None or end is None:
        return ""
    if text.isascii():
        places = [(overlap or 0) + at for at in (start, end)]
    else:
        own = text[overlap:].encode()
        known = len(text) - len(text[overlap:])
        places = [known + len(own[:at].decode(errors="ignore")) for at in (start, end)]
    return sentence_at(text, *places)


def _numbers(column: str) -> NDArray[np.int64]:
    return np.fromstring(column[1:-1], np.int64, sep=",")
