"""Taking back a change of names: what was written since leads where it led."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from editing_harness import EditingHarness, snapshot
from vault_harness import VaultHarness

from glassmind.edit.editing import Editing
from glassmind.edit.planning import plan_move
from glassmind.edit.proposals import plan_undo
from glassmind.edit.vault import EditRequest
from glassmind.errors import IndexDamaged
from glassmind.model.edits import Append, Changed
from glassmind.store.sqlite.rows import SqliteRows

NOTES = {
    "N.md": "# One\n\nFirst.\n\n# Two\n\nSecond.\n",
    "Other.md": "See [[N]] and [[N#Two]].\n",
    "Sub/In.md": "In.\n",
}
ASK = EditRequest(client="robot")
DRY = EditRequest(client="robot", dry_run=True)


@pytest.fixture
def allowed(vault: VaultHarness) -> Editing:
    vault.open(writes__mode="allow")
    vault.indexed(NOTES)
    return vault.engine.editing


def notes_in(vault: VaultHarness) -> dict[str, bytes]:
    found = snapshot(vault.root)
    return {path: raw for path, raw in found.items() if not path.startswith(".")}


RENAMES: dict[str, tuple[Callable[[Editing], Changed], str, str]] = {
    "move": (
        lambda e: e.move("N", "M", ASK),
        "[[M]], [[M#Two]]\n",
        "[[N]], [[N#Two]]\n",
    ),
    "move into a folder": (
        lambda e: e.move("N", "Sub/", ASK),
        "[n](Sub/N.md)\n",
        "[n](N.md)\n",
    ),
    "move of a folder": (
        lambda e: e.move("Sub/", "Dir", ASK),
        "[[Dir/In]]\n",
        "[[Sub/In]]\n",
    ),
}


@pytest.mark.parametrize("verb", RENAMES)
def test_links_written_since_a_rename_are_carried_back_with_it(
    vault: VaultHarness, allowed: Editing, verb: str
) -> None:
    change, written, carried = RENAMES[verb]
    done = change(allowed).changeset
    vault.write({"Y.md": written})

    back = allowed.undo(done.id, ASK)

    assert back.applied
    assert back.changeset.draft.rewritten.files == 1
    assert notes_in(vault) == {
        path: raw.encode() for path, raw in {**NOTES, "Y.md": carried}.items()
    }


@pytest.mark.parametrize("verb", RENAMES)
def test_what_was_taken_back_so_is_brought_again_whole(
    vault: VaultHarness, allowed: Editing, verb: str
) -> None:
    change, written, _ = RENAMES[verb]
    done = change(allowed).changeset
    vault.write({"Y.md": written})
    then = notes_in(vault)
    back = allowed.undo(done.id, ASK).changeset

    again = allowed.undo(back.id, ASK)

    assert again.applied
    assert notes_in(vault) == then


@pytest.mark.parametrize("verb", RENAMES)
def test_where_nothing_was_written_since_only_files_of_the_change_are_restored(
    vault: VaultHarness, allowed: Editing, verb: str
) -> None:
    before = notes_in(vault)
    done = RENAMES[verb][0](allowed).changeset

    back = allowed.undo(done.id, ASK)

    assert back.applied
    assert not back.changeset.draft.risks
    assert len(back.files) == len(done.draft.steps)
    assert notes_in(vault) == before


def test_a_link_that_led_nowhere_before_the_change_does_so_again(
    vault: VaultHarness, allowed: Editing
) -> None:
    written = "[[M]]\n"
    vault.indexed({"Early.md": written})
    done = RENAMES["move"][0](allowed).changeset

    back = allowed.undo(done.id, ASK)

    assert back.applied
    assert vault.text("Early.md") == written
    assert not back.changeset.draft.risks


def test_links_to_a_note_that_is_taken_back_are_told(
    vault: VaultHarness, allowed: Editing
) -> None:
    vault.indexed({"Early.md": "[[New]]\n"})
    done = allowed.create("New", "Text.", ASK).changeset
    vault.write({"X.md": "[[New]], [[New|x]]\n", "Y.md": "[[New]]\n"})

    back = allowed.undo(done.id, ASK)

    assert back.applied
    (risk,) = back.changeset.draft.risks
    assert risk == "3 links will lead nowhere"
    assert vault.text("X.md") == "[[New]], [[New|x]]\n"


def test_links_to_notes_of_a_split_are_told_when_it_is_taken_back(
    vault: VaultHarness, allowed: Editing
) -> None:
    done = allowed.split("N", ASK, heading="Two").changeset
    vault.write({"Y.md": "[[Two]]\n"})

    back = allowed.undo(done.id, ASK)

    assert back.changeset.draft.risks == ("1 link will lead nowhere",)


def test_a_heading_that_no_link_can_name_then_does_not_keep_it_from_coming_back(
    vault: VaultHarness, allowed: Editing
) -> None:
    twins = "# Tea\n\nOne.\n\n# Pot\n\n# Tea\n\nTwo.\n"
    vault.indexed({"Twins.md": twins})
    done = allowed.rename_heading("Twins", "Tea", "Last", ASK, index=1).changeset
    vault.write({"Y.md": "[[Twins#Last]]\n"})

    back = allowed.undo(done.id, ASK)

    assert back.applied
    assert vault.text("Twins.md") == twins


def test_a_deleted_note_comes_back_and_no_link_is_touched(
    vault: VaultHarness, allowed: Editing
) -> None:
    vault.indexed({"Sub/N.md": "Another.\n"})
    before = notes_in(vault)
    done = allowed.delete("N.md", ASK, confirm=True).changeset

    back = allowed.undo(done.id, ASK)

    assert back.applied
    assert notes_in(vault) == before


def test_a_file_of_the_change_that_was_edited_since_has_its_new_links_carried(
    vault: VaultHarness, allowed: Editing
) -> None:
    done = allowed.move("N", "M", ASK).changeset
    allowed.edit("Other", [Append("\nAnd more of [[M]].")], ASK)

    back = allowed.undo(done.id, ASK).changeset

    assert back.state == "proposed"
    assert allowed.approve(back.id).applied
    said = NOTES["Other.md"] + "\nAnd more of [[N]].\n"
    assert vault.text("Other.md") == said


def test_a_file_that_may_not_be_edited_does_not_keep_a_change_from_being_taken_back(
    vault: VaultHarness,
) -> None:
    vault.open(writes__mode="allow", writes__folders=["Locked=off"])
    vault.indexed(NOTES)
    allowed = vault.engine.editing
    done = allowed.move("N", "M", ASK).changeset
    vault.write({"Locked/Y.md": "[[M]]\n"})

    back = allowed.undo(done.id, ASK)

    assert back.applied
    (risk,) = back.changeset.draft.risks
    assert risk.startswith("1 files with such links may not be edited")
    assert vault.text("Locked/Y.md") == "[[M]]\n"


def test_links_written_before_an_undo_is_approved_are_carried_too(
    vault: VaultHarness,
) -> None:
    vault.indexed(NOTES)
    usual = vault.engine.editing
    done = usual.approve(usual.move("N", "M", ASK).changeset.id).changeset
    waits = usual.undo(done.id, ASK).changeset
    vault.write({"Y.md": "[[M]]\n"})

    anew = usual.approve(waits.id).changeset

    assert anew.state == "proposed"
    assert anew.undoes == done.id
    assert usual.approve(anew.id).applied
    assert vault.text("Y.md") == "[[N]]\n"
    assert usual.show(done.id).changeset.state == "undone"


def test_a_dry_run_of_an_undo_shows_the_links_that_it_carries(
    vault: VaultHarness, allowed: Editing
) -> None:
    done = allowed.move("N", "M", ASK).changeset
    vault.write({"Y.md": "[[M]]\n"})

    shown = allowed.undo(done.id, DRY)

    assert "Y.md" in [file.path for file in shown.files]
    assert allowed.apply(shown.changeset.id, ASK).applied
    assert vault.text("Y.md") == "[[N]]\n"


def test_a_change_is_taken_back_also_where_the_index_cannot_be_read(
    tmp_path: Path,
) -> None:
    harness = EditingHarness.of(tmp_path, NOTES)

    def broken() -> SqliteRows:
        raise IndexDamaged("index.db", "torn")

    done = harness.apply(plan_move(harness.harness, "N", "M"))
    draft, _ = plan_undo(harness.harness, done)
    without_rows: Any = harness.harness
    without_rows.rows = broken
    found, _ = plan_undo(without_rows, done)
    harness.close()

    assert found.steps == draft.steps
    (risk,) = found.risks
    assert risk.startswith("links written since could not be looked at: ")
