"""What was written to the vault, told from its record."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_harness import LOG, kept, waiting
from vault_harness import VaultHarness

from glassmind.errors import BadDate, BadLimit
from glassmind.memory import log
from glassmind.memory.log import record_of
from glassmind.model.memory import WriteLog


@pytest.fixture
def harness(vault: VaultHarness) -> VaultHarness:
    """A vault with one note of its own."""
    vault.indexed({"Diary.md": "oolong"})
    return vault


def line(path: str = ".agent/memories/Tea.md", **said: object) -> str:
    """Return a line of the record."""
    usual = {
        "at": "2026-03-01T12:00:00+00:00",
        "path": path,
        "why": "a test",
        "client": "cli",
        "before": None,
        "after": "abc",
        "bytes": 3,
    }
    return json.dumps(usual | said) + "\n"


def test_a_vault_without_a_record_has_nothing_to_tell(vault: VaultHarness) -> None:
    assert vault.engine.memory.log() == WriteLog((), 0)


def test_each_write_is_told_with_who_what_before_and_after(
    harness: VaultHarness,
) -> None:
    memo = waiting(harness, "Use copper")
    harness.engine.memory.accept("Use copper", client="someone")

    found = harness.engine.memory.log()

    moved, changed, captured = found.records
    assert (found.total, found.problems) == (3, ())
    assert (captured.client, captured.before) == ("tea-agent", None)
    assert (changed.client, changed.before) == ("someone", captured.after)
    assert (moved.path, moved.after) == (memo.path, changed.after)
    assert moved.to == memo.path.replace("/inbox/", "/decisions/")


def test_of_many_the_newest_are_told(harness: VaultHarness) -> None:
    for number in range(5):
        kept(harness, f"Use metal {number} here")

    found = harness.engine.memory.log(limit=2)

    assert found.total == 5
    assert ["4 here" in record.path for record in found.records] == [True, False]


def test_a_file_or_a_folder_may_be_asked_for(harness: VaultHarness) -> None:
    memo = kept(harness, "Use copper")
    kept(harness, "Order copper", "task")
    log = harness.engine.memory.log

    assert [record.path for record in log(path=memo.path).records] == [memo.path]
    assert log(path="./.agent/tasks/").total == 1
    assert log(path=".agent/task").total == 0

    harness.engine.memory.forget(memo.path)
    assert log(path=".agent/.trash").total == 1


def test_a_day_may_be_asked_for(harness: VaultHarness) -> None:
    now = datetime.now(UTC)
    long_ago = (now - timedelta(days=40)).isoformat(timespec="seconds")
    harness.write({LOG: line(at=long_ago) + line(at=now.isoformat(timespec="seconds"))})

    assert harness.engine.memory.log(since="7d").total == 1
    assert harness.engine.memory.log(since="60d").total == 2
    with pytest.raises(BadDate):
        harness.engine.memory.log(since="tomorrowish")
    with pytest.raises(BadLimit):
        harness.engine.memory.log(limit=0)


def test_lines_that_are_none_are_told_and_the_rest_is_read(
    harness: VaultHarness,
) -> None:
    half = line()[:30]
    foreign = '{"at": "yesterday", "path": 3}\nhello\n[1]\nnull\n'
    harness.write({LOG: f"{line()}{half}\n{foreign}\n{line('.agent/b.md')}"})

    found = harness.engine.memory.log()

    assert [record.path for record in found.records] == [
        ".agent/b.md",
        ".agent/memories/Tea.md",
    ]
    assert found.problems == (f"{LOG}: 5 lines are not records of writes",)


def test_of_a_huge_record_the_end_is_read(
    harness: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.write({LOG: "".join(line(f".agent/{n}.md") for n in range(200))})
    monkeypatch.setattr(log, "LIMIT_BYTES", 1_000)

    found = harness.engine.memory.log(limit=1)

    assert found.records[0].path == ".agent/199.md"
    assert 5 < found.total < 12
    assert "were skipped" in found.problems[-1]


def test_what_stands_in_the_way_of_the_record_is_told(harness: VaultHarness) -> None:
    (harness.root / LOG).mkdir(parents=True)

    with pytest.raises(Exception, match="not a regular file"):
        harness.engine.memory.log()


@given(st.binary(max_size=200))
def test_no_line_breaks_the_reading(raw: bytes) -> None:
    assert record_of(raw) is None or raw.strip().startswith(b"{")


@given(
    st.dictionaries(
        st.sampled_from(["at", "path", "why", "client", "before", "bytes", "to"]),
        st.one_of(
            st.none(),
            st.integers(),
            st.text(max_size=5),
            st.lists(st.integers(), max_size=1),
            st.just("2026-03-01T12:00:00+00:00"),
        ),
    )
)
def test_no_value_breaks_the_reading(said: dict[str, object]) -> None:
    found = record_of(json.dumps(said).encode())

    assert found is None or isinstance(found.path, str)
