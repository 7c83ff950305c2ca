"""The change logs: how far the rows have come, and what a sidecar has yet to apply.

Each sidecar has a log of its own, so that none waits for the other, and none is told of
what does not concern it. A sidecar remembers a marker `epoch:seq:token`. The token is
random, so a database that was restored or lost its last commits is told from the one
the sidecar followed, even where the numbers are used again.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import apsw

from glassmind.store.sqlite import schema

if TYPE_CHECKING:
    from glassmind.model.sidecar import Document
    from glassmind.model.vectors import NoteVectors

T_co = TypeVar("T_co", covariant=True)

LOGS_LINKS = 3
"""The version of a file from which on changes to links are logged."""

EPOCH = "select value from settings where key = 'epoch'"
NOTE_IDS = """
select f.id, f.path from files f join notes n on n.id = f.id
where f.path > ? order by f.path limit ?
"""
SIZES = "select id, size from files where id in (select value from json_each(?))"

BATCH_BYTES = 16_000_000
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


TEXT = Statements("changes", "notes")
LINKS = Statements("link_changes", "notes")
"""Tells of every change to a note, and is not forgotten when a sidecar has followed."""
VECTORS = Statements("vector_changes", "chunk_vectors")


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
            rows: Any = self._db.execute(NOTE_IDS, (last, batch)).fetchall()
            if not rows:
                return
            ids = self._bounded([row[0] for row in rows])
            yield ids
            last = rows[len(ids) - 1][1]

    def _bounded(self, note_ids: list[int]) -> list[int]:
        """Return the first of some notes, as many as `BATCH_BYTES` allows."""
        found = self._db.execute(SIZES, (json.dumps(note_ids),))
        sizes = {int(str(row[0])): int(str(row[1])) for row in found}
        totals = accumulate(sizes.get(note_id, 0) for note_id in note_ids)
        count = sum(total <= BATCH_BYTES for total in totals)
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
    from glassmind.store.sqlite.documents import documents  # noqa: PLC0415

    return documents(db, note_ids, just_written)


def text_log(
    db: apsw.Connection, just_written: "Mapping[int, Document] | None" = None
) -> "Log[Document]":
    """Return the log of what notes say.

    `just_written` are the notes of the last transaction: they need not be read again.
    """
    kept = {} if just_written is None else just_written
    return Log(db, TEXT, lambda note_ids: _documents(db, note_ids, kept))


def note_log(db: apsw.Connection) -> "Log[Document]":
    """Return the log of whatever was changed of notes, the last ten thousand times.

    In a file of a former release it is that of what they say.
    """
    if schema.version_of(db) < LOGS_LINKS:
        return text_log(db)
    return Log(db, LINKS, lambda note_ids: _documents(db, note_ids, {}))


def vector_log(db: apsw.Connection, space_id: int) -> "Log[NoteVectors]":
    """Return the log of vectors, for a sidecar of one space."""
    # a search by words alone does without it
    from glassmind.store.sqlite.vector_rows import note_vectors  # noqa: PLC0415

    branch = f".{space_id}"
    return Log(db, VECTORS, lambda ids: note_vectors(db, space_id, ids), branch)
