"""Applying changesets: all or nothing, on record, settled after a death."""

from pathlib import Path

import pytest
from applying_desk import (
    AFTER,
    ASKING,
    BEFORE,
    STEPS,
    ApplyingDesk,
    Killed,
    MemoryFiles,
    draft,
)
from changing_desk import edit

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
def desk(tmp_path: Path, files: MemoryFiles) -> ApplyingDesk:
    return ApplyingDesk(tmp_path, files)


def indexed(desk: ApplyingDesk, done: Changed) -> Changed:
    steps = done.changeset.draft.steps
    return refreshed(done, desk.desk().refresh(to_refresh(steps)))


def states(desk: ApplyingDesk) -> list[str]:
    return [changeset.state for changeset in desk.book.listed()[0]]


def test_a_draft_is_applied_kept_and_indexed(
    desk: ApplyingDesk, files: MemoryFiles
) -> None:
    done = indexed(desk, applied(desk.desk(), draft(*STEPS), ASKING))

    assert files.files == AFTER
    assert done.applied
    assert done.index == "fresh"
    assert [file.to for file in done.files] == ["a.md", "c/b.md", "new.md"]
    assert desk.book.get(done.changeset.id) == done.changeset
    assert desk.refreshed == [["a.md", "b.md", "c/b.md", "new.md"]]
    assert files.turns == 1
    assert files.told == [f"test: edit {done.changeset.id}"]


def test_an_index_that_lags_behind_is_told(desk: ApplyingDesk) -> None:
    desk.fault = IndexAbsent("there")

    done = indexed(desk, applied(desk.desk(), draft(*STEPS), ASKING))

    assert done.index == "pending"
    assert "a search does not find it yet: no index in there yet" in done.notices[0]


def test_for_a_moved_folder_the_whole_vault_is_looked_at(desk: ApplyingDesk) -> None:
    desk.files = MemoryFiles({"Old": b""})
    step = FileStep(NotePath("Old"), NotePath("New"), b"", b"", folder=True)

    indexed(desk, applied(desk.desk(), draft(step), ASKING))

    assert desk.refreshed == [[]]


def test_what_changes_nothing_is_not_kept(
    desk: ApplyingDesk, files: MemoryFiles
) -> None:
    done = applied(desk.desk(), draft(edit("a.md", b"a\n", b"a\n")), ASKING)

    assert done.notices == (NOTHING,)
    assert files.files == BEFORE
    assert desk.book.listed() == ([], 0)


def test_a_file_that_is_another_by_now_stops_all(
    desk: ApplyingDesk, files: MemoryFiles
) -> None:
    files.files["b.md"] = b"other\n"

    with pytest.raises(NoteChanged):
        applied(desk.desk(), draft(*STEPS), ASKING)

    assert files.files == {"a.md": b"a\n", "b.md": b"other\n"}
    assert desk.book.listed() == ([], 0)
    assert desk.refreshed == []


def test_a_disk_that_fails_on_the_way_leaves_all_and_a_failed_changeset(
    desk: ApplyingDesk, files: MemoryFiles
) -> None:
    files.fails_at = 2

    with pytest.raises(OSError, match="No space left"):
        applied(desk.desk(), draft(*STEPS), ASKING)

    assert files.files == BEFORE
    (failed,), _ = desk.book.listed()
    assert failed.state == "failed"
    assert "No space left" in failed.reason
    assert settle(desk.desk()) == ()


def test_a_proposal_that_cannot_be_applied_goes_on_waiting(
    desk: ApplyingDesk, files: MemoryFiles
) -> None:
    waits = desk.book.made(draft(*STEPS), "proposed", client="test")
    desk.book.keep(waits)
    files.fails_at = 1

    with pytest.raises(OSError, match="No space left"):
        applied(desk.desk(), waits, ASKING)

    assert states(desk) == ["proposed"]
    files.fails_at = None
    assert applied(desk.desk(), waits, ASKING).changeset.id == waits.id
    assert states(desk) == ["applied"]
    assert files.files == AFTER


