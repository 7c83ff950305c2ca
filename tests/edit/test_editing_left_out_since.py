"""Notes left out of the index since a change of them: nothing shows their text."""

import pytest
from vault_desk import VaultDesk

from glassmind.edit.editing import Editing
from glassmind.edit.vault import EditRequest
from glassmind.errors import FileUnreadable
from glassmind.model.edits import Append, Changed

ASK, DRY = EditRequest(client="robot"), EditRequest(client="robot", dry_run=True)

HIDDEN = "zeppelin"
NOTES = {
    "Later.md": "First.\n",
    "Sub/N.md": "See [Tea](../Tea.md).\n",
    "Tea.md": "Of [[Later]].\n",
    "D/A.md": "Of [tea](../Tea.md).\n",
    "D/B.md": "Nothing.\n",
}
WHY = r"Later\.md cannot be read: it was skipped \(excluded by \.glassmindignore\)"


@pytest.fixture
def editing(vault: VaultDesk) -> Editing:
    vault.write({".glassmindignore": "Priv/\n", **NOTES})
    vault.open(writes__mode="allow")
    vault.index()
    return vault.engine.editing


def leave_out(vault: VaultDesk, name: str) -> None:
    rules = (vault.root / ".glassmindignore").read_text(encoding="utf-8")
    vault.write({".glassmindignore": f"{rules}{name}\n"})


def shown(done: Changed) -> str:
    return "".join(one.diff for one in done.files)


@pytest.mark.parametrize("edited", [True, False])
@pytest.mark.parametrize("asking", [ASK, DRY], ids=["made", "shown"])
def test_a_note_left_out_since_is_not_taken_back(
    vault: VaultDesk, editing: Editing, asking: EditRequest, *, edited: bool
) -> None:
    done = editing.edit("Later", [Append("Second.\n")], ASK).changeset
    leave_out(vault, "Later.md")
    said = f"{HIDDEN}\nFirst.\nSecond.\n" if edited else "First.\nSecond.\n"
    vault.write({"Later.md": said})

    with pytest.raises(FileUnreadable, match=WHY):
        editing.undo(done.id, asking)

    assert vault.text("Later.md") == said
    assert editing.show(done.id).changeset.state == "applied"
    assert editing.changesets().total == 1


@pytest.mark.parametrize("edited", [True, False])
def test_a_proposal_for_a_note_left_out_since_is_neither_made_nor_shown(
    vault: VaultDesk, *, edited: bool
) -> None:
    vault.open(writes__mode="propose")
    vault.indexed({".glassmindignore": "", "Later.md": f"{HIDDEN}\n"})
    editing = vault.engine.editing
    waits = editing.edit("Later", [Append("Second.\n")], ASK).changeset
    leave_out(vault, "Later.md")
    if edited:
        vault.write({"Later.md": f"New.\n{HIDDEN}\n"})
    before = vault.text("Later.md")

    with pytest.raises(FileUnreadable, match=WHY):
        editing.approve(waits.id)
    seen = editing.show(waits.id)
    left = editing.reject(waits.id)

    assert vault.text("Later.md") == before
    assert seen.changeset.state == "proposed"
    assert left.changeset.state == "rejected"
    for done in (seen, left):
        assert HIDDEN not in shown(done)
        assert "it was skipped (excluded by .glassmindignore)" in shown(done)


def test_what_was_shown_of_a_note_left_out_since_is_not_applied(
    vault: VaultDesk, editing: Editing
) -> None:
    seen = editing.edit("Later", [Append("Second.\n")], DRY).changeset
    leave_out(vault, "Later.md")

    with pytest.raises(FileUnreadable, match=WHY):
        editing.apply(seen.id, ASK)

    assert vault.text("Later.md") == NOTES["Later.md"]


def test_what_was_done_to_a_note_left_out_since_is_told_without_its_text(
    vault: VaultDesk, editing: Editing
) -> None:
    vault.indexed({"Later.md": f"{HIDDEN}\n"})
    done = editing.edit("Later", [Append("Second.\n")], ASK).changeset
    assert HIDDEN in shown(editing.show(done.id))
    leave_out(vault, "Later.md")

    seen = editing.show(done.id)

    (file,) = seen.files
    assert (file.path, file.added, file.removed) == ("Later.md", 1, 0)
    assert HIDDEN not in file.diff
    assert "Second" not in file.diff


