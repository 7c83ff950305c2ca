"""The write tools of obsidian-brain: its names, arguments, defaults and replies."""

import time
from dataclasses import replace
from datetime import datetime
from types import SimpleNamespace
from typing import Any

import pytest
from change_harness import WrittenDown, changed, drafted, engine_with
from compat_harness import called, defaults_of

from glassmind.errors import BadArgument, NoMatch
from glassmind.model.edits import (
    AddLink,
    Append,
    AtHeading,
    AtLine,
    Changed,
    ChangeProperty,
    Prepend,
    Replace,
    Rewritten,
)
from glassmind.model.index import UnresolvedName
from glassmind.serve.compat import brain as brain_edit
from glassmind.serve.compat.brain import (
    MOST_ENTRIES,
    PREVIEW_S,
)
from glassmind.serve.mcp.toolsets import tools_of

WRITING = (
    "create_note",
    "edit_note",
    "apply_edit_preview",
    "link_notes",
    "move_note",
    "delete_note",
)


def brain(editing: WrittenDown, tool: str, /, **given: object) -> Any:
    engine = engine_with(editing)
    counts = iter(COUNTS)
    engine.stats = lambda: next(counts)
    named = iter(GHOSTS)
    engine.ghosts = lambda **_: next(named)
    return called(engine, "brain", tool, **given)


def of_client(done: Changed) -> Changed:
    """Return a change that the client of these calls asked for."""
    return replace(done, changeset=replace(done.changeset, client="mcp"))


COUNTS = (
    SimpleNamespace(notes=5, links=9, embedded_notes=4, ghosts=2),
    SimpleNamespace(notes=4, links=7, embedded_notes=3, ghosts=2),
)
GHOSTS = (
    [UnresolvedName("Leaf", 2), UnresolvedName("Pot", 1)],
    [UnresolvedName("leaf", 1), UnresolvedName("Tea", 1)],
)


def test_these_tools_are_served_with_these_defaults() -> None:
    found = {
        tool.name: defaults_of(tool)
        for tool in tools_of(["brain"])
        if tool.name in WRITING
    }

    assert found == {
        "create_note": dict.fromkeys(("title", "content", "directory", "frontmatter")),
        "edit_note": {
            **dict.fromkeys(("name", "mode", "edits", "content", "search", "heading")),
            **dict.fromkeys(("headingIndex", "key", "value", "valueJson", "line")),
            "fuzzy": False,
            "fuzzyThreshold": 0.7,
            "headingOp": "replace",
            "scope": "section",
            "lineOp": "after",
            "dryRun": False,
            "from_buffer": False,
        },
        "apply_edit_preview": {"previewId": None},
        "link_notes": {
            **dict.fromkeys(("source", "target", "context")),
            "dryRun": False,
        },
        "move_note": {"source": None, "destination": None, "dryRun": False},
        "delete_note": {"name": None, "confirm": None, "dryRun": False},
    }


def test_tools_that_take_something_away_say_so() -> None:
    found = {t.name: t.destructive for t in tools_of(["brain"]) if t.name in WRITING}

    assert [name for name in WRITING if not found[name]] == [
        "create_note",
        "link_notes",
    ]


