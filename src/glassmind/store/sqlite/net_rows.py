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
from glassmind.store.sqlite.log import Log, link_log, text_log
from glassmind.types.graph import GhostLink, LinkRows, NodeRows

HAS_LOG = "select exists (select 1 from sqlite_master where name = 'link_changes')"
_NODES = """
select json_group_array(id), json_group_array(path), json_group_array(title) from (
  select f.id, f.path, n.title from files f join notes n on n.id = f.id
  where {} order by f.path)
"""
NODES = _NODES.format("true")
NODES_OF = _NODES.format("f.id in (select value from json_each(?))")
_LINKS = """
select json_group_array(note_id), json_group_array(coalesce(target_id, 0)),
  json_group_array(line * 8 + case kind when 'canvas' then 4 when 'property' then 3
    else case when embed then 1 when kind = 'markdown' then 2 else 0 end end)
from {}
"""
LINKS = _LINKS.format("links not indexed")
"""Read by the primary key, and so by note and as written."""
LINKS_OF = _LINKS.format(
    "(select * from links where note_id in (select value from json_each(?))"
    " order by note_id, seq)"
)
PROPERTIES = "select note_id, seq, property from links where property is not null"
PROPERTIES_OF = """
select note_id, seq, property from links
where property is not null and note_id in (select value from json_each(?))
"""
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
  (select count(*) from links p where p.note_id = l.note_id and p.seq < l.seq
   and p.line = l.line and p.kind = l.kind and p.target = l.target),
  l.line - c.start_line, c.text
from json_each(?) k
join links l on l.note_id = k.value ->> 0 and l.seq = k.value ->> 1
left join chunks c on c.id = (select x.id from chunks x where x.note_id = l.note_id
  and l.line between x.start_line and x.end_line order by x.chunk_index limit 1)
"""

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
        """Return how far the rows have come."""
        log = self._log()
        return text_log(self._db).head() if log is None else log.head()

    def changed(self, head: str) -> list[int] | None:
        """Return the files whose links may be others since; None when any may be."""
        log = self._log()
        pending = None if log is None else log.pending(head)
        if log is None or pending is None or pending > MOST_CHANGES:
            return None
        return log.after(head, MOST_CHANGES)[0]

    def nodes(self, file_ids: Collection[int] | None = None) -> NodeRows:
        """Return every note, or those of these files, by path."""
        ids, paths, titles = next(iter(self._ask(NODES, NODES_OF, file_ids)))
        return NodeRows(_numbers(ids), json.loads(paths), json.loads(titles))

    def links(self, note_ids: Collection[int] | None = None) -> LinkRows:
        """Return every link, or those of these notes, by note and as written."""
        columns = next(iter(self._ask(LINKS, LINKS_OF, note_ids)))
        said = self._ask(PROPERTIES, PROPERTIES_OF, note_ids)
        sources, targets, marks = map(_numbers, columns)
        return LinkRows(sources, targets, marks, list(said))

    def leading_to(self, file_ids: Collection[int]) -> list[int]:
        """Return the notes with a link to any of these files."""
        rows = self._db.execute(LEADING, (json.dumps(list(file_ids)),))
        return [row[0] for row in rows]

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

    def _log(self) -> Log[Any] | None:
        """Return the log of links; an index of the former release has none."""
        return link_log(self._db) if self._db.execute(HAS_LOG).get else None

    def _ask(self, every: str, some: str, ids: Collection[int] | None) -> Any:
        if ids is None:
            return self._db.execute(every)
        return self._db.execute(some, (json.dumps(list(ids)),))


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
