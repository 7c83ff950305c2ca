"""Asking the rows which notes are alike and have no link between them."""

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, Self

import apsw

from glassmind.model import NotePath
from glassmind.model.graph import KeptTheme, KeptThemes, ThemeState
from glassmind.model.suggestions import (
    Dismissible,
    Mark,
    Pair,
    PairBasis,
    PairChange,
    PairLag,
    PairNews,
    PairState,
    PairStatus,
    Partner,
)
from glassmind.model.vectors import Space
from glassmind.store.sqlite import schema
from glassmind.store.sqlite.change_log import EPOCH
from glassmind.store.sqlite.connection import Fence, begin, end
from glassmind.store.sqlite.links import NetRows
from glassmind.store.sqlite.schema import version_of
from glassmind.store.sqlite.vectors import VectorRows

SINCE = 3
"""The version of the schema from which a file can hold pairs."""

STATE = "pairs"
"""The setting that says how the pairs were made."""

NEVER: Mark = (0, "")
"""Where nothing was ever logged."""

_UNLINKED = (
    "not exists (select 1 from links l where l.note_id = {0} and l.target_id = {1}) "
    "and not exists (select 1 from links l where l.note_id = {1} and l.target_id = {0})"
)
_COMPARED = "not exists (select 1 from pair_changes c where c.note_id in ({0}, {1}))"
"""What a note was like is not what it is like, once it says something else."""
_PARTNERS = f"""
with asked(id) as (select value from json_each(:ids)),
both(note_id, other_id, similarity) as (
  select p.note_id, p.other_id, p.similarity from asked join pairs p
    on p.note_id = asked.id
  union
  select p.other_id, p.note_id, p.similarity from asked join pairs p
    on p.other_id = asked.id
)
select b.note_id, b.other_id, b.similarity from both b
join notes o on o.id = b.other_id join files f on f.id = b.other_id
where b.similarity >= :least and {_UNLINKED.format("b.note_id", "b.other_id")}
and {_COMPARED.format("b.note_id", "b.other_id")}
order by b.note_id, b.similarity desc, f.path
"""  # noqa: S608 - our own words
_STRONGEST = f"""
with once(note_id, other_id, similarity) as (
  select distinct min(note_id, other_id), max(note_id, other_id), similarity
  from pairs where similarity >= :least
)
select f.path, n.title, g.path, m.title, b.similarity
from once b join notes n on n.id = b.note_id join notes m on m.id = b.other_id
join files f on f.id = b.note_id join files g on g.id = b.other_id
where {_UNLINKED.format("b.note_id", "b.other_id")}
and {_COMPARED.format("b.note_id", "b.other_id")}
"""  # noqa: S608 - our own words
_CHANGED = "select distinct note_id from main.pair_changes"
_LINKED_SINCE = """
select l.note_id, l.target_id from links l where l.note_id in
  (select c.note_id from link_changes c where c.seq > ?) and l.target_id is not null
"""
_NAMES = """
select f.id, f.path, n.title from files f join notes n on n.id = f.id
where f.id in (select value from json_each(?))
"""
_ID_OF = (
    "select f.id, n.title from files f join notes n on n.id = f.id where f.path = ?"
)
_THERE = "select path from files where path in (select value from json_each(?))"
_KNOWN = """
select f.path, n.title, n.digest from files f join notes n on n.id = f.id
where f.path in (select value from json_each(?))
"""
_DIGESTED = """
select j.value, f.path from json_each(?) j
join notes n on n.digest >= j.value and n.digest < j.value || 'g'
join files f on f.id = n.id order by f.path
"""
_NAMESAKES = """
select name_key, path from files
where name_key in (select value from json_each(?)) order by path
"""
_TITLED = """
select n.title, f.path from notes n join files f on f.id = n.id
where n.title in (select value from json_each(?)) order by f.path
"""
_SETTING = "select value from settings where key = ?"
_COUNT = f"""
select count(*) from pairs p
join notes n on n.id = p.note_id join notes m on m.id = p.other_id
where (p.note_id < p.other_id or not exists
  (select 1 from pairs q where q.note_id = p.other_id and q.other_id = p.note_id))
and {_UNLINKED.format("p.note_id", "p.other_id")}
and {_COMPARED.format("p.note_id", "p.other_id")}
"""  # noqa: S608 - our own words
_COUNT_AMONG = f"""
select count(*) from json_each(?) d
join files a on a.path = json_extract(d.value, '$[0]')
join files b on b.path = json_extract(d.value, '$[1]')
where (exists (select 1 from pairs where note_id = a.id and other_id = b.id)
  or exists (select 1 from pairs where note_id = b.id and other_id = a.id))
and {_UNLINKED.format("a.id", "b.id")}
and {_COMPARED.format("a.id", "b.id")}
"""  # noqa: S608 - our own words
_TOKEN = "select hex(token) from pair_changes where seq = ?"  # noqa: S105 - a log row
LAST_LINK = "select seq, hex(token) from link_changes order by seq desc limit 1"
_WAITING = "select count(distinct note_id) from pair_changes"
_ANY_CHANGE = "select exists (select 1 from pair_changes)"


