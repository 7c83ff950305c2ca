"""The digest that was read goes with every verb that is about one note."""

from collections.abc import Callable

import pytest
from editing_harness import snapshot
from vault_harness import VaultHarness

from glassmind.edit.editing import Editing
from glassmind.edit.vault import EditRequest
from glassmind.errors import BadEdit, NoteChanged, SeveralMatches
from glassmind.model import Digest
from glassmind.model.edits import Changed

ASK = EditRequest(client="robot")

TEA = "# Tea\n\nOolong.\n\n## Notes\n\nOne.\n\n## Notes\n\nTwo.\n"
NOTES = {
    "Tea.md": TEA,
    "Cup.md": "For [[Tea]].\n",
    "Work/Plan.md": "Buy [[Tea]].\n",
    "Work/Board.canvas": '{"nodes": [], "edges": []}\n',
}

Expecting = Callable[[Editing, Digest], Changed]

VERBS: dict[str, Expecting] = {
    "delete": lambda e, d: e.delete("Tea", ASK, confirm=True, expected=d),
    "move": lambda e, d: e.move("Tea", "Drinks/Tea", ASK, expected=d),
    "merge": lambda e, d: e.merge("Tea", "Cup", ASK, confirm=True, expected=d),
    "split": lambda e, d: e.split("Tea", ASK, heading="Notes", index=1, expected=d),
    "rename-heading": lambda e, d: e.rename_heading(
        "Tea", "Tea", "Green", ASK, index=None, expected=d
    ),
}


@pytest.fixture
def editing(vault: VaultHarness) -> Editing:
    vault.write(NOTES)
    vault.open(writes__mode="allow")
    vault.index()
    return vault.engine.editing


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("mode", ["allow", "propose"])
def test_a_note_that_is_another_than_was_read_is_left_and_its_digest_is_told(
    vault: VaultHarness, editing: Editing, verb: str, mode: str
) -> None:
    read = digest_now(vault)
    editing = vault.open(writes__mode=mode).editing
    vault.write({"Tea.md": TEA + "\nThree.\n"})
    before = snapshot(vault.root)

    with pytest.raises(NoteChanged) as refused:
        VERBS[verb](editing, read)

    assert refused.value.found == digest_now(vault)
    assert snapshot(vault.root) == before
    assert editing.changesets().total == 0


@pytest.mark.parametrize("verb", VERBS)
def test_a_note_that_is_as_it_was_read_is_changed(
    vault: VaultHarness, editing: Editing, verb: str
) -> None:
    done = VERBS[verb](editing, Digest(digest_now(vault)[:8]))

    assert done.applied


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("said", ["abc", "no digest at all"])
def test_what_is_no_digest_is_said_to_be_none(
    editing: Editing, verb: str, said: str
) -> None:
    with pytest.raises(BadEdit, match="is no digest"):
        VERBS[verb](editing, Digest(said))


def test_other_files_have_a_digest_and_folders_have_none(editing: Editing) -> None:
    with pytest.raises(NoteChanged):
        editing.move("Work/Board.canvas", "Board", ASK, expected=Digest("0" * 64))
    with pytest.raises(BadEdit, match="Work is a folder, which has no digest"):
        editing.move("Work/", "Play", ASK, expected=Digest("0" * 64))
    with pytest.raises(BadEdit, match="Work is a folder, which has no digest"):
        editing.delete("Work/", ASK, confirm=True, expected=Digest("0" * 64))


@pytest.mark.parametrize(("index", "said"), [(0, "One."), (1, "Two.")])
def test_of_headings_of_one_name_the_index_says_which_is_split_off(
    vault: VaultHarness, editing: Editing, index: int, said: str
) -> None:
    with pytest.raises(SeveralMatches, match="choose one by its index"):
        editing.split("Tea", ASK, heading="Notes")

    done = editing.split("Tea", ASK, heading="Notes", index=index)

    assert done.applied
    assert (vault.root / "Notes.md").read_text("utf-8") == f"## Notes\n\n{said}\n"


def test_a_proposal_to_split_off_one_of_two_is_that_one_still_when_thought_out_anew(
    vault: VaultHarness, editing: Editing
) -> None:
    del editing
    waiting = vault.open(writes__mode="propose").editing
    waits = waiting.split("Tea", ASK, heading="Notes", index=1)
    vault.write({"Cup.md": "For [[Tea#Notes]].\n"})
    vault.index()

    done = waiting.approve(waits.changeset.id)
    if not done.applied:
        done = waiting.approve(done.changeset.id)

    assert done.applied
    assert (vault.root / "Notes.md").read_text("utf-8") == "## Notes\n\nTwo.\n"


def test_an_index_goes_with_a_heading_and_not_with_a_level(editing: Editing) -> None:
    with pytest.raises(BadEdit, match="not of a level"):
        editing.split("Tea", ASK, level=2, index=0)


def digest_now(vault: VaultHarness) -> Digest:
    return Digest(vault.engine.read("Tea.md").digest)
