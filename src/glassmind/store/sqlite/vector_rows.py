"""Asking the rows about vectors: what is there, what is missing, what a note has.

A chunk gets a vector if it is long enough to mean something and is no frontmatter. The
short ones of a note that has nothing longer get one too, so that no note with a word in
it is beyond reach.
"""

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import apsw
import xxhash

from glassmind.model.vectors import (
    ChunkVectors,
    Coverage,
    NoteVectors,
    Space,
    Unembedded,
)
from glassmind.store.sqlite.schema import version_of

SINCE = 2
"""The version of the schema from which a file can hold vectors."""

ANSWERING = "space"
"""The setting that names the space which answers."""

# Bytes tell of most texts that they are long, without reading them.
_LONG = (
    "({0}.kind <> 'frontmatter' and case when octet_length({0}.text) >= 4 * :least "
    "then 1 else length({0}.text) >= :least end)"
)
_GETS_ONE = (
    f"({_LONG.format('c')} or (c.text <> '' and not exists (select 1 from chunks o "  # noqa: S608 - our own words
    f"where o.note_id = c.note_id and {_LONG.format('o')})))"
)
MISSING = f"""
select c.id from files f join chunks c on c.note_id = f.id
where not exists (select 1 from chunk_vectors v
                  where v.chunk_id = c.id and v.space_id = :space)
  and {_GETS_ONE}
order by f.mtime_ns desc, f.path, c.chunk_index
"""  # noqa: S608 - our own words
MISSING_COUNT = f"""
select count(*) from chunks c
where not exists (select 1 from chunk_vectors v
                  where v.chunk_id = c.id and v.space_id = :space)
  and {_GETS_ONE}
"""  # noqa: S608 - our own words
ANY = "select exists (select 1 from chunk_vectors where space_id = ?)"
UNWANTED = f"""
select v.chunk_id from chunk_vectors v join chunks c on c.id = v.chunk_id
where v.space_id = :space and (v.enriched > :enriched or not {_GETS_ONE})
"""  # noqa: S608 - our own words
PLAIN = """
select c.id from chunk_vectors v join chunks c on c.id = v.chunk_id
join files f on f.id = c.note_id where v.space_id = ? and v.enriched = 0
order by f.mtime_ns desc, f.path, c.chunk_index
"""
CHUNKS = """
select c.id, c.note_id, f.path, f.mtime_ns, n.title, c.heading_path, c.start_line,
  c.end_line, c.text from chunks c join notes n on n.id = c.note_id
join files f on f.id = c.note_id where c.id in (select value from json_each(?))
"""
NEIGHBOURS = """
select c.id, (select b.text from chunks b where b.note_id = c.note_id
              and b.chunk_index = c.chunk_index - 1),
  (select a.text from chunks a where a.note_id = c.note_id
   and a.chunk_index = c.chunk_index + 1)
from chunks c where c.id in (select value from json_each(?))
"""
SPACES = "select id, name, width, settings from spaces order by id"
SPACE_OF = "select id, name, width, settings from spaces where name = ?"
COUNTS = """
select count(*), coalesce(sum(enriched), 0) from chunk_vectors where space_id = ?
"""
EMBEDDED_NOTES = """
select count(distinct c.note_id) from chunk_vectors v join chunks c on c.id = v.chunk_id
where v.space_id = ?
"""
KNOWN = "select 1 from vectors where space_id = ? and key = ?"
SETTING = "select value from settings where key = ?"
OF_NOTES = """
select c.note_id, c.id, v.rows from chunks c
join chunk_vectors l on l.chunk_id = c.id and l.space_id = ?
join vectors v on v.id = l.vector_id
where c.note_id in (select value from json_each(?)) order by c.note_id, c.chunk_index
"""
NOTE_VECTOR = "select vector from note_vectors where note_id = ? and space_id = ?"
BLOBS = """
select v.id, v.digest, v.rows, s.width from vectors v join spaces s on s.id = v.space_id
"""


