"""A clock that jumps deletes nothing: not undo data, proposals or the access log."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from glassmind.errors import ChangesetUnknown
from glassmind.model.access import DisclosedLines, DisclosedNotes
from glassmind.model.edits import Changeset, ChangeState, Draft
from glassmind.store.changesets import ChangesetFolder
from glassmind.store.disk import may_purge
from glassmind.store.logs import AccessLogFiles

NOW = datetime(2026, 3, 12, 12, tzinfo=UTC)
DAY = timedelta(days=1)
READ = DisclosedNotes((DisclosedLines("Tea.md", 1, 2),), ())


def change(folder: Path, when: datetime, state: ChangeState = "applied") -> Changeset:
    """Keep a changeset as a command at that time does."""
    book = ChangesetFolder(folder, now=lambda: when)
    made = book.made(Draft("edit", "Tea.md", ()), state, client="test")
    book.keep(made)
    return made


def read(folder: Path, when: datetime) -> None:
    """Record an access as a command at that time does."""
    clock_ns = int(when.timestamp()) * 10**9
    log = AccessLogFiles([folder], keep_days=90, clock_ns=lambda: clock_ns)
    assert log.append("mcp", "search", "agent", READ)


def is_kept(folder: Path, changeset: Changeset) -> bool:
    try:
        return ChangesetFolder(folder).get(changeset.id).id == changeset.id
    except ChangesetUnknown:
        return False


def logged_days(folder: Path) -> list[str]:
    return sorted(
        file.name.removeprefix("access-log-")[:10]
        for file in folder.glob("access-log-*.jsonl")
    )


@pytest.mark.parametrize("jump", [200 * DAY, 31 * DAY, -200 * DAY])
def test_the_first_run_after_a_jump_purges_nothing(
    tmp_path: Path, jump: timedelta
) -> None:
    states: tuple[ChangeState, ...] = ("applied", "undone", "rejected", "previewed")
    old = [change(tmp_path, NOW - 80 * DAY, state) for state in states]
    for days in range(-80, 1, 20):
        change(tmp_path, NOW + days * DAY)
        read(tmp_path, NOW + days * DAY)
    days_before = logged_days(tmp_path)
    assert len(days_before) == 5

    change(tmp_path, NOW + jump)
    change(tmp_path, NOW + jump, "previewed")
    read(tmp_path, NOW + jump)

    assert all(is_kept(tmp_path, one) for one in old)
    assert set(days_before) < set(logged_days(tmp_path))


def test_a_clock_that_jumps_and_is_set_right_purges_nothing(tmp_path: Path) -> None:
    old = change(tmp_path, NOW - 20 * DAY)
    change(tmp_path, NOW)
    read(tmp_path, NOW - 20 * DAY)
    read(tmp_path, NOW)

    for days in (200, 1, 400, 2, -300, 3):
        change(tmp_path, NOW + days * DAY)
        read(tmp_path, NOW + days * DAY)

    assert is_kept(tmp_path, old)
    assert "2026-02-20" in logged_days(tmp_path)


def test_a_run_a_day_after_the_step_purges(tmp_path: Path) -> None:
    old = change(tmp_path, NOW)
    read(tmp_path, NOW)
    for later in (200 * DAY, 200 * DAY + timedelta(hours=23)):
        change(tmp_path, NOW + later)
        read(tmp_path, NOW + later)
    assert is_kept(tmp_path, old)
    assert "2026-03-12" in logged_days(tmp_path)

    change(tmp_path, NOW + 201 * DAY)
    read(tmp_path, NOW + 202 * DAY)

    assert not is_kept(tmp_path, old)
    assert "2026-03-12" not in logged_days(tmp_path)


def test_waiting_proposals_never_expire(tmp_path: Path) -> None:
    waiting = change(tmp_path, NOW, "proposed")
    done = change(tmp_path, NOW)

    for days in range(0, 400, 20):
        change(tmp_path, NOW + days * DAY)

    assert is_kept(tmp_path, waiting)
    assert not is_kept(tmp_path, done)


def test_without_a_record_of_the_clock_nothing_is_purged(tmp_path: Path) -> None:
    assert not may_purge(tmp_path, NOW)
    assert not may_purge(tmp_path, NOW + timedelta(hours=23))
    assert may_purge(tmp_path, NOW + DAY)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"seen": 1}', '["x", "y"]'])
def test_a_damaged_record_of_the_clock_is_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / "clock.json").write_text(text)

    assert not may_purge(tmp_path, NOW)
    assert may_purge(tmp_path, NOW + DAY)


def test_a_folder_that_cannot_be_written_is_not_purged(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    assert not may_purge(tmp_path / "file", NOW)
    assert not may_purge(tmp_path / "file", NOW + 2 * DAY)


def test_a_small_step_back_does_not_stop_a_purge(tmp_path: Path) -> None:
    may_purge(tmp_path, NOW)
    may_purge(tmp_path, NOW + 2 * DAY)

    assert may_purge(tmp_path, NOW + 2 * DAY - timedelta(minutes=5))
