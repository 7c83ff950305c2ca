"""Asking the rows which note leads to which."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import apsw

from glassmind.model import NotePath
from glassmind.model.graph import (
    Edge,
    GhostLink,
    Home,
    LinkLine,
    LinkRow,
    LinkRows,
    News,
    NodeRow,
    NodeRows,
    NoteDates,
    ThemeLabel,
)
from glassmind.model.search import LinkClue
from glassmind.obsidian.text import sentence_at
from glassmind.store.sqlite.change_log import text_log
from glassmind.store.sqlite.schema import CHUNK_STARTS, version_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_KIND = """
case when l.embed then 'embed' else case l.kind when 'wikilink' then 'link'
  when 'markdown' then 'markdown' when 'property' then 'property' else 'canvas' end end
"""
_FROM = f"""
select distinct l.note_id, l.target_id, coalesce(l.property, ''), {_KIND}
from links l join notes t on t.id = l.target_id
where l.note_id in (select value from json_each(?)) and l.target_id <> l.note_id
"""  # noqa: S608 - our own words
_TO = f"""
select distinct l.note_id, l.target_id, coalesce(l.property, ''), {_KIND}
from links l
where l.target_id in (select value from json_each(?)) and l.target_id <> l.note_id
"""  # noqa: S608 - our own words
_INBOUND = """
select target_id, count(distinct note_id) from links
where target_id in (select value from json_each(?)) and target_id <> note_id
group by target_id
"""
_HOMES = """
select m.note_id, m.theme_id, t.label
from theme_members m join themes t on t.id = m.theme_id
where m.note_id in (select value from json_each(?))
"""
_LINES = f"""
select c.note_id, l.target_id, l.line - c.start_line, c.text,
  coalesce(l.property, ''), {_KIND}
from chunks c join links l
  on l.note_id = c.note_id and l.line between c.start_line and c.end_line
join notes t on t.id = l.target_id
where c.id in (select value from json_each(?)) and l.target_id <> l.note_id
order by c.id, l.seq
"""  # noqa: S608 - our own words
_PATHS = """
select f.id, f.path, n.title from files f join notes n on n.id = f.id
where f.id in (select value from json_each(?))
"""
_CHUNKS = """
select note_id, id from chunks
where note_id in (select value from json_each(?)) order by note_id, chunk_index
"""
_UNDER = """
select n.id from notes n join files f on f.id = n.id where f.path >= ? and f.path < ?
"""
_NEWEST = """
select n.id, f.mtime_ns from notes n join files f on f.id = n.id
order by f.mtime_ns desc, f.path limit ?
"""
_FACTS = """
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
        return [Edge(*row) for row in self._ask(_FROM, note_ids)]

    def edges_to(self, note_ids: Collection[int]) -> list[Edge]:
        """Return what leads to the notes."""
        return [Edge(*row) for row in self._ask(_TO, note_ids)]

    def inbound(self, note_ids: Collection[int]) -> dict[int, int]:
        """Return how many notes lead to each."""
        return dict(self._ask(_INBOUND, note_ids))

    def homes(self, note_ids: Collection[int]) -> dict[int, Home]:
        """Return the theme of each note that has one, as they were made last."""
        if self._homes is not None:
            homes, named = self._homes(), self.names(note_ids)
            found = {note: homes.get(path) for note, (path, _) in named.items()}
            return {n: Home(one.id, one.label) for n, one in found.items() if one}
        if version_of(self._db) < 3:  # noqa: PLR2004
            return {}
        return {row[0]: Home(*row[1:]) for row in self._ask(_HOMES, note_ids)}

    def link_lines(self, chunk_ids: Collection[int]) -> list[LinkLine]:
        """Return the line around each link to a note that stands in the chunks."""
        found, lines, last = [], [""], None
        for source, target, at, text, *kind in self._ask(_LINES, chunk_ids):
            if text is not last:
                lines, last = text.split("\n"), text
            line = lines[min(at, len(lines) - 1)]
            found.append(LinkLine(source, target, line, *kind))
        return found

    def names(self, note_ids: Collection[int]) -> dict[int, tuple[NotePath, str]]:
        """Return path and title of each note."""
        return {row[0]: (row[1], row[2]) for row in self._ask(_PATHS, note_ids)}

    def chunks_of(self, note_ids: Collection[int]) -> dict[int, list[int]]:
        """Return the chunks of each note, in order."""
        chunks: dict[int, list[int]] = {}
        for note_id, chunk_id in self._ask(_CHUNKS, note_ids):
            chunks.setdefault(note_id, []).append(chunk_id)
        return chunks

    def under(self, folder: str) -> set[int]:
        """Return the notes below a folder."""
        found = self._db.execute(_UNDER, (f"{folder}/", f"{folder}0"))
        return {row[0] for row in found}

    def newest(self, limit: int) -> list[tuple[int, int]]:
        """Return the notes changed last, with when, the latest first."""
        rows: Any = self._db.execute(_NEWEST, (limit,)).fetchall()
        return list(rows)

    def facts(self, note_ids: Collection[int]) -> dict[int, tuple[Any, ...]]:
        """Return modification time, path, title, aliases, day and tags of each note."""
        return {row[0]: row[1:] for row in self._ask(_FACTS, note_ids)}

    def _ask(self, statement: str, ids: Collection[int]) -> Iterable[Any]:
        return self._db.execute(statement, (json.dumps(list(ids)),))


