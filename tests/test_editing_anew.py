"""A change that waited is thought out anew when it is applied: links come meanwhile."""

from collections.abc import Callable

import pytest
from vault_desk import VaultDesk

from glassmind.edit.desk import Asking
from glassmind.edit.editing import Editing
from glassmind.errors import (
    EditRefused,
    GlassmindError,
    NameTaken,
    NoteChanged,
    NoteNotFound,
    PolicyForbids,
)
from glassmind.model.edits import (
    Append,
    AtLine,
    Changed,
    ChangeProperty,
    Prepend,
    Replace,
    SetTask,
    TextEdit,
)

NOTES = {
    "N.md": "# One\n\nFirst.\n\n# Two\n\nSecond. #tea\n",
    "Other.md": "See [[N]] and [[N#Two]].\n",
    "Into.md": "All.\n",
}
ASK = Asking(client="robot")
DRY = Asking(client="robot", dry_run=True)


@pytest.fixture
def usual(vault: VaultDesk) -> Editing:
    vault.indexed(NOTES)
    return vault.engine.editing


@pytest.fixture
def allowed(vault: VaultDesk) -> Editing:
    vault.open(writes__mode="allow")
    vault.indexed(NOTES)
    return vault.engine.editing


CARRIED: dict[str, tuple[Callable[[Editing, Asking], Changed], str, str]] = {
    "move": (lambda e, ask: e.move("N", "M", ask), "[[N]]\n", "[[M]]\n"),
    "move of a folder": (
        lambda e, ask: e.move("Sub/", "Dir", ask),
        "[[Sub/In]]\n",
        "[[Dir/In]]\n",
    ),
    "rename-heading": (
        lambda e, ask: e.rename_heading("N", "Two", "2", ask, index=None),
        "[[N#Two]]\n",
        "[[N#2]]\n",
    ),
    "rename-tag": (lambda e, ask: e.rename_tag("tea", "té", ask), "#tea\n", "#té\n"),
    "merge": (
        lambda e, ask: e.merge("N", "Into", ask, confirm=True),
        "[[N#Two]]\n",
        "[[Into#Two]]\n",
    ),
    "split": (
        lambda e, ask: e.split("N", ask, heading="Two"),
        "[[N#Two]]\n",
        "[[Two#Two]]\n",
    ),
}


@pytest.mark.parametrize("verb", CARRIED)
def test_links_written_before_approval_are_carried_once_a_person_saw_it(
    vault: VaultDesk, verb: str
) -> None:
    change, written, carried = CARRIED[verb]
    vault.indexed({**NOTES, "Sub/In.md": "[[N]]\n"})
    usual = vault.engine.editing
    waits = change(usual, ASK).changeset
    vault.write({"X.md": written})

    anew = usual.approve(waits.id)

    assert anew.changeset.state == "proposed"
    assert anew.changeset.id != waits.id
    assert anew.changeset.client == "robot"
    assert any("takes the place" in one for one in anew.notices)
    assert usual.show(waits.id).changeset.state == "rejected"
    assert vault.text("X.md") == written
    assert "X.md" in [one.to for one in anew.files]
    assert usual.approve(anew.changeset.id).applied
    assert vault.text("X.md") == carried


@pytest.mark.parametrize("verb", CARRIED)
def test_what_nothing_came_between_is_approved_at_once(
    vault: VaultDesk, verb: str
) -> None:
    vault.indexed({**NOTES, "Sub/In.md": "[[N]]\n"})
    usual = vault.engine.editing
    waits = CARRIED[verb][0](usual, ASK).changeset
    vault.write({"Y.md": "[[Into]] is another matter.\n"})

    done = usual.approve(waits.id)

    assert done.applied
    assert done.changeset.id == waits.id


def test_links_written_before_a_dry_run_is_applied_are_carried_too(
    vault: VaultDesk, allowed: Editing
) -> None:
    shown = allowed.move("N", "M", DRY).changeset
    vault.write({"X.md": "[[N]]\n"})

    anew = allowed.apply(shown.id, ASK)

    assert anew.changeset.state == "proposed"
    assert vault.text("X.md") == "[[N]]\n"
    assert not (vault.root / "M.md").exists()
    assert allowed.approve(anew.changeset.id).applied
    assert vault.text("X.md") == "[[M]]\n"


