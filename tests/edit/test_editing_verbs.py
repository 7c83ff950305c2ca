"""The verbs of editing over a whole vault: what may be done, and what is done."""

from typing import Any

import pytest
from editing_harness import snapshot
from vault_harness import VaultHarness

from glassmind.edit.editing import Editing
from glassmind.edit.text_edits import Edited, edited
from glassmind.edit.vault import EditRequest
from glassmind.errors import (
    AmbiguousName,
    BadEdit,
    ChangesetUnknown,
    ConfirmFirst,
    FileUnreadable,
    NameTaken,
    NeedsApproval,
    NoMatch,
    NoteChanged,
    NoteNotFound,
    PathOutsideVault,
    PolicyForbids,
    WrongState,
)
from glassmind.files.read import digest_of
from glassmind.model import Digest
from glassmind.model.edits import AddLink, Append, ChangeProperty, Replace, TextEdit

TEA = {
    "Tea.md": "Drink oolong. See [[Kettle]] and [[Whisk]].\n",
    "Kettle.md": "Bought in [[Tea]] season.\n",
    "Work/Plan.md": "Buy a [[Kettle]].\n",
    ".agent/memories/Sugar.md": "None, ever.\n",
}
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


def test_an_edit_is_searchable_in_the_next_call(
    vault: VaultHarness, allowed: Editing
) -> None:
    done = allowed.edit("Tea.md", [Append("Then gyokuro.")], ASK)

    assert done.applied
    assert done.index == "fresh"
    assert vault.text("Tea.md").endswith("Then gyokuro.\n")
    assert vault.found("gyokuro") == ["Tea.md"]


def test_by_default_an_edit_of_a_note_is_a_proposal_and_changes_nothing(
    vault: VaultHarness, usual: Editing
) -> None:
    before = snapshot(vault.root)

    done = usual.edit("Tea.md", [Append("Then gyokuro.")], ASK)

    assert done.changeset.state == "proposed"
    assert "+Then gyokuro." in done.files[0].diff
    assert done.changeset.reason == 'writes.mode = "propose"'
    assert snapshot(vault.root) == before


def test_by_default_the_agent_folder_is_written_directly(
    vault: VaultHarness, usual: Editing
) -> None:
    done = usual.edit("Sugar", [Replace("None, ever.", "A little.")], ASK)

    assert done.applied
    assert vault.text(".agent/memories/Sugar.md") == "A little.\n"


@pytest.mark.parametrize("path", ["Tea.md", ".agent/memories/Sugar.md"])
def test_when_off_nothing_is_written_the_agent_folder_included(
    vault: VaultHarness, path: str
) -> None:
    editing = opened(vault, writes__mode="off")
    before = snapshot(vault.root)

    with pytest.raises(PolicyForbids, match=r'writes\.mode = "off"'):
        editing.edit(path, [Append("x")], ASK)
    with pytest.raises(PolicyForbids):
        editing.create("New", "x", ASK)
    with pytest.raises(PolicyForbids):
        editing.move(path, "Elsewhere.md", DRY)

    assert snapshot(vault.root) == before
    assert editing.changesets().total == 0


def test_agent_only_refuses_other_notes_and_names_the_setting(
    vault: VaultHarness,
) -> None:
    editing = opened(vault, writes__mode="agent-only")

    with pytest.raises(PolicyForbids, match=r'Tea.md .*writes\.mode = "agent-only"'):
        editing.edit("Tea", [Append("x")], ASK)
    assert editing.edit("Sugar", [Append("x")], ASK).applied


def test_a_change_is_judged_by_its_strictest_file(vault: VaultHarness) -> None:
    editing = opened(vault, writes__mode="allow", writes__folders="Work=off")

    with pytest.raises(PolicyForbids, match=r'Work/Plan\.md .*"Work=off"'):
        editing.move("Kettle.md", "Things/Pot.md", ASK)  # a link there names it

    assert vault.text("Work/Plan.md") == TEA["Work/Plan.md"]
    assert (vault.root / "Kettle.md").exists()


def test_a_change_that_adds_a_tag_is_judged_by_it(vault: VaultHarness) -> None:
    editing = opened(
        vault, writes__mode="allow", writes__tags="locked=off,check=propose"
    )

    with pytest.raises(PolicyForbids, match="locked=off"):
        editing.edit("Tea", [Append("#locked")], ASK)
    done = editing.edit("Tea", [ChangeProperty("tags", "add", "check/me")], ASK)

    assert done.changeset.state == "proposed"
    assert vault.text("Tea.md") == TEA["Tea.md"]


