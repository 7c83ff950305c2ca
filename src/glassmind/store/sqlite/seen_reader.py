"""The rows as somebody sees them who may not read every note.

On each connection stand views in place of the tables, with their names: whatever is
asked, notes that may not be read are not there, nor is anything that tells of them. So
no question can forget to leave them out.
"""

import json
from pathlib import Path
from threading import Lock
from typing import NamedTuple, Protocol, cast

import apsw

from glassmind.store.sqlite import schema
from glassmind.store.sqlite.log import text_log
from glassmind.store.sqlite.mark_rows import MarkRows
from glassmind.store.sqlite.reader import SqliteReader
from glassmind.types.access import NoteMarks, Seen

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
    "skipped": "select * from main.skipped where may_name(path)",
    "index_runs": "select id, started_at, reason, seconds, 0 as added, 0 as changed, "
    "0 as moved, 0 as removed, 0 as unchanged, '[]' as failures from main.index_runs",
}
"""What stands in place of each table. The plus signs have rows looked up as if there
were no condition, and asked for it then."""

_SINCE_VECTORS = {
    "note_vectors": "select * from main.note_vectors where +note_id in {seen}",
    "chunk_vectors": "select * from main.chunk_vectors where exists (select 1 from "
    "main.chunks c where c.id = chunk_id and +c.note_id in {seen})",
}
_SINCE_KNOWLEDGE = {
    "pairs": "select * from main.pairs where +note_id in {seen} "
    "and +other_id in {seen}",
    "themes": "select id, 'theme ' || id as label, '{{}}' as summary from main.themes",
    "theme_members": "select * from main.theme_members where +note_id in {seen}",
}
_SINCE_MEMORY = {
    "memory_events": "select * from main.memory_events where +file_id in {seen}",
}
_SINCE_SECRETS = {
    "note_secrets": "select * from main.note_secrets where +note_id in {seen}",
}
VIEWS = (_BARE, _SINCE_VECTORS, _SINCE_KNOWLEDGE, _SINCE_MEMORY, _SINCE_SECRETS)
"""By the version of the file that has their tables."""


COUNT = "select count(*) from main.notes"
NOTES = "select id from main.notes where id {} (select value from json_each(?))"
CHUNKS = """
select id from main.chunks where note_id {} (select value from json_each(?))
"""


class Policy(Protocol):
    """Who may read what."""

    @property
    def names(self) -> frozenset[str]:
        """The properties that have to be looked at, in lower case."""

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


class SeenReader(SqliteReader):
    """Owns read-only connections that show what a policy lets be read."""

    def __init__(self, folder: Path, policy: Policy) -> None:
        super().__init__(folder)
        self._policy, self._judging = policy, Lock()
        self._hidden = _Hidden("", frozenset())
        self._notes: tuple[frozenset[int], Seen] | None = None
        self._chunks: tuple[str, Seen] | None = None

    def connection(self) -> apsw.Connection:
        """Return this thread's connection, its views as of now."""
        db = super().connection()
        known = getattr(self._local, "level", None)
        if known is None or known[0] is not db:
            _make_views(db, self._policy)
        elif db.in_transaction or known[1] == db.pragma("data_version"):
            return cast("apsw.Connection", db)
        with db:  # one state of the rows is judged, and shown
            version = db.pragma("data_version")
            notes = self._hidden_in(db)
            _show(db, notes | _hidden_files(db, self._policy, notes))
        self._local.level = (db, version)
        return db

    def hidden(self) -> frozenset[int]:
        """Return the ids of the notes that may not be read."""
        return self._hidden_in(self.connection())

    def seen_notes(self) -> Seen:
        """Return which notes are seen, whichever way says it with fewer of them."""
        hidden = self.hidden()
        if self._notes is None or self._notes[0] is not hidden:
            found = _fewer(self.connection(), hidden, NOTES)
            self._notes = (hidden, found)
        return self._notes[1]

    def seen_chunks(self) -> Seen:
        """Return which chunks are seen, whichever way says it with fewer of them."""
        db = self.connection()
        head = text_log(db).head()
        if self._chunks is None or self._chunks[0] != head:
            self._chunks = (head, _fewer(db, self._hidden_in(db), CHUNKS))
        return self._chunks[1]

    def _hidden_in(self, db: apsw.Connection) -> frozenset[int]:
        """Return what may not be read as these rows stand, judged once for a head."""
        head = text_log(db).head()
        with self._judging:
            if self._hidden.head != head:
                self._hidden = _Hidden(head, frozenset(_judged(db, self._policy)))
            return self._hidden.notes


def _fewer(db: apsw.Connection, notes: frozenset[int], of: str) -> Seen:
    """Return the rows of notes that are hidden, or all others if these are fewer."""
    hidden, count = json.dumps(sorted(notes)), db.execute(COUNT).get
    is_small = 2 * len(notes) <= (count or 0)
    rows = db.execute(of.format("in" if is_small else "not in"), (hidden,))
    return Seen(frozenset(one for (one,) in rows), hidden=is_small)


def _judged(db: apsw.Connection, policy: Policy) -> set[int]:
    marks = MarkRows(db).marks(
        policy.names,
        policy.unread_head,
        by_tags=policy.by_tags,
        by_place=policy.by_place,
    )
    return {note for note, one in marks if not policy.may_read(one)}


def _hidden_files(
    db: apsw.Connection, policy: Policy, notes: frozenset[int]
) -> set[int]:
    """Return the files that are no notes and are not seen.

    One that links lead to is seen by who may read one of them. They come and go
    without a change of the log, so they are asked for each time.
    """
    return {
        file
        for file, path, is_linked, is_seen in MarkRows(db).attachments(notes)
        if not (is_seen if is_linked else policy.may_name(path))
    }


def _make_views(db: apsw.Connection, policy: Policy) -> None:
    db.pragma("temp_store", 2)  # in memory: what is hidden from whom is on no disk

    def may_name(*found: object) -> bool:
        return policy.may_name(str(found[0]))

    db.create_scalar_function("may_name", may_name, 1)
    db.execute("create temp table if not exists readable (id integer primary key)")
    for views in VIEWS[: schema.version_of(db)]:
        for name, shown in views.items():
            seen = f"(select id from {READABLE})"  # noqa: S608 - our own words
            body = shown.format(seen=seen)
            db.execute(f"create temp view if not exists {name} as {body}")


def _show(db: apsw.Connection, hidden: frozenset[int]) -> None:
    db.execute(f"delete from {READABLE}")  # noqa: S608 - our own words
    db.execute(
        f"insert into {READABLE} select id from main.files "  # noqa: S608 - as above
        "where id not in (select value from json_each(?))",
        (json.dumps(sorted(hidden)),),
    )
