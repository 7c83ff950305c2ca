"""Beginning to write: by the holder of the writer lock, and by nobody else."""

from collections.abc import Callable
from typing import TypeAlias

import apsw

Fence: TypeAlias = Callable[[], None]
"""Raises where the right to write is not ours any more."""


def begin(db: apsw.Connection, fence: Fence) -> None:
    """Open a transaction that writes, and see that we still may.

    We are asked inside it: should the lock be taken from us after that, whoever took
    it waits for the end of this transaction, or goes on in another file if it hangs.
    """
    db.execute("begin immediate")
    try:
        fence()
    except BaseException:
        db.execute("rollback")
        raise


def end(db: apsw.Connection, fence: Fence, *, keep: bool) -> None:
    """End the transaction, and `keep` what was written if we still may.

    Whoever was stopped inside of it may have been replaced: others have their rows in
    another file then, and what is written here would be lost without a word.
    """
    if not db.in_transaction:
        return  # SQLite undid it by itself: a full disk, an I/O error
    try:
        if keep:
            fence()
    except BaseException:
        db.execute("rollback")
        raise
    db.execute("commit" if keep else "rollback")
