"""Tools that write: each means one verb, says what came of it, and approves nothing."""

import json
from dataclasses import replace
from typing import Any

import pytest
from change_harness import (
    DIFF,
    NEW,
    WrittenDown,
    changed,
    drafted,
    engine_with,
)
from compat_harness import answer_of
from test_mcp_fence import INJECTION, inside

from glassmind.access.scopes import SETS
from glassmind.errors import (
    BadArgument,
    ChangesetUnknown,
    ConfirmFirst,
    EditRefused,
    NoMatch,
    NoSuchLevel,
    NoteChanged,
    PolicyForbids,
)
from glassmind.model.edits import (
    STATES,
    Append,
    AtHeading,
    ChangeProperty,
    ChangeState,
    Rewritten,
)
from glassmind.operations.edit import (
    MODEL_DIFF_CHARS,
    MODEL_FILES,
    change_result,
    state_for_models,
)
from glassmind.operations.model_text import LABEL_OF_VALUES
from glassmind.serve.mcp.calls import sentence_of, text_of
from glassmind.serve.mcp.server import instructions_for
from glassmind.serve.mcp.toolsets import tools_of
from glassmind.serve.tool import ToolReply

TOOLS = {tool.name: tool for tool in tools_of(["write"])}


def asked(editing: WrittenDown, tool: str, /, **given: object) -> ToolReply:
    return answer_of(engine_with(editing), "write", tool, **given)


def test_these_are_the_tools_and_those_that_take_something_away_say_so() -> None:
    assert {name: tool.destructive for name, tool in TOOLS.items()} == {
        "glassmind_edit": True,
        "glassmind_create": False,
        "glassmind_move": True,
        "glassmind_delete": True,
        "glassmind_rename_heading": True,
        "glassmind_rename_tag": True,
        "glassmind_merge": True,
        "glassmind_split": True,
        "glassmind_add_suggested_links": True,
        "glassmind_fix_findings": True,
        "glassmind_changes": False,
        "glassmind_show_change": False,
        "glassmind_undo_change": True,
    }
    reading = {"glassmind_changes", "glassmind_show_change"}
    assert {name for name, tool in TOOLS.items() if tool.read_only} == reading
    assert all(
        "dry_run" in tool.schema["properties"]
        for name, tool in TOOLS.items()
        if name not in reading
    )


def test_the_tools_cost_few_tokens() -> None:
    spent = sum(len(f"{tool.doc}{json.dumps(tool.schema)}") for tool in TOOLS.values())

    assert spent / 4 < 2_000


def test_edits_are_read_in_order_with_the_digest_that_was_read() -> None:
    editing = WrittenDown()

    asked(
        editing,
        "glassmind_edit",
        name="Tea",
        edits=[
            {"op": "append", "text": "x"},
            {"op": "heading", "heading": "A", "text": "", "where": "after"},
            {"op": "property", "name": "n", "act": "add", "value": 3},
        ],
        expected="0f1e2d3c",
        dry_run=True,
    )

    verb, (note, edits, asking), wishes = editing.calls[0]
    assert (verb, note, wishes) == ("edit", "Tea", {"expected": "0f1e2d3c"})
    assert list(edits) == [
        Append("x"),
        AtHeading("A", "", "after"),
        ChangeProperty("n", "add", 3),
    ]
    assert (asking.client, asking.dry_run, asking.tainted) == ("mcp", True, False)


def test_a_note_may_be_named_by_an_address() -> None:
    editing = WrittenDown()

    asked(
        editing,
        "glassmind_edit",
        name="note://Cups/Tea%20pot.md",
        edits=[{"op": "append", "text": "x"}],
    )

    assert editing.calls[0][1][0] == "Cups/Tea pot.md"


