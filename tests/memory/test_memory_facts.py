"""What memos are told to be, as people change them: over, newer, of a project."""

import pytest
from memory_harness import kept, text_of, waiting
from vault_harness import VaultHarness

from glassmind.model.memory import MemoKind, Recalled


@pytest.fixture
def harness(vault: VaultHarness) -> VaultHarness:
    """A vault with notes of its own."""
    vault.indexed({"Diary.md": "copper", "Work/Roof.md": "slate"})
    return vault


def change(harness: VaultHarness, path: str, old: str, new: str) -> None:
    """Change the note of a memo as a person does, and index it."""
    said = text_of(harness, path)
    assert old in said
    harness.indexed({path: said.replace(old, new)})


def recalled(harness: VaultHarness) -> list[str]:
    return [memory.text for memory in harness.engine.memory.recall().memories]


@pytest.mark.parametrize(
    ("kind", "old", "new", "status"),
    [
        ("task", "- [ ] ", "- [x] ", "done"),
        ("task", "- [ ] ", "- [-] ", "cancelled"),
        ("task", "- [ ] ", "- [/] ", "open"),
        ("task", "status: open", "status: done", "done"),
        ("task", "status: open", "status: waiting for tin", "waiting for tin"),
        ("question", "status: open", "status: answered", "answered"),
        ("question", "status: open", "status: Beantwortet", "Beantwortet"),
        ("decision", "status: current", "status: rejected", "rejected"),
        ("memory", "status: current", "status: [1]", "current"),
    ],
)
def test_a_memo_is_what_a_person_says(
    harness: VaultHarness, kind: MemoKind, old: str, new: str, status: str
) -> None:
    harness.open()
    memo = kept(harness, "Use copper", kind)

    change(harness, memo.path, old, new)

    [found] = harness.engine.memory.recall().memories
    assert (found.status, found.text) == (status, "Use copper")


def test_the_newest_come_first_in_whatever_zone_they_were_captured(
    harness: VaultHarness,
) -> None:
    harness.open()
    times = {
        "Use copper": "2026-03-02T01:00:00+14:00",
        "Use slate": "2026-03-01T12:00:00+00:00",
        "Use tin": "2026-03-01T04:30:00-08:00",
        "Use zinc": "long ago",
    }
    for text, when in times.items():
        memo = kept(harness, text)
        change(harness, memo.path, memo.created, when)

    assert recalled(harness) == ["Use tin", "Use slate", "Use copper", "Use zinc"]


def test_what_waits_is_shown_oldest_first_in_whatever_zone(
    harness: VaultHarness,
) -> None:
    times = {"Use tin": "2026-03-01T04:30:00-08:00", "Use slate": "2026-03-01T12:00Z"}
    for text, when in times.items():
        memo = waiting(harness, text)
        change(harness, memo.path, memo.created, when)

    found = harness.engine.memory.inbox().waiting

    assert [one.text for one in found] == ["Use slate", "Use tin"]


@pytest.mark.parametrize("asked", [None, "copper"])
def test_a_project_that_there_is_not_is_told_with_those_it_may_be(
    harness: VaultHarness, asked: str | None
) -> None:
    kept(harness, "Use copper", project="Atlas")

    found = harness.engine.memory.recall(asked, project="Atlsa")

    assert found.memories == ()
    assert "no note belongs to the project 'Atlsa'; there is 'Atlas'" in found.degraded


def test_nothing_is_told_of_a_project_that_has_notes_and_no_memo(
    harness: VaultHarness,
) -> None:
    harness.indexed({"Plan.md": "---\nproject: Atlas\n---\nslate"})

    assert harness.engine.memory.recall(project="Atlas") == Recalled((), 0)


def test_a_text_with_returns_is_told_and_kept_with_plain_lines(
    harness: VaultHarness,
) -> None:
    harness.open()
    memo = kept(harness, "Use copper.\r\n\r\nOr tin.\r\n")
    assert "\r" not in text_of(harness, memo.path)

    harness.indexed({memo.path: text_of(harness, memo.path).replace("\n", "\r\n")})

    assert recalled(harness) == ["Use copper.\n\nOr tin."]


def test_a_memo_whose_properties_are_in_conflict_is_told(harness: VaultHarness) -> None:
    harness.open()
    memo = kept(harness, "Use copper", project="Roof")
    ours = "<<<<<<< HEAD\nproject: Roof\n=======\nproject: Shed\n>>>>>>> theirs"

    change(harness, memo.path, "project: Roof\n", f"{ours}\n")

    for told in (
        harness.engine.memory.recall().degraded,
        harness.engine.memory.inbox().problems,
    ):
        [said] = told
        assert said.startswith(f"{memo.path} does not say what it is: ")
