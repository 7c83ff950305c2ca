"""The rows of one vault's index, open for reading."""

import json
import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import apsw

from glassmind.errors import BackupUnwritable, IndexAbsent, IndexUntrusted
from glassmind.model import NotePath
from glassmind.model.access import NoteMarks, Seen, said_once
from glassmind.model.search import HitChunk
from glassmind.model.suggestions import Dismissible, Pair, PairStatus, Partner
from glassmind.store.place import DATABASE
from glassmind.store.sqlite import connection, schema
from glassmind.store.sqlite.change_log import Log, note_log, text_log, vector_log
from glassmind.store.sqlite.connection import Query, faults_named
from glassmind.store.sqlite.memory import successors_in
from glassmind.store.sqlite.pairs import ScopePairs, sorted_pairs, status_of
from glassmind.store.sqlite.rows import Rows

if TYPE_CHECKING:
    from glassmind.model.index import Document
    from glassmind.model.search import Successor
    from glassmind.model.vectors import NoteVectors


_NOT_WHOLE = (
    "the vault has not been indexed to its end yet, so notes are missing; "
    "glassmind index goes on with it"
)

_DISK_FULL_NOTICE = "The disk seems to be full. Answering from the index as it is."

_RETRY_S = 5.0
"""How long an immutable connection is kept before a usual one is tried again."""

_SWAPPED_S = 0.5
"""How long we wait for a copy that is about to take the place of the rows."""


class _Kept(NamedTuple):
    """A thread's connection, with the file's identity and state when it was opened."""

    db: apsw.Connection
    identity: tuple[int, int]
    state: tuple[int, ...]
    opened: float