def test_what_cannot_be_undone_is_not_made(
    desk: ApplyingDesk, files: MemoryFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = ChangesetFolder(None)
    monkeypatch.setattr(ApplyingDesk, "book", nowhere)

    with pytest.raises(NowhereToKeep):
        applied(desk.desk(), draft(*STEPS), ASKING)

    assert files.files == BEFORE


def killed(desk: ApplyingDesk, files: MemoryFiles, at: int) -> None:
    """Let a process die before a step; what it left is as a real one leaves it."""
    files.kills_at = at
    set_aside = pytest.MonkeyPatch()
    set_aside.setattr("glassmind.edit.applying._set_aside", lambda *_: None)
    with pytest.raises(Killed):
        applied(desk.desk(), draft(*STEPS), ASKING)
    set_aside.undo()
    files.kills_at = None
    assert states(desk) == ["applying"]


@pytest.mark.parametrize("at", range(4))
def test_what_a_dead_process_began_is_finished(
    desk: ApplyingDesk, files: MemoryFiles, at: int
) -> None:
    killed(desk, files, at)

    (said,) = settle(desk.desk())

    assert said.endswith("(Tea) was interrupted; it is applied now")
    assert files.files == AFTER
    assert states(desk) == ["applied"]
    assert settle(desk.desk()) == ()


def test_what_is_settled_is_brought_into_the_index_by_whoever_settles_it(
    desk: ApplyingDesk, files: MemoryFiles
) -> None:
    killed(desk, files, 1)
    waits = desk.book.made(draft(edit("a.md", b"A\n", b"!\n")), "proposed", client="x")
    desk.book.keep(waits)

    assert indexed(desk, approve(desk.desk(), waits.id)).applied

    assert desk.refreshed == [["a.md", "b.md", "c/b.md", "new.md"], ["a.md"]]


def test_where_nothing_may_be_written_nothing_is_settled(
    desk: ApplyingDesk, files: MemoryFiles
) -> None:
    killed(desk, files, 1)
    half, desk.mode = dict(files.files), "off"

    (said,) = settle(desk.desk())

    assert said.endswith('waits: writes.mode = "off" lets nothing be written')
    assert files.files == half
    assert states(desk) == ["applying"]


@pytest.mark.parametrize("at", range(4))
def test_what_somebody_edited_meanwhile_is_taken_back(
    desk: ApplyingDesk, files: MemoryFiles, at: int
) -> None:
    killed(desk, files, at)
    files.files["a.md"] = b"mine\n"

    (said,) = settle(desk.desk())

    assert said.endswith("was interrupted and taken back: a.md was edited meanwhile")
    assert files.files == {**BEFORE, "a.md": b"mine\n"}
    (failed,), _ = desk.book.listed()
    assert failed.state == "failed"
    assert "a.md was edited" in failed.reason


def test_who_edits_next_settles_first(desk: ApplyingDesk, files: MemoryFiles) -> None:
    killed(desk, files, 1)

    step = edit("a.md", b"A\n", b"more\n")
    done = indexed(desk, applied(desk.desk(), draft(step), ASKING))

    assert done.notices[0].endswith("it is applied now")
    assert files.files == {**AFTER, "a.md": b"more\n"}
    assert states(desk) == ["applied", "applied"]
    assert desk.refreshed == [["a.md", "b.md", "c/b.md", "new.md"], ["a.md"]]


def test_a_damaged_journal_does_not_stop_others(
    desk: ApplyingDesk, files: MemoryFiles
) -> None:
    killed(desk, files, 1)
    (file,) = (desk.home / "changesets" / "applying").glob("*.change")
    file.write_bytes(file.read_bytes()[:-20])

    (said,) = settle(desk.desk())

    assert "cannot be settled" in said
    assert states(desk) == ["failed"]
    with pytest.raises(EditRefused):
        desk.book.get(file.stem)


def test_what_the_disk_refuses_to_settle_is_tried_again(
    desk: ApplyingDesk, files: MemoryFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(desk, files, 1)

    def refuse(*_: object, **__: object) -> None:
        raise WriteFailed("b.md", "it is read-only")

    with monkeypatch.context() as patched:
        patched.setattr(files, "settle", refuse)
        (said,) = settle(desk.desk())

    assert "cannot be settled yet: b.md was not written" in said
    assert states(desk) == ["applying"]
    assert len(settle(desk.desk())) == 1
    assert files.files == AFTER


def test_what_another_is_applying_right_now_is_not_settled(
    desk: ApplyingDesk, files: MemoryFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(desk, files, 1)

    def refuse() -> None:
        raise WriteFailed("vault", "another took too long")

    monkeypatch.setattr(files, "turn", refuse)

    assert settle(desk.desk()) == ()
    assert states(desk) == ["applying"]


def test_a_name_that_is_taken_stops_all(desk: ApplyingDesk, files: MemoryFiles) -> None:
    files.files["new.md"] = b"there"

    with pytest.raises(NameTaken):
        applied(desk.desk(), draft(*STEPS), ASKING)

    assert files.files == {**BEFORE, "new.md": b"there"}
