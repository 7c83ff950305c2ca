"""What was only shown: how it is applied, proposed, approved; and what is nothing."""

import json

import pytest
from mcp_harness import call, structured_server, text_of
from vault_harness import VaultHarness

from glassmind.edit.editing import Editing
from glassmind.edit.vault import EditRequest
from glassmind.errors import ConfirmFirst, NeedsApproval, NoteChanged, WrongState
from glassmind.model.edits import Append, Replace
from glassmind.model.health import Repairs
from glassmind.operations.edit import change_result

TEA = {"Tea.md": "Drink oolong with [[Kettle]].\n", "Kettle.md": "Of [[Tea]].\n"}
ASK = EditRequest(client="robot")
DRY = EditRequest(client="robot", dry_run=True)


def opened(vault: VaultHarness, **settings: object) -> Editing:
    vault.write(TEA)
    vault.open(**settings)
    vault.index()
    return vault.engine.editing


@pytest.fixture
def allowed(vault: VaultHarness) -> Editing:
    return opened(vault, writes__mode="allow")


@pytest.fixture
def usual(vault: VaultHarness) -> Editing:
    return opened(vault)


@pytest.mark.parametrize("asking", [ASK, DRY])
@pytest.mark.parametrize("mode", ["allow", "propose"])
def test_a_change_of_nothing_is_not_applied_and_has_no_id(
    vault: VaultHarness, mode: str, asking: EditRequest
) -> None:
    editing = opened(vault, writes__mode=mode)

    done = editing.edit("Tea", [Replace("oolong", "oolong")], asking)
    told = change_result(done).to_json()

    assert (done.applied, done.is_empty) == (False, True)
    assert (told["state"], told["applied"], told["id"]) == ("previewed", False, None)
    assert "nothing was changed" in told["notices"][0]
    assert editing.changesets().total == 0


def test_a_repair_of_nothing_is_none(allowed: Editing) -> None:
    done = allowed.repair(Repairs(()), ASK)

    assert (done.applied, done.is_empty) == (False, True)
    assert allowed.changesets().total == 0


def test_agents_are_told_that_nothing_is_to_be_changed(
    vault: VaultHarness, allowed: Editing
) -> None:
    own = structured_server(vault.engine, toolsets=["write"])
    brain = structured_server(vault.engine, toolsets=["brain"])
    edit = {"op": "replace", "find": "oolong", "text": "oolong"}
    given = {"name": "Tea", "mode": "replace_window", "search": "oolong"}

    edited = call(own, "glassmind_edit", name="Tea", edits=[edit])
    mended = call(own, "glassmind_fix_findings", check=["inconsistent_tags"])
    shown = call(brain, "edit_note", **given, content="oolong", dryRun=True)

    for done in (edited, mended):
        assert text_of(done).startswith("Nothing to change")
        assert done.structured_content is not None
        assert done.structured_content["applied"] is False
    told = json.loads(text_of(shown))
    assert (told["applied"], "previewId" in told) == (False, False)
    assert allowed.changesets().total == 0


def test_what_was_shown_becomes_a_proposal_where_a_person_has_to_approve(
    vault: VaultHarness, usual: Editing
) -> None:
    shown = usual.edit("Tea", [Append("x")], DRY)

    waits = usual.apply(shown.changeset.id, ASK)

    assert waits.changeset.state == "proposed"
    assert waits.changeset.id == shown.changeset.id
    assert "propose" in waits.changeset.reason
    assert waits.files == shown.files
    assert vault.text("Tea.md") == TEA["Tea.md"]
    with pytest.raises(NeedsApproval):
        usual.apply(shown.changeset.id, ASK)
    assert usual.approve(shown.changeset.id).applied
    assert vault.text("Tea.md") == TEA["Tea.md"] + "x\n"


def test_what_was_shown_of_another_text_is_not_proposed(
    vault: VaultHarness, usual: Editing
) -> None:
    shown = usual.edit("Tea", [Append("x")], DRY)
    vault.write({"Tea.md": "Drink sencha.\n"})

    with pytest.raises(NoteChanged) as raised:
        usual.apply(shown.changeset.id, ASK)

    assert raised.value.found
    assert usual.show(shown.changeset.id).changeset.state == "previewed"


