"""Applying changesets: all or nothing, on record, settled after a death."""

from pathlib import Path

import pytest
from applying_harness import (
    AFTER,
    ASKING,
    BEFORE,
    STEPS,
    ApplyingHarness,
    Killed,
    MemoryFiles,
    draft,
)
from changing_harness import edit

from glassmind.edit.applying import NOTHING, applied, refreshed, settle, to_refresh
from glassmind.edit.proposals import approve
from glassmind.errors import (
    EditRefused,
    IndexAbsent,
    NameTaken,
    NoteChanged,
    NowhereToKeep,
    WriteFailed,
)
from glassmind.model import NotePath
from glassmind.model.edits import Changed, FileStep
from glassmind.store.changesets import ChangesetFolder


@pytest.fixture
def files() -> MemoryFiles:
    return MemoryFiles(dict(BEFORE))


@pytest.fixture
def harness(tmp_path: Path, files: MemoryFiles) -> ApplyingHarness:
    return ApplyingHarness(tmp_path, files)


def indexed(harness: ApplyingHarness, done: Changed) -> Changed:
    steps = done.changeset.draft.steps
    return refreshed(done, harness.harness().refresh(to_refresh(steps)))


def states(harness: ApplyingHarness) -> list[str]:
    return [changeset.state for changeset in harness.book.listed()[0]]