class PairRows:
    """The pairs of notes; a file from before there were any holds none."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._some = version_of(db) >= SINCE

    def state(self) -> PairState | None:
        """Return how the pairs were made; None where nobody knows."""
        found = self._db.execute(_SETTING, (STATE,)).get if self._some else None
        return None if found is None else _state(str(found))

    def holds(self, mark: Mark) -> bool:
        """Whether all that happened to vectors since a change can be told.

        It can where the log has that very change, or it was the last taken in.
        """
        row: Any = self._db.execute(_TOKEN, (mark[0],)).fetchone()
        if row is not None:
            return bool(row[0] == mark[1])
        state = self.state()
        return state is not None and state.mark == mark

    def is_level(self) -> bool:
        """Whether no vector and no link has changed since notes were paired."""
        if not self._some:
            return True
        state = self.state()
        head: Any = self._db.execute(LAST_LINK).fetchone()
        linked = state and (state.link_seq, state.link_token)
        return linked == (head or NEVER) and not self._db.execute(_ANY_CHANGE).get

    def status(self, space: str, dismissed: Collection[Dismissible] = ()) -> PairStatus:
        """Return how many pairs have no link, those left out that were dismissed.

        `space` names the vectors that answer.
        """
        lag = self.lag(space)
        pairs: Any = self._db.execute(_COUNT).get if self._some else 0
        if pairs and dismissed:
            asked = json.dumps(sorted(sorted(pair) for pair in dismissed))
            pairs -= int(str(self._db.execute(_COUNT_AMONG, (asked,)).get))
        return _status(int(pairs), *lag)

    def lag(self, space: str) -> PairLag:
        """Return how pairs were made and how many notes wait; `space` as above."""
        state = self.state()
        waiting: Any = self._db.execute(_WAITING).get if self._some else 0
        whole = state is None or state.space != space
        return PairLag(None if whole and space else int(waiting), state)

    def partners(
        self, note_ids: Collection[int], *, least: float = 0.0
    ) -> list[Partner]:
        """Return what each note is like and has no link with, either way.

        By note, the most similar first, then by path.
        """
        if not self._some or not note_ids:
            return []
        bound = {"ids": json.dumps(sorted(note_ids)), "least": least}
        return [Partner(*row) for row in self._db.execute(_PARTNERS, bound)]

    def pairs(self, *, least: float = 0.0) -> list[Pair]:
        """Return every pair without a link once, the most similar first."""
        rows: Any = self._db.execute(_STRONGEST, {"least": least}) if self._some else ()
        return _sorted_pairs(rows)

    def of_note(self, path: NotePath, *, least: float = 0.0) -> list[Pair]:
        """Return what a note is like and has no link with, the most similar first."""
        row: Any = self._db.execute(_ID_OF, (path,)).fetchone()
        if row is None:
            return []
        found = self.partners([row[0]], least=least)
        names = self._names([one.other_id for one in found])
        return [Pair(path, row[1], *names[o], s) for _, o, s in found if o in names]

    def there(self, paths: Collection[NotePath]) -> set[NotePath]:
        """Return those of some paths that a file has."""
        bound = (json.dumps(sorted(paths)),)
        return {NotePath(str(row[0])) for row in self._db.execute(_THERE, bound)}

    def known(self, paths: Collection[NotePath]) -> dict[NotePath, tuple[str, str]]:
        """Return the title and the digest of each note."""
        rows: Any = self._db.execute(_KNOWN, (json.dumps(sorted(paths)),))
        return {path: (title, digest) for path, title, digest in rows}

    def titled(self, titles: Collection[str]) -> dict[str, list[NotePath]]:
        """Return the notes that have each title, by path."""
        return self._paths_by(_TITLED, titles)

    def digested(self, heads: Collection[str]) -> dict[str, list[NotePath]]:
        """Return the notes whose digest begins so, by path."""
        return self._paths_by(_DIGESTED, heads)

    def namesakes(self, keys: Collection[str]) -> dict[str, list[NotePath]]:
        """Return the files that have each key of a name, by path."""
        return self._paths_by(_NAMESAKES, keys)

    def _paths_by(self, ask: str, keys: Collection[str]) -> dict[str, list[NotePath]]:
        found: dict[str, list[NotePath]] = {}
        rows: Any = self._db.execute(ask, (json.dumps(sorted(keys)),)) if keys else ()
        for key, path in rows:
            found.setdefault(key, []).append(path)
        return found

    def _names(self, note_ids: Collection[int]) -> dict[int, tuple[NotePath, str]]:
        rows: Any = self._db.execute(_NAMES, (json.dumps(sorted(note_ids)),))
        return {row[0]: (row[1], row[2]) for row in rows}


class ScopePairs:
    """Similar notes among those of a scope, as of the change of a link `link_seq`.

    `entries` have no pair that was linked then, and none below `threshold`.
    """

    def __init__(
        self, entries: Iterable[Partner], threshold: float, link_seq: int
    ) -> None:
        self.threshold, self.link_seq = threshold, link_seq
        self._of: dict[int, dict[int, float]] = {}
        for note, other, similarity in entries:
            self._of.setdefault(note, {})[other] = similarity
            self._of.setdefault(other, {})[note] = similarity

    def of_note(self, note_id: int) -> Iterator[Partner]:
        """Yield what a note is similar to, in no order."""
        for other, similarity in self._of.get(note_id, {}).items():
            yield Partner(note_id, other, similarity)

    def once(self) -> Iterator[Partner]:
        """Yield every pair once, in no order."""
        return (
            Partner(note, other, similarity)
            for note, others in self._of.items()
            for other, similarity in others.items()
            if note < other
        )


class ScopePairRows(PairRows):
    """The pairs of a scope from which some notes are hidden.

    Stored pairs were made from all notes: hidden ones push visible ones off a list, and
    move the threshold. `compare` returns those of the visible notes alone.
    """

    def __init__(self, db: apsw.Connection, compare: Callable[[], ScopePairs]) -> None:
        super().__init__(db)
        self._compare = compare

    def partners(
        self, note_ids: Collection[int], *, least: float = 0.0
    ) -> list[Partner]:
        """Return the unlinked notes that each note is similar to.

        By note, the most similar first, then by path.
        """
        pairs = self._compare()
        every = (one for note in note_ids for one in pairs.of_note(note))
        found = self._current(every, pairs, least)
        names = self._names({one.other_id for one in found})
        there = [one for one in found if one.other_id in names]
        return sorted(
            there, key=lambda p: (p.note_id, -p.similarity, names[p.other_id][0])
        )

    def pairs(self, *, least: float = 0.0) -> list[Pair]:
        """Return every unlinked pair once, the most similar first."""
        pairs = self._compare()
        found = self._current(pairs.once(), pairs, least)
        names = self._names({note for one in found for note in one[:2]})
        return _sorted_pairs(
            (*names[one], *names[other], similarity)
            for one, other, similarity in found
            if one in names and other in names
        )

    def status(self, space: str, dismissed: Collection[Dismissible] = ()) -> PairStatus:
        """Return how many unlinked pairs there are, without dismissed ones."""
        pairs, (waiting, state) = self._compare(), self.lag(space)
        if dismissed:
            found = {frozenset((one.path, one.other_path)) for one in self.pairs()}
            count = len(found.difference(dismissed))
        else:
            count = len(self._current(pairs.once(), pairs, 0.0))
        made = None if state is None else state._replace(threshold=pairs.threshold)
        return _status(count, waiting, made)

    def _current(
        self, found: Iterable[Partner], pairs: ScopePairs, least: float
    ) -> list[Partner]:
        """Return pairs that are still compared and unlinked."""
        changed = {row[0] for row in self._db.execute(_CHANGED)}
        links: Any = self._db.execute(_LINKED_SINCE, (pairs.link_seq,))
        linked = {frozenset(row) for row in links}
        return [
            one
            for one in found
            if one.similarity >= least
            and one.note_id not in changed
            and one.other_id not in changed
            and not (linked and frozenset(one[:2]) in linked)
        ]


def _sorted_pairs(rows: Any) -> list[Pair]:
    """Return pairs with the first path first, the most similar pair first."""
    found = [
        Pair(one, a, other, b, s) if one < other else Pair(other, b, one, a, s)
        for one, a, other, b, s in rows
    ]
    return sorted(found, key=lambda p: (-p.similarity, p.path, p.other_path))


def _state(text: str) -> PairState | None:
    """Return a state as it was written; None for one of another form."""
    try:
        return PairState(*json.loads(text))
    except (ValueError, TypeError):
        return None


def _status(count: int, waiting: int | None, state: PairState | None) -> PairStatus:
    threshold, most = (state.threshold, state.most) if state else (None, None)
    return PairStatus(count, waiting, threshold, most)


_ORDER = """
select v.note_id, f.path from note_vectors v join files f on f.id = v.note_id
where v.space_id = ? and length(v.vector) = ? order by f.path
"""
_NAMED = """
select v.note_id, f.path from json_each(?) j
join note_vectors v on v.note_id = j.value and v.space_id = ?
join files f on f.id = v.note_id where length(v.vector) = ?
"""
_SCAN = """
select note_id, vector from note_vectors
where space_id = ? and length(vector) = ? order by note_id
"""
_VECTORS = """
select v.vector from json_each(?) j
join note_vectors v on v.note_id = j.value and v.space_id = ? order by j.key
"""
_LAST = "select seq, hex(token) from pair_changes order by seq desc limit 1"
_LINK_TOKEN = "select hex(token) from link_changes where seq = ?"  # noqa: S105 - a log row
_FIRST_LINK = "select min(seq) from link_changes"
_RELINKED = "select distinct note_id from link_changes where seq > ? order by note_id"
_LINKS = """
select json_group_array(note_id), json_group_array(target_id) from links not indexed
where target_id <> note_id
"""
_LINKS_OF = """
select note_id, target_id from links
where note_id in (select value from json_each(:ids)) and target_id <> note_id
union
select note_id, target_id from links
where target_id in (select value from json_each(:ids)) and target_id <> note_id
"""
_CHANGED_PAIR_SOURCE = "select distinct note_id from pair_changes order by note_id"
_TOUCHING = """
select note_id, other_id, similarity from main.pairs
where note_id in (select value from json_each(:ids))
union
select note_id, other_id, similarity from main.pairs
where other_id in (select value from json_each(:ids))
"""
_LISTS = """
select note_id, other_id, similarity from main.pairs
where note_id in (select value from json_each(?))
"""

_EVERY_PAIR = "select note_id, other_id, similarity from main.pairs"
"""Pairs are read from the table itself: a scope that hides notes shows none."""

_BATCH = 4_096
"""Vectors read at once."""


class PairSource:
    """The rows as pairing sees them, at one moment between `still` and its end."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    @contextmanager
    def still(self) -> Iterator[None]:
        """Keep to what the rows say now, whatever is written meanwhile."""
        if self._db.in_transaction:
            yield
            return
        self._db.execute("begin")
        try:
            yield
        finally:
            self._db.execute("rollback")

    def epoch(self) -> str:
        """Return what tells this database from one that was begun anew."""
        return str(self._db.execute(EPOCH).get)

    def space(self) -> Space | None:
        """Return the space that answers."""
        return VectorRows(self._db).answering()

    def state(self) -> PairState | None:
        """Return how the pairs were made."""
        return PairRows(self._db).state()

    def news(self) -> PairNews:
        """Return what happened to vectors, paths and links since notes were paired."""
        state = self.state()
        last: Any = self._db.execute(_LAST).fetchone()
        if last is None:
            # a token of its own: nothing else says that this was the beginning
            last = state.mark if state else (0, os.urandom(8).hex())
        link_mark: Any = self._db.execute(LAST_LINK).fetchone() or NEVER
        changed = [int(row[0]) for row in self._db.execute(_CHANGED_PAIR_SOURCE)]
        return PairNews(last, link_mark, changed, self._relinked(state))

    def _relinked(self, state: PairState | None) -> list[int] | None:
        """Return the notes whose links may be others; None for all of them."""
        if state is None:
            return None
        if state.link_seq:
            known = self._db.execute(_LINK_TOKEN, (state.link_seq,)).get
            whole = known == state.link_token
        else:
            whole = self._db.execute(_FIRST_LINK).get in (None, 1)
        rows = self._db.execute(_RELINKED, (state.link_seq,)) if whole else ()
        return [int(row[0]) for row in rows] if whole else None

    def holds(self, mark: Mark) -> bool:
        """Whether all that happened to vectors since a change can be told."""
        return PairRows(self._db).holds(mark)

    def links(
        self, note_ids: Collection[int] | None
    ) -> tuple[Sequence[int], Sequence[int]]:
        """Return from where to where links lead: all, or those at some notes."""
        if note_ids is None:
            row: Any = self._db.execute(_LINKS).fetchone()
            return json.loads(row[0]), json.loads(row[1])
        bound = {"ids": json.dumps(sorted(note_ids))}
        rows: Any = self._db.execute(_LINKS_OF, bound).fetchall()
        return [row[0] for row in rows], [row[1] for row in rows]

    def order(self, space: Space) -> list[tuple[int, str]]:
        """Return the notes that have a vector with their paths, by path."""
        rows: Any = self._db.execute(_ORDER, (space.id, 4 * space.width))
        return list(rows)

    def named(self, space: Space, note_ids: Collection[int]) -> list[tuple[int, str]]:
        """Return those of some notes that have a vector, with their paths."""
        bound = (json.dumps(sorted(note_ids)), space.id, 4 * space.width)
        rows: Any = self._db.execute(_NAMED, bound)
        return list(rows)

    def vectors(self, space: Space, note_ids: Sequence[int]) -> bytes:
        """Return the rows of notes in their order, joined."""
        asked = (json.dumps(note_ids), space.id)
        return b"".join(row[0] for row in self._db.execute(_VECTORS, asked))

    def every_vector(self, space: Space) -> Iterator[tuple[Sequence[int], bytes]]:
        """Yield all notes with their rows, joined, some thousands at a time, by id."""
        found: Any = self._db.execute(_SCAN, (space.id, 4 * space.width))
        while batch := list(islice(found, _BATCH)):
            ids, rows = zip(*batch, strict=True)
            yield ids, b"".join(rows)

    def touching(self, note_ids: Collection[int]) -> list[Partner]:
        """Return the entries of lists that are theirs, or name them."""
        bound = {"ids": json.dumps(sorted(note_ids))}
        return [Partner(*row) for row in self._db.execute(_TOUCHING, bound)]

    def every_pair(self) -> Iterator[Partner]:
        """Yield the entries of all stored lists."""
        rows: Any = self._db.execute(_EVERY_PAIR)
        return (Partner(*row) for row in rows)

    def lists(self, note_ids: Collection[int]) -> list[Partner]:
        """Return the entries of the lists of some notes."""
        rows = self._db.execute(_LISTS, (json.dumps(sorted(note_ids)),))
        return [Partner(*row) for row in rows]


