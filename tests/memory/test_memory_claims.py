"""What took the place of a memo is known by either of both, wherever they are put."""

from itertools import pairwise

import pytest
from memo_desk import called, kept, text_of, waiting
from vault_desk import VaultDesk


@pytest.fixture
def desk(vault: VaultDesk) -> VaultDesk:
    """A vault with one note of its own."""
    vault.indexed({"Diary.md": "mine"})
    return vault


def current(desk: VaultDesk) -> list[str]:
    desk.index()
    return sorted(memory.text for memory in desk.engine.memory.recall().memories)


@pytest.mark.parametrize("to", ["decisions/Better.md", "decisions/Roof/Use tin.md"])
def test_what_took_a_place_keeps_it_under_another_name(
    desk: VaultDesk, to: str
) -> None:
    old, new = kept(desk, "Use copper"), kept(desk, "Use tin")
    desk.engine.memory.supersede(old.path, new.path)

    desk.move(new.path, f".agent/{to}")

    assert current(desk) == ["Use tin"]


def test_memos_that_say_to_have_each_others_place_are_all_current(
    desk: VaultDesk,
) -> None:
    desk.open()
    texts = ["Use copper", "Use slate", "Use tin"]
    memos = [kept(desk, text) for text in texts]
    for one, other in pairwise([*memos, memos[0]]):
        said = text_of(desk, one.path)
        link = f'supersedes: "[[{called(other).replace(".md", "")}]]"'
        at = said.index("status: current")
        desk.write({one.path: f"{said[:at]}{link}\n{said[at:]}"})

    assert current(desk) == texts


def test_what_nobody_approved_takes_no_place(desk: VaultDesk) -> None:
    old, new = kept(desk, "Use copper"), waiting(desk, "Use tin")
    link = f'supersedes: "[[{old.path.removesuffix(".md")}]]"\n'
    said = text_of(desk, new.path)
    desk.write({new.path: said.replace("status:", f"{link}status:")})

    assert current(desk) == ["Use copper", "Use tin"]