MODES: list[tuple[dict[str, Any], Any]] = [
    ({"mode": "append", "content": "x"}, Append("x")),
    ({"mode": "prepend", "content": "x"}, Prepend("x")),
    (
        {"mode": "replace_window", "search": "a", "content": ""},
        Replace("a", ""),
    ),
    (
        {"mode": "replace_window", "search": "a", "content": "b", "fuzzy": True},
        Replace("a", "b", 0.7),
    ),
    (
        {"mode": "replace_window", "search": "a", "content": "b", "fuzzy": "true",
         "fuzzyThreshold": "0.9"},
        Replace("a", "b", 0.9),
    ),
    (
        {"mode": "patch_heading", "heading": "H", "content": "x"},
        AtHeading("H", "x", "replace", "section"),
    ),
    (
        {"mode": "patch_heading", "heading": "H", "content": "x", "headingOp": "before",
         "scope": "body", "headingIndex": 1},
        AtHeading("H", "x", "before", "body", 1),
    ),
    (
        {"mode": "patch_frontmatter", "key": "k", "value": [1, "a"]},
        ChangeProperty("k", "set", [1, "a"]),
    ),
    (
        {"mode": "patch_frontmatter", "key": "k", "value": ""},
        ChangeProperty("k", "set", ""),
    ),
    (
        {"mode": "patch_frontmatter", "key": "k", "value": "3", "valueJson": "3"},
        ChangeProperty("k", "set", 3),
    ),
    (
        {"mode": "patch_frontmatter", "key": "k", "value": None},
        ChangeProperty("k", "unset"),
    ),
    ({"mode": "patch_frontmatter", "key": "k"}, ChangeProperty("k", "unset")),
    (
        {"mode": "patch_frontmatter", "key": "k", "value": 1, "valueJson": "null"},
        ChangeProperty("k", "unset"),
    ),
    ({"mode": "at_line", "line": 3, "content": "x"}, AtLine(3, "x", "after")),
    (
        {"mode": "at_line", "line": "3", "content": "x", "lineOp": "replace"},
        AtLine(3, "x", "replace"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("given", "edit"), MODES)
def test_a_mode_is_an_edit_alone_and_in_a_list(
    given: dict[str, Any], edit: Any
) -> None:
    alone, listed = WrittenDown(), WrittenDown()

    brain(alone, "edit_note", name="Tea", **given)
    brain(listed, "edit_note", name="Tea", edits=[given, given])

    assert list(alone.calls[0][1][1]) == [edit]
    assert list(listed.calls[0][1][1]) == [edit, edit]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "a mode or a list"),
        ({"mode": "append", "content": "x", "edits": [{}]}, "a mode or a list"),
        ({"edits": []}, "a mode or a list"),
        ({"mode": "append"}, "needs content"),
        ({"mode": "replace_window", "content": "x"}, "needs search"),
        ({"mode": "replace_window", "search": "x"}, "needs content"),
        ({"mode": "patch_frontmatter"}, "needs key"),
        ({"mode": "patch_frontmatter", "key": "k", "valueJson": "{"}, "not valid JSON"),
        ({"mode": "at_line", "content": "x"}, "needs line"),
        ({"mode": "burn"}, "one of append"),
        ({"edits": [{"mode": "append", "content": "x"}, {}]}, r"edits\[1\]: mode"),
        ({"edits": [{"mode": "append", "content": "\ud800"}]}, "valid Unicode"),
        ({"from_buffer": True}, "no edit of this note is kept"),
    ],
)
def test_what_means_nothing_is_refused_before_anything_is_done(
    given: dict[str, Any], said: str
) -> None:
    editing = WrittenDown()

    with pytest.raises(BadArgument, match=said):
        brain(editing, "edit_note", name="Nowhere", **given)

    assert editing.calls == []


def test_a_dry_run_gives_a_diff_and_what_commits_it() -> None:
    editing = WrittenDown(changed("previewed"))

    reply = brain(
        editing, "edit_note", name="Tea", mode="append", content="x", dryRun=True
    )

    assert editing.calls[0][1][2].dry_run
    assert reply["previewId"] == "20261116-abcde"
    assert reply["applied"] is False
    assert "+Sencha." in reply["diff"]


def test_what_gave_way_under_a_heading_is_counted_in_letters() -> None:
    facts = {"edits": [{"kind": "heading", "line": 2, "removed": 5, "added": 3}]}
    editing = WrittenDown(drafted(changed(), facts=facts))

    reply = brain(
        editing,
        "edit_note",
        name="Tea",
        mode="patch_heading",
        heading="H",
        content="new",
    )

    assert reply["removedLen"] == 5
    assert reply["mode"] == "patch_heading"


def test_what_found_no_match_is_tried_again_loosely_from_the_buffer() -> None:
    editing = WrittenDown()
    editing.error = NoMatch("Kept.md", "sencha")
    given = {"mode": "replace_window", "search": "sencha", "content": "oolong"}

    with pytest.raises(NoMatch):
        brain(editing, "edit_note", name="Kept", **given)
    editing.error = None
    reply = brain(editing, "edit_note", name="Kept", from_buffer=True)

    assert list(editing.calls[-1][1][1]) == [Replace("sencha", "oolong", 0.5)]
    assert reply["applied"]
    with pytest.raises(BadArgument, match="no edit of this note is kept"):
        brain(editing, "edit_note", name="Kept", from_buffer=True)


def kept(key: brain_edit.Key) -> Any:
    """Return the edits in the buffer; None if there are none."""
    try:
        again = brain_edit.EditNoteArguments(name="Tea", from_buffer=True)
        return brain_edit.from_buffer(again, key)
    except BadArgument:
        return None


def test_the_buffer_of_one_client_is_not_that_of_another() -> None:
    mine = ("Notes", "a", "Tea")
    brain_edit.keep(mine, [Append("x")])

    assert kept(mine) == [Append("x")]
    assert kept(("Notes", "b", "Tea")) is None
    assert kept(("Other", "a", "Tea")) is None


def test_the_buffer_keeps_a_few() -> None:
    keys = [("Notes", "a", f"n{at}") for at in range(MOST_ENTRIES + 1)]
    for key in keys:
        brain_edit.keep(key, [Append(key[2])])

    assert kept(keys[0]) is None
    assert kept(keys[1]) == [Append("n1")]


