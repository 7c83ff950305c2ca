"""A change that waited is thought out anew when it is applied: links come meanwhile."""

from collections.abc import Callable

import pytest
from vault_harness import VaultHarness

from glassmind.edit.editing import Editing
from glassmind.edit.vault import EditRequest
from glassmind.errors import NoteChanged, PolicyForbids
from glassmind.model.edits import Append, AtLine, Changed, Replace

NOTES = {
    "N.md": "# One\n\nFirst.\n\n# Two\n\nSecond. #tea\n",
    "Other.md": "See [[N]] and [[N#Two]].\n",
    "Into.md": "All.\n",
}
ASK = EditRequest(client="robot")
DRY = EditRequest(client="robot", dry_run=True)


@pytest.fixture
def usual(vault: VaultHarness) -> Editing:
    vault.indexed(NOTES)
    return vault.engine.editing


@pytest.fixture
def allowed(vault: VaultHarness) -> Editing:
    vault.open(writes__mode="allow")
    vault.indexed(NOTES)
    return vault.engine.editing


CARRIED: dict[str, tuple[Callable[[Editing, EditRequest], Changed], str, str]] = {
    "move": (lambda e, ask: e.move("N", "M", ask), "[[N]]\n", "[[M]]\n"),
    "move of a folder": (
        lambda e, ask: e.move("Sub/", "Dir", ask),
        "[[Sub/In]]\n",
        "[[Dir/In]]\n",
    ),
    "merge": (
        lambda e, ask: e.merge("N", "Into", ask, confirm=True),
        "[[N#Two]]\n",
        "[[Into#Two]]\n",
    ),
}


@pytest.mark.parametrize("verb", CARRIED)
def test_links_written_before_approval_are_carried_once_a_person_saw_it(
    vault: VaultHarness, verb: str
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
    assert any("takes the place" in notice for notice in anew.notices)
    assert usual.show(waits.id).changeset.state == "rejected"
    assert vault.text("X.md") == written
    assert "X.md" in [file.to for file in anew.files]
    assert usual.approve(anew.changeset.id).applied
    assert vault.text("X.md") == carried


@pytest.mark.parametrize("verb", CARRIED)
def test_what_nothing_came_between_is_approved_at_once(
    vault: VaultHarness, verb: str
) -> None:
    vault.indexed({**NOTES, "Sub/In.md": "[[N]]\n"})
    usual = vault.engine.editing
    waits = CARRIED[verb][0](usual, ASK).changeset
    vault.write({"Y.md": "[[Into]] is another matter.\n"})

    done = usual.approve(waits.id)

    assert done.applied
    assert done.changeset.id == waits.id


def test_links_written_before_a_dry_run_is_applied_are_carried_too(
    vault: VaultHarness, allowed: Editing
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


def test_what_a_person_sees_anew_may_come_to_be_seen_again(
    vault: VaultHarness, usual: Editing
) -> None:
    first = usual.move("N", "M", ASK).changeset
    vault.write({"X.md": "[[N]]\n"})
    second = usual.approve(first.id).changeset
    vault.write({"Y.md": "[[N]]\n"})

    third = usual.approve(second.id).changeset

    assert third.state == "proposed"
    assert usual.approve(third.id).applied
    assert vault.text("Y.md") == "[[M]]\n"


def test_a_risk_that_is_less_than_it_was_is_no_reason_to_look_again(
    vault: VaultHarness, usual: Editing
) -> None:
    waits = usual.delete("Into", ASK, confirm=True).changeset
    vault.write({"Other.md": "No link.\n"})

    assert usual.approve(waits.id).applied


def test_a_file_that_may_not_be_edited_keeps_a_change_from_growing_into_it(
    vault: VaultHarness,
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


def test_an_edit_by_line_numbers_is_not_made_on_other_lines(
    vault: VaultHarness, usual: Editing
) -> None:
    vault.indexed({"Note.md": "The first.\nThe last.\n"})
    waits = usual.edit("Note", [AtLine(2, "Better.")], ASK).changeset
    vault.write({"Note.md": "New.\nThe first one.\nThe last one.\n"})

    with pytest.raises(NoteChanged):
        usual.approve(waits.id)

    assert usual.show(waits.id).changeset.state == "proposed"


def test_an_edit_that_fits_no_more_is_refused_as_before(
    vault: VaultHarness, usual: Editing
) -> None:
    vault.indexed({"Note.md": "The first.\nThe last.\n"})
    waits = usual.edit("Note", [Replace("last", "end")], ASK).changeset
    vault.write({"Note.md": "The first.\nNothing.\n"})

    with pytest.raises(NoteChanged):
        usual.approve(waits.id)


def test_the_rest_of_a_move_that_somebody_made_himself_can_be_approved(
    vault: VaultHarness, usual: Editing
) -> None:
    waits = usual.move("N", "M", ASK).changeset
    vault.move("N.md", "M.md")

    rest = usual.approve(waits.id)

    assert rest.changeset.state == "proposed"
    assert [file.to for file in rest.files] == ["Other.md"]
    assert usual.approve(rest.changeset.id).applied
    assert vault.text("Other.md") == "See [[M]] and [[M#Two]].\n"


def test_the_rest_of_a_heading_that_somebody_renamed_can_be_approved(
    vault: VaultHarness, usual: Editing
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


@pytest.mark.parametrize("to", [None, "Renamed.md"])
def test_an_edit_of_a_note_that_is_gone_says_so_and_what_to_do(
    vault: VaultHarness, usual: Editing, to: str | None
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
    vault: VaultHarness,
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
