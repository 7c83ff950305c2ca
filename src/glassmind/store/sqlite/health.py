"""What suggestions are made of: names, anchors, texts, tags and vectors."""

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import apsw

from glassmind.model import NotePath
from glassmind.model.health import (
    HealthNote,
    LostLink,
    PartLink,
    PartNames,
    SaidValue,
)
from glassmind.model.ontology import Entry, GhostName, HeadingName, PropertyLink
from glassmind.model.suggestions import NoteNames
from glassmind.store.sqlite.change_log import vector_log
from glassmind.store.sqlite.links import NetRows
from glassmind.store.sqlite.notes import Rows
from glassmind.store.sqlite.pairs import SINCE
from glassmind.store.sqlite.schema import version_of
from glassmind.store.sqlite.vectors import VectorRows

_NAMED = """
with firsts as (
  select note_id, text, count(*) over (partition by lower(text)) as times, min(seq)
  from headings where level = 1 group by note_id
)
select n.id, n.title, n.aliases,
  (select text from firsts f where f.note_id = n.id and times <= 2),
  (select p.value from properties p where p.note_id = n.id and lower(p.name) = 'title'
   order by p.seq limit 1)
from notes n where n.kind = 'markdown' order by n.id
"""
_ANCHORS = """
select target_id, coalesce(display, target), count(distinct note_id) from links
where target_id is not null and embed = 0 and kind in ('wikilink', 'markdown')
  and target <> '' and note_id <> target_id
group by target_id, coalesce(display, target) order by 1, 2
"""
_TEXTS_OF = """
select text from chunks where note_id in (select value from json_each(?))
and kind <> 'frontmatter' order by note_id, chunk_index
"""
_TAGS = "select note_id, json_group_array(distinct folded) from tags group by note_id"
_PATHS = "select path from files"
_VECTORS = (
    "select note_id, vector from note_vectors where space_id = ? order by note_id"
)
_PROPERTY_LINKS = """
select note_id, target_id, property from links
where property is not null and target_id is not null and note_id <> target_id
order by note_id, seq
"""
_WRITES_MARKDOWN = """
select coalesce(sum(kind = 'markdown') > sum(kind = 'wikilink'), 0) from links
where target_id in (select id from notes)
"""

_PAIRED = """
select count(*) || ':' || total(similarity) || ':' ||
  total(similarity * (note_id * 31 + other_id)) from pairs
"""


class MentionRows:
    """A view of the rows at one moment of reading."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._space = VectorRows(db).answering()

    def names(self) -> list[NoteNames]:
        """Return what every Markdown note calls itself, by id.

        Its file, its aliases, its property `title` and its first heading of level 1,
        unless more than two notes begin with that.
        """
        found = []
        for note_id, title, aliases, heading, given in self._db.execute(_NAMED):
            said = json.loads(given) if given else ""
            more = (heading or "", said if isinstance(said, str) else "")
            names = dict.fromkeys((title, *json.loads(aliases), *more))
            found.append(NoteNames(note_id, tuple(name for name in names if name)))
        return found

    def anchors(self) -> list[tuple[int, str, int]]:
        """Return what links show: the note, the words, and how many notes say so."""
        return [(row[0], row[1], row[2]) for row in self._db.execute(_ANCHORS)]

    def texts_of(self, note_ids: Collection[int]) -> Iterator[str]:
        """Yield the passages of some notes, note by note."""
        for (text,) in self._db.execute(_TEXTS_OF, (json.dumps(sorted(note_ids)),)):
            yield text

    def paths(self) -> list[NotePath]:
        """Return every known file, which is what links are resolved by."""
        return [row[0] for row in self._db.execute(_PATHS)]

    def tags(self) -> dict[int, frozenset[str]]:
        """Return the tags of the notes that have any, in lower case."""
        return {
            row[0]: frozenset(json.loads(row[1])) for row in self._db.execute(_TAGS)
        }

    def writes_markdown(self) -> bool:
        """Whether most links to notes are written as Markdown does."""
        return bool(self._db.execute(_WRITES_MARKDOWN).get)

    def property_links(self) -> list[tuple[int, int, str]]:
        """Return the links that properties hold: source, target, property."""
        found = self._db.execute(_PROPERTY_LINKS)
        return [(row[0], row[1], row[2]) for row in found]

    def vectors(self) -> Iterator[tuple[int, bytes]]:
        """Yield the vectors of all notes, by id: unit rows of float32."""
        if self._space is not None:
            rows: Any = self._db.execute(_VECTORS, (self._space.id,))
            yield from rows

    def width(self) -> int:
        """Return how many numbers a vector has; 0 when nothing is embedded."""
        return self._space.width if self._space else 0

    def vector_stamp(self) -> str:
        """Return what is another once vectors are."""
        if self._space is None:
            return ""
        return f"{self._space.id} {vector_log(self._db, self._space.id).head()}"

    def stamp(self) -> str:
        """Return what is another once vectors or pairs of similar notes are."""
        if self._space is None:
            return ""
        paired = self._db.execute(_PAIRED).get if version_of(self._db) >= SINCE else ""
        return f"{self.vector_stamp()} {paired}"


_ENTRIES_SQL = """
select n.id, f.path, n.title, n.kind, n.aliases,
  (select json_group_array(t.name order by t.seq) from tags t where t.note_id = n.id),
  (select json_group_object(p.name, json(p.value) order by p.seq) from properties p
   where p.note_id = n.id)
