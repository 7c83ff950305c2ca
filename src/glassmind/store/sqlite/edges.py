"""Asking the rows which note leads to which."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import apsw

from glassmind.model import NotePath
from glassmind.model.connections import ThemeLabel
from glassmind.model.graph import Edge, Home, LinkLine
from glassmind.store.sqlite.schema import version_of
from glassmind.store.sqlite.theme_rows import SINCE

_KIND = """
case when l.embed then 'embed' else case l.kind when 'wikilink' then 'link'
  when 'markdown' then 'markdown' when 'property' then 'property' else 'canvas' end end
"""
FROM = f"""
select distinct l.note_id, l.target_id, coalesce(l.property, ''), {_KIND}
from links l join notes t on t.id = l.target_id
where l.note_id in (select value from json_each(?)) and l.target_id <> l.note_id
"""  # noqa: S608 - our own words
TO = f"""
select distinct l.note_id, l.target_id, coalesce(l.property, ''), {_KIND}
from links l
where l.target_id in (select value from json_each(?)) and l.target_id <> l.note_id
"""  # noqa: S608 - our own words
INBOUND = """
select target_id, count(distinct note_id) from links
where target_id in (select value from json_each(?)) and target_id <> note_id
group by target_id
"""
HOMES = """
select m.note_id, m.theme_id, t.label
from theme_members m join themes t on t.id = m.theme_id
where m.note_id in (select value from json_each(?))
"""
LINES = f"""
select c.note_id, l.target_id, l.line - c.start_line, c.text,
  coalesce(l.property, ''), {_KIND}
from chunks c join links l
  on l.note_id = c.note_id and l.line between c.start_line and c.end_line
join notes t on t.id = l.target_id
where c.id in (select value from json_each(?)) and l.target_id <> l.note_id
order by c.id, l.seq
"""  # noqa: S608 - our own words
PATHS = """
select f.id, f.path, n.title from files f join notes n on n.id = f.id
where f.id in (select value from json_each(?))
"""
CHUNKS = """
select note_id, id from chunks
where note_id in (select value from json_each(?)) order by note_id, chunk_index
"""
UNDER = """
select n.id from notes n join files f on f.id = n.id where f.path >= ? and f.path < ?
"""
NEWEST = """
select n.id, f.mtime_ns from notes n join files f on f.id = n.id
order by f.mtime_ns desc, f.path limit ?
"""
FACTS = """
select n.id, f.mtime_ns, f.path, n.title, n.aliases, n.day,
  (select json_group_array(distinct folded) from tags t where t.note_id = n.id)
from notes n join files f on f.id = n.id where n.id in (select value from json_each(?))
"""


class Edges:
    """The links between notes, and what of a note the ranking looks at.

    `homes_by_path` replaces the stored themes, for a scope from which notes are hidden.
    """

    def __init__(
        self,
        db: apsw.Connection,
        homes_by_path: Callable[[], Mapping[str, ThemeLabel]] | None = None,
    ) -> None:
        self._db, self._homes = db, homes_by_path

    def edges_from(self, note_ids: Collection[int]) -> list[Edge]:
        """Return where the notes lead, each pair once for each kind and property."""
        return [Edge(*row) for row in self._ask(FROM, note_ids)]

    def edges_to(self, note_ids: Collection[int]) -> list[Edge]:
        """Return what leads to the notes."""
        return [Edge(*row) for row in self._ask(TO, note_ids)]

    def inbound(self, note_ids: Collection[int]) -> dict[int, int]:
        """Return how many notes lead to each."""
        return dict(self._ask(INBOUND, note_ids))

    def homes(self, note_ids: Collection[int]) -> dict[int, Home]:
        """Return the theme of each note that has one, as they were made last."""
        if self._homes is not None:
            homes, named = self._homes(), self.names(note_ids)
            found = {note: homes.get(path) for note, (path, _) in named.items()}
            return {n: Home(one.id, one.label) for n, one in found.items() if one}
        if version_of(self._db) < SINCE:
            return {}
        return {row[0]: Home(*row[1:]) for row in self._ask(HOMES, note_ids)}

    def link_lines(self, chunk_ids: Collection[int]) -> list[LinkLine]:
        """Return the line around each link to a note that stands in the chunks."""
        found, lines, last = [], [""], None
        for source, target, at, text, *kind in self._ask(LINES, chunk_ids):
            if text is not last:
                lines, last = text.split("\n"), text
            line = lines[min(at, len(lines) - 1)]
            found.append(LinkLine(source, target, line, *kind))
        return found

    def names(self, note_ids: Collection[int]) -> dict[int, tuple[NotePath, str]]:
        """Return path and title of each note."""
        return {row[0]: (row[1], row[2]) for row in self._ask(PATHS, note_ids)}

    def chunks_of(self, note_ids: Collection[int]) -> dict[int, list[int]]:
        """Return the chunks of each note, in order."""
        chunks: dict[int, list[int]] = {}
        for note_id, chunk_id in self._ask(CHUNKS, note_ids):
            chunks.setdefault(note_id, []).append(chunk_id)
        return chunks

    def under(self, folder: str) -> set[int]:
        """Return the notes below a folder."""
        found = self._db.execute(UNDER, (f"{folder}/", f"{folder}0"))
        return {row[0] for row in found}

    def newest(self, limit: int) -> list[tuple[int, int]]:
        """Return the notes changed last, with when, the latest first."""
        rows: Any = self._db.execute(NEWEST, (limit,)).fetchall()
        return list(rows)

    def facts(self, note_ids: Collection[int]) -> dict[int, tuple[Any, ...]]:
        """Return modification time, path, title, aliases, day and tags of each note."""
        return {row[0]: row[1:] for row in self._ask(FACTS, note_ids)}

    def _ask(self, statement: str, ids: Collection[int]) -> Iterable[Any]:
        return self._db.execute(statement, (json.dumps(list(ids)),))