def test_a_tag_cannot_be_taken_away_to_get_around_its_rule(vault: VaultHarness) -> None:
    vault.write({"Locked.md": "#locked text\n"})
    editing = opened(vault, writes__mode="allow", writes__tags="locked=off")

    with pytest.raises(PolicyForbids):
        editing.edit("Locked", [Replace("#locked ", "")], ASK)


def test_a_folder_is_not_moved_with_a_note_that_is_locked(vault: VaultHarness) -> None:
    vault.write({"Work/Deep/Locked.md": "#locked/well text\n"})
    editing = opened(vault, writes__mode="allow", writes__tags="locked=off")

    with pytest.raises(PolicyForbids, match="locked=off"):
        editing.move("Work", "Done", ASK)
    assert editing.move("Tea", "Done/Tea", ASK).applied


@pytest.mark.parametrize(
    "to",
    [
        ".obsidian/Tea.md",
        ".trash/Tea.md",
        ".hidden/Tea.md",
        ".agent/inbox/Tea.md",
        ".agent/logs/Tea.md",
    ],
)
def test_nothing_is_moved_to_where_nothing_is_edited(
    vault: VaultHarness, allowed: Editing, to: str
) -> None:
    before = snapshot(vault.root)

    with pytest.raises((PolicyForbids, BadEdit, PathOutsideVault)):
        allowed.move("Tea", to, ASK)

    assert snapshot(vault.root) == before


@pytest.mark.parametrize(
    "path",
    [".agent/inbox/Memo.md", ".obsidian/Memo.md", ".trash/Memo.md", "glassmind.toml"],
)
def test_some_files_are_edited_by_nobody(vault: VaultHarness, path: str) -> None:
    vault.write({path: ""})
    editing = opened(vault, writes__mode="allow")

    with pytest.raises((PolicyForbids, NoteNotFound, FileUnreadable)):
        editing.edit(path, [Append("x")], ASK)
    with pytest.raises((PolicyForbids, FileUnreadable)):
        editing.move(path, "Mine.md", ASK)
    with pytest.raises((PolicyForbids, FileUnreadable)):
        editing.delete(path, ASK, confirm=True)

    assert vault.text(path) == ""


@pytest.mark.parametrize("to", ["../Tea.md", "/etc/Tea.md", "a/../../Tea.md"])
def test_nothing_is_moved_out_of_the_vault(
    vault: VaultHarness, allowed: Editing, to: str
) -> None:
    before = sorted(vault.root.parent.rglob("*.md"))

    with pytest.raises((PathOutsideVault, BadEdit)):
        allowed.move("Tea", to, ASK)
    with pytest.raises((PathOutsideVault, BadEdit)):
        allowed.create(to, "x", ASK)

    assert sorted(vault.root.parent.rglob("*.md")) == before


def test_a_note_is_never_moved_onto_another(
    vault: VaultHarness, allowed: Editing
) -> None:
    with pytest.raises(NameTaken):
        allowed.move("Tea", "Kettle.md", ASK)
    with pytest.raises(NameTaken):
        allowed.create("Kettle", "x", ASK)

    assert vault.text("Kettle.md") == TEA["Kettle.md"]


def test_a_name_that_is_only_alike_is_an_error_that_names_the_closest(
    vault: VaultHarness, allowed: Editing
) -> None:
    with pytest.raises(NoteNotFound, match=r"closest: Kettle\.md"):
        allowed.edit("Kettel", [Append("x")], ASK)

    assert vault.text("Kettle.md") == TEA["Kettle.md"]


def test_a_name_of_two_notes_is_an_error(vault: VaultHarness) -> None:
    vault.write({"A/Log.md": "a\n", "B/Log.md": "b\n"})
    editing = opened(vault, writes__mode="allow")

    with pytest.raises(AmbiguousName):
        editing.edit("Log", [Append("x")], ASK)
    assert editing.edit("A/Log", [Append("x")], ASK).applied


def test_a_path_that_climbs_is_refused(allowed: Editing) -> None:
    with pytest.raises(PathOutsideVault):
        allowed.edit("../secret.md", [Append("x")], ASK)


