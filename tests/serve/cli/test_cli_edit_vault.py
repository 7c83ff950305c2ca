"""A vault is edited from a shell: proposed, looked at, approved, undone."""

import json
from pathlib import Path

import pytest
from cli_edit_harness import allowed, answered, good, indexed_program, tea
from cli_harness import Inside

from glassmind import errors as exits

TEA = "---\ntags: [drink] # all of them\n---\n# Tea\n\nOolong rests.\n\n- [ ] buy it\n"
CUPS = "For [[Tea]] and [[Tea#Tea|it]].\n"


@pytest.fixture
def program(tmp_path: Path) -> Inside:
    return indexed_program(tmp_path, TEA, CUPS)


@pytest.fixture
def free(program: Inside) -> Inside:
    return allowed(program)


def test_an_edit_waits_until_a_person_approves_it(program: Inside) -> None:
    done = program.json("edit", "append", "Tea.md", "--text", "Sencha wakes.")
    listed = program.json("proposals", "list")
    shown = good(program.run("proposals", "show", done["id"])).stdout

    assert (done["state"], tea(program)) == ("proposed", TEA)
    assert [one["id"] for one in listed["changesets"]] == [done["id"]]
    assert "+Sencha wakes." in shown

    good(program.run("proposals", "approve", done["id"], "--yes"))

    assert tea(program).endswith("\nSencha wakes.\n")
    assert program.run("proposals").returncode == exits.NOTHING


def test_a_proposal_that_is_rejected_changes_nothing_and_stays_rejected(
    program: Inside,
) -> None:
    done = program.json("edit", "append", "Tea.md", "--text", "x")

    good(program.run("proposals", "reject", done["id"]))
    late = program.run("proposals", "approve", done["id"], "--yes")

    assert tea(program) == TEA
    assert late.returncode == exits.VAULT
    assert "rejected" in late.stderr


def test_a_proposal_on_a_text_that_changed_is_looked_at_again(program: Inside) -> None:
    done = program.json("edit", "append", "Tea.md", "--text", "At the end.")
    (program.vault / "Tea.md").write_text(TEA.replace("# Tea", "# Cha"), "utf-8")

    anew = program.run("proposals", "approve", done["id"], "--yes")

    assert anew.returncode == exits.CONFLICT
    (waiting,) = program.json("proposals")["changesets"]
    assert waiting["id"] != done["id"]
    good(program.run("proposals", "approve", waiting["id"], "--yes"))
    assert "# Cha" in tea(program)
    assert tea(program).endswith("\nAt the end.\n")


def test_on_a_terminal_a_proposal_is_shown_and_asked_about(program: Inside) -> None:
    done = program.json("edit", "append", "Tea.md", "--text", "Sencha wakes.")

    no, said = answered(program, b"\n", "proposals", "approve", done["id"])
    assert (no, tea(program)) == (exits.NOTHING, TEA)
    assert "+Sencha wakes." in said
    assert f"Only a person can apply {done['id']}. Continue?" in said

    yes, _ = answered(program, b"y\n", "proposals", "approve", done["id"])
    assert yes == exits.OK
    assert tea(program).endswith("\nSencha wakes.\n")


def test_on_a_terminal_deleting_is_asked_about(free: Inside) -> None:
    no, _ = answered(free, b"n\n", "edit", "delete", "Tea")
    assert no == exits.NOTHING
    assert tea(free) == TEA

    yes, _ = answered(free, b"yes\n", "edit", "delete", "Tea")
    assert yes == exits.OK
    assert (free.vault / ".trash" / "Tea.md").read_text("utf-8") == TEA


def test_text_is_piped_in(free: Inside) -> None:
    for words in (["--text", "-"], ["--file", "-"], []):
        good(free.piped("Grüße\n", "edit", "append", "Tea.md", *words))

    assert tea(free).count("Grüße\n") == 3


def test_a_pipe_with_nothing_in_it_is_no_text(free: Inside) -> None:
    done = free.piped("", "edit", "append", "Tea.md")

    assert done.returncode == exits.USAGE
    assert "--text is missing" in done.stderr
    assert tea(free) == TEA


