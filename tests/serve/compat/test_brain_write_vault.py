"""The write tools of obsidian-brain on a real vault, as a client that has only them."""

import json
from collections.abc import Callable
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp_harness import call, text_of, visit
from vault_harness import VaultHarness

from glassmind.edit.vault import EditRequest
from glassmind.model.access import EVERY_AGENT
from glassmind.model.edits import Append
from glassmind.serve.mcp.server import make_server

NOTES: dict[str, str | bytes] = {
    "Tea.md": "# Tea\n\nOolong rests.\n\n## Leaves\n\npatched foo long tail\n",
    "Cups/Mug.md": "---\ntitle: Big mug\n---\nFor [[Tea]], [[Launch day plan]].\n",
    "Cups/Bowl.md": "Round.\n",
}

Brain = Callable[..., Any]
"""Calls a tool and returns its reply."""


@pytest.fixture
def allowed(vault: VaultHarness) -> VaultHarness:
    vault.open(writes__mode="allow")
    vault.indexed(NOTES)
    return vault


@pytest.fixture
def asking(vault: VaultHarness) -> VaultHarness:
    """A vault whose user wants to be asked."""
    vault.open(writes__mode="propose")
    vault.indexed(NOTES)
    return vault


def answered(vault: VaultHarness, tool: str, /, **given: Any) -> types.CallToolResult:
    return call(make_server(vault.engine, toolsets=["brain"]), tool, **given)


def brain(vault: VaultHarness, tool: str, /, **given: Any) -> Any:
    answer = answered(vault, tool, **given)
    assert not answer.is_error, text_of(answer)
    return json.loads(text_of(answer))


def refused(vault: VaultHarness, tool: str, /, **given: Any) -> str:
    answer = answered(vault, tool, **given)
    assert answer.is_error, text_of(answer)
    return text_of(answer)


@pytest.mark.parametrize(
    ("frontmatter", "head"),
    [
        (None, "title: My real title"),
        ({}, "title: My real title"),
        ({"title": None}, "title: My real title"),
        ({"kind": "leaf"}, "title: My real title\nkind: leaf"),
        ({"title": "Given"}, "title: Given"),
    ],
)
def test_a_title_in_the_content_of_a_new_note_stays(
    allowed: VaultHarness, frontmatter: dict[str, Any] | None, head: str
) -> None:
    content = "---\ntitle: My real title\n---\nBoo.\n"

    brain(
        allowed,
        "create_note",
        title="Own title",
        content=content,
        directory="",
        frontmatter=frontmatter,
    )

    assert allowed.text("Own title.md") == f"---\n{head}\n---\nBoo.\n"


def test_a_note_is_made_of_a_stub_by_its_id(allowed: VaultHarness) -> None:
    given = {"title": "_stub/Launch day plan.md", "content": "Soon."}

    made = brain(allowed, "create_note", **given)

    assert made["id"] == "Launch day plan.md"
    assert made["title"] == "Launch day plan"
    assert made["linksAdopted"] == 1
    assert not (allowed.root / "_stub").exists()


def test_a_link_to_a_stub_by_its_id_is_one_to_its_name(allowed: VaultHarness) -> None:
    brain(
        allowed,
        "link_notes",
        source="Tea",
        target="_stub/Launch day plan.md",
        context="See",
    )

    assert "See [[Launch day plan]]" in allowed.text("Tea.md")


def test_a_folder_is_no_note_that_could_be_moved(allowed: VaultHarness) -> None:
    said = refused(allowed, "move_note", source="Cups", destination="Pots")

    assert "Cups" in said
    assert (allowed.root / "Cups" / "Mug.md").exists()
    assert not (allowed.root / "Pots").exists()


def test_a_note_that_shares_its_name_with_a_folder_is_the_one_that_is_moved(
    allowed: VaultHarness,
) -> None:
    (allowed.root / "Tea").mkdir()
    (allowed.root / "Tea" / "Pot.md").write_text("Brown.\n", "utf-8")

    brain(allowed, "move_note", source="Tea", destination="Green tea")

    assert (allowed.root / "Green tea.md").exists()
    assert (allowed.root / "Tea" / "Pot.md").exists()


