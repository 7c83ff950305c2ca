"""Asking the rows for what the sections of a bundle are made of.

Few questions, each for all notes at once; what was read stays at hand, since the
sections of one bundle look at the same notes.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import apsw

from glassmind.store.sqlite.pair_rows import PairRows
from glassmind.types.sections import (
    Likeness,
    SectionCallout,
    SectionHeading,
    SectionLink,
    SectionNote,
    SectionTag,
    SectionTask,
)

LINKS_EACH = 60
"""Links to one note that are looked at: more of them are a hub's, and say little."""

TASKS_EACH = 200
"""Unfinished tasks of one note that are looked at; a bundle shows a few dozen."""

MEMOS = 300
"""Notes of the agent folder that are looked at, the latest ones."""

FINISHED = ("x", "X", "-")
"""The statuses of a task that is done or given up, as the Tasks plugin has them."""

LONGEST_NOTE = 400_000
"""Characters of a note that are looked at: a whole book's worth of lines."""

_IDS = "(select value from json_each(:ids))"
_HEAD = """
select n.id, f.path, n.title, n.day, f.mtime_ns, n.aliases, n.digest,
  (select json_group_array(json_array(p.name, json(p.value))) from properties p
   where p.note_id = n.id)
from notes n join files f on f.id = n.id
"""
NOTES = f"{_HEAD} where n.id in {_IDS}"
MEMO_NOTES = f"""
{_HEAD} where f.path > :below and f.path < :after and exists (
  select 1 from properties k where k.note_id = n.id and lower(k.name) = 'kind')
order by n.id desc limit :limit
"""  # noqa: S608 - our own words
PAGES = f"""
select note_id, substr(text, overlap + 1) from chunks where note_id in {_IDS}
order by note_id, chunk_index
"""  # noqa: S608 - our own words
HEADINGS = f"""
select note_id, level, text, line from headings where note_id in {_IDS}
order by note_id, seq
"""  # noqa: S608 - our own words
TYPES = f"""
select note_id, value from properties
where note_id in {_IDS} and lower(name) in ('type', 'typ') order by note_id, seq
"""  # noqa: S608 - our own words
HEADS = f"""
select note_id, text from headings
where note_id in {_IDS} and length(text) <= :longest
union all
select id, title from notes where id in {_IDS} and length(title) <= :longest
"""  # noqa: S608 - our own words
_DIGITS = "[0-9][0-9]"
DATED = f"""
select id, path from files where id in {_IDS}
and path glob '*{_DIGITS}{_DIGITS}-{_DIGITS}-{_DIGITS}*' order by path
"""  # noqa: S608 - our own words
PATHS = f"select id, path from files where id in {_IDS}"  # noqa: S608
TITLED = "select id from notes where title in (select value from json_each(:titles))"
TASKS = f"""
select note_id, line, status from tasks where note_id in {_IDS}
and status not in (select value from json_each(:finished)) order by note_id, seq
"""  # noqa: S608 - our own words
FIELDS = f"""
select note_id, line, lower(key), value from fields where note_id in {_IDS}
and lower(key) in (select value from json_each(:keys)) order by note_id, seq
"""  # noqa: S608 - our own words
TAGS = f"""
select note_id, folded, iif(in_properties, 0, line) from tags
where (folded = :tag or (folded > :below and folded < :after)) and note_id in {_IDS}
order by note_id, line
"""  # noqa: S608 - our own words
CALLOUTS = f"""
select note_id, lower(kind), start_line, end_line from callouts
where note_id in {_IDS} and lower(kind) in (select value from json_each(:kinds))
order by note_id, seq
"""  # noqa: S608 - our own words
LINKS_FROM = f"""
select l.note_id, l.target_id, l.line, l.property from links l
join notes t on t.id = l.target_id
where l.note_id in {_IDS} and l.target_id <> l.note_id order by l.note_id, l.seq
"""  # noqa: S608 - our own words
LINKS_TO = f"""
select note_id, target_id, line, property from (
  select l.note_id, l.target_id, l.line, l.property, row_number() over (
    partition by l.target_id order by s.mtime_ns desc, s.path, l.seq) as place
  from links l join files s on s.id = l.note_id
  where l.target_id in {_IDS} and l.note_id <> l.target_id
) where place <= :each
"""  # noqa: S608 - our own words
DEGREES = f"""
select id, sum(times) from (
  select target_id as id, count(*) as times from links where target_id in {_IDS}
  group by target_id
  union all
  select note_id, count(*) from links where note_id in {_IDS} group by note_id
) group by id
"""  # noqa: S608 - our own words
CALLED = """
select n.id, lower(f.path), lower(n.title) from notes n join files f on f.id = n.id
where lower(n.title) in (select value from json_each(:names))
or lower(f.path) in (select value from json_each(:names)) order by f.path
"""


