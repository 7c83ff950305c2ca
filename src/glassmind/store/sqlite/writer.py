"""Writing the rows: notes, links and runs, by the one holder of the writer lock."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from itertools import accumulate, pairwise, repeat
from pathlib import Path
from typing import Any, Self

import apsw

from glassmind.errors import IndexDamaged
from glassmind.model import NotePath
from glassmind.model.index import (
    UNREAD,
    FileFacts,
    Indexed,
    IndexReport,
    ShowProgress,
    Skipped,
    UndecidedLink,
)
from glassmind.model.notes import Chunk
from glassmind.store.place import DATABASE
from glassmind.store.protocol import Part, Sidecar
from glassmind.store.sidecars import Matrix, SidecarUpdate, Words
from glassmind.store.sqlite import connection
from glassmind.store.sqlite.change_log import ChangeLog, text_log, vector_log
from glassmind.store.sqlite.connection import (
    Fence,
    begin,
    copy_rows,
    disk_faults_named,
    end,
    faults_named,
    wrong_with,
)
from glassmind.store.sqlite.memory import UseWrites
from glassmind.store.sqlite.notes import NoteRows
from glassmind.store.sqlite.pairs import PairWrites, ThemeWrites
from glassmind.store.sqlite.rows import SqliteRows
from glassmind.store.sqlite.vectors import VectorWrites, log_vectors
from glassmind.store.vectors.files import discard_all

_PLACED = "line, start_byte, end_byte"
_COLUMNS = {
    "notes": "id, kind, title, digest, encoding, day, aliases, error, warnings",
    "chunks": "id, note_id, chunk_index, kind, heading_path, start_line, end_line, "
    "text, overlap, tokens, digest, start_byte",
    "headings": f"note_id, seq, level, text, {_PLACED}",
    "links": f"note_id, seq, kind, target, subpath, display, embed, {_PLACED}, "
    "property, name_key, target_id, settled",
    "tags": f"note_id, seq, name, {_PLACED}, in_properties, folded",
    "properties": "note_id, seq, name, value",
    "tasks": f"note_id, seq, status, text, {_PLACED}, depth, parent_line",
    "blocks": f"note_id, seq, name, {_PLACED}",
    "fields": f"note_id, seq, key, value, form, {_PLACED}",
    "callouts": "note_id, seq, kind, title, fold, start_line, end_line, start_byte, "
    "end_byte",
}
"""In the order of the named tuple that a row comes from; parents before children."""


_PUT = {
    table: f"insert into {table} ({columns}) values "
    f"({', '.join('?' * (columns.count(',') + 1))})"
    for table, columns in _COLUMNS.items()
}
_KEYS = {"notes": ("id", "id"), "chunks": ("note_id", "chunk_index")}
_READ = {
    table: "select {} from {} where {} = ? order by {}".format(
        columns, table, *_KEYS.get(table, ("note_id", "seq"))
    )
    for table, columns in _COLUMNS.items()
}

_LINK_END = 2
"""Columns at the end of a link that depend on other files: its end, and if found."""

NameKey = Callable[[str], str]

to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""Returns compact JSON text, letters of every script as they are."""


def _texts_json(texts: Sequence[str]) -> str:
    """Return texts as JSON, in a quarter of the time that any other list takes."""
    return f"[{','.join(map(to_json, texts))}]"


