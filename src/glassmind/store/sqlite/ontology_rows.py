"""Asking the rows how notes are described: by names, properties, tags and links."""

import json
from collections.abc import Collection, Iterator
from typing import Any

import apsw

from glassmind.types import NotePath
from glassmind.types.ontology import Entry, GhostName, HeadingName, PropertyLink

ENTRIES = """
select n.id, f.path, n.title, n.kind, n.aliases,
  (select json_group_array(t.name order by t.seq) from tags t where t.note_id = n.id),
  (select json_group_object(p.name, json(p.value) order by p.seq) from properties p
   where p.note_id = n.id)
from notes n join files f on f.id = n.id order by f.path
"""
PROPERTY_LINKS = """
select l.note_id, l.seq, l.property, l.target, t.path
from links l left join files t on t.id = l.target_id
where l.property is not null and l.target <> ''
union all
select l.note_id, l.seq, d.key, l.target, t.path
from fields d join links l on l.note_id = d.note_id
  and l.start_byte >= d.start_byte and l.end_byte <= d.end_byte
left join files t on t.id = l.target_id
where d.form <> 'emoji' and l.property is null and l.target <> ''
order by 1, 2
"""
"""A link inside an inline field is a link of that property too."""
LED_TO = """
select distinct l.note_id, f.path from links l
join notes n on n.id = l.target_id join files f on f.id = n.id
where l.note_id in (select value from json_each(?)) and l.target_id <> l.note_id
order by 1, 2
"""
GHOSTS = """
select min(target), count(*), count(distinct note_id) from links
where target_id is null and target <> '' group by name_key, lower(target)
order by 2 desc, 1
"""
HEADINGS = """
select f.path, h.level, h.text, h.line from headings h join files f on f.id = h.note_id
where h.text <> '' order by f.path, h.seq
"""
FILES = "select path from files order by path"


class OntologyRows:
    """What an ontology is read from, over an open database."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def entries(self) -> list[Entry]:
        """Return every note with what describes it, by path."""
        links: dict[int, list[PropertyLink]] = {}
        for note_id, _, name, target, path in self._ask(PROPERTY_LINKS):
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
                ENTRIES
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
        return [GhostName(*row) for row in self._ask(GHOSTS)]

    def headings(self) -> list[HeadingName]:
        """Return every heading, by path and place."""
        return [HeadingName(*row) for row in self._ask(HEADINGS)]

    def files(self) -> list[NotePath]:
        """Return every file a link may lead to, by path."""
        return [path for (path,) in self._ask(FILES)]

    def _ask(self, statement: str) -> Iterator[Any]:
        return iter(self._db.execute(statement))