class SqliteReader:
    """Owns one read-only connection a thread.

    A database that was deleted or replaced meanwhile is noticed at the next call:
    nobody is answered from a file that is no longer there. `is_ours` is asked at every
    call whether the database may be believed.
    """

    def __init__(
        self, folder: Path, is_ours: Callable[[], bool] = lambda: True
    ) -> None:
        self._is_ours = is_ours
        self.folder, self._database = folder, str(folder / DATABASE)
        self._local = threading.local()
        self._lock = threading.Lock()
        self._opened: dict[int, apsw.Connection] = {}
        self._successors: tuple[str, Mapping[int, Successor]] | None = None

    def rows(self) -> Rows:
        """Return the rows.

        Raises:
            IndexAbsent, IndexDamaged, IndexTooNew: as `open_reader`.
        """
        return Rows(self.connection())

    def log(self) -> "Log[Document]":
        return text_log(self.connection())

    def vector_log(self) -> "Log[NoteVectors] | None":
        """Return the change log of the vectors that answer; None when none do."""
        space = self.rows().answering_space()
        return None if space is None else vector_log(self.connection(), space.id)

    def pending(self, log: "Log[Any]", marker: str | None) -> int | None:
        """Return how many changes a sidecar has yet to apply; None means all."""
        return log.pending(marker)

    def successors(self, head: str) -> "Mapping[int, Successor]":
        """Return which notes were superseded, and by what, as of a head of the log."""
        kept = self._successors
        if kept is None or kept[0] != head:
            kept = self._successors = (head, successors_in(self.connection()))
        return kept[1]

    def notices(self) -> list[str]:
        db = self.connection()
        is_immutable = isinstance(db, connection.ImmutableConnection)
        is_full = is_immutable and os.access(self.folder, os.W_OK)
        full = [_DISK_FULL_NOTICE] if is_full else []
        return full if self.rows().is_whole() else [*full, _NOT_WHOLE]

    def faults(self) -> AbstractContextManager[None]:
        return faults_named(self.folder, self.connection)

    def wrong(self) -> str | None:
        """Return what is wrong with the database as a whole, having read all of it."""
        return connection.wrong_with(self.connection())

    def back_up(self, file: Path) -> None:
        """Write a copy of the rows to a new file.

        Raises:
            BackupUnwritable: the disk does not take it.
        """
        try:
            connection.write_copy(self.connection(), file)
        except connection.FULL as error:
            reason = connection.said(error)
            raise BackupUnwritable(str(file.parent), reason) from error

    def connection(self) -> apsw.Connection:
        """Return this thread's connection to the file that is there now.

        Raises:
            IndexUntrusted: the file is not the one that this user wrote last.
            IndexAbsent, IndexDamaged, IndexTooNew: as `open_reader`.
        """
        kept: _Kept | None = getattr(self._local, "reader", None)
        identity = self._identity()
        if not self._is_ours():
            self._forget()
            raise IndexUntrusted(str(self.folder))
        if kept is not None:
            if kept.identity == identity and self._is_current(kept):
                return kept.db
            self._forget()
        reader = self._opened_as(identity)
        while reader is None:
            identity = self._identity()
            reader = self._opened_as(identity)
        self._local.reader = _Kept(reader, identity, self._state(), time.monotonic())
        self._remember(reader)
        return reader

    def _is_current(self, kept: _Kept) -> bool:
        if not isinstance(kept.db, connection.ImmutableConnection):
            return True
        is_fresh = time.monotonic() < kept.opened + _RETRY_S
        return is_fresh and kept.state == self._state()

    def _state(self) -> tuple[int, ...]:
        file = Path(self._database)
        try:
            facts = file.stat()
        except OSError:
            return ()
        return facts.st_size, facts.st_mtime_ns, connection.logged_bytes(file)

    def _opened_as(self, identity: tuple[int, int]) -> apsw.Connection | None:
        """Open the file; None where it was replaced while we did.

        We may have the old file then, and the log of the new one.
        """
        try:
            reader = connection.open_reader(self.folder)
        except IndexAbsent:
            if self._identity() == identity:
                raise
            return None
        if self._identity() == identity:
            return reader
        reader.close()
        return None

    def _remember(self, reader: apsw.Connection) -> None:
        """Keep it for `close_all`, and let go of those whose threads have ended."""
        alive = {thread.ident for thread in threading.enumerate()}
        with self._lock:
            for thread in self._opened.keys() - alive:
                del self._opened[thread]
            self._opened[threading.get_ident()] = reader

    def _identity(self) -> tuple[int, int]:
        deadline = time.monotonic() + _SWAPPED_S
        while True:
            try:
                found = os.stat(self._database)  # noqa: PTH116 - asked at every call
            except OSError as error:
                is_next = (self.folder / connection.STAGED).exists()
                if is_next and time.monotonic() < deadline:
                    time.sleep(_SWAPPED_S / 100)
                    continue
                self._forget()
                raise IndexAbsent(str(self.folder)) from error
            return (found.st_dev, found.st_ino)

    def _forget(self) -> None:
        """Leave this thread's connection to who still reads by it: the last closes it.

        A question that is under way goes on with the rows it began with.
        """
        self._local.reader = None
        with self._lock:
            self._opened.pop(threading.get_ident(), None)

    def close_all(self) -> None:
        """Close the connection of every thread, but for those that read right now."""
        self.close()
        with self._lock:
            others = list(self._opened.values())
            self._opened.clear()
        for reader in others:
            with suppress(apsw.Error):
                reader.close()

    def close(self) -> None:
        kept: _Kept | None = getattr(self._local, "reader", None)
        if kept is not None:
            kept.db.close()
            self._forget()


_AMONG = "{} in (select value from json_each(:ids))"
"""Which notes are asked for, by the name of their id."""

_FILES = "select id, path from main.files where kind <> 'attachment' and {among}"
_NAMES = "select distinct name from main.properties"
_PROPERTIES = """
select note_id, name, value from main.properties
where name in (select value from json_each(:names))
  and {among} order by note_id, seq
"""
_TAGS = "select note_id, name from main.tags where {among}"
_DASHED = """
select c.note_id, c.text from main.chunks c join main.notes n on n.id = c.note_id
where c.chunk_index = 0
  and substr(ltrim(c.text, char(9, 10, 13, 32, 8203, 65279)), 1, 3) = '---' and (
  n.error is not null or n.warnings <> '[]'
  or not exists (select 1 from main.properties p where p.note_id = n.id))
  and {among}
"""
"""Notes that begin as if they had properties, and have none, or not all of them."""

_WHOLE = """
select group_concat(substr(text, overlap + 1), '') from (
  select text, overlap from main.chunks where note_id = ? order by chunk_index)
"""
_ATTACHMENTS = """
select f.id, f.path, exists (select 1 from main.links l where l.target_id = f.id),
  exists (select 1 from main.links l where l.target_id = f.id and l.note_id in {})
from main.files f where f.kind = 'attachment'
"""


