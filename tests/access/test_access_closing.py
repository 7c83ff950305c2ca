"""Changes after which whoever asked for them may not read what they wrote."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from editing_harness import outside_agent
from http_harness import serving
from mcp_harness import call, structured_server, text_of
from vault_harness import VaultHarness

from glassmind import Engine
from glassmind.edit.editing import Editing
from glassmind.edit.vault import EditRequest
from glassmind.errors import ChangesetUnknown, NoteNotFound
from glassmind.model.access import EVERY_AGENT, known_as
from glassmind.model.edits import Append, Changed, ChangeProperty

AGENT, SHOWN = EditRequest(client="cup"), EditRequest(client="cup", dry_run=True)
HIDE = ChangeProperty("private", "set", True)

WAYS: dict[str, tuple[Callable[[Editing, EditRequest], Changed], str]] = {
    "said to be private": (lambda on, how: on.edit("A", [HIDE], how), "A.md"),
    "made private": (
        lambda on, how: on.create("N", "x", how, properties={"private": True}),
        "N.md",
    ),
    "made in a private folder": (lambda on, how: on.create("Hid/N", "x", how), "Hid/N"),
    "moved to a private folder": (lambda on, how: on.move("A", "Hid/A", how), "Hid/A"),
    "moved with its folder": (lambda on, how: on.move("Box/", "Hid/Box", how), "Hid/B"),
    "a picture": (lambda on, how: on.move("P.png", "Hid/P.png", how), "Hid/P.png"),
    "given a tag": (
        lambda on, how: on.rename_tag("tea", "own", how),
        "A.md",
    ),
}
"""How a note is hidden by somebody who reads it, and how the notice names it."""


@pytest.fixture
def engine(vault: VaultHarness) -> Engine:
    vault.write({"A.md": "Tea. #tea", "Box/B.md": "![[P.png]]", "P.png": b"x"})
    engine = vault.open(
        writes__mode="allow",
        access__private_folders=("Hid",),
        access__private_tags=("own",),
    )
    engine.index()
    return engine


def agent(engine: Engine) -> Editing:
    return engine.seen_by(EVERY_AGENT).editing


@pytest.mark.parametrize("way", WAYS)
def test_who_hides_a_note_is_told_that_it_is_done(engine: Engine, way: str) -> None:
    hide, name = WAYS[way]

    done = hide(agent(engine), AGENT)

    assert (done.applied, done.is_empty) == (True, False)
    assert all(file.to.startswith(("A.md", "Box/")) for file in done.files)
    assert done.closed[0].startswith(name)


@pytest.mark.parametrize("way", WAYS)
def test_what_would_hide_a_note_is_shown(
    engine: Engine, vault: VaultHarness, way: str
) -> None:
    hide, name = WAYS[way]
    before = outside_agent(vault.root)

    shown = hide(agent(engine), SHOWN)

    assert (shown.applied, shown.is_empty) == (False, False)
    assert shown.closed[0].startswith(name)
    assert outside_agent(vault.root) == before


@pytest.mark.parametrize("way", ["said to be private", "made private", "given a tag"])
def test_what_would_hide_a_note_is_applied_by_its_id(
    engine: Engine, vault: VaultHarness, way: str
) -> None:
    hide, name = WAYS[way]
    editing = agent(engine)
    shown = hide(editing, SHOWN).changeset.id

    before = outside_agent(vault.root)
    done = editing.apply(shown, AGENT)

    assert (done.applied, done.closed) == (True, (name,))
    assert outside_agent(vault.root) != before


@pytest.mark.parametrize("way", [way for way in WAYS if "Hid/" in WAYS[way][1]])
def test_what_would_go_to_a_hidden_place_has_no_id_to_be_asked_for(
    engine: Engine, way: str
) -> None:
    hide, _ = WAYS[way]

    shown = hide(agent(engine), SHOWN)
    (kept,) = engine.editing.changesets().changesets

    assert (shown.changeset.id, shown.changeset.state) == ("", "previewed")
    with known_as("cup"), pytest.raises(ChangesetUnknown):
        agent(engine).apply(kept.id, AGENT)


def test_what_would_hide_a_note_is_there_for_its_asker_alone(engine: Engine) -> None:
    editing = agent(engine)
    shown = editing.edit("A", [HIDE], SHOWN).changeset.id

    with known_as("cup"):
        assert not editing.show(shown).is_empty
        assert [changeset.id for changeset in editing.changesets().changesets] == [
            shown
        ]
    with known_as("pot"):
        assert not editing.changesets().changesets
        with pytest.raises(ChangesetUnknown):
            editing.show(shown)
        with pytest.raises(ChangesetUnknown):
            editing.apply(shown, EditRequest(client="pot"))


def test_what_was_shown_is_not_there_once_its_owner_has_hidden_the_note(
    engine: Engine, vault: VaultHarness
) -> None:
    editing = agent(engine)
    shown = editing.edit("A", [HIDE], SHOWN).changeset.id
    vault.write({"A.md": "---\nprivate: true\n---\nSecret."})
    engine.index()

    with pytest.raises(ChangesetUnknown):
        editing.apply(shown, AGENT)

    assert vault.text("A.md").endswith("Secret.")


@pytest.mark.parametrize("way", WAYS)
def test_its_owner_alone_takes_back_that_a_note_is_hidden(
    engine: Engine, vault: VaultHarness, way: str
) -> None:
    before = outside_agent(vault.root)
    editing = agent(engine)
    with known_as("cup"):
        done = WAYS[way][0](editing, AGENT).changeset.id
        after = outside_agent(vault.root)
        with pytest.raises(ChangesetUnknown):
            editing.undo(done, AGENT)
        assert not editing.changesets().changesets

    assert outside_agent(vault.root) == after
    assert engine.editing.undo(done, EditRequest()).applied
    assert {
        k: v for k, v in outside_agent(vault.root).items() if ".trash" not in k
    } == before


def test_notes_that_were_hidden_before_are_neither_named_nor_counted(
    engine: Engine, vault: VaultHarness
) -> None:
    def hidden() -> list[Changed]:
        editing = agent(engine)
        shown = editing.move("A", "Hid/A", SHOWN)
        moved = editing.move("A", "Hid/A", AGENT)
        engine.editing.undo(moved.changeset.id, EditRequest())
        tagged = editing.rename_tag("tea", "own", AGENT)
        engine.editing.undo(tagged.changeset.id, EditRequest())
        return [shown, moved, tagged]

    alone = hidden()
    vault.write({"Hid/Zq.md": "[[A]] #tea", "Zq2.md": "---\nprivate: true\n---\n[[A]]"})
    engine.index()
    among = hidden()

    assert "Zq" not in repr(among)
    for one, other in zip(alone, among, strict=True):
        assert one.closed == other.closed == (one.closed[0],)
        assert (one.files, one.notices) == (other.files, other.notices)
        draft = one.changeset.draft
        assert draft.rewritten == other.changeset.draft.rewritten
        assert draft.steps == other.changeset.draft.steps


def test_who_hid_a_note_does_not_read_or_edit_it_any_more(engine: Engine) -> None:
    editing = agent(engine)
    editing.edit("A", [HIDE], AGENT)

    with pytest.raises(NoteNotFound):
        editing.edit("A", [Append("x")], AGENT)


def test_its_owner_is_told_what_he_hid_as_of_every_change(engine: Engine) -> None:
    done = engine.editing.edit("A", [HIDE], EditRequest())

    assert [file.to for file in done.files] == ["A.md"]
    assert (done.closed, done.notices) == ((), ())


EDITS = [{"op": "property", "name": "private", "value": True}]
TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "glassmind_edit": ("A.md", {"name": "A", "edits": EDITS}),
    "glassmind_create": (
        "N.md",
        {"title": "N", "text": "x", "properties": {"private": True}},
    ),
    "glassmind_move": ("Hid/A.md", {"source": "A", "destination": "Hid/A"}),
    "edit_note": (
        "A.md",
        {
            "name": "A",
            "mode": "patch_frontmatter",
            "key": "private",
            "value": True,
        },
    ),
    "create_note": (
        "N.md",
        {"title": "N", "content": "x", "frontmatter": {"private": True}},
    ),
    "move_note": ("Hid/A.md", {"source": "A", "destination": "Hid/A"}),
}


def said_to_agent(engine: Engine, tool: str, /, **given: Any) -> dict[str, Any]:
    """Return what a tool replies, and with ours what it says before the fence."""
    sets = ["write", "brain"]
    server = structured_server(engine.seen_by(EVERY_AGENT), toolsets=sets)
    answer = call(server, tool, **given)
    text = text_of(answer)
    assert not answer.is_error, text
    if not tool.startswith("glassmind"):
        made: dict[str, Any] = json.loads(text)
        return made
    assert answer.structured_content is not None
    return {**answer.structured_content, "message": text.partition("\nBetween")[0]}


@pytest.mark.parametrize("tool", TOOLS)
def test_an_agent_that_hides_a_note_is_told_that_it_is_done(
    engine: Engine, tool: str
) -> None:
    path, given = TOOLS[tool]

    told = said_to_agent(engine, tool, **given)

    assert told["applied"] is True
    assert told["message"].startswith("Done (")
    assert "only the user can undo it" in told["message"]
    if tool.startswith("glassmind"):
        assert (told["state"], told["files"]) == ("applied", [])
    else:
        named = path in (told["path"], f"{told['path']}.md")
        assert (told["status"], named) == ("applied", True)
        assert told["diff"] == ""


def test_a_preview_that_would_hide_a_note_is_committed_by_its_id(
    engine: Engine, vault: VaultHarness
) -> None:
    given = TOOLS["edit_note"][1]

    shown = said_to_agent(engine, "edit_note", **given, dryRun=True)
    before = vault.text("A.md")
    done = said_to_agent(engine, "apply_edit_preview", previewId=shown["previewId"])

    assert shown["message"].startswith("Nothing was changed: this is what would be")
    assert "you can no longer read what it writes" in shown["message"]
    assert before == "Tea. #tea"
    assert done["applied"] is True
    assert "private: true" in vault.text("A.md")


def test_a_move_that_would_hide_a_note_is_shown_as_a_dry_run(engine: Engine) -> None:
    given = TOOLS["move_note"][1]

    shown = said_to_agent(engine, "move_note", **given, dryRun=True)

    assert (shown["dryRun"], shown["applied"]) == (True, False)
    assert (shown["path"], shown["changeset"]) == ("Hid/A", None)
    assert shown["message"].startswith("Nothing was changed: this is what would be")


def test_who_hides_a_note_over_http_is_told_that_it_is_done(
    engine: Engine, vault: VaultHarness
) -> None:
    with serving(engine) as web:
        shown = web.post("/edit", {"name": "A", "edits": EDITS, "dry_run": True}).json
        done = web.post(f"/changes/{shown['id']}/apply", {}).json
        undone = web.post(f"/changes/{shown['id']}/undo", {})

    assert (shown["state"], shown["applied"], shown["files"]) == (
        "previewed",
        False,
        [],
    )
    assert (done["state"], done["applied"], done["files"]) == ("applied", True, [])
    assert done["closed"] is True
    assert (undone.status, undone.json["error"]["code"]) == (404, "changeset_unknown")
    assert "private: true" in vault.text("A.md")