_HEAD = """
select s.value, c.seq, c.token from settings s
left join (select seq, token from link_changes order by seq desc limit 1) c
where s.key = 'epoch'
"""
_NEWS = """
select (select value from settings where key = 'epoch'), c.seq, c.token, c.note_id,
  f.path, n.title
from link_changes c left join notes n on n.id = c.note_id
  left join files f on f.id = n.id
where c.seq >= ? order by c.seq limit ?
"""
"""With what the notes are called: another statement would cost as much again."""
_NODES = """
select json_group_array(id), json_group_array(path), json_group_array(title) from (
  select f.id, f.path, n.title from files f join notes n on n.id = f.id
  order by f.path)
"""
_MARK = """line * 8 + case kind when 'canvas' then 4 when 'property' then 3
    else case when embed then 1 when kind = 'markdown' then 2 else 0 end end"""
"""Line and kind of a link in one number, as the arrays of the graph hold them."""
_LINKS = f"""
select json_group_array(note_id), json_group_array(coalesce(target_id, 0)),
  json_group_array({_MARK})
from {{}} not indexed
"""  # noqa: S608 - our own words
"""Read by the primary key, and so by note and as written."""
_LINKS_OF = f"""
select note_id, coalesce(target_id, 0), {_MARK}, coalesce(property, '') from {{}}
where note_id in (select value from json_each(?)) order by note_id, seq
"""  # noqa: S608 - our own words
_PROPERTIES = "select note_id, seq, property from {} where property is not null"
_LEADING = """
select distinct note_id from links
where target_id in (select value from json_each(?)) order by note_id
"""
_GHOSTS = """
select note_id, seq, target from links
where target_id is null and target <> '' and settled
order by note_id, seq
"""
_UNSETTLED = "select count(*) from links where settled = 0"
_AROUND_SQL = """
select l.note_id, l.seq, coalesce(l.property, ''), l.target,
  l.start_byte - c.start_byte, l.end_byte - c.start_byte, c.overlap, c.text
from json_each(?1) k
join links l on l.note_id = k.value ->> 0 and l.seq = k.value ->> 1
left join placed c on l.property is null and c.id = (select x.id from placed x
  where x.note_id = l.note_id and x.start_byte <= l.start_byte
  order by x.start_byte desc limit 1)
"""
_AROUND = _AROUND_SQL.replace("placed", "chunks")
_AROUND_FORMER = f"""
with placed as materialized ({CHUNK_STARTS}
  where note_id in (select value ->> 0 from json_each(?1))) {_AROUND_SQL}
"""  # noqa: S608 - our own words
"""For rows of the former release, whose chunks do not say where they begin."""

_MOST_CHANGES = 5_000
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
            epoch, seq, token = next(iter(self._db.execute(_HEAD)))
        except apsw.SQLError:  # the former release kept no log of links
            return text_log(self._db).head()
        return _marker(epoch, seq, token)

    def news(self, head: str) -> News | None:
        """Return what came since a head.

        None when the log does not go back to it, or tells too much.
        """
        epoch, seq, token = head.split(":")
        bound = (int(seq), _MOST_CHANGES + 2)
        try:
            rows: Any = self._db.execute(_NEWS, bound).fetchall()
        except apsw.SQLError:  # the former release kept no log of links
            rows = []
        if seq != "0" and rows:
            known, *rows = rows
            if known[:3] != (epoch, int(seq), bytes.fromhex(token)):
                return None
        elif not rows:
            return News(head, [], []) if self.head() == head else None
        if rows and (rows[0][:2] != (epoch, int(seq) + 1) or len(rows) > _MOST_CHANGES):
            return None
        later = _marker(*rows[-1][:3]) if rows else head
        notes = {NodeRow(*row[3:]) for row in rows if row[4] is not None}
        changed = list(dict.fromkeys(row[3] for row in rows))
        return News(later, changed, sorted(notes, key=lambda note: note.path))

    def nodes(self) -> NodeRows:
        """Return every note, by path."""
        ids, paths, titles = next(iter(self._db.execute(_NODES)))
        return NodeRows(_numbers(ids), json.loads(paths), json.loads(titles))

    def links(self) -> LinkRows:
        """Return every link, by note and as written."""
        found = next(iter(self._db.execute(_LINKS.format(self._table))))
        sources, targets, marks = map(_numbers, found)
        said: Any = self._db.execute(_PROPERTIES.format(self._table)).fetchall()
        return LinkRows(sources, targets, marks, said)

    def links_of(self, note_ids: Collection[int]) -> list[LinkRow]:
        """Return every link of these notes, by note and as written."""
        links = _LINKS_OF.format(self._table)
        return [LinkRow(*row) for row in self._ask(links, note_ids)]

    def leading_to(self, file_ids: Collection[int]) -> list[int]:
        """Return the notes with a link to any of these files."""
        return [row[0] for row in self._ask(_LEADING, file_ids)]

    def unsettled(self) -> int:
        """Return how many links a run that was cut short left without an end."""
        return int(self._db.execute(_UNSETTLED).get)

    def ghosts(self) -> list[GhostLink]:
        """Return every link to what no file is called, as far as that is known."""
        return [GhostLink(*row) for row in self._db.execute(_GHOSTS)]

    def sentences(
        self, keys: Collection[tuple[int, int]]
    ) -> dict[tuple[int, int], str]:
        """Return the sentence around each link, by file id and place in the note.

        A link in a property gives that property; one that is gone gives nothing.
        """
        bound = (json.dumps(list(keys)),)
        try:
            rows: Any = self._db.execute(_AROUND, bound)
        except apsw.SQLError:  # the former release kept no places of chunks
            rows = self._db.execute(_AROUND_FORMER, bound)
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