class MarkRows(Query):
    """The marks of notes, over an open database, whatever views hide of it."""

    def marks(
        self,
        names: Callable[[str], str],
        unread_head: Callable[[str], str],
        *,
        by_tags: bool,
        by_place: bool,
        among: Sequence[int] | None = None,
    ) -> Iterator[tuple[int, NoteMarks]]:
        """Yield the marks of notes with their ids: what their properties and tags say.

        `names` returns what a property is called by its name; empty for one that does
        not matter. One that is said twice has a list of what is said. `unread_head`
        tells properties that cannot be read from a note's text. Without `by_place`, of
        a note that has none of all that nothing is said. With `among`, of these notes.
        """
        found: Any = self._db.execute(_NAMES)
        called = {name: word for (name,) in found if (word := names(name))}
        bound = {"names": json.dumps(sorted(called))}
        properties: dict[int, list[tuple[str, object]]] = {}
        for note, name, value in self._ask(_PROPERTIES, "note_id", among, bound):
            said = properties.setdefault(note, [])
            said.append((called[name], json.loads(value)))
        tags: dict[int, list[str]] = {}
        for note, name in self._ask(_TAGS, "note_id", among) if by_tags else ():
            tags.setdefault(note, []).append(name)
        unread = self._unread(unread_head, among)
        for note, path in self._ask(_FILES, "id", among):
            if by_place or note in properties or note in tags or note in unread:
                yield (
                    note,
                    NoteMarks(
                        NotePath(path),
                        tuple(tags.get(note, ())),
                        said_once(properties.get(note, ())),
                        unread.get(note, ""),
                    ),
                )

    def _unread(
        self, unread_head: Callable[[str], str], among: Sequence[int] | None
    ) -> dict[int, str]:
        found: dict[int, str] = {}
        for note, text in self._ask(_DASHED, "n.id", among).fetchall():
            whole: Any = self._db.execute(_WHOLE, (note,)).get
            head = unread_head(whole or text)
            if head:
                found[note] = head
        return found

    def attachments(self, readable: str) -> list[tuple[int, NotePath, bool, bool]]:
        """Return id and path of files that are no notes, and what leads to them.

        Whether any link does, and one of a note that stands in the table `readable`.
        """
        rows: Any = self._db.execute(_ATTACHMENTS.format(readable)).fetchall()
        return [(one, path, bool(any_), bool(seen)) for one, path, any_, seen in rows]

    def _ask(
        self,
        statement: str,
        column: str,
        among: Sequence[int] | None,
        bound: Mapping[str, str] = MappingProxyType({}),
    ) -> Any:
        """Return the rows of some notes, or of all."""
        if among is None:
            return self._db.execute(statement.format(among="true"), dict(bound))
        ids = {"ids": json.dumps(list(among))}
        asked = statement.format(among=_AMONG.format(column))
        return self._db.execute(asked, {**bound, **ids})


_READABLE = "temp.readable"

_VISIBLE = "(select id from temp.readable)"
_ALL_VISIBLE = "(select whole from temp.shown)"
"""Whether no note is hidden."""

_GRAPH_LINKS = "graph_links"
_VIEWS = {
    "files": f"+id in {_VISIBLE}",
    "notes": f"+id in {_VISIBLE}",
    **dict.fromkeys(
        (*schema.OF_NOTES, "note_vectors", "note_secrets"), f"+note_id in {_VISIBLE}"
    ),
    "links": f"+note_id in {_VISIBLE} "
    f"and (target_id is null or +target_id in {_VISIBLE})",
    "memory_events": f"+file_id in {_VISIBLE}",
    "skipped": "may_tell(path)",
    "chunk_vectors": "exists (select 1 from main.chunks c "
    f"where c.id = chunk_id and +c.note_id in {_VISIBLE})",
    "pairs": _ALL_VISIBLE,
    "themes": _ALL_VISIBLE,
    "theme_members": _ALL_VISIBLE,
    "pair_changes": f"+note_id in {_VISIBLE} or {_ALL_VISIBLE}",
}
"""Which rows of each table are shown. The plus signs have rows looked up as if there
were no condition, and asked for it then. Pairs and themes are made from all notes, so
where some are hidden there are none: `pairs` and `themes` of the reader return those of
the visible notes."""

_OTHER_VIEWS = {
    "index_runs": "select id, started_at, reason, seconds, 0 as added, 0 as changed, "
    "0 as moved, 0 as removed, 0 as unchanged, '[]' as failures from main.index_runs",
    _GRAPH_LINKS: f"""
        select note_id, seq, kind, embed, property, line,
          case when target_id in {_VISIBLE} then target_id end as target_id
        from main.links where +note_id in {_VISIBLE}
    """,
}
"""`graph_links` has every link of a visible note, for the graph, which numbers them; a
link to a hidden note leads nowhere."""

