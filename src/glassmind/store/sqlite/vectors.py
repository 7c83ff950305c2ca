"""Vectors in the rows: what is there, what is missing, and writing them.

A chunk gets a vector if it is long enough to mean something and is not frontmatter. The
short ones of a note that has nothing longer get one too, so that every note with a word
in it can be found.
"""

import json
import os
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

import apsw
import xxhash

from glassmind.model.vectors import (
    ChunkVectors,
    Coverage,
    Embedded,
    NoteVectors,
    Space,
    Unembedded,
)
from glassmind.store.sqlite.connection import Query, WriteStep

ANSWERING = "space"
"""The setting that names the space which answers."""

# Bytes tell of most texts that they are long, without reading them.
_LONG = (
    "({0}.kind <> 'frontmatter' and case when octet_length({0}.text) >= 4 * ?2 "
    "then 1 else length({0}.text) >= ?2 end)"
)
_GETS_ONE = (
    f"({_LONG.format('c')} or (c.text <> '' and not exists (select 1 from chunks o "
    f"where o.note_id = c.note_id and {_LONG.format('o')})))"
)
_MISSING = f"""
not exists (select 1 from chunk_vectors v
            where v.chunk_id = c.id and v.space_id = ?1) and {_GETS_ONE}
"""
_CHUNKS = """
select c.id, c.note_id, f.path, f.mtime_ns, n.title, c.heading_path, c.start_line,
  c.end_line, c.text,
  iif(?2, (select b.text from chunks b where b.note_id = c.note_id
           and b.chunk_index = c.chunk_index - 1), null),
  iif(?2, (select a.text from chunks a where a.note_id = c.note_id
           and a.chunk_index = c.chunk_index + 1), null)
from chunks c join notes n on n.id = c.note_id join files f on f.id = c.note_id
where c.id in (select value from json_each(?1))
"""
_SPACES = "select id, name, width, settings from spaces"
_OF_NOTES = """
select c.note_id, c.id, v.rows from chunks c
join chunk_vectors l on l.chunk_id = c.id and l.space_id = ?
join vectors v on v.id = l.vector_id
where c.note_id in (select value from json_each(?)) order by c.note_id, c.chunk_index
"""


class VectorRows(Query):
    """What there is of vectors, what is missing, and what a note has."""

    def spaces(self) -> list[Space]:
        """Return every space, the oldest first."""
        return [Space(*row) for row in self._rows(f"{_SPACES} order by id")]

    def space(self, name: str) -> Space | None:
        row = self._rows(f"{_SPACES} where name = ?", name).fetchone()
        return Space(*row) if row else None

    def answering_space(self) -> Space | None:
        """Return the space that a search asks: the one its sidecar follows.

        It is the configured one as soon as that is complete, or when no other can
        answer.
        """
        name = self.setting(ANSWERING)
        return None if name is None else self.space(name)

    def coverage(self, space: Space | None, least_chars: int) -> Coverage:
        """Return how many chunks have a vector in the space, and how many lack one."""
        space_id = space.id if space else 0
        statement = """
            select count(*), coalesce(sum(enriched), 0) from chunk_vectors
            where space_id = ?
        """
        count, enriched = self._rows(statement, space_id).fetchone()
        missing = self._value(
            f"select count(*) from chunks c where {_MISSING}", space_id, least_chars
        )
        return Coverage(int(count) - int(enriched), int(enriched), int(missing))

    def notes_in(self, space: Space | None) -> int:
        statement = """
            select count(distinct c.note_id)
            from chunk_vectors v join chunks c on c.id = v.chunk_id
            where v.space_id = ?
        """
        return int(self._value(statement, space.id)) if space else 0

    def missing_vectors(
        self, space: Space, least_chars: int, *, enriched: bool = False
    ) -> list[int]:
        """Return the chunks that lack a vector, those of the newest notes first.

        With `enriched`, those that were embedded without their neighbours.
        """
        lacks_one = """exists (select 1 from chunk_vectors v where v.chunk_id = c.id
            and v.space_id = ?1 and v.enriched = 0 and ?2 is not null)"""
        statement = f"""
            select c.id from files f join chunks c on c.note_id = f.id
            where {lacks_one if enriched else _MISSING}
            order by f.mtime_ns desc, f.path, c.chunk_index
        """
        return self._ids(statement, space.id, least_chars)

    def unwanted_vectors(
        self, space: Space, least_chars: int, *, enriched: bool
    ) -> list[int]:
        """Return the chunks that are too short, or enriched and should not be."""
        statement = f"""
            select v.chunk_id from chunk_vectors v join chunks c on c.id = v.chunk_id
            where v.space_id = ?1 and (v.enriched > ?3 or not {_GETS_ONE})
        """
        return self._ids(statement, space.id, least_chars, enriched)

    def _ids(self, statement: str, *values: Any) -> list[int]:
        return [row[0] for row in self._rows(statement, *values)]

    def unembedded(
        self, chunk_ids: Sequence[int], *, surroundings: bool = False
    ) -> list[Unembedded]:
        """Return what there is to embed, in the given order, less what is gone.

        With `surroundings`, each has the text of the chunks before and after it.
        """
        found = {}
        for *facts, under, first, last, text, before, after in self._for(
            _CHUNKS, chunk_ids, surroundings
        ):
            lines = (tuple(json.loads(under)), first, last)
            texts = (text, before or "", after or "")
            found[facts[0]] = Unembedded._make((*facts, *lines, *texts))
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    def known_vectors(self, space: Space, keys: Iterable[bytes]) -> set[bytes]:
        statement = "select 1 from vectors where space_id = ? and key = ?"
        return {key for key in set(keys) if self._value(statement, space.id, key)}

    def damaged_vectors(self) -> list[int]:
        found = self._rows("""
            select v.id, v.digest, v.rows, s.width
            from vectors v join spaces s on s.id = v.space_id
        """)
        return [
            i for i, digest, rows, width in found if not _whole(digest, rows, width)
        ]


