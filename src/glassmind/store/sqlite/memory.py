"""Memory items, activity, use of notes, and which notes were superseded."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, get_args

import apsw

from glassmind.model import NotePath
from glassmind.model.context import ChangedRow
from glassmind.model.memory import (
    DayUse,
    EditEvent,
    MemoKind,
    MemoryNoteRow,
    UseEvent,
)
from glassmind.store.sqlite.connection import WriteStep
from glassmind.store.sqlite.notes import NoteRows

if TYPE_CHECKING:
    from glassmind.model.index import KnownNote
    from glassmind.model.search import Successor

_THESE = "in (select value from json_each(?))"


def company_of(
    db: apsw.Connection, since_ns: int, until_ns: int, folder: str
) -> dict[tuple[int, int], int]:
    """Return how many files were changed in each minute and the two around it.

    A sync or a checkout goes on over the end of a minute. By the minute, and 1 for what
    files of the agent folder are counted with, else 0: they are counted with all files,
    as those of a copied vault are, and do not count for others: what an agent writes
    says nothing about what a person does.
    """
    statement = """
        select mtime_ns / 60000000000, path > ?3 and path < ?4, count(*) from files
        where mtime_ns >= ?1 - 60000000000 and mtime_ns < ?2 + 60000000000
        group by 1, 2
    """
    bound = (since_ns, until_ns, f"{folder}/", f"{folder}0")
    rows: Any = db.execute(statement, bound)
    counts = {(minute, agents): many for minute, agents, many in rows}
    return {
        (minute, agents): sum(
            counts.get((minute + step, who), 0)
            for step in (-1, 0, 1)
            for who in range(agents + 1)
        )
        for minute, agents in counts
    }


_SUCCESSORS = """
select p.note_id, p.value,
  (select l.target_id from links l
   where l.note_id = p.note_id and l.property = p.name and l.target_id is not null
   order by l.seq limit 1),
  exists (select 1 from links l where l.note_id = p.note_id and l.property = p.name),
  (select f.path from links l join files f on f.id = l.note_id
   where l.target_id = p.note_id and l.property in ('supersedes', 'Supersedes')
   and l.note_id <> p.note_id order by f.path limit 1)
from properties p where p.name in (
  'superseded-by', 'superseded_by', 'superseded by', 'supersededBy',
  'Superseded-by', 'Superseded_by', 'Superseded by', 'SupersededBy')
