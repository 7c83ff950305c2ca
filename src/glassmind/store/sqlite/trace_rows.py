"""Asking the rows where lines may stand whose note is no longer where it was."""

import json
from collections.abc import Collection, Iterator
from typing import Any

import apsw

from glassmind.model import NotePath, Span

NAMED = """
select f.path from files f join notes n on n.id = f.id
where f.name_key = ? order by f.path limit ?
"""
UNDER = """
select distinct f.path from headings h join files f on f.id = h.note_id
where h.text = ? order by f.path limit ?
"""
AROUND = """
select f.path, c.start_line, c.text from chunks c join files f on f.id = c.note_id
where c.start_line <= ? and c.end_line >= ? order by f.path, c.chunk_index
"""
STAMPS = "select path, stamp from files"
KNOWN = """
select f.path, f.size, f.mtime_ns from json_each(?) k join files f on f.path = k.value
"""


class TraceRows:
    """What an open database knows of notes that may be a former one."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def named(self, key: str, limit: int) -> list[NotePath]:
        """Return the first notes whose file names have a key of names; by path."""
        return [row[0] for row in self._ask(NAMED, (key, limit))]

    def under(self, heading: str, limit: int) -> list[NotePath]:
        """Return the first notes that have a heading; by path."""
        return [row[0] for row in self._ask(UNDER, (heading, limit))]

    def around(self, span: Span) -> Iterator[tuple[NotePath, int, str]]:
        """Yield the passages that hold these lines of their notes.

        Each with its path, the line it begins on and its text; by path.
        """
        yield from self._ask(AROUND, (span.start, span.end))

    def stamps(self) -> dict[NotePath, int]:
        """Return every file that is known, with the stamp it was read by."""
        return dict(self._ask(STAMPS, ()))

    def known(self, paths: Collection[NotePath]) -> dict[NotePath, tuple[int, int]]:
        """Return those of some files that are known, by size and time; in order."""
        found = self._ask(KNOWN, (json.dumps(list(paths)),))
        return {path: (size, mtime_ns) for path, size, mtime_ns in found}

    def _ask(self, statement: str, bound: tuple[Any, ...]) -> Any:
        return self._db.execute(statement, bound)
