"""Taking changesets back, and what a person decides about proposals."""

from pathlib import Path

import pytest
from applying_harness import (
    AFTER,
    ASKING,
    BEFORE,
    STEPS,
    ApplyingHarness,
    MemoryFiles,
    draft,
)
from changing_harness import edit, move, new
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glassmind.edit.applying import MADE, applied, made
from glassmind.edit.proposals import approve, reject, undo
from glassmind.edit.vault import EditRequest
from glassmind.errors import (
    ChangesetUnknown,
    EditRefused,
    NameTaken,
    NoteChanged,
    PolicyForbids,
    WrongState,
)
from glassmind.model.edits import Changeset, FileStep


@pytest.fixture
def files() -> MemoryFiles:
    return MemoryFiles(dict(BEFORE))


@pytest.fixture
def harness(tmp_path: Path, files: MemoryFiles) -> ApplyingHarness:
    return ApplyingHarness(tmp_path, files)


def apply(harness: ApplyingHarness, *steps: FileStep) -> str:
    return applied(harness.harness(), draft(*steps), ASKING).changeset.id


def propose(harness: ApplyingHarness, *steps: FileStep) -> Changeset:
    waits = harness.book.made(draft(*steps), "proposed", client="agent")
    harness.book.keep(waits)
    return waits


