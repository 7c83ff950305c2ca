"""What memos are called when they come out of the inbox, and copies of sync tools."""

import shutil

import pytest
from memory_harness import agent_files, text_of, waiting
from vault_harness import VaultHarness

from glassmind.model.memory import MemoryItem


@pytest.fixture
def harness(vault: VaultHarness) -> VaultHarness:
    """A vault with one note of its own."""
    vault.indexed({"Diary.md": "oolong"})
    return vault


def copied(harness: VaultHarness, memo: MemoryItem, end: str) -> str:
    """Copy the file of a memo as a sync tool does; return the path of the copy."""
    path = f"{memo.path.removesuffix('.md')}{end}.md"
    shutil.copyfile(harness.root / memo.path, harness.root / path)
    return path


CONFLICTS = [".sync-conflict-20261116-021000-ABC", " (conflicted copy 2026-11-16)"]


@pytest.mark.parametrize("end", CONFLICTS)
def test_a_conflict_copy_that_is_ticked_gets_a_name_that_is_read(
    harness: VaultHarness, end: str
) -> None:
    memo = waiting(harness, "Use copper")
    copy = copied(harness, memo, end)
    harness.remove(memo.path)
    harness.write({copy: text_of(harness, copy).replace("- [ ] Keep", "- [x] Keep")})

    found = harness.engine.memory.inbox()

    assert [one.memory.title for one in found.promoted] == ["Use copper"]
    assert agent_files(harness) == {f"decisions/{memo.created[:10]} Use copper.md"}
    assert harness.found("copper") == [found.promoted[0].memory.path]


def test_a_conflict_copy_of_what_was_accepted_is_shown_beside_that(
    harness: VaultHarness,
) -> None:
    memo = waiting(harness, "Use copper")
    copied(harness, memo, CONFLICTS[0])
    placed = harness.engine.memory.accept(memo.path).memory

    found = harness.engine.memory.inbox()

    assert [[n.path for n in one.near] for one in found.waiting] == [[placed.path]]


def test_what_was_edited_is_called_by_what_it_says_now(harness: VaultHarness) -> None:
    memo = waiting(harness, "Use copper")

    done = harness.engine.memory.edit(memo.path, "Use tin.\n\nIt is cheaper.")

    assert done.memory.path == f".agent/decisions/{memo.created[:10]} Use tin.md"
    assert done.memory.title == "Use tin"
    assert harness.found("tin") == [done.memory.path]


def test_a_name_that_a_person_gave_stays_whatever_is_edited(
    harness: VaultHarness,
) -> None:
    memo = waiting(harness, "Use copper")
    harness.move(memo.path, ".agent/inbox/The roof.md")

    done = harness.engine.memory.edit(".agent/inbox/The roof.md", "Use tin")

    assert done.memory.path == ".agent/decisions/The roof.md"


def test_a_number_behind_a_name_is_no_other_name(harness: VaultHarness) -> None:
    waiting(harness, "Use copper")
    memo = waiting(harness, "Use copper")

    done = harness.engine.memory.accept(memo.path)

    assert done.memory.path == memo.path.replace("inbox", "decisions")
    assert done.memory.title == "Use copper 2"
