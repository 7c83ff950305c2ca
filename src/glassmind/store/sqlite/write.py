"""Putting notes into the rows, and every change into the log that sidecars follow."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import accumulate, pairwise
from typing import Any, Self

import apsw

from glassmind.model import NotePath
from glassmind.model.files import UNREAD, FileFacts, IndexReport, Skipped
from glassmind.model.index import Indexed, Unsettled
from glassmind.model.sidecar import Document
from glassmind.store.sqlite.begin import Fence, begin, end
from glassmind.store.sqlite.note_rows import (
    NameKey,
    document_of,
    has_rows,
    rows_of,
    to_json,
)
from glassmind.store.sqlite.vector_write import log_vectors

PUT_FILE = """
insert into files (path, kind, size, mtime_ns, stamp, disk_path, name_key)
values (?, ?, ?, ?, ?, ?, ?) returning id
"""
RENEW_FILE = """
update files set kind = ?, size = ?, mtime_ns = ?, stamp = ?, disk_path = ?
where path = ?
"""
ANNOUNCE = """
insert or ignore into files (path, kind, size, mtime_ns, stamp, disk_path, name_key)
values (?, ?, ?, ?, ?, ?, ?)
"""
TOUCH_FILE = """
update files set size = ?, mtime_ns = ?, stamp = ?, disk_path = ? where path = ?
"""
UNDATED = """
select n.id from notes n join files f on f.id = n.id
where f.path = ? and n.day is null and f.mtime_ns <> ?
"""
MOVE_FILE = """
update files set path = ?, kind = ?, size = ?, mtime_ns = ?, stamp = ?, disk_path = ?,
  name_key = ? where path = ? returning id
"""
IDS_OF = """
select path, id from files where path in (select value from json_each(?))
"""
ID_OF = "select id from files where path = ?"
DROP_FILE = "delete from files where id = ?"
DROP_NOTES = "delete from notes where id in (select value from json_each(?))"
RETITLE = "update notes set title = ?, day = ? where id = ?"
DROP_RETITLED = """
delete from chunk_vectors where chunk_id in (select c.id from chunks c
  join notes n on n.id = c.note_id where n.id = ? and n.title <> ?)
"""
"""The title is a part of what was embedded."""
LAST_CHUNK = "select seq from sqlite_sequence where name = 'chunks'"
PUT_SECRETS = "insert into note_secrets (note_id, count) values (?, ?)"
PUT_CHANGES = """
insert into changes (note_id, token) select value, randomblob(8) from json_each(?)
"""
PUT_LINK_CHANGES = """
insert into link_changes (note_id, token) select value, randomblob(8) from json_each(?)
"""
TRIM_LINK_CHANGES = """
delete from link_changes
where seq <= (select seq from sqlite_sequence where name = 'link_changes') - 10000
"""
"""Who is further behind reads everything anew; it is faster, too."""
HAS_SPACES = "select exists (select 1 from spaces)"
UNSETTLE_NAME = """
update links set settled = 0 where name_key = ? and settled = 1
"""
UNSETTLE_SOURCE = "update links set settled = 0 where note_id = ?"
SETTLE = """
update links set settled = 1, target_id = ? where note_id = ? and seq = ?
"""
UNSETTLED = """
select l.note_id, l.seq, f.path, l.kind, l.target, l.name_key
from links l join files f on f.id = l.note_id
where l.settled = 0 order by l.note_id, l.seq limit ?
"""
SETTLED = """
select l.note_id, l.seq, f.path, l.kind, l.target, l.name_key, l.target_id
from links l join files f on f.id = l.note_id where l.settled = 1
"""
FILE_KIND = "select id, kind from files where path = ?"
SECRETS_OF = "select count from note_secrets where note_id = ?"
NAME_KEYS = "select path, name_key from files"
PUT_NAME_KEY = "update files set name_key = ? where path = ?"
REDO_THEMES = """
update settings set value = json_set(value, '$.graph', '') where key = 'themes'
"""
"""As if the links were others: themes and their labels are worked out again."""
NAMESAKES = """
select path, id from files where name_key in (select value from json_each(?))
"""
START_RUN = "insert into index_runs (started_at, reason) values (?, ?) returning id"
END_RUN = """
update index_runs set seconds = ?, added = ?, changed = ?, moved = ?, removed = ?,
  unchanged = ?, failures = ? where id = ?
