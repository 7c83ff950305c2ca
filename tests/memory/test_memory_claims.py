"""What took the place of a memo is known by either of both, wherever they are put."""

from itertools import pairwise

import pytest
from memory_harness import called, kept, text_of, waiting
from vault_harness import VaultHarness


@pytest.fixture
def harness(vault: VaultHarness) -> VaultHarness:
    """A vault with one note of its own."""
    vault.indexed({"Diary.md": "mine"})
    return vault


def current(harness: VaultHarness) -> list[str]:
    harness.index()
    return sorted(memory.text for memory in harness.engine.memory.recall().memories)


@pytest.mark.parametrize("to", ["decisions/Better.md", "decisions/Roof/Use tin.md"])
def test_what_took_a_place_keeps_it_under_another_name(
    harness: VaultHarness, to: str
) -> None:
    old, new = kept(harness, "Use copper"), kept(harness, "Use tin")
    harness.engine.memory.supersede(old.path, new.path)

    harness.move(new.path, f".agent/{to}")

    assert current(harness) == ["Use tin"]


def test_memos_that_say_to_have_each_others_place_are_all_current(
    harness: VaultHarness,
) -> None:
    harness.open()
    texts = ["Use copper", "Use slate", "Use tin"]
    memos = [kept(harness, text) for text in texts]
    for one, other in pairwise([*memos, memos[0]]):
        said = text_of(harness, one.path)
        link = f'supersedes: "[[{called(other).replace(".md", "")}]]"'
        at = said.index("status: current")
        harness.write({one.path: f"{said[:at]}{link}\n{said[at:]}"})

    assert current(harness) == texts


def test_what_nobody_approved_takes_no_place(harness: VaultHarness) -> None:
    old, new = kept(harness, "Use copper"), waiting(harness, "Use tin")
    link = f'supersedes: "[[{old.path.removesuffix(".md")}]]"\n'
    said = text_of(harness, new.path)
    harness.write({new.path: said.replace("status:", f"{link}status:")})

    assert current(harness) == ["Use copper", "Use tin"]