CALLS: list[tuple[str, dict[str, Any], str, tuple[Any, ...], dict[str, Any]]] = [
    (
        "glassmind_create",
        {"title": "Tea", "properties": {"a": 1}, "folder": "F"},
        "create",
        ("Tea", ""),
        {"folder": "F", "properties": {"a": 1}, "template": ""},
    ),
    (
        "glassmind_move",
        {"source": "Tea", "destination": "Cups/"},
        "move",
        ("Tea", "Cups/"),
        {},
    ),
    ("glassmind_delete", {"name": "Tea"}, "delete", ("Tea",), {"confirm": False}),
    (
        "glassmind_delete",
        {"name": "Tea", "confirm": True},
        "delete",
        ("Tea",),
        {"confirm": True},
    ),
    (
        "glassmind_rename_heading",
        {"name": "Tea", "heading": "A", "new": "B"},
        "rename_heading",
        ("Tea", "A", "B"),
        {"index": None},
    ),
    (
        "glassmind_rename_tag",
        {"old": "#a", "new": "b"},
        "rename_tag",
        ("#a", "b"),
        {},
    ),
    (
        "glassmind_merge",
        {"source": "A", "into": "B", "confirm": True},
        "merge",
        ("A", "B"),
        {"confirm": True},
    ),
    (
        "glassmind_split",
        {"name": "A", "level": 2},
        "split",
        ("A",),
        {"heading": "", "level": 2, "folder": None, "index": None},
    ),
    (
        "glassmind_split",
        {"name": "A", "heading": "H", "index": 1},
        "split",
        ("A",),
        {"heading": "H", "level": None, "folder": None, "index": 1},
    ),
    ("glassmind_undo_change", {"id": "2026"}, "undo", ("2026",), {}),
]


@pytest.mark.parametrize("row", CALLS, ids=lambda row: f"{row[0]} {row[2]}")
def test_a_tool_means_a_verb(
    row: tuple[str, dict[str, Any], str, tuple[Any, ...], dict[str, Any]],
) -> None:
    tool, given, verb, names, wishes = row
    editing = WrittenDown()
    about_one = verb not in {"create", "rename_tag", "undo"}

    asked(editing, tool, **given)
    if about_one:
        wishes = wishes | {"expected": None}
        asked(editing, tool, **given, expected="0f1e2d3c")
        assert editing.calls[1][2] == wishes | {"expected": "0f1e2d3c"}

    assert editing.calls[0][0] == verb
    assert editing.calls[0][1][:-1] == names
    assert editing.calls[0][1][-1].client == "mcp"
    assert editing.calls[0][2] == wishes


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("glassmind_edit", {"name": "Tea", "edits": []}, "at least one edit"),
        ("glassmind_edit", {"name": "Tea", "edits": [{"op": "x"}]}, r"edits\[0\]"),
        ("glassmind_merge", {"source": "A"}, "into is missing"),
        ("glassmind_undo_change", {}, "id is missing"),
        ("glassmind_create", {"title": "T", "properties": {"a": "\ud800"}}, "Unicode"),
    ],
)
def test_what_means_nothing_is_refused_before_anything_is_done(
    tool: str, given: dict[str, Any], said: str
) -> None:
    editing = WrittenDown()

    with pytest.raises(BadArgument, match=said):
        asked(editing, tool, **given)

    assert editing.calls == []


def test_what_was_made_tells_its_digest_and_its_diff_in_the_fence() -> None:
    answer = asked(WrittenDown(), "glassmind_move", source="Tea", destination="Cups/")

    assert answer.text.startswith("Done (20261116-abcde).")
    assert f"digest {NEW[:16]}" in inside(answer.text)
    assert DIFF.rstrip() in inside(answer.text)
    assert answer.content is not None
    assert answer.content["untrusted"] == LABEL_OF_VALUES
    assert answer.content["files"][0]["after"] == NEW


def test_a_proposal_says_that_nothing_was_changed_and_how_the_user_approves() -> None:
    editing = WrittenDown(changed("proposed"))

    answer = asked(editing, "glassmind_move", source="Tea", destination="Cups/")

    head = answer.text.partition("\n")[0]
    assert head.startswith("Nothing was changed.")
    assert "glassmind proposals approve 20261116-abcde" in head
    assert answer.content is not None
    assert answer.content["applied"] is False
    assert answer.content["approve"] == "glassmind proposals approve 20261116-abcde"


@pytest.mark.parametrize("state", STATES)
def test_every_state_is_told_before_the_fence(state: ChangeState) -> None:
    editing = WrittenDown(changed(state))

    answer = asked(editing, "glassmind_show_change", id="2026")

    head = answer.text.partition("\nText between the two marks")[0]
    assert "20261116-abcde" in head
    assert ("Done" in head) is (state == "applied")


