"""The change logs: what was written, and what a sidecar has yet to apply.

Each sidecar has a log of its own, so that neither waits for the other. A sidecar
remembers a marker `epoch:seq:token`. The token is random, so a database that was
restored or lost its last commits differs from the one the sidecar followed, even where
the numbers are used again.
"""

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import apsw

from glassmind.model.index import ChunkPassage, Document
from glassmind.store.sqlite.connection import Query

if TYPE_CHECKING:
    from glassmind.model.vectors import NoteVectors

T_co = TypeVar("T_co", covariant=True)

EPOCH = "select value from settings where key = 'epoch'"
"""Differs between this database and one that was begun again."""

_BATCH_BYTES = 16_000_000
"""Notes that a sidecar reads at once; one that is larger is read alone."""


def marker_of(epoch: str, seq: int | None, token: bytes | None) -> str:
    """Return the marker of a row of a log; of an empty log, that of its beginning."""
    return f"{epoch}:{seq or 0}:{(token or b'').hex()}"


class ChangeLog(Query, Generic[T_co]):
    """One change log of an open database; `read` returns notes as they are now.

    `rows` is the table whose changes the table `log` lists. `branch` is added to the
    epoch: a sidecar of one branch never followed another. `among` names a table with
    the ids of the notes whose changes are pending; without it, all are.
    """

    def __init__(
        self,
        db: apsw.Connection,
        tables: tuple[str, str],
        read: Callable[[Iterable[int]], list[T_co]],
        branch: str = "",
        among: str = "",
    ) -> None:
        super().__init__(db)
        (self._log, self._table), self._read, self._branch = tables, read, branch
        self._among = f" and note_id in (select id from {among})" if among else ""

    def _ask(self, statement: str, *values: Any) -> Any:
        statement = statement.replace("LOG", self._log).replace("ROWS", self._table)
        return self._db.execute(statement, values)

    def head(self) -> str:
        row = self._ask("select seq, token from LOG order by seq desc limit 1")
        return marker_of(self._epoch(), *(row.fetchone() or (0, b"")))

    def is_empty(self) -> bool:
        empty = "not exists (select 1 from LOG) and not exists (select 1 from ROWS)"
        return bool(self._ask(f"select {empty}").get)

    def holds(self, marker: str) -> bool:
        epoch, _, rest = marker.partition(":")
        seq, _, token = rest.partition(":")
        if epoch != self._epoch() or not seq.isdigit():
            return False
        if seq == "0":
            return self._ask("select min(seq) from LOG").get in (None, 1)
        found = self._ask("select token from LOG where seq = ?", int(seq)).get
        return found is not None and found.hex() == token

    def pending(self, marker: str | None) -> int | None:
        """Return how many changes are yet to be applied; None means all of them."""
        if marker is None or not self.holds(marker):
            return None
        statement = f"select count(*) from LOG where seq > ?{self._among}"
        return int(self._ask(statement, _seq(marker)).get)

    def after(self, marker: str, limit: int) -> tuple[list[int], str]:
        """Return the notes changed next, each once, and the marker they lead to."""
        statement = """
            select seq, note_id, token from LOG where seq > ? order by seq limit ?
        """
        rows = self._ask(statement, _seq(marker), limit).fetchall()
        if not rows:
            return [], marker
        ids = self._bounded([row[1] for row in rows])
        last, _, token = rows[len(ids) - 1]
        return list(dict.fromkeys(ids)), marker_of(self._epoch(), last, token)

    def all_notes(self, batch: int) -> Iterator[list[int]]:
        """Yield the ids of every note, by path, in batches.

        By path and not by id, so that equal vaults make equal sidecars.
        """
        statement = """
            select f.id, f.path from files f join notes n on n.id = f.id
            where f.path > ? order by f.path limit ?
        """
        last = ""
        while rows := self._rows(statement, last, batch).fetchall():
            ids = self._bounded([row[0] for row in rows])
            yield ids
            last = rows[len(ids) - 1][1]

    def _bounded(self, note_ids: list[int]) -> list[int]:
        """Return the first of some notes, as many as `_BATCH_BYTES` allows."""
        statement = """
            select id, size from files where id in (select value from json_each(?))
        """
        sizes = dict(self._for(statement, note_ids))
        totals = accumulate(sizes.get(note_id, 0) for note_id in note_ids)
        count = sum(total <= _BATCH_BYTES for total in totals)
        return note_ids[: max(count, 1)]

    def current(self, note_ids: Iterable[int]) -> list[T_co]:
        """Return the notes as they are, by id, without those that are gone."""
        return self._read(note_ids)

    def prune(self, marker: str) -> None:
        """Forget what leads to a marker of this log, keeping the change it names."""
        self._ask("delete from LOG where seq < ?", _seq(marker))

    def _epoch(self) -> str:
        return f"{self._value(EPOCH)}{self._branch}"