def test_who_wants_it_now_or_never_makes_no_proposal(usual: Editing) -> None:
    shown = usual.edit("Tea", [Append("x")], DRY)

    with pytest.raises(NeedsApproval):
        usual.apply(shown.changeset.id, ASK, or_propose=False)

    assert usual.show(shown.changeset.id).changeset.state == "previewed"


def test_a_person_approves_what_was_only_shown(
    vault: VaultHarness, usual: Editing
) -> None:
    shown = usual.edit("Tea", [Append("x")], DRY)

    done = usual.approve(shown.changeset.id)

    assert (done.applied, done.changeset.id) == (True, shown.changeset.id)
    assert vault.text("Tea.md") == TEA["Tea.md"] + "x\n"
    with pytest.raises(WrongState):
        usual.approve(shown.changeset.id)


@pytest.mark.parametrize("mode", ["allow", "propose"])
@pytest.mark.parametrize("verb", ["delete", "merge"])
def test_what_takes_a_note_away_is_confirmed_also_where_it_was_shown_before(
    vault: VaultHarness, verb: str, mode: str
) -> None:
    editing = opened(vault, writes__mode=mode)
    if verb == "delete":
        shown = editing.delete("Tea", DRY, confirm=False)
    else:
        shown = editing.merge("Tea", "Kettle", DRY, confirm=False)
    identity = shown.changeset.id

    with pytest.raises(ConfirmFirst, match=r"^Tea\.md would go to the trash"):
        editing.apply(identity, ASK)

    assert (vault.root / "Tea.md").exists()
    done = editing.apply(identity, ASK, confirm=True)
    assert done.applied == (mode == "allow")
    assert (vault.root / "Tea.md").exists() == (mode == "propose")


PARTS = "# One\n\na\n\n# Two\n\nb\n"


@pytest.mark.parametrize("mode", ["allow", "propose"])
def test_a_folder_that_a_split_made_goes_when_it_is_taken_back(
    vault: VaultHarness, mode: str
) -> None:
    editing = opened(vault, writes__mode=mode)
    vault.write({"Long.md": PARTS})
    made = editing.split("Long", ASK, level=1, folder="New/Parts")
    if mode == "propose":
        made = editing.approve(made.changeset.id)
    assert (vault.root / "New/Parts/Two.md").exists()

    back = editing.undo(made.changeset.id, ASK)
    if mode == "propose":
        back = editing.approve(back.changeset.id)

    assert back.applied
    assert not (vault.root / "New").exists()
    assert vault.text("Long.md") == PARTS
    again = editing.undo(back.changeset.id, ASK).changeset
    assert again.state == "applied" or editing.approve(again.id).applied
    assert (vault.root / "New/Parts/Two.md").exists()


def test_a_folder_in_which_something_is_stays_when_the_change_is_taken_back(
    vault: VaultHarness, allowed: Editing
) -> None:
    (vault.root / "Old").mkdir()
    made = allowed.move("Tea", "New/Tea", ASK)
    other = allowed.move("Kettle", "Old/Kettle", ASK)
    vault.write({"New/Mine.png": b"x"})

    allowed.undo(other.changeset.id, ASK)
    allowed.undo(made.changeset.id, ASK)

    assert (vault.root / "Tea.md").exists()
    assert (vault.root / "New/Mine.png").exists()
    assert (vault.root / "Old").is_dir()  # it was there before


def test_what_was_rejected_is_told_whole(usual: Editing) -> None:
    waits = usual.create("Whisk", "Of bamboo.", ASK)

    left = usual.reject(waits.changeset.id)

    assert left.changeset.state == "rejected"
    assert left.files == waits.files
    assert "+Of bamboo." in left.files[0].diff


def test_taking_back_at_once_gives_no_reason_and_waiting_gives_one(
    vault: VaultHarness, allowed: Editing
) -> None:
    done = allowed.edit("Tea", [Append("x")], ASK)

    assert allowed.undo(done.changeset.id, DRY).changeset.reason == ""
    usual = vault.open(writes__mode="propose").editing
    shown = usual.undo(done.changeset.id, DRY).changeset
    assert shown.reason.startswith("it would wait for a person: ")
    assert usual.apply(shown.id, ASK).changeset.state == "proposed"
    assert usual.approve(shown.id).applied
    assert vault.text("Tea.md") == TEA["Tea.md"]