def test_a_note_can_be_edited_by_its_path_before_anything_is_indexed(
    vault: VaultHarness,
) -> None:
    vault.write(TEA)
    vault.open(writes__mode="allow")

    done = vault.engine.editing.edit("Tea.md", [Append("x")], ASK)

    assert done.applied
    assert done.index == "pending"
    assert any("no index" in notice for notice in done.notices)


@pytest.mark.parametrize("letters", [8, 16, 32])
def test_an_edit_of_what_the_caller_read_is_made(
    vault: VaultHarness, allowed: Editing, letters: int
) -> None:
    read = digest_of(TEA["Tea.md"].encode())

    done = allowed.edit("Tea", [Append("x")], ASK, expected=Digest(read[:letters]))

    assert done.applied
    assert vault.text("Tea.md") == TEA["Tea.md"] + "x\n"


def test_a_note_that_is_not_what_the_caller_read_is_left_alone(
    vault: VaultHarness, allowed: Editing
) -> None:
    with pytest.raises(NoteChanged) as caught:
        allowed.edit("Tea", [Append("x")], ASK, expected=digest_of(b"other"))

    assert caught.value.found == digest_of(TEA["Tea.md"].encode())
    assert vault.text("Tea.md") == TEA["Tea.md"]


@pytest.mark.parametrize("expected", ["", "abc", "zzzzzzzzzz"])
def test_what_is_no_digest_is_an_error(allowed: Editing, expected: str) -> None:
    with pytest.raises(BadEdit, match="digest"):
        allowed.edit("Tea", [Append("x")], ASK, expected=Digest(expected))


def test_an_edit_is_made_again_where_somebody_else_edits_meanwhile(
    vault: VaultHarness, allowed: Editing, monkeypatch: pytest.MonkeyPatch
) -> None:
    note, left = vault.root / "Tea.md", [1, 2]

    def interrupted(*given: Any) -> Edited:
        found = edited(*given)
        if left:
            note.write_text(f"{note.read_text()}theirs {left.pop()}\n")
        return found

    monkeypatch.setattr("glassmind.edit.editing.edited", interrupted)

    done = allowed.edit("Tea", [Append("ours")], ASK)

    assert done.applied
    assert vault.text("Tea.md") == TEA["Tea.md"] + "theirs 2\ntheirs 1\nours\n"


def test_of_several_edits_all_are_made_or_none(
    vault: VaultHarness, allowed: Editing
) -> None:
    edits: list[TextEdit] = [Append("x"), Replace("no such words", "y")]

    with pytest.raises(NoMatch, match=r"edits\[1\]"):
        allowed.edit("Tea", edits, ASK)

    assert vault.text("Tea.md") == TEA["Tea.md"]


def test_an_edit_that_changes_nothing_says_so(
    vault: VaultHarness, allowed: Editing
) -> None:
    done = allowed.edit("Tea", [Replace("oolong", "oolong")], ASK)

    assert "nothing was changed" in done.notices[0]
    assert allowed.changesets().total == 0


def test_a_new_note_adopts_the_links_to_it(
    vault: VaultHarness, allowed: Editing
) -> None:
    done = allowed.create("Whisk", "Of bamboo.", ASK, properties={"kind": "tool"})

    assert done.applied
    assert done.changeset.draft.adopted == 1
    assert vault.text("Whisk.md").startswith("---\nkind: tool\n---\n")
    assert "Tea.md" in [end.path for end in vault.engine.links("Whisk").incoming]


def test_a_move_carries_the_links(vault: VaultHarness, allowed: Editing) -> None:
    done = allowed.move("Kettle", "Things/Pot", ASK)

    assert done.applied
    assert vault.text("Work/Plan.md") == "Buy a [[Pot]].\n"
    assert vault.text("Tea.md") == "Drink oolong. See [[Pot]] and [[Whisk]].\n"
    assert done.changeset.draft.rewritten == (2, 2)
    assert allowed.changesets(("proposed",)).total == 0


def test_what_takes_a_note_away_is_to_be_confirmed(
    vault: VaultHarness, allowed: Editing
) -> None:
    before = snapshot(vault.root)

    with pytest.raises(ConfirmFirst):
        allowed.delete("Tea", ASK, confirm=False)
    with pytest.raises(ConfirmFirst):
        allowed.merge("Tea", "Kettle", ASK, confirm=False)
    shown = allowed.delete("Tea", DRY, confirm=False)

    assert shown.changeset.state == "previewed"
    assert snapshot(vault.root) == before