def test_nor_is_the_text_of_one_told_that_was_moved_out_of_sight(
    vault: VaultDesk, editing: Editing
) -> None:
    vault.indexed({"Later.md": f"{HIDDEN}\n"})
    done = editing.edit("Later", [Append("Second.\n")], ASK).changeset
    editing.move("Later", "Sub/Later", ASK)
    assert HIDDEN in shown(editing.show(done.id))

    editing.move("Sub/", "Priv/Sub", ASK)

    assert HIDDEN not in shown(editing.show(done.id))


def test_a_note_that_a_change_brought_to_where_none_is_read_comes_back(
    vault: VaultDesk, editing: Editing
) -> None:
    moved = editing.move("Sub/N", "Priv/Deep/N", ASK).changeset
    assert vault.text("Priv/Deep/N.md") == "See [Tea](../../Tea.md).\n"

    done = editing.undo(moved.id, ASK)

    assert done.applied
    assert vault.text("Sub/N.md") == NOTES["Sub/N.md"]
    assert "See [Tea]" in shown(editing.show(done.changeset.id))


def test_its_text_is_not_shown_where_it_was_edited_there(
    vault: VaultDesk, editing: Editing
) -> None:
    moved = editing.move("Sub/N", "Priv/Deep/N", ASK).changeset
    vault.write({"Priv/Deep/N.md": f"See [Tea](../../Tea.md).\n{HIDDEN}\n"})

    with pytest.raises(FileUnreadable, match=r"Priv/Deep/N\.md"):
        editing.undo(moved.id, DRY)


def test_a_note_to_be_made_where_none_is_read_is_shown_until_it_is_made(
    vault: VaultDesk,
) -> None:
    vault.open(writes__mode="propose")
    vault.indexed({".glassmindignore": "Priv/\n", **NOTES})
    editing = vault.engine.editing
    waits = editing.create("New", "Of mine.", ASK, folder="Priv").changeset

    assert "Of mine." in shown(editing.show(waits.id))
    assert editing.approve(waits.id).applied
    assert "Of mine." not in shown(editing.show(waits.id))


def test_links_of_a_note_left_out_since_stay_when_a_move_is_taken_back(
    vault: VaultDesk, editing: Editing
) -> None:
    moved = editing.move("D/B", "D/C", ASK).changeset
    vault.indexed({"Secret.md": f"{HIDDEN}\n[[C]]\n"})
    leave_out(vault, "Secret.md")

    done = editing.undo(moved.id, ASK)

    assert done.applied
    assert HIDDEN not in shown(done)
    assert vault.text("Secret.md") == f"{HIDDEN}\n[[C]]\n"


def test_a_folder_comes_back_with_what_it_took_along(
    vault: VaultDesk, editing: Editing
) -> None:
    moved = editing.move("D/", "Priv/D", ASK).changeset

    back = editing.undo(moved.id, ASK)

    assert back.applied
    assert vault.text("D/A.md") == NOTES["D/A.md"]
    again = editing.undo(back.changeset.id, ASK)
    assert again.applied
    assert vault.text("Priv/D/B.md") == NOTES["D/B.md"]
    assert editing.undo(again.changeset.id, ASK).applied
    assert vault.text("D/A.md") == NOTES["D/A.md"]


def test_a_folder_that_waited_comes_back_too(vault: VaultDesk) -> None:
    vault.open(writes__mode="propose")
    vault.indexed({".glassmindignore": "Priv/\n", **NOTES})
    editing = vault.engine.editing
    waits = editing.move("D/", "Priv/D", ASK).changeset
    assert editing.approve(waits.id).applied

    back = editing.undo(waits.id, ASK).changeset

    assert back.state == "proposed"
    assert editing.approve(back.id).applied
    assert vault.text("D/A.md") == NOTES["D/A.md"]


def test_a_folder_comes_back_from_the_trash(vault: VaultDesk, editing: Editing) -> None:
    gone = editing.delete("D/", ASK, confirm=True).changeset

    assert editing.undo(gone.id, ASK).applied
    assert vault.text("D/B.md") == NOTES["D/B.md"]