_DROP_ALL = "delete from pairs"
_DROP_LISTS = "delete from pairs where note_id in (select value from json_each(?))"
_DROP_OTHERS = "delete from pairs where other_id in (select value from json_each(?))"
_DROP_BELOW = "delete from pairs where similarity < ?"
_PUT = "insert into pairs values (?, ?, ?)"
_PUT_STATE = "insert or replace into settings values (?, ?)"
_TAKEN_IN = "delete from pair_changes where seq <= ?"


class PairStep:
    """One atomic step of writing pairs: all of it happens, or none.

    It is made on what was read before. Where others have written pairs since, nothing
    is written, and the answer is False.
    """

    def __init__(self, db: apsw.Connection, fence: Fence) -> None:
        self._db, self._fence = db, fence

    def __enter__(self) -> Self:
        begin(self._db, self._fence)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        end(self._db, self._fence, keep=kind is None)

    def replace(
        self, rows: Iterable[Partner], state: PairState, basis: PairBasis
    ) -> bool:
        """Put new pairs in the place of all there are."""
        if not self._stands(basis, state):
            return False
        self._db.execute(_DROP_ALL)
        self._db.executemany(_PUT, rows)
        self._set(state)
        return True

    def change(self, change: PairChange, state: PairState, basis: PairBasis) -> bool:
        """Put new pairs in the place of those of some notes.

        What the state's threshold leaves out by now goes as well.
        """
        if not self._stands(basis, state):
            return False
        rows, anew, gone = change
        self._db.execute(_DROP_LISTS, (json.dumps(sorted({*anew, *gone})),))
        self._db.execute(_DROP_OTHERS, (json.dumps(sorted(gone)),))
        if basis.before is not None and state.threshold > basis.before.threshold:
            self._db.execute(_DROP_BELOW, (state.threshold,))
        self._db.executemany(_PUT, rows)
        self._set(state)
        return True

    def _stands(self, basis: PairBasis, state: PairState) -> bool:
        """Whether the rows are those that were read, and have come that far."""
        found: Any = self._db.execute(EPOCH).get
        rows = PairRows(self._db)
        if str(found) != basis.epoch or rows.state() != basis.before:
            return False
        return rows.holds(state.mark) or (state.seq == 0 and basis.before is None)

    def _set(self, state: PairState) -> None:
        self._db.execute(_PUT_STATE, (STATE, json.dumps(state)))
        self._db.execute(_TAKEN_IN, (state.seq,))


