"""Putting pairs of similar notes into the rows, whole or note by note."""

import json
from collections.abc import Iterable
from typing import Any, Self

import apsw

from glassmind.model.pairs import PairBasis, PairChange, PairState, Partner
from glassmind.store.sqlite.begin import Fence, begin, end
from glassmind.store.sqlite.log import EPOCH
from glassmind.store.sqlite.pair_rows import STATE, PairRows

DROP_ALL = "delete from pairs"
DROP_LISTS = "delete from pairs where note_id in (select value from json_each(?))"
DROP_OTHERS = "delete from pairs where other_id in (select value from json_each(?))"
DROP_BELOW = "delete from pairs where similarity < ?"
PUT = "insert into pairs values (?, ?, ?)"
PUT_STATE = "insert or replace into settings values (?, ?)"
TAKEN_IN = "delete from pair_changes where seq <= ?"


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
        self._db.execute(DROP_ALL)
        self._db.executemany(PUT, rows)
        self._set(state)
        return True

    def change(self, change: PairChange, state: PairState, basis: PairBasis) -> bool:
        """Put new pairs in the place of those of some notes.

        What the state's threshold leaves out by now goes as well.
        """
        if not self._stands(basis, state):
            return False
        rows, anew, gone = change
        self._db.execute(DROP_LISTS, (json.dumps(sorted({*anew, *gone})),))
        self._db.execute(DROP_OTHERS, (json.dumps(sorted(gone)),))
        if basis.before is not None and state.threshold > basis.before.threshold:
            self._db.execute(DROP_BELOW, (state.threshold,))
        self._db.executemany(PUT, rows)
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
        self._db.execute(PUT_STATE, (STATE, json.dumps(state)))
        self._db.execute(TAKEN_IN, (state.seq,))
