"""Notes that iCloud has taken away: a hidden stub stands for each of them."""

from collections.abc import Callable
from pathlib import Path
from unicodedata import normalize

import pytest
from editing_harness import outside_agent, snapshot
from vault_harness import VaultHarness

from glassmind.edit.editing import Editing
from glassmind.edit.vault import EditRequest
from glassmind.errors import EditRefused, FileUnreadable, NameTaken, NoteNotFound
from glassmind.files.write import Permit, VaultWriter
from glassmind.model.access import EVERY_AGENT
from glassmind.model.edits import AddLink, Append, Changed

ASK, DRY = EditRequest(client="robot"), EditRequest(client="robot", dry_run=True)
WHY = "not downloaded to this machine; open it once in your sync tool"
NOTES = {
    "Tea.md": "# Tea\n\n## Cloud\n\nOolong.\n",
    "Kettle.md": "For [[Tea]].\n",
    "Old/Pot.md": "Iron.\n",
}


def offload(vault: VaultHarness, path: str) -> None:
    """Let a stub stand for a file, which goes if it is there."""
    file = vault.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    file.with_name(f".{file.name}.icloud").write_bytes(b"bplist00")


@pytest.fixture
def editing(vault: VaultHarness) -> Editing:
    """A vault with a note that was never here, as far as we know."""
    vault.write(NOTES)
    offload(vault, "Cloud.md")
    offload(vault, normalize("NFD", "Ähre.md"))
    vault.open(writes__mode="allow")
    vault.index()
    return vault.engine.editing


TAKING: dict[str, Callable[[Editing], Changed]] = {
    "create": lambda e: e.create("Cloud", "new", ASK),
    "create by its path": lambda e: e.create("Cloud.md", "new", ASK, folder=""),
    "create an umlaut": lambda e: e.create(normalize("NFC", "Ähre"), "new", ASK),
    "move": lambda e: e.move("Kettle", "Cloud", ASK),
    "move a folder": lambda e: e.move("Old/", "Cloud.md", ASK),
}


@pytest.mark.parametrize("verb", TAKING)
def test_nothing_is_put_where_a_note_is_that_is_not_downloaded(
    vault: VaultHarness, editing: Editing, verb: str
) -> None:
    before = snapshot(vault.root)

    with pytest.raises(NameTaken, match=WHY):
        TAKING[verb](editing)

    assert snapshot(vault.root) == before


def test_a_section_gets_another_name_than_a_note_that_is_not_downloaded(
    vault: VaultHarness, editing: Editing
) -> None:
    done = editing.split("Tea", ASK, heading="Cloud")

    assert done.changeset.draft.facts["notes"] == ["Cloud 1.md"]
    assert not (vault.root / "Cloud.md").exists()


@pytest.mark.parametrize("verb", ["delete", "merge"])
def test_what_goes_to_the_trash_gets_another_name_than_what_is_not_downloaded_there(
    vault: VaultHarness, editing: Editing, verb: str
) -> None:
    offload(vault, ".trash/Kettle.md")

    if verb == "delete":
        editing.delete("Kettle", ASK, confirm=True)
    else:
        editing.merge("Kettle", "Tea", ASK, confirm=True)

    assert (vault.root / ".trash/Kettle 1.md").exists()
    assert not (vault.root / ".trash/Kettle.md").exists()


def test_what_was_made_goes_to_another_place_than_what_is_not_downloaded(
    vault: VaultHarness, editing: Editing
) -> None:
    made = editing.create("Mug", "x", ASK)
    offload(vault, ".trash/Mug.md")

    editing.undo(made.changeset.id, ASK)

    assert (vault.root / ".trash/Mug 1.md").read_bytes() == b"x"


def test_a_deleted_note_comes_back_though_the_trash_is_not_downloaded(
    vault: VaultHarness, editing: Editing
) -> None:
    gone = editing.delete("Kettle", ASK, confirm=True)
    offload(vault, ".trash/Kettle.md")

    back = editing.undo(gone.changeset.id, ASK)
    editing.approve(back.changeset.id)

    assert vault.text("Kettle.md") == NOTES["Kettle.md"]


def test_a_change_that_waited_is_not_made_where_a_note_has_come_and_gone(
    vault: VaultHarness, editing: Editing
) -> None:
    shown = [editing.create("Mug", "x", DRY), editing.move("Kettle", "Mug", DRY)]
    offload(vault, "Mug.md")

    for one in shown:
        with pytest.raises(NameTaken, match=WHY):
            editing.apply(one.changeset.id, ASK)
        with pytest.raises(NameTaken, match=WHY):
            editing.approve(one.changeset.id)

    assert not (vault.root / "Mug.md").exists()