from notes n join files f on f.id = n.id where {} order by f.path
"""
_THESE = "in (select value from json_each(?))"
_ENTRIES = _ENTRIES_SQL.format("true")
_ENTRIES_OF = _ENTRIES_SQL.format(f"n.id {_THESE}")
_PROPERTY_LINKS_SQL = """
select l.note_id, l.seq, l.property, l.target, t.path
from links l left join files t on t.id = l.target_id
where l.property is not null and l.target <> '' and {0}
union all
select l.note_id, l.seq, d.key, l.target, t.path
from fields d join links l on l.note_id = d.note_id
  and l.start_byte >= d.start_byte and l.end_byte <= d.end_byte
left join files t on t.id = l.target_id
where d.form <> 'emoji' and l.property is null and l.target <> '' and {0}
order by 1, 2
"""
"""A link inside an inline field is a link of that property too."""
_PROPERTY_LINKS_ONTOLOGY_ROWS = _PROPERTY_LINKS_SQL.format("true")
_PROPERTY_LINKS_OF = _PROPERTY_LINKS_SQL.format(
    "l.note_id in (select value from json_each(?1))"
)
_LED_TO = """
select distinct l.note_id, f.path from links l
join notes n on n.id = l.target_id join files f on f.id = n.id
where l.note_id in (select value from json_each(?)) and l.target_id <> l.note_id
order by 1, 2
"""
_GHOSTS = """
select min(target), count(*), count(distinct note_id) from links
where target_id is null and target <> '' and settled group by name_key, lower(target)
order by 2 desc, 1
"""
_HEADINGS_SQL = """
select f.path, h.level, h.text, h.line from headings h join files f on f.id = h.note_id
where h.text <> '' and {} order by f.path, h.seq
"""
_HEADINGS = _HEADINGS_SQL.format("true")
_HEADINGS_OF = _HEADINGS_SQL.format(f"h.note_id {_THESE}")
_FILES = "select path from files order by path"


class OntologyRows:
    """What an ontology is read from, over an open database."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    @contextmanager
    def still(self) -> Iterator[None]:
        """Keep the rows as they are for all that is read inside it."""
        with self._db:
            yield

    def head(self) -> str:
        """Return how far the rows have come: what notes say, and where links lead."""
        return NetRows(self._db).head()

    def changed(self, head: str) -> list[int] | None:
        """Return the notes that may be others since; None when any may be.

        The log of links tells of every other change to a note too.
        """
        news = NetRows(self._db).news(head)
        return None if news is None else news.changed

    def entries(self, note_ids: Collection[int] | None = None) -> list[Entry]:
        """Return every note, or some, with what describes it, by path."""
        links: dict[int, list[PropertyLink]] = {}
        told = self._ask(_PROPERTY_LINKS_ONTOLOGY_ROWS, _PROPERTY_LINKS_OF, note_ids)
        for note_id, _, name, target, path in told:
            links.setdefault(note_id, []).append(PropertyLink(name, target, path))
        return [
            Entry(
                note_id,
                NotePath(path),
                title,
                kind,
                tuple(json.loads(aliases)),
                json.loads(properties),
                tuple(dict.fromkeys(json.loads(tags))),
                tuple(links.get(note_id, ())),
            )
            for note_id, path, title, kind, aliases, tags, properties in self._ask(
                _ENTRIES, _ENTRIES_OF, note_ids
            )
        ]

    def led_to(self, note_ids: Collection[int]) -> dict[int, list[NotePath]]:
        """Return the notes that each of some notes leads to, by path."""
        found: dict[int, list[NotePath]] = {}
        rows = self._db.execute(_LED_TO, (json.dumps(sorted(note_ids)),))
        for note_id, path in rows:
            found.setdefault(note_id, []).append(path)
        return found

    def ghosts(self) -> list[GhostName]:
        """Return the names that links lead to in vain, the most wanted first."""
        return [GhostName(*row) for row in self._db.execute(_GHOSTS)]

    def headings(
        self, note_ids: Collection[int] | None = None
    ) -> dict[NotePath, list[HeadingName]]:
        """Return the headings of every note, or of some, in order."""
        found: dict[NotePath, list[HeadingName]] = {}
        for row in self._ask(_HEADINGS, _HEADINGS_OF, note_ids):
            found.setdefault(row[0], []).append(HeadingName(*row))
        return found

    def files(self) -> list[NotePath]:
        """Return every file a link may lead to, by path."""
        return [path for (path,) in self._db.execute(_FILES)]

    def writes_markdown(self) -> bool:
        """Whether most links to notes are written as Markdown does."""
        return MentionRows(self._db).writes_markdown()

    def _ask(self, every: str, some: str, ids: Collection[int] | None) -> Iterator[Any]:
        if ids is None:
            return iter(self._db.execute(every))
        return iter(self._db.execute(some, (json.dumps(sorted(ids)),)))


