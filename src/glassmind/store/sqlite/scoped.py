"""What a scope may read of the rows."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw
from msgspec.structs import replace

from glassmind.model import NotePath
from glassmind.model.access import NoteMarks, Seen, said_once
from glassmind.model.search import HitChunk
from glassmind.model.suggestions import (
    Dismissible,
    Pair,
    PairStatus,
    Partner,
    ScopePairs,
)
from glassmind.store.protocol import Policy, View
from glassmind.store.sqlite import schema
from glassmind.store.sqlite.change_log import note_log
from glassmind.store.sqlite.pairs import sorted_pairs
from glassmind.store.sqlite.rows import SqliteRows
from glassmind.store.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from glassmind.model.vectors import Space
    from glassmind.store.lexical.search import KeywordIndex
    from glassmind.store.protocol import Vectors

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


def _marked(
    db: apsw.Connection, policy: Policy, among: Sequence[int] | None
) -> Iterator[tuple[int, NoteMarks]]:
    """Yield what properties and tags say of notes, with their ids; of some or of all.

    A property that is said twice has a list of what is said. Unless places matter,
    notes of which nothing is said are left out.
    """
    names: Any = db.execute(_NAMES)
    called = {name: word for (name,) in names if (word := policy.name_of(name))}
    bound = {"names": json.dumps(sorted(called))}
    properties: dict[int, list[tuple[str, object]]] = {}
    for note, name, value in _of_some(db, _PROPERTIES, "note_id", among, bound):
        said = properties.setdefault(note, [])
        said.append((called[name], json.loads(value)))
    tags: dict[int, list[str]] = {}
    for note, name in _of_some(db, _TAGS, "note_id", among) if policy.by_tags else ():
        tags.setdefault(note, []).append(name)
    unread: dict[int, str] = {}
    for note, text in _of_some(db, _DASHED, "n.id", among).fetchall():
        whole: Any = db.execute(_WHOLE, (note,)).get
        if head := policy.unread_head(whole or text):
            unread[note] = head
    for note, path in _of_some(db, _FILES, "id", among):
        if policy.by_place or note in properties or note in tags or note in unread:
            marks = NoteMarks(
                NotePath(path),
                tuple(tags.get(note, ())),
                said_once(properties.get(note, ())),
                unread.get(note, ""),
            )
            yield note, marks


def _of_some(
    db: apsw.Connection,
    statement: str,
    column: str,
    among: Sequence[int] | None,
    bound: Mapping[str, str] = MappingProxyType({}),
) -> Any:
    """Return the rows of some notes, or of all."""
    if among is None:
        return db.execute(statement.format(among="true"), dict(bound))
    ids = {"ids": json.dumps(list(among))}
    return db.execute(statement.format(among=_AMONG.format(column)), {**bound, **ids})


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
where some are hidden there are none: `ScopedRows` returns those of
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


class ScopedRows(SqliteRows):
    """The rows that a scope may read, by their files as they are now.

    Stored pairs and themes were made from all notes: hidden ones push visible ones off
    a list, and move the threshold. Where notes are hidden, `compare` returns the pairs
    of the visible notes alone.
    """

    links_table = _GRAPH_LINKS

    def __init__(self, db: apsw.Connection, store: "SqliteScopedStore") -> None:
        super().__init__(db)
        self._store, self._view = store, store.view

    def hit_rows(self, chunk_ids: Sequence[int]) -> dict[int, HitChunk]:
        chunks = super().hit_rows(chunk_ids)
        readable = self._view.still({row.path: row.mtime_ns for row in chunks.values()})
        return {chunk: row for chunk, row in chunks.items() if row.path in readable}

    def themes_are_stored(self) -> bool:
        return not self._store.hidden_in(self._db).notes

    def _scope_pairs(self) -> ScopePairs | None:
        """Return the pairs of the scope; None if no note is hidden from it."""
        hidden = self._store.hidden_in(self._db).notes
        return self._view.compare(self, hidden) if hidden else None

    def partners(
        self, note_ids: Collection[int], *, least: float = 0.0
    ) -> list[Partner]:
        pairs = self._scope_pairs()
        if pairs is None:
            return super().partners(note_ids, least=least)
        partners = self._current(
            (pair for note in note_ids for pair in pairs.of_note(note)), pairs, least
        )
        names = self.names({pair.other_id for pair in partners})
        return sorted(
            (pair for pair in partners if pair.other_id in names),
            key=lambda p: (p.note_id, -p.similarity, names[p.other_id][0]),
        )

    def similar_pairs(
        self, path: NotePath | None = None, *, least: float = 0.0
    ) -> list[Pair]:
        pairs = self._scope_pairs()
        if pairs is None or path is not None:  # by way of `partners`
            return super().similar_pairs(path, least=least)
        partners = self._current(pairs.once(), pairs, least)
        names = self.names({note for pair in partners for note in pair[:2]})
        return sorted_pairs(
            (*names[note], *names[other], similarity)
            for note, other, similarity in partners
            if note in names and other in names
        )

    def pair_status(
        self, space: str, dismissed: Collection[Dismissible] = ()
    ) -> PairStatus:
        status, pairs = super().pair_status(space, dismissed), self._scope_pairs()
        if pairs is None or status.threshold is None:
            return status
        return replace(status, threshold=pairs.threshold)

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
            pair
            for pair in found
            if pair.similarity >= least
            and pair.note_id not in changed
            and pair.other_id not in changed
            and not (linked and frozenset(pair[:2]) in linked)
        ]


class SqliteScopedStore(SqliteStore):
    """Owns read-only connections that show what a policy lets be read."""

    _counted = _READABLE

    def __init__(
        self, whole: SqliteStore, view: View, is_ours: Callable[[], bool]
    ) -> None:
        super().__init__(whole.folder, is_ours, whole.sidecars)
        self._whole, self.view, self._judging = whole, view, Lock()
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
            _make_views(db, self.view.tells)
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
            _leave_out_files(db, self.view.policy)
            # beside what is shown, so that one is undone with the other
            kept = "update temp.shown set version = ?, whole = ?"
            db.execute(kept, (found, not hidden))
        self._local.shown = shown._replace(version=found)
        return db

    def rows(self) -> ScopedRows:
        """Return the rows, whose hits are of notes that may still be read."""
        return ScopedRows(self.connection(), self)

    def keywords(self) -> "KeywordIndex | None":
        index = self._whole.keywords()
        return index and index.visible_to(self.seen_notes)

    def vectors(self, space: "Space") -> "Vectors | None":
        return self._matrix(space, self.seen_chunks)

    def close_keywords(self) -> None:
        """The keyword index is that of the whole vault, which closes it."""

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

    def seen_notes(self) -> Seen:
        """Return the visible notes or the hidden ones, whichever are fewer."""
        self._notes = found = self._fewer(self._notes, _NOTES)
        return found[1]

    def seen_chunks(self) -> Seen:
        """Return the visible chunks or the hidden ones, by which notes are fewer."""
        self._chunks = found = self._fewer(self._chunks, _CHUNKS)
        return found[1]

    def _fewer(
        self, known: tuple[str, Seen] | None, statements: tuple[str, str]
    ) -> tuple[str, Seen]:
        db = self.connection()
        with db:  # what is cached is of one state of the rows
            db = self.connection()
            head, hidden = self.hidden_in(db)
            if known is not None and known[0] == head:
                visible = known[1]
            else:
                visible = _visible(db, hidden, statements)
        return head, visible

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
                notes = frozenset(_judged(db, self.view.policy, None))
            else:
                changed, _ = log.after(known.head, pending)
                kept = known.notes.difference(changed)
                notes = kept | _judged(db, self.view.policy, changed)
            self._hidden = _Hidden(head, notes)
            return self._hidden


def _visible(
    db: apsw.Connection, hidden: frozenset[int], statements: tuple[str, str]
) -> Seen:
    of_some, of_visible = statements
    count: Any = db.execute("select count(*) from main.notes").get
    if 2 * len(hidden) > count:
        return Seen(_ids(db, of_visible), hidden=False)
    statement = f"{of_some} (select value from json_each(?))"
    return Seen(_ids(db, statement, json.dumps(sorted(hidden))))


def _ids(db: apsw.Connection, asked: str, *bound: str) -> frozenset[int]:
    """Return what a statement finds, as one text, which is faster than many rows."""
    whole = f"select json_group_array(id) from ({asked})"
    found: Any = db.execute(whole, bound).get
    return frozenset(json.loads(found))


def _judged(
    db: apsw.Connection, policy: Policy, among: Sequence[int] | None
) -> set[int]:
    marks = _marked(db, policy, among)
    return {note for note, known in marks if not policy.may_read(known)}


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
    rows: Any = db.execute(_ATTACHMENTS.format(_READABLE)).fetchall()
    hidden = [
        file
        for file, path, is_linked, is_visible in rows
        if not (is_visible if is_linked else policy.may_name(path))
    ]
    _hide(db, hidden)
