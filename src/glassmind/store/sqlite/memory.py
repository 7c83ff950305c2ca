"""Counting the files that were changed about the same time.

A sync or a checkout goes on over the end of a minute, so that its neighbours count too.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self, get_args

import apsw

from glassmind.model import NotePath
from glassmind.model.context import ChangedRow
from glassmind.model.memory import (
    MOST_AT_ONCE,
    DayUse,
    Edit,
    MemoKind,
    MemoNote,
    UseEvent,
)
from glassmind.model.search import Successor
from glassmind.store.sqlite.connection import Fence, begin, end
from glassmind.store.sqlite.schema import version_of

if TYPE_CHECKING:
    from glassmind.model.search import Successor


_MINUTE_NS = 60 * 10**9
_MINUTES = """
select mtime_ns / 60000000000, path > ?3 and path < ?4, count(*) from files
where mtime_ns >= ?1 - 60000000000 and mtime_ns < ?2 + 60000000000 group by 1, 2
"""
_CROWDED = f"""
select k.value from json_each(?) k where (
  select count(*) from (
    select 1 from files where mtime_ns >= (k.value - 1) * {_MINUTE_NS}
    and mtime_ns < (k.value + 2) * {_MINUTE_NS} limit {MOST_AT_ONCE + 1}
  )
) > {MOST_AT_ONCE}
"""  # noqa: S608 - our own words


class Crowds:
    """Knows whether a file was written among so many that its time says nothing.

    `known` are the minutes that were asked about while the rows were the same.
    """

    def __init__(self, db: apsw.Connection, known: dict[int, bool]) -> None:
        self._db, self._known = db, known

    def among(self, times: Iterable[int]) -> set[int]:
        """Return those of some times of files about which very many were written.

        What is in the agent folder counts as well: its notes carry days of their own.
        """
        minutes = {time: time // _MINUTE_NS for time in times}
        new = {minute for minute in minutes.values() if minute not in self._known}
        if new:
            rows: Any = self._db.execute(_CROWDED, (json.dumps(sorted(new)),))
            self._known.update(dict.fromkeys(new, False))
            self._known.update((row[0], True) for row in rows)
        return {time for time, minute in minutes.items() if self._known[minute]}


def company_of(
    db: apsw.Connection, since_ns: int, until_ns: int, folder: str
) -> dict[tuple[int, int], int]:
    """Return how many files were changed in each minute and the two around it.

    By the minute, and 1 for what files of the agent folder have for company, else 0.
    They have all files, as those of a copied vault do, and are no company to others:
    what an agent writes says nothing of what a person does.
    """
    bound = (since_ns, until_ns, f"{folder}/", f"{folder}0")
    rows: Any = db.execute(_MINUTES, bound)
    counts = {(minute, agents): many for minute, agents, many in rows}
    return {
        (minute, agents): sum(
            counts.get((minute + step, who), 0)
            for step in (-1, 0, 1)
            for who in range(agents + 1)
        )
        for minute, agents in counts
    }


_LOST = """
l.subpath is not null
and exists (select 1 from properties q where q.note_id = l.target_id
  and q.name = 'layout' and q.value = '"project"')
and not exists (select 1 from headings h where h.note_id = l.target_id
  and '#' || h.text = l.subpath)
"""
_SUCCESSORS = f"""
select p.note_id, p.value,
  (select l.target_id from links l
   where l.note_id = p.note_id and l.property = p.name and l.target_id is not null
   and not ({_LOST}) order by l.seq limit 1),
  exists (select 1 from links l where l.note_id = p.note_id and l.property = p.name),
  (select f.path from links l join files f on f.id = l.note_id
   where l.target_id = p.note_id and l.property in ('supersedes', 'Supersedes')
   and l.note_id <> p.note_id order by f.path limit 1)
from properties p where p.name in (
  'superseded-by', 'superseded_by', 'superseded by', 'supersededBy',
  'Superseded-by', 'Superseded_by', 'Superseded by', 'SupersededBy')
"""  # noqa: S608 - our own words
"""By the ways a name is written: an index finds these among all properties at once."""

_ID = "select id from files where path = ?"


def successors_in(db: apsw.Connection) -> "Mapping[int, Successor]":
    """Return what took the place of each note that says so; 0 is no note we know."""
    rows: Any = db.execute(_SUCCESSORS)
    said = list(rows)
    return _existing(db, said) if said else {}


def _existing(
    db: apsw.Connection, said: list[tuple[Any, ...]]
) -> "Mapping[int, Successor]":
    """Return the successors that still exist, of what notes say."""
    # in most vaults nothing was superseded
    from glassmind.model.search import Successor  # noqa: PLC0415

    found = {}
    for note_id, value, target_id, linked, renamed in said:
        name = _named(json.loads(value))
        if not name or target_id == note_id:
            continue
        if target_id is not None or not linked:
            found[note_id] = Successor(target_id or 0, name)
        elif renamed is not None:
            found[note_id] = Successor(db.execute(_ID, (renamed,)).get, _stem(renamed))
    return found


def _named(value: object) -> str:
    """Return what the property names first; empty where it names nothing."""
    # in most vaults nothing was superseded
    from glassmind.obsidian.properties import plain_name  # noqa: PLC0415

    first = value[0] if isinstance(value, list) and value else value
    return plain_name(first) if isinstance(first, str) else ""


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


_NOTES = """
select f.path, n.title, n.aliases,
  (select json_group_object(p.name, json(p.value)) from properties p
   where p.note_id = n.id)
