"""Memos that a person moved out of the agent folder: recalled, and never written."""

import pytest
from memo_desk import kept, text_of, tick, waiting
from vault_desk import VaultDesk

from glassmind.errors import MisplacedMemory, NotAMemory


@pytest.fixture
def desk(vault: VaultDesk) -> VaultDesk:
    """A vault with one note of its own, which looks a little like a memo."""
    vault.indexed({"Diary.md": "---\nkind: decision\nclient: Acme\n---\nUse copper"})
    return vault


def test_a_decision_that_was_moved_to_its_project_is_recalled(desk: VaultDesk) -> None:
    kept(desk, "Use copper for the gutters")
    memo = kept(desk, "Use copper for the roof", project="Roof")

    desk.move(memo.path, "Projects/Use copper.md")
    desk.index()

    for asked in (None, "copper roof"):
        found = desk.engine.memory.recall(asked)
        paths = [memory.path for memory in found.memories]
        assert len(paths) == 2
        assert "Projects/Use copper.md" in paths
    assert desk.engine.memory.recall("copper roof").memories[0].project == "Roof"
    assert desk.engine.memory.recall("violin").memories == ()


def test_what_waits_outside_is_told_and_says_how_it_is_approved(
    desk: VaultDesk,
) -> None:
    memo, path = waiting(desk, "Use copper"), "Projects/Use copper.md"
    tick(desk, memo)
    desk.move(memo.path, path)
    desk.index()
    before = text_of(desk, path)

    [told] = desk.engine.memory.inbox().problems
    with pytest.raises(MisplacedMemory) as refused:
        desk.engine.memory.accept(path)

    assert told == str(refused.value)
    assert told.startswith(f"{path} was captured, but is outside of .agent/")
    assert "`generated: false`" in told
    assert text_of(desk, path) == before


def test_what_a_person_approved_outside_waits_no_more(desk: VaultDesk) -> None:
    memo, path = waiting(desk, "Use copper"), "Projects/Use copper.md"
    desk.move(memo.path, path)
    said = text_of(desk, path).replace("generated: true", "generated: false")
    desk.indexed({path: said})

    assert desk.engine.memory.inbox().problems == ()
    [found] = desk.engine.memory.recall().memories
    assert (found.path, found.generated) == (path, False)
    with pytest.raises(MisplacedMemory):
        desk.engine.memory.forget(path)


def test_a_note_of_a_person_is_no_memo_for_a_property_or_two(desk: VaultDesk) -> None:
    assert desk.engine.memory.recall().memories == ()
    with pytest.raises(NotAMemory):
        desk.engine.memory.forget("Diary.md")


def test_what_is_moved_out_and_superseded_is_not_recalled(desk: VaultDesk) -> None:
    old, new = kept(desk, "Use copper"), kept(desk, "Use tin")
    desk.engine.memory.supersede(old.path, new.path)

    desk.move(old.path, "Projects/Use copper.md")
    desk.index()

    assert [memory.text for memory in desk.engine.memory.recall().memories] == [
        "Use tin"
    ]
