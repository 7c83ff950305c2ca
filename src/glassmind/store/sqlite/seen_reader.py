"""The rows as somebody sees them who may not read every note.

On each connection stand views in place of the tables, with their names: whatever is
asked, notes that may not be read are not there, nor is anything that tells of them. So
no question can forget to leave them out.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, Protocol

import apsw

from glassmind.model import NotePath
from glassmind.model.access import NoteMarks, Seen
from glassmind.store.sqlite import schema
from glassmind.store.sqlite.log import Log, note_log
from glassmind.store.sqlite.mark_rows import MarkRows
from glassmind.store.sqlite.pair_rows import SINCE as SINCE_PAIRS
from glassmind.store.sqlite.pair_rows import PairRows, ScopePairRows, ScopePairs
from glassmind.store.sqlite.read import Rows
from glassmind.store.sqlite.reader import SqliteReader
from glassmind.store.sqlite.theme_rows import ThemeRows

READABLE = "temp.readable"

_OF_NOTES = (
    "chunks",
    "headings",
    "tags",
    "properties",
    "tasks",
    "blocks",
    "fields",
    "callouts",
)

_BARE = {
    "files": "select * from main.files where +id in {seen}",
    "notes": "select * from main.notes where +id in {seen}",
    **{
        name: f"select * from main.{name} where +note_id in {{seen}}"  # noqa: S608
        for name in _OF_NOTES
    },
    "links": "select * from main.links where +note_id in {seen} "
    "and (target_id is null or +target_id in {seen})",
    "skipped": "select * from main.skipped where may_tell(path)",
    "index_runs": "select id, started_at, reason, seconds, 0 as added, 0 as changed, "
    "0 as moved, 0 as removed, 0 as unchanged, '[]' as failures from main.index_runs",
}
"""What stands in place of each table. The plus signs have rows looked up as if there
were no condition, and asked for it then."""

WHOLE = "(select whole from temp.shown)"
"""Whether no note is hidden."""

_SINCE_VECTORS = {
    "note_vectors": "select * from main.note_vectors where +note_id in {seen}",
    "chunk_vectors": "select * from main.chunk_vectors where exists (select 1 from "
    "main.chunks c where c.id = chunk_id and +c.note_id in {seen})",
}
_SINCE_KNOWLEDGE = {
    "pairs": "select * from main.pairs where {whole}",
    "themes": "select * from main.themes where {whole}",
    "theme_members": "select * from main.theme_members where {whole}",
    "pair_changes": "select * from main.pair_changes "
    "where +note_id in {seen} or {whole}",
}
"""Pairs and themes are made from all notes, so where some are hidden there are none:
`pairs` and `themes` of the reader return those of the visible notes."""

_SINCE_MEMORY = {
    "memory_events": "select * from main.memory_events where +file_id in {seen}",
}
_SINCE_SECRETS = {
    "note_secrets": "select * from main.note_secrets where +note_id in {seen}",
}
_SINCE_OWN_PAIRS: dict[str, str] = {}
VIEWS = (
    _BARE,
    _SINCE_VECTORS,
    _SINCE_KNOWLEDGE,
    _SINCE_MEMORY,
    _SINCE_SECRETS,
    _SINCE_OWN_PAIRS,
)
"""By the version of the file that has their tables; the last brought none."""

GRAPH_LINKS = "graph_links"
_GRAPH_LINKS = """
select note_id, seq, kind, embed, property, line,
  case when target_id in {seen} then target_id end as target_id
