"""Pairs of similar notes without a link between them, and themes."""

import json
import os
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any

from glassmind.model import NotePath
from glassmind.model.graph import StoredThemes, ThemeRow, ThemeState
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
from glassmind.store.sqlite.change_log import EPOCH
from glassmind.store.sqlite.connection import WriteStep
from glassmind.store.sqlite.links import GraphRows
from glassmind.store.sqlite.notes import NoteRows

_THESE = "in (select value from json_each(?))"
_STATE = "pairs"
"""The setting that says how the pairs were made."""

_NEVER: Mark = (0, "")
"""Where nothing was ever logged."""

_UNLINKED = (
    "not exists (select 1 from links l where l.note_id = {0} and l.target_id = {1}) "
    "and not exists (select 1 from links l where l.note_id = {1} and l.target_id = {0})"
)
_COMPARED = "not exists (select 1 from pair_changes c where c.note_id in ({0}, {1}))"
"""What a note was like is not what it is like, once it says something else."""
_PARTNERS = f"""
with asked(id) as (select value from json_each(?1)),
both(note_id, other_id, similarity) as (
  select p.note_id, p.other_id, p.similarity from asked join pairs p
    on p.note_id = asked.id
  union
  select p.other_id, p.note_id, p.similarity from asked join pairs p
    on p.other_id = asked.id
)
select b.note_id, b.other_id, b.similarity from both b
join notes o on o.id = b.other_id join files f on f.id = b.other_id
where b.similarity >= ?2 and {_UNLINKED.format("b.note_id", "b.other_id")}
and {_COMPARED.format("b.note_id", "b.other_id")}
order by b.note_id, b.similarity desc, f.path
"""
_STRONGEST = f"""
with once(note_id, other_id, similarity) as (
  select distinct min(note_id, other_id), max(note_id, other_id), similarity
  from pairs where similarity >= ?
)
select f.path, n.title, g.path, m.title, b.similarity
from once b join notes n on n.id = b.note_id join notes m on m.id = b.other_id
join files f on f.id = b.note_id join files g on g.id = b.other_id
where {_UNLINKED.format("b.note_id", "b.other_id")}
and {_COMPARED.format("b.note_id", "b.other_id")}
"""
_BATCH = 4_096
"""Vectors read at once."""
_ENTRIES = "select note_id, other_id, similarity from main.pairs"
"""Pairs are read from the table itself: a scope that hides notes shows none."""
_WITH_VECTOR = """
from note_vectors v join files f on f.id = v.note_id
where v.space_id = ? and length(v.vector) = ?
"""
_LAST_LINK = "select seq, hex(token) from link_changes order by seq desc limit 1"