from files f join notes n on n.id = f.id
where f.path > :folder || '/' and f.path < :folder || '0' and n.kind = 'markdown'
order by f.path
"""
"""The character "0" follows "/", so that the index of paths answers."""
_STRAYS = """
select f.path, n.title, n.aliases,
  (select json_group_object(p.name, json(p.value)) from properties p
   where p.note_id = n.id)
from properties c join notes n on n.id = c.note_id join files f on f.id = n.id
where c.name = 'client' and n.kind = 'markdown'
  and not (f.path > :folder || '/' and f.path < :folder || '0')
  and exists (select 1 from properties p where p.note_id = n.id and p.name = 'status')
  and exists (select 1 from properties p where p.note_id = n.id and p.name = 'kind'
    and p.value in (select json_quote(value) from json_each(:kinds)))
  and exists (select 1 from properties p where p.note_id = n.id and p.name = 'created'
    and p.value like '"____-__-__T%')
order by f.path
"""
"""By the properties that every memo has; notes of a person have not all of them."""
_TEXTS = """
select f.path, substr(c.text, c.overlap + 1) from json_each(?) wanted
join files f on f.path = wanted.value join chunks c on c.note_id = f.id
order by f.path, c.chunk_index
"""
_TICKED = """
select f.path from files f
where f.path > :folder || '/' and f.path < :folder || '0' and (
  exists (select 1 from tasks t where t.note_id = f.id
    and t.status in ('x', 'X') and (t.text = :said or t.text like :said || ' %'))
  or exists (select 1 from properties p where p.note_id = f.id and p.name = :mark))
order by f.path
"""

_BROKEN = """
select f.path, n.error from files f join notes n on n.id = f.id
where f.path > :folder || '/' and f.path < :folder || '0' and n.error is not null
  and n.kind = 'markdown'
order by f.path
"""
_LATELY = """
select distinct f.path from (select note_id from changes order by seq desc limit ?) c
join files f on f.id = c.note_id
"""
_PATHS = "select path from files where id in (select value from json_each(?))"


class MemoRows:
    """What an open database knows of the agent folder."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def notes(self, folder: str) -> list[MemoNote]:
        """Return the notes below a folder, by path."""
        return _noted(self._db.execute(_NOTES, {"folder": folder}))

    def strays(self, folder: str) -> list[MemoNote]:
        """Return the memos that a person moved out of a folder, by path."""
        kinds = json.dumps(get_args(MemoKind))
        return _noted(self._db.execute(_STRAYS, {"folder": folder, "kinds": kinds}))

    def texts(self, paths: Collection[NotePath]) -> dict[NotePath, str]:
        """Return the whole text of some notes, as it was indexed."""
        found: dict[NotePath, list[str]] = {}
        rows: Any = self._db.execute(_TEXTS, (json.dumps(list(paths)),))
        for path, text in rows:
            found.setdefault(path, []).append(text)
        return {path: "".join(parts) for path, parts in found.items()}

    def broken(self, folder: str) -> list[tuple[NotePath, str]]:
        """Return the notes below a folder whose properties cannot be read, and why."""
        rows: Any = self._db.execute(_BROKEN, {"folder": folder})
        return [(path, error) for path, error in rows if error]

    def lately(self, limit: int) -> set[NotePath]:
        """Return the notes of the vault that the last changes of the rows were to."""
        rows: Any = self._db.execute(_LATELY, (limit,))
        return {path for (path,) in rows}

    def superseded(self) -> set[NotePath]:
        """Return the notes of the vault that another has taken the place of."""
        ids = json.dumps(sorted(successors_in(self._db)))
        rows: Any = self._db.execute(_PATHS, (ids,))
        return {path for (path,) in rows}

    def ticked(self, folder: str, said: str, mark: str) -> list[NotePath]:
        """Return the notes below a folder with a ticked box that says so, or a mark.

        `mark` is the name of the property.
        """
        bound = {"folder": folder, "said": said, "mark": mark}
        rows: Any = self._db.execute(_TICKED, bound)
        return [path for (path,) in rows]