def test_a_deleted_note_is_in_the_trash_and_comes_back(
    vault: VaultHarness, allowed: Editing
) -> None:
    done = allowed.delete("Kettle", ASK, confirm=True)
    assert vault.text(".trash/Kettle.md") == TEA["Kettle.md"]
    assert any("2 links" in risk for risk in done.changeset.draft.risks)
    assert vault.found("season") == []

    back = allowed.undo(done.changeset.id, ASK)

    assert back.applied
    assert vault.text("Kettle.md") == TEA["Kettle.md"]
    assert vault.found("season") == ["Kettle.md"]


def test_headings_tags_merges_and_splits_are_changes_too(
    vault: VaultHarness, allowed: Editing
) -> None:
    vault.write(
        {"Long.md": "# One\n\na #tea\n\n# Two\n\nb\n", "Ref.md": "[[Long#Two]]\n"}
    )

    assert allowed.rename_heading("Long", "Two", "Three", ASK, index=None).applied
    assert vault.text("Ref.md") == "[[Long#Three]]\n"
    assert allowed.rename_tag("tea", "drinks/tea", ASK).applied
    assert "#drinks/tea" in vault.text("Long.md")
    assert allowed.split("Long", ASK, heading="Three").applied
    assert (vault.root / "Three.md").exists()
    assert allowed.merge("Three", "Long", ASK, confirm=True).applied
    assert not (vault.root / "Three.md").exists()


def test_a_dry_run_changes_nothing_and_can_be_applied(
    vault: VaultHarness, allowed: Editing
) -> None:
    shown = allowed.edit("Tea", [Append("x")], DRY)
    assert shown.changeset.state == "previewed"
    assert vault.text("Tea.md") == TEA["Tea.md"]

    done = allowed.apply(shown.changeset.id, ASK)

    assert done.applied
    assert done.changeset.id == shown.changeset.id
    assert vault.text("Tea.md") == TEA["Tea.md"] + "x\n"
    with pytest.raises(WrongState):
        allowed.apply(shown.changeset.id, ASK)


def test_what_was_shown_is_not_applied_to_another_text(
    vault: VaultHarness, allowed: Editing
) -> None:
    shown = allowed.edit("Tea", [Append("x")], DRY)
    allowed.edit("Tea", [Append("y")], ASK)

    with pytest.raises(NoteChanged):
        allowed.apply(shown.changeset.id, ASK)

    assert vault.text("Tea.md") == TEA["Tea.md"] + "y\n"


def test_applying_is_no_way_around_approval(
    vault: VaultHarness, usual: Editing
) -> None:
    shown = usual.edit("Tea", [Append("x")], DRY)
    waits = usual.edit("Tea", [Append("y")], ASK)

    assert shown.changeset.reason.startswith("it would wait for a person")
    assert not usual.apply(shown.changeset.id, ASK).applied
    for identity in (shown.changeset.id, waits.changeset.id):
        with pytest.raises(NeedsApproval):
            usual.apply(identity, ASK)

    assert vault.text("Tea.md") == TEA["Tea.md"]


def test_a_person_approves_or_rejects(vault: VaultHarness, usual: Editing) -> None:
    one = usual.edit("Tea", [Append("x")], ASK)
    other = usual.edit("Kettle", [Append("y")], ASK)

    done = usual.approve(one.changeset.id)
    left = usual.reject(other.changeset.id)

    assert done.applied
    assert left.changeset.state == "rejected"
    assert vault.text("Tea.md") == TEA["Tea.md"] + "x\n"
    assert vault.text("Kettle.md") == TEA["Kettle.md"]
    assert usual.changesets(("proposed",)).total == 0


def test_an_approved_change_is_taken_back_by_another_proposal(
    vault: VaultHarness, usual: Editing
) -> None:
    done = usual.approve(usual.edit("Tea", [Append("x")], ASK).changeset.id)

    back = usual.undo(done.changeset.id, ASK)

    assert back.changeset.state == "proposed"
    assert vault.text("Tea.md") == TEA["Tea.md"] + "x\n"
    assert usual.approve(back.changeset.id).applied
    assert vault.text("Tea.md") == TEA["Tea.md"]


def test_a_change_is_shown_by_its_id(allowed: Editing) -> None:
    done = allowed.edit("Tea", [Append("x")], ASK)

    assert allowed.show(done.changeset.id).files == done.files
    with pytest.raises(ChangesetUnknown):
        allowed.show("19990101-aaaaa")


