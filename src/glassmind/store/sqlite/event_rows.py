"""The rows of use: which notes were handed out, taken in from the record of it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Self

import apsw

from glassmind.model.use import DayUse, UseEvent
from glassmind.store.sqlite.begin import Fence, begin, end
from glassmind.store.sqlite.schema import version_of

SINCE = 4
"""The schema from which on there are such rows."""

MOST_ROWS = 250_000
"""Rows kept: what the record itself holds when all of its files are full."""

FOLDED = "use_folded"
SETTING = "select value from settings where key = ?"
PUT_SETTING = "insert or replace into settings values (?, ?)"
PUT = """
insert into memory_events (at, verb, client, path, file_id)
values (?1, ?2, ?3, ?4, (select id from files where path = ?4))
"""
DROP_OLD = """
delete from memory_events where id <= (select max(id) from memory_events) - ?
"""
USES = """
select coalesce(e.file_id, f.id), e.verb, substr(e.at, 1, 10), count(*)
from memory_events e left join files f on e.file_id is null and f.path = e.path
where e.at >= ?
group by 1, 2, 3 having coalesce(e.file_id, f.id) is not null
"""
IDS = """
select path, id from files where path in (select value from json_each(?))
"""


class EventRows:
    """What an open database knows of use; a file of a former release knows nothing."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._some = version_of(db) >= SINCE

    def folded(self) -> dict[str, int]:
        """Return how far each file of the record was taken in."""
        found: Any = self._db.execute(SETTING, (FOLDED,)).get if self._some else None
        try:
            said = json.loads(found) if found else {}
        except ValueError:
            return {}
        return {key: int(upto) for key, upto in said.items()}

    def uses(self, since: str) -> list[DayUse]:
        """Return what was handed out from a day on, by note, verb and day."""
        rows: Any = self._db.execute(USES, (since,)) if self._some else ()
        return [DayUse(*row) for row in rows]

    def counted(self, events: Iterable[UseEvent], since: str) -> list[DayUse]:
        """Return the same of events that are not in the rows yet."""
        found: dict[tuple[str, str, str], int] = {}
        for event in events:
            day = event.at.date().isoformat()
            for path in event.paths if day >= since else ():
                key = (path, event.verb, day)
                found[key] = found.get(key, 0) + 1
        paths = json.dumps(sorted({path for path, _, _ in found}))
        rows: Any = self._db.execute(IDS, (paths,)) if found else ()
        ids = dict(rows)
        return [
            DayUse(ids[path], verb, day, count)
            for (path, verb, day), count in sorted(found.items())
            if path in ids
        ]


class EventStep:
    """One atomic step of taking use in: events and how far they reach, or nothing."""

    def __init__(self, db: apsw.Connection, fence: Fence) -> None:
        self._db, self._fence = db, fence

    def __enter__(self) -> Self:
        begin(self._db, self._fence)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        end(self._db, self._fence, keep=kind is None)

    def add(self, events: Sequence[UseEvent], upto: Mapping[str, int]) -> None:
        """Add events; `upto` says how far the files they come from were read."""
        rows = (
            (_text(event.at), event.verb, event.client, path)
            for event in events
            for path in event.paths
        )
        self._db.executemany(PUT, rows)
        self._db.execute(DROP_OLD, (MOST_ROWS,))
        self._db.execute(PUT_SETTING, (FOLDED, json.dumps(upto, sort_keys=True)))


def _text(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds")