class PairRows(NoteRows):
    """The pairs of similar notes without a link."""

    def pair_state(self) -> PairState | None:
        """Return how the pairs were made; None if not known."""
        found = self.setting(_STATE)
        try:
            return None if found is None else PairState(*json.loads(found))
        except (ValueError, TypeError):  # another release wrote it
            return None

    def pairs_know(self, mark: Mark) -> bool:
        """Whether the log of vectors goes back to a change, or it is the last one."""
        statement = "select hex(token) from pair_changes where seq = ?"
        row = self._rows(statement, mark[0]).fetchone()
        if row is not None:
            return bool(row[0] == mark[1])
        state = self.pair_state()
        return state is not None and state.mark == mark

    def pair_status(
        self, space: str, dismissed: Collection[Dismissible] = ()
    ) -> PairStatus:
        """Count the pairs that are not dismissed; `space` is the one that answers."""
        pairs = {frozenset((p.path, p.other_path)) for p in self.similar_pairs()}
        waiting, state = self.pair_lag(space)
        threshold, most = (state.threshold, state.most) if state else (None, None)
        return PairStatus(len(pairs.difference(dismissed)), waiting, threshold, most)

    def pair_lag(self, space: str) -> PairLag:
        """Return how pairs were made and how many notes wait; `space` as above."""
        state = self.pair_state()
        if space and (state is None or state.space != space):
            return PairLag(None, state)
        waiting = self._value("select count(distinct note_id) from pair_changes")
        return PairLag(int(waiting), state)

    def partners(
        self, note_ids: Collection[int], *, least: float = 0.0
    ) -> list[Partner]:
        """Return the unlinked notes that each note is similar to.

        By note, the most similar first, then by path.
        """
        return [Partner(*row) for row in self._for(_PARTNERS, note_ids, least)]

    def similar_pairs(
        self, path: NotePath | None = None, *, least: float = 0.0
    ) -> list[Pair]:
        """Return every unlinked pair once, the most similar first.

        With a `path`, return those of that note, its own path first.
        """
        if path is None:
            return sorted_pairs(self._rows(_STRONGEST, least))
        ids = self.note_ids(paths=[path])
        partners = self.partners(ids, least=least)
        names = self.names({*ids, *(pair.other_id for pair in partners)})
        return [
            Pair(*names[note], *names[other], similarity)
            for note, other, similarity in partners
            if other in names
        ]

    def pair_news(self) -> PairNews:
        """Return what happened to vectors, paths and links since notes were paired."""
        state = self.pair_state()
        last = self._rows(
            "select seq, hex(token) from pair_changes order by seq desc limit 1"
        ).fetchone()
        if last is None:
            # a token of its own: nothing else says that this was the beginning
            last = state.mark if state else (0, os.urandom(8).hex())
        link_mark = self._rows(_LAST_LINK).fetchone() or _NEVER
        changed = self._ids("select distinct note_id from pair_changes order by 1")
        return PairNews(last, link_mark, changed, self._relinked(state))

    def _relinked(self, state: PairState | None) -> list[int] | None:
        """Return the notes whose links may have changed; None for all of them."""
        if state is None:
            return None
        if state.link_seq:
            token = "select hex(token) from link_changes where seq = ?"  # noqa: S105 - a log row
            is_whole = self._value(token, state.link_seq) == state.link_token
        else:
            is_whole = self._value("select min(seq) from link_changes") in (None, 1)
        statement = """
            select distinct note_id from link_changes where seq > ? order by note_id
        """
        return self._ids(statement, state.link_seq) if is_whole else None

    def _ids(self, statement: str, *values: Any) -> list[int]:
        return [int(note_id) for (note_id,) in self._rows(statement, *values)]

    def links_among(
        self, note_ids: Collection[int] | None
    ) -> tuple[Sequence[int], Sequence[int]]:
        """Return from where to where links lead: all, or those at some notes."""
        if note_ids is None:
            row = self._rows("""
                select json_group_array(note_id), json_group_array(target_id)
                from links not indexed where target_id <> note_id
            """).fetchone()
            return json.loads(row[0]), json.loads(row[1])
        statement = """
            select note_id, target_id from links
            where note_id in (select value from json_each(?1)) and target_id <> note_id
            union
            select note_id, target_id from links
            where target_id in (select value from json_each(?1))
              and target_id <> note_id
        """
        rows = list(self._for(statement, note_ids))
        return [row[0] for row in rows], [row[1] for row in rows]

    def note_order(self, space: Space) -> list[tuple[int, str]]:
        """Return the notes that have a vector with their paths, by path."""
        statement = f"select v.note_id, f.path {_WITH_VECTOR} order by f.path"
        return self._list(statement, space.id, 4 * space.width)

    def vectors_of(self, space: Space, note_ids: Sequence[int]) -> bytes:
        """Return the rows of notes in their order, joined."""
        statement = """
            select v.vector from json_each(?) j
            join note_vectors v on v.note_id = j.value and v.space_id = ? order by j.key
        """
        return b"".join(row[0] for row in self._for(statement, note_ids, space.id))

    def all_vectors(self, space: Space) -> Iterator[tuple[Sequence[int], bytes]]:
        """Yield all notes with their rows, joined, some thousands at a time, by id."""
        statement = """
            select note_id, vector from note_vectors
            where space_id = ? and length(vector) = ? order by note_id
        """
        found = self._rows(statement, space.id, 4 * space.width)
        while batch := list(islice(found, _BATCH)):
            ids, rows = zip(*batch, strict=True)
            yield ids, b"".join(rows)

    def pair_lists(
        self, note_ids: Collection[int] | None = None, *, naming: bool = False
    ) -> list[Partner]:
        """Return the entries of the lists of some notes, or of all.

        With `naming`, those of other lists that name these notes are among them.
        """
        if note_ids is None:
            return [Partner(*row) for row in self._rows(_ENTRIES)]
        these = "(select value from json_each(?1))"
        statement = f"{_ENTRIES} where note_id in {these}"
        if naming:
            statement += f" union {_ENTRIES} where other_id in {these}"
        return [Partner(*row) for row in self._for(statement, note_ids)]