from main.links where +note_id in {seen}
"""
"""Every link of a note for the graph, which numbers them; one to what is not seen
leads nowhere."""

COUNT = "select count(*) from main.notes"
NOTES = ("select id from main.notes where id in", "select id from notes")
CHUNKS = ("select id from main.chunks where note_id in", "select id from chunks")
"""The rows of some notes, and those of all that are seen."""

UNREAD = """
select id from main.files f where kind <> 'attachment'
and not exists (select 1 from main.notes n where n.id = f.id)
"""
"""Files that were to be notes and cannot be read: nobody knows if they are private."""

PATHS = """
select path from main.files where id in (select value from json_each(?))
"""
LAST = "select max(id) from main.files"
SHOW_NEW = f"""
insert or ignore into {READABLE} select id from main.files where id > ?
"""  # noqa: S608 - our own words
SHOW = f"""
insert or ignore into {READABLE} select f.id from json_each(?) k
join main.files f on f.id = k.value
"""  # noqa: S608 - our own words
SHOW_FILES = f"""
insert or ignore into {READABLE} select id from main.files where kind = 'attachment'
"""  # noqa: S608 - our own words
HIDE = f"""
delete from {READABLE} where id in (select value from json_each(?))
"""  # noqa: S608 - our own words

EMBEDDED = """
select count(distinct v.chunk_id) from json_each(?) k join files f on f.path = k.value
join main.chunks c on c.note_id = f.id join main.chunk_vectors v on v.chunk_id = c.id
"""

HIDE_ALL = f"delete from {READABLE}"  # noqa: S608 - our own words
SHOWN = "select version from temp.shown"
SHOW_VERSION = "update temp.shown set version = ?, whole = ?"
"""Kept beside what is shown, so that one is undone with the other."""

NEVER = -1
"""The version of a connection that shows nothing yet."""

MOST_AGAIN = 5_000
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

Compare = Callable[[apsw.Connection, frozenset[int]], ScopePairs]
"""Returns the pairs of the notes that a connection shows, given the hidden notes."""

PATH_AT, CHANGED_AT = 1, 8
"""Where a row of a hit has the path of its note, and when that was changed."""


class SeenRows(Rows):
    """The rows of hits that may be read as their files are now."""

    def __init__(self, db: apsw.Connection, still: Still) -> None:
        super().__init__(db)
        self._still = still

    def hit_rows(self, chunk_ids: Sequence[int]) -> dict[int, tuple[Any, ...]]:
        """Return what a hit shows for each chunk that is still there."""
        found = super().hit_rows(chunk_ids)
        told = self._still({row[PATH_AT]: row[CHANGED_AT] for row in found.values()})
        return {chunk: row for chunk, row in found.items() if row[PATH_AT] in told}


class SeenReader(SqliteReader):
    """Owns read-only connections that show what a policy lets be read.

    `still` tells which notes may be read that changed since they were indexed, and
    `tells` whether a file may be told of that was left out of the index. `compare`
    makes the pairs of similar notes where some notes are hidden.
    """

    graph_links = GRAPH_LINKS

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
        self._still, self._tells, self._compare = still, tells, compare
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
            shown = _Shown(db, NEVER)
        version = db.execute(SHOWN).get
        if version == db.pragma("data_version"):
            return db
        with db:  # one state of the rows is judged, and shown
            if version != shown.version:  # what was shown in a transaction is undone
                db.execute(HIDE_ALL)
                shown = _Shown(db, NEVER)
            found: Any = db.pragma("data_version")
            hidden, unread = self._hidden_in(db).notes, _ids(db, UNREAD)
            shown = _show(shown, hidden | unread)
            _leave_out_files(db, self._policy)
            db.execute(SHOW_VERSION, (found, not hidden))
        self._local.shown = shown._replace(version=found)
        return db

    def rows(self) -> SeenRows:
        """Return the rows, whose hits are of notes that may still be read."""
        return SeenRows(self.connection(), self._still)

    def hidden_notes(self) -> frozenset[int]:
        """Return the ids of the notes that may not be read."""
        return self._hidden_in(self.connection()).notes

    def embedded_in(self, paths: Collection[NotePath]) -> int:
        """Return how many passages of some visible notes have vectors."""
        found: Any = self.connection().execute(EMBEDDED, (json.dumps(list(paths)),)).get
        return int(found)

    def pending(self, log: Log[Any], marker: str | None) -> int | None:
        """Return how many changes of visible notes a sidecar has yet to apply."""
        return log.pending(marker, READABLE)

    def pairs(self) -> PairRows:
        """Return the pairs of similar notes: stored ones if no note is hidden."""
        db = self.connection()
        hidden = self._hidden_in(db).notes
        if not hidden or schema.version_of(db) < SINCE_PAIRS:
            return PairRows(db)
        return ScopePairRows(db, lambda: self._compare(db, hidden))

    def themes(self) -> ThemeRows:
        """Return the stored themes, which count only if no note is hidden."""
        db = self.connection()
        return ThemeRows(db, stored=not self._hidden_in(db).notes)

    def seen_notes(self) -> Seen:
        """Return which notes are seen, whichever way says it with fewer of them."""
        self._notes = found = self._fewer(self._notes, NOTES)
        return found[1]

    def seen_chunks(self) -> Seen:
        """Return which chunks are seen, whichever way says it with fewer of them."""
        self._chunks = found = self._fewer(self._chunks, CHUNKS)
        return found[1]

    def _fewer(
        self, kept: tuple[str, Seen] | None, of: tuple[str, str]
    ) -> tuple[str, Seen]:
        with self.connection():  # what is kept is as of one state of the rows
            db = self.connection()
            head, hidden = self._hidden_in(db)
            if kept is not None and kept[0] == head:
                found = kept
            else:
                found = head, _fewer(db, hidden, of)
        return found

    def hidden_paths(self) -> list[str]:
        """Return where the notes stand that may not be read."""
        db = self.connection()
        hidden = json.dumps(sorted(self._hidden_in(db).notes))
        rows: Any = db.execute(PATHS, (hidden,))
        return [path for (path,) in rows]

    def _hidden_in(self, db: apsw.Connection) -> _Hidden:
        """Return what may not be read as these rows stand, judged once for a head.

        Only what has changed since is judged again.
        """
        log = note_log(db)
        with self._judging:
            head, known = log.head(), self._hidden
            if known.head == head:
                return known
            pending = log.pending(known.head) if known.head else None
            if pending is None or pending > MOST_AGAIN:
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
    count: Any = db.execute(COUNT).get
    if 2 * len(notes) <= count:
        asked = f"{some} (select value from json_each(?))"  # noqa: S608 - our own
        return Seen(_ids(db, asked, json.dumps(sorted(notes))))
    return Seen(_ids(db, others), hidden=False)


def _ids(db: apsw.Connection, asked: str, *bound: str) -> frozenset[int]:
    """Return what a statement finds, as one text, which is faster than many rows."""
    whole = f"select json_group_array(id) from ({asked})"  # noqa: S608 - our own words
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
        (NEVER,),
    )
    for views in (*VIEWS[: schema.version_of(db)], {GRAPH_LINKS: _GRAPH_LINKS}):
        for name, shown in views.items():
            seen = f"(select id from {READABLE})"  # noqa: S608 - our own words
            body = shown.format(seen=seen, whole=WHOLE)
            db.execute(f"create temp view if not exists {name} as {body}")


def _show(shown: _Shown, hidden: frozenset[int]) -> _Shown:
    """Show all files but hidden ones; what was shown before need not be said again."""
    db = shown.db
    last: Any = db.execute(LAST).get or 0
    db.execute(SHOW_NEW, (shown.last,))
    db.execute(SHOW, (json.dumps(sorted(shown.hidden - hidden)),))
    db.execute(SHOW_FILES)
    new = hidden if not shown.last else hidden - shown.hidden
    db.execute(HIDE, (json.dumps(sorted(new)),))
    return shown._replace(hidden=hidden, last=last)


def _leave_out_files(db: apsw.Connection, policy: Policy) -> None:
    """Take away files that are no notes and are not seen.

    One that links lead to is seen by who may read one of them. They come and go
    without a change of the log, so they are asked for each time.
    """
    hidden = [
        file
        for file, path, is_linked, is_seen in MarkRows(db).attachments(READABLE)
        if not (is_seen if is_linked else policy.may_name(path))
    ]
    db.execute(HIDE, (json.dumps(hidden),))
