"""Links of an index, with what stands around them: a sample that stays the same."""

from typing import Any

import apsw

from glassmind.model.clues import LinkClue

SAMPLE = """
select l.note_id, l.seq, s.path, t.path, n.title, l.target, coalesce(l.display, '')
from links l join notes n on n.id = l.target_id
join files s on s.id = l.note_id join files t on t.id = l.target_id
where not l.embed and l.property is null and l.note_id <> l.target_id
and s.kind = 'markdown' and t.kind = 'markdown'
order by (l.note_id * 2654435761 + l.seq * 40503 + l.target_id * 97) % 1000003,
  l.note_id, l.seq
limit ?
"""
"""Links from note to note, from all over the vault; the numbers only stir them."""

NOTES = "select count(*) from notes"


class ClueRows:
    """What links say about notes, as an open database shows it."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def clues(self, most: int) -> list[LinkClue]:
        """Return so many links that stand in the text of a note, if there are any."""
        from glassmind.store.sqlite.net_rows import NetRows  # noqa: PLC0415 - numpy

        rows: Any = self._db.execute(SAMPLE, (most,)).fetchall()
        said = NetRows(self._db).sentences([row[:2] for row in rows])
        return [
            LinkClue(source, target, title, written, shown, said.get((note, seq), ""))
            for note, seq, source, target, title, written, shown in rows
        ]

    def notes(self) -> int:
        """Return how many notes there are."""
        return int(self._db.execute(NOTES).get)
