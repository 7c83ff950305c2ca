"""Asking the rows for the passages of a bundle, all of them at once."""

import json
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Any

import apsw

from glassmind.model import NotePath
from glassmind.model.passages import PackedNote, PlacedChunk
from glassmind.obsidian.properties import means_yes
from glassmind.store.sqlite.company import Crowds
from glassmind.store.sqlite.read_before import read_before

NOTES = """
select n.id, f.path, n.title, coalesce(n.day, ''), f.mtime_ns,
  exists (select 1 from properties p where p.note_id = n.id
    and p.value = 'true' and lower(p.name) = 'generated'),
  (select json_group_array(json(p.value)) from properties p
    where p.note_id = n.id and lower(p.name) = 'private')
from json_each(?) k join files f on f.path = k.value join notes n on n.id = f.id
"""
CHUNKS = """
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
FIRST = """
select note_id, min(chunk_index) from chunks
where note_id in (select value from json_each(?)) and kind <> 'frontmatter'
group by note_id
"""
EVERY = "select note_id, chunk_index from chunks where note_id = ?"


class PassageRows:
    """What an open database knows of passages."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def notes(self, paths: Collection[NotePath]) -> dict[NotePath, PackedNote]:
        """Return those of some notes that are there, by path."""
        found = list(self._ask(NOTES, list(paths)))
        crowds = Crowds(self._db, read_before(self._db).crowds)
        crowded = crowds.among([row[4] for row in found if not row[3]])
        made = {}
        for note_id, path, title, day, mtime_ns, generated, private in found:
            at_once = not day and mtime_ns in crowded
            made[path] = PackedNote(
                note_id,
                path,
                title,
                day,
                mtime_ns,
                bool(generated),
                at_once,
                private=means_yes(json.loads(private)),
            )
        return made

    def chunks(
        self, places: Collection[tuple[int, int]]
    ) -> dict[tuple[int, int], PlacedChunk]:
        """Return those of some chunks that are there, by note and index."""
        found = {}
        for row in self._ask(CHUNKS, list(places)):
            note_id, index, under, line, overlap, text, begins, is_last = row
            if overlap:  # the end of the chunk before it
                begins = text[overlap - 1] == "\n"
                line += text.count("\n", 0, overlap)
                text = text[overlap:]
            found[note_id, index] = PlacedChunk(
                index, _headings(under), line, text, bool(begins), bool(is_last)
            )
        return found

    def openings(self, note_ids: Collection[int]) -> dict[int, int]:
        """Return the index of the first chunk of each note behind its properties."""
        return dict(self._ask(FIRST, list(note_ids)))

    def every(self, note_id: int) -> list[PlacedChunk]:
        """Return the chunks of a note in order."""
        places: Any = self._db.execute(EVERY, (note_id,)).fetchall()
        found = self.chunks(places)
        return [found[place] for place in sorted(found)]

    def _ask(self, statement: str, bound: object) -> Iterable[Any]:
        return self._db.execute(statement, (json.dumps(bound),))


@lru_cache(maxsize=4_000)
def _headings(text: str) -> tuple[str, ...]:
    """Return the headings of a row; passages of one note share most of theirs."""
    if "\\" not in text:  # then every quotation mark begins a heading or ends it
        return tuple(text.split('"')[1::2])
    return tuple(json.loads(text))