def _numbers(column: str) -> "NDArray[np.int64]":
    import numpy as np  # noqa: PLC0415 - heavy

    return np.fromstring(column[1:-1], np.int64, sep=",")


_TAGS = """
select note_id, name from tags where note_id in (select value from json_each(?))
order by note_id, seq
"""
_PROPERTIES_NEIGHBOUR_ROWS = """
select note_id, name, value from properties
where note_id in (select value from json_each(?)) order by note_id, seq
"""
_DATES = """
select n.id, n.day, f.mtime_ns,
  (select json_group_array(json_array(p.name, json(p.value)))
   from properties p where p.note_id = n.id and lower(p.name) in
     (select value from json_each(:names)))
from notes n join files f on f.id = n.id
where n.id in (select value from json_each(:ids))
"""
_TARGETS = """
select l.note_id, l.seq, l.target from json_each(?) k
join links l on l.note_id = k.value ->> 0 and l.seq = k.value ->> 1
"""


class NeighbourRows:
    """What an open database knows of notes, by the id of their file."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def tags_of(self, note_ids: Collection[int]) -> dict[int, tuple[str, ...]]:
        """Return the tags of each note that has some, as written, in that order."""
        found: dict[int, dict[str, str]] = {}
        for note_id, name in self._ask(_TAGS, note_ids):
            found.setdefault(note_id, {}).setdefault(name.lower(), name)
        return {note_id: tuple(names.values()) for note_id, names in found.items()}

    def properties_of(self, note_ids: Collection[int]) -> dict[int, dict[str, object]]:
        """Return the properties of each note that has some."""
        found: dict[int, dict[str, object]] = {}
        for note_id, name, value in self._ask(_PROPERTIES_NEIGHBOUR_ROWS, note_ids):
            found.setdefault(note_id, {})[name] = json.loads(value)
        return found

    def dates_of(
        self, note_ids: Collection[int], names: Collection[str]
    ) -> dict[int, NoteDates]:
        """Return the day, the time of change and these properties of each note."""
        bound = {"ids": json.dumps(list(note_ids)), "names": json.dumps(list(names))}
        rows: Any = self._db.execute(_DATES, bound)
        return {
            note_id: NoteDates(
                day, mtime_ns, {name.lower(): v for name, v in json.loads(held)}
            )
            for note_id, day, mtime_ns, held in rows
        }

    def targets_of(
        self, keys: Collection[tuple[int, int]]
    ) -> dict[tuple[int, int], str]:
        """Return what links are written to lead to, by file id and place."""
        rows: Any = self._db.execute(_TARGETS, (json.dumps(list(keys)),))
        return {(note_id, seq): target for note_id, seq, target in rows}

    def _ask(self, statement: str, ids: Collection[int]) -> Iterable[Any]:
        return self._db.execute(statement, (json.dumps(list(ids)),))


_SAMPLE = """
select l.note_id, l.seq, s.path, t.path, n.title, l.target, coalesce(l.display, '')
from links l join notes n on n.id = l.target_id
join files s on s.id = l.note_id join files t on t.id = l.target_id
where not l.embed and l.property is null and l.note_id <> l.target_id
and s.kind = 'markdown' and t.kind = 'markdown'
order by (l.note_id * 2654435761 + l.seq * 40503 + l.target_id * 97) % 1000003,
  l.note_id, l.seq
limit ?
"""
"""Links from note to note, from all over the vault; the numbers only stir them."""

_NOTES = "select count(*) from notes"


class ClueRows:
    """What links say about notes, as an open database shows it."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def clues(self, most: int) -> list[LinkClue]:
        """Return so many links that stand in the text of a note, if there are any."""
        rows: Any = self._db.execute(_SAMPLE, (most,)).fetchall()
        said = NetRows(self._db).sentences([row[:2] for row in rows])
        return [
            LinkClue(source, target, title, written, shown, said.get((note, seq), ""))
            for note, seq, source, target, title, written, shown in rows
        ]

    def notes(self) -> int:
        """Return how many notes there are."""
        return int(self._db.execute(_NOTES).get)