class VectorRows:
    """What the rows hold of vectors; a file from before there were any holds none."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._some = version_of(db) >= SINCE

    def spaces(self) -> list[Space]:
        """Return every space, the oldest first."""
        return [Space(*row) for row in self._db.execute(SPACES)] if self._some else []

    def space(self, name: str) -> Space | None:
        """Return the space of that name."""
        row: Any = self._db.execute(SPACE_OF, (name,)).fetchone() if self._some else ()
        return Space(*row) if row else None

    def answering(self) -> Space | None:
        """Return the space that a search asks: the one its sidecar follows.

        It is the wanted one as soon as that is complete, or when no other can answer.
        """
        name = self.setting(ANSWERING)
        return None if name is None else self.space(name)

    def setting(self, key: str) -> str | None:
        """Return one remembered setting."""
        found = self._db.execute(SETTING, (key,)).get
        return None if found is None else str(found)

    def coverage(self, space: Space | None, least_chars: int) -> Coverage:
        """Return how many chunks have a vector in the space, and how many lack one."""
        if not self._some:
            chunks: Any = self._db.execute("select count(*) from chunks").get
            return Coverage(0, 0, int(chunks))
        space_id = space.id if space else 0
        count, enriched = next(iter(self._db.execute(COUNTS, (space_id,))))
        missing: Any = self._db.execute(
            MISSING_COUNT, {"space": space_id, "least": least_chars}
        ).get
        return Coverage(int(count) - int(enriched), int(enriched), int(missing))

    def notes_in(self, space: Space | None) -> int:
        """Return how many notes have a vector in the space."""
        if space is None or not self._some:
            return 0
        return int(self._db.execute(EMBEDDED_NOTES, (space.id,)).get)

    def missing(self, space: Space, least_chars: int) -> list[int]:
        """Return the chunks that lack a vector, those of the newest notes first."""
        bound = {"space": space.id, "least": least_chars}
        return [row[0] for row in self._db.execute(MISSING, bound)]

    def has_vectors(self, space: Space) -> bool:
        """Whether any chunk has a vector in the space."""
        return bool(self._db.execute(ANY, (space.id,)).get)

    def unwanted(self, space: Space, least_chars: int, *, enriched: bool) -> list[int]:
        """Return the chunks whose vector is not as wanted: too short, or enriched."""
        bound = {"space": space.id, "least": least_chars, "enriched": enriched}
        return [row[0] for row in self._db.execute(UNWANTED, bound)]

    def plain(self, space: Space) -> list[int]:
        """Return the chunks embedded without what surrounds them, the newest first."""
        return [row[0] for row in self._db.execute(PLAIN, (space.id,))]

    def chunks(
        self, chunk_ids: Sequence[int], *, surroundings: bool = False
    ) -> list[Unembedded]:
        """Return what there is to embed, in the order asked, less what is gone.

        With `surroundings`, each has the text of the chunks before and after it.
        """
        ids = (json.dumps(chunk_ids),)
        near: dict[int, tuple[Any, ...]] = {}
        if surroundings:
            near = {row[0]: row[1:] for row in self._db.execute(NEIGHBOURS, ids)}
        found = {}
        for chunk_id, note_id, path, mtime_ns, title, under, *rest in self._db.execute(
            CHUNKS, ids
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
        return {key for key in set(keys) if ask(KNOWN, (space.id, key)).get}

    def of_note(self, note_id: int, space: Space) -> bytes | None:
        """Return the vector of a whole note: a unit row of little-endian float32."""
        found = self._db.execute(NOTE_VECTOR, (note_id, space.id)).get
        return None if found is None else bytes(found)

    def damaged(self) -> list[int]:
        """Return the ids of the vectors that are not what was written."""
        found: Any = self._db.execute(BLOBS) if self._some else ()
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