_NOTES = """
select n.id, f.path, n.title, n.kind, f.size, f.mtime_ns, n.day, n.digest, n.aliases,
  n.error, (select coalesce(sum(c.tokens), 0) from chunks c where c.note_id = n.id)
from notes n join files f on f.id = n.id order by f.path
"""
_LOST = """
select f.path, l.target, l.line from links l join files f on f.id = l.note_id
where l.target_id is null and l.target <> '' and l.settled order by f.path, l.seq
"""
_PARTS = """
select s.path, l.kind, l.target_id, t.path, l.subpath, l.line
from links l join files s on s.id = l.note_id join notes n on n.id = l.target_id
  join files t on t.id = l.target_id
where l.subpath is not null and n.kind = 'markdown' order by s.path, l.seq
"""
_HEADINGS_HEALTH_ROWS = """
select note_id, level, text from headings
where note_id in (select value from json_each(?)) order by note_id, seq
"""
_BLOCKS = """
select note_id, name from blocks where note_id in (select value from json_each(?))
"""
_PROPERTY_LINKS_HEALTH_ROWS = """
select l.note_id, l.target_id, l.property from links l
join notes t on t.id = l.target_id
where l.kind = 'property' and l.target_id <> l.note_id order by l.note_id, l.seq
"""
_ATTACHMENTS = """
select f.path from files f where f.kind = 'attachment'
  and not exists (select 1 from links l where l.target_id = f.id) order by f.path
"""
_LINK_COUNTS = """
select note_id, count(*) from links
where target <> '' and (target_id is null or target_id <> note_id) group by note_id
"""
_NAMING = """
select text from chunks
where exists (select 1 from json_each(?1) e where instr(lower(text), e.value))
order by id
"""
_TEXTS_HEALTH_ROWS = """
select c.note_id, c.text, c.overlap from chunks c
where c.kind <> 'frontmatter' order by c.note_id, c.chunk_index
"""
_TEXTS_OF_HEALTH_ROWS = """
select c.note_id, c.text, c.overlap from chunks c
where c.kind <> 'frontmatter' and c.note_id in (select value from json_each(?))
order by c.note_id, c.chunk_index
"""
_CALLED = "select path from files where name_key = ? order by path"
_PROPERTIES = "select note_id, name, value from properties order by note_id, seq"
_FIELDS = "select note_id, key, value from fields order by note_id, seq"


