"""Asking the rows: what is known, and what a hit says."""

import json
from collections.abc import Collection, Sequence
from typing import Any

import apsw

from glassmind.errors import IndexDamaged
from glassmind.model import NotePath

STAMPS = "select path, stamp from files"
STAMPS_IN = "select path, stamp from files where path >= ? and path < ?"
STAMPS_OF = """
select f.path, f.stamp from json_each(?) k join files f on f.path = k.value
"""
ANY_BELOW = "select exists (select 1 from files where path >= ? and path < ?)"
ANY_UNSETTLED = "select exists (select 1 from links where settled = 0)"
DIGESTS = "select f.path, n.digest from notes n join files f on f.id = n.id"
HAS_SECRETS = "select 1 from sqlite_master where name = 'note_secrets'"
SECRETS = """
select f.path, s.count from note_secrets s join files f on f.id = s.note_id
order by f.path
"""
DIGESTS_OF = """
select f.path, n.digest from json_each(?) k join files f on f.path = k.value
join notes n on n.id = f.id
"""
PATHS = "select path from files"
NOTE_PATHS = "select f.path from files f join notes n on n.id = f.id"
ID_OF = "select id from files where path = ?"
SETTING = "select value from settings where key = ?"
HIT_ROWS = """
select c.id, f.path, n.title, c.heading_path, c.start_line, c.end_line, c.chunk_index,
  c.digest, f.mtime_ns, c.text, c.note_id,
  exists (select 1 from properties p where p.note_id = c.note_id
    and p.value = 'true' and lower(p.name) = 'generated'),
  (select x.id from files x where x.path = f.path) is f.id
from chunks c join notes n on n.id = c.note_id join files f on f.id = c.note_id
where c.id in (select value from json_each(?))
"""
"""The last column asks the index of paths, which holds each a second time."""
OWNER_AGREES = """
select (select x.id from chunks x where x.note_id = c.note_id
        and x.chunk_index = c.chunk_index) is c.id
from chunks c where c.id = ?
"""
CHUNK_PLACES = """
select c.id, -f.mtime_ns, f.path, c.chunk_index
from chunks c join files f on f.id = c.note_id
where c.id in (select value from json_each(?))
"""
LISTED_PLACES = """
select c.id, -coalesce(julianday(coalesce(n.day,
    date(f.mtime_ns / 1000000000, 'unixepoch', 'localtime'))), 0),
  -f.mtime_ns, f.path, c.chunk_index
from chunks c join notes n on n.id = c.note_id join files f on f.id = c.note_id
where c.id in (select value from json_each(?))
"""
TROUBLED = """
select f.path, coalesce(n.error, json_extract(n.warnings, '$[0]'))
from notes n join files f on f.id = n.id
where n.error is not null or n.warnings <> '[]' order by f.path limit ?
"""
TROUBLED_COUNT = """
select count(*) from notes where error is not null or warnings <> '[]'
"""
NAMED = """
select f.path, n.title, n.aliases from notes n join files f on f.id = n.id
order by f.path
"""
NOTES_AT = """
select f.path from files f join notes n on n.id = f.id
where f.path in (?, ?) order by f.path
"""
NOTES_TITLED = """
select f.path from notes n join files f on f.id = n.id where n.title = ? order by f.path
"""
NOTES_NAMED = """
select f.path from files f join notes n on n.id = f.id
where f.name_key = ? order by f.path
"""


