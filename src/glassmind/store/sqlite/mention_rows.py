"""What suggestions are made of: names, anchors, texts, tags and vectors."""

import json
from collections.abc import Collection, Iterator
from typing import Any

import apsw

from glassmind.model import NotePath
from glassmind.model.suggestions import NoteNames
from glassmind.store.sqlite.log import vector_log
from glassmind.store.sqlite.pair_rows import SINCE
from glassmind.store.sqlite.schema import version_of
from glassmind.store.sqlite.vector_rows import VectorRows

NAMED = """
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
ANCHORS = """
select target_id, coalesce(display, target), count(distinct note_id) from links
where target_id is not null and embed = 0 and kind in ('wikilink', 'markdown')
  and target <> '' and note_id <> target_id
group by target_id, coalesce(display, target) order by 1, 2
"""
TEXTS_OF = """
select text from chunks where note_id in (select value from json_each(?))
and kind <> 'frontmatter' order by note_id, chunk_index
"""
TAGS = "select note_id, json_group_array(distinct folded) from tags group by note_id"
PATHS = "select path from files"
VECTORS = "select note_id, vector from note_vectors where space_id = ? order by note_id"
PROPERTY_LINKS = """
select note_id, target_id, property from links
where property is not null and target_id is not null and note_id <> target_id
order by note_id, seq
"""
WRITES_MARKDOWN = """
select coalesce(sum(kind = 'markdown') > sum(kind = 'wikilink'), 0) from links
where target_id in (select id from notes)
"""

PAIRED = """
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
        for note_id, title, aliases, heading, given in self._db.execute(NAMED):
            said = json.loads(given) if given else ""
            more = (heading or "", said if isinstance(said, str) else "")
            names = dict.fromkeys((title, *json.loads(aliases), *more))
            found.append(NoteNames(note_id, tuple(name for name in names if name)))
        return found

    def anchors(self) -> list[tuple[int, str, int]]:
        """Return what links show: the note, the words, and how many notes say so."""
        return [(row[0], row[1], row[2]) for row in self._db.execute(ANCHORS)]

    def texts_of(self, note_ids: Collection[int]) -> Iterator[str]:
        """Yield the passages of some notes, note by note."""
        for (text,) in self._db.execute(TEXTS_OF, (json.dumps(sorted(note_ids)),)):
            yield text

    def paths(self) -> list[NotePath]:
        """Return every known file, which is what links are resolved by."""
        return [row[0] for row in self._db.execute(PATHS)]

    def tags(self) -> dict[int, frozenset[str]]:
        """Return the tags of the notes that have any, in lower case."""
        return {row[0]: frozenset(json.loads(row[1])) for row in self._db.execute(TAGS)}

    def writes_markdown(self) -> bool:
        """Whether most links to notes are written as Markdown does."""
        return bool(self._db.execute(WRITES_MARKDOWN).get)

    def property_links(self) -> list[tuple[int, int, str]]:
        """Return the links that properties hold: source, target, property."""
        found = self._db.execute(PROPERTY_LINKS)
        return [(row[0], row[1], row[2]) for row in found]

    def vectors(self) -> Iterator[tuple[int, bytes]]:
        """Yield the vectors of all notes, by id: unit rows of float32."""
        if self._space is not None:
            rows: Any = self._db.execute(VECTORS, (self._space.id,))
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
        paired = self._db.execute(PAIRED).get if version_of(self._db) >= SINCE else ""
        return f"{self.vector_stamp()} {paired}"
