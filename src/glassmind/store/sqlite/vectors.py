"""Asking the rows about vectors: what is there, what is missing, what a note has.

A chunk gets a vector if it is long enough to mean something and is no frontmatter. The
short ones of a note that has nothing longer get one too, so that no note with a word in
it is beyond reach.
"""

import json
import os
import sys
from array import array
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from math import hypot
from typing import Any, Self

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
from glassmind.store.sqlite.change_log import EPOCH
from glassmind.store.sqlite.connection import Fence, begin, end
from glassmind.store.sqlite.schema import version_of

_SINCE = 2
"""The version of the schema from which a file can hold vectors."""

ANSWERING = "space"
"""The setting that names the space which answers."""

# Bytes tell of most texts that they are long, without reading them.
_LONG = (
    "({0}.kind <> 'frontmatter' and case when octet_length({0}.text) >= 4 * :least "
    "then 1 else length({0}.text) >= :least end)"
)
_GETS_ONE = (
    f"({_LONG.format('c')} or (c.text <> '' and not exists (select 1 from chunks o "
    f"where o.note_id = c.note_id and {_LONG.format('o')})))"
)
_MISSING = f"""
select c.id from files f join chunks c on c.note_id = f.id
where not exists (select 1 from chunk_vectors v
                  where v.chunk_id = c.id and v.space_id = :space)
  and {_GETS_ONE}
order by f.mtime_ns desc, f.path, c.chunk_index
"""
_MISSING_COUNT = f"""
select count(*) from chunks c
where not exists (select 1 from chunk_vectors v
                  where v.chunk_id = c.id and v.space_id = :space)
  and {_GETS_ONE}
"""
_ANY = "select exists (select 1 from chunk_vectors where space_id = ?)"
_UNWANTED = f"""
select v.chunk_id from chunk_vectors v join chunks c on c.id = v.chunk_id
where v.space_id = :space and (v.enriched > :enriched or not {_GETS_ONE})
"""
_PLAIN = """
select c.id from chunk_vectors v join chunks c on c.id = v.chunk_id
join files f on f.id = c.note_id where v.space_id = ? and v.enriched = 0
order by f.mtime_ns desc, f.path, c.chunk_index
"""
_CHUNKS = """
select c.id, c.note_id, f.path, f.mtime_ns, n.title, c.heading_path, c.start_line,
  c.end_line, c.text from chunks c join notes n on n.id = c.note_id
join files f on f.id = c.note_id where c.id in (select value from json_each(?))
"""
_NEIGHBOURS = """
select c.id, (select b.text from chunks b where b.note_id = c.note_id
              and b.chunk_index = c.chunk_index - 1),
  (select a.text from chunks a where a.note_id = c.note_id
   and a.chunk_index = c.chunk_index + 1)
from chunks c where c.id in (select value from json_each(?))
"""
_SPACES = "select id, name, width, settings from spaces order by id"
_SPACE_OF = "select id, name, width, settings from spaces where name = ?"
_COUNTS = """
select count(*), coalesce(sum(enriched), 0) from chunk_vectors where space_id = ?
"""
_EMBEDDED_NOTES = """
select count(distinct c.note_id) from chunk_vectors v join chunks c on c.id = v.chunk_id
where v.space_id = ?
"""
_KNOWN = "select 1 from vectors where space_id = ? and key = ?"
_SETTING = "select value from settings where key = ?"
OF_NOTES = """
select c.note_id, c.id, v.rows from chunks c
join chunk_vectors l on l.chunk_id = c.id and l.space_id = ?
join vectors v on v.id = l.vector_id
where c.note_id in (select value from json_each(?)) order by c.note_id, c.chunk_index
"""
_NOTE_VECTOR = "select vector from note_vectors where note_id = ? and space_id = ?"
_BLOBS = """
select v.id, v.digest, v.rows, s.width from vectors v join spaces s on s.id = v.space_id
"""


