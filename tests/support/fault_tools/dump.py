"""The rows of an index in a form two indexes can be compared by.

Notes are named by path instead of by number. Left out is what may differ between equal
indexes: surrogate ids, the log and the runs, the epoch, and the stamps of files (a file
that was young when it was read has none).
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw

Dump = dict[str, list[tuple[Any, ...]]]

HISTORY = frozenset(
    {
        "changes",
        "link_changes",
        "pair_changes",
        "vector_changes",
        "index_runs",
        "memory_events",
        "sqlite_sequence",
        "sqlite_stat1",
    }
)
DROPPED = frozenset({("files", "id"), ("files", "stamp"), ("chunks", "id")})
PATHS = frozenset({("notes", "id")})
PATH_NAMES = frozenset({"note_id", "target_id", "other_id"})


def dump(folder: Path) -> Dump:
    """Return every table of the index in `folder`, rows in order."""
    db = apsw.Connection(str(folder / "index.db"))
    try:
        db.execute("begin")  # one moment, though somebody may be writing
        known: Any = db.execute("select id, path from files")
        paths = dict(known)
        names = [str(row[0]) for row in db.execute(TABLES)]
        return {
            name: sorted(_rows(db, name, paths), key=repr)
            for name in names
            if name not in HISTORY
        }
    finally:
        db.close()


TABLES = "select name from sqlite_schema where type = 'table' order by name"


def _rows(
    db: apsw.Connection, table: str, paths: dict[Any, Any]
) -> Iterator[tuple[Any, ...]]:
    columns = [str(row[1]) for row in db.execute(f"pragma table_info({table})")]
    keep = [(i, _shown(table, c, paths)) for i, c in enumerate(columns)]
    for row in db.execute(f"select * from {table}"):  # noqa: S608 - our own table names
        if table == "settings" and row[0] in {"epoch", "use_folded"}:
            continue
        yield tuple(show(row[i]) for i, show in keep if show is not None)


def _shown(
    table: str, column: str, paths: dict[Any, Any]
) -> Callable[[Any], Any] | None:
    if (table, column) in DROPPED:
        return None
    if (table, column) in PATHS or column in PATH_NAMES:
        return lambda value: None if value is None else paths[value]
    return lambda value: value


def differences(one: Dump, other: Dump) -> list[str]:
    """Return the first rows of each table that only one of the two has."""
    found = []
    for table in sorted(one.keys() | other.keys()):
        left, right = one.get(table, []), other.get(table, [])
        if left == right:
            continue
        only_left = [row for row in left if row not in right][:3]
        only_right = [row for row in right if row not in left][:3]
        found.append(
            f"{table}: {len(left)} rows against {len(right)}; "
            f"only here {only_left!r:.600}; only there {only_right!r:.600}"
        )
    return found
