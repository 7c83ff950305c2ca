"""The passages and sections of a bundle, read for many notes at once."""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from unicodedata import normalize

from glassmind.model import NotePath
from glassmind.model.context import (
    APART,
    MemoryFilter,
    SectionLink,
    SectionNote,
    SectionSign,
    SectionTask,
)
from glassmind.model.search import PackedNote, PlacedChunk
from glassmind.obsidian.properties import means_yes
from glassmind.store.sqlite.notes import NoteRows, headings_in

_LINKS_EACH = 60
"""Links to one note that are looked at: more of them are a hub's, and say little."""

_LONGEST_NOTE = 400_000
"""Characters of a note that are looked at: a whole book's worth of lines."""

_PLAIN = re.compile(r"[ !#-\[\]-~]+")
"""What JSON holds as it is, and SQL knows the small letters of."""

_IDS = "(select value from json_each(?1))"
_KEYS = "(select value from json_each(?2))"
_TYPES = f"""
select note_id, 'type', value, 0, 0 from properties
where note_id in {_IDS} and lower(name) in ('type', 'typ')
"""
_TOP = "iif(instr(folded, '/'), substr(folded, 1, instr(folded, '/') - 1), folded)"
_TAGS = f"""
select note_id, 'tag', folded, iif(in_properties, 0, line), 0 from tags
where note_id in {_IDS} and {_TOP} in {_KEYS}
"""
_CALLOUTS = f"""
select note_id, 'callout', lower(kind), start_line, end_line from callouts
where note_id in {_IDS} and lower(kind) in (select value from json_each(?3))
"""
_PROPERTY = "from properties p where p.note_id = n.id and lower(p.name) ="
_CAPTURED = f"""
select n.id from notes n join files f on f.id = n.id
where f.path > :below and f.path < :after
and exists (select 1 {_PROPERTY} 'kind' and instr(lower(p.value), :kind))
and not exists (select 1 {_PROPERTY} 'status'
  and lower(p.value ->> '$') in (select value from json_each(:closed)))
and (n.id in (select value from json_each(:ids))
  or exists (select 1 {_PROPERTY} 'project' and exists (
    select 1 from json_each(:names) w where instr(lower(p.value), w.value)))
  or exists (select 1 {_PROPERTY} 'sources' and exists (
    select 1 from json_each(:paths) w where instr(p.value, w.value))))
order by (select max(p.value) {_PROPERTY} 'created') desc, f.path
limit cast(:limit as integer)
"""
"""All that SQL can tell is asked before the latest are taken, or what still holds would
vanish behind what came later. For a bare `limit :limit` SQLite would plan again at each
call, by what is bound."""


_NOTES = """
select n.id, f.path, n.title, coalesce(n.day, ''), f.mtime_ns,
  exists (select 1 from properties p where p.note_id = n.id
    and p.value = 'true' and lower(p.name) = 'generated'),
  (select json_group_array(json(p.value)) from properties p
    where p.note_id = n.id and lower(p.name) = 'private')
from json_each(?) k join files f on f.path = k.value join notes n on n.id = f.id
"""
_CHUNKS = """
select c.note_id, c.chunk_index, c.heading_path, c.start_line, c.overlap, c.text,
  c.chunk_index = 0 or c.overlap > 0 or coalesce((select
    case when x.end_line < c.start_line then 1 else substr(x.text, -1) = char(10) end
    from chunks x
    where x.note_id = c.note_id and x.chunk_index = c.chunk_index - 1), 1),
  not exists (select 1 from chunks x
    where x.note_id = c.note_id and x.chunk_index = c.chunk_index + 1)
from json_each(?) k
join chunks c on c.note_id = k.value ->> 0 and c.chunk_index = k.value ->> 1
"""
_FIRST = """
select note_id, min(chunk_index) from chunks
where note_id in (select value from json_each(?)) and kind <> 'frontmatter'
group by note_id
"""
_EVERY = "select note_id, chunk_index from chunks where note_id = ?"


