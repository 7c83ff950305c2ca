"""The themes in the rows: which note belongs to which, and what that was made from."""

import json
from collections.abc import Sequence
from typing import Any, Self

import apsw

from glassmind.model.themes import KeptTheme, KeptThemes, ThemeState
from glassmind.store.sqlite import schema
from glassmind.store.sqlite.begin import Fence, begin, end
from glassmind.store.sqlite.net_rows import NetRows

STATE = "themes"
"""The setting that says what the themes were made from."""

SINCE = 3
"""The schema that has themes; a file of an earlier one is read as if it had none."""

SETTING = "select value from settings where key = ?"
MEMBERS = "select note_id, theme_id, influence from theme_members order by note_id"
COUNT = "select count(*) from theme_members"
LAST_ID = "select seq from sqlite_sequence where name = 'themes'"
TAGS = """
select note_id, folded, min(name) from tags group by note_id, folded
order by note_id, folded
"""
DROP_MEMBERS = "delete from theme_members"
DROP_THEMES = "delete from themes"
PUT_THEME = "insert into themes (id, label, summary) values (?, ?, ?)"
PUT_MEMBER = """
insert into theme_members (note_id, theme_id, influence) values (?, ?, ?)
"""
PUT_SETTING = "insert or replace into settings values (?, ?)"


class ThemeRows:
    """The themes that are kept, as an open database shows them.

    Without `stored`, as for a scope from which notes are hidden, no theme counts as
    kept and ids start at 1; the resolution that the owner chose still applies.
    """

    def __init__(self, db: apsw.Connection, *, stored: bool = True) -> None:
        self._db, self._stored = db, stored

    def state(self) -> ThemeState | None:
        """Return what the themes were made from; None where none were made."""
        kept: Any = self._db.execute(SETTING, (STATE,)).get
        if kept is None or schema.version_of(self._db) < SINCE:
            return None
        state = ThemeState(**json.loads(kept))
        there = self._stored and self._db.execute(COUNT).get == state.members
        return state if there else state._replace(graph="")

    def kept(self) -> KeptThemes:
        """Return all that is kept, as of one moment."""
        if schema.version_of(self._db) < SINCE:
            return KeptThemes(None, (), 0)
        with self._db:
            state = self.state()
            if not self._stored:
                return KeptThemes(state, (), 0)
            members: Any = self._db.execute(MEMBERS).fetchall()
            last_id: Any = self._db.execute(LAST_ID).get
        return KeptThemes(state, members, last_id or 0)

    def tags(self) -> list[tuple[int, str, str]]:
        """Return the tags of every note: its id, what spellings share, and one."""
        rows: Any = self._db.execute(TAGS).fetchall()
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
        self._db.execute(DROP_MEMBERS)
        self._db.execute(DROP_THEMES)
        rows = [(one.id, one.label, json.dumps(one.summary)) for one in themes]
        self._db.executemany(PUT_THEME, rows)
        for one in themes:
            members = [(note, one.id, influence) for note, influence in one.members]
            self._db.executemany(PUT_MEMBER, members)
        self._db.execute(PUT_SETTING, (STATE, json.dumps(state._asdict())))
        return True
