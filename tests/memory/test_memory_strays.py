"""Memos that a person moved out of the agent folder: recalled, and never written."""

import pytest
from memory_harness import kept, text_of, tick, waiting
from vault_harness import VaultHarness

from glassmind.errors import MisplacedMemory, NotMemory


@pytest.fixture
def harness(vault: VaultHarness) -> VaultHarness:
    """A vault with one note of its own, which looks a little like a memo."""
    vault.indexed({"Diary.md": "---\nkind: decision\nclient: Acme\n---\nUse copper"})
    return vault


def test_a_decision_that_was_moved_to_its_project_is_recalled(
    harness: VaultHarness,
) -> None:
    kept(harness, "Use copper for the gutters")
    memo = kept(harness, "Use copper for the roof", project="Roof")

    harness.move(memo.path, "Projects/Use copper.md")
    harness.index()

    for asked in (None, "copper roof"):
        found = harness.engine.memory.recall(asked)
        paths = [memory.path for memory in found.memories]
        assert len(paths) == 2
        assert "Projects/Use copper.md" in paths
    assert harness.engine.memory.recall("copper roof").memories[0].project == "Roof"
    assert harness.engine.memory.recall("violin").memories == ()


def test_what_waits_outside_is_told_and_says_how_it_is_approved(
    harness: VaultHarness,
) -> None:
    memo, path = waiting(harness, "Use copper"), "Projects/Use copper.md"
    tick(harness, memo)
    harness.move(memo.path, path)
    harness.index()
    before = text_of(harness, path)

    [told] = harness.engine.memory.inbox().problems
    with pytest.raises(MisplacedMemory) as refused:
        harness.engine.memory.accept(path)

    assert told == str(refused.value)
    assert told.startswith(f"{path} was captured, but is outside of .agent/")
    assert "`generated: false`" in told
    assert text_of(harness, path) == before


def test_what_a_person_approved_outside_waits_no_more(harness: VaultHarness) -> None:
    memo, path = waiting(harness, "Use copper"), "Projects/Use copper.md"
    harness.move(memo.path, path)
    said = text_of(harness, path).replace("generated: true", "generated: false")
    harness.indexed({path: said})

    assert harness.engine.memory.inbox().problems == ()
    [found] = harness.engine.memory.recall().memories
    assert (found.path, found.generated) == (path, False)
    with pytest.raises(MisplacedMemory):
        harness.engine.memory.forget(path)


def test_a_note_of_a_person_is_no_memo_for_a_property_or_two(
    harness: VaultHarness,
) -> None:
    assert harness.engine.memory.recall().memories == ()
    with pytest.raises(NotMemory):
        harness.engine.memory.forget("Diary.md")


def test_what_is_moved_out_and_superseded_is_not_recalled(
    harness: VaultHarness,
) -> None:
    old, new = kept(harness, "Use copper"), kept(harness, "Use tin")
    harness.engine.memory.supersede(old.path, new.path)

    harness.move(old.path, "Projects/Use copper.md")
    harness.index()

    assert [memory.text for memory in harness.engine.memory.recall().memories] == [
        "Use tin"
    ]