class PassageRows(NoteRows):
    """The passages and sections of a bundle."""

    def section_notes(self, note_ids: Collection[int]) -> dict[int, SectionNote]:
        found = list(
            self._some(
                f"""
                select n.id, f.path, n.title, n.day, f.mtime_ns, n.aliases, n.digest,
                  (select json_group_array(json_array(p.name, json(p.value)))
                   from properties p where p.note_id = n.id)
                from notes n join files f on f.id = n.id where n.id in {_IDS}
                """,
                note_ids,
            )
        )
        crowded = self.crowded([row[4] for row in found])
        return {row[0]: _note(row, crowded) for row in found}

    def held_values(
        self, note_ids: Collection[int], names: Collection[str]
    ) -> list[tuple[str, object]]:
        """Return what properties of some names hold, with the path of their note."""
        statement = f"""
            select f.path, p.value from properties p join files f on f.id = p.note_id
            where p.note_id in {_IDS}
              and lower(replace(replace(p.name, '_', ' '), '-', ' ')) in {_KEYS}
            order by p.note_id, p.seq
        """
        found = self._some(statement, note_ids, json.dumps(sorted(names)))
        return [(path, json.loads(value)) for path, value in found]

    def note_lines(self, note_ids: Collection[int]) -> dict[int, list[str]]:
        """Return the lines of notes, without their ends."""
        statement = f"""
            select note_id, substr(text, overlap + 1) from chunks
            where note_id in {_IDS} order by note_id, chunk_index
        """
        known: dict[int, list[str]] = {}
        parts = self._grouped(self._some(statement, note_ids))
        for note_id, many in parts.items():
            text = "".join(many)
            if len(text) > _LONGEST_NOTE:  # whole lines, since receipts are of these
                text = text[:_LONGEST_NOTE].rpartition("\n")[0]
            known[note_id] = _lines(text)
        return known

    def signs(
        self, note_ids: Collection[int], tags: Sequence[str], callouts: Sequence[str]
    ) -> list[SectionSign]:
        """Return what marks notes and lines as decisions or questions, in order."""
        words = (json.dumps(tags), json.dumps(callouts))
        bound = {_TYPES: (), _TAGS: words[:1], _CALLOUTS: words}
        signs = [
            SectionSign(*row)
            for part, values in bound.items()
            for row in self._some(part, note_ids, *values)
        ]
        return sorted(
            signs, key=lambda sign: (sign.note_id, sign.form, sign.start_line)
        )

    def note_heads(self, note_ids: Collection[int], longest: int) -> Mapping[int, str]:
        """Return the title and the short headings of notes, set apart by `APART`."""
        statement = f"""
            select n.id, n.title || ?2 || coalesce((
              select group_concat(h.text, ?2) from headings h
              where h.note_id = n.id and length(h.text) <= ?3), '')
            from notes n where n.id in {_IDS}
        """
        known = dict(self._some(statement, note_ids, APART, longest))
        return {at: known[at] for at in note_ids if at in known}

    def open_tasks(
        self, note_ids: Collection[int], keys: Collection[str], boxes: Collection[str]
    ) -> list[SectionTask]:
        """Return the tasks whose status is one of `boxes`, by note and line.

        Of the fields in their lines those of some keys count as dates.
        """
        tasks = f"""
            select t.note_id, t.line, f.path, t.text from tasks t
            join files f on f.id = t.note_id
            where t.note_id in {_IDS} and t.status in {_KEYS} order by t.note_id, t.seq
        """
        fields = f"""
            select note_id, line, lower(key), value from fields
            where note_id in {_IDS} and lower(key) in {_KEYS} order by note_id, seq
        """
        found = list(self._some(tasks, note_ids, json.dumps([*boxes])))
        dates: dict[tuple[int, int], dict[str, str]] = {}
        for note_id, line, key, value in self._some(
            fields, {row[0] for row in found}, json.dumps(sorted(keys))
        ):
            dates.setdefault((note_id, line), {}).setdefault(key, value)
        return [
            SectionTask(at, path, line, dates.get((at, line), {}), text)
            for at, line, path, text in found
        ]

    def section_links(self, note_ids: Collection[int]) -> list[SectionLink]:
        """Return the links from and to some notes, by source and place."""
        outgoing = f"""
            select l.note_id, l.line, l.target_id, coalesce(l.property, '') from links l
            join notes t on t.id = l.target_id
            where l.note_id in {_IDS} and l.target_id <> l.note_id
        """
        rows = {*self._some(outgoing, note_ids), *self._links_to(note_ids)}
        return [SectionLink(*row) for row in sorted(rows)]

    def _links_to(self, note_ids: Collection[int]) -> Iterable[Any]:
        """Return the rows of links to some notes, the latest of those with many."""
        latest = f"""
            select note_id, line, target_id, coalesce(property, '') from (
              select l.note_id, l.target_id, l.line, l.property, row_number() over (
                partition by l.target_id order by s.mtime_ns desc, s.path, l.seq
              ) as place
              from links l join files s on s.id = l.note_id
              where l.target_id in {_IDS} and l.note_id <> l.target_id
            ) where place <= ?2
        """
        return self._some(latest, note_ids, _LINKS_EACH)

    def degrees(self, note_ids: Collection[int]) -> dict[int, int]:
        """Return how many links each note has, to it and from it."""
        statement = """
            select k.value, (select count(*) from links where target_id = k.value)
              + (select count(*) from links where note_id = k.value)
            from json_each(?) k
        """
        return dict(self._some(statement, note_ids))

    def ids_called(self, names: Collection[str]) -> dict[str, int]:
        """Return the note that each path or title, in lower case, is that of."""
        statement = f"""
            select n.id, lower(f.path), lower(n.title)
            from notes n join files f on f.id = n.id
            where lower(n.title) in {_IDS} or lower(f.path) in {_IDS} order by f.path
        """
        found: dict[str, int] = {}
        for note_id, path, title in self._some(statement, names):
            for name in (path, path.removesuffix(".md"), title):
                found.setdefault(name, note_id)
        return found

    def memory_ids(self, wish: MemoryFilter, limit: int) -> list[int]:
        """Return the memory items that may be wanted, the latest first.

        A few too many: properties are read closely by the caller.
        """
        bound = {
            "below": f"{wish.agent}/",
            "after": f"{wish.agent}0",
            "kind": wish.kind,
            "closed": json.dumps(sorted(wish.closed)),
            "ids": json.dumps(sorted(wish.note_ids)),
            # what is composed holds no part of a letter
            "names": _needles(
                normalize("NFC", project).lower() for project in wish.projects
            ),
            "paths": _needles(wish.paths),
            "limit": limit,
        }
        found: Any = self._db.execute(_CAPTURED, bound)
        return [note_id for (note_id,) in found]

    def _some(self, statement: str, keys: Collection[Any], *more: Any) -> Iterable[Any]:
        return self._for(statement, keys, *more) if keys else ()

    def packed_notes(self, paths: Collection[NotePath]) -> dict[NotePath, PackedNote]:
        """Return those of some notes that are there, by path."""
        found = list(self._for(_NOTES, paths))
        crowded = self.crowded([row[4] for row in found if not row[3]])
        notes = {}
        for *fields, generated, private in found:
            _, path, _, day, mtime_ns = fields
            at_once = not day and mtime_ns in crowded
            facts = (bool(generated), at_once, "", means_yes(json.loads(private)))
            notes[path] = PackedNote._make((*fields, *facts))
        return notes

    def placed_chunks(
        self, places: Collection[tuple[int, int]]
    ) -> dict[tuple[int, int], PlacedChunk]:
        """Return those of some chunks that are there, by note and index."""
        chunks = {}
        for row in self._for(_CHUNKS, places):
            note_id, index, under, line, overlap, text, begins, is_last = row
            if overlap:  # the end of the chunk before it
                begins = text[overlap - 1] == "\n"
                line += text.count("\n", 0, overlap)
                text = text[overlap:]
            chunks[note_id, index] = PlacedChunk(
                index, headings_in(under), line, text, bool(begins), bool(is_last)
            )
        return chunks

    def openings(self, note_ids: Collection[int]) -> dict[int, int]:
        """Return the index of the first chunk of each note behind its properties."""
        return dict(self._for(_FIRST, note_ids))

    def every_chunk(self, note_id: int) -> list[PlacedChunk]:
        """Return the chunks of a note in order."""
        places: Any = self._db.execute(_EVERY, (note_id,)).fetchall()
        chunks = self.placed_chunks(places)
        return [chunks[place] for place in sorted(chunks)]


def _needles(texts: Iterable[str]) -> str:
    """Return the longest part of each text that is found in JSON of any case."""
    parts = {max(_PLAIN.findall(text), key=len, default="") for text in texts}
    return json.dumps(sorted(parts))


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return [line.rstrip("\r") for line in lines] if "\r" in text else lines


def _note(row: tuple[Any, ...], crowded: Collection[int]) -> SectionNote:
    *fields, aliases, digest, held = row
    properties = {name.lower(): value for name, value in json.loads(held)}
    many = json.loads(aliases) if aliases != "[]" else ()
    names = tuple([name for name in many if isinstance(name, str)])
    at_once = fields[-1] in crowded
    return SectionNote._make((*fields, names, properties, digest, at_once))
