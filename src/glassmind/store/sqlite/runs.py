"""The record of runs: why one failed, and what outlives a rebuild."""

import json
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw

from glassmind.errors import IndexFault
from glassmind.store.sqlite.connection import open_reader

RUNS = """
select id, started_at, reason, seconds, added, changed, moved, removed, unchanged,
  failures from index_runs order by id
"""
PUT_RUN = "insert into index_runs values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
FAIL_RUN = """
update index_runs set failures = ? where seconds is null and started_at >= ?
"""
PUT_FAILED = """
insert into index_runs (started_at, reason, seconds, failures) values (?, ?, 0, ?)
"""
"""A run that was refused before it wrote took no time, and left nothing undone."""


def runs_in(folder: Path) -> list[tuple[Any, ...]]:
    """Return the record of every run; nothing where it cannot be read."""
    unreadable = (IndexFault, apsw.Error, UnicodeDecodeError)
    with suppress(*unreadable), closing(open_reader(folder)) as db:
        return db.execute(RUNS).fetchall()
    return []


def insert_runs(db: apsw.Connection, runs: Sequence[tuple[Any, ...]]) -> None:
    """Write the record of earlier runs."""
    if runs:
        with db:
            db.executemany(PUT_RUN, runs)


def note_failure(
    db: apsw.Connection, since: datetime, reason: str, sentence: str
) -> None:
    """Write why a run failed: into its row, or a new one where it got to none."""
    failures = json.dumps([["", sentence]], ensure_ascii=False)
    with db:
        db.execute(FAIL_RUN, (failures, since.isoformat()))
        if not db.changes():
            db.execute(PUT_FAILED, (since.isoformat(), reason, failures))
