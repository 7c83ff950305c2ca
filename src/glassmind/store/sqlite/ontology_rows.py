"""Asking the rows how notes are described: by names, properties, tags and links."""

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import apsw

from glassmind.model import NotePath
from glassmind.model.ontology import Entry, GhostName, HeadingName, PropertyLink
from glassmind.store.sqlite.mention_rows import MentionRows
from glassmind.store.sqlite.net_rows import NetRows

_ENTRIES = """
select n.id, f.path, n.title, n.kind, n.aliases,
  (select json_group_array(t.name order by t.seq) from tags t where t.note_id = n.id),
  (select json_group_object(p.name, json(p.value) order by p.seq) from properties p
   where p.note_id = n.id)
from notes n join files f on f.id = n.id where {} order by f.path
"""
_THESE = "in (select value from json_each(?))"
ENTRIES = _ENTRIES.format("true")
ENTRIES_OF = _ENTRIES.format(f"n.id {_THESE}")
_PROPERTY_LINKS = """
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
PROPERTY_LINKS = _PROPERTY_LINKS.format("true")
PROPERTY_LINKS_OF = _PROPERTY_LINKS.format(
    "l.note_id in (select value from json_each(?1))"
)
LED_TO = """
select distinct l.note_id, f.path from links l
join notes n on n.id = l.target_id join files f on f.id = n.id
where l.note_id in (select value from json_each(?)) and l.target_id <> l.note_id
order by 1, 2
"""
GHOSTS = """
select min(target), count(*), count(distinct note_id) from links
where target_id is null and target <> '' and settled group by name_key, lower(target)
order by 2 desc, 1
"""
_HEADINGS = """
select f.path, h.level, h.text, h.line from headings h join files f on f.id = h.note_id
where h.text <> '' and {} order by f.path, h.seq
"""
HEADINGS = _HEADINGS.format("true")
HEADINGS_OF = _HEADINGS.format(f"h.note_id {_THESE}")
FILES = "select path from files order by path"


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
        told = self._ask(PROPERTY_LINKS, PROPERTY_LINKS_OF, note_ids)
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
                ENTRIES, ENTRIES_OF, note_ids
            )
        ]

    def led_to(self, note_ids: Collection[int]) -> dict[int, list[NotePath]]:
        """Return the notes that each of some notes leads to, by path."""
        found: dict[int, list[NotePath]] = {}
        rows = self._db.execute(LED_TO, (json.dumps(sorted(note_ids)),))
        for note_id, path in rows:
            found.setdefault(note_id, []).append(path)
        return found

    def ghosts(self) -> list[GhostName]:
        """Return the names that links lead to in vain, the most wanted first."""
        return [GhostName(*row) for row in self._db.execute(GHOSTS)]

    def headings(
        self, note_ids: Collection[int] | None = None
    ) -> dict[NotePath, list[HeadingName]]:
        """Return the headings of every note, or of some, in order."""
        found: dict[NotePath, list[HeadingName]] = {}
        for row in self._ask(HEADINGS, HEADINGS_OF, note_ids):
            found.setdefault(row[0], []).append(HeadingName(*row))
        return found

    def files(self) -> list[NotePath]:
        """Return every file a link may lead to, by path."""
        return [path for (path,) in self._db.execute(FILES)]

    def writes_markdown(self) -> bool:
        """Whether most links to notes are written as Markdown does."""
        return MentionRows(self._db).writes_markdown()

    def _ask(self, every: str, some: str, ids: Collection[int] | None) -> Iterator[Any]:
        if ids is None:
            return iter(self._db.execute(every))
        return iter(self._db.execute(some, (json.dumps(sorted(ids)),)))
