"""Putting vectors into the rows, and every change of them into the sidecar's log."""

import json
import os
import sys
from array import array
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from math import hypot
from typing import Any, Self

import apsw

from glassmind.model.vectors import Embedded, Space
from glassmind.store.sqlite.begin import Fence, begin, end
from glassmind.store.sqlite.log import EPOCH
from glassmind.store.sqlite.vector_rows import (
    ANSWERING,
    OF_NOTES,
    VectorRows,
    digest_of,
)

PUT_SPACE = """
insert or ignore into spaces (name, width, settings, created) values (?, ?, ?, ?)
"""
PUT_SETTING = "insert or replace into settings values (?, ?)"
PUT_VECTOR = """
insert or ignore into vectors (space_id, key, digest, rows) values (?, ?, ?, ?)
"""
LINK = """
insert or replace into chunk_vectors (chunk_id, space_id, vector_id, enriched)
select c.id, v.space_id, v.id, ? from vectors v, chunks c
join notes n on n.id = c.note_id
where v.space_id = ? and v.key = ? and c.id = ? and n.title = ?
"""
PUT_NOTE_VECTOR = "insert or replace into note_vectors values (?, ?, ?)"
PUT_CHANGE = "insert into vector_changes (note_id, token) values (?, ?)"
PUT_PAIR_CHANGES = """
insert into pair_changes (note_id) select distinct note_id from note_vectors
order by note_id
"""
UNLINK = """
delete from chunk_vectors where space_id = ?
and chunk_id in (select value from json_each(?))
"""
NOTES_OF_CHUNKS = """
select distinct note_id from chunks where id in (select value from json_each(?))
"""
NOTES_OF_VECTORS = """
select distinct c.note_id, l.space_id from chunk_vectors l
join chunks c on c.id = l.chunk_id
where l.vector_id in (select value from json_each(?))
"""
DROP_LINKS = """
delete from chunk_vectors where vector_id in (select value from json_each(?))
"""
DROP_VECTORS = "delete from vectors where id in (select value from json_each(?))"
DROP_NOTE_VECTOR = "delete from note_vectors where note_id = ? and space_id = ?"
ORPHANS = """
select v.id from vectors v
where not exists (select 1 from chunk_vectors l where l.vector_id = v.id) limit ?
"""
OTHER_LINKS = "delete from chunk_vectors where space_id <> ?"
OTHER_NOTES = "delete from note_vectors where space_id <> ?"
OTHER_SPACES = """
delete from spaces where id <> ?
and not exists (select 1 from vectors v where v.space_id = spaces.id)
"""


