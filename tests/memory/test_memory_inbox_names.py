"""What memos are called when they come out of the inbox, and copies of sync tools."""

import shutil

import pytest
from memo_desk import agent_files, text_of, waiting
from vault_desk import VaultDesk

from glassmind.model.memory import MemoryItem


@pytest.fixture
def desk(vault: VaultDesk) -> VaultDesk:
    """A vault with one note of its own."""
    vault.indexed({"Diary.md": "oolong"})
    return vault


def copied(desk: VaultDesk, memo: MemoryItem, end: str) -> str:
    """Copy the file of a memo as a sync tool does; return the path of the copy."""
    path = f"{memo.path.removesuffix('.md')}{end}.md"
    shutil.copyfile(desk.root / memo.path, desk.root / path)
    return path


CONFLICTS = [".sync-conflict-20261116-021000-ABC", " (conflicted copy 2026-11-16)"]


@pytest.mark.parametrize("end", CONFLICTS)
def test_a_conflict_copy_that_is_ticked_gets_a_name_that_is_read(
    desk: VaultDesk, end: str
) -> None:
    memo = waiting(desk, "Use copper")
    copy = copied(desk, memo, end)
    desk.remove(memo.path)
    desk.write({copy: text_of(desk, copy).replace("- [ ] Keep", "- [x] Keep")})

    found = desk.engine.memory.inbox()

    assert [one.memory.title for one in found.promoted] == ["Use copper"]
    assert agent_files(desk) == {f"decisions/{memo.created[:10]} Use copper.md"}
    assert desk.found("copper") == [found.promoted[0].memory.path]


def test_a_conflict_copy_of_what_was_accepted_is_shown_beside_that(
    desk: VaultDesk,
) -> None:
    memo = waiting(desk, "Use copper")
    copied(desk, memo, CONFLICTS[0])
    placed = desk.engine.memory.accept(memo.path).memory

    found = desk.engine.memory.inbox()

    assert [[n.path for n in one.near] for one in found.waiting] == [[placed.path]]


def test_what_was_edited_is_called_by_what_it_says_now(desk: VaultDesk) -> None:
    memo = waiting(desk, "Use copper")

    done = desk.engine.memory.edit(memo.path, "Use tin.\n\nIt is cheaper.")

    assert done.memory.path == f".agent/decisions/{memo.created[:10]} Use tin.md"
    assert done.memory.title == "Use tin"
    assert desk.found("tin") == [done.memory.path]


def test_a_name_that_a_person_gave_stays_whatever_is_edited(desk: VaultDesk) -> None:
    memo = waiting(desk, "Use copper")
    desk.move(memo.path, ".agent/inbox/The roof.md")

    done = desk.engine.memory.edit(".agent/inbox/The roof.md", "Use tin")

    assert done.memory.path == ".agent/decisions/The roof.md"


def test_a_number_behind_a_name_is_no_other_name(desk: VaultDesk) -> None:
    waiting(desk, "Use copper")
    memo = waiting(desk, "Use copper")

    done = desk.engine.memory.accept(memo.path)

    assert done.memory.path == memo.path.replace("inbox", "decisions")
    assert done.memory.title == "Use copper 2"
