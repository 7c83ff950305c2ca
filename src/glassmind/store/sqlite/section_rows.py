"""Asking the rows for what the sections of a bundle are made of.

Few questions, each for all notes at once; what was read stays at hand, since the
sections of one bundle look at the same notes, and often those of the next one, too.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import apsw

from glassmind.model.sections import (
    OPEN_BOXES,
    Likeness,
    MemoWish,
    SectionHeading,
    SectionLink,
    SectionNote,
    SectionSign,
    SectionTask,
)
from glassmind.store.sqlite.captured_rows import captured, has_files
from glassmind.store.sqlite.company import Crowds
from glassmind.store.sqlite.pair_rows import PairRows
from glassmind.store.sqlite.read_before import read_before
from glassmind.store.sqlite.sign_rows import SignRows

LINKS_EACH = 60
"""Links to one note that are looked at: more of them are a hub's, and say little."""

TASKS_EACH = 200
"""Unfinished tasks of one note that are looked at; a bundle shows a few dozen."""

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
PAGES = f"""
select note_id, text, overlap from chunks where note_id in {_IDS}
order by note_id, chunk_index
"""  # noqa: S608 - our own words
HEADINGS = f"""
select note_id, level, text, line from headings where note_id in {_IDS}
order by note_id, seq
"""  # noqa: S608 - our own words
_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
NAMED = f"""
select n.id, f.path, n.title from notes n join files f on f.id = n.id
where n.id in {_IDS}
"""  # noqa: S608 - our own words
TITLED = "select id from notes where title in (select value from json_each(:titles))"
TASKS = f"""
select t.note_id, t.line, f.path, t.text from tasks t join files f on f.id = t.note_id
where t.note_id in {_IDS} and t.status in (select value from json_each(:open))
order by t.note_id, t.seq
"""  # noqa: S608 - our own words
FIELDS = f"""
select note_id, line, lower(key), value from fields where note_id in {_IDS}
and lower(key) in (select value from json_each(:keys)) order by note_id, seq
"""  # noqa: S608 - our own words
LINKS_FROM = f"""
select l.note_id, l.line, l.target_id, coalesce(l.property, '') from links l
join notes t on t.id = l.target_id
where l.note_id in {_IDS} and l.target_id <> l.note_id
"""  # noqa: S608 - our own words
LINKS_TO = f"""
select note_id, line, target_id, coalesce(property, '') from links
where target_id in {_IDS} and note_id <> target_id
limit cast(:most as integer)
"""  # noqa: S608 - our own words
"""For a bare `limit :most` SQLite would plan anew at each call, by what is bound."""
LATEST_TO = f"""
select note_id, line, target_id, coalesce(property, '') from (
  select l.note_id, l.target_id, l.line, l.property, row_number() over (
    partition by l.target_id order by s.mtime_ns desc, s.path, l.seq) as place
  from links l join files s on s.id = l.note_id
  where l.target_id in {_IDS} and l.note_id <> l.target_id
) where place <= :each
"""  # noqa: S608 - our own words
DEGREES = """
select k.value, (select count(*) from links where target_id = k.value)
  + (select count(*) from links where note_id = k.value)
from json_each(:ids) k
"""
CALLED = """
select n.id, lower(f.path), lower(n.title) from notes n join files f on f.id = n.id
where lower(n.title) in (select value from json_each(:names))
or lower(f.path) in (select value from json_each(:names)) order by f.path
"""
HELD = f"""
select f.path, p.value from properties p join files f on f.id = p.note_id
where p.note_id in {_IDS} and lower(replace(replace(p.name, '_', ' '), '-', ' '))
  in (select value from json_each(:names)) order by p.note_id, p.seq
"""  # noqa: S608 - our own words


