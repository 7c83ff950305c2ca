"""Links between notes: for the graph, for ranking, and the text around them."""

import json
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Unpack

from glassmind.model.graph import (
    Edge,
    LinkFilter,
    LinkLine,
    LinkRows,
    NodeRows,
    StoredLink,
)
from glassmind.obsidian.text import sentence_at
from glassmind.store.sqlite.change_log import marker_of
from glassmind.store.sqlite.notes import NoteRows, where

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_THESE = "in (select value from json_each(?))"
_WHICH_LINKS = {
    "sources": "l.note_id in (select value from json_each(:sources))",
    "targets": "l.target_id in (select value from json_each(:targets))",
    "between_notes": "n.id is not null and l.target_id <> l.note_id",
    "unresolved": "l.target_id is null and l.target <> '' and l.settled",
    "to_part": "l.subpath is not null and n.kind = 'markdown'",
    "in_property": "l.kind = 'property'",
}
_KIND = """
case when l.embed then 'embed' else case l.kind when 'wikilink' then 'link'
  when 'markdown' then 'markdown' when 'property' then 'property' else 'canvas' end end
"""


class EdgeRows(NoteRows):
    """The links between notes, and when they were changed."""

    def links(self, **which: Unpack[LinkFilter]) -> list[StoredLink]:
        """Return the links that pass, by the path of the source and place in it."""
        statement = f"""
            select l.note_id, l.seq, s.path, l.kind, l.target, l.target_id, t.path,
              coalesce(l.subpath, ''), coalesce(l.property, ''), l.line
            from links l join files s on s.id = l.note_id
              left join files t on t.id = l.target_id
              left join notes n on n.id = l.target_id
            where {where(_WHICH_LINKS, which)}
            order by s.path, l.seq
        """
        bound: dict[str, Any] = {
            name: json.dumps(list(which[name]))
            for name in ("sources", "targets")
            if name in which
        }
        return [StoredLink(*row) for row in self._db.execute(statement, bound)]

    def edges(self, note_ids: Collection[int], *, backward: bool = False) -> list[Edge]:
        """Return the links from these notes, or to them, once for each kind."""
        column = "l.target_id" if backward else "l.note_id"
        statement = f"""
            select distinct l.note_id, l.target_id, coalesce(l.property, ''), {_KIND}
            from links l join notes t on t.id = l.target_id
            where {column} {_THESE} and l.target_id <> l.note_id
        """
        return [Edge(*row) for row in self._for(statement, note_ids)]

    def inbound(self, note_ids: Collection[int]) -> dict[int, int]:
        statement = f"""
            select target_id, count(distinct note_id) from links
            where target_id {_THESE} and target_id <> note_id group by target_id
        """
        return dict(self._for(statement, note_ids))

    def link_lines(self, chunk_ids: Collection[int]) -> list[LinkLine]:
        statement = f"""
            select c.note_id, l.target_id, l.line - c.start_line, c.text,
              coalesce(l.property, ''), {_KIND}
            from chunks c join links l
              on l.note_id = c.note_id and l.line between c.start_line and c.end_line
            join notes t on t.id = l.target_id
            where c.id {_THESE} and l.target_id <> l.note_id
            order by c.id, l.seq
        """
        link_lines, lines, last = [], [""], None
        for source, target, at, text, *kind in self._for(statement, chunk_ids):
            if text is not last:
                lines, last = text.split("\n"), text
            line = lines[min(at, len(lines) - 1)]
            link_lines.append(LinkLine(source, target, line, *kind))
        return link_lines

    def chunk_ids_of(self, note_ids: Collection[int]) -> dict[int, list[int]]:
        """Return the chunks of each note, in order."""
        statement = f"""
            select note_id, id from chunks where note_id {_THESE}
            order by note_id, chunk_index
        """
        return self._grouped(self._for(statement, note_ids))


_HEAD = """
select s.value, c.seq, c.token from settings s
left join (select seq, token from link_changes order by seq desc limit 1) c
where s.key = 'epoch'
"""
_MARK = """line * 8 + case kind when 'canvas' then 4 when 'property' then 3
    else case when embed then 1 when kind = 'markdown' then 2 else 0 end end"""
"""Line and kind of a link in one number, as the arrays of the graph hold them."""
_AROUND = """
select l.note_id, l.seq, coalesce(l.property, ''), l.target,
  l.start_byte - c.start_byte, l.end_byte - c.start_byte, c.overlap, c.text
from json_each(?1) k
join links l on l.note_id = k.value ->> 0 and l.seq = k.value ->> 1
left join chunks c on l.property is null and c.id = (select x.id from chunks x
  where x.note_id = l.note_id and x.start_byte <= l.start_byte
  order by x.start_byte desc limit 1)
"""


class GraphRows(NoteRows):
    """The link graph.

    A column of numbers comes as one JSON text, which SQLite writes and numpy reads
    several times faster than as many rows are fetched.
    """

    links_table = "links"
    """Has every link of a note, so that the place of each is its number."""

    def graph_head(self) -> str:
        """Return how far the rows have come: a marker, as those of `change_log`."""
        return marker_of(*next(iter(self._rows(_HEAD))))

    def graph_nodes(self) -> NodeRows:
        """Return every note, by path."""
        rows = self._rows("""
            select json_group_array(id), json_group_array(path), json_group_array(title)
            from (select f.id, f.path, n.title from files f join notes n on n.id = f.id
                  order by f.path)
        """)
        ids, paths, titles = next(iter(rows))
        return NodeRows(_numbers(ids), json.loads(paths), json.loads(titles))

    def graph_links(self) -> LinkRows:
        """Return every link, by note and as written, as the primary key has them."""
        found = self._rows(f"""
            select json_group_array(note_id), json_group_array(coalesce(target_id, 0)),
              json_group_array({_MARK})
            from {self.links_table} not indexed
        """)
        named = self._list(f"""
            select note_id, seq, property from {self.links_table}
            where property is not null
        """)
        sources, targets, marks = map(_numbers, next(iter(found)))
        return LinkRows(sources, targets, marks, named)

    def unsettled_links(self) -> int:
        """Return how many links have not been looked up, as a run was cut short."""
        return int(self._value("select count(*) from links where settled = 0"))

    def link_sentences(
        self, keys: Collection[tuple[int, int]]
    ) -> dict[tuple[int, int], str]:
        """Return the sentence around each link, by file id and place in the note.

        A link in a property gives that property; one that is gone gives nothing.
        """
        return {row[:2]: _sentence(*row[2:]) for row in self._for(_AROUND, keys)}


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


def _numbers(column: str) -> "NDArray[np.int64]":
    import numpy as np  # noqa: PLC0415 - heavy

    return np.fromstring(column[1:-1], np.int64, sep=",")