def rows_of(
    ids: Sequence[int],
    batch: Sequence[Indexed],
    chunk_ids: Sequence[Sequence[int]],
    name_key: NameKey,
) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows for each table, in the order of `_COLUMNS`."""
    tables: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _COLUMNS}
    for i, places, item in zip(ids, chunk_ids, batch, strict=True):
        note = item.note
        tables["notes"].append(
            (i, note.kind, note.title, item.digest, item.encoding, item.day,
             _texts_json(note.aliases), note.frontmatter.error,
             _texts_json(item.warnings))
        )  # fmt: skip
        tables["chunks"] += [
            (place, i, index, kind, _texts_json(path), first, last, *rest, start)
            for place, start, (index, kind, path, (first, last), *rest)
            in zip(places, _starts(item.chunks), item.chunks, strict=True)
        ]  # fmt: skip
        ends = item.ends if item.ends is not None else repeat(None, len(note.links))
        settled = item.ends is not None
        tables["links"] += [
            (i, n, *link, name_key(link.target), end, settled)
            for n, (link, end) in enumerate(zip(note.links, ends, strict=True))
        ]
        tables["tags"] += [
            (i, n, *tag, tag.name.lower()) for n, tag in enumerate(note.tags)
        ]
        tables["properties"] += [
            (i, n, name, to_json(value))
            for n, (name, value) in enumerate(note.frontmatter.properties.items())
        ]
        tables["callouts"] += [
            (i, n, kind, title, fold, *span, start, end)
            for n, (kind, title, fold, span, start, end) in enumerate(note.callouts)
        ]
        for table, pieces in (
            ("headings", note.headings),
            ("tasks", note.tasks),
            ("blocks", note.block_ids),
            ("fields", note.fields),
        ):
            tables[table] += [(i, n, *piece) for n, piece in enumerate(pieces)]
    return tables


def has_rows(
    db: apsw.Connection, note_id: int, item: Indexed, name_key: NameKey
) -> bool:
    """Whether the database has exactly the rows of a note, ends of links aside."""
    found = {
        table: [tuple(row) for row in db.execute(query, (note_id,))]
        for table, query in _READ.items()
    }
    chunk_ids = [row[0] for row in found["chunks"]]
    if len(chunk_ids) != len(item.chunks):
        return False
    found["links"] = [row[:-_LINK_END] for row in found["links"]]
    expected = rows_of([note_id], [item], [chunk_ids], name_key)
    expected["links"] = [row[:-_LINK_END] for row in expected["links"]]
    return found == expected


def _starts(chunks: Sequence[Chunk]) -> list[int]:
    lengths = [
        len(chunk.text) - chunk.overlap
        if chunk.text.isascii()
        else len(chunk.text[chunk.overlap :].encode())
        for chunk in chunks[:-1]
    ]
    return list(accumulate(lengths, initial=0))


_RENEW_FILE = """
update files set kind = ?, size = ?, mtime_ns = ?, stamp = ?, disk_path = ?
where path = ?
"""
_PUT_FILE = """
insert or ignore into files
  (kind, size, mtime_ns, stamp, disk_path, path, name_key) values (?, ?, ?, ?, ?, ?, ?)