class SectionRows:
    """A view of the rows for one bundle.

    Tasks are open by their `boxes`; `pairs` are the similar notes, stored ones unless
    others are passed.
    """

    def __init__(
        self,
        db: apsw.Connection,
        boxes: Sequence[str] = OPEN_BOXES,
        pairs: Callable[[], PairRows] | None = None,
    ) -> None:
        self._db, self._open = db, [*boxes]
        self._pairs = pairs or (lambda: PairRows(db))
        read = read_before(db)
        self._notes, self._named, self._pages = read.notes, read.named, read.pages
        self._headings, self._link_rows = read.headings, read.links
        self._degrees = read.degrees
        self._links: dict[tuple[int, ...], list[SectionLink]] = {}
        self._said = SignRows(db, read)
        self._folders: dict[str, bool] = {}
        self._crowds = Crowds(db, read.crowds)
        self.cut: set[str] = set()

    def notes(self, note_ids: Collection[int]) -> dict[int, SectionNote]:
        """Return those of some notes that are there."""
        found = list(self._ask(NOTES, _new(note_ids, self._notes)))
        crowded = self._crowds.among([row[4] for row in found])
        for row in found:
            self._notes[row[0]] = _note(row, crowded)
            self._named[row[0]] = (row[1], row[2])
        return {i: self._notes[i] for i in note_ids if i in self._notes}

    def held(
        self, note_ids: Collection[int], names: Collection[str]
    ) -> list[tuple[str, object]]:
        """Return what properties of some names hold, with the path of their note."""
        found = self._ask(HELD, note_ids, names=json.dumps(sorted(names)))
        return [(path, json.loads(value)) for path, value in found]

    def named(self, note_ids: Collection[int]) -> dict[int, tuple[str, str]]:
        """Return path and title of those of some notes that are there."""
        for at, path, title in self._ask(NAMED, _new(note_ids, self._named)):
            self._named[at] = (path, title)
        return {at: self._named[at] for at in note_ids if at in self._named}

    def pages(self, note_ids: Collection[int]) -> dict[int, list[str]]:
        """Return the lines of notes, without their ends."""
        parts: dict[int, list[str]] = {}
        for note_id, text, over in self._ask(PAGES, _new(note_ids, self._pages)):
            parts.setdefault(note_id, []).append(text[over:] if over else text)
        for note_id, many in parts.items():
            text = "".join(many)
            if len(text) > LONGEST_NOTE:  # whole lines, since receipts are of these
                text = text[:LONGEST_NOTE].rpartition("\n")[0]
            self._pages[note_id] = _lines(text)
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

    def signs(
        self, note_ids: Collection[int], tags: Sequence[str], callouts: Sequence[str]
    ) -> list[SectionSign]:
        """Return what speaks for notes and their lines, by note and line."""
        return self._said.signs(note_ids, tags, callouts)

    def heads(self, note_ids: Collection[int], longest: int) -> Mapping[int, str]:
        """Return the title and the short headings of notes, set apart by `APART`."""
        return self._said.heads(note_ids, longest)

    def dated(self, note_ids: Collection[int]) -> list[tuple[int, str]]:
        """Return those of some notes with the path whose name has a day."""
        named = self.named(note_ids)
        dated = [at for at in named if _DAY.search(named[at][0])]
        return sorted(((at, named[at][0]) for at in dated), key=lambda one: one[1])

    def titled(self, titles: Collection[str]) -> set[int]:
        """Return the notes that have one of some titles."""
        rows: Any = self._db.execute(TITLED, {"titles": json.dumps(sorted(titles))})
        return {row[0] for row in rows}

    def tasks(
        self, note_ids: Collection[int], keys: Collection[str]
    ) -> list[SectionTask]:
        """Return the tasks that are not finished, by note and line.

        Of the fields in their lines those of some keys count as dates. Of a note with
        very many, those with a date first.
        """
        found = list(self._ask(TASKS, note_ids, open=json.dumps(self._open)))
        dates: dict[tuple[int, int], dict[str, str]] = {}
        for note_id, line, key, value in self._ask(
            FIELDS, {row[0] for row in found}, keys=json.dumps(sorted(keys))
        ):
            dates.setdefault((note_id, line), {}).setdefault(key, value)
        return [
            SectionTask(at, path, line, dates.get((at, line), {}), text)
            for _, rows in groupby(found, key=lambda row: row[0])
            for at, line, path, text in self._few(list(rows), dates)
        ]

    def _few(
        self, rows: list[Any], dates: Mapping[tuple[int, int], Mapping[str, str]]
    ) -> list[Any]:
        """Return the tasks of a note that are looked at, those with a day first."""
        if len(rows) <= TASKS_EACH:
            return rows
        self.cut.add("tasks")
        earliest = {
            row: min(said.values()) for row in rows if (said := dates.get(row[:2]))
        }
        dated = sorted(earliest, key=lambda row: (earliest[row], row[1]))
        others = [row for row in rows if row not in earliest]
        return [*dated, *others][:TASKS_EACH]

    def links(self, note_ids: Collection[int]) -> list[SectionLink]:
        """Return the links from and to some notes, by source and place."""
        key = tuple(note_ids)
        if key not in self._links:
            self._read_links(_new(key, self._link_rows))
            rows = {row for at in key for row in self._link_rows[at]}
            self._links[key] = list(map(SectionLink._make, sorted(rows)))
        return self._links[key]

    def _read_links(self, note_ids: Collection[int]) -> None:
        known = self._link_rows
        known.update((note_id, []) for note_id in note_ids)
        for row in self._ask(LINKS_FROM, note_ids):
            known[row[0]].append(row)
        for row in self._links_to(note_ids):
            known[row[2]].append(row)

    def _links_to(self, note_ids: Collection[int]) -> Iterable[Any]:
        """Return the rows of links to some notes, the latest of those with many.

        Sorting is left out where no note has many, as most have not.
        """
        most = LINKS_EACH * len(note_ids)
        rows = list(self._ask(LINKS_TO, note_ids, most=most + 1))
        times = Counter([target for _, _, target, _ in rows])
        if len(rows) <= most and max(times.values(), default=0) <= LINKS_EACH:
            return rows
        return self._ask(LATEST_TO, note_ids, each=LINKS_EACH)

    def likenesses(self, note_ids: Collection[int]) -> list[Likeness]:
        """Return what notes are like, by note, the most similar first."""
        return [Likeness(*one) for one in self._pairs().partners(note_ids)]

    def degrees(self, note_ids: Collection[int]) -> dict[int, int]:
        """Return how many links each note has, to it and from it."""
        known = self._degrees
        known.update(self._ask(DEGREES, _new(note_ids, known)))
        return {at: known[at] for at in note_ids}

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

    def has_files(self, folder: str) -> bool:
        """Whether there is anything below a folder."""
        if folder not in self._folders:
            self._folders[folder] = has_files(self._db, folder)
        return self._folders[folder]

    def memos(self, wish: MemoWish) -> list[SectionNote]:
        """Return the captures that may be wished for, the latest first."""
        ids, is_cut = captured(self._db, wish)
        if is_cut:
            self.cut.add(f"{wish.kind}s")
        return [*self.notes(ids).values()]

    def _ask(
        self, statement: str, ids: Collection[int], **bound: str | int
    ) -> Iterable[Any]:
        if not ids:
            return ()
        return self._db.execute(statement, {"ids": json.dumps(sorted(ids)), **bound})


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return [line.rstrip("\r") for line in lines] if "\r" in text else lines


def _new(note_ids: Collection[int], known: Mapping[int, object]) -> Sequence[int]:
    return [note_id for note_id in note_ids if note_id not in known]


def _note(row: tuple[Any, ...], crowded: Collection[int]) -> SectionNote:
    note_id, path, title, day, mtime_ns, aliases, digest, held = row
    properties = {name.lower(): value for name, value in json.loads(held)}
    many = json.loads(aliases) if aliases != "[]" else ()
    names = tuple([name for name in many if isinstance(name, str)])
    return SectionNote(
        note_id,
        path,
        title,
        day,
        mtime_ns,
        names,
        properties,
        digest,
        mtime_ns in crowded,
    )