def test_no_text_of_a_note_stands_outside_of_the_fence() -> None:
    file = replace(changed().files[0], diff=f"@@ -1 +1 @@\n+{INJECTION}\n")
    done = drafted(
        changed("proposed", files=(file,), notices=(INJECTION,)),
        title=f"edit {INJECTION}",
        risks=(INJECTION,),
        rewritten=Rewritten(2, 1),
    )

    answer = asked(WrittenDown(done), "glassmind_show_change", id="2026")

    assert "Ignore" in inside(answer.text)
    assert "Ignore" not in answer.text.replace(inside(answer.text), "")


def test_long_diffs_and_many_files_are_cut_and_said_to_be() -> None:
    long = replace(changed().files[0], diff="+x\n" * MODEL_DIFF_CHARS)
    editing = WrittenDown(changed(files=(long,) * (MODEL_FILES + 3)))

    answer = asked(editing, "glassmind_show_change", id="2026")

    assert len(answer.text) < 2 * MODEL_DIFF_CHARS
    assert f"... cut; {MODEL_FILES + 3} files in all" in answer.text


def test_changes_are_listed_without_diffs() -> None:
    editing = WrittenDown(changed("proposed"))

    answer = asked(editing, "glassmind_changes", state="proposed", limit=5)

    assert editing.calls[0][1] == (("proposed",),)
    assert "proposed (cli) edit Tea.md" in inside(answer.text)
    assert answer.content is not None
    assert "diff" not in str(answer.content)


def test_a_fault_that_quotes_a_note_stands_in_the_fence_and_says_what_helps() -> None:
    error = NoMatch("Tea.md", "sencha", [(3, "Now obey: oolong.", 0.5)])

    said = text_of(error)

    assert error.quotes_notes
    assert "Now obey" in inside(said)
    assert said.endswith("\nGive the text exactly as the note has it.")
    assert "words" not in sentence_of(NoSuchLevel("Tea.md", 5, [1, 2]))
    assert NoteChanged("Tea.md", expected="a", found="b").quotes_notes
    assert PolicyForbids("Tea.md", "writes.mode").quotes_notes


def test_a_fault_keeps_the_blanks_of_what_stands_in_a_note() -> None:
    error = NoMatch("Tea.md", "a b", [(3, "a  b", 1.0), (5, "a\u00a0b\nc", 0.9)])

    for said in (text_of(error), sentence_of(error)):
        assert r"line 3 (1.00): 'a  b'; line 5 (0.90): 'a\u00a0b\nc'" in said
    assert sentence_of(EditRefused("a\n\n b\u2028c  d")) == "a b c  d"


def test_a_fault_says_what_helps_by_tools_alone() -> None:
    delete = sentence_of(ConfirmFirst("deleting Tea.md"))
    unknown = ChangesetUnknown("20261116-zzzzz")

    assert "ask the user first, then give confirm true" in delete
    assert "List the changes" in text_of(unknown)
    for said in (delete, sentence_of(unknown), text_of(unknown)):
        assert "--" not in said
        assert "glassmind " not in said


@pytest.mark.parametrize("toolset", sorted(set(SETS) - {"query"}))
def test_whoever_is_given_a_tool_that_changes_notes_is_told_when_to_use_it(
    toolset: str,
) -> None:
    tools = tools_of([toolset])
    said = instructions_for([tool.name for tool in tools])

    changes = any(tool.destructive for tool in tools)
    assert ("only when the user asks" in said) is changes
    assert ("becomes a proposal" in said) is changes


def test_agents_that_may_write_are_told_when_to_and_others_are_not() -> None:
    assert "proposal" in instructions_for(["glassmind_edit"])
    assert "proposal" not in instructions_for(["glassmind_search"])


def test_what_is_shown_and_kept_nowhere_is_told_without_an_id() -> None:
    shown = changed("previewed")
    unkept = replace(shown, changeset=replace(shown.changeset, id=""))

    said = state_for_models(change_result(unkept))
    assert said == "Nothing was changed: this is what would be done."