"""
_DROP_NOTES = "delete from notes where id in (select value from json_each(?))"
_LOG = "insert into {} (note_id, token) select value, randomblob(8) from json_each(?)"
_LINK = """
select l.note_id, l.seq, f.path, l.kind, l.target, l.name_key, l.target_id
from links l join files f on f.id = l.note_id
"""
_MOST_LINK_CHANGES = 10_000
"""A reader that is further behind reads everything again; it is faster, too."""

_MOST_RUNS = 200
"""Records of runs that are kept."""


class SqliteTransaction(VectorWrites, PairWrites, ThemeWrites, UseWrites):
    """One atomic step of writing: all of it happens, or none.

    An exception inside undoes everything. A `part` of a larger step ends with that.
    """

    def __init__(
        self,
        db: apsw.Connection,
        name_key: NameKey,
        fence: Fence,
        *,
        part: bool = False,
    ) -> None:
        super().__init__(db, fence)
        self._name_key, self._part = name_key, part
        self._linked: set[int] = set()

    def __enter__(self) -> Self:
        return self if self._part else super().__enter__()

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if not self._part:
            super().__exit__(kind, *rest)

    def announce(self, files: Iterable[FileFacts]) -> dict[NotePath, int]:
        """Write that there are these files, yet to be read, and return every file's id.

        Links can then lead to a file before its turn has come.
        """
        self._many(_PUT_FILE, [
            (f.kind, f.size, f.mtime_ns, UNREAD, f.disk_path, f.path,
             self._name_key(f.path)) for f in files
        ])  # fmt: skip
        return self.files()

    def put_notes(self, batch: Sequence[Indexed]) -> None:
        """Write the notes whole, replacing what was known of them, and log each."""
        ids = [self._put_file(item.file) for item in batch]
        self._rows(_DROP_NOTES, to_json(ids))
        chunk_ids = self._chunk_ids(batch)
        for table, rows in rows_of(ids, batch, chunk_ids, self._name_key).items():
            self._many(_PUT[table], rows)
        self._many(
            "insert into note_secrets (note_id, count) values (?, ?)",
            [(i, item.secrets) for i, item in zip(ids, batch, strict=True)
             if item.secrets],
        )  # fmt: skip
        self._log(ids)

    def differing(self, batch: Sequence[Indexed]) -> list[Indexed]:
        return [item for item in batch if not self._has(item)]

    def _has(self, item: Indexed) -> bool:
        statement = """
            select f.id, f.kind, coalesce(s.count, 0) from files f
            left join note_secrets s on s.note_id = f.id where f.path = ?
        """
        row = self._rows(statement, item.file.path).fetchone()
        if row is None or row[1:] != (item.file.kind, item.secrets):
            return False
        return has_rows(self._db, row[0], item, self._name_key)

    def repair_names(self) -> None:
        """Recompute every file's `name_key`, and mark the themes stale."""
        rows = self._list("select path, name_key from files")
        wrong = [(k, p) for p, key in rows if (k := self._name_key(p)) != key]
        self._many("update files set name_key = ? where path = ?", wrong)
        self._rows("""
            update settings set value = json_set(value, '$.graph', '')
            where key = 'themes'
        """)

    def settled(self) -> Iterator[tuple[UndecidedLink, int | None]]:
        """Yield every settled link and the id of its target; None if unresolved."""
        rows = self._rows(f"{_LINK} where l.settled = 1")
        return ((UndecidedLink(*row[:-1]), row[-1]) for row in rows)

    def files(self, name_keys: Iterable[str] | None = None) -> dict[NotePath, int]:
        """Return every file and its id, or those that links with a key may lead to."""
        if name_keys is None:
            return dict(self._rows("select path, id from files"))
        statement = """
            select path, id from files
            where name_key in (select value from json_each(?))
        """
        return dict(self._rows(statement, to_json(sorted(name_keys))))

    def put_attachment(self, file: FileFacts) -> None:
        """Write a file that is no note (any more), so that links to it resolve."""
        file_id = self._put_file(file)
        self._rows(_DROP_NOTES, to_json([file_id]))
        if self._db.changes():
            self._log([file_id])

    def touch(self, file: FileFacts) -> None:
        """Note the new stamp of a file whose content is as it was.

        A note that is dated by its last change alone is logged: its day may be another.
        """
        statement = """
            select n.id from notes n join files f on f.id = n.id
            where f.path = ? and n.day is null and f.mtime_ns <> ?
        """
        undated = self._value(statement, file.path, file.mtime_ns)
        self._rows(
            "update files set size = ?, mtime_ns = ?, stamp = ?, disk_path = ? "
            "where path = ?",
            *(file.size, file.mtime_ns, file.stamp, file.disk_path, file.path),
        )
        if undated is not None:
            self._log([int(undated)])

    def move(
        self, origin: NotePath, file: FileFacts, title: str, day: str | None
    ) -> None:
        """Give a note its new path and title; its other rows stay."""
        self._unsettle(origin)
        moved = """
            update files set path = ?, kind = ?, size = ?, mtime_ns = ?, stamp = ?,
              disk_path = ?, name_key = ? where path = ? returning id
        """
        note_id = self._value(
            moved, file.path, file.kind, file.size, file.mtime_ns, file.stamp,
            file.disk_path, self._name_key(file.path), origin,
        )  # fmt: skip
        # the title is a part of what was embedded
        drop_retitled = """
            delete from chunk_vectors where chunk_id in (select c.id from chunks c
              join notes n on n.id = c.note_id where n.id = ? and n.title <> ?)
        """
        self._rows(drop_retitled, note_id, title)
        self._rows(
            "update notes set title = ?, day = ? where id = ?", title, day, note_id
        )
        self._rows("update links set settled = 0 where note_id = ?", note_id)
        self._unsettle(file.path)
        self._log([note_id])

    def remove(self, path: NotePath) -> None:
        file_id = self._value("select id from files where path = ?", path)
        if file_id is None:
            return
        self._rows("delete from files where id = ?", file_id)
        self._unsettle(path)
        self._log([file_id])

    def unsettled(self, limit: int) -> list[UndecidedLink]:
        """Return links whose destination is to be found, at most `limit`."""
        statement = f"{_LINK} where l.settled = 0 order by l.note_id, l.seq limit ?"
        return [UndecidedLink(*row[:-1]) for row in self._rows(statement, limit)]

    def settle(self, found: Iterable[tuple[UndecidedLink, int | None]]) -> None:
        """Write which file each link leads to; None if it is unresolved."""
        ends = [(to, link.note_id, link.seq) for link, to in found]
        statement = """
            update links set settled = 1, target_id = ? where note_id = ? and seq = ?
        """
        self._many(statement, ends)
        self._log_links({note_id for _, note_id, _ in ends})

    def start_run(self, now: datetime, reason: str) -> int:
        statement = """
            insert into index_runs (started_at, reason) values (?, ?) returning id
        """
        return int(self._value(statement, now.isoformat(), reason))

    def end_run(self, run: int, report: IndexReport) -> None:
        """Close the record of a run, and drop old records and changes of links."""
        failures = to_json([[s.path, s.reason] for s in report.skipped][:100])
        statement = """
            update index_runs set seconds = ?, added = ?, changed = ?, moved = ?,
              removed = ?, unchanged = ?, failures = ? where id = ?
        """
        self._rows(
            statement, report.seconds, report.added, report.changed, report.moved,
            report.removed, report.unchanged, failures, run,
        )  # fmt: skip
        self._rows("delete from index_runs where id <= ? - ?", run, _MOST_RUNS)
        trim = """
            delete from link_changes where seq <=
              (select seq from sqlite_sequence where name = 'link_changes') - ?
        """
        self._rows(trim, _MOST_LINK_CHANGES)

    def put_skipped(self, skipped: Iterable[Skipped], *, anew: bool = False) -> None:
        """Remember what was skipped, beside what is known or with `anew` instead."""
        if anew:
            self._rows("delete from skipped")
        rows = [(s.path, s.reason, s.unknown) for s in skipped]
        self._many("insert or replace into skipped values (?, ?, ?)", rows)

    def _put_file(self, file: FileFacts) -> int:
        known = self._value(f"{_RENEW_FILE} returning id", *_facts(file))
        if known is not None:
            return int(known)
        key = self._name_key(file.path)
        file_id = int(self._value(f"{_PUT_FILE} returning id", *_facts(file), key))
        self._unsettle(file.path)
        return file_id

    def _chunk_ids(self, batch: Sequence[Indexed]) -> list[range]:
        """Return the ids that the chunks of each note get: never one used before."""
        last = self._value("select seq from sqlite_sequence where name = 'chunks'") or 0
        ends = accumulate((len(item.chunks) for item in batch), initial=last + 1)
        return [range(*pair) for pair in pairwise(ends)]

    def _unsettle(self, path: NotePath) -> None:
        statement = "update links set settled = 0 where name_key = ? and settled = 1"
        self._rows(statement, self._name_key(path))

    def _log(self, note_ids: Iterable[int]) -> None:
        notes = list(note_ids)
        self._rows(_LOG.format("changes"), to_json(notes))
        self._log_links(notes)
        has_spaces = self._value("select exists (select 1 from spaces)")
        if has_spaces:  # else no sidecar follows vectors yet
            log_vectors(self._db, notes)

    def _log_links(self, note_ids: Iterable[int]) -> None:
        """Log whose links may have changed, once: no reader sees what lies between."""
        fresh = sorted(set(note_ids) - self._linked)
        self._rows(_LOG.format("link_changes"), to_json(fresh))
        self._linked.update(fresh)

    def _many(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if rows:
            self._db.executemany(statement, rows)


def _facts(file: FileFacts) -> tuple[Any, ...]:
    return file.kind, file.size, file.mtime_ns, file.stamp, file.disk_path, file.path


_HURRIED_MS = 1_000
"""How long a search waits that would index the latest changes first."""


class SqliteWriter:
    """Owns the one connection that writes; used only by a holder of the writer lock.

    Between runs the connection may stay open: it holds no lock of its own. `fence` is
    asked before each write; it is the lock's, for as long as that is held. `wal` is as
    for `open_writer`.
    """

    def __init__(
        self,
        folder: Path,
        name_key: NameKey,
        sidecars: Path | None = None,
        *,
        wal: bool = True,
    ) -> None:
        self.folder, self._wal, self._sidecars = folder, wal, sidecars or folder
        self._name_key = name_key
        self.notices: list[str] = []
        self.fence: Fence = lambda: None
        self._db: apsw.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._together = False

    def begin(self, *, anew: bool = False, hurried: bool = False) -> None:
        """Get ready for a run; `anew` deletes the rows first."""
        self.notices.clear()
        if anew:
            self.close()
            self.fence()
            with disk_faults_named(self.folder):
                for suffix in connection.SUFFIXES:
                    Path(f"{self.folder / DATABASE}{suffix}").unlink(missing_ok=True)
        kept = self._db is not None and self._identity == self._found()
        patience = _HURRIED_MS if hurried else connection.BUSY_MS
        with self.faults():
            if not kept or NoteRows(self._open_db()).unfinished():
                self._reopen(patience)
            db = self._open_db()
            db.set_busy_timeout(patience)
            db.execute("begin immediate")  # raises if another program writes
            db.execute("rollback")

    def _reopen(self, busy_ms: int = connection.BUSY_MS) -> apsw.Connection:
        self.close()
        self._db = self._open(busy_ms)
        self._identity = self._found()
        return self._db

    def damage(self, part: Part) -> str | None:
        """Read a part of the index from the disk; return the first damage, if any."""
        if part == "rows":
            return wrong_with(self._reopen())  # so that no page is read from the cache
        sidecar = self._sidecar(part)
        return sidecar.damage() if sidecar.place.exists() else None

    def _sidecar(self, part: Sidecar) -> Words | Matrix:
        if part == "words":
            return Words(self._sidecars)
        return Matrix(self._sidecars, self.rows)

    def discard(self, *parts: Sidecar) -> None:
        """Delete sidecars, which are made again from the rows.

        Those beside the database, too: a vault may come with some.
        """
        for folder in {self._sidecars, self.folder}:
            if "words" in parts:
                Words(folder).discard()
            if "vectors" in parts:
                discard_all(folder)

    def follow(
        self, part: Sidecar, progress: ShowProgress, *, compact: bool = False
    ) -> None:
        """Bring a sidecar up to the rows."""
        db = self._open_db()
        log: ChangeLog[Any] | None = text_log(db) if part == "words" else vector_log(db)
        if log is not None:  # no vector was ever made
            with SidecarUpdate(log, self._sidecar(part), self, progress) as follower:
                follower.finish(compact=compact)

    def follower(self, progress: ShowProgress) -> SidecarUpdate:
        """Return what brings the word index up to the rows, step by step."""
        log = text_log(self._open_db())
        return SidecarUpdate(log, self._sidecar("words"), self, progress)

    def _found(self) -> tuple[int, int] | None:
        try:
            there = (self.folder / DATABASE).stat()
        except OSError:
            return None
        return (there.st_dev, there.st_ino)

    def _open_db(self) -> apsw.Connection:
        if self._db is None:
            raise RuntimeError("begin() comes first")
        return self._db

    def _open(self, busy_ms: int) -> apsw.Connection:
        """Open the file; one that is damaged is set aside and begun anew."""
        try:
            with self.faults():
                db = connection.open_writer(self.folder, busy_ms, wal=self._wal)
                wrong = connection.is_sound(db) if NoteRows(db).unfinished() else None
            if wrong is None:
                return db
            db.close()
        except IndexDamaged as error:
            wrong = error.reason
        self._set_aside(wrong)
        with self.faults():
            return connection.open_writer(self.folder, wal=self._wal)

    def move_aside(self) -> Path | None:
        """Move the database aside and return its new name; None if there is none."""
        self.close()
        self.fence()
        stamp = f"{datetime.now(UTC):%Y%m%d%H%M%S}"
        with disk_faults_named(self.folder):
            return connection.move_aside(self.folder, stamp)

    def _set_aside(self, wrong: str) -> None:
        aside = self.move_aside()
        self.notices.append(
            f"index.db was damaged ({wrong}); it is kept as {aside} and was made anew"
        )

    def rows(self) -> SqliteRows:
        return SqliteRows(self._open_db())

    def head(self) -> str:
        """Return the marker of the last change of a text."""
        return text_log(self._open_db()).head()

    def transaction(self) -> SqliteTransaction:
        return SqliteTransaction(
            self._open_db(), self._name_key, self.fence, part=self._together
        )

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let all steps that are taken inside be one: all of them happen, or none."""
        db = self._open_db()
        begin(db, self.fence)
        self._together = True
        try:
            yield
        except BaseException:
            end(db, self.fence, keep=False)
            raise
        else:
            end(db, self.fence, keep=True)
        finally:
            self._together = False

    def faults(self) -> AbstractContextManager[None]:
        return faults_named(self.folder, self._open_db)

    def begin_anew(self, wrong: str) -> None:
        """Set the rows aside, saying what was wrong with them, and begin again."""
        self._set_aside(wrong)
        self._reopen()

    def take_from(self, file: Path) -> None:
        """Replace every row by those of a backup, while others read."""
        source = connection.open_copy(file)
        try:
            self.fence()
            copy_rows(source, self._open_db())
        finally:
            source.close()

    def close(self) -> None:
        """Close the connection; the next run opens another."""
        if self._db is not None:
            self._db.close()
            self._db = None
