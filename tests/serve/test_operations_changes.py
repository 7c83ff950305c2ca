"""A change has one shape for programs, and a short one for people."""

from dataclasses import replace
from typing import Any

import pytest
from change_harness import DIFF, NEW, OLD, WrittenDown, changed, drafted, engine_with
from operation_harness import text_of, values_of

from glassmind.model import NotePath
from glassmind.model.edits import (
    STATES,
    Changed,
    ChangesetList,
    ChangeState,
    Rewritten,
)
from glassmind.obsidian.text import Style
from glassmind.operations.edit import (
    LISTED_FILES,
    SHOWN_FILES,
    change_result,
    changed_for_people,
)
from glassmind.operations.registry import Arguments

PLAIN = Style()


def changed_as_json(done: Changed) -> Any:
    return change_result(done).to_json()


def changed_as_text(done: Changed, style: Style, *, whole: bool = False) -> str:
    return changed_for_people(change_result(done), Arguments(), style, whole=whole)


class Listing(WrittenDown):
    """An engine that has these changesets."""

    def __init__(self, found: ChangesetList) -> None:
        super().__init__()
        self.found = found

    def changesets(self, *_: object, **__: object) -> ChangesetList:
        return self.found


def test_a_change_tells_programs_its_files_with_digests_counts_and_diff() -> None:
    told = changed_as_json(changed())

    assert (told["id"], told["state"], told["applied"]) == (
        "20261116-abcde",
        "applied",
        True,
    )
    assert told["files"] == [
        {
            "path": "Tea.md",
            "to": "Tea.md",
            "before": OLD,
            "after": NEW,
            "added": 1,
            "removed": 1,
            "diff": DIFF,
        }
    ]
    assert told["index"] == "fresh"
    assert told["links_rewritten"] == {"files": 0, "occurrences": 0}


@pytest.mark.parametrize("state", STATES)
def test_only_a_proposal_tells_how_a_person_approves_it(state: ChangeState) -> None:
    told = changed_as_json(changed(state))
    said = changed_as_text(changed(state), PLAIN)

    command = "glassmind proposals approve 20261116-abcde"
    assert (told["approve"] == command) is (state == "proposed")
    assert (command in said) is (state == "proposed")
    assert f"{state}: " in said


def test_what_was_not_made_is_shown_as_a_diff() -> None:
    said = changed_as_text(changed("previewed"), PLAIN)

    assert "nothing was changed" in said
    assert "\n-Oolong.\n+Sencha.\n" in said
    assert "+++" not in said
    assert "glassmind changeset apply 20261116-abcde" in said


def test_what_was_made_is_told_in_a_line_for_each_file_and_how_to_undo_it() -> None:
    said = changed_as_text(changed(), PLAIN)

    assert "  Tea.md  +1 -1\n" in said
    assert "Sencha" not in said
    assert "glassmind changeset undo 20261116-abcde" in said
    assert "Sencha" in changed_as_text(changed(), PLAIN, whole=True)


def test_a_diff_is_coloured_on_a_terminal_and_cannot_command_it() -> None:
    file = replace(changed().files[0], diff=f"{DIFF}+\x1b[2Jgone\u202e\n")

    said = changed_as_text(changed("proposed", files=(file,)), Style(colour=True))

    assert "\x1b[31m-Oolong.\x1b[0m" in said
    assert "\x1b[32m+Sencha.\x1b[0m" in said
    assert "\x1b[2J" not in said
    assert "\\x1b[2Jgone\\u202e" in said


def test_a_line_that_was_taken_out_and_looks_like_a_head_is_shown() -> None:
    file = replace(changed().files[0], diff=f"{DIFF}--- dashes\n")

    said = changed_as_text(changed("previewed", files=(file,)), PLAIN)

    assert "\n--- dashes\n" in said


def test_links_risks_adoption_and_a_late_index_are_told() -> None:
    done = drafted(
        changed(index="pending"),
        rewritten=Rewritten(3, 2),
        adopted=1,
        risks=("a link leads nowhere",),
    )

    said, told = changed_as_text(done, PLAIN), changed_as_json(done)

    assert "3 links in 2 files rewritten" in said
    assert "1 unresolved link now leads to it" in said
    assert "warning: a link leads nowhere" in said
    assert "will find it shortly" in said
    assert told["links_rewritten"] == {"files": 2, "occurrences": 3}
    assert (told["adopted"], told["risks"]) == (1, ["a link leads nowhere"])


def test_a_change_of_many_files_names_the_first_and_counts_the_rest() -> None:
    files = changed().files * (SHOWN_FILES + 5)

    said = changed_as_text(changed(files=files), PLAIN)

    assert said.count("Tea.md  +1 -1") == SHOWN_FILES
    assert "and 5 more files" in said


def test_new_and_moved_files_are_told_as_such() -> None:
    new = replace(changed().files[0], path=None, before=None)
    moved = replace(changed().files[0], to=NotePath("Cups/Tea.md"))

    said = changed_as_text(changed(files=(new, moved)), PLAIN)

    assert "Tea.md (new)" in said
    assert "Tea.md -> Cups/Tea.md" in said


def test_a_change_of_nothing_says_so() -> None:
    assert "Nothing to change" in changed_as_text(changed("previewed", files=()), PLAIN)


def test_a_file_that_says_so_already_is_no_change_to_be_taken_back() -> None:
    file = changed().files[0]
    idle = replace(file, before=file.after, added=0, removed=0, diff="")

    said = changed_as_text(changed("applied", files=(idle,)), PLAIN)

    assert "Nothing to change" in said
    assert "undo" not in said


def test_a_list_has_no_diffs_and_counts_what_it_leaves_out() -> None:
    step = changed().changeset.draft.steps[0]
    many = drafted(changed("proposed"), steps=(step,) * (LISTED_FILES + 4))
    found = ChangesetList((many.changeset,), 9)

    engine = engine_with(Listing(found))
    told, said = values_of(engine, "changes"), text_of(engine, "changes")

    assert told["total"] == 9
    assert told["changesets"][0]["files"][0] == {"path": "Tea.md", "to": "Tea.md"}
    assert told["changesets"][0]["approve"]
    assert "and 4 more" in said
    assert "and 8 more changesets" in said


def test_an_empty_list_says_so() -> None:
    engine = engine_with(Listing(ChangesetList((), 0)))

    assert text_of(engine, "changes") == "No changesets.\n"