class SectionRows:
    """A view of the rows for one bundle."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._notes: dict[int, SectionNote] = {}
        self._pages: dict[int, list[str]] = {}
        self._headings: dict[int, tuple[SectionHeading, ...]] = {}
        self._links: dict[tuple[int, ...], list[SectionLink]] = {}
        self._memos: dict[str, list[SectionNote]] = {}

    def notes(self, note_ids: Collection[int]) -> dict[int, SectionNote]:
        """Return those of some notes that are there."""
        for row in self._ask(NOTES, _new(note_ids, self._notes)):
            self._notes[row[0]] = _note(row)
        return {i: self._notes[i] for i in note_ids if i in self._notes}

    def paths(self, note_ids: Collection[int]) -> dict[int, str]:
        """Return where those of some notes stand that are there."""
        return dict(self._ask(PATHS, note_ids))

    def pages(self, note_ids: Collection[int]) -> dict[int, list[str]]:
        """Return the lines of notes, without their ends."""
        asked = self._ask(PAGES, _new(note_ids, self._pages))
        for note_id, parts in groupby(asked, key=lambda row: row[0]):
            text = "".join(part for _, part in parts)
            if len(text) > LONGEST_NOTE:  # whole lines, since receipts are of these
                text = text[:LONGEST_NOTE].rpartition("\n")[0]
            self._pages[note_id] = [line.rstrip("\r") for line in text.split("\n")]
        return {i: self._pages[i] for i in note_ids if i in self._pages}

    def headings(
        self, note_ids: Collection[int]
    ) -> dict[int, tuple[SectionHeading, ...]]:
        """Return the headings of each note that has some, in order."""
        new = _new(note_ids, self._headings)
        self._headings.update(dict.fromkeys(new, ()))
        asked = map(SectionHeading._make, self._ask(HEADINGS, new))
        for note_id, found in groupby(asked, key=lambda heading: heading.note_id):
            self._headings[note_id] = tuple(found)
        return {i: self._headings[i] for i in note_ids if self._headings[i]}

    def types(self, note_ids: Collection[int]) -> list[tuple[int, object]]:
        """Return what the property `type` of notes says, by note."""
        asked = self._ask(TYPES, note_ids)
        return [(note_id, json.loads(value)) for note_id, value in asked]

    def heads(self, note_ids: Collection[int], longest: int) -> list[tuple[int, str]]:
        """Return the short headings and titles of notes, by note."""
        return list(self._ask(HEADS, note_ids, longest=longest))

    def dated(self, note_ids: Collection[int]) -> list[tuple[int, str]]:
        """Return those of some notes with the path whose name has a day."""
        return list(self._ask(DATED, note_ids))

    def titled(self, titles: Collection[str]) -> set[int]:
        """Return the notes that have one of some titles."""
        rows: Any = self._db.execute(TITLED, {"titles": json.dumps(sorted(titles))})
        return {row[0] for row in rows}

    def tasks(
        self, note_ids: Collection[int], keys: Collection[str]
    ) -> list[SectionTask]:
        """Return the tasks that are not finished, by note and line.

        Of the fields in their lines those of some keys count as dates.
        """
        found = [
            task
            for _, rows in groupby(
                self._ask(TASKS, note_ids, finished=json.dumps(FINISHED)),
                key=lambda row: row[0],
            )
            for task in list(rows)[:TASKS_EACH]
        ]
        dates: dict[tuple[int, int], dict[str, str]] = {}
        asked = {task[0] for task in found}
        for note_id, line, key, value in self._ask(
            FIELDS, asked, keys=json.dumps(sorted(keys))
        ):
            dates.setdefault((note_id, line), {}).setdefault(key, value)
        return [
            SectionTask(at, line, status, dates.get((at, line), {}))
            for at, line, status in found
        ]

    def tags(self, note_ids: Collection[int], name: str) -> list[SectionTag]:
        """Return where a tag stands, or one below it; by note and line."""
        bound = {"tag": name, "below": f"{name}/", "after": f"{name}0"}
        return [SectionTag(*row) for row in self._ask(TAGS, note_ids, **bound)]

    def callouts(
        self, note_ids: Collection[int], kinds: Collection[str]
    ) -> list[SectionCallout]:
        """Return the callouts of some kinds, by note and line."""
        asked = self._ask(CALLOUTS, note_ids, kinds=json.dumps(sorted(kinds)))
        return [SectionCallout(*row) for row in asked]

    def links(self, note_ids: Collection[int]) -> list[SectionLink]:
        """Return the links from and to some notes, by source and place."""
        key = tuple(note_ids)
        if key not in self._links:
            rows: list[Any] = [
                *self._ask(LINKS_FROM, note_ids),
                *self._ask(LINKS_TO, note_ids, each=LINKS_EACH),
            ]
            found = set(map(SectionLink._make, rows))
            self._links[key] = sorted(found, key=_place)
        return self._links[key]

    def likenesses(self, note_ids: Collection[int]) -> list[Likeness]:
        """Return what notes are like, by note, the most similar first."""
        return [Likeness(*one) for one in PairRows(self._db).partners(note_ids)]

    def degrees(self, note_ids: Collection[int]) -> dict[int, int]:
        """Return how many links each note has, to it and from it."""
        return dict(self._ask(DEGREES, note_ids))

    def called(self, names: Collection[str]) -> dict[str, int]:
        """Return the note that each path or title, in lower case, is that of."""
        if not names:
            return {}
        rows: Any = self._db.execute(CALLED, {"names": json.dumps(sorted(names))})
        found: dict[str, int] = {}
        for note_id, path, title in rows:
            for name in (path, path.removesuffix(".md"), title):
                found.setdefault(name, note_id)
        return found

    def memos(self, agent: str) -> list[SectionNote]:
        """Return the latest notes below the agent folder that have a `kind`."""
        if agent not in self._memos:
            bound = {"below": f"{agent}/", "after": f"{agent}0", "limit": MEMOS}
            rows: Any = self._db.execute(MEMO_NOTES, bound)
            self._memos[agent] = [_note(row) for row in rows]
        return self._memos[agent]

    def _ask(
        self, statement: str, ids: Collection[int], **bound: str | int
    ) -> Iterable[Any]:
        if not ids:
            return ()
        return self._db.execute(statement, {"ids": json.dumps(sorted(ids)), **bound})


def _new(note_ids: Collection[int], known: Mapping[int, object]) -> Sequence[int]:
    return [note_id for note_id in note_ids if note_id not in known]


def _note(row: tuple[Any, ...]) -> SectionNote:
    note_id, path, title, day, mtime_ns, aliases, digest, held = row
    properties = {name.lower(): value for name, value in json.loads(held)}
    names = tuple(name for name in json.loads(aliases) if isinstance(name, str))
    return SectionNote(note_id, path, title, day, mtime_ns, names, properties, digest)


def _place(link: SectionLink) -> tuple[int, int, int, str]:
    return (link.source_id, link.line, link.target_id, link.property or "")