"""
TRIM_RUNS = "delete from index_runs where id <= ? - 200"
PUT_SKIPPED = "insert or replace into skipped values (?, ?, ?)"
PUT_SETTING = """
insert into settings values (?, ?)
on conflict do update set value = excluded.value where value <> excluded.value
"""


class Transaction:
    """One atomic step of writing: all of it happens, or none.

    Use it as a context manager; an exception inside undoes everything. `just_written`
    is left holding the notes that this step put, until the next one begins. A `part` of
    a larger step ends with that.
    """

    def __init__(
        self,
        db: apsw.Connection,
        name_key: NameKey,
        just_written: dict[int, Document],
        fence: Fence,
        *,
        part: bool = False,
    ) -> None:
        self._db, self._name_key, self._just_written = db, name_key, just_written
        self._fence, self._part = fence, part
        self._linked: set[int] = set()

    def __enter__(self) -> Self:
        self._just_written.clear()
        if not self._part:
            begin(self._db, self._fence)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._just_written.clear()
        if self._part:
            return
        try:
            end(self._db, self._fence, keep=kind is None)
        except BaseException:
            self._just_written.clear()
            raise

    def announce(self, files: Iterable[FileFacts]) -> dict[NotePath, int]:
        """Write that there are these files, yet to be read, and return every file's id.

        Links can then lead to a file before its turn has come.
        """
        self._many(ANNOUNCE, [
            (f.path, f.kind, f.size, f.mtime_ns, UNREAD, f.disk_path,
             self._name_key(f.path)) for f in files
        ])  # fmt: skip
        return self.files()

    def put_notes(self, batch: Sequence[Indexed]) -> None:
        """Write the notes whole, replacing what was known of them, and log each."""
        ids = self._put_files([item.file for item in batch])
        self._db.execute(DROP_NOTES, (to_json(ids),))
        chunk_ids = self._chunk_ids(batch)
        for statement, rows in rows_of(ids, batch, chunk_ids, self._name_key):
            self._many(statement, rows)
        held = zip(ids, batch, strict=True)
        counted = [(i, item.secrets) for i, item in held if item.secrets]
        self._many(PUT_SECRETS, counted)
        for note_id, chunks, item in zip(ids, chunk_ids, batch, strict=True):
            self._just_written[note_id] = document_of(note_id, chunks, item)
        self._log(ids)

    def differing(self, batch: Sequence[Indexed]) -> list[Indexed]:
        """Return the notes whose rows are not those that their files give."""
        return [item for item in batch if not self._has(item)]

    def _has(self, item: Indexed) -> bool:
        row: Any = self._db.execute(FILE_KIND, (item.file.path,)).fetchone()
        if row is None or row[1] != item.file.kind:
            return False
        secrets = self._db.execute(SECRETS_OF, (row[0],)).get or 0
        same = has_rows(self._db, row[0], item, self._name_key)
        return same and secrets == item.secrets

    def repair_names(self) -> None:
        """Recompute every file's `name_key`, and mark the themes stale."""
        rows: Any = self._db.execute(NAME_KEYS).fetchall()
        wrong = [(k, p) for p, key in rows if (k := self._name_key(p)) != key]
        self._many(PUT_NAME_KEY, wrong)
        self._db.execute(REDO_THEMES)

    def settled(self) -> Iterator[tuple[Unsettled, int | None]]:
        """Yield every settled link and the id of its target; None if unresolved."""
        rows: Any = self._db.execute(SETTLED)
        return ((Unsettled(*row[:-1]), row[-1]) for row in rows)

    def files(self) -> dict[NotePath, int]:
        """Return the id of every file."""
        rows: Any = self._db.execute("select path, id from files").fetchall()
        return dict(rows)

    def put_attachment(self, file: FileFacts) -> None:
        """Write a file that is no note (any more), so that links to it resolve."""
        file_id = self._put_file(file)
        self._db.execute(DROP_NOTES, (to_json([file_id]),))
        if self._db.changes():
            self._log([file_id])

    def touch(self, file: FileFacts) -> None:
        """Note the new stamp of a file whose content is as it was.

        A note that is dated by its last change alone is logged: its day may be another.
        """
        row = (file.size, file.mtime_ns, file.stamp, file.disk_path, file.path)
        undated = self._db.execute(UNDATED, (file.path, file.mtime_ns)).get
        self._db.execute(TOUCH_FILE, row)
        if undated is not None:
            self._log([int(undated)])

    def move(
        self, origin: NotePath, file: FileFacts, title: str, day: str | None
    ) -> None:
        """Give a note its new path and title; its other rows stay."""
        self._unsettle(origin)
        row = (file.path, file.kind, file.size, file.mtime_ns, file.stamp,
               file.disk_path, self._name_key(file.path), origin)  # fmt: skip
        note_id = self._db.execute(MOVE_FILE, row).get
        self._db.execute(DROP_RETITLED, (note_id, title))
        self._db.execute(RETITLE, (title, day, note_id))
        self._db.execute(UNSETTLE_SOURCE, (note_id,))
        self._unsettle(file.path)
        self._log([note_id])

    def remove(self, path: NotePath) -> None:
        """Forget a file and everything read from it."""
        file_id = self._db.execute(ID_OF, (path,)).get
        if file_id is None:
            return
        self._db.execute(DROP_FILE, (file_id,))
        self._unsettle(path)
        self._log([file_id])

    def unsettled(self, limit: int) -> list[Unsettled]:
        """Return links whose destination is to be found, at most `limit`."""
        return [Unsettled(*row) for row in self._db.execute(UNSETTLED, (limit,))]

    def namesakes(self, name_keys: Iterable[str]) -> dict[NotePath, int]:
        """Return each file a link with one of these keys could lead to, and its id."""
        keys = to_json(sorted(name_keys))
        rows: Any = self._db.execute(NAMESAKES, (keys,)).fetchall()
        return dict(rows)

    def settle(self, found: Iterable[tuple[Unsettled, int | None]]) -> None:
        """Write which file each link leads to; None makes the target a ghost."""
        ends = [(to, link.note_id, link.seq) for link, to in found]
        self._many(SETTLE, ends)
        self._log_links({note_id for _, note_id, _ in ends})

    def start_run(self, now: datetime, reason: str) -> int:
        """Open a record of an indexing run and return its id."""
        return int(self._db.execute(START_RUN, (now.isoformat(), reason)).get)

    def end_run(self, run: int, report: IndexReport) -> None:
        """Close the record of a run, keeping the last 200."""
        failures = to_json([[s.path, s.reason] for s in report.skipped][:100])
        row = (report.seconds, report.added, report.changed, report.moved,
               report.removed, report.unchanged, failures, run)  # fmt: skip
        self._db.execute(END_RUN, row)
        self._db.execute(TRIM_RUNS, (run,))
        self._db.execute(TRIM_LINK_CHANGES)

    def replace_skipped(self, skipped: Iterable[Skipped]) -> None:
        """Remember what the last full scan could not take in."""
        self._db.execute("delete from skipped")
        self.add_skipped(skipped)

    def add_skipped(self, skipped: Iterable[Skipped]) -> None:
        """Remember more that could not be taken in; a run may not come to its end."""
        self._many(PUT_SKIPPED, [(s.path, s.reason, s.unknown) for s in skipped])

    def set(self, key: str, value: str) -> None:
        """Remember one setting."""
        self._db.execute(PUT_SETTING, (key, value))

    def _put_files(self, files: Sequence[FileFacts]) -> list[int]:
        if len(files) == 1:
            return [self._put_file(files[0])]
        paths = to_json([file.path for file in files])
        rows: Any = self._db.execute(IDS_OF, (paths,)).fetchall()
        known: dict[str, int] = dict(rows)
        self._many(RENEW_FILE, [
            (f.kind, f.size, f.mtime_ns, f.stamp, f.disk_path, f.path)
            for f in files if f.path in known
        ])  # fmt: skip
        return [known.get(file.path) or self._put_file(file) for file in files]

    def _put_file(self, file: FileFacts) -> int:
        facts = (file.kind, file.size, file.mtime_ns, file.stamp, file.disk_path)
        known = self._db.execute(f"{RENEW_FILE} returning id", (*facts, file.path)).get
        if known is not None:
            return int(known)
        key = self._name_key(file.path)
        file_id = int(self._db.execute(PUT_FILE, (file.path, *facts, key)).get)
        self._unsettle(file.path)
        return file_id

    def _chunk_ids(self, batch: Sequence[Indexed]) -> list[range]:
        """Return the ids that the chunks of each note get: never one used before."""
        last: int = self._db.execute(LAST_CHUNK).get or 0
        ends = accumulate((len(item.chunks) for item in batch), initial=last + 1)
        return [range(*pair) for pair in pairwise(ends)]

    def _unsettle(self, path: NotePath) -> None:
        self._db.execute(UNSETTLE_NAME, (self._name_key(path),))

    def _log(self, note_ids: Iterable[int]) -> None:
        notes = list(note_ids)
        self._db.execute(PUT_CHANGES, (to_json(notes),))
        self._log_links(notes)
        if self._db.execute(HAS_SPACES).get:  # else nobody follows vectors yet
            log_vectors(self._db, notes)

    def _log_links(self, note_ids: Iterable[int]) -> None:
        """Log whose links may be others; once, for nobody sees what lies between."""
        fresh = sorted(set(note_ids) - self._linked)
        self._db.execute(PUT_LINK_CHANGES, (to_json(fresh),))
        self._linked.update(fresh)

    def _many(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if rows:
            self._db.executemany(statement, rows)