def test_all_that_gave_way_under_a_heading_is_counted(allowed: VaultHarness) -> None:
    given = {"name": "Tea", "mode": "patch_heading", "heading": "Leaves"}

    done = brain(allowed, "edit_note", **given, content="patched bar long tail")
    beside = brain(allowed, "edit_note", **given, content="more", headingOp="after")

    assert done["removedLen"] == len("patched foo long tail")
    assert beside["removedLen"] == 0


@pytest.mark.parametrize(
    "more",
    [
        {"mode": "append", "content": "zzz"},
        {"content": "zzz"},
        {"edits": [{"mode": "append", "content": "zzz"}]},
        {"mode": "replace_window", "search": "rests", "content": "zzz"},
        {"mode": "at_line", "line": 1},
    ],
)
def test_what_is_kept_is_tried_again_alone(
    allowed: VaultHarness, more: dict[str, Any]
) -> None:
    before = allowed.text("Tea.md")
    kept = {"mode": "replace_window", "search": "Oolong sleeps.", "content": "Cha."}
    refused(allowed, "edit_note", name="Tea", **kept)

    said = refused(allowed, "edit_note", name="Tea", from_buffer=True, **more)

    assert "from_buffer takes only" in said
    assert allowed.text("Tea.md") == before


def test_what_is_kept_is_known_by_the_note_however_that_is_named(
    allowed: VaultHarness,
) -> None:
    kept = {"mode": "replace_window", "search": "Quite round.", "content": "Flat."}

    said = refused(allowed, "edit_note", name="Cups/Bowl.md", **kept)
    done = brain(
        allowed, "edit_note", name="Bowl", from_buffer=True, mode="replace_window"
    )

    assert "from_buffer" in said
    assert done["id"] == "Cups/Bowl.md"
    assert allowed.text("Cups/Bowl.md").startswith("Flat.")


def test_from_the_buffer_is_offered_only_where_it_may_help(
    allowed: VaultHarness,
) -> None:
    heading = {"mode": "patch_heading", "heading": "Stems", "content": "x"}
    window = {"mode": "replace_window", "search": "zeppelin", "content": "x"}
    loose = {**window, "fuzzy": True, "fuzzyThreshold": 0.5}

    said = {
        "heading": refused(allowed, "edit_note", name="Tea", **heading),
        "loose": refused(allowed, "edit_note", name="Tea", **loose),
        "listed": refused(allowed, "edit_note", name="Tea", edits=[window, heading]),
        "later": refused(allowed, "edit_note", name="Tea", edits=[heading, window]),
        "again": refused(allowed, "edit_note", name="Tea", from_buffer=True),
    }

    offered = [name for name, one in said.items() if "from_buffer true" in one]
    assert offered == ["listed", "later"]


def test_lists_and_objects_may_be_written_as_text(allowed: VaultHarness) -> None:
    edits = json.dumps([{"mode": "append", "content": "zzz"}])
    made = {"title": "New", "content": "", "frontmatter": '{"kind": "leaf"}'}

    brain(allowed, "edit_note", name="Tea", edits=edits)
    brain(allowed, "create_note", **made, directory="")
    said = refused(allowed, "create_note", **{**made, "frontmatter": "[1]"})

    assert allowed.text("Tea.md").endswith("zzz\n")
    assert "kind: leaf" in allowed.text("New.md")
    assert "frontmatter must be an object" in said


def test_a_dry_run_says_whether_the_user_would_be_asked(
    allowed: VaultHarness,
) -> None:
    given = {"name": "Tea", "mode": "append", "content": "x", "dryRun": True}

    free = brain(allowed, "edit_note", **given)
    allowed.open(writes__mode="propose")
    asked = brain(allowed, "edit_note", **given)

    assert "reason" not in free
    assert "proposal" not in free["message"]
    assert "proposal" in asked["message"]
    assert asked["reason"].startswith("it would wait for a person")
    assert asked["previewId"]


def test_an_edit_that_changes_nothing_is_no_preview_and_is_not_done(
    allowed: VaultHarness,
) -> None:
    same = {"search": "Oolong rests.", "content": "Oolong rests."}

    told = brain(allowed, "edit_note", name="Tea", mode="replace_window", **same)

    assert told["applied"] is False
    assert told["message"].startswith("Nothing to change")
    assert not {"dryRun", "previewId"} & set(told)