class HealthRows:
    """What checks look at, over an open database."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def notes(self) -> list[HealthNote]:
        """Return every note, by path."""
        return [
            HealthNote._make((*row[:8], tuple(json.loads(row[8])), *row[9:]))
            for row in self._rows(_NOTES)
        ]

    def lost_links(self) -> list[LostLink]:
        """Return every link to what no file is called, as they stand."""
        return [LostLink(*row) for row in self._rows(_LOST)]

    def part_links(self) -> list[PartLink]:
        """Return every link to a part of a Markdown note, as they stand."""
        return [PartLink(*row) for row in self._rows(_PARTS)]

    def part_names(self, note_ids: Collection[int]) -> dict[int, PartNames]:
        """Return the headings, in order, and the block ids of each note."""
        bound = (json.dumps(sorted(note_ids)),)
        headings: dict[int, list[tuple[int, str]]] = {}
        for note_id, level, text in self._rows(_HEADINGS_HEALTH_ROWS, bound):
            headings.setdefault(note_id, []).append((level, text))
        blocks: dict[int, set[str]] = {}
        for note_id, name in self._rows(_BLOCKS, bound):
            blocks.setdefault(note_id, set()).add(name)
        return {
            note_id: PartNames(
                tuple(headings.get(note_id, ())), frozenset(blocks.get(note_id, ()))
            )
            for note_id in note_ids
        }

    def property_links(self) -> list[tuple[int, int, str]]:
        """Return the links between notes that properties hold, with their names."""
        return [
            (source, to, name)
            for source, to, name in self._rows(_PROPERTY_LINKS_HEALTH_ROWS)
        ]

    def link_counts(self) -> dict[int, int]:
        """Return how many links each note has, those to itself aside."""
        return dict(self._rows(_LINK_COUNTS))

    def texts(
        self, note_ids: Collection[int] | None = None
    ) -> Iterator[tuple[int, str]]:
        """Yield each note that has passages with its text, without its properties."""
        if note_ids is None:
            rows = self._rows(_TEXTS_HEALTH_ROWS)
        else:
            rows = self._rows(_TEXTS_OF_HEALTH_ROWS, (json.dumps(sorted(note_ids)),))
        now, parts = None, list[str]()
        for note_id, text, overlap in rows:
            if note_id != now:
                if now is not None:
                    yield now, "\n".join(parts)
                now, parts = note_id, []
            parts.append(text[overlap:])
        if now is not None:
            yield now, "\n".join(parts)

    def said_values(self) -> list[SaidValue]:
        """Return what every note says in properties and fields of its text."""
        said = [
            SaidValue(note_id, name, json.loads(value))
            for note_id, name, value in self._rows(_PROPERTIES)
        ]
        return said + [SaidValue(*row) for row in self._rows(_FIELDS)]

    def files_called(self, key: str) -> list[NotePath]:
        """Return the files with a `name_key`, by path."""
        return [NotePath(str(row[0])) for row in self._rows(_CALLED, (key,))]

    def secret_notes(self) -> list[NotePath]:
        """Return the notes in which credentials are hidden, by path."""
        return [*Rows(self._db).secret_notes()]

    def skipped(self) -> list[tuple[NotePath, str]]:
        """Return path and reason of what was left out of the index, by path."""
        asked = "select path, reason from skipped order by path"
        return [(path, reason) for path, reason in self._rows(asked)]

    def _rows(self, statement: str, bound: tuple[Any, ...] = ()) -> Any:
        return self._db.execute(statement, bound)