NAMING: dict[str, Callable[[Editing, str], Changed]] = {
    "append": lambda e, n: e.edit(n, [Append("x")], ASK),
    "delete": lambda e, n: e.delete(n, ASK, confirm=True),
    "move": lambda e, n: e.move(n, "Found", ASK),
    "merge": lambda e, n: e.merge(n, "Tea", ASK, confirm=True),
    "merge into": lambda e, n: e.merge("Tea", n, ASK, confirm=True),
    "split": lambda e, n: e.split(n, ASK, heading="Crew"),
    "rename-heading": lambda e, n: e.rename_heading(n, "A", "B", ASK, index=None),
    "template": lambda e, n: e.create("New", "", ASK, template=n),
}


@pytest.mark.parametrize("indexed", [True, False], ids=["indexed", "unknown"])
@pytest.mark.parametrize("verb", NAMING)
def test_whoever_names_a_note_that_is_not_downloaded_is_told_so(
    vault: VaultHarness, editing: Editing, verb: str, *, indexed: bool
) -> None:
    if indexed:
        vault.write({"Mug.md": "# A\n\n## Crew\n"})
        vault.index()
    offload(vault, "Mug.md")
    before = snapshot(vault.root)

    for name in ("Mug", "Mug.md", "./Mug.md"):
        with pytest.raises(FileUnreadable, match=rf"Mug\.md cannot be read: .*{WHY}"):
            NAMING[verb](editing, name)

    assert snapshot(vault.root) == before


def test_a_link_may_name_a_note_that_is_not_downloaded(
    vault: VaultHarness, editing: Editing
) -> None:
    editing.edit("Kettle", [AddLink("cloud.md", "See")], ASK)
    editing.edit("Kettle", [AddLink("Cloud", "See")], ASK)

    assert vault.text("Kettle.md").endswith("See [[cloud]]\n\nSee [[Cloud]]\n")


def test_links_and_tags_that_stay_in_a_note_that_is_not_downloaded_are_told(
    vault: VaultHarness, editing: Editing
) -> None:
    vault.write({"Mug.md": "For [[Tea]]. #cup\n", "Cup.md": "#cup\n"})
    vault.index()
    offload(vault, "Mug.md")

    moved = editing.move("Tea", "Drinks/Oolong", ASK)
    tagged = editing.rename_tag("cup", "vessel", ASK)

    assert any(f"Mug.md cannot be read: it is {WHY}" in r for r in _risks(moved))
    assert f"Mug.md keeps the tag: it is {WHY}" in _risks(tagged)
    assert vault.text("Kettle.md") == "For [[Oolong]].\n"
    assert vault.text("Cup.md") == "#vessel\n"


def _risks(done: Changed) -> tuple[str, ...]:
    return done.changeset.draft.risks


def test_no_folder_has_a_note_read_that_is_left_out_and_not_downloaded(
    vault: VaultHarness, editing: Editing
) -> None:
    offload(vault, "Drafts/Plan.md")
    vault.write({".glassmindignore": "Drafts/\n"})

    with pytest.raises(EditRefused, match=r"Drafts/Plan\.md is left out"):
        editing.move("Drafts/", "Open", ASK)


def test_an_agent_is_told_of_what_is_not_downloaded_as_far_as_it_was_indexed(
    vault: VaultHarness, editing: Editing
) -> None:
    del editing
    vault.write({"Mug.md": "x\n", "Diary.md": "---\nprivate: true\n---\nx\n"})
    vault.index()
    for path in ("Mug.md", "Diary.md"):
        offload(vault, path)
    before = outside_agent(vault.root)
    agent = vault.engine.seen_by(EVERY_AGENT).editing

    for verb in NAMING.values():
        with pytest.raises(FileUnreadable, match=WHY):
            verb(agent, "Mug")
        for name in ("Diary.md", "Cloud.md"):
            with pytest.raises(NoteNotFound):
                verb(agent, name)
    for name in ("Mug", "Diary", "Cloud"):
        with pytest.raises(NameTaken):
            agent.create(name, "x", ASK)

    assert outside_agent(vault.root) == before


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_what_is_called_as_a_stub_and_is_no_file_stands_for_none(
    vault: VaultHarness, editing: Editing, kind: str
) -> None:
    place = vault.root / ".Mug.md.icloud"
    if kind == "folder":
        place.mkdir()
    else:
        place.symlink_to(vault.root / "Tea.md")

    assert editing.create("Mug", "x", ASK).applied


def test_no_memo_is_written_over_one_that_is_not_downloaded(tmp_path: Path) -> None:
    writer = VaultWriter(tmp_path, Permit(".agent", allowed=True))
    folder = tmp_path / ".agent/memories"
    folder.mkdir(parents=True)
    (folder / ".Tea.md.icloud").write_bytes(b"bplist00")
    other = writer.put(".agent/memories/Cup.md", b"x", expected=None, why="a test")

    with pytest.raises(FileUnreadable, match=WHY):
        writer.put(".agent/memories/Tea.md", b"x", expected=None, why="a test")
    with pytest.raises(NameTaken, match=WHY):
        writer.move(
            other.path, ".agent/memories/Tea.md", expected=other.after, why="a test"
        )

    assert not (folder / "Tea.md").exists()