def test_a_draft_is_applied_kept_and_indexed(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    done = indexed(harness, applied(harness.harness(), draft(*STEPS), ASKING))

    assert files.files == AFTER
    assert done.applied
    assert done.index == "fresh"
    assert [file.to for file in done.files] == ["a.md", "c/b.md", "new.md"]
    assert harness.book.get(done.changeset.id) == done.changeset
    assert harness.refreshed == [["a.md", "b.md", "c/b.md", "new.md"]]
    assert files.turns == 1
    assert files.told == [f"test: edit {done.changeset.id}"]


def test_an_index_that_lags_behind_is_told(harness: ApplyingHarness) -> None:
    harness.fault = IndexAbsent("there")

    done = indexed(harness, applied(harness.harness(), draft(*STEPS), ASKING))

    assert done.index == "pending"
    assert "a search does not find it yet: no index in there yet" in done.notices[0]


def test_for_a_moved_folder_the_whole_vault_is_looked_at(
    harness: ApplyingHarness,
) -> None:
    harness.files = MemoryFiles({"Old": b""})
    step = FileStep(NotePath("Old"), NotePath("New"), b"", b"", folder=True)

    indexed(harness, applied(harness.harness(), draft(step), ASKING))

    assert harness.refreshed == [[]]


def test_what_changes_nothing_is_not_kept(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    done = applied(harness.harness(), draft(edit("a.md", b"a\n", b"a\n")), ASKING)

    assert done.notices == (NOTHING,)
    assert files.files == BEFORE
    assert harness.book.listed() == ([], 0)


def test_a_file_that_is_another_by_now_stops_all(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    files.files["b.md"] = b"other\n"

    with pytest.raises(NoteChanged):
        applied(harness.harness(), draft(*STEPS), ASKING)

    assert files.files == {"a.md": b"a\n", "b.md": b"other\n"}
    assert harness.book.listed() == ([], 0)
    assert harness.refreshed == []


def test_a_disk_that_fails_on_the_way_leaves_all_and_a_failed_changeset(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    files.fails_at = 2

    with pytest.raises(OSError, match="No space left"):
        applied(harness.harness(), draft(*STEPS), ASKING)

    assert files.files == BEFORE
    (failed,), _ = harness.book.listed()
    assert failed.state == "failed"
    assert "No space left" in failed.reason
    assert settle(harness.harness()) == ()


def test_a_proposal_that_cannot_be_applied_goes_on_waiting(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    waits = harness.book.made(draft(*STEPS), "proposed", client="test")
    harness.book.keep(waits)
    files.fails_at = 1

    with pytest.raises(OSError, match="No space left"):
        applied(harness.harness(), waits, ASKING)

    assert states(harness) == ["proposed"]
    files.fails_at = None
    assert applied(harness.harness(), waits, ASKING).changeset.id == waits.id
    assert states(harness) == ["applied"]
    assert files.files == AFTER


def test_what_cannot_be_undone_is_not_made(
    harness: ApplyingHarness, files: MemoryFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = ChangesetFolder(None)
    monkeypatch.setattr(ApplyingHarness, "book", nowhere)

    with pytest.raises(NowhereToKeep):
        applied(harness.harness(), draft(*STEPS), ASKING)

    assert files.files == BEFORE


def killed(harness: ApplyingHarness, files: MemoryFiles, at: int) -> None:
    """Let a process die before a step; what it left is as a real one leaves it."""
    files.kills_at = at
    set_aside = pytest.MonkeyPatch()
    set_aside.setattr("glassmind.edit.applying._set_aside", lambda *_: None)
    with pytest.raises(Killed):
        applied(harness.harness(), draft(*STEPS), ASKING)
    set_aside.undo()
    files.kills_at = None
    assert states(harness) == ["applying"]


@pytest.mark.parametrize("at", range(4))
def test_what_a_dead_process_began_is_finished(
    harness: ApplyingHarness, files: MemoryFiles, at: int
) -> None:
    killed(harness, files, at)

    (said,) = settle(harness.harness())

    assert said.endswith("(Tea) was interrupted; it is applied now")
    assert files.files == AFTER
    assert states(harness) == ["applied"]
    assert settle(harness.harness()) == ()


def test_what_is_settled_is_brought_into_the_index_by_whoever_settles_it(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    killed(harness, files, 1)
    waits = harness.book.made(
        draft(edit("a.md", b"A\n", b"!\n")), "proposed", client="x"
    )
    harness.book.keep(waits)

    assert indexed(harness, approve(harness.harness(), waits.id)).applied

    assert harness.refreshed == [["a.md", "b.md", "c/b.md", "new.md"], ["a.md"]]


def test_where_nothing_may_be_written_nothing_is_settled(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    killed(harness, files, 1)
    half, harness.mode = dict(files.files), "off"

    (said,) = settle(harness.harness())

    assert said.endswith('waits: writes.mode = "off" lets nothing be written')
    assert files.files == half
    assert states(harness) == ["applying"]


@pytest.mark.parametrize("at", range(4))
def test_what_somebody_edited_meanwhile_is_taken_back(
    harness: ApplyingHarness, files: MemoryFiles, at: int
) -> None:
    killed(harness, files, at)
    files.files["a.md"] = b"mine\n"

    (said,) = settle(harness.harness())

    assert said.endswith("was interrupted and taken back: a.md was edited meanwhile")
    assert files.files == {**BEFORE, "a.md": b"mine\n"}
    (failed,), _ = harness.book.listed()
    assert failed.state == "failed"
    assert "a.md was edited" in failed.reason


def test_who_edits_next_settles_first(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    killed(harness, files, 1)

    step = edit("a.md", b"A\n", b"more\n")
    done = indexed(harness, applied(harness.harness(), draft(step), ASKING))

    assert done.notices[0].endswith("it is applied now")
    assert files.files == {**AFTER, "a.md": b"more\n"}
    assert states(harness) == ["applied", "applied"]
    assert harness.refreshed == [["a.md", "b.md", "c/b.md", "new.md"], ["a.md"]]


def test_a_damaged_journal_does_not_stop_others(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    killed(harness, files, 1)
    (file,) = (harness.home / "changesets" / "applying").glob("*.change")
    file.write_bytes(file.read_bytes()[:-20])

    (said,) = settle(harness.harness())

    assert "cannot be settled" in said
    assert states(harness) == ["failed"]
    with pytest.raises(EditRefused):
        harness.book.get(file.stem)


def test_what_the_disk_refuses_to_settle_is_tried_again(
    harness: ApplyingHarness, files: MemoryFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(harness, files, 1)

    def refuse(*_: object, **__: object) -> None:
        raise WriteFailed("b.md", "it is read-only")

    with monkeypatch.context() as patched:
        patched.setattr(files, "settle", refuse)
        (said,) = settle(harness.harness())

    assert "cannot be settled yet: b.md was not written" in said
    assert states(harness) == ["applying"]
    assert len(settle(harness.harness())) == 1
    assert files.files == AFTER


def test_what_another_is_applying_right_now_is_not_settled(
    harness: ApplyingHarness, files: MemoryFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(harness, files, 1)

    def refuse() -> None:
        raise WriteFailed("vault", "another took too long")

    monkeypatch.setattr(files, "turn", refuse)

    assert settle(harness.harness()) == ()
    assert states(harness) == ["applying"]


def test_a_name_that_is_taken_stops_all(
    harness: ApplyingHarness, files: MemoryFiles
) -> None:
    files.files["new.md"] = b"there"

    with pytest.raises(NameTaken):
        applied(harness.harness(), draft(*STEPS), ASKING)

    assert files.files == {**BEFORE, "new.md": b"there"}
