"""Edits are asked for at the command line, and each means one verb of the engine."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from change_harness import WrittenDown, at_the_command_line, changed
from cli_harness import Inside, Program

from glassmind import errors as exits
from glassmind.errors import (
    BadEdit,
    ChangesetUnknown,
    ConfirmFirst,
    NameTaken,
    NoMatch,
    NoteChanged,
    PolicyForbids,
)
from glassmind.model.edits import (
    AddLink,
    Append,
    AtBlock,
    AtHeading,
    AtLine,
    ChangeProperty,
    Prepend,
    Replace,
    SetTask,
)
from glassmind.operations.edit import ARGUMENTS
from glassmind.operations.registry import find_commands

ACTIONS = [path.removeprefix("edit ") for path in find_commands("edit")]

NOTE = "Log.md"
DIGEST = "0f1e2d3c4b5a6978"


@pytest.fixture
def editing() -> Iterator[WrittenDown]:
    written = WrittenDown()
    with at_the_command_line(written):
        yield written


@pytest.fixture
def program(tmp_path: Path) -> Inside:
    return Inside(Program(tmp_path))


EDITS: list[tuple[str, list[str], Any]] = [
    ("append", ["--text", "rain"], Append("rain")),
    ("append", ["--text", ""], Append("")),
    ("append", ["--text=-x"], Append("-x")),
    ("prepend", ["--text", "rain"], Prepend("rain")),
    ("replace", ["--find", "a", "--text", "b"], Replace("a", "b")),
    (
        "replace",
        ["--find", "a", "--text", "", "--fuzzy", "0.8"],
        Replace("a", "", 0.8),
    ),
    ("heading", ["--heading", "A#B", "--text", "x"], AtHeading("A#B", "x")),
    (
        "heading",
        ["--heading", "A", "--text", "x", "--where", "after", "--scope", "body",
         "--index", "2"],
        AtHeading("A", "x", "after", "body", 2),
    ),
    ("block", ["--block", "^id", "--text", "x"], AtBlock("^id", "x")),
    (
        "block",
        ["--block", "id", "--text", "x", "--where", "before"],
        AtBlock("id", "x", "before"),
    ),
    ("line", ["--line", "3", "--text", "x"], AtLine(3, "x")),
    (
        "line",
        ["--line", "3", "--last", "5", "--text", "x"],
        AtLine(3, "x", "replace", 5),
    ),
    ("task", ["--find", "buy"], SetTask(find="buy")),
    ("task", ["--line", "4", "--status", "x"], SetTask("x", 4)),
    ("link", ["--to", "Tea", "--sentence", "{link}!"], AddLink("Tea", "{link}!")),
    (
        "link",
        ["--to", "Tea", "--sentence", "See", "--heading", "More"],
        AddLink("Tea", "See", "More"),
    ),
    ("property", ["--name", "tags", "--add", "x"], ChangeProperty("tags", "add", "x")),
    (
        "property",
        ["--name", "tags", "--remove", "x"],
        ChangeProperty("tags", "remove", "x"),
    ),
    ("property", ["--name", "a", "--unset"], ChangeProperty("a", "unset")),
    ("frontmatter", ["--name", "a", "--unset"], ChangeProperty("a", "unset")),
]  # fmt: skip


@pytest.mark.parametrize(("action", "options", "edit"), EDITS)
def test_an_action_with_its_options_means_one_edit(
    program: Inside, editing: WrittenDown, action: str, options: list[str], edit: Any
) -> None:
    done = program.bare("edit", action, NOTE, *options, "--expect", DIGEST)

    assert done.returncode == exits.OK, done.stderr
    (call,) = editing.calls
    verb, (note, edits, asking), wishes = call
    assert (verb, note, list(edits)) == ("edit", NOTE, [edit])
    assert (asking.client, asking.dry_run, asking.tainted) == ("cli", False, False)
    assert wishes == {"expected": DIGEST}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4", 4),
        ("-3", -3),
        ("1.5", 1.5),
        ("1.10", "1.10"),
        ("007", "007"),
        ("true", True),
        ("True", "True"),
        ("null", "null"),
        ("2026-11-16", "2026-11-16"),
        ("[a]", "[a]"),
        ('"4"', '"4"'),
        ("", ""),
    ],
)
def test_a_value_counts_as_more_than_text_only_where_it_is_written_the_same(
    program: Inside, editing: WrittenDown, text: str, value: object
) -> None:
    done = program.bare("edit", "property", NOTE, "--name", "a", f"--set={text}")

    assert done.returncode == exits.OK, done.stderr
    assert list(editing.calls[0][1][1]) == [ChangeProperty("a", "set", value)]  # type: ignore[arg-type]
    assert type(editing.calls[0][1][1][0].value) is type(value)


def test_any_value_can_be_written_as_json(
    program: Inside, editing: WrittenDown
) -> None:
    given = ("--name", "a", "--set-json", '["x", 1]')

    program.bare("edit", "property", NOTE, *given)

    assert list(editing.calls[0][1][1]) == [ChangeProperty("a", "set", ["x", 1])]


def test_several_words_are_one_name_and_options_may_stand_before_them(
    program: Inside, editing: WrittenDown
) -> None:
    program.bare("edit", "append", "--text", "x", "Station", "handbook")

    assert editing.calls[0][1][0] == "Station handbook"


def test_the_text_may_come_from_a_file(
    program: Inside, editing: WrittenDown, tmp_path: Path
) -> None:
    file = tmp_path / "text.md"
    file.write_bytes("\ufeffzwei\nZeilen\n".encode())

    program.bare("edit", "append", NOTE, "--file", file)

    assert list(editing.calls[0][1][1]) == [Append("zwei\nZeilen\n")]


def test_a_list_of_edits_is_read_from_a_file(
    program: Inside, editing: WrittenDown, tmp_path: Path
) -> None:
    file = tmp_path / "edits.json"
    edits = [
        {"op": "append", "text": "x"},
        {"op": "property", "name": "a", "value": {"b": [1, None]}},
        {"op": "task", "line": 3},
    ]
    file.write_text(json.dumps(edits), "utf-8")

    done = program.bare("edit", "apply", NOTE, "--edits", file)

    assert done.returncode == exits.OK, done.stderr
    assert list(editing.calls[0][1][1]) == [
        Append("x"),
        ChangeProperty("a", "set", {"b": [1, None]}),
        SetTask(line=3),
    ]


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ("{", "--edits must be a list of objects"),
        ("3", "--edits must be a list of objects"),
        ("[3]", "--edits must be a list of objects"),
        ("[]", "--edits must have at least one edit"),
        ('[{"op": "append", "text": "x"}, {"op": "burn"}]', "edits[1]: op must be"),
        ('[{"op": "append"}]', "edits[0]: text is missing"),
        ('[{"op": "append", "text": "x", "find": "y"}]', "no argument 'find'"),
        ('[{"op": "append", "text": "\\ud800"}]', "valid Unicode text"),
    ],
)
def test_a_list_that_means_nothing_is_refused_and_says_where(
    program: Inside, editing: WrittenDown, tmp_path: Path, edits: str, said: str
) -> None:
    file = tmp_path / "edits.json"
    file.write_text(edits, "utf-8")

    done = program.bare("edit", "apply", NOTE, "--edits", file)

    assert done.returncode == exits.USAGE
    assert said in done.stderr
    assert editing.calls == []


def test_every_kind_of_edit_can_be_listed_and_asked_for_alone() -> None:
    assert set(ARGUMENTS) == set(ACTIONS) - {"apply", "create", "delete", "frontmatter"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["append", NOTE, "--text", "a", "--file", "b"], "cannot be used together"),
        (["append", NOTE, "--text", "a", "--text", "b"], "given twice"),
        (["append", "--text", "a"], "NAME is missing"),
        (["append", NOTE, "--text", "a", "--expect", "0f1e"], "at least 8 characters"),
        (["append", NOTE, "--text", "a", "--find", "x"], "there is no option --find"),
        (["append", NOTE, "--file", "not-there.md"], "cannot be read"),
        (["replace", NOTE, "--text", "a"], "--find"),
        (["replace", NOTE, "--find", "a", "--text", "b", "--fuzzy", "2"], "1 or less"),
        (["line", NOTE, "--line", "x", "--text", "b"], "a whole number"),
        (["line", NOTE, "--line", "3-5", "--text", "b"], "a whole number"),
        (["property", NOTE, "--name", "a"], "--set"),
        (["property", NOTE, "--name", "a", "--set", "1", "--unset"], "exactly one"),
        (["property", NOTE, "--name", "a", "--set-json", "{"], "must be JSON"),
        (["create", "Tea", "--property", "a"], "KEY=VALUE"),
        (["create", "Tea", "--property", "a=1", "--property", "a=2"], "twice"),
        (["burn", NOTE], "burn"),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_refused_before_anything_is_done(
    program: Inside, editing: WrittenDown, words: list[str], said: str
) -> None:
    done = program.bare("edit", *words)

    assert done.returncode == exits.USAGE
    assert said in done.stderr
    assert editing.calls == []


def test_a_note_is_made_with_its_folder_properties_and_template(
    program: Inside, editing: WrittenDown
) -> None:
    wishes = ("--property", "kind=tea", "--property", "rank=2", "--template", "T")

    program.bare("edit", "create", "Oolong", "tea", "--folder", "Tea", *wishes)

    verb, (title, text, _), given = editing.calls[0]
    assert (verb, title, text) == ("create", "Oolong tea", "")
    assert given == {
        "folder": "Tea",
        "properties": {"kind": "tea", "rank": 2},
        "template": "T",
    }


def test_a_note_is_deleted_when_a_person_said_so(
    program: Inside, editing: WrittenDown
) -> None:
    for more in ([], ["--yes"], ["--dry-run"]):
        program.bare("edit", "delete", NOTE, *more)

    program.bare("edit", "delete", NOTE, "--yes", "--expect", DIGEST)

    expected = [call[2].pop("expected") for call in editing.calls]
    assert expected == [None, None, None, DIGEST]
    assert editing.calls.pop()[2] == {"confirm": True}
    assert [call[2]["confirm"] for call in editing.calls] == [False, True, False]
    assert [call[1][1].dry_run for call in editing.calls] == [False, False, True]


VERBS: list[tuple[list[str], str, tuple[str, ...], dict[str, Any]]] = [
    (["move", "Tea.md", "Cups/"], "move", ("Tea.md", "Cups/"), {}),
    (
        ["rename-heading", "Tea", "Old", "New words", "--index", "1"],
        "rename_heading",
        ("Tea", "Old", "New words"),
        {"index": 1},
    ),
    (["rename-tag", "#a", "b/c"], "rename_tag", ("#a", "b/c"), {}),
    (["merge", "A", "B", "--yes"], "merge", ("A", "B"), {"confirm": True}),
    (["merge", "A", "B"], "merge", ("A", "B"), {"confirm": False}),
    (
        ["split", "Tea", "--level", "2", "--folder", "F"],
        "split",
        ("Tea",),
        {"heading": "", "level": 2, "folder": "F", "index": None},
    ),
    (
        ["split", "Tea", "leaves", "--heading", "H", "--index", "1"],
        "split",
        ("Tea leaves",),
        {"heading": "H", "level": None, "folder": None, "index": 1},
    ),
]


@pytest.mark.parametrize("row", VERBS, ids=lambda row: " ".join(row[0]))
def test_other_commands_mean_a_verb_each(
    program: Inside,
    editing: WrittenDown,
    row: tuple[list[str], str, tuple[str, ...], dict[str, Any]],
) -> None:
    words, verb, names, wishes = row
    expected = {} if verb == "rename_tag" else {"expected": None}

    for more in ([], ["--dry-run"]):
        done = program.bare(*words, *more)
        assert done.returncode == exits.OK, done.stderr

    plain, dry = editing.calls
    assert (plain[0], plain[1][:-1], plain[2]) == (verb, names, wishes | expected)
    assert (plain[1][-1].dry_run, dry[1][-1].dry_run) == (False, True)


@pytest.mark.parametrize("words", [row[0] for row in VERBS if row[1] != "rename_tag"])
def test_the_digest_that_was_read_goes_with_every_command_about_one_note(
    program: Inside, editing: WrittenDown, words: list[str]
) -> None:
    done = program.bare(*words, "--expect", DIGEST.upper())
    wrong = program.bare(*words, "--expect", "short")

    assert done.returncode == exits.OK, done.stderr
    assert editing.calls[0][2]["expected"] == DIGEST
    assert wrong.returncode == exits.USAGE
    assert len(editing.calls) == 1


@pytest.mark.parametrize(
    "words",
    [
        ["move", "Tea"],
        ["move", "a", "b", "c"],
        ["rename-heading", "Tea", "Old"],
        ["rename-heading", "Tea", "Old", " "],
        ["rename-tag", "a"],
        ["merge", "a"],
        ["split", "Tea", "--level", "7"],
        ["changeset", "show"],
        ["changeset", "list", "extra"],
        ["changeset", "list", "--state", "odd"],
        ["proposals", "approve"],
        ["proposals", "reject"],
    ],
)
def test_too_few_or_too_many_words_are_refused(
    program: Inside, editing: WrittenDown, words: list[str]
) -> None:
    done = program.bare(*words)

    assert done.returncode == exits.USAGE, done.stdout
    assert editing.calls == []


ERRORS: list[tuple[Exception, int]] = [
    (NoteChanged(NOTE, expected="a" * 64, found="b" * 64), exits.CONFLICT),
    (BadEdit("there is no line 9"), exits.USAGE),
    (ConfirmFirst("deleting Log.md"), exits.USAGE),
    (NoMatch(NOTE, "rain"), exits.VAULT),
    (NameTaken(NOTE), exits.VAULT),
    (PolicyForbids(NOTE, "writes.mode"), exits.VAULT),
]


@pytest.mark.parametrize(("error", "code"), ERRORS, ids=lambda one: type(one).__name__)
def test_what_is_refused_has_its_exit_code(
    program: Inside, editing: WrittenDown, error: Exception, code: int
) -> None:
    editing.error = error

    done = program.bare("edit", "append", NOTE, "--text", "x")

    assert done.returncode == code
    assert str(error) in done.stderr


def test_an_error_names_the_option_or_the_command_that_helps(
    program: Inside, editing: WrittenDown
) -> None:
    said = []
    for error in (ConfirmFirst("deleting Log.md"), ChangesetUnknown("20261116-zzzzz")):
        editing.error = error
        said.append(program.bare("edit", "append", NOTE, "--text", "x").stderr)

    assert "(--yes)" in said[0]
    assert "glassmind changeset list" in said[1]


def test_a_conflict_tells_what_the_note_is_now(
    program: Inside, editing: WrittenDown
) -> None:
    editing.error = NoteChanged(NOTE, expected="a" * 64, found="b" * 64)

    done = program.bare("--json", "edit", "append", NOTE, "--text", "x")

    told = json.loads(done.stdout)["error"]
    assert (told["kind"], told["digest"]) == ("NoteChanged", "b" * 64)
    assert "b" * 64 in done.stderr


def test_a_changeset_is_listed_shown_applied_and_undone_by_its_id(
    program: Inside, editing: WrittenDown
) -> None:
    for words in (
        ["changeset"],
        ["changeset", "list", "--state", "failed", "-n", "3"],
        ["changeset", "log"],
        ["changeset", "show", "20261116-abcde"],
        ["changeset", "apply", "20261116-abcde"],
        ["changeset", "undo", "20261116-abcde", "--dry-run"],
        ["proposals"],
        ["proposals", "show", "20261116-abcde"],
        ["proposals", "reject", "20261116-abcde"],
    ):
        done = program.bare(*words)
        assert done.returncode == exits.OK, done.stderr

    assert [call[0] for call in editing.calls] == [
        "changesets", "changesets", "changesets", "show", "apply", "undo",
        "changesets", "show", "reject",
    ]  # fmt: skip
    assert editing.calls[1][1:] == ((("failed",),), {"limit": 3})
    assert editing.calls[2][1] == (("applied", "undone", "failed"),)
    assert editing.calls[5][1][1].dry_run
    assert editing.calls[6][1] == (("proposed",),)


def test_nothing_is_approved_without_a_person_or_a_yes(
    program: Inside, editing: WrittenDown
) -> None:
    refused = program.bare("proposals", "approve", "20261116-abcde")
    done = program.bare("proposals", "approve", "20261116-abcde", "--yes")

    assert refused.returncode == exits.USAGE
    assert "--yes" in refused.stderr
    assert [call[0] for call in editing.calls] == ["show", "approve"]
    assert editing.calls[1][2] == {"client": "cli"}
    assert done.returncode == exits.OK


def test_a_proposal_that_had_to_be_made_anew_is_no_success(
    program: Inside, editing: WrittenDown
) -> None:
    editing.answer = changed("proposed")

    done = program.bare("proposals", "approve", "20261116-zzzzz", "--yes")

    assert done.returncode == exits.CONFLICT
    assert "new proposal" in done.stderr
    assert "20261116-abcde" in done.stdout


def test_what_is_proposed_is_told_as_such_in_both_shapes(
    program: Inside, editing: WrittenDown
) -> None:
    editing.answer = replace(changed("proposed"), notices=("mind the gap",))

    plain = program.bare("edit", "append", NOTE, "--text", "x")
    told = json.loads(
        program.bare("--json", "edit", "append", NOTE, "--text", "x").stdout
    )

    assert "nothing was changed" in plain.stdout
    assert "glassmind proposals approve 20261116-abcde" in plain.stdout
    assert "mind the gap" in plain.stderr
    assert (told["state"], told["applied"]) == ("proposed", False)


def test_edit_alone_tells_which_actions_there_are(program: Inside) -> None:
    plain = program.bare("edit")
    told = json.loads(program.bare("--json", "edit").stdout)

    assert all(name in plain.stdout for name in ACTIONS)
    assert [one["name"] for one in told["actions"]] == list(ACTIONS)


def test_an_action_that_is_typed_alone_is_pointed_to(program: Inside) -> None:
    done = program.bare("append", NOTE)

    assert "did you mean edit append?" in done.stderr
