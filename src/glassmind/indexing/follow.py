"""Bringing a sidecar up to the rows.

It re-applies the *current* rows of each changed note, so doing it twice does no harm
and a killed run is finished by the next. A marker the log does not know means that the
sidecar followed another database: it is made anew from the rows, never from the vault.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from glassmind.errors import IndexDamaged, IndexFault
from glassmind.ports.indexing import ChangeLog, ShowProgress, Sidecar
from glassmind.types.files import Progress

BATCH = 500
"""Notes read at a time: bounds memory, and lets the sidecar write while we read."""

COMMIT_EVERY = 20_000
"""Notes to one commit of a long catch-up; a commit costs about as much as 100 notes."""


def follow(
    log: ChangeLog, sidecar: Sidecar, *, total: int, progress: ShowProgress
) -> bool:
    """Apply what the sidecar lacks and return whether it had to be made anew."""
    marker = sidecar.marker()
    try:
        if marker is None or not log.holds(marker):
            remake(log, sidecar, total=total, progress=progress)
            return True
        _catch_up(log, sidecar, marker, total=total, progress=progress)
    except BaseException:
        with suppress(IndexFault):
            sidecar.rollback()
        raise
    return False


def remake(
    log: ChangeLog, sidecar: Sidecar, *, total: int, progress: ShowProgress
) -> None:
    """Write every note into an emptied sidecar in one commit.

    This is also compaction: documents that were deleted still count in a word's rarity
    until all are written anew.
    """
    head, done = log.head(), 0
    sidecar.reset()
    for ids in log.all_notes(BATCH):
        sidecar.put(ids, log.documents(ids))
        done += len(ids)
        progress(Progress("words", done, total))
    sidecar.commit(head)


def _catch_up(
    log: ChangeLog, sidecar: Sidecar, marker: str, *, total: int, progress: ShowProgress
) -> None:
    done = since = 0
    while True:
        ids, reached = log.after(marker, BATCH)
        if not ids:
            break
        sidecar.put(ids, log.documents(ids))
        marker, done, since = reached, done + len(ids), since + len(ids)
        progress(Progress("words", done, max(total, done)))
        if since >= COMMIT_EVERY:
            sidecar.commit(marker)
            since = 0
    if since:
        sidecar.commit(marker)


OpenSidecar = Callable[[bool], Sidecar]
"""Opens a sidecar for writing; True when much is to be written."""

MUCH = 500
"""Changes from which a writer with more memory and threads pays for itself."""


@dataclass(frozen=True, slots=True)
class Followed:
    """How one sidecar is looked at, opened and thrown away."""

    marker: Callable[[], str | None]
    open: OpenSidecar
    discard: Callable[[], None]
    deleted: Callable[[], tuple[int, float]]


def bring_up(
    log: ChangeLog, followed: Followed, *, total: int, progress: ShowProgress
) -> bool:
    """Bring a sidecar up to the log; a damaged one is thrown away and made anew.

    Returns whether it was made anew. One that is up to date is not opened for writing.
    """
    marker = followed.marker()
    if marker is not None and marker == log.head():
        return False
    pending = log.pending(marker)
    much = total if pending is None else pending
    try:
        return _once(log, followed.open(much > MUCH), total=much, progress=progress)
    except IndexDamaged:
        followed.discard()
        _once(log, followed.open(total > MUCH), total=total, progress=progress)
        return True


def _once(
    log: ChangeLog, sidecar: Sidecar, *, total: int, progress: ShowProgress
) -> bool:
    try:
        return follow(log, sidecar, total=total, progress=progress)
    finally:
        sidecar.close()