def _noted(rows: Any) -> list[MemoNote]:
    return [
        MemoNote(path, title, _aliases(aliases), json.loads(properties))
        for path, title, aliases, properties in rows
    ]


def _aliases(said: str) -> tuple[str, ...]:
    return () if said == "[]" else tuple(json.loads(said))


_SINCE = 4
"""The schema from which on there are such rows."""

_MOST_ROWS = 250_000
"""Rows kept: what the record itself holds when all of its files are full."""

_FOLDED = "use_folded"
_SETTING = "select value from settings where key = ?"
_PUT_SETTING = "insert or replace into settings values (?, ?)"
_PUT = """
insert into memory_events (at, verb, client, path, file_id)
values (?1, ?2, ?3, ?4, (select id from files where path = ?4))
"""
_DROP_OLD = """
delete from memory_events where id <= (select max(id) from memory_events) - ?
"""
_USES = """
select coalesce(e.file_id, f.id), e.verb, substr(e.at, 1, 10), count(*)
from memory_events e left join files f on e.file_id is null and f.path = e.path
where e.at >= ?
group by 1, 2, 3 having coalesce(e.file_id, f.id) is not null
"""
_IDS = """
select path, id from files where path in (select value from json_each(?))
"""


class EventRows:
    """What an open database knows of use; a file of a former release knows nothing."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._some = version_of(db) >= _SINCE

    def folded(self) -> dict[str, int]:
        """Return how far each file of the record was taken in."""
        found: Any = self._db.execute(_SETTING, (_FOLDED,)).get if self._some else None
        try:
            said = json.loads(found) if found else {}
        except ValueError:
            return {}
        return {key: int(upto) for key, upto in said.items()}

    def uses(self, since: str) -> list[DayUse]:
        """Return what was handed out from a day on, by note, verb and day."""
        rows: Any = self._db.execute(_USES, (since,)) if self._some else ()
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
        rows: Any = self._db.execute(_IDS, (paths,)) if found else ()
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
        self._db.executemany(_PUT, rows)
        self._db.execute(_DROP_OLD, (_MOST_ROWS,))
        self._db.execute(_PUT_SETTING, (_FOLDED, json.dumps(upto, sort_keys=True)))


def _text(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds")


_EDITED = """
select n.id, f.mtime_ns, f.mtime_ns / 60000000000, f.path > ?3 and f.path < ?4
from files f join notes n on n.id = f.id
where f.mtime_ns >= ?1 and f.mtime_ns < ?2
"""
_DATED = "select id, day from notes where day >= ?1 and day <= ?2"
_COUNT = "select count(*) from notes"
_NAMES = """
select f.id, f.path, n.title from files f join notes n on n.id = f.id
where f.id in (select value from json_each(?))
"""
_IDS_HEAT_ROWS = """
select f.id from files f join notes n on n.id = f.id
where f.path in (select value from json_each(?))
"""
_NAMED = "p.name in ('project', 'Project', 'PROJECT')"
_PROJECTS = f"""
select p.note_id, p.value from properties p
where {_NAMED} and p.note_id in (select value from json_each(?))
"""  # noqa: S608 - our own words
_VALUES = f"select distinct p.value from properties p where {_NAMED}"  # noqa: S608
_WITH_VALUES = f"""
select p.note_id, p.value from properties p
where {_NAMED} and p.value in (select value from json_each(?))
"""  # noqa: S608 - our own words
_UNDER = """
select n.id from files f join notes n on n.id = f.id where f.path >= ? and f.path < ?
"""
_ENDS = "(select value from json_each(?)) and l.target_id <> l.note_id"
_FROM = f"""
select distinct l.note_id, l.target_id from links l join notes t on t.id = l.target_id
where l.note_id in {_ENDS}
"""  # noqa: S608 - our own words
_TO = f"""
select distinct l.target_id, l.note_id from links l where l.target_id in {_ENDS}
"""  # noqa: S608 - our own words


class HeatRows:
    """What an open database knows of what is alive; `folder` is the agent folder."""

    def __init__(self, db: apsw.Connection, folder: str) -> None:
        self._db, self._folder = db, folder

    def edited(self, since_ns: int, until_ns: int, most: int) -> list[Edit]:
        """Return the notes changed between two times, each with its company.

        That is how many files changed in the same minute and the two around it; what
        more than `most` did is left out.
        """
        company = company_of(self._db, since_ns, until_ns, self._folder)
        if company and all(many > most for many in company.values()):
            return []
        bound = (since_ns, until_ns, f"{self._folder}/", f"{self._folder}0")
        found: Any = self._db.execute(_EDITED, bound)
        return [
            Edit(note_id, mtime_ns, many)
            for note_id, mtime_ns, minute, agents in found
            if (many := company.get((minute, agents), 1)) <= most
        ]

    def dated(self, since: str, until: str) -> list[tuple[int, str]]:
        """Return the notes whose own day is one of these, with it."""
        rows: Any = self._db.execute(_DATED, (since, until))
        return list(rows)

    def captured(self) -> set[int]:
        """Return the notes of the agent folder."""
        return set(self.under(self._folder))

    def waiting(self) -> set[int]:
        """Return those of them that nobody has approved yet."""
        return set(self.under(f"{self._folder}/inbox"))

    def made(self) -> set[int]:
        """Return those of them that were made of other notes."""
        return set(self.under(f"{self._folder}/summaries"))

    def successors(self) -> Mapping[int, Successor]:
        """Return what took the place of each note that says so; 0 is none we know."""
        return successors_in(self._db)

    def count(self) -> int:
        """Return how many notes there are."""
        found: Any = self._db.execute(_COUNT).get
        return int(found)

    def names(self, note_ids: Collection[int]) -> dict[int, tuple[NotePath, str]]:
        """Return path and title of each note."""
        return {row[0]: (row[1], row[2]) for row in self._ask(_NAMES, note_ids)}

    def ids(self, paths: Collection[str]) -> set[int]:
        """Return the notes of some paths."""
        rows: Any = self._db.execute(_IDS_HEAT_ROWS, (json.dumps(sorted(paths)),))
        return {row[0] for row in rows}

    def projects_of(self, note_ids: Collection[int]) -> list[tuple[int, object]]:
        """Return what the property `project` of notes says, where they have it."""
        return [(n, json.loads(value)) for n, value in self._ask(_PROJECTS, note_ids)]

    def project_values(self) -> dict[str, object]:
        """Return all that the property says anywhere, by its text in the rows."""
        rows: Any = self._db.execute(_VALUES)
        return {text: json.loads(text) for (text,) in rows}

    def with_values(self, texts: Collection[str]) -> list[tuple[int, str]]:
        """Return the notes whose property says one of these, with its text."""
        rows: Any = self._db.execute(_WITH_VALUES, (json.dumps(sorted(texts)),))
        return list(rows)

    def under(self, folder: str) -> list[int]:
        """Return the notes below a folder."""
        rows: Any = self._db.execute(_UNDER, (f"{folder}/", f"{folder}0"))
        return [row[0] for row in rows]

    def linked(self, note_ids: Collection[int]) -> list[tuple[int, int, bool]]:
        """Return each note with what it leads to (True) and what leads to it."""
        leads = [(one, other, True) for one, other in self._ask(_FROM, note_ids)]
        led = [(one, other, False) for one, other in self._ask(_TO, note_ids)]
        return sorted([*leads, *led])

    def _ask(self, statement: str, ids: Collection[int]) -> Iterable[Any]:
        return self._db.execute(statement, (json.dumps(sorted(ids)),))


_LARGEST = 2**63 - 1
"""The largest number that a row holds."""

_DAY = "date(f.mtime_ns / 1000000000, 'unixepoch', 'localtime')"
_BY_AGENT = "f.path > ?2 and f.path < ?3"
_CHANGED = f"""
select n.id, f.path, n.title, {_DAY} as changed,
  f.mtime_ns / 60000000000, {_BY_AGENT}
