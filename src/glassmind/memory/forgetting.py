"""Forgetting a memo: it goes to the trash of the agent folder, and never further."""

from glassmind.memory.cabinet import Cabinet
from glassmind.memory.finding import memo_called
from glassmind.memory.moving import put_away
from glassmind.types.memory import Moved

FORGOTTEN = "forgotten"
"""Why a file was moved, for the record."""


def forget(cabinet: Cabinet, name: str, *, client: str) -> Moved:
    """Move a memo to the trash, whether it is kept or waits.

    Raises:
        MemoNotFound, AmbiguousName, NotAMemo: no one memo is called so.
        WriteRefused: it may not be moved, or the disk did not do it.
    """
    memo = memo_called(cabinet, name)
    return put_away(cabinet, memo, client=client, why=FORGOTTEN)
