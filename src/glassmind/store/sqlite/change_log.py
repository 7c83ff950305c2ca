"""Notes as the word index sees them, read from the rows."""

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import apsw

from glassmind.model.index import Document, Passage
from glassmind.store.sqlite import schema

if TYPE_CHECKING:
    from glassmind.model.index import Document
    from glassmind.model.vectors import NoteVectors


_DOC_NOTES = """
select n.id, f.path, n.title, n.aliases, n.day, f.mtime_ns
from notes n join files f on f.id = n.id where n.id in (select value from json_each(?))
"""
_DOC_TAGS = """
select distinct note_id, folded from tags
where note_id in (select value from json_each(?)) order by note_id, folded
"""
_DOC_PROPERTIES = """
select note_id, name, value from properties
where note_id in (select value from json_each(?)) order by note_id, seq
"""
_DOC_CHUNKS = """
select note_id, id, heading_path, start_line, end_line, text from chunks
where note_id in (select value from json_each(?)) order by note_id, chunk_index
"""
_DOC_HEADINGS = """
select note_id, line, text from headings
where note_id in (select value from json_each(?)) order by note_id, seq
"""


def documents(
    db: apsw.Connection, note_ids: Iterable[int], just_written: Mapping[int, Document]
) -> list[Document]:
    """Return the notes as they are, by id; one that is gone has none.

    Those in `just_written` are not read again.
    """
    wanted = sorted(note_ids)
    unread = [note_id for note_id in wanted if note_id not in just_written]
    read = _read(db, unread) if unread else {}
    return [found for i in wanted if (found := just_written.get(i) or read.get(i))]


def _read(db: apsw.Connection, note_ids: Sequence[int]) -> dict[int, Document]:
    ids, ask = (json.dumps(note_ids),), db.execute
    tags = _grouped(ask(_DOC_TAGS, ids))
    properties = _grouped(ask(_DOC_PROPERTIES, ids))
    headings = _grouped(ask(_DOC_HEADINGS, ids))
    chunks = _grouped(ask(_DOC_CHUNKS, ids))
    found = {}
    for note_id, path, title, aliases, day, mtime_ns in ask(_DOC_NOTES, ids):
        titles = headings.get(note_id, [])
        found[note_id] = Document(
            note_id,
            path,
            title,
            json.loads(aliases),
            [name for (name,) in tags.get(note_id, ())],
            [(name, json.loads(v)) for name, v in properties.get(note_id, ())],
            day,
            mtime_ns,
            [
                Passage(i, headings_of(json.loads(under), titles, span), text)
                for i, under, *span, text in chunks.get(note_id, ())
            ],
        )
    return found


def headings_of(
    under: Sequence[str], titles: Sequence[tuple[int, str]], span: Iterable[int]
) -> Sequence[str]:
    """Return the headings a passage stands under and those inside it, each once.

    `titles` are all headings of the note with their lines, in order.
    """
    first, last = span
    begin, end = bisect_left(titles, (first,)), bisect_left(titles, (last + 1,))
    inside = [text for _, text in titles[begin:end]]
    told = (*under, *inside) if inside != [*under[-1:]] else under
    return told if len(told) < 2 else list(dict.fromkeys(told))  # noqa: PLR2004


def _grouped(rows: Iterable[tuple[Any, ...]]) -> dict[int, list[tuple[Any, ...]]]:
    groups: dict[int, list[tuple[Any, ...]]] = {}
    for row in rows:
        groups.setdefault(row[0], []).append(row[1:])
    return groups


T_co = TypeVar("T_co", covariant=True)

_LOGS_LINKS = 3
"""The version of a file from which on changes to links are logged."""

EPOCH = "select value from settings where key = 'epoch'"
_NOTE_IDS = """
select f.id, f.path from files f join notes n on n.id = f.id
where f.path > ? order by f.path limit ?
"""
_SIZES = "select id, size from files where id in (select value from json_each(?))"

_BATCH_BYTES = 16_000_000
"""Notes that a sidecar reads at once; one that is larger is read alone."""


class Statements:
    """What is asked of one log, which is empty when there are no rows it tells of."""

    def __init__(self, log: str, rows: str) -> None:
        def of(asked: str) -> str:
            return asked.replace("LOG", log).replace("ROWS", rows)

        self.empty = of(
            "select not exists (select 1 from LOG) and not exists (select 1 from ROWS)"
        )
        self.head = of("select seq, token from LOG order by seq desc limit 1")
        self.first = of("select min(seq) from LOG")
        self.token = of("select token from LOG where seq = ?")
        self.pending = of("select count(*) from LOG where seq > ?")
        self.pending_among = of(
            "select count(*) from LOG where seq > ? and note_id in (select id from {})"
        )
        self.following = of(
            "select seq, note_id, token from LOG where seq > ? order by seq limit ?"
        )
        self.prune = of("delete from LOG where seq < ?")


_TEXT = Statements("changes", "notes")
_LINKS = Statements("link_changes", "notes")
"""Tells of every change to a note, and is not forgotten when a sidecar has followed."""
_VECTORS = Statements("vector_changes", "chunk_vectors")


