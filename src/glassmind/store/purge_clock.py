"""Whether data may be deleted because of its age, given how the clock has moved.

A clock that jumps ahead makes all data look old. So every purge by age asks here first,
and the time of the last run is kept in the user's data folder.
"""

import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from glassmind.store.changesets_disk import write_whole

NAME = "clock.json"

STEP = timedelta(days=30)
"""A longer gap since the last run may be a clock that was set wrong."""

STEADY = timedelta(days=1)
"""How long the clock must have run without a step before anything is purged."""

WRITE_EVERY = timedelta(hours=1)
"""How often at most the time of the last run is written."""


def may_purge(folder: Path, now: datetime) -> bool:
    """Whether old data in the folder may be deleted now; records the time of this run.

    After a step of the clock, more than 30 days ahead or a day back, the answer is no
    until a run at least a day later. A missing record counts as a step.
    """
    now = now.astimezone(UTC)
    last, since = _read(folder) or (None, now)
    if last is None or not -STEADY <= now - last <= STEP:
        _write(folder, now, now)
        return False
    if abs(now - last) >= WRITE_EVERY:
        _write(folder, now, since)
    return now - since >= STEADY


def _read(folder: Path) -> tuple[datetime, datetime] | None:
    """Return when the last run was, and since when the clock is steady."""
    try:
        last, since = map(
            datetime.fromisoformat, json.loads((folder / NAME).read_bytes())
        )
        return last.astimezone(UTC), since.astimezone(UTC)
    except (OSError, ValueError, TypeError, OverflowError, RecursionError):
        return None


def _write(folder: Path, last: datetime, since: datetime) -> None:
    text = json.dumps([last.isoformat(), since.isoformat()])
    with suppress(OSError):  # without a record, nothing is purged
        write_whole(str(folder / NAME), text.encode())
