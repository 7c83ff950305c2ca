"""What health checks, suggestions and the vocabulary of a vault read."""

import json
from collections.abc import Collection, Iterator
from itertools import groupby

from glassmind.model import NotePath
from glassmind.model.health import PropertyValueRow
from glassmind.model.ontology import Entry, PropertyLink, UnresolvedNameUse
from glassmind.model.suggestions import NoteNames
from glassmind.store.sqlite.notes import NoteRows

_THESE = "in (select value from json_each(?1))"


_ENTRIES = """
select n.id, f.path, n.title, n.kind, n.aliases,
  (select json_group_array(t.name order by t.seq) from tags t where t.note_id = n.id),
  (select json_group_object(p.name, json(p.value) order by p.seq) from properties p
   where p.note_id = n.id)
from notes n join files f on f.id = n.id order by f.path
"""
_PROPERTY_LINKS = """
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


class VocabularyRows(NoteRows):
    """How notes are named and described, and what can be wrong with them."""

    def writes_markdown(self) -> bool:
        statement = """
            select coalesce(sum(kind = 'markdown') > sum(kind = 'wikilink'), 0)
            from links where target_id in (select id from notes)
        """
        return bool(self._value(statement))

    def note_names(self) -> list[NoteNames]:
        """Return what every Markdown note calls itself, by id.

        Its file, its aliases, its property `title` and its first heading of level 1,
        unless more than two notes begin with that.
        """
        rows = self._rows("""
            with firsts as (
              select note_id, text, count(*) over (partition by lower(text)) as times,
                min(seq)
              from headings where level = 1 group by note_id
            )
            select n.id, n.title, n.aliases,
              (select text from firsts f where f.note_id = n.id and times <= 2),
              (select p.value from properties p where p.note_id = n.id
               and lower(p.name) = 'title' order by p.seq limit 1)
            from notes n where n.kind = 'markdown' order by n.id
        """)
        found = []
        for note_id, title, aliases, heading, given in rows:
            value = json.loads(given) if given else ""
            more = (heading or "", value if isinstance(value, str) else "")
            names = dict.fromkeys((title, *json.loads(aliases), *more))
            found.append(NoteNames(note_id, tuple(name for name in names if name)))
        return found

    def anchors(self) -> list[tuple[int, str, int]]:
        """Return what links show: the note, the words, and how many notes say so."""
        return self._list("""
            select target_id, coalesce(display, target), count(distinct note_id)
            from links
            where target_id is not null and embed = 0
              and kind in ('wikilink', 'markdown')
              and target <> '' and note_id <> target_id
            group by target_id, coalesce(display, target) order by 1, 2
        """)

    def entries(self) -> list[Entry]:
        """Return every note with what describes it, by path."""
        links: dict[int, list[PropertyLink]] = {}
        for note_id, _, *link in self._rows(_PROPERTY_LINKS):
            links.setdefault(note_id, []).append(PropertyLink(*link))
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
            for note_id, path, title, kind, aliases, tags, properties in self._rows(
                _ENTRIES
            )
        ]

    def ghost_names(self) -> list[UnresolvedNameUse]:
        """Return the targets of unresolved links, the most frequent first."""
        rows = self._rows("""
            select min(target), count(*), count(distinct note_id) from links
            where target_id is null and target <> '' and settled
            group by name_key, lower(target) order by 2 desc, 1
        """)
        return [UnresolvedNameUse(*row) for row in rows]

    def texts_of(self, note_ids: Collection[int]) -> Iterator[tuple[int, str]]:
        """Yield the text of each of some notes, without its properties."""
        statement = f"""
            select c.note_id, c.text, c.overlap from chunks c
            where c.kind <> 'frontmatter' and c.note_id {_THESE}
            order by c.note_id, c.chunk_index
        """
        rows = self._for(statement, sorted(note_ids))
        for note_id, chunks in groupby(rows, key=lambda row: row[0]):
            yield note_id, "\n".join(text[overlap:] for _, text, overlap in chunks)

    def said_values(self) -> list[PropertyValueRow]:
        """Return the values of properties and of fields in texts, by note."""
        properties = self._rows(
            "select note_id, name, value from properties order by note_id, seq"
        )
        fields = self._rows(
            "select note_id, key, value from fields order by note_id, seq"
        )
        values = [
            PropertyValueRow(note, key, json.loads(v)) for note, key, v in properties
        ]
        return values + [PropertyValueRow(*row) for row in fields]
