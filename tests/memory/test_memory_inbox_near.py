"""What waits is merged with what waits, told in order, and edited without a loss."""

import pytest
from memory_harness import agent_files, kept, text_of, tick, waiting
from vault_harness import VaultHarness

from glassmind.errors import BadWish, StillWaiting


@pytest.fixture
def harness(vault: VaultHarness) -> VaultHarness:
    """A vault with one note of its own."""
    vault.indexed({"Diary.md": "oolong"})
    return vault


def test_what_waits_is_near_to_what_waits(harness: VaultHarness) -> None:
    first = waiting(harness, "Use copper for the roof of the shed")
    second = waiting(harness, "We use copper for the roof of the shed")

    found = harness.engine.memory.inbox().waiting

    near = {one.path: [n.path for n in one.near] for one in found}
    assert near == {first.path: [second.path], second.path: [first.path]}


def test_two_that_wait_become_one_that_goes_on_waiting(harness: VaultHarness) -> None:
    one = waiting(harness, "Use tin", tags=["metal"], sources=["Diary.md"])
    two = waiting(harness, "Use copper", tags=["roof"])

    done = harness.engine.memory.merge(one.path, two.path)

    (left,) = harness.engine.memory.inbox().waiting
    assert (left.path, left.text) == (done.memory.path, done.memory.text)
    assert left.path == two.path
    assert left.text == "Use copper\n\nUse tin"
    assert (left.tags, left.sources) == (("roof", "metal"), one.sources)
    assert left.generated
    assert agent_files(harness) == {
        two.path.removeprefix(".agent/"),
        one.path.replace(".agent/", ".trash/"),
    }
    tick(harness, left)
    (moved,) = harness.engine.memory.inbox().promoted
    assert moved.memory.text == "Use copper\n\nUse tin"


def test_a_memo_is_not_merged_with_itself(harness: VaultHarness) -> None:
    memo = waiting(harness, "Use tin")
    before = text_of(harness, memo.path)

    with pytest.raises(BadWish):
        harness.engine.memory.merge("Use tin", memo.path)

    assert text_of(harness, memo.path) == before


def test_what_has_to_be_accepted_first_is_named_in_the_command(
    harness: VaultHarness,
) -> None:
    kept(harness, "Use tin")
    memo = waiting(harness, "Use copper")

    with pytest.raises(StillWaiting) as told:
        harness.engine.memory.supersede("Use tin", "Use copper")

    assert f"glassmind inbox accept '{memo.path}'" in str(told.value)


def test_what_an_agent_said_is_in_the_trash_after_an_edit(
    harness: VaultHarness,
) -> None:
    harness.open()
    memo = waiting(harness, "Use tin")
    before = text_of(harness, memo.path)

    done = harness.engine.memory.edit("Use tin", "Use copper")

    assert text_of(harness, memo.path.replace(".agent/", ".agent/.trash/")) == before
    assert done.memory.text == "Use copper"
    assert harness.engine.memory.inbox().waiting == ()
