"""The change log: how far the rows have come, and what a sidecar has yet to apply.

A sidecar remembers a marker `epoch:seq:token`. The token is random, so a database that
was restored or lost its last commits is told from the one the sidecar followed, even
where the numbers are used again.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import apsw

from glassmind.types.sidecar import Document, Passage

EPOCH = "select value from settings where key = 'epoch'"
EMPTY = "select not exists (select 1 from changes) and not exists (select 1 from notes)"
HEAD = "select seq, token from changes order by seq desc limit 1"
TOKEN = "select token from changes where seq = ?"  # noqa: S105 - names a log row
PENDING = "select count(*) from changes where seq > ?"
NEXT_CHANGES = """
select seq, note_id, token from changes where seq > ? order by seq limit ?
"""
NOTE_IDS = """
select f.id, f.path from files f join notes n on n.id = f.id
where f.path > ? order by f.path limit ?
"""
DOC_NOTES = """
select n.id, f.path, n.title, n.aliases, n.day, f.mtime_ns
from notes n join files f on f.id = n.id where n.id in (select value from json_each(?))
"""
DOC_TAGS = """
select distinct note_id, folded from tags
where note_id in (select value from json_each(?)) order by note_id, folded
"""
DOC_PROPERTIES = """
select note_id, name, value from properties
where note_id in (select value from json_each(?)) order by note_id, seq
"""
DOC_CHUNKS = """
select note_id, id, heading_path, start_line, end_line, text from chunks
where note_id in (select value from json_each(?)) order by note_id, chunk_index
"""
DOC_HEADINGS = """
select note_id, line, text from headings
where note_id in (select value from json_each(?)) order by note_id, seq
"""


class Log:
    """The change log of an open database.

    `just_written` are the notes of the last transaction: they need not be read again.
    """

    def __init__(
        self, db: apsw.Connection, just_written: Mapping[int, Document] | None = None
    ) -> None:
        self._db, self._just_written = db, {} if just_written is None else just_written

    def head(self) -> str:
        """Return the marker a sidecar has when it has applied everything."""
        row: Any = self._db.execute(HEAD).fetchone()
        return self._marker(*row) if row else self._marker(0, b"")

    def is_empty(self) -> bool:
        """Whether nothing was ever written: no note, no change."""
        return bool(self._db.execute(EMPTY).get)

    def holds(self, marker: str) -> bool:
        """Whether the marker was reached by following this very log."""
        epoch, _, rest = marker.partition(":")
        seq, _, token = rest.partition(":")
        if epoch != self._epoch() or not seq.isdigit():
            return False
        if seq == "0":
            return self._db.execute("select min(seq) from changes").get in (None, 1)
        found = self._db.execute(TOKEN, (int(seq),)).get
        return found is not None and found.hex() == token

    def pending(self, marker: str | None) -> int | None:
        """Return how many changes are yet to be applied; None means all of them."""
        if marker is None or not self.holds(marker):
            return None
        seq = int(marker.split(":")[1])
        found: Any = self._db.execute(PENDING, (seq,)).get
        return int(found)

    def after(self, marker: str, limit: int) -> tuple[list[int], str]:
        """Return the notes changed next, each once, and the marker they lead to."""
        seq = int(marker.split(":")[1])
        rows: Any = self._db.execute(NEXT_CHANGES, (seq, limit)).fetchall()
        if not rows:
            return [], marker
        last, _, token = rows[-1]
        return list(dict.fromkeys(row[1] for row in rows)), self._marker(last, token)

    def all_notes(self, batch: int) -> Iterator[list[int]]:
        """Yield the ids of every note, by path, in batches.

        By path and not by id, so that equal vaults make equal sidecars.
        """
        last = ""
        while True:
            rows: Any = self._db.execute(NOTE_IDS, (last, batch)).fetchall()
            if not rows:
                return
            yield [row[0] for row in rows]
            last = rows[-1][1]

    def documents(self, note_ids: Iterable[int]) -> list[Document]:
        """Return the notes as they are, by id; one that is gone has none."""
        wanted = sorted(note_ids)
        just_written = self._just_written
        unread = [note_id for note_id in wanted if note_id not in just_written]
        read = self._read(unread) if unread else {}
        return [found for i in wanted if (found := just_written.get(i) or read.get(i))]

    def _read(self, note_ids: Sequence[int]) -> dict[int, Document]:
        ids = (json.dumps(note_ids),)
        ask = self._db.execute
        tags = _grouped(ask(DOC_TAGS, ids))
        properties = _grouped(ask(DOC_PROPERTIES, ids))
        headings = _grouped(ask(DOC_HEADINGS, ids))
        chunks = _grouped(ask(DOC_CHUNKS, ids))
        found = {}
        for note_id, path, title, aliases, day, mtime_ns in ask(DOC_NOTES, ids):
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

    def _epoch(self) -> str:
        return str(self._db.execute(EPOCH).get)

    def _marker(self, seq: int, token: bytes) -> str:
        return f"{self._epoch()}:{seq}:{token.hex()}"


def headings_of(
    under: Sequence[str], titles: Iterable[tuple[int, str]], span: Iterable[int]
) -> Sequence[str]:
    """Return the headings a passage stands under and those inside it, each once."""
    first, last = span
    inside = [text for line, text in titles if first <= line <= last]
    return list(dict.fromkeys((*under, *inside)))


def _grouped(rows: Iterable[tuple[Any, ...]]) -> dict[int, list[tuple[Any, ...]]]:
    groups: dict[int, list[tuple[Any, ...]]] = {}
    for row in rows:
        groups.setdefault(row[0], []).append(row[1:])
    return groups