class VectorStep:
    """One atomic step of writing vectors: all of it happens, or none."""

    def __init__(self, db: apsw.Connection, fence: Fence) -> None:
        self._db, self._fence = db, fence

    def __enter__(self) -> Self:
        begin(self._db, self._fence)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        end(self._db, self._fence, keep=kind is None)

    def epoch(self) -> str:
        """Return what tells this database from one that was begun anew."""
        return str(self._db.execute(EPOCH).get)

    def open_space(self, name: str, width: int, settings: str) -> Space:
        """Return the space of that name, which is made if there is none."""
        now = datetime.now(UTC).isoformat()
        self._db.execute(PUT_SPACE, (name, width, settings, now))
        found = VectorRows(self._db).space(name)
        if found is None:
            raise LookupError(name)
        return found

    def answer_from(self, space: Space) -> None:
        """Let searches ask this space from now on.

        Where another did before, every note is to be compared anew.
        """
        if VectorRows(self._db).setting(ANSWERING) == space.name:
            return
        self.set(ANSWERING, space.name)
        self._db.execute(PUT_PAIR_CHANGES)

    def set(self, key: str, value: str) -> None:
        """Remember one setting."""
        self._db.execute(PUT_SETTING, (key, value))

    def put(self, space: Space, batch: Sequence[Embedded]) -> int:
        """Write vectors and give them to their chunks; return how many took one.

        A chunk that is gone, or whose note has another title by now, takes none; its
        vector waits for whoever says the same, until orphans are dropped.
        """
        taken = []
        for chunk, key, rows, enriched in batch:
            if rows is not None:
                row = (space.id, key, digest_of(rows), rows)
                self._db.execute(PUT_VECTOR, row)
            link = (enriched, space.id, key, chunk.chunk_id, chunk.title)
            self._db.execute(LINK, link)
            if self._db.changes():
                taken.append(chunk.note_id)
        self._renew(space, dict.fromkeys(taken))
        return len(taken)

    def unlink(self, space: Space, chunk_ids: Sequence[int]) -> None:
        """Take the vectors of chunks away."""
        ids = (json.dumps(chunk_ids),)
        notes = [row[0] for row in self._db.execute(NOTES_OF_CHUNKS, ids)]
        self._db.execute(UNLINK, (space.id, *ids))
        self._renew(space, notes)

    def drop_damaged(self, vector_ids: Sequence[int]) -> None:
        """Forget vectors that are not what was written; their chunks lack one then."""
        ids = (json.dumps(vector_ids),)
        touched: Any = self._db.execute(NOTES_OF_VECTORS, ids).fetchall()
        self._db.execute(DROP_LINKS, ids)
        self._db.execute(DROP_VECTORS, ids)
        for space in VectorRows(self._db).spaces():
            self._renew(space, [note for note, owner in touched if owner == space.id])

    def drop_orphans(self, limit: int) -> int:
        """Forget vectors that no chunk has, at most `limit`; return how many."""
        found = [row[0] for row in self._db.execute(ORPHANS, (limit,))]
        self._db.execute(DROP_VECTORS, (json.dumps(found),))
        return len(found)

    def leave_only(self, space: Space) -> None:
        """Take every other space from the chunks; their vectors are orphans then."""
        self._db.execute(OTHER_LINKS, (space.id,))
        self._db.execute(OTHER_NOTES, (space.id,))

    def drop_empty_spaces(self, space: Space) -> None:
        """Forget every other space that has no vectors left."""
        self._db.execute(OTHER_SPACES, (space.id,))

    def _renew(self, space: Space, note_ids: Iterable[int]) -> None:
        """Work out the vectors of whole notes and tell the sidecar of the notes."""
        notes = list(note_ids)
        answering = VectorRows(self._db).answering()
        found: dict[int, list[bytes]] = {}
        for note_id, _, rows in self._db.execute(
            OF_NOTES, (space.id, json.dumps(notes))
        ):
            found.setdefault(note_id, []).append(rows)
        for note_id in notes:
            if note_id in found:
                mean = mean_of(found[note_id], space.width)
                self._db.execute(PUT_NOTE_VECTOR, (note_id, space.id, mean))
            else:
                self._db.execute(DROP_NOTE_VECTOR, (note_id, space.id))
        if answering is not None and answering.id == space.id:
            log_vectors(self._db, notes)


def log_vectors(db: apsw.Connection, note_ids: Iterable[int]) -> None:
    """Tell the sidecar of vectors that those of the notes have changed."""
    rows = [(note_id, os.urandom(8)) for note_id in note_ids]
    if rows:
        db.executemany(PUT_CHANGE, rows)


def mean_of(chunks: Sequence[bytes], width: int) -> bytes:
    """Return the vector of a note: the normalised mean of the means of its chunks."""
    size = 4 * width
    means = [
        _mean([_floats(rows[i : i + size]) for i in range(0, len(rows), size)])
        for rows in chunks
    ]
    total = list(map(sum, zip(*means, strict=True)))
    length = hypot(*total) or 1.0
    return _bytes(array("f", [x / length for x in total]))


def _mean(rows: Sequence[Sequence[float]]) -> Sequence[float]:
    if len(rows) == 1:
        return rows[0]
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def _floats(rows: bytes) -> "array[float]":
    found = array("f", rows)
    if sys.byteorder == "big":
        found.byteswap()
    return found


def _bytes(row: "array[float]") -> bytes:
    if sys.byteorder == "big":
        row.byteswap()
    return row.tobytes()
