"""What waits is merged with what waits, told in order, and edited without a loss."""

import pytest
from memo_desk import agent_files, kept, text_of, tick, waiting
from vault_desk import VaultDesk

from glassmind.errors import BadWish, StillWaiting


@pytest.fixture
def desk(vault: VaultDesk) -> VaultDesk:
    """A vault with one note of its own."""
    vault.indexed({"Diary.md": "oolong"})
    return vault


def test_what_waits_is_near_to_what_waits(desk: VaultDesk) -> None:
    first = waiting(desk, "Use copper for the roof of the shed")
    second = waiting(desk, "We use copper for the roof of the shed")

    found = desk.engine.memory.inbox().waiting

    near = {one.path: [n.path for n in one.near] for one in found}
    assert near == {first.path: [second.path], second.path: [first.path]}


def test_two_that_wait_become_one_that_goes_on_waiting(desk: VaultDesk) -> None:
    one = waiting(desk, "Use tin", tags=["metal"], sources=["Diary.md"])
    two = waiting(desk, "Use copper", tags=["roof"])

    done = desk.engine.memory.merge(one.path, two.path)

    (left,) = desk.engine.memory.inbox().waiting
    assert (left.path, left.text) == (done.memory.path, done.memory.text)
    assert left.path == two.path
    assert left.text == "Use copper\n\nUse tin"
    assert (left.tags, left.sources) == (("roof", "metal"), one.sources)
    assert left.generated
    assert agent_files(desk) == {
        two.path.removeprefix(".agent/"),
        one.path.replace(".agent/", ".trash/"),
    }
    tick(desk, left)
    (moved,) = desk.engine.memory.inbox().promoted
    assert moved.memory.text == "Use copper\n\nUse tin"


def test_a_memo_is_not_merged_with_itself(desk: VaultDesk) -> None:
    memo = waiting(desk, "Use tin")
    before = text_of(desk, memo.path)

    with pytest.raises(BadWish):
        desk.engine.memory.merge("Use tin", memo.path)

    assert text_of(desk, memo.path) == before


def test_what_has_to_be_accepted_first_is_named_in_the_command(
    desk: VaultDesk,
) -> None:
    kept(desk, "Use tin")
    memo = waiting(desk, "Use copper")

    with pytest.raises(StillWaiting) as told:
        desk.engine.memory.supersede("Use tin", "Use copper")

    assert f"glassmind inbox accept '{memo.path}'" in str(told.value)


def test_what_an_agent_said_is_in_the_trash_after_an_edit(desk: VaultDesk) -> None:
    desk.open()
    memo = waiting(desk, "Use tin")
    before = text_of(desk, memo.path)

    done = desk.engine.memory.edit("Use tin", "Use copper")

    assert text_of(desk, memo.path.replace(".agent/", ".agent/.trash/")) == before
    assert done.memory.text == "Use copper"
    assert desk.engine.memory.inbox().waiting == ()
