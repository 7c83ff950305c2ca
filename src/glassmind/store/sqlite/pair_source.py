"""What pairing notes reads: their vectors by path, and what has changed since."""

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

import apsw

from glassmind.store.sqlite.log import EPOCH
from glassmind.store.sqlite.pair_rows import PairRows
from glassmind.store.sqlite.vector_rows import VectorRows
from glassmind.types.pairs import PairState, Partner
from glassmind.types.vectors import Space

ORDER = """
select v.note_id, f.path from note_vectors v join files f on f.id = v.note_id
where v.space_id = ? and length(v.vector) = ? order by f.path
"""
NAMED = """
select v.note_id, f.path from json_each(?) j
join note_vectors v on v.note_id = j.value and v.space_id = ?
join files f on f.id = v.note_id where length(v.vector) = ?
"""
SCAN = """
select note_id, vector from note_vectors
where space_id = ? and length(vector) = ? order by note_id
"""
VECTORS = """
select v.vector from json_each(?) j
join note_vectors v on v.note_id = j.value and v.space_id = ? order by j.key
"""
LAST = "select coalesce(max(seq), 0) from pair_changes"
CHANGED = "select distinct note_id from pair_changes order by note_id"
TOUCHING = """
select note_id, other_id, similarity from pairs
where note_id in (select value from json_each(:ids))
union
select note_id, other_id, similarity from pairs
where other_id in (select value from json_each(:ids))
"""
LISTS = """
select note_id, other_id, similarity from pairs
where note_id in (select value from json_each(?))
"""

BATCH = 4_096
"""Vectors read at once."""


class PairSource:
    """The rows as pairing sees them, at one moment between `still` and its end."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    @contextmanager
    def still(self) -> Iterator[None]:
        """Keep to what the rows say now, whatever is written meanwhile."""
        if self._db.in_transaction:
            yield
            return
        self._db.execute("begin")
        try:
            yield
        finally:
            self._db.execute("rollback")

    def epoch(self) -> str:
        """Return what tells this database from one that was begun anew."""
        return str(self._db.execute(EPOCH).get)

    def space(self) -> Space | None:
        """Return the space that answers."""
        return VectorRows(self._db).answering()

    def state(self) -> PairState | None:
        """Return how the pairs were made."""
        return PairRows(self._db).state()

    def changed(self) -> tuple[int, list[int]]:
        """Return the last change of a vector or path, and the notes it happened to."""
        last: Any = self._db.execute(LAST).get
        return int(last), [int(row[0]) for row in self._db.execute(CHANGED)]

    def order(self, space: Space) -> list[tuple[int, str]]:
        """Return the notes that have a vector with their paths, by path."""
        rows: Any = self._db.execute(ORDER, (space.id, 4 * space.width))
        return list(rows)

    def named(self, space: Space, note_ids: Collection[int]) -> list[tuple[int, str]]:
        """Return those of some notes that have a vector, with their paths."""
        bound = (json.dumps(sorted(note_ids)), space.id, 4 * space.width)
        rows: Any = self._db.execute(NAMED, bound)
        return list(rows)

    def vectors(self, space: Space, note_ids: Sequence[int]) -> bytes:
        """Return the rows of notes in their order, joined."""
        asked = (json.dumps(note_ids), space.id)
        return b"".join(row[0] for row in self._db.execute(VECTORS, asked))

    def every_vector(self, space: Space) -> Iterator[tuple[Sequence[int], bytes]]:
        """Yield all notes with their rows, joined, some thousands at a time, by id."""
        found: Any = self._db.execute(SCAN, (space.id, 4 * space.width))
        while batch := list(islice(found, BATCH)):
            ids, rows = zip(*batch, strict=True)
            yield ids, b"".join(rows)

    def touching(self, note_ids: Collection[int]) -> list[Partner]:
        """Return the entries of lists that are theirs, or name them."""
        bound = {"ids": json.dumps(sorted(note_ids))}
        return [Partner(*row) for row in self._db.execute(TOUCHING, bound)]

    def lists(self, note_ids: Collection[int]) -> list[Partner]:
        """Return the entries of the lists of some notes."""
        rows = self._db.execute(LISTS, (json.dumps(sorted(note_ids)),))
        return [Partner(*row) for row in rows]