"""
"""By the ways a name is written: an index finds these among all properties at once."""


def successors_in(db: apsw.Connection) -> "Mapping[int, Successor]":
    """Return the successor of each note that names one; id 0 if we do not know it.

    An unresolved link counts for nothing. A successor that was renamed since is found
    by its own property `supersedes`. What is not a link is a person's word, and counts.
    """
    rows: Any = db.execute(_SUCCESSORS).fetchall()
    if not rows:  # as in most vaults
        return {}
    from glassmind.model.search import Successor  # noqa: PLC0415
    from glassmind.obsidian.properties import plain_name  # noqa: PLC0415

    successors = {}
    for note_id, text, target_id, linked, renamed in rows:
        value = json.loads(text)
        first = value[0] if isinstance(value, list) and value else value
        name = plain_name(first) if isinstance(first, str) else ""
        if not name or target_id == note_id:
            continue
        if target_id is not None or not linked:
            successors[note_id] = Successor(target_id or 0, name)
        elif renamed is not None:
            file = db.execute("select id from files where path = ?", (renamed,)).get
            stem = renamed.rpartition("/")[2].removesuffix(".md")
            successors[note_id] = Successor(file, stem)
    return successors


_BELOW = "f.path > ?1 || '/' and f.path < ?1 || '0'"
"""The character "0" follows "/", so that the index of paths answers."""


_MOST_EVENTS = 250_000
"""Rows kept: what the usage log itself holds when all of its files are full."""

_READ_UPTO = "use_folded"
"""The setting that says how far the usage log was read."""

_LARGEST = 2**63 - 1
"""The largest number that a row holds."""
_PROJECT = "p.name in ('project', 'Project', 'PROJECT')"


class MemoryRows(NoteRows):
    """The notes of the agent folder, and what makes notes active."""

    def memory_notes(
        self, folder: str, *, outside: bool = False
    ) -> list[MemoryNoteRow]:
        """Return the notes below a folder, by path.

        With `outside`, return the memory items that a person moved out of it, by the
        properties that all of them have; a person's notes do not have all.
        """
        if not outside:
            return self._memos(self.notes(folder=folder, kind="markdown"))
        statement = f"""
            select n.id from properties c join notes n on n.id = c.note_id
            join files f on f.id = n.id
            where c.name = 'client' and n.kind = 'markdown' and not ({_BELOW})
              and exists (select 1 from properties p
                where p.note_id = n.id and p.name = 'status')
              and exists (select 1 from properties p
                where p.note_id = n.id and p.name = 'kind'
                and p.value in (select json_quote(value) from json_each(?2)))
              and exists (select 1 from properties p
                where p.note_id = n.id and p.name = 'created'
                and p.value like '"____-__-__T%')
        """
        rows = self._rows(statement, folder, json.dumps(get_args(MemoKind)))
        return self._memos(self.notes(ids=[row[0] for row in rows]))

    def _memos(self, notes: "Sequence[KnownNote]") -> list[MemoryNoteRow]:
        properties = self.properties_of([note.id for note in notes])
        return [
            MemoryNoteRow(
                note.path, note.title, note.aliases, properties.get(note.id, {})
            )
            for note in notes
        ]

    def whole_texts(self, paths: Collection[NotePath]) -> dict[NotePath, str]:
        """Return the whole text of some notes, as it was indexed."""
        statement = """
            select f.path, substr(c.text, c.overlap + 1) from json_each(?) k
            join files f on f.path = k.value join chunks c on c.note_id = f.id
            order by f.path, c.chunk_index
        """
        texts = self._grouped(self._for(statement, paths))
        return {NotePath(path): "".join(parts) for path, parts in texts.items()}

    def ticked(self, folder: str, said: str, mark: str) -> list[NotePath]:
        """Return the notes below a folder with a ticked box of this text, or a mark.

        `mark` is the name of the property.
        """
        statement = f"""
            select f.path from files f where {_BELOW} and (
              exists (select 1 from tasks t where t.note_id = f.id
                and t.status in ('x', 'X') and (t.text = ?2 or t.text like ?2 || ' %'))
              or exists (select 1 from properties p
                where p.note_id = f.id and p.name = ?3))
            order by f.path
        """
        return [path for (path,) in self._rows(statement, folder, said, mark)]

    def uses_read(self) -> dict[str, int]:
        found = self.setting(_READ_UPTO)
        try:
            return {key: int(upto) for key, upto in json.loads(found or "{}").items()}
        except ValueError:
            return {}

    def uses(self, since: str, events: Iterable[UseEvent] = ()) -> list[DayUse]:
        """Return what was handed out from a day on, by note, verb and day.

        `events` are those that were not added yet.
        """
        statement = """
            select coalesce(e.file_id, f.id), e.verb, substr(e.at, 1, 10), count(*)
            from memory_events e
            left join files f on e.file_id is null and f.path = e.path
            where e.at >= ?
            group by 1, 2, 3 having coalesce(e.file_id, f.id) is not null
        """
        added = [DayUse(*row) for row in self._rows(statement, since)]
        days = ((event, event.at.date().isoformat()) for event in events)
        counts = Counter(
            (path, event.verb, day)
            for event, day in days
            if day >= since
            for path in event.paths
        )
        statement = f"select path, id from files where path {_THESE}"
        ids = dict(self._for(statement, {path for path, _, _ in counts}))
        return added + [
            DayUse(ids[path], verb, day, count)
            for (path, verb, day), count in sorted(counts.items())
            if path in ids
        ]

    def edited_between(
        self, since_ns: int, until_ns: int, most: int, agent: str
    ) -> list[EditEvent]:
        """Return the notes changed between two times, each with its company.

        That is how many files changed in the same minute and the two around it; what
        more than `most` did is left out.
        """
        company = company_of(self._db, since_ns, until_ns, agent)
        if company and all(many > most for many in company.values()):
            return []
        statement = """
            select n.id, f.mtime_ns, f.mtime_ns / 60000000000,
              f.path > ?3 and f.path < ?4
            from files f join notes n on n.id = f.id
            where f.mtime_ns >= ?1 and f.mtime_ns < ?2
        """
        return [
            EditEvent(note_id, mtime_ns, many)
            for note_id, mtime_ns, minute, agents in self._rows(
                statement, since_ns, until_ns, f"{agent}/", f"{agent}0"
            )
            if (many := company.get((minute, agents), 1)) <= most
        ]

    def project_values(
        self, note_ids: Collection[int] | None = None
    ) -> list[tuple[object, list[int]]]:
        """Return the values of `project` with their notes; of some notes, or of all."""
        statement = f"select p.value, p.note_id from properties p where {_PROJECT}"
        if note_ids is None:
            found = self._grouped(self._rows(statement))
        else:
            found = self._grouped(
                self._for(f"{statement} and p.note_id {_THESE}", note_ids)
            )
        return [(json.loads(text), notes) for text, notes in found.items()]

    def changed_since(self, since: str, agent: str) -> list[ChangedRow]:
        """Return the notes changed on a day or later, the last one first.

        Each with its company; see `company_of`. A superseded memory item is not among
        them: its last change is that it was superseded.
        """
        eve = self._value(
            "select cast(strftime('%s', ?, '-1 day', 'utc') as integer)", since
        )
        first = min(_LARGEST, max(-_LARGEST, eve * 10**9))
        company = company_of(self._db, first, _LARGEST, agent)
        former = successors_in(self._db)
        statement = """
            select n.id, f.path, n.title,
              date(f.mtime_ns / 1000000000, 'unixepoch', 'localtime') as changed,
              f.mtime_ns / 60000000000, f.path > ?2 and f.path < ?3
            from notes n join files f on f.id = n.id
            where changed >= ?1 order by f.mtime_ns desc, f.path
        """
        rows = self._rows(statement, since, f"{agent}/", f"{agent}0")
        return [
            ChangedRow(note, path, title, day, company.get((minute, by_agent), 1))
            for note, path, title, day, minute, by_agent in rows
            if not (by_agent and note in former)
        ]


class UseWrites(WriteStep):
    """Writing how notes were used."""

    def add_uses(self, events: Sequence[UseEvent], upto: Mapping[str, int]) -> None:
        """Add events; `upto` says how far the files they come from were read."""
        put = """
            insert into memory_events (at, verb, client, path, file_id)
            values (?1, ?2, ?3, ?4, (select id from files where path = ?4))
        """
        drop_old = """
            delete from memory_events
            where id <= (select max(id) from memory_events) - ?
        """
        rows = (
            (_text(event.at), event.verb, event.client, path)
            for event in events
            for path in event.paths
        )
        self._db.executemany(put, rows)
        self._rows(drop_old, _MOST_EVENTS)
        self.set(_READ_UPTO, json.dumps(upto, sort_keys=True))


def _text(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds")
