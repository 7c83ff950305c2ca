"""What pairing notes reads: their vectors by path, and what has changed since."""

import json
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

import apsw

from glassmind.model.pairs import Mark, PairNews, PairState, Partner
from glassmind.model.vectors import Space
from glassmind.store.sqlite.log import EPOCH
from glassmind.store.sqlite.pair_rows import LAST_LINK, NEVER, PairRows
from glassmind.store.sqlite.vector_rows import VectorRows

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
LAST = "select seq, hex(token) from pair_changes order by seq desc limit 1"
LINK_TOKEN = "select hex(token) from link_changes where seq = ?"  # noqa: S105 - a log row
FIRST_LINK = "select min(seq) from link_changes"
RELINKED = "select distinct note_id from link_changes where seq > ? order by note_id"
LINKS = """
select json_group_array(note_id), json_group_array(target_id) from links not indexed
where target_id <> note_id
"""
LINKS_OF = """
select note_id, target_id from links
where note_id in (select value from json_each(:ids)) and target_id <> note_id
union
select note_id, target_id from links
where target_id in (select value from json_each(:ids)) and target_id <> note_id
"""
CHANGED = "select distinct note_id from pair_changes order by note_id"
TOUCHING = """
select note_id, other_id, similarity from main.pairs
where note_id in (select value from json_each(:ids))
union
select note_id, other_id, similarity from main.pairs
where other_id in (select value from json_each(:ids))
"""
LISTS = """
select note_id, other_id, similarity from main.pairs
where note_id in (select value from json_each(?))
"""

EVERY_PAIR = "select note_id, other_id, similarity from main.pairs"
"""Pairs are read from the table itself: a scope that hides notes shows none."""

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

    def news(self) -> PairNews:
        """Return what happened to vectors, paths and links since notes were paired."""
        state = self.state()
        last: Any = self._db.execute(LAST).fetchone()
        if last is None:
            # a token of its own: nothing else says that this was the beginning
            last = state.mark if state else (0, os.urandom(8).hex())
        link_mark: Any = self._db.execute(LAST_LINK).fetchone() or NEVER
        changed = [int(row[0]) for row in self._db.execute(CHANGED)]
        return PairNews(last, link_mark, changed, self._relinked(state))

    def _relinked(self, state: PairState | None) -> list[int] | None:
        """Return the notes whose links may be others; None for all of them."""
        if state is None:
            return None
        if state.link_seq:
            known = self._db.execute(LINK_TOKEN, (state.link_seq,)).get
            whole = known == state.link_token
        else:
            whole = self._db.execute(FIRST_LINK).get in (None, 1)
        rows = self._db.execute(RELINKED, (state.link_seq,)) if whole else ()
        return [int(row[0]) for row in rows] if whole else None

    def holds(self, mark: Mark) -> bool:
        """Whether all that happened to vectors since a change can be told."""
        return PairRows(self._db).holds(mark)

    def links(
        self, note_ids: Collection[int] | None
    ) -> tuple[Sequence[int], Sequence[int]]:
        """Return from where to where links lead: all, or those at some notes."""
        if note_ids is None:
            row: Any = self._db.execute(LINKS).fetchone()
            return json.loads(row[0]), json.loads(row[1])
        bound = {"ids": json.dumps(sorted(note_ids))}
        rows: Any = self._db.execute(LINKS_OF, bound).fetchall()
        return [row[0] for row in rows], [row[1] for row in rows]

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

    def every_pair(self) -> Iterator[Partner]:
        """Yield the entries of all stored lists."""
        rows: Any = self._db.execute(EVERY_PAIR)
        return (Partner(*row) for row in rows)

    def lists(self, note_ids: Collection[int]) -> list[Partner]:
        """Return the entries of the lists of some notes."""
        rows = self._db.execute(LISTS, (json.dumps(sorted(note_ids)),))
        return [Partner(*row) for row in rows]