def test_files_as_they_were_left_are_taken_back_at_once(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    identity = apply(harness, *STEPS)

    done = undo(harness.harness(), identity, ASKING)

    assert done.applied
    assert done.changeset.undoes == identity
    assert done.changeset.draft.verb == "undo"
    assert files.files == {**BEFORE, ".trash/new.md": b"new\n"}
    assert harness.book.get(identity).state == "undone"
    assert files.cleared == ["c"]


def test_what_is_taken_back_can_be_brought_back(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    first = apply(harness, *STEPS)
    second = undo(harness.harness(), first, ASKING).changeset.id
    third = undo(harness.harness(), second, ASKING).changeset.id

    assert files.files == AFTER
    assert [harness.book.get(one).state for one in (first, second, third)] == [
        "applied",
        "undone",
        "applied",
    ]

    undo(harness.harness(), third, ASKING)
    assert harness.book.get(first).state == "undone"
    assert files.files == {**BEFORE, ".trash/new.md": b"new\n"}


def test_a_deleted_note_comes_back_out_of_the_trash(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    identity = apply(harness, move("a.md", ".trash/a.md", b"a\n"))

    undo(harness.harness(), identity, ASKING)

    assert files.files == BEFORE


def test_a_trash_that_was_emptied_does_not_keep_a_note_from_coming_back(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    identity = apply(harness, move("a.md", ".trash/a.md", b"a\n"))
    del files.files[".trash/a.md"]

    done = undo(harness.harness(), identity, ASKING)

    assert done.changeset.state == "proposed"
    approve(harness.harness(), done.changeset.id)
    assert files.files == BEFORE
    assert harness.book.get(identity).state == "undone"


def test_another_name_in_the_trash_is_taken_where_there_is_one(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    files.files[".trash/new.md"] = b"older\n"
    identity = apply(harness, new("new.md", b"new\n"))

    undo(harness.harness(), identity, ASKING)

    assert files.files == {
        **BEFORE,
        ".trash/new.md": b"older\n",
        ".trash/new 1.md": b"new\n",
    }


def test_only_what_is_applied_can_be_taken_back(harness: ApplyingHarness) -> None:
    identity = apply(harness, *STEPS)
    undo(harness.harness(), identity, ASKING)

    with pytest.raises(WrongState, match=f"{identity} is undone"):
        undo(harness.harness(), identity, ASKING)
    with pytest.raises(ChangesetUnknown):
        undo(harness.harness(), "20240506-zzzzz", ASKING)


def test_a_dry_run_shows_it_and_changes_nothing(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    identity = apply(harness, *STEPS)

    done = undo(harness.harness(), identity, ASKING._replace(dry_run=True))

    assert done.changeset.state == "previewed"
    assert files.files == AFTER
    applied(harness.harness(), harness.book.get(done.changeset.id), ASKING)
    assert files.files == {**BEFORE, ".trash/new.md": b"new\n"}
    assert harness.book.get(identity).state == "undone"


def test_where_edits_need_approval_so_does_taking_back(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    identity = apply(harness, *STEPS)
    harness.mode = "propose"

    done = undo(harness.harness(), identity, ASKING)

    assert done.changeset.state == "proposed"
    assert "propose" in done.changeset.reason
    assert files.files == AFTER
    assert approve(harness.harness(), done.changeset.id).applied
    assert files.files == {**BEFORE, ".trash/new.md": b"new\n"}


def test_where_nothing_may_be_written_nothing_is_taken_back(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    identity = apply(harness, *STEPS)
    waits = propose(harness, edit("a.md", b"A\n", b"x\n"))
    harness.mode = "off"

    with pytest.raises(PolicyForbids):
        undo(harness.harness(), identity, ASKING)
    with pytest.raises(PolicyForbids):
        approve(harness.harness(), waits.id)
    assert files.files == AFTER


LONG = b"1\n2\n3\n4\n5\n6\n7\n"


def test_later_edits_elsewhere_in_a_note_stay_when_it_is_taken_back(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    files.files["long.md"] = LONG
    identity = apply(harness, edit("long.md", LONG, LONG.replace(b"2", b"two")))
    files.files["long.md"] = files.files["long.md"].replace(b"6", b"six")
    now = dict(files.files)

    shown = undo(harness.harness(), identity, ASKING._replace(dry_run=True))
    done = undo(harness.harness(), identity, ASKING)

    assert done.changeset.state == "proposed"
    assert shown.notices == ("it would become a proposal, as files were edited since",)
    assert files.files == now
    assert shown.changeset.id == ""
    assert approve(harness.harness(), done.changeset.id).applied
    assert files.files["long.md"] == LONG.replace(b"6", b"six")
    assert harness.book.get(identity).state == "undone"


def test_a_file_whose_lines_were_edited_since_stays_and_is_named(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    files.files["long.md"] = LONG
    changed = LONG.replace(b"1", b"one")
    steps = edit("long.md", LONG, changed), edit("a.md", b"a\n", b"A\n")
    identity = apply(harness, *steps)
    files.files["long.md"] = changed.replace(b"one", b"one!")

    done = undo(harness.harness(), identity, ASKING)

    assert done.changeset.draft.risks == (
        "long.md: lines were edited since, and stay as they are",
    )
    assert done.changeset.draft.steps == (edit("a.md", b"A\n", b"a\n"),)


NAMES = st.sampled_from(["a.md", "b.md", "x/c.md", "x/d.md"])


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.tuples(NAMES, NAMES, st.booleans()), min_size=1, max_size=6))
def test_whatever_was_applied_is_taken_back_in_turn(
    tmp_path: Path, wishes: list[tuple[str, str, bool]]
) -> None:
    files = MemoryFiles(dict(BEFORE))
    harness = ApplyingHarness(tmp_path, files)
    done: list[tuple[str, dict[str, bytes]]] = []
    for at, (name, to, rewritten) in enumerate(wishes):
        now = files.files.get(name)
        raw = b"%d\n" % at if rewritten or now is None else now
        step = new(name, raw) if now is None else move(name, to, now, raw)
        if name != to and to in files.files and now is not None:
            continue
        was = dict(files.files)
        identity = apply(harness, step)
        if files.files != was:
            done.append((identity, was))

    for identity, was in reversed(done):
        assert undo(harness.harness(), identity, ASKING).applied
        there = {p: raw for p, raw in files.files.items() if p[0] != "."}
        assert there == was


def test_where_nothing_can_be_taken_back_it_says_why(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    identity = apply(harness, edit("a.md", b"a\n", b"A\n"), new("new.md", b"n\n"))
    del files.files["a.md"]
    files.files["new.md"] = b"mine\n"

    with pytest.raises(EditRefused, match=r"a\.md is gone.*") as raised:
        undo(harness.harness(), identity, ASKING)

    assert "new.md stays, as it was edited since it was made" in str(raised.value)


def test_a_file_moved_since_is_found_where_it_is(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    identity = apply(harness, edit("a.md", b"a\n", b"A\n"))
    apply(harness, move("a.md", "x/a.md", b"A\n"))

    done = undo(harness.harness(), identity, ASKING)
    approve(harness.harness(), done.changeset.id)

    assert files.files == {"b.md": b"b\n", "x/a.md": b"a\n"}


def test_a_former_name_that_is_taken_stays_taken(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    identity = apply(harness, move("b.md", "c/b.md", b"b\n", b"B\n"))
    files.files["b.md"] = b"another\n"

    done = undo(harness.harness(), identity, ASKING)

    assert done.changeset.draft.steps == (edit("c/b.md", b"B\n", b"b\n"),)
    assert done.changeset.draft.risks == (
        "c/b.md stays there, as there is another b.md",
    )


def test_a_person_approves_and_it_is_applied(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    waits = propose(harness, *STEPS)

    done = approve(harness.harness(), waits.id[:-1], client="person")

    assert done.applied
    assert done.changeset.id == waits.id
    assert files.files == AFTER
    assert files.told == [f"person: edit {waits.id}, approved"]


def test_a_proposal_on_an_older_text_is_proposed_anew(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    files.files["long.md"] = LONG
    waits = propose(harness, edit("long.md", LONG, LONG.replace(b"2", b"two")), *STEPS)
    files.files["long.md"] = LONG.replace(b"6", b"six")

    done = approve(harness.harness(), waits.id)

    assert done.changeset.state == "proposed"
    assert done.changeset.client == "agent"
    assert waits.id in done.notices[0]
    assert files.files["long.md"] == LONG.replace(b"6", b"six")
    old = harness.book.get(waits.id)
    assert old.state == "rejected"
    assert old.reason == f"{done.changeset.id} took its place"
    assert approve(harness.harness(), done.changeset.id).applied
    assert files.files == {
        **AFTER,
        "long.md": LONG.replace(b"6", b"six").replace(b"2", b"two"),
    }


def test_a_folder_that_somebody_made_meanwhile_is_not_said_to_be_of_the_proposal(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    files.files["long.md"] = LONG
    steps = edit("long.md", LONG, LONG.replace(b"2", b"two")), new("Own/a.md", b"a")
    waits = made(harness.harness(), draft(*steps), "proposed", EditRequest("agent"))
    harness.book.keep(waits)
    files.files["long.md"] = LONG.replace(b"6", b"six")
    (harness.harness().root / "Own").mkdir(parents=True)

    done = approve(harness.harness(), waits.id)

    assert waits.draft.facts[MADE] == ["Own"]
    assert MADE not in done.changeset.draft.facts


@pytest.mark.parametrize("now", [b"1\n", b"1", b"- 1\r\n- 2"])
def test_two_proposals_to_add_to_one_note_are_both_approved(
    harness: ApplyingHarness, files: MemoryFiles, now: bytes
) -> None:
    files.files["log.md"] = now
    newline = b"\r\n" if b"\r" in now else b"\n"
    start = now if now.endswith(b"\n") else now + newline
    one = propose(harness, edit("log.md", now, start + b"a" + newline))
    other = propose(harness, edit("log.md", now, start + b"b" + newline))

    assert approve(harness.harness(), one.id).applied
    anew = approve(harness.harness(), other.id)

    assert anew.changeset.state == "proposed"
    assert approve(harness.harness(), anew.changeset.id).applied
    assert files.files["log.md"] == start + b"a" + newline + b"b" + newline


@pytest.mark.parametrize("now", [b"1\n", b"1"])
def test_what_was_added_is_taken_back_though_more_was_added_behind_it(
    harness: ApplyingHarness, files: MemoryFiles, now: bytes
) -> None:
    files.files["log.md"] = now
    first = apply(harness, edit("log.md", now, b"1\na\n"))
    apply(harness, edit("log.md", b"1\na\n", b"1\na\nb\n"))

    done = undo(harness.harness(), first, ASKING)

    assert done.changeset.draft.risks == ()
    assert approve(harness.harness(), done.changeset.id).applied
    assert files.files["log.md"] == b"1\nb" + now[1:]


def test_a_proposal_that_fits_no_more_goes_on_waiting(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    waits = propose(harness, *STEPS)
    files.files["a.md"] = b"mine\n"

    with pytest.raises(NoteChanged):
        approve(harness.harness(), waits.id)

    assert harness.book.get(waits.id) == waits


def test_a_proposal_whose_place_was_taken_goes_on_waiting(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    waits = propose(harness, *STEPS)
    files.files["new.md"] = b"mine\n"

    with pytest.raises(NameTaken):
        approve(harness.harness(), waits.id)

    assert harness.book.get(waits.id) == waits


def test_a_proposal_that_somebody_made_true_by_hand_is_left(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    waits = propose(harness, edit("a.md", b"a\n", b"A\n"))
    files.files["a.md"] = b"A\n"

    done = approve(harness.harness(), waits.id)

    assert done.changeset.state == "rejected"
    assert done.notices == ("nothing was changed: its files say so already",)


def test_a_person_rejects_and_nothing_happens(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    waits = propose(harness, *STEPS)

    done = reject(harness.harness(), waits.id)

    assert done.changeset.state == "rejected"
    assert files.files == BEFORE
    for verb in (approve, reject):
        with pytest.raises(WrongState, match="is rejected"):
            verb(harness.harness(), waits.id)


def test_a_damaged_proposal_can_be_rejected(harness: ApplyingHarness) -> None:
    waits = propose(harness, *STEPS)
    (file,) = (harness.home / "changesets" / "proposed").glob("*.change")
    file.write_bytes(b"torn")

    with pytest.raises(EditRefused, match="cannot be read"):
        approve(harness.harness(), waits.id)
    assert reject(harness.harness(), waits.id).changeset.state == "rejected"
    with pytest.raises(ChangesetUnknown):
        reject(harness.harness(), "nonsense")