def test_a_preview_that_may_not_be_applied_becomes_a_proposal(
    asking: VaultHarness,
) -> None:
    before = asking.text("Tea.md")
    given = {"name": "Tea", "mode": "append", "content": "x"}
    shown = brain(asking, "edit_note", **given, dryRun=True)

    waits = brain(asking, "apply_edit_preview", previewId=shown["previewId"])
    again = refused(asking, "apply_edit_preview", previewId=shown["previewId"])

    assert (waits["status"], waits["applied"]) == ("proposed", False)
    approve = f"glassmind proposals approve {shown['previewId']}"
    assert waits["approve"] == approve
    assert approve in again
    assert asking.text("Tea.md") == before


def test_only_previews_of_edits_are_committed(allowed: VaultHarness) -> None:
    moved = brain(allowed, "move_note", source="Tea", destination="Cups/", dryRun=True)
    gone = brain(allowed, "delete_note", name="Tea", confirm=False, dryRun=True)["data"]
    linked = brain(
        allowed, "link_notes", source="Tea", target="Mug", context="See", dryRun=True
    )

    said = [
        refused(allowed, "apply_edit_preview", previewId=one["changeset"])
        for one in (moved, gone)
    ]
    done = brain(allowed, "apply_edit_preview", previewId=linked["previewId"])

    assert all("edit_note" in one for one in said)
    assert "previewId" not in moved
    assert "previewId" not in gone
    assert done["applied"]
    assert (allowed.root / "Tea.md").exists()


def test_a_preview_is_committed_by_its_whole_id_and_by_who_made_it(
    allowed: VaultHarness,
) -> None:
    before = allowed.text("Tea.md")
    wish = EditRequest(client="somebody else", dry_run=True)
    other = allowed.engine.editing.edit("Tea", [Append("x")], wish).changeset.id
    server = make_server(allowed.engine, toolsets=["brain"])

    async def body(client: Client) -> list[bool | None]:
        given = {"name": "Tea", "mode": "append", "content": "y", "dryRun": True}
        shown = await client.call_tool("edit_note", given)
        own = json.loads(text_of(shown))["previewId"]
        ids = (other, own[:-1], own[:8], f" {own}")
        tried = [
            await client.call_tool("apply_edit_preview", {"previewId": id_})
            for id_ in ids
        ]
        return [one.is_error for one in tried]

    assert visit(server, body, name="a scribe") == [True] * 4
    assert allowed.text("Tea.md") == before


STUBS: dict[str, str | bytes] = {
    "A.md": "[[Ghost]] [[Spirit]] [[B]]\n",
    "B.md": "[[A]] [[spirit]]\n",
    "D.md": "[[Wish]]\n",
    "E.md": "[[D]] [[Wish]]\n",
}


def test_a_stub_that_goes_is_counted_though_the_note_becomes_one(
    vault: VaultHarness,
) -> None:
    vault.open(writes__mode="allow")
    vault.indexed(STUBS)

    shown = brain(vault, "delete_note", name="A", confirm=True, dryRun=True)["data"]
    gone = brain(vault, "delete_note", name="A", confirm=True)["data"]
    moved = brain(vault, "move_note", source="D", destination="Wish")

    assert shown["deletedFromIndex"]["stubsPruned"] == 0
    assert gone["deletedFromIndex"]["stubsPruned"] == 1
    assert moved["stubsPruned"] == 1
    assert {ghost.target for ghost in vault.engine.ghosts()} == {"A", "spirit"}


def test_stubs_are_counted_without_anybody_being_given_their_names(
    vault: VaultHarness,
) -> None:
    """Or the very deletion would wait, as that of who read what is not trusted."""
    vault.open(writes__mode="allow", writes__approve_after_untrusted=True)
    vault.indexed(STUBS)

    gone = brain(vault, "delete_note", name="A", confirm=True)["data"]

    assert (gone["applied"], gone["deletedFromIndex"]["stubsPruned"]) == (True, 1)


def test_a_stub_of_notes_that_are_hidden_is_not_counted(vault: VaultHarness) -> None:
    vault.open(writes__mode="allow")
    hidden = "---\nprivate: true\n---\n[[Ghost]] [[Own]]\n"
    vault.indexed({**STUBS, "P.md": hidden})
    server = make_server(vault.engine.seen_by(EVERY_AGENT), toolsets=["brain"])

    gone = json.loads(text_of(call(server, "delete_note", name="A", confirm=True)))

    assert gone["data"]["deletedFromIndex"]["stubsPruned"] == 1