def test_a_dry_run_that_nothing_came_after_is_applied_as_it_was_shown(
    allowed: Editing,
) -> None:
    shown = allowed.move("N", "M", DRY).changeset

    done = allowed.apply(shown.id, ASK)

    assert done.applied
    assert done.changeset.id == shown.id


def test_a_note_edited_meanwhile_is_moved_with_its_new_text(
    vault: VaultDesk, usual: Editing
) -> None:
    waits = usual.move("N", "M", ASK).changeset
    vault.write({"Other.md": "Again [[N]], and [[N#One]].\n", "N.md": "Other words.\n"})

    anew = usual.approve(waits.id)

    assert anew.changeset.state == "proposed"
    assert usual.approve(anew.changeset.id).applied
    assert vault.text("Other.md") == "Again [[M]], and [[M#One]].\n"
    assert vault.text("M.md") == "Other words.\n"


def test_what_a_person_sees_anew_may_come_to_be_seen_again(
    vault: VaultDesk, usual: Editing
) -> None:
    first = usual.move("N", "M", ASK).changeset
    vault.write({"X.md": "[[N]]\n"})
    second = usual.approve(first.id).changeset
    vault.write({"Y.md": "[[N]]\n"})

    third = usual.approve(second.id).changeset

    assert third.state == "proposed"
    assert usual.approve(third.id).applied
    assert vault.text("Y.md") == "[[M]]\n"


def test_a_new_note_is_made_with_the_text_that_was_shown(
    vault: VaultDesk, usual: Editing
) -> None:
    vault.write({"Form.md": "{{time:HHmmssSSS}}\n", "a/Tea.md": "", "b/A.md": "A\n"})
    vault.index()
    waits = usual.create("Tea", "", ASK, template="Form").changeset
    shown = waits.draft.steps[-1].after
    vault.write({"Form.md": "Another form.\n", "X.md": "[[Tea]] is of a.\n"})

    anew = usual.approve(waits.id)

    assert anew.changeset.state == "proposed"
    assert usual.approve(anew.changeset.id).applied
    assert (vault.root / "Tea.md").read_bytes() == shown
    assert vault.text("X.md") == "[[a/Tea]] is of a.\n"


def test_links_that_a_deletion_would_lose_by_now_are_told_before_it(
    vault: VaultDesk, usual: Editing
) -> None:
    waits = usual.delete("N", ASK, confirm=True).changeset
    assert any("2 links" in risk for risk in waits.draft.risks)
    vault.write({"X.md": "[[N]]\n"})

    anew = usual.approve(waits.id)

    assert anew.changeset.state == "proposed"
    assert any("3 links" in risk for risk in anew.changeset.draft.risks)
    assert usual.approve(anew.changeset.id).applied


def test_a_risk_that_is_less_than_it_was_is_no_reason_to_look_again(
    vault: VaultDesk, usual: Editing
) -> None:
    waits = usual.delete("Into", ASK, confirm=True).changeset
    vault.write({"Other.md": "No link.\n"})

    assert usual.approve(waits.id).applied


def test_what_cannot_be_done_any_more_says_why_and_stays(
    vault: VaultDesk, usual: Editing
) -> None:
    moved = usual.move("N", "M", ASK).changeset
    renamed = usual.rename_heading("N", "Two", "2", ASK, index=None).changeset
    vault.write({"M.md": "Taken.\n", "N.md": "# One\n"})

    with pytest.raises(NameTaken, match=r"M\.md"):
        usual.approve(moved.id)
    with pytest.raises(GlassmindError, match="Two"):
        usual.approve(renamed.id)
    vault.remove("N.md")
    with pytest.raises(NoteNotFound, match=r"N\.md"):
        usual.approve(moved.id)

    assert usual.changesets(("proposed",)).total == 2
    assert vault.text("Other.md") == NOTES["Other.md"]