from notes n join files f on f.id = n.id
where changed >= ?1 order by f.mtime_ns desc, f.path
"""  # noqa: S608 - our own words
_EVE = "select cast(strftime('%s', ?, '-1 day', 'utc') as integer)"
_PLACED = """
select f.path, n.id from notes n join files f on f.id = n.id
where f.path in (select value from json_each(?))
"""


class ChangeRows:
    """What an open database knows of when notes were changed."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def changed(self, since: str, agent: str) -> list[ChangedRow]:
        """Return the notes changed on a day or later, the last one first.

        Each with its company; see `company_of`. What was captured and is superseded is
        not among them: the last that was done to it is to say so.
        """
        bound = (since, f"{agent}/", f"{agent}0")
        eve: int = self._ask(_EVE, since).get
        first = min(_LARGEST, max(-_LARGEST, eve * 10**9))
        company = company_of(self._db, first, _LARGEST, agent)
        former = successors_in(self._db)
        return [
            ChangedRow(note, path, title, day, company.get((minute, by_agent), 1))
            for note, path, title, day, minute, by_agent in self._ask(_CHANGED, *bound)
            if not (by_agent and note in former)
        ]

    def placed(self, paths: Collection[str]) -> dict[str, int]:
        """Return the ids of the notes at some paths."""
        return dict(self._ask(_PLACED, json.dumps(list(paths))))

    def _ask(self, statement: str, *bound: str) -> Any:
        return self._db.execute(statement, bound)
