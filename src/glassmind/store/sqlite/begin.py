"""Beginning to write: by the holder of the writer lock, and by nobody else."""

from collections.abc import Callable
from typing import TypeAlias

import apsw

Fence: TypeAlias = Callable[[], None]
"""Raises where the right to write is not ours any more."""


def begin(db: apsw.Connection, fence: Fence) -> None:
    """Open a transaction that writes, and see that we still may.

    We are asked inside it: should the lock be taken from us after that, whoever took
    it waits for the end of this transaction before it writes.
    """
    db.execute("begin immediate")
    try:
        fence()
    except BaseException:
        db.execute("rollback")
        raise