_STATE = "themes"
"""The setting that says what the themes were made from."""

THEMES_SINCE = 3
"""The schema that has themes; a file of an earlier one is read as if it had none."""

_MEMBERS = "select note_id, theme_id, influence from theme_members order by note_id"
_COUNT_THEME_ROWS = "select count(*) from theme_members"
_LAST_ID = "select seq from sqlite_sequence where name = 'themes'"
_TAGS = """
select note_id, folded, min(name) from tags group by note_id, folded
order by note_id, folded
"""
_DROP_MEMBERS = "delete from theme_members"
_DROP_THEMES = "delete from themes"
_PUT_THEME = "insert into themes (id, label, summary) values (?, ?, ?)"
_PUT_MEMBER = """
insert into theme_members (note_id, theme_id, influence) values (?, ?, ?)
"""
_PUT_SETTING = "insert or replace into settings values (?, ?)"


class ThemeRows:
    """The themes that are kept, as an open database shows them.

    Without `stored`, as for a scope from which notes are hidden, no theme counts as
    kept and ids start at 1; the resolution that the owner chose still applies.
    """

    def __init__(self, db: apsw.Connection, *, stored: bool = True) -> None:
        self._db, self._stored = db, stored

    def state(self) -> ThemeState | None:
        """Return what the themes were made from; None where none were made."""
        kept: Any = self._db.execute(_SETTING, (_STATE,)).get
        if kept is None or schema.version_of(self._db) < THEMES_SINCE:
            return None
        state = ThemeState(**json.loads(kept))
        there = (
            self._stored and self._db.execute(_COUNT_THEME_ROWS).get == state.members
        )
        return state if there else state._replace(graph="")

    def kept(self) -> KeptThemes:
        """Return all that is kept, as of one moment."""
        if schema.version_of(self._db) < THEMES_SINCE:
            return KeptThemes(None, (), 0)
        with self._db:
            state = self.state()
            if not self._stored:
                return KeptThemes(state, (), 0)
            members: Any = self._db.execute(_MEMBERS).fetchall()
            last_id: Any = self._db.execute(_LAST_ID).get
        return KeptThemes(state, members, last_id or 0)

    def tags(self) -> list[tuple[int, str, str]]:
        """Return the tags of every note: its id, what spellings share, and one."""
        rows: Any = self._db.execute(_TAGS).fetchall()
        return list(rows)