class VectorRows:
    """What the rows hold of vectors; a file from before there were any holds none."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._some = version_of(db) >= _SINCE

    def spaces(self) -> list[Space]:
        """Return every space, the oldest first."""
        return [Space(*row) for row in self._db.execute(_SPACES)] if self._some else []

    def space(self, name: str) -> Space | None:
        """Return the space of that name."""
        row: Any = self._db.execute(_SPACE_OF, (name,)).fetchone() if self._some else ()
        return Space(*row) if row else None

    def answering(self) -> Space | None:
        """Return the space that a search asks: the one its sidecar follows.

        It is the wanted one as soon as that is complete, or when no other can answer.
        """
        name = self.setting(ANSWERING)
        return None if name is None else self.space(name)

    def setting(self, key: str) -> str | None:
        """Return one remembered setting."""
        found = self._db.execute(_SETTING, (key,)).get
        return None if found is None else str(found)

    def coverage(self, space: Space | None, least_chars: int) -> Coverage:
        """Return how many chunks have a vector in the space, and how many lack one."""
        if not self._some:
            chunks: Any = self._db.execute("select count(*) from chunks").get
            return Coverage(0, 0, int(chunks))
        space_id = space.id if space else 0
        count, enriched = next(iter(self._db.execute(_COUNTS, (space_id,))))
        missing: Any = self._db.execute(
            _MISSING_COUNT, {"space": space_id, "least": least_chars}
        ).get
        return Coverage(int(count) - int(enriched), int(enriched), int(missing))

    def notes_in(self, space: Space | None) -> int:
        """Return how many notes have a vector in the space."""
        if space is None or not self._some:
            return 0
        return int(self._db.execute(_EMBEDDED_NOTES, (space.id,)).get)

    def missing(self, space: Space, least_chars: int) -> list[int]:
        """Return the chunks that lack a vector, those of the newest notes first."""
        bound = {"space": space.id, "least": least_chars}
        return [row[0] for row in self._db.execute(_MISSING, bound)]

    def has_vectors(self, space: Space) -> bool:
        """Whether any chunk has a vector in the space."""
        return bool(self._db.execute(_ANY, (space.id,)).get)

    def unwanted(self, space: Space, least_chars: int, *, enriched: bool) -> list[int]:
        """Return the chunks whose vector is not as wanted: too short, or enriched."""
        bound = {"space": space.id, "least": least_chars, "enriched": enriched}
        return [row[0] for row in self._db.execute(_UNWANTED, bound)]

    def plain(self, space: Space) -> list[int]:
        """Return the chunks embedded without what surrounds them, the newest first."""
        return [row[0] for row in self._db.execute(_PLAIN, (space.id,))]

    def chunks(
        self, chunk_ids: Sequence[int], *, surroundings: bool = False
    ) -> list[Unembedded]:
        """Return what there is to embed, in the order asked, less what is gone.

        With `surroundings`, each has the text of the chunks before and after it.
        """
        ids = (json.dumps(chunk_ids),)
        near: dict[int, tuple[Any, ...]] = {}
        if surroundings:
            near = {row[0]: row[1:] for row in self._db.execute(_NEIGHBOURS, ids)}
        found = {}
        for chunk_id, note_id, path, mtime_ns, title, under, *rest in self._db.execute(
            _CHUNKS, ids
        ):
            first, last, text = rest
            before, after = near.get(chunk_id, ("", ""))
            found[chunk_id] = Unembedded(
                chunk_id, note_id, path, mtime_ns, title, tuple(json.loads(under)),
                first, last, text, before or "", after or "",
            )  # fmt: skip
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    def known(self, space: Space, keys: Iterable[bytes]) -> set[bytes]:
        """Return the keys whose vectors are there already."""
        ask = self._db.execute
        return {key for key in set(keys) if ask(_KNOWN, (space.id, key)).get}

    def of_note(self, note_id: int, space: Space) -> bytes | None:
        """Return the vector of a whole note: a unit row of little-endian float32."""
        found = self._db.execute(_NOTE_VECTOR, (note_id, space.id)).get
        return None if found is None else bytes(found)

    def damaged(self) -> list[int]:
        """Return the ids of the vectors that are not what was written."""
        found: Any = self._db.execute(_BLOBS) if self._some else ()
        return [
            i for i, digest, rows, width in found if not _whole(digest, rows, width)
        ]


def digest_of(rows: bytes) -> bytes:
    """Return what tells whether rows are still what was written."""
    return xxhash.xxh3_64_digest(rows)


def _whole(digest: bytes, rows: bytes, width: int) -> bool:
    fits = len(rows) > 0 and len(rows) % (4 * width) == 0
    return fits and digest_of(rows) == digest


def note_vectors(
    db: apsw.Connection, space_id: int, note_ids: Iterable[int]
) -> list[NoteVectors]:
    """Return the vectors of the notes, by id; one that has none is left out."""
    rows: Any = db.execute(OF_NOTES, (space_id, json.dumps(sorted(note_ids))))
    return [
        NoteVectors(note_id, [ChunkVectors(row[1], row[2]) for row in group])
        for note_id, group in groupby(rows, key=lambda row: row[0])
    ]


_PUT_SPACE = """
insert or ignore into spaces (name, width, settings, created) values (?, ?, ?, ?)
"""
_PUT_SETTING = "insert or replace into settings values (?, ?)"
_PUT_VECTOR = """
insert or ignore into vectors (space_id, key, digest, rows) values (?, ?, ?, ?)
"""
_LINK = """
insert or replace into chunk_vectors (chunk_id, space_id, vector_id, enriched)
select c.id, v.space_id, v.id, ? from vectors v, chunks c
join notes n on n.id = c.note_id
where v.space_id = ? and v.key = ? and c.id = ? and n.title = ?
"""
_PUT_NOTE_VECTOR = "insert or replace into note_vectors values (?, ?, ?)"
_PUT_CHANGE = "insert into vector_changes (note_id, token) values (?, ?)"
_PUT_PAIR_CHANGES = """
insert into pair_changes (note_id) select distinct note_id from note_vectors
order by note_id
"""
_UNLINK = """
delete from chunk_vectors where space_id = ?
and chunk_id in (select value from json_each(?))
"""
_NOTES_OF_CHUNKS = """
select distinct note_id from chunks where id in (select value from json_each(?))
"""
_NOTES_OF_VECTORS = """
select distinct c.note_id, l.space_id from chunk_vectors l
join chunks c on c.id = l.chunk_id
where l.vector_id in (select value from json_each(?))
"""
_DROP_LINKS = """
delete from chunk_vectors where vector_id in (select value from json_each(?))
"""
_DROP_VECTORS = "delete from vectors where id in (select value from json_each(?))"
_DROP_NOTE_VECTOR = "delete from note_vectors where note_id = ? and space_id = ?"
_ORPHANS = """
select v.id from vectors v
where not exists (select 1 from chunk_vectors l where l.vector_id = v.id) limit ?
"""
_OTHER_LINKS = "delete from chunk_vectors where space_id <> ?"
_OTHER_NOTES = "delete from note_vectors where space_id <> ?"
_OTHER_SPACES = """
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
        self._db.execute(_PUT_SPACE, (name, width, settings, now))
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
        self._db.execute(_PUT_PAIR_CHANGES)

    def set(self, key: str, value: str) -> None:
        """Remember one setting."""
        self._db.execute(_PUT_SETTING, (key, value))

    def put(self, space: Space, batch: Sequence[Embedded]) -> int:
        """Write vectors and give them to their chunks; return how many took one.

        A chunk that is gone, or whose note has another title by now, takes none; its
        vector waits for whoever says the same, until orphans are dropped.
        """
        taken = []
        for chunk, key, rows, enriched in batch:
            if rows is not None:
                row = (space.id, key, digest_of(rows), rows)
                self._db.execute(_PUT_VECTOR, row)
            link = (enriched, space.id, key, chunk.chunk_id, chunk.title)
            self._db.execute(_LINK, link)
            if self._db.changes():
                taken.append(chunk.note_id)
        self._renew(space, dict.fromkeys(taken))
        return len(taken)

    def unlink(self, space: Space, chunk_ids: Sequence[int]) -> None:
        """Take the vectors of chunks away."""
        ids = (json.dumps(chunk_ids),)
        notes = [row[0] for row in self._db.execute(_NOTES_OF_CHUNKS, ids)]
        self._db.execute(_UNLINK, (space.id, *ids))
        self._renew(space, notes)

    def drop_damaged(self, vector_ids: Sequence[int]) -> None:
        """Forget vectors that are not what was written; their chunks lack one then."""
        ids = (json.dumps(vector_ids),)
        touched: Any = self._db.execute(_NOTES_OF_VECTORS, ids).fetchall()
        self._db.execute(_DROP_LINKS, ids)
        self._db.execute(_DROP_VECTORS, ids)
        for space in VectorRows(self._db).spaces():
            self._renew(space, [note for note, owner in touched if owner == space.id])

    def drop_orphans(self, limit: int) -> int:
        """Forget vectors that no chunk has, at most `limit`; return how many."""
        found = [row[0] for row in self._db.execute(_ORPHANS, (limit,))]
        self._db.execute(_DROP_VECTORS, (json.dumps(found),))
        return len(found)

    def leave_only(self, space: Space) -> None:
        """Take every other space from the chunks; their vectors are orphans then."""
        self._db.execute(_OTHER_LINKS, (space.id,))
        self._db.execute(_OTHER_NOTES, (space.id,))

    def drop_empty_spaces(self, space: Space) -> None:
        """Forget every other space that has no vectors left."""
        self._db.execute(_OTHER_SPACES, (space.id,))

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
                self._db.execute(_PUT_NOTE_VECTOR, (note_id, space.id, mean))
            else:
                self._db.execute(_DROP_NOTE_VECTOR, (note_id, space.id))
        if answering is not None and answering.id == space.id:
            log_vectors(self._db, notes)


def log_vectors(db: apsw.Connection, note_ids: Iterable[int]) -> None:
    """Tell the sidecar of vectors that those of the notes have changed."""
    rows = [(note_id, os.urandom(8)) for note_id in note_ids]
    if rows:
        db.executemany(_PUT_CHANGE, rows)


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