def _seq(marker: str) -> int:
    return int(marker.split(":")[1])


def text_log(db: apsw.Connection, among: str = "") -> ChangeLog[Document]:
    """Return the log of note texts."""
    tables = ("changes", "notes")
    return ChangeLog(db, tables, lambda ids: documents(db, ids), among=among)


def note_log(db: apsw.Connection) -> ChangeLog[Document]:
    """Return the log of any change to a note or its links, the last ten thousand."""
    return ChangeLog(db, ("link_changes", "notes"), lambda ids: documents(db, ids))


def vector_log(db: apsw.Connection, among: str = "") -> "ChangeLog[NoteVectors] | None":
    """Return the log of the vectors that answer; None when none do."""
    # a keyword search does not need it
    from glassmind.store.sqlite.vectors import VectorRows, note_vectors  # noqa: PLC0415

    space = VectorRows(db).answering_space()
    if space is None:
        return None
    at, tables = space.id, ("vector_changes", "chunk_vectors")
    return ChangeLog(db, tables, lambda ids: note_vectors(db, at, ids), f".{at}", among)


_THESE = "in (select value from json_each(?))"
_NOTES = f"""
select n.id, f.path, n.title, n.aliases, n.day, f.mtime_ns
from notes n join files f on f.id = n.id where n.id {_THESE} order by n.id
"""
_TAGS = f"""
select distinct note_id, folded from tags where note_id {_THESE}
order by note_id, folded
"""
_PROPERTIES = f"""
select note_id, name, value from properties where note_id {_THESE}
order by note_id, seq
"""
_CHUNKS = f"""
select note_id, id, heading_path, start_line, end_line, text from chunks
where note_id {_THESE} order by note_id, chunk_index
"""
_HEADINGS = f"""
select note_id, line, text from headings where note_id {_THESE} order by note_id, seq
"""


def documents(db: apsw.Connection, note_ids: Iterable[int]) -> list[Document]:
    """Return notes as the keyword index needs them, by id; none that are gone."""
    ids = (json.dumps(sorted(note_ids)),)
    tags, properties, headings, chunks = (
        _grouped(db.execute(statement, ids))
        for statement in (_TAGS, _PROPERTIES, _HEADINGS, _CHUNKS)
    )
    found = []
    for note_id, path, title, aliases, day, mtime_ns in db.execute(_NOTES, ids):
        titles = headings.get(note_id, [])
        document = Document(
            note_id,
            path,
            title,
            json.loads(aliases),
            [name for (name,) in tags.get(note_id, ())],
            [(name, json.loads(v)) for name, v in properties.get(note_id, ())],
            day,
            mtime_ns,
            [
                ChunkPassage(i, headings_of(json.loads(under), titles, span), text)
                for i, under, *span, text in chunks.get(note_id, ())
            ],
        )
        found.append(document)
    return found


def headings_of(
    under: Sequence[str], titles: Sequence[tuple[int, str]], span: Iterable[int]
) -> Sequence[str]:
    """Return the headings above a passage and those inside it, each once.

    `titles` are all headings of the note with their lines, in order.
    """
    first, last = span
    begin, end = bisect_left(titles, (first,)), bisect_left(titles, (last + 1,))
    inside = [text for _, text in titles[begin:end]]
    headings = (*under, *inside) if inside != [*under[-1:]] else under
    return headings if len(headings) < 2 else list(dict.fromkeys(headings))  # noqa: PLR2004


def _grouped(rows: Iterable[tuple[Any, ...]]) -> dict[int, list[tuple[Any, ...]]]:
    groups: dict[int, list[tuple[Any, ...]]] = {}
    for row in rows:
        groups.setdefault(row[0], []).append(row[1:])
    return groups
