"""What memos are told to be, as people change them: over, newer, of a project."""

import pytest
from memo_desk import kept, text_of, waiting
from vault_desk import VaultDesk

from glassmind.model.memory import MemoKind, Recalled


@pytest.fixture
def desk(vault: VaultDesk) -> VaultDesk:
    """A vault with notes of its own."""
    vault.indexed({"Diary.md": "copper", "Work/Roof.md": "slate"})
    return vault


def change(desk: VaultDesk, path: str, old: str, new: str) -> None:
    """Change the note of a memo as a person does, and index it."""
    said = text_of(desk, path)
    assert old in said
    desk.indexed({path: said.replace(old, new)})


def recalled(desk: VaultDesk) -> list[str]:
    return [memory.text for memory in desk.engine.memory.recall().memories]


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
    desk: VaultDesk, kind: MemoKind, old: str, new: str, status: str
) -> None:
    desk.open()
    memo = kept(desk, "Use copper", kind)

    change(desk, memo.path, old, new)

    [found] = desk.engine.memory.recall().memories
    assert (found.status, found.text) == (status, "Use copper")


def test_the_newest_come_first_in_whatever_zone_they_were_captured(
    desk: VaultDesk,
) -> None:
    desk.open()
    times = {
        "Use copper": "2026-03-02T01:00:00+14:00",
        "Use slate": "2026-03-01T12:00:00+00:00",
        "Use tin": "2026-03-01T04:30:00-08:00",
        "Use zinc": "long ago",
    }
    for text, when in times.items():
        memo = kept(desk, text)
        change(desk, memo.path, memo.created, when)

    assert recalled(desk) == ["Use tin", "Use slate", "Use copper", "Use zinc"]


def test_what_waits_is_shown_oldest_first_in_whatever_zone(desk: VaultDesk) -> None:
    times = {"Use tin": "2026-03-01T04:30:00-08:00", "Use slate": "2026-03-01T12:00Z"}
    for text, when in times.items():
        memo = waiting(desk, text)
        change(desk, memo.path, memo.created, when)

    found = desk.engine.memory.inbox().waiting

    assert [one.text for one in found] == ["Use slate", "Use tin"]


@pytest.mark.parametrize("asked", [None, "copper"])
def test_a_project_that_there_is_not_is_told_with_those_it_may_be(
    desk: VaultDesk, asked: str | None
) -> None:
    kept(desk, "Use copper", project="Atlas")

    found = desk.engine.memory.recall(asked, project="Atlsa")

    assert found.memories == ()
    assert "no note belongs to the project 'Atlsa'; there is 'Atlas'" in found.degraded


def test_nothing_is_told_of_a_project_that_has_notes_and_no_memo(
    desk: VaultDesk,
) -> None:
    desk.indexed({"Plan.md": "---\nproject: Atlas\n---\nslate"})

    assert desk.engine.memory.recall(project="Atlas") == Recalled((), 0)


def test_a_text_with_returns_is_told_and_kept_with_plain_lines(desk: VaultDesk) -> None:
    desk.open()
    memo = kept(desk, "Use copper.\r\n\r\nOr tin.\r\n")
    assert "\r" not in text_of(desk, memo.path)

    desk.indexed({memo.path: text_of(desk, memo.path).replace("\n", "\r\n")})

    assert recalled(desk) == ["Use copper.\n\nOr tin."]


def test_a_memo_whose_properties_are_in_conflict_is_told(desk: VaultDesk) -> None:
    desk.open()
    memo = kept(desk, "Use copper", project="Roof")
    ours = "<<<<<<< HEAD\nproject: Roof\n=======\nproject: Shed\n>>>>>>> theirs"

    change(desk, memo.path, "project: Roof\n", f"{ours}\n")

    for told in (
        desk.engine.memory.recall().degraded,
        desk.engine.memory.inbox().problems,
    ):
        [said] = told
        assert said.startswith(f"{memo.path} does not say what it is: ")
