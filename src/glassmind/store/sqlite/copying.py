"""Copying all rows from one database to another, while others use them."""

from pathlib import Path

import apsw

PAGES = 1_000
"""Copied at a time; in between, others get their turn."""


def write_copy(source: apsw.Connection, file: Path) -> None:
    """Write a consistent copy of the rows to a new file while others read and write."""
    target = apsw.Connection(str(file))
    try:
        copy_rows(source, target)
        target.pragma("journal_mode", "delete")
    finally:
        target.close()


def copy_rows(source: apsw.Connection, target: apsw.Connection) -> None:
    """Replace every row of a database by those of another."""
    with target.backup("main", source, "main") as copy:
        while not copy.done:
            copy.step(PAGES)