class Log(Generic[T_co]):
    """One change log of an open database; `read` returns notes as they are now.

    `branch` is added to the epoch: a sidecar of one branch never followed another.
    """

    def __init__(
        self,
        db: apsw.Connection,
        statements: Statements,
        read: Callable[[Iterable[int]], list[T_co]],
        branch: str = "",
    ) -> None:
        self._db, self._ask, self._read = db, statements, read
        self._branch = branch

    def head(self) -> str:
        """Return the marker a sidecar has when it has applied everything."""
        row: Any = self._db.execute(self._ask.head).fetchone()
        return self._marker(*row) if row else self._marker(0, b"")

    def is_empty(self) -> bool:
        """Whether nothing was ever written that a sidecar could hold."""
        return bool(self._db.execute(self._ask.empty).get)

    def holds(self, marker: str) -> bool:
        """Whether the marker was reached by following this very log."""
        epoch, _, rest = marker.partition(":")
        seq, _, token = rest.partition(":")
        if epoch != self._epoch() or not seq.isdigit():
            return False
        if seq == "0":
            return self._db.execute(self._ask.first).get in (None, 1)
        found = self._db.execute(self._ask.token, (int(seq),)).get
        return found is not None and found.hex() == token

    def pending(self, marker: str | None, among: str = "") -> int | None:
        """Return how many changes are yet to be applied; None means all of them.

        `among` names a table with the ids of the notes that count; without it, all do.
        """
        if marker is None or not self.holds(marker):
            return None
        seq = int(marker.split(":")[1])
        ask = self._ask.pending_among.format(among) if among else self._ask.pending
        found: Any = self._db.execute(ask, (seq,)).get
        return int(found)

    def after(self, marker: str, limit: int) -> tuple[list[int], str]:
        """Return the notes changed next, each once, and the marker they lead to."""
        seq = int(marker.split(":")[1])
        rows: Any = self._db.execute(self._ask.following, (seq, limit)).fetchall()
        if not rows:
            return [], marker
        ids = self._bounded([row[1] for row in rows])
        last, _, token = rows[len(ids) - 1]
        return list(dict.fromkeys(ids)), self._marker(last, token)

    def all_notes(self, batch: int) -> Iterator[list[int]]:
        """Yield the ids of every note, by path, in batches.

        By path and not by id, so that equal vaults make equal sidecars.
        """
        last = ""
        while True:
            rows: Any = self._db.execute(_NOTE_IDS, (last, batch)).fetchall()
            if not rows:
                return
            ids = self._bounded([row[0] for row in rows])
            yield ids
            last = rows[len(ids) - 1][1]

    def _bounded(self, note_ids: list[int]) -> list[int]:
        """Return the first of some notes, as many as `_BATCH_BYTES` allows."""
        found = self._db.execute(_SIZES, (json.dumps(note_ids),))
        sizes = {int(str(row[0])): int(str(row[1])) for row in found}
        totals = accumulate(sizes.get(note_id, 0) for note_id in note_ids)
        count = sum(total <= _BATCH_BYTES for total in totals)
        return note_ids[: max(count, 1)]

    def current(self, note_ids: Iterable[int]) -> list[T_co]:
        """Return the notes as they are, by id; one that is gone has none."""
        return self._read(note_ids)

    def prune(self, marker: str) -> None:
        """Forget what leads to a marker of this log, keeping the change it names."""
        self._db.execute(self._ask.prune, (int(marker.split(":")[1]),))

    def _epoch(self) -> str:
        return f"{self._db.execute(EPOCH).get}{self._branch}"

    def _marker(self, seq: int, token: bytes) -> str:
        return f"{self._epoch()}:{seq}:{token.hex()}"


def _documents(
    db: apsw.Connection, note_ids: Iterable[int], just_written: "Mapping[int, Document]"
) -> "list[Document]":
    # a search that finds the sidecars level does without it

    return documents(db, note_ids, just_written)


def text_log(
    db: apsw.Connection, just_written: "Mapping[int, Document] | None" = None
) -> "Log[Document]":
    """Return the log of what notes say.

    `just_written` are the notes of the last transaction: they need not be read again.
    """
    kept = {} if just_written is None else just_written
    return Log(db, _TEXT, lambda note_ids: _documents(db, note_ids, kept))


def note_log(db: apsw.Connection) -> "Log[Document]":
    """Return the log of whatever was changed of notes, the last ten thousand times.

    In a file of a former release it is that of what they say.
    """
    if schema.version_of(db) < _LOGS_LINKS:
        return text_log(db)
    return Log(db, _LINKS, lambda note_ids: _documents(db, note_ids, {}))


def vector_log(db: apsw.Connection, space_id: int) -> "Log[NoteVectors]":
    """Return the log of vectors, for a sidecar of one space."""
    # a search by words alone does without it
    from glassmind.store.sqlite.vectors import note_vectors  # noqa: PLC0415

    branch = f".{space_id}"
    return Log(db, _VECTORS, lambda ids: note_vectors(db, space_id, ids), branch)
