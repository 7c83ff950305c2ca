"""What SQLite raises, in words of our own."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from glassmind.errors import IndexBusy, IndexDamaged, IndexFault, IndexUnwritable
from glassmind.store.sqlite.examine import said, wrong_with

DAMAGE = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError)
"""Raised when a file is not a sound database any more."""

FULL = (apsw.FullError, apsw.IOError, apsw.ReadOnlyError, apsw.CantOpenError)
"""Raised when the disk will not take what we write, or give back what we wrote."""

UNEXPECTED = (
    apsw.SQLError,
    apsw.ConstraintError,
    apsw.MismatchError,
    UnicodeDecodeError,
    json.JSONDecodeError,
)
"""Raised when rows are not what our own statements left: a damaged page can do that."""


ASTRAY = (TypeError, ValueError, LookupError, AttributeError)
"""What Python raises over a row that is not what we wrote, or over a fault of ours."""


@contextmanager
def faults_named(
    folder: Path, connection: Callable[[], apsw.Connection]
) -> Iterator[None]:
    """Turn what SQLite raises into an error that says what happened.

    The rows are examined before an error of Python's is blamed on them.

    Raises:
        IndexDamaged: the file does not read well.
        IndexUnwritable: the disk does not take what was written.
        IndexBusy: another process held the database for longer than we wait.
    """
    try:
        yield
    except DAMAGE as error:
        raise IndexDamaged(str(folder / "index.db"), said(error)) from error
    except FULL as error:
        raise IndexUnwritable(str(folder), said(error)) from error
    except apsw.BusyError as error:
        raise IndexBusy("another program", _waited_s(connection)) from error
    except UNEXPECTED as error:
        raise IndexDamaged(str(folder / "index.db"), said(error)) from error
    except ASTRAY as error:
        wrong = wrong_with(connection())
        if wrong is None:
            raise
        raise IndexDamaged(str(folder / "index.db"), wrong) from error


def _waited_s(connection: Callable[[], apsw.Connection]) -> float:
    try:
        return int(connection().pragma("busy_timeout")) / 1000
    except (RuntimeError, IndexFault, apsw.Error):  # it could not even be opened
        return 0.0


@contextmanager
def disk_faults_named(folder: Path) -> Iterator[None]:
    """Turn what the disk says to files being moved or deleted into words of our own.

    Raises:
        IndexUnwritable: it did not let us.
    """
    try:
        yield
    except OSError as error:
        raise IndexUnwritable(str(folder), said(error)) from error