_COUNT = "select count(*) from main.notes"
_NOTES = ("select id from main.notes where id in", "select id from notes")
_CHUNKS = ("select id from main.chunks where note_id in", "select id from chunks")
"""The rows of some notes, and those of all that are seen."""

_UNREAD = """
select id from main.files f where kind <> 'attachment'
and not exists (select 1 from main.notes n where n.id = f.id)
"""
"""Files that were to be notes and cannot be read: nobody knows if they are private."""

_NEVER = -1
"""The version of a connection that shows nothing yet."""

_MOST_AGAIN = 5_000
"""Changes up to which notes are judged one by one, and not all at once."""


class Policy(Protocol):
    """Who may read what."""

    def name_of(self, name: str, /) -> str:
        """Return what a property is called by its name; empty where it is none."""

    @property
    def by_tags(self) -> bool:
        """Whether tags have to be looked at."""

    @property
    def by_place(self) -> bool:
        """Whether it matters where a note stands."""

    def may_read(self, marks: NoteMarks, /) -> bool:
        """Whether a note may be read."""

    def may_name(self, path: str, /) -> bool:
        """Whether a file may be told of, by its place."""

    def unread_head(self, text: str, /) -> str:
        """Return what stands where properties should, if they cannot be read."""


class _Hidden(NamedTuple):
    """The notes that are not seen, as of a head of the log."""

    head: str
    notes: frozenset[int]


class _Shown(NamedTuple):
    """What a connection shows: as of which version, without which files.

    `last` is the newest file that it knows.
    """

    db: apsw.Connection
    version: int
    hidden: frozenset[int] = frozenset()
    last: int = 0


Still = Callable[[Mapping[NotePath, int]], Collection[NotePath]]
"""Returns which notes may still be read, of some with when they had been changed."""

Compare = Callable[[Rows, frozenset[int]], ScopePairs]
"""Returns the pairs of the notes that rows show, given the hidden notes."""


class ScopedRows(Rows):
    """The rows that a scope may read, by their files as they are now.

    Stored pairs and themes were made from all notes: hidden ones push visible ones off
    a list, and move the threshold. Where notes are hidden, `compare` returns the pairs
    of the visible notes alone.
    """

    links_table = _GRAPH_LINKS

    def __init__(self, db: apsw.Connection, reader: "ScopedReader") -> None:
        super().__init__(db)
        self._reader = reader

    def hit_rows(self, chunk_ids: Sequence[int]) -> dict[int, HitChunk]:
        found = super().hit_rows(chunk_ids)
        told = self._reader.still({row.path: row.mtime_ns for row in found.values()})
        return {chunk: row for chunk, row in found.items() if row.path in told}

    def themes_are_stored(self) -> bool:
        return not self._reader.hidden_in(self._db).notes

    def _scope_pairs(self) -> ScopePairs | None:
        """Return the pairs of the scope; None if no note is hidden from it."""
        hidden = self._reader.hidden_in(self._db).notes
        return self._reader.compare(self, hidden) if hidden else None

    def partners(
        self, note_ids: Collection[int], *, least: float = 0.0
    ) -> list[Partner]:
        pairs = self._scope_pairs()
        if pairs is None:
            return super().partners(note_ids, least=least)
        every = (one for note in note_ids for one in pairs.of_note(note))
        found = self._current(every, pairs, least)
        names = self.names({one.other_id for one in found})
        there = [one for one in found if one.other_id in names]
        return sorted(
            there, key=lambda p: (p.note_id, -p.similarity, names[p.other_id][0])
        )

    def similar_pairs(self, *, least: float = 0.0) -> list[Pair]:
        pairs = self._scope_pairs()
        if pairs is None:
            return super().similar_pairs(least=least)
        found = self._current(pairs.once(), pairs, least)
        names = self.names({note for one in found for note in one[:2]})
        return sorted_pairs(
            (*names[one], *names[other], similarity)
            for one, other, similarity in found
            if one in names and other in names
        )

    def pair_status(
        self, space: str, dismissed: Collection[Dismissible] = ()
    ) -> PairStatus:
        pairs = self._scope_pairs()
        if pairs is None:
            return super().pair_status(space, dismissed)
        waiting, state = self.pair_lag(space)
        if dismissed:
            found = {
                frozenset((one.path, one.other_path)) for one in self.similar_pairs()
            }
            count = len(found.difference(dismissed))
        else:
            count = len(self._current(pairs.once(), pairs, 0.0))
        made = None if state is None else state._replace(threshold=pairs.threshold)
        return status_of(count, waiting, made)

    def _current(
        self, found: Iterable[Partner], pairs: ScopePairs, least: float
    ) -> list[Partner]:
        changes = self._rows("select distinct note_id from main.pair_changes")
        changed = {note_id for (note_id,) in changes}
        linked_since = """
            select l.note_id, l.target_id from links l where l.note_id in
              (select c.note_id from link_changes c where c.seq > ?)
              and l.target_id is not null
        """
        linked = {frozenset(row) for row in self._rows(linked_since, pairs.link_seq)}
        return [
            one
            for one in found
            if one.similarity >= least
            and one.note_id not in changed
            and one.other_id not in changed
            and not (linked and frozenset(one[:2]) in linked)
        ]


