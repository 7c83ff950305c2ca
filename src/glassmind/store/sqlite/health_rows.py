"""Asking the rows for what can be wrong with a vault."""

import json
from collections.abc import Collection, Iterator
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
from glassmind.store.sqlite.read import Rows

NOTES = """
select n.id, f.path, n.title, n.kind, f.size, f.mtime_ns, n.day, n.digest, n.aliases,
  n.error, (select coalesce(sum(c.tokens), 0) from chunks c where c.note_id = n.id)
from notes n join files f on f.id = n.id order by f.path
"""
LOST = """
select f.path, l.target, l.line from links l join files f on f.id = l.note_id
where l.target_id is null and l.target <> '' and l.settled order by f.path, l.seq
"""
PARTS = """
select s.path, l.kind, l.target_id, t.path, l.subpath, l.line
from links l join files s on s.id = l.note_id join notes n on n.id = l.target_id
  join files t on t.id = l.target_id
where l.subpath is not null and n.kind = 'markdown' order by s.path, l.seq
"""
HEADINGS = """
select note_id, level, text from headings
where note_id in (select value from json_each(?)) order by note_id, seq
"""
BLOCKS = """
select note_id, name from blocks where note_id in (select value from json_each(?))
"""
PROPERTY_LINKS = """
select l.note_id, l.target_id, l.property from links l
join notes t on t.id = l.target_id
where l.kind = 'property' and l.target_id <> l.note_id order by l.note_id, l.seq
"""
ATTACHMENTS = """
select f.path from files f where f.kind = 'attachment'
  and not exists (select 1 from links l where l.target_id = f.id) order by f.path
"""
LINK_COUNTS = """
select note_id, count(*) from links
where target <> '' and (target_id is null or target_id <> note_id) group by note_id
"""
NAMING = """
select text from chunks
where exists (select 1 from json_each(?1) e where instr(lower(text), e.value))
order by id
"""
TEXTS = """
select c.note_id, c.text, c.overlap from chunks c
where c.kind <> 'frontmatter' order by c.note_id, c.chunk_index
"""
TEXTS_OF = """
select c.note_id, c.text, c.overlap from chunks c
where c.kind <> 'frontmatter' and c.note_id in (select value from json_each(?))
order by c.note_id, c.chunk_index
"""
CALLED = "select path from files where name_key = ? order by path"
PROPERTIES = "select note_id, name, value from properties order by note_id, seq"
FIELDS = "select note_id, key, value from fields order by note_id, seq"


class HealthRows:
    """What checks look at, over an open database."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def notes(self) -> list[HealthNote]:
        """Return every note, by path."""
        return [
            HealthNote._make((*row[:8], tuple(json.loads(row[8])), *row[9:]))
            for row in self._rows(NOTES)
        ]

    def lost_links(self) -> list[LostLink]:
        """Return every link to what no file is called, as they stand."""
        return [LostLink(*row) for row in self._rows(LOST)]

    def part_links(self) -> list[PartLink]:
        """Return every link to a part of a Markdown note, as they stand."""
        return [PartLink(*row) for row in self._rows(PARTS)]

    def part_names(self, note_ids: Collection[int]) -> dict[int, PartNames]:
        """Return the headings, in order, and the block ids of each note."""
        bound = (json.dumps(sorted(note_ids)),)
        headings: dict[int, list[tuple[int, str]]] = {}
        for note_id, level, text in self._rows(HEADINGS, bound):
            headings.setdefault(note_id, []).append((level, text))
        blocks: dict[int, set[str]] = {}
        for note_id, name in self._rows(BLOCKS, bound):
            blocks.setdefault(note_id, set()).add(name)
        return {
            note_id: PartNames(
                tuple(headings.get(note_id, ())), frozenset(blocks.get(note_id, ()))
            )
            for note_id in note_ids
        }

    def property_links(self) -> list[tuple[int, int, str]]:
        """Return the links between notes that properties hold, with their names."""
        return [(source, to, name) for source, to, name in self._rows(PROPERTY_LINKS)]

    def unlinked_attachments(self) -> list[NotePath]:
        """Return the attachments that no link leads to, by path."""
        return [row[0] for row in self._rows(ATTACHMENTS)]

    def link_counts(self) -> dict[int, int]:
        """Return how many links each note has, those to itself aside."""
        return dict(self._rows(LINK_COUNTS))

    def texts_with(self, endings: Collection[str]) -> Iterator[str]:
        """Yield the passages, properties among them, with one of these in any case."""
        bound = (json.dumps(sorted(endings)),)
        return (row[0] for row in self._rows(NAMING, bound))

    def texts(
        self, note_ids: Collection[int] | None = None
    ) -> Iterator[tuple[int, str]]:
        """Yield each note that has passages with its text, without its properties."""
        if note_ids is None:
            rows = self._rows(TEXTS)
        else:
            rows = self._rows(TEXTS_OF, (json.dumps(sorted(note_ids)),))
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
            for note_id, name, value in self._rows(PROPERTIES)
        ]
        return said + [SaidValue(*row) for row in self._rows(FIELDS)]

    def files_called(self, key: str) -> list[NotePath]:
        """Return the files with a `name_key`, by path."""
        return [NotePath(str(row[0])) for row in self._rows(CALLED, (key,))]

    def secret_notes(self) -> list[NotePath]:
        """Return the notes in which credentials are hidden, by path."""
        return [*Rows(self._db).secret_notes()]

    def skipped(self) -> list[tuple[NotePath, str]]:
        """Return path and reason of what was left out of the index, by path."""
        asked = "select path, reason from skipped order by path"
        return [(path, reason) for path, reason in self._rows(asked)]

    def _rows(self, statement: str, bound: tuple[Any, ...] = ()) -> Any:
        return self._db.execute(statement, bound)