def test_edits_change_what_is_meant_and_nothing_else(free: Inside) -> None:
    good(free.run("edit", "property", "Tea", "--name", "tags", "--add", "leaf"))
    good(free.run("edit", "task", "Tea", "--find", "buy it"))
    good(free.run("edit", "replace", "Tea", "--find", "rests", "--text", "sleeps"))

    assert tea(free) == (
        "---\ntags: [drink, leaf] # all of them\n---\n# Tea\n\nOolong sleeps.\n\n"
        "- [x] buy it\n"
    )


def test_an_edit_by_a_digest_that_is_old_writes_nothing(free: Inside) -> None:
    read = free.json("read", "Tea")["digest"]
    edit = ("edit", "append", "Tea", "--text", "x", "--expect", read[:12])

    good(free.run(*edit))
    late = free.run("--json", *edit)

    assert late.returncode == exits.CONFLICT
    told = json.loads(late.stdout)["error"]
    assert told["digest"] == free.json("read", "Tea")["digest"]
    assert tea(free).count("x\n") == 1


def test_all_edits_of_a_list_are_made_or_none(free: Inside, tmp_path: Path) -> None:
    file = tmp_path / "edits.json"
    edits = [{"op": "append", "text": "x"}, {"op": "replace", "find": "q", "text": ""}]
    file.write_text(json.dumps(edits), "utf-8")

    done = free.run("edit", "apply", "Tea", "--edits", file)

    assert done.returncode == exits.VAULT
    assert "edits[1]" in done.stderr
    assert tea(free) == TEA


def test_a_move_is_shown_made_and_taken_back(free: Inside) -> None:
    shown = free.json("move", "Tea", "Drinks/Cha", "--dry-run")
    assert (shown["state"], tea(free)) == ("previewed", TEA)

    done = free.json("changeset", "apply", shown["id"])
    cups = (free.vault / "Cups.md").read_text("utf-8")
    assert done["applied"]
    assert cups == "For [[Cha]] and [[Cha#Tea|it]].\n"

    back = free.json("changeset", "undo", done["id"])
    assert back["undoes"] == done["id"]
    assert (free.vault / "Cups.md").read_text("utf-8") == CUPS
    assert tea(free) == TEA
    states = {
        one["id"]: one["state"] for one in free.json("changeset", "log")["changesets"]
    }
    assert states == {done["id"]: "undone", back["id"]: "applied"}


def test_notes_are_merged_split_and_renamed_in(free: Inside) -> None:
    good(free.run("rename-heading", "Tea", "Tea", "Green tea"))
    assert "[[Tea#Green tea|it]]" in (free.vault / "Cups.md").read_text("utf-8")

    good(free.run("rename-tag", "drink", "brew"))
    assert "tags: [brew] # all of them" in tea(free)

    good(free.run("merge", "Tea", "Cups", "--yes"))
    assert "Oolong rests." in (free.vault / "Cups.md").read_text("utf-8")

    good(free.run("split", "Cups", "--heading", "Green tea"))
    assert "Oolong rests." in (free.vault / "Green tea.md").read_text("utf-8")


def test_a_note_is_made_from_a_template_with_properties(free: Inside) -> None:
    (free.vault / "Plan.md").write_text("# {{title}}\n", "utf-8")
    good(free.run("index"))

    wishes = ("--property", "rank=2", "--template", "Plan", "--folder", "New")
    done = free.json("edit", "create", "Oolong", *wishes, "--text", "Rests.")

    assert done["files"][0]["path"] is None
    text = (free.vault / "New" / "Oolong.md").read_text("utf-8")
    assert text.startswith("---\nrank: 2\n---\n# Oolong\n")
    assert text.rstrip().endswith("Rests.")
    again = free.run("edit", "create", "Oolong", "--folder", "New")
    assert again.returncode == exits.VAULT
    assert "there is a file of that name" in again.stderr


def test_a_note_is_not_edited_on_a_guess(free: Inside) -> None:
    done = free.run("edit", "append", "Te", "--text", "x")

    assert done.returncode == exits.VAULT
    assert "Tea" in done.stderr
    assert tea(free) == TEA


def test_where_nothing_may_be_written_nothing_is(program: Inside) -> None:
    program.env["GLASSMIND_WRITES_MODE"] = "off"

    done = program.run("edit", "append", "Tea", "--text", "x")

    assert done.returncode == exits.VAULT
    assert "writes.mode" in done.stderr
    assert tea(program) == TEA