class ScopedReader(SqliteReader):
    """Owns read-only connections that show what a policy lets be read.

    `still` tells which notes may be read that changed since they were indexed, and
    `tells` whether a file may be told of that was left out of the index. `compare`
    makes the pairs of similar notes where some notes are hidden.
    """

    def __init__(  # noqa: PLR0913 - what a reader of a scope depends on
        self,
        folder: Path,
        policy: Policy,
        still: Still,
        tells: Callable[[str], bool],
        compare: Compare,
        *,
        is_ours: Callable[[], bool] = lambda: True,
    ) -> None:
        super().__init__(folder, is_ours)
        self.still, self._tells, self.compare = still, tells, compare
        self._policy, self._judging = policy, Lock()
        self._hidden = _Hidden("", frozenset())
        self._notes: tuple[str, Seen] | None = None
        self._chunks: tuple[str, Seen] | None = None

    def connection(self) -> apsw.Connection:
        """Return this thread's connection, its views as of now.

        In a transaction they are as of that: who keeps what he finds under a head has
        to ask for it there.
        """
        db = super().connection()
        shown: _Shown | None = getattr(self._local, "shown", None)
        if shown is None or shown.db is not db:
            _make_views(db, self._tells)
            shown = _Shown(db, _NEVER)
        version = db.execute("select version from temp.shown").get
        if version == db.pragma("data_version"):
            return db
        with db:  # one state of the rows is judged, and shown
            if version != shown.version:  # what was shown in a transaction is undone
                db.execute(f"delete from {_READABLE}")
                shown = _Shown(db, _NEVER)
            found: Any = db.pragma("data_version")
            hidden, unread = self.hidden_in(db).notes, _ids(db, _UNREAD)
            shown = _show(shown, hidden | unread)
            _leave_out_files(db, self._policy)
            # beside what is shown, so that one is undone with the other
            kept = "update temp.shown set version = ?, whole = ?"
            db.execute(kept, (found, not hidden))
        self._local.shown = shown._replace(version=found)
        return db

    def rows(self) -> ScopedRows:
        """Return the rows, whose hits are of notes that may still be read."""
        return ScopedRows(self.connection(), self)

    def hidden_notes(self) -> frozenset[int]:
        return self.hidden_in(self.connection()).notes

    def embedded_in(self, paths: Collection[NotePath]) -> int:
        statement = """
            select count(distinct v.chunk_id)
            from json_each(?) k join files f on f.path = k.value
            join main.chunks c on c.note_id = f.id
            join main.chunk_vectors v on v.chunk_id = c.id
        """
        bound = (json.dumps(list(paths)),)
        found: Any = self.connection().execute(statement, bound).get
        return int(found)

    def pending(self, log: Log[Any], marker: str | None) -> int | None:
        return log.pending(marker, _READABLE)

    def seen_notes(self) -> Seen:
        """Return which notes are seen, whichever way says it with fewer of them."""
        self._notes = found = self._fewer(self._notes, _NOTES)
        return found[1]

    def seen_chunks(self) -> Seen:
        """Return which chunks are seen, whichever way says it with fewer of them."""
        self._chunks = found = self._fewer(self._chunks, _CHUNKS)
        return found[1]

    def _fewer(
        self, kept: tuple[str, Seen] | None, of: tuple[str, str]
    ) -> tuple[str, Seen]:
        with self.connection():  # what is kept is as of one state of the rows
            db = self.connection()
            head, hidden = self.hidden_in(db)
            if kept is not None and kept[0] == head:
                found = kept
            else:
                found = head, _fewer(db, hidden, of)
        return found

    def hidden_paths(self) -> list[str]:
        db = self.connection()
        hidden = json.dumps(sorted(self.hidden_in(db).notes))
        rows: Any = db.execute(
            "select path from main.files where id in (select value from json_each(?))",
            (hidden,),
        )
        return [path for (path,) in rows]

    def hidden_in(self, db: apsw.Connection) -> _Hidden:
        """Return what may not be read as these rows stand, judged once for a head.

        Only what has changed since is judged again.
        """
        log = note_log(db)
        with self._judging:
            head, known = log.head(), self._hidden
            if known.head == head:
                return known
            pending = log.pending(known.head) if known.head else None
            if pending is None or pending > _MOST_AGAIN:
                notes = frozenset(_judged(db, self._policy, None))
            else:
                changed, _ = log.after(known.head, pending)
                kept = known.notes.difference(changed)
                notes = kept | _judged(db, self._policy, changed)
            self._hidden = _Hidden(head, notes)
            return self._hidden