def test_the_note_that_was_meant_then_is_meant_still(
    vault: VaultDesk, usual: Editing
) -> None:
    waits = usual.rename_heading("N", "Two", "2", ASK, index=None).changeset
    vault.move("N.md", "Sub/N.md")
    vault.write({"Other/N.md": "# Two\n"})

    with pytest.raises(NoteNotFound, match=r"N\.md"):
        usual.approve(waits.id)


def test_a_file_that_may_not_be_edited_keeps_a_change_from_growing_into_it(
    vault: VaultDesk,
) -> None:
    vault.open(writes__folders=["Locked=off"])
    vault.indexed(NOTES)
    usual = vault.engine.editing
    waits = usual.move("N", "M", ASK).changeset
    vault.write({"Locked/X.md": "[[N]]\n"})

    with pytest.raises(PolicyForbids, match="Locked"):
        usual.approve(waits.id)

    assert usual.show(waits.id).changeset.state == "proposed"
    assert (vault.root / "N.md").exists()


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (Append("more"), "Changed first.\nChanged last.\nmore\n"),
        (Prepend("more"), "more\nChanged first.\nChanged last.\n"),
        (ChangeProperty("k", "set", [1, "a"]), "---\nk:\n  - 1\n  - a\n---\n"),
        (Replace("last", "end"), "Changed first.\nChanged end.\n"),
    ],
)
def test_an_edit_is_made_anew_where_its_lines_were_edited(
    vault: VaultDesk, usual: Editing, edit: TextEdit, said: str
) -> None:
    vault.indexed({"Note.md": "The first.\nThe last.\n"})
    waits = usual.edit("Note", [edit], ASK).changeset
    vault.write({"Note.md": "Changed first.\nChanged last.\n"})

    anew = usual.approve(waits.id)

    assert anew.changeset.state == "proposed"
    assert usual.approve(anew.changeset.id).applied
    assert vault.text("Note.md").startswith(said)


def test_an_edit_by_line_numbers_is_not_made_on_other_lines(
    vault: VaultDesk, usual: Editing
) -> None:
    vault.indexed({"Note.md": "The first.\nThe last.\n"})
    waits = usual.edit("Note", [AtLine(2, "Better.")], ASK).changeset
    vault.write({"Note.md": "New.\nThe first one.\nThe last one.\n"})

    with pytest.raises(NoteChanged):
        usual.approve(waits.id)

    assert usual.show(waits.id).changeset.state == "proposed"


def test_an_edit_that_fits_no_more_is_refused_as_before(
    vault: VaultDesk, usual: Editing
) -> None:
    vault.indexed({"Note.md": "The first.\nThe last.\n"})
    waits = usual.edit("Note", [Replace("last", "end")], ASK).changeset
    vault.write({"Note.md": "The first.\nNothing.\n"})

    with pytest.raises(NoteChanged):
        usual.approve(waits.id)


def test_an_edit_that_somebody_made_himself_is_left(
    vault: VaultDesk, usual: Editing
) -> None:
    vault.indexed({"Note.md": "---\nk: 1\n---\n"})
    waits = usual.edit("Note", [ChangeProperty("k", "set", 2)], ASK).changeset
    vault.write({"Note.md": "---\nk: 2 # mine\n---\n"})

    done = usual.approve(waits.id)

    assert done.changeset.state == "rejected"
    assert not done.applied


def test_links_to_a_note_renamed_outside_are_looked_for_again_on_approval(
    vault: VaultDesk, usual: Editing
) -> None:
    vault.move("N.md", "Sub/Moved.md")
    vault.index()
    (waits,) = usual.changesets(("proposed",)).changesets
    vault.write({"X.md": "[[N]]\n"})

    anew = usual.approve(waits.id).changeset

    assert (anew.state, anew.draft.verb) == ("proposed", "relink")
    assert usual.approve(anew.id).applied
    assert vault.text("X.md") == "[[Moved]]\n"


