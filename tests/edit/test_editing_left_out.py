"""Notes that are left out of the index: no verb reads them, folders carry them."""

import json
from collections.abc import Callable

import pytest
from editing_harness import snapshot
from vault_harness import VaultHarness

from glassmind.edit.editing import Editing
from glassmind.edit.vault import EditRequest
from glassmind.errors import EditRefused, FileUnreadable, GlassmindError
from glassmind.model.edits import AddLink, Append, AtLine, Changed, Replace

ASK, DRY = EditRequest(client="robot"), EditRequest(client="robot", dry_run=True)

HIDDEN = "zeppelin"
TEXT = f"# Plan\n\nThe {HIDDEN} leaves at dawn.\n\n## Crew\n\nNobody.\n"
LISTED, EXCLUDED, SET = "Drafts/Plan A.md", "Old/Plan B.md", "Deep/Private/Plan C.md"
TRASHED, PLUGIN = ".trash/Inbox/Plan D.md", ".obsidian/plugins/zz/README.md"
LOGGED = ".agent/logs/Plan E.md"
NOTES = {
    "Tea.md": "Oolong. See [[Kettle]].\n",
    "Kettle.md": "For [[Tea]].\n",
    "Deep/Open.md": "Read by all.\n",
    "Templates/Meeting.md": "## {{title}}\n",
    "Forms/Letter.md": "Dear {{title}},\n",
    **dict.fromkeys((LISTED, EXCLUDED, SET, TRASHED, PLUGIN, LOGGED), TEXT),
}


@pytest.fixture
def editing(vault: VaultHarness) -> Editing:
    app = {"userIgnoreFilters": ["Old/", "Forms/"]}
    vault.write({
        ".glassmindignore": "Drafts/\n",
        ".obsidian/app.json": json.dumps(app),
        ".obsidian/templates.json": '{"folder": "Forms"}',
        **NOTES,
    })  # fmt: skip
    vault.open(writes__mode="allow", index__ignore_dirs=["Private"])
    vault.index()
    return vault.engine.editing


NAMING: dict[str, Callable[[Editing, str, EditRequest], Changed]] = {
    "append": lambda e, n, a: e.edit(n, [Append("x")], a),
    "line": lambda e, n, a: e.edit(n, [AtLine(1, "", last=3)], a),
    "replace": lambda e, n, a: e.edit(n, [Replace("The zepelin leaves", "x")], a),
    "delete": lambda e, n, a: e.delete(n, a, confirm=True),
    "move": lambda e, n, a: e.move(n, "Found.md", a),
    "merge": lambda e, n, a: e.merge(n, "Tea", a, confirm=True),
    "merge into": lambda e, n, a: e.merge("Tea", n, a, confirm=True),
    "split": lambda e, n, a: e.split(n, a, heading="Crew"),
    "rename-heading": lambda e, n, a: e.rename_heading(n, "Plan", "X", a, index=None),
    "template": lambda e, n, a: e.create("New", "", a, template=n),
}


@pytest.mark.parametrize("asking", [ASK, DRY], ids=["made", "shown"])
@pytest.mark.parametrize("verb", NAMING)
def test_no_verb_takes_a_note_that_is_not_read(
    vault: VaultHarness, editing: Editing, verb: str, asking: EditRequest
) -> None:
    before = snapshot(vault.root)

    for path in (LISTED, EXCLUDED, SET, TRASHED, PLUGIN, LOGGED):
        for name in (path, path.removesuffix(".md"), f"./{path}"):
            with pytest.raises(GlassmindError) as refused:
                NAMING[verb](editing, name, asking)
            assert HIDDEN not in str(refused.value)

    assert snapshot(vault.root) == before
    assert editing.changesets().total == 0


@pytest.mark.parametrize("verb", NAMING)
@pytest.mark.parametrize(
    ("path", "why"),
    [
        (LISTED, "excluded by .glassmindignore"),
        (EXCLUDED, "excluded in Obsidian's settings"),
        (SET, "a folder that is set to be ignored"),
    ],
)
def test_it_is_refused_as_it_is_for_reading_and_the_reason_is_told(
    vault: VaultHarness, editing: Editing, verb: str, path: str, why: str
) -> None:
    with pytest.raises(FileUnreadable) as read:
        vault.engine.read(path)

    assert str(read.value).endswith(f"cannot be read: it was skipped ({why})")
    for name in (path, path.removesuffix(".md"), f"./{path}"):
        with pytest.raises(FileUnreadable) as refused:
            NAMING[verb](editing, name, DRY)
        assert str(refused.value) == f"{path} cannot be read: it was skipped ({why})"


@pytest.mark.parametrize("verb", NAMING)
@pytest.mark.parametrize("path", [TRASHED, PLUGIN, LOGGED])
def test_what_is_hidden_is_refused_as_such(
    editing: Editing, verb: str, path: str
) -> None:
    for name in (path, path.removesuffix(".md")):
        with pytest.raises(FileUnreadable, match="cannot be read: it is hidden"):
            NAMING[verb](editing, name, DRY)