def _fewer(db: apsw.Connection, notes: frozenset[int], of: tuple[str, str]) -> Seen:
    """Return the rows of notes that are hidden, or all others if these are fewer."""
    some, others = of
    count: Any = db.execute(_COUNT).get
    if 2 * len(notes) <= count:
        asked = f"{some} (select value from json_each(?))"
        return Seen(_ids(db, asked, json.dumps(sorted(notes))))
    return Seen(_ids(db, others), hidden=False)


def _ids(db: apsw.Connection, asked: str, *bound: str) -> frozenset[int]:
    """Return what a statement finds, as one text, which is faster than many rows."""
    whole = f"select json_group_array(id) from ({asked})"
    found: Any = db.execute(whole, bound).get
    return frozenset(json.loads(found))


def _judged(
    db: apsw.Connection, policy: Policy, among: Sequence[int] | None
) -> set[int]:
    marks = MarkRows(db).marks(
        policy.name_of,
        policy.unread_head,
        by_tags=policy.by_tags,
        by_place=policy.by_place,
        among=among,
    )
    return {note for note, one in marks if not policy.may_read(one)}


def _make_views(db: apsw.Connection, tells: Callable[[str], bool]) -> None:
    db.pragma("temp_store", 2)  # in memory: what is hidden from whom is on no disk

    def may_tell(*found: object) -> bool:
        return tells(str(found[0]))

    db.create_scalar_function("may_tell", may_tell, 1)
    db.execute("create temp table if not exists readable (id integer primary key)")
    db.execute("create temp table if not exists shown (version integer, whole integer)")
    db.execute(
        "insert into temp.shown select ?, 0 where not exists (select 1 from shown)",
        (_NEVER,),
    )
    views = {
        name: f"select * from main.{name} where {shown}"
        for name, shown in _VIEWS.items()
    }
    for name, statement in {**views, **_OTHER_VIEWS}.items():
        db.execute(f"create temp view if not exists {name} as {statement}")


def _show(shown: _Shown, hidden: frozenset[int]) -> _Shown:
    """Show all files but hidden ones; what was shown before need not be said again."""
    db = shown.db
    show = f"insert or ignore into {_READABLE} select id from main.files"
    last: Any = db.execute("select max(id) from main.files").get or 0
    db.execute(f"{show} where id > ?", (shown.last,))
    again = json.dumps(sorted(shown.hidden - hidden))
    db.execute(f"{show} where id in (select value from json_each(?))", (again,))
    db.execute(f"{show} where kind = 'attachment'")
    _hide(db, hidden if not shown.last else hidden - shown.hidden)
    return shown._replace(hidden=hidden, last=last)


def _hide(db: apsw.Connection, file_ids: Collection[int]) -> None:
    statement = f"delete from {_READABLE} where id in (select value from json_each(?))"
    db.execute(statement, (json.dumps(sorted(file_ids)),))


def _leave_out_files(db: apsw.Connection, policy: Policy) -> None:
    """Take away files that are no notes and are not seen.

    One that links lead to is seen by who may read one of them. They come and go
    without a change of the log, so they are asked for each time.
    """
    hidden = [
        file
        for file, path, is_linked, is_seen in MarkRows(db).attachments(_READABLE)
        if not (is_seen if is_linked else policy.may_name(path))
    ]
    _hide(db, hidden)