def test_links_that_somebody_mended_meanwhile_are_not_written_again(
    vault: VaultDesk, usual: Editing
) -> None:
    vault.move("N.md", "Sub/Moved.md")
    vault.index()
    (waits,) = usual.changesets(("proposed",)).changesets
    vault.write({"Other.md": "See [[Moved]], and that is all.\n"})

    with pytest.raises(EditRefused, match="leave it"):
        usual.approve(waits.id)

    assert vault.text("Other.md") == "See [[Moved]], and that is all.\n"


def test_the_rest_of_a_move_that_somebody_made_himself_can_be_approved(
    vault: VaultDesk, usual: Editing
) -> None:
    waits = usual.move("N", "M", ASK).changeset
    vault.move("N.md", "M.md")

    rest = usual.approve(waits.id)

    assert rest.changeset.state == "proposed"
    assert [one.to for one in rest.files] == ["Other.md"]
    assert usual.approve(rest.changeset.id).applied
    assert vault.text("Other.md") == "See [[M]] and [[M#Two]].\n"


def test_the_rest_of_a_heading_that_somebody_renamed_can_be_approved(
    vault: VaultDesk, usual: Editing
) -> None:
    waits = usual.rename_heading("N", "Two", "2", ASK, index=None).changeset
    vault.write({"N.md": NOTES["N.md"].replace("# Two", "# 2")})

    rest = usual.approve(waits.id).changeset

    assert rest.state == "proposed"
    vault.write({"Other.md": "New.\n\nSee [[N]] and [[N#Two]].\n"})
    again = usual.approve(rest.id).changeset
    assert again.state == "proposed"
    assert usual.approve(again.id).applied
    assert vault.text("Other.md") == "New.\n\nSee [[N]] and [[N#2]].\n"


def test_a_task_that_was_to_be_ticked_is_not_unticked(
    vault: VaultDesk, usual: Editing
) -> None:
    vault.indexed({"K.md": "- [ ] tick me\n- [x] open me\n"})
    edits = [SetTask(find="tick"), SetTask(find="open")]
    waits = usual.edit("K", edits, ASK).changeset
    vault.write({"K.md": "- [x] tick me now\n- [ ] open me now\n"})

    done = usual.approve(waits.id)

    assert done.changeset.state == "rejected"
    assert vault.text("K.md") == "- [x] tick me now\n- [ ] open me now\n"


def test_a_task_that_waited_is_ticked_in_its_new_words(
    vault: VaultDesk, usual: Editing
) -> None:
    vault.indexed({"K.md": "- [ ] tick me\n"})
    waits = usual.edit("K", [SetTask(find="tick")], ASK).changeset
    vault.write({"K.md": "- [ ] tick me now\n"})

    anew = usual.approve(waits.id).changeset

    assert usual.approve(anew.id).applied
    assert vault.text("K.md") == "- [x] tick me now\n"


@pytest.mark.parametrize("to", [None, "Renamed.md"])
def test_an_edit_of_a_note_that_is_gone_says_so_and_what_to_do(
    vault: VaultDesk, usual: Editing, to: str | None
) -> None:
    waits = usual.edit("N", [Append("more")], ASK).changeset
    if to is None:
        vault.remove("N.md")
    else:
        vault.move("N.md", to)

    with pytest.raises(NoteChanged, match=r"N\.md is gone.*reject.*ask anew"):
        usual.approve(waits.id)

    assert usual.show(waits.id).changeset.state == "proposed"


def test_no_proposal_takes_the_place_of_one_that_is_forbidden_by_now(
    vault: VaultDesk,
) -> None:
    vault.open(writes__tags=["locked=off"])
    vault.indexed({"U.md": "First.\n"})
    usual = vault.engine.editing
    waits = usual.edit("U", [Append("more\n")], ASK).changeset
    vault.write({"U.md": "#locked\n\nFirst.\n"})

    with pytest.raises(PolicyForbids, match="locked"):
        usual.approve(waits.id)

    assert usual.changesets(("proposed",)).total == 1
    assert usual.show(waits.id).changeset.state == "proposed"