@pytest.mark.parametrize(
    ("app", "target", "link"),
    [
        ("{}", "Kettle", "[[Kettle]]"),
        ("{}", "Plan", "[[Plan]]"),
        ("{}", "Nowhere yet", "[[Nowhere yet]]"),
        ("{}", "Kettle#Use", "[[Kettle#Use|Kettle]]"),
        ('{"useMarkdownLinks": true}', "Kettle", "[Kettle](Kettle.md)"),
        ('{"useMarkdownLinks": true}', "Not yet", "[Not yet](Not%20yet.md)"),
        ('{"newLinkFormat": "absolute"}', "Plan", "[[Work/Plan|Plan]]"),
    ],
)
def test_a_link_is_written_as_the_vault_writes_its_own(
    vault: VaultHarness, app: str, target: str, link: str
) -> None:
    vault.write({".obsidian/app.json": app})
    editing = opened(vault, writes__mode="allow")

    editing.edit("Tea", [AddLink(target, "Compare {link}.")], ASK)

    assert vault.text("Tea.md").endswith(f"Compare {link}.\n")


def test_a_link_does_not_lead_to_another_note_of_that_name(vault: VaultHarness) -> None:
    vault.write({"A/Log.md": "a\n", "B/Log.md": "b\n"})
    editing = opened(vault, writes__mode="allow")

    editing.edit("Tea", [AddLink("B/Log", "See")], ASK)

    assert vault.text("Tea.md").endswith("See [[B/Log|Log]]\n")


FILES = {"top.png": b"p", "assets/pic.png": b"p", "doc.pdf": b"p", "data.csv": b"1"}


@pytest.mark.parametrize(
    ("app", "target", "link"),
    [
        ('{"useMarkdownLinks": true}', "top.png", "[top.png](top.png)"),
        ('{"useMarkdownLinks": true}', "./TOP.png", "[top.png](top.png)"),
        ('{"useMarkdownLinks": true}', "assets/pic.png", "[pic.png](pic.png)"),
        ('{"useMarkdownLinks": true}', "data.csv", "[data.csv](data.csv)"),
        ('{"useMarkdownLinks": true}', "doc.pdf#page=3", "[doc.pdf](doc.pdf#page=3)"),
        ('{"useMarkdownLinks": true}', "to come.png", "[to come.png](to%20come.png)"),
        ('{"useMarkdownLinks": true}', "v1.2", "[v1.2](v1.2.md)"),
        ('{"useMarkdownLinks": true}', "pdf", "[pdf](pdf.md)"),
        ("{}", "top.png", "[[top.png]]"),
        ("{}", "assets/pic.png", "[[pic.png]]"),
        ('{"newLinkFormat": "absolute"}', "pic.png", "[[assets/pic.png|pic.png]]"),
    ],
)
def test_a_link_to_a_file_that_is_no_note_has_the_name_of_the_file(
    vault: VaultHarness, app: str, target: str, link: str
) -> None:
    vault.write({".obsidian/app.json": app, **FILES})
    editing = opened(vault, writes__mode="allow")

    editing.edit("Tea", [AddLink(target, "See {link}.")], ASK)

    assert vault.text("Tea.md").endswith(f"See {link}.\n")


def test_a_link_to_a_file_needs_no_index_that_knows_it(vault: VaultHarness) -> None:
    vault.write({".obsidian/app.json": '{"useMarkdownLinks": true}', **TEA})
    vault.open(writes__mode="allow")
    for target in ("doc.pdf", "Kettle"):
        vault.write(FILES)
        edit = AddLink(target, "See {link}.")
        vault.engine.editing.edit("Tea.md", [edit], ASK)

    said = "See [doc.pdf](doc.pdf).\n\nSee [Kettle](Kettle.md).\n"
    assert vault.text("Tea.md").endswith(said)


def test_a_link_to_one_of_two_files_of_a_name_is_an_error(vault: VaultHarness) -> None:
    vault.write({"a/pic.png": b"a", "b/pic.png": b"b"})
    editing = opened(vault, writes__mode="allow")

    with pytest.raises(AmbiguousName, match=r"a/pic\.png, b/pic\.png"):
        editing.edit("Tea", [AddLink("pic.png", "See")], ASK)
    editing.edit("Tea", [AddLink("b/pic.png", "See")], ASK)

    assert vault.text("Tea.md").endswith("See [[b/pic.png|pic.png]]\n")