def sorted_pairs(rows: Any) -> list[Pair]:
    """Return pairs with the first path first, the most similar pair first."""
    pairs = [
        Pair(one, a, other, b, s) if one < other else Pair(other, b, one, a, s)
        for one, a, other, b, s in rows
    ]
    return sorted(pairs, key=lambda p: (-p.similarity, p.path, p.other_path))


class PairWrites(WriteStep):
    """Writing pairs.

    It is made on what was read before. Where others have written pairs since, nothing
    is written, and the answer is False.
    """

    def change_pairs(
        self, change: PairChange, state: PairState, basis: PairBasis
    ) -> bool:
        """Put new pairs in the place of those of some notes, or of all.

        What the state's threshold leaves out by now goes as well.
        """
        if not self._is_based_on(basis, state):
            return False
        rows, anew, gone = change
        if anew is None:
            self._rows("delete from pairs")
        else:
            self._for(f"delete from pairs where note_id {_THESE}", {*anew, *gone})
            self._for(f"delete from pairs where other_id {_THESE}", gone)
        if basis.before is not None and state.threshold > basis.before.threshold:
            self._rows("delete from pairs where similarity < ?", state.threshold)
        self._db.executemany("insert into pairs values (?, ?, ?)", rows)
        self.set(_STATE, json.dumps(state))
        self._rows("delete from pair_changes where seq <= ?", state.seq)
        return True

    def _is_based_on(self, basis: PairBasis, state: PairState) -> bool:
        """Whether the rows are those that were read, and have come that far."""
        rows = PairRows(self._db)
        if str(self._value(EPOCH)) != basis.epoch or rows.pair_state() != basis.before:
            return False
        return rows.pairs_know(state.mark) or (state.seq == 0 and basis.before is None)


_THEME_STATE = "themes"
"""The setting that says what the themes were made from."""


class ThemeRows(GraphRows):
    """The stored themes."""

    def themes_are_stored(self) -> bool:
        """True unless notes are hidden.

        Then no theme counts as stored and ids start at 1; the resolution that the
        owner chose still applies.
        """
        return True

    def theme_state(self) -> ThemeState | None:
        """Return what the themes were made from; None where none were made."""
        found = self.setting(_THEME_STATE)
        if found is None:
            return None
        state = ThemeState(**json.loads(found))
        count = self._value("select count(*) from theme_members")
        is_there = self.themes_are_stored() and count == state.members
        return state if is_there else state._replace(graph="")

    def kept_themes(self) -> StoredThemes:
        """Return all that is stored, as of one moment."""
        with self._db:
            state = self.theme_state()
            if not self.themes_are_stored():
                return StoredThemes(state, (), 0)
            members = self._list("""
                select note_id, theme_id, influence from theme_members order by note_id
            """)
            last_id = self._value(
                "select seq from sqlite_sequence where name = 'themes'"
            )
        return StoredThemes(state, members, last_id or 0)


class ThemeWrites(WriteStep):
    """Writing themes."""

    def replace_themes(
        self,
        themes: Sequence[ThemeRow],
        state: ThemeState,
        *,
        head: str,
        before: ThemeState | None,
    ) -> bool:
        """Store these themes in place of those that were made from `before`.

        Return False if the links have gone on from `head`, or some are not looked up,
        or others were faster.
        """
        rows = ThemeRows(self._db)
        known, now = rows.theme_state(), rows.graph_head()
        if now != head or rows.unsettled_links() or known != before:
            return False
        self._rows("delete from theme_members")
        self._rows("delete from themes")
        self._db.executemany(
            "insert into themes (id, label, summary) values (?, ?, ?)",
            [(theme.id, theme.label, json.dumps(theme.summary)) for theme in themes],
        )
        self._db.executemany(
            "insert into theme_members (note_id, theme_id, influence) values (?, ?, ?)",
            [
                (note, theme.id, influence)
                for theme in themes
                for note, influence in theme.members
            ],
        )
        self.set(_THEME_STATE, json.dumps(state._asdict()))
        return True