def test_a_preview_is_committed_once_it_is_asked_for_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    editing = WrittenDown(of_client(changed("previewed")))
    made = datetime.fromisoformat(editing.answer.changeset.created).timestamp()

    monkeypatch.setattr(time, "time", lambda: made + PREVIEW_S)
    brain(editing, "apply_edit_preview", previewId="20261116-abcde")
    monkeypatch.setattr(time, "time", lambda: made + PREVIEW_S + 1)
    with pytest.raises(BadArgument, match="older than 5 minutes"):
        brain(editing, "apply_edit_preview", previewId="20261116-abcde")

    assert [call[0] for call in editing.calls] == ["show", "apply", "show"]


@pytest.mark.parametrize(
    ("given", "properties"),
    [
        ({"title": "Tea"}, {"title": "Tea"}),
        ({"title": "Cups/Tea.md"}, {"title": "Tea"}),
        ({"title": "Tea", "frontmatter": {"a": 1}}, {"title": "Tea", "a": 1}),
        ({"title": "Tea", "frontmatter": {"title": "T"}}, {"title": "T"}),
        ({"title": "Tea", "frontmatter": {"title": None}}, None),
        ({"title": "Tea", "frontmatter": {"title": None, "a": 1}}, {"a": 1}),
    ],
)
def test_a_new_note_has_its_title_among_its_properties_unless_it_is_null(
    given: dict[str, Any], properties: dict[str, Any] | None
) -> None:
    editing = WrittenDown(drafted(changed(), adopted=2))

    reply = brain(editing, "create_note", content="", directory="F", **given)

    verb, (title, text, _), wishes = editing.calls[0]
    assert (verb, title, text) == ("create", given["title"], "")
    assert wishes == {"folder": "F", "properties": properties, "template": ""}
    assert (reply["linksAdopted"], reply["title"]) == (2, "Tea")


def test_two_notes_are_linked_by_a_sentence() -> None:
    editing = WrittenDown()

    brain(editing, "link_notes", source="A", target="B", context="See also")

    verb, (note, edits, _), _ = editing.calls[0]
    assert (verb, note, list(edits)) == ("edit", "A", [AddLink("B", "See also")])


def test_a_move_tells_the_links_it_wrote_anew() -> None:
    editing = WrittenDown(drafted(changed(), rewritten=Rewritten(3, 2)))

    reply = brain(editing, "move_note", source="A", destination="Cups/")

    assert editing.calls[0][1][:2] == ("A.md", "Cups/")
    assert reply["linksRewritten"] == {"files": 2, "occurrences": 3}
    assert reply["stubsPruned"] == 1


def test_a_deletion_tells_what_the_index_lost_and_what_may_follow() -> None:
    editing = WrittenDown()

    reply = brain(editing, "delete_note", name="Tea", confirm=True)

    assert editing.calls[0][2]["confirm"] is True
    assert reply["data"]["deletedFromIndex"] == {
        "node": 1,
        "edges": 2,
        "embedding": 1,
        "stubsPruned": 1,
    }
    (hint,) = reply["context"]["next_actions"]
    assert (hint["tool"], hint["args"]) == ("rank_notes", {"minIncomingLinks": 0})


def test_a_deletion_has_to_be_confirmed_and_one_that_waits_deletes_nothing() -> None:
    editing = WrittenDown(changed("proposed"))

    with pytest.raises(BadArgument, match="confirm is missing"):
        brain(editing, "delete_note", name="Tea")
    reply = brain(editing, "delete_note", name="Tea", confirm=True)

    assert set(reply["data"]["deletedFromIndex"].values()) == {0}
    assert reply["context"]["next_actions"] == []
    assert "Nothing was changed" in reply["data"]["message"]


@pytest.mark.parametrize(
    "tool", ["create_note", "edit_note", "link_notes", "move_note"]
)
def test_a_proposal_says_that_nothing_was_changed_and_how_it_is_approved(
    tool: str,
) -> None:
    given: dict[str, dict[str, Any]] = {
        "create_note": {"title": "T", "content": ""},
        "edit_note": {"name": "T", "mode": "append", "content": "x"},
        "link_notes": {"source": "A", "target": "B", "context": "c"},
        "move_note": {"source": "A", "destination": "B"},
    }
    done = replace(changed("proposed"), notices=("mind the gap",))

    reply = brain(WrittenDown(done), tool, **given[tool])

    assert (reply["status"], reply["applied"]) == ("proposed", False)
    assert reply["message"].startswith("Nothing was changed.")
    assert reply["approve"] == "glassmind proposals approve 20261116-abcde"
    assert reply["notices"] == ["mind the gap"]