class ThemeStep:
    """One atomic step of writing themes: all of it happens, or none."""

    def __init__(self, db: apsw.Connection, fence: Fence) -> None:
        self._db, self._fence = db, fence

    def __enter__(self) -> Self:
        begin(self._db, self._fence)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        end(self._db, self._fence, keep=kind is None)

    def replace(
        self,
        themes: Sequence[KeptTheme],
        state: ThemeState,
        *,
        head: str,
        before: ThemeState | None,
    ) -> bool:
        """Keep these themes in place of those that were made from `before`.

        Whether that was done: not where the links have gone on from `head`, or some of
        them lead nobody knows where, nor where others were faster.
        """
        known, net = ThemeRows(self._db).state(), NetRows(self._db)
        if net.head() != head or net.unsettled() or known != before:
            return False
        self._db.execute(_DROP_MEMBERS)
        self._db.execute(_DROP_THEMES)
        rows = [(one.id, one.label, json.dumps(one.summary)) for one in themes]
        self._db.executemany(_PUT_THEME, rows)
        for one in themes:
            members = [(note, one.id, influence) for note, influence in one.members]
            self._db.executemany(_PUT_MEMBER, members)
        self._db.execute(_PUT_SETTING, (_STATE, json.dumps(state._asdict())))
        return True