def test_a_note_left_out_since_the_vault_was_indexed_is_refused_already(
    vault: VaultHarness, editing: Editing
) -> None:
    vault.write({".glassmindignore": "Drafts/\nTea.md\n"})

    for name in ("Tea", "Tea.md"):
        with pytest.raises(FileUnreadable, match="glassmindignore"):
            editing.edit(name, [Append("x")], ASK)


@pytest.mark.parametrize("name", ["Letter", "Letter.md", "Forms/Letter"])
def test_a_template_may_be_excluded_from_searches(editing: Editing, name: str) -> None:
    done = editing.create("Reply", "Yours.", DRY, template=name)

    assert done.changeset.draft.steps[0].after == b"Dear Reply,\nYours."


def test_a_template_may_stand_in_a_folder_that_the_settings_ignore(
    vault: VaultHarness, editing: Editing
) -> None:
    del editing
    vault.open(index__ignore_dirs=["Forms", "Private"])

    done = vault.engine.editing.create("Reply", "", DRY, template="Letter")

    assert done.changeset.draft.steps[0].after == b"Dear Reply,\n"


@pytest.mark.parametrize("name", ["Letter", "Letter.md", "Forms/Letter"])
def test_a_template_that_the_vault_lists_as_not_to_be_read_is_not(
    vault: VaultHarness, editing: Editing, name: str
) -> None:
    vault.write({".glassmindignore": "Drafts/\nForms/\n"})

    with pytest.raises(FileUnreadable, match=r"Forms/Letter\.md .*glassmindignore"):
        editing.create("Reply", "", DRY, template=name)


def test_a_note_made_where_nothing_is_read_is_made_and_that_is_told(
    vault: VaultHarness, editing: Editing
) -> None:
    done = editing.create("Plan F", "At noon.", ASK, folder="Drafts")
    split = editing.create("Log", "# A\n\nx\n", ASK)
    usual = split.changeset.draft.risks
    split = editing.split("Log", ASK, heading="A", folder="Old")

    assert done.changeset.draft.risks == (
        "searches will not find Drafts/Plan F.md: excluded by .glassmindignore",
    )
    assert "searches will not find Old/A.md" in split.changeset.draft.risks[-1]
    assert usual == ()
    assert (vault.root / "Drafts/Plan F.md").read_bytes() == b"At noon."


@pytest.mark.parametrize(
    ("source", "to", "told"),
    [
        ("Kettle", "Drafts/", "Drafts/Kettle.md: excluded by .glassmindignore"),
        ("Kettle", "Old/Pot", "Old/Pot.md: excluded in Obsidian's settings"),
        ("Kettle", "Private/", "Private/Kettle.md: a folder that is set to be ignored"),
        ("Templates/", "Drafts/", "Drafts/Templates: excluded by .glassmindignore"),
    ],
)
def test_what_moves_to_where_nothing_is_read_is_moved_and_that_is_told(
    vault: VaultHarness, editing: Editing, source: str, to: str, told: str
) -> None:
    done = editing.move(source, to, ASK)

    assert done.applied
    assert done.changeset.draft.risks[-1] == f"searches will not find {told}"
    assert (vault.root / told.partition(":")[0]).exists()


def test_a_folder_takes_along_what_is_not_read_and_shows_none_of_it(
    vault: VaultHarness, editing: Editing
) -> None:
    done = editing.move("Deep/", "Deeper", ASK)

    assert done.applied
    assert HIDDEN not in "".join(file.diff for file in done.files)
    assert (vault.root / "Deeper/Private/Plan C.md").read_bytes() == TEXT.encode()
    assert done.changeset.draft.risks == ()


@pytest.mark.parametrize(("source", "path"), [("Drafts/", LISTED), ("Old/", EXCLUDED)])
@pytest.mark.parametrize("asking", [ASK, DRY])
def test_no_move_has_notes_read_that_are_left_out(
    vault: VaultHarness, editing: Editing, source: str, path: str, asking: EditRequest
) -> None:
    with pytest.raises(EditRefused, match=f"{path} is left out of the index") as told:
        editing.move(source, "Open", asking)

    assert HIDDEN not in str(told.value)
    assert (vault.root / path).exists()


def test_no_move_has_a_base_read_that_is_left_out(
    vault: VaultHarness, editing: Editing
) -> None:
    vault.write({"Old/More/All.base": "views:\n  - type: table\n"})

    with pytest.raises(EditRefused, match=r"Old/More/All\.base is left out"):
        editing.move("Old/More/", "Open", ASK)


def test_a_link_may_name_a_note_that_is_not_read(editing: Editing) -> None:
    done = editing.edit("Tea", [AddLink("Drafts/Plan A", "See {link}.")], DRY)

    assert "+See [[Plan A]]." in done.files[0].diff
