"""Asking the rows which notes are alike and have no link between them."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import apsw

from glassmind.model import NotePath
from glassmind.model.pairs import (
    Dismissible,
    Mark,
    Pair,
    PairLag,
    PairState,
    PairStatus,
    Partner,
)
from glassmind.store.sqlite.schema import version_of

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
PARTNERS = f"""
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
STRONGEST = f"""
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
CHANGED = "select distinct note_id from main.pair_changes"
LINKED_SINCE = """
select l.note_id, l.target_id from links l where l.note_id in
  (select c.note_id from link_changes c where c.seq > ?) and l.target_id is not null
"""
NAMES = """
select f.id, f.path, n.title from files f join notes n on n.id = f.id
where f.id in (select value from json_each(?))
"""
ID_OF = "select f.id, n.title from files f join notes n on n.id = f.id where f.path = ?"
THERE = "select path from files where path in (select value from json_each(?))"
KNOWN = """
select f.path, n.title, n.digest from files f join notes n on n.id = f.id
where f.path in (select value from json_each(?))
"""
DIGESTED = """
select j.value, f.path from json_each(?) j
join notes n on n.digest >= j.value and n.digest < j.value || 'g'
join files f on f.id = n.id order by f.path
"""
NAMESAKES = """
select name_key, path from files
where name_key in (select value from json_each(?)) order by path
"""
TITLED = """
select n.title, f.path from notes n join files f on f.id = n.id
where n.title in (select value from json_each(?)) order by f.path
"""
SETTING = "select value from settings where key = ?"
COUNT = f"""
select count(*) from pairs p
join notes n on n.id = p.note_id join notes m on m.id = p.other_id
where (p.note_id < p.other_id or not exists
  (select 1 from pairs q where q.note_id = p.other_id and q.other_id = p.note_id))
and {_UNLINKED.format("p.note_id", "p.other_id")}
and {_COMPARED.format("p.note_id", "p.other_id")}
"""  # noqa: S608 - our own words
COUNT_AMONG = f"""
select count(*) from json_each(?) d
join files a on a.path = json_extract(d.value, '$[0]')
join files b on b.path = json_extract(d.value, '$[1]')
where (exists (select 1 from pairs where note_id = a.id and other_id = b.id)
  or exists (select 1 from pairs where note_id = b.id and other_id = a.id))
and {_UNLINKED.format("a.id", "b.id")}
and {_COMPARED.format("a.id", "b.id")}
"""  # noqa: S608 - our own words
TOKEN = "select hex(token) from pair_changes where seq = ?"  # noqa: S105 - a log row
LAST_LINK = "select seq, hex(token) from link_changes order by seq desc limit 1"
WAITING = "select count(distinct note_id) from pair_changes"
ANY_CHANGE = "select exists (select 1 from pair_changes)"


class PairRows:
    """The pairs of notes; a file from before there were any holds none."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._some = version_of(db) >= SINCE

    def state(self) -> PairState | None:
        """Return how the pairs were made; None where nobody knows."""
        found = self._db.execute(SETTING, (STATE,)).get if self._some else None
        return None if found is None else _state(str(found))

    def holds(self, mark: Mark) -> bool:
        """Whether all that happened to vectors since a change can be told.

        It can where the log has that very change, or it was the last taken in.
        """
        row: Any = self._db.execute(TOKEN, (mark[0],)).fetchone()
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
        return linked == (head or NEVER) and not self._db.execute(ANY_CHANGE).get

    def status(self, space: str, dismissed: Collection[Dismissible] = ()) -> PairStatus:
        """Return how many pairs have no link, those left out that were dismissed.

        `space` names the vectors that answer.
        """
        lag = self.lag(space)
        pairs: Any = self._db.execute(COUNT).get if self._some else 0
        if pairs and dismissed:
            asked = json.dumps(sorted(sorted(pair) for pair in dismissed))
            pairs -= int(str(self._db.execute(COUNT_AMONG, (asked,)).get))
        return _status(int(pairs), *lag)

    def lag(self, space: str) -> PairLag:
        """Return how pairs were made and how many notes wait; `space` as above."""
        state = self.state()
        waiting: Any = self._db.execute(WAITING).get if self._some else 0
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
        return [Partner(*row) for row in self._db.execute(PARTNERS, bound)]

    def pairs(self, *, least: float = 0.0) -> list[Pair]:
        """Return every pair without a link once, the most similar first."""
        rows: Any = self._db.execute(STRONGEST, {"least": least}) if self._some else ()
        return _sorted_pairs(rows)

    def of_note(self, path: NotePath, *, least: float = 0.0) -> list[Pair]:
        """Return what a note is like and has no link with, the most similar first."""
        row: Any = self._db.execute(ID_OF, (path,)).fetchone()
        if row is None:
            return []
        found = self.partners([row[0]], least=least)
        names = self._names([one.other_id for one in found])
        return [Pair(path, row[1], *names[o], s) for _, o, s in found if o in names]

    def there(self, paths: Collection[NotePath]) -> set[NotePath]:
        """Return those of some paths that a file has."""
        bound = (json.dumps(sorted(paths)),)
        return {NotePath(str(row[0])) for row in self._db.execute(THERE, bound)}

    def known(self, paths: Collection[NotePath]) -> dict[NotePath, tuple[str, str]]:
        """Return the title and the digest of each note."""
        rows: Any = self._db.execute(KNOWN, (json.dumps(sorted(paths)),))
        return {path: (title, digest) for path, title, digest in rows}

    def titled(self, titles: Collection[str]) -> dict[str, list[NotePath]]:
        """Return the notes that have each title, by path."""
        return self._paths_by(TITLED, titles)

    def digested(self, heads: Collection[str]) -> dict[str, list[NotePath]]:
        """Return the notes whose digest begins so, by path."""
        return self._paths_by(DIGESTED, heads)

    def namesakes(self, keys: Collection[str]) -> dict[str, list[NotePath]]:
        """Return the files that have each key of a name, by path."""
        return self._paths_by(NAMESAKES, keys)

    def _paths_by(self, ask: str, keys: Collection[str]) -> dict[str, list[NotePath]]:
        found: dict[str, list[NotePath]] = {}
        rows: Any = self._db.execute(ask, (json.dumps(sorted(keys)),)) if keys else ()
        for key, path in rows:
            found.setdefault(key, []).append(path)
        return found

    def _names(self, note_ids: Collection[int]) -> dict[int, tuple[NotePath, str]]:
        rows: Any = self._db.execute(NAMES, (json.dumps(sorted(note_ids)),))
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
        changed = {row[0] for row in self._db.execute(CHANGED)}
        links: Any = self._db.execute(LINKED_SINCE, (pairs.link_seq,))
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