class Rows:
    """A view of the rows at one moment of reading; owns nothing but its connection."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def stamps(self) -> dict[NotePath, int]:
        """Return the stamp of every known file."""
        rows: Any = self._db.execute(STAMPS).fetchall()
        return dict(rows)

    def stamps_in(self, folder: str) -> dict[NotePath, int]:
        """Return the stamp of every known file directly in a folder; "" is the root."""
        start = f"{folder}/" if folder else ""
        bounds = (start, f"{folder}0" if folder else "\U0010ffff")  # "0" follows "/"
        found: Any = self._db.execute(STAMPS_IN, bounds)
        return {path: stamp for path, stamp in found if "/" not in path[len(start) :]}

    def stamps_of(self, paths: Collection[str]) -> dict[NotePath, int]:
        """Return the stamps of those of some files that are known."""
        rows: Any = self._db.execute(STAMPS_OF, (json.dumps(list(paths)),)).fetchall()
        return dict(rows)

    def any_below(self, path: str) -> bool:
        """Whether a file is known in the folder of that path, or in one below it."""
        return bool(self._db.execute(ANY_BELOW, (f"{path}/", f"{path}0")).get)

    def digests(self) -> dict[NotePath, str]:
        """Return the content hash of every known note."""
        rows: Any = self._db.execute(DIGESTS).fetchall()
        return dict(rows)

    def note_count(self) -> int:
        """Return how many notes are known."""
        return int(self._db.execute("select count(*) from notes").get)

    def is_settled(self) -> bool:
        """Whether every link has its end."""
        return not self._db.execute(ANY_UNSETTLED).get

    def counts(self) -> tuple[int, int]:
        """Return how many notes and chunks there are."""
        chunks: Any = self._db.execute("select count(*) from chunks").get
        return self.note_count(), int(chunks)

    def secret_notes(self) -> dict[NotePath, int]:
        """Return the notes in which credentials are hidden, and how many in each."""
        if self._db.execute(HAS_SECRETS).get is None:  # an older release wrote it
            return {}
        found: Any = self._db.execute(SECRETS).fetchall()
        return dict(found)

    def digests_of(self, paths: Sequence[NotePath]) -> dict[NotePath, str]:
        """Return the content hash of those of some files that are known notes."""
        rows: Any = self._db.execute(DIGESTS_OF, (json.dumps(paths),)).fetchall()
        return dict(rows)

    def paths(self) -> list[NotePath]:
        """Return every known file, notes and attachments, in no order."""
        return [row[0] for row in self._db.execute(PATHS)]

    def note_paths(self) -> set[NotePath]:
        """Return every known note."""
        return {row[0] for row in self._db.execute(NOTE_PATHS)}

    def named(self) -> list[tuple[NotePath, str, tuple[str, ...]]]:
        """Return path, title and aliases of every note, by path."""
        rows = self._db.execute(NAMED)
        return [(path, title, tuple(json.loads(a))) for path, title, a in rows]

    def notes_at(self, path: str, other: str) -> list[NotePath]:
        """Return which of two paths are notes, by path."""
        return [row[0] for row in self._db.execute(NOTES_AT, (path, other))]

    def notes_titled(self, title: str) -> list[NotePath]:
        """Return the notes of a title, to the letter, by path."""
        return [row[0] for row in self._db.execute(NOTES_TITLED, (title,))]

    def notes_named(self, key: str) -> list[NotePath]:
        """Return the notes whose file names have a key of names, by path."""
        return [row[0] for row in self._db.execute(NOTES_NAMED, (key,))]

    def id_of(self, path: NotePath) -> int:
        """Return the id of a known file."""
        return int(self._db.execute(ID_OF, (path,)).get)

    def skipped(self) -> list[tuple[NotePath, str, bool]]:
        """Return what the last run skipped: path, reason, may it be a note."""
        rows = self._db.execute(
            "select path, reason, unknown from skipped order by path"
        )
        return [(path, reason, bool(unknown)) for path, reason, unknown in rows]

    def troubled(self, limit: int) -> tuple[int, list[tuple[NotePath, str]]]:
        """Count the notes with something to mend; name the first with what it is."""
        count = int(self._db.execute(TROUBLED_COUNT).get)
        rows: Any = self._db.execute(TROUBLED, (limit,)).fetchall()
        return count, rows

    def unfinished(self) -> bool:
        """Whether the last run of indexing was cut short."""
        last = "select seconds is null from index_runs order by id desc limit 1"
        return bool(self._db.execute(last).get)

    def is_whole(self) -> bool:
        """Whether any run of indexing came to its end."""
        ended = "select exists (select 1 from index_runs where seconds is not null)"
        return bool(self._db.execute(ended).get)

    def setting(self, key: str) -> str | None:
        """Return one remembered setting."""
        found = self._db.execute(SETTING, (key,)).get
        return None if found is None else str(found)

    def chunk_places(self, chunk_ids: Sequence[int]) -> dict[int, tuple[int, str, int]]:
        """Return what ties are broken by: newest note, path, place in the note."""
        found = self._db.execute(CHUNK_PLACES, (json.dumps(chunk_ids),))
        return {row[0]: row[1:] for row in found}

    def listed_places(
        self, chunk_ids: Sequence[int]
    ) -> dict[int, tuple[float, int, str, int]]:
        """Return what a list goes by: the note's day, its last change, path, place."""
        found: Any = self._db.execute(LISTED_PLACES, (json.dumps(chunk_ids),))
        return {row[0]: row[1:] for row in found}

    def owner_agrees(self, chunk_id: int) -> bool:
        """Whether a chunk's row and the index of its table name the same note."""
        return bool(self._db.execute(OWNER_AGREES, (chunk_id,)).get)

    def hit_rows(self, chunk_ids: Sequence[int]) -> dict[int, tuple[Any, ...]]:
        """Return what a hit shows for each chunk that is still there, by chunk id.

        Raises:
            IndexDamaged: a row says another thing than the indexes of its table.
        """
        shown = {}
        found: Any = self._db.execute(HIT_ROWS, (json.dumps(chunk_ids),))
        for row in found:
            if not row[-1]:
                raise IndexDamaged("index.db", f"{row[1]} is not where it was written")
            shown[row[0]] = row[:-1]
        return shown