def digest_of(rows: bytes) -> bytes:
    return xxhash.xxh3_64_digest(rows)


def _whole(digest: bytes, rows: bytes, width: int) -> bool:
    fits = len(rows) > 0 and len(rows) % (4 * width) == 0
    return fits and digest_of(rows) == digest


def note_vectors(
    db: apsw.Connection, space_id: int, note_ids: Iterable[int]
) -> list[NoteVectors]:
    """Return the vectors of the notes, by id; one that has none is left out."""
    rows: Any = db.execute(_OF_NOTES, (space_id, json.dumps(sorted(note_ids))))
    return [
        NoteVectors(note_id, [ChunkVectors(row[1], row[2]) for row in group])
        for note_id, group in groupby(rows, key=lambda row: row[0])
    ]


_THESE = "in (select value from json_each(?))"


class VectorWrites(WriteStep):
    """Writing vectors, and logging them for the sidecar."""

    def open_space(self, name: str, width: int, settings: str) -> Space:
        """Return the space of that name, which is made if there is none."""
        statement = """
            insert or ignore into spaces (name, width, settings, created)
            values (?, ?, ?, ?)
        """
        self._rows(statement, name, width, settings, datetime.now(UTC).isoformat())
        space = VectorRows(self._db).space(name)
        if space is None:
            raise LookupError(name)
        return space

    def answer_from(self, space: Space, *, alone: bool = False) -> None:
        """Let searches ask this space from now on.

        Where another did before, every note has to be compared again. With `alone`,
        the vectors of all others are taken from the chunks, and are orphans then.
        """
        if VectorRows(self._db).setting(ANSWERING) != space.name:
            self.set(ANSWERING, space.name)
            self._rows("""
                insert into pair_changes (note_id) select distinct note_id
                from note_vectors order by note_id
            """)
        if alone:
            self._rows("delete from chunk_vectors where space_id <> ?", space.id)
            self._rows("delete from note_vectors where space_id <> ?", space.id)

    def put_vectors(self, space: Space, batch: Sequence[Embedded]) -> int:
        """Write vectors and give them to their chunks; return how many took one.

        A chunk that is gone, or whose note has another title by now, takes none; its
        vector waits for a chunk of the same text, until orphans are dropped.
        """
        put = """
            insert or ignore into vectors (space_id, key, digest, rows)
            values (?, ?, ?, ?)
        """
        link = """
            insert or replace into chunk_vectors
              (chunk_id, space_id, vector_id, enriched)
            select c.id, v.space_id, v.id, ? from vectors v, chunks c
            join notes n on n.id = c.note_id
            where v.space_id = ? and v.key = ? and c.id = ? and n.title = ?
        """
        taken = []
        for chunk, key, rows, enriched in batch:
            if rows is not None:
                self._rows(put, space.id, key, digest_of(rows), rows)
            self._rows(link, enriched, space.id, key, chunk.chunk_id, chunk.title)
            if self._db.changes():
                taken.append(chunk.note_id)
        self._renew(space, dict.fromkeys(taken))
        return len(taken)

    def unlink_vectors(self, space: Space, chunk_ids: Sequence[int]) -> None:
        notes = f"select distinct note_id from chunks where id {_THESE}"
        found = [row[0] for row in self._for(notes, chunk_ids)]
        drop = f"delete from chunk_vectors where chunk_id {_THESE} and space_id = ?"
        self._for(drop, chunk_ids, space.id)
        self._renew(space, found)

    def drop_damaged_vectors(self, vector_ids: Sequence[int]) -> None:
        """Forget vectors that are not what was written; their chunks lack one then."""
        notes = f"""
            select distinct c.note_id, l.space_id from chunk_vectors l
            join chunks c on c.id = l.chunk_id where l.vector_id {_THESE}
        """
        touched = self._for(notes, vector_ids).fetchall()
        self._for(f"delete from chunk_vectors where vector_id {_THESE}", vector_ids)
        self._for(f"delete from vectors where id {_THESE}", vector_ids)
        for space in VectorRows(self._db).spaces():
            self._renew(space, [note for note, owner in touched if owner == space.id])

    def drop_orphans(self, space: Space, limit: int) -> int:
        """Forget vectors that no chunk has, at most `limit`; return how many.

        Spaces but this one that have no vectors any more are forgotten, too.
        """
        orphans = """
            select v.id from vectors v where not exists
              (select 1 from chunk_vectors l where l.vector_id = v.id) limit ?
        """
        found = [row[0] for row in self._rows(orphans, limit)]
        self._for(f"delete from vectors where id {_THESE}", found)
        empty = """
            delete from spaces where id <> ?
            and not exists (select 1 from vectors v where v.space_id = spaces.id)
        """
        self._rows(empty, space.id)
        return len(found)

    def _renew(self, space: Space, note_ids: Iterable[int]) -> None:
        notes = list(note_ids)
        answering = VectorRows(self._db).answering_space()
        vectors = note_vectors(self._db, space.id, notes)
        found = {
            note.note_id: [chunk.rows for chunk in note.chunks] for note in vectors
        }
        for note_id in notes:
            if note_id in found:
                mean = mean_of(found[note_id], space.width)
                put = "insert or replace into note_vectors values (?, ?, ?)"
                self._rows(put, note_id, space.id, mean)
            else:
                drop = "delete from note_vectors where note_id = ? and space_id = ?"
                self._rows(drop, note_id, space.id)
        if answering is not None and answering.id == space.id:
            log_vectors(self._db, notes)


def log_vectors(db: apsw.Connection, note_ids: Iterable[int]) -> None:
    rows = [(note_id, os.urandom(8)) for note_id in note_ids]
    if rows:
        put = "insert into vector_changes (note_id, token) values (?, ?)"
        db.executemany(put, rows)


def mean_of(chunks: Sequence[bytes], width: int) -> bytes:
    """Return the vector of a note: the normalised mean of the means of its chunks."""
    import numpy as np  # noqa: PLC0415 - heavy

    means = [
        np.frombuffer(rows, "<f4").reshape(-1, width).mean(axis=0, dtype=np.float64)
        for rows in chunks
    ]
    total = np.sum(means, axis=0)
    length = np.sqrt(np.dot(total, total)) or 1.0
    vector: bytes = (total / length).astype("<f4").tobytes()
    return vector
