"""Boxes that a person ticks, wherever the memo and its box came to stand."""

from collections.abc import Callable

import pytest
from memory_harness import agent_files, kept, text_of, tick, waiting
from msgspec.structs import replace
from vault_harness import VaultHarness

from glassmind.errors import MemoryNotFound, NotWaiting
from glassmind.model import NotePath
from glassmind.model.memory import MemoryItem

Edit = Callable[[str], str]


@pytest.fixture
def harness(vault: VaultHarness) -> VaultHarness:
    vault.indexed({"Diary.md": "mine"})
    return vault


def changed(harness: VaultHarness, memo: MemoryItem, edit: Edit) -> None:
    """Tick the box of a memo, and change its note as a person does."""
    tick(harness, memo)
    (harness.root / memo.path).write_bytes(edit(text_of(harness, memo.path)).encode())
    harness.index()


def above(said: str) -> Edit:
    return lambda text: text.replace("> [!agent]", f"{said}\n\n> [!agent]")


@pytest.mark.parametrize(
    ("edit", "left"),
    [
        (above("# Copper"), "# Copper\n\nUse copper"),
        (above("A remark of mine"), "A remark of mine\n\nUse copper"),
        (lambda text: text.replace("[!agent]", "[!agent]-"), "Use copper"),
        (lambda text: text.replace("yet\n\n", "yet\n"), "Use copper"),
        (lambda text: text.replace("- [x]", "* [x]"), "Use copper"),
        (lambda text: text.replace("Keep this", "Keep this ^ab"), "Use copper"),
        (
            lambda text: text.replace("yet\n", "yet\n> seen by me\n"),
            "> seen by me\n\nUse copper",
        ),
    ],
)
def test_a_tick_counts_wherever_a_person_wrote_around_the_box(
    harness: VaultHarness, edit: Edit, left: str
) -> None:
    memo = waiting(harness, "Use copper")

    changed(harness, memo, edit)

    (found,) = harness.engine.memory.recall().memories
    assert (found.place, found.generated) == ("kept", False)
    assert found.text == left


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("Keep this", "Keep this!"),
        lambda text: text.replace("> [!agent] Captured by tea-agent; ", "> "),
        above("```\ncode\n```"),
        lambda text: text.replace("- [x]", "> - [x]"),
    ],
)
def test_a_tick_that_cannot_be_told_for_sure_moves_nothing(
    harness: VaultHarness, edit: Edit
) -> None:
    memo = waiting(harness, "Use copper")

    changed(harness, memo, edit)

    found = harness.engine.memory.inbox()
    assert [one.path for one in found.waiting] == [memo.path]
    assert harness.engine.memory.accept(memo.path).memory.place == "kept"


@pytest.mark.parametrize(
    "text",
    [
        "- [x] Keep this",
        "> [!agent] Captured by you; not approved yet\n\n- [x] Keep this\n\nmore",
        "Tea\n\n> [!agent] x\n\n- [x] Keep this",
    ],
)
def test_no_text_ticks_itself_nor_loses_a_word(
    harness: VaultHarness, text: str
) -> None:
    memo = waiting(harness, text)
    harness.index()

    found = harness.engine.memory.inbox()
    done = harness.engine.memory.accept(memo.path)

    assert [one.checked for one in found.waiting] == [False]
    assert not found.problems
    assert done.memory.text == text


def test_what_a_person_drags_to_its_place_is_approved_by_name_and_stays_there(
    harness: VaultHarness,
) -> None:
    memo = waiting(harness, "Use copper")
    harness.move(memo.path, ".agent/decisions/roof/Copper.md")
    harness.index()

    done = harness.engine.memory.accept("Copper")

    assert done.memory.path == ".agent/decisions/roof/Copper.md"
    assert not done.memory.generated
    assert text_of(harness, done.memory.path).endswith("---\n\nUse copper\n")
    with pytest.raises(NotWaiting):
        harness.engine.memory.accept("Copper")


def test_what_a_person_drags_to_its_place_is_approved_by_its_box(
    harness: VaultHarness,
) -> None:
    harness.open()
    memo = waiting(harness, "Use copper")
    tick(harness, memo)
    harness.move(memo.path, ".agent/decisions/Copper.md")

    harness.index()

    (found,) = harness.engine.memory.recall().memories
    assert found.path == ".agent/decisions/Copper.md"
    assert (found.generated, found.text) == (False, "Use copper")
    assert harness.found("copper") == [found.path]


def test_a_box_of_a_kept_text_is_left_alone(harness: VaultHarness) -> None:
    memo = kept(harness, "> [!agent] x\n\n- [x] Keep this\n\nmore")
    before = text_of(harness, memo.path)

    report = harness.index()

    assert text_of(harness, memo.path) == before
    assert not report.warnings


def test_what_a_person_sorts_into_folders_of_the_inbox_still_waits(
    harness: VaultHarness,
) -> None:
    memo, other = waiting(harness, "Use copper"), waiting(harness, "Use tin")
    harness.move(memo.path, ".agent/inbox/later/Copper.md")
    harness.move(other.path, ".agent/inbox/later/then/Tin.md")
    tick(harness, _at(other, ".agent/inbox/later/then/Tin.md"))

    found = harness.engine.memory.inbox()

    assert [one.path for one in found.waiting] == [".agent/inbox/later/Copper.md"]
    assert [one.memory.path for one in found.promoted] == [".agent/decisions/Tin.md"]
    assert harness.engine.memory.accept("Copper").memory.place == "kept"


def _at(memo: MemoryItem, path: str) -> MemoryItem:
    return replace(memo, path=NotePath(path))


def test_a_name_as_long_as_a_disk_takes_gets_a_number_all_the_same(
    harness: VaultHarness,
) -> None:
    name = "ü" * 126 + ".md"
    for _ in range(2):
        memo = kept(harness, "Use copper")
        harness.move(memo.path, f".agent/decisions/{name}")
        harness.index()
        gone = harness.engine.memory.forget(f".agent/decisions/{name}")

    assert gone.memory.path.endswith("ü 2.md")
    assert len([path for path in agent_files(harness) if ".trash/" in path]) == 2


@pytest.mark.parametrize("name", ["\ud800", "inbox/\udcff.md", ".agent/tasks/\udc80"])
def test_half_a_character_is_the_name_of_no_memo(
    harness: VaultHarness, name: str
) -> None:
    kept(harness, "Use copper")

    for act in (harness.engine.memory.forget, harness.engine.memory.accept):
        with pytest.raises(MemoryNotFound):
            act(name)
