"""Changesets and proposals from a shell: shown, listed, asked about, left."""

from pathlib import Path

import pytest
from cli_edit_harness import allowed, answered, good, indexed_program, tea
from cli_harness import Inside

from glassmind import errors as exits

TEA = "# Tea\n\nOolong rests.\n"
CUPS = "For [[Tea]].\n"


@pytest.fixture
def program(tmp_path: Path) -> Inside:
    return indexed_program(tmp_path, TEA, CUPS)


@pytest.fixture
def free(program: Inside) -> Inside:
    return allowed(program)


def test_two_lines_that_are_proposed_for_one_note_are_both_approved(
    program: Inside,
) -> None:
    ids = [program.json("edit", "append", "Tea", "--text", text)["id"] for text in "ab"]

    good(program.run("proposals", "approve", ids[0], "--yes"))
    anew = program.run("proposals", "approve", ids[1], "--yes")
    (waits,) = program.json("proposals")["changesets"]
    good(program.run("proposals", "approve", waits["id"], "--yes"))

    assert anew.returncode == exits.CONFLICT
    assert "new proposal" in anew.stderr
    assert tea(program) == f"{TEA}a\nb\n"


def test_a_line_is_taken_back_though_another_was_added_behind_it(free: Inside) -> None:
    first = free.json("edit", "append", "Tea", "--text", "a")["id"]
    free.json("edit", "append", "Tea", "--text", "b")

    undone = free.json("changeset", "undo", first)

    assert (undone["state"], undone["risks"]) == ("proposed", [])
    good(free.run("proposals", "approve", undone["id"], "--yes"))
    assert tea(free) == f"{TEA}b\n"


def test_a_dry_run_of_what_was_edited_since_says_how_it_becomes_a_proposal(
    free: Inside,
) -> None:
    first = free.json("edit", "append", "Tea", "--text", "a")["id"]
    free.json("edit", "append", "Tea", "--text", "b")

    told = free.json("changeset", "undo", first, "--dry-run")
    shown = good(free.run("changeset", "undo", first, "--dry-run")).stdout

    assert (told["id"], told["state"], told["undoes"]) == (None, "previewed", first)
    assert shown.startswith("take back: ")
    assert f"to propose it: glassmind changeset undo {first}\n" in shown
    assert "changeset apply" not in shown


def test_what_is_so_already_is_told_as_no_change(free: Inside) -> None:
    words = ("edit", "replace", "Tea", "--find", "Oolong", "--text", "Oolong")

    told = free.json(*words)
    shown = good(free.run(*words, "--dry-run"))

    assert (told["applied"], told["state"], told["id"]) == (False, "previewed", None)
    assert "nothing was changed" in told["notices"][0]
    assert "changeset" not in shown.stdout
    assert free.json("health", "--fix")["applied"] is False


def test_a_dry_run_is_no_dead_end_where_a_person_has_to_approve(
    program: Inside,
) -> None:
    shown = good(program.run("edit", "append", "Tea", "--text", "a", "--dry-run"))
    identity = shown.stdout.split()[0]
    assert f"to propose it: glassmind changeset apply {identity}" in shown.stdout

    waits = program.json("changeset", "apply", identity)

    assert (waits["id"], waits["state"]) == (identity, "proposed")
    assert waits["approve"] == f"glassmind proposals approve {identity}"
    assert tea(program) == TEA
    good(program.run("proposals", "approve", identity, "--yes"))
    assert tea(program) == f"{TEA}a\n"


def test_a_person_may_approve_a_dry_run(program: Inside) -> None:
    shown = program.json("edit", "append", "Tea", "--text", "a", "--dry-run")

    good(program.run("proposals", "approve", shown["id"], "--yes"))

    assert tea(program) == f"{TEA}a\n"


def test_a_dry_run_that_takes_a_note_away_is_asked_about(free: Inside) -> None:
    shown = free.json("edit", "delete", "Tea", "--dry-run")["id"]

    refused = free.run("changeset", "apply", shown)
    no, said = answered(free, b"n\n", "changeset", "apply", shown)

    assert refused.returncode == exits.USAGE
    assert "Tea.md would go to the trash" in refused.stderr
    assert "--yes" in refused.stderr
    assert no == exits.NOTHING
    assert "Tea.md would go to the trash" in said
    assert "nothing was changed" in said
    assert tea(free) == TEA
    yes, _ = answered(free, b"y\n", "changeset", "apply", shown)
    assert yes == exits.OK
    assert not (free.vault / "Tea.md").exists()


def test_a_dry_run_that_takes_a_note_away_may_be_confirmed_at_once(
    free: Inside,
) -> None:
    shown = free.json("merge", "Tea", "Cups", "--dry-run")["id"]

    good(free.run("changeset", "apply", shown, "--yes"))

    assert not (free.vault / "Tea.md").exists()


@pytest.mark.parametrize("words", [("edit", "delete", "Tea"), ("merge", "Tea", "Cups")])
def test_who_says_no_is_told_that_nothing_was_changed(
    free: Inside, words: tuple[str, ...]
) -> None:
    no, said = answered(free, b"n\n", *words)

    assert no == exits.NOTHING
    assert "nothing was changed" in said
    assert "--yes" not in said
    assert tea(free) == TEA


def test_preview_is_another_word_for_show(program: Inside) -> None:
    identity = program.json("edit", "append", "Tea", "--text", "a")["id"]

    shown = good(program.run("changeset", "show", identity)).stdout

    assert good(program.run("changeset", "preview", identity)).stdout == shown


def test_a_list_may_be_cut_without_saying_that_it_is_one(program: Inside) -> None:
    for text in "ab":
        program.json("edit", "append", "Tea", "--text", text)

    assert len(program.json("proposals", "-n", "1")["changesets"]) == 1
    assert len(program.json("changeset", "--limit=1")["changesets"]) == 1
    assert len(program.json("changeset", "--state", "proposed")["changesets"]) == 2


def test_options_stand_behind_an_action_that_is_named(program: Inside) -> None:
    done = program.run("proposals", "-n", "1", "list")

    assert done.returncode == exits.USAGE
    assert "unexpected argument 'list'" in done.stderr
    assert "there is no option --yes" in program.run("proposals", "--yes").stderr


def test_the_beginning_of_several_ids_names_them_all(program: Inside) -> None:
    ids = [program.json("edit", "append", "Tea", "--text", text)["id"] for text in "ab"]

    done = program.run("proposals", "show", ids[0][:8])

    assert done.returncode == exits.VAULT
    assert all(identity in done.stderr for identity in ids)
    assert "did you mean" not in done.stderr


def test_a_list_says_what_is_applied(free: Inside) -> None:
    free.json("edit", "append", "Tea", "--text", "a")
    free.json("edit", "append", "Tea", "--text", "b", "--dry-run")

    listed = free.json("changeset")["changesets"]

    assert [one["applied"] for one in listed] == [False, True]


def test_what_is_rejected_is_told_with_its_digest_and_diff(program: Inside) -> None:
    waits = program.json("edit", "create", "Whisk", "--text", "Of bamboo.")

    left = program.json("proposals", "reject", waits["id"])

    assert left["files"] == waits["files"]


def test_what_somebody_made_true_by_hand_is_left_and_no_new_proposal_promised(
    program: Inside,
) -> None:
    waits = program.json("edit", "append", "Tea", "--text", "a")["id"]
    (program.vault / "Tea.md").write_text(f"{TEA}a\n", "utf-8")

    done = program.run("proposals", "approve", waits, "--yes")

    assert done.returncode == exits.NOTHING
    assert "its files say so already" in done.stderr
    assert "new proposal" not in done.stderr
