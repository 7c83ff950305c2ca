"""Several files of a vault are changed at once: all of them or none, on record."""

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from changing_harness import (
    EVERY,
    LOG,
    NEW,
    OLD,
    apply,
    changer_of,
    edit,
    files_of,
    folders_in,
    lines_of,
    made,
    move,
    move_folder,
    new,
)
from git_harness import GitHarness

from glassmind.errors import NameTaken, NoteChanged, NowhereToKeep, WriteFailed
from glassmind.files import folder, transaction
from glassmind.files.folder import AuditFile, FolderEntry
from glassmind.files.read import digest_of
from glassmind.files.steps import trash_place
from glassmind.files.write import VaultChanger
from glassmind.model import NotePath
from glassmind.model.edits import FileStep

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX alone has it")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made(tmp_path / "Notes", OLD)
    return tmp_path / "Notes"


@pytest.fixture
def changer(root: Path) -> VaultChanger:
    return changer_of(root)


def test_a_change_with_a_step_of_every_kind_is_made(
    changer: VaultChanger, root: Path
) -> None:
    apply(changer, *EVERY)

    assert files_of(root) == NEW
    assert folders_in(root) == {
        "Green", "Fresh", "New", "New/home", "New/home/deep", ".trash"
    }  # fmt: skip


def test_a_change_and_its_inverse_leave_the_vault_as_it_was(
    changer: VaultChanger, root: Path
) -> None:
    steps = [step for step in EVERY if step.path is not None]
    apply(changer, *steps)

    back = [
        FileStep(s.to, s.path or s.to, s.before and s.after, s.before or b"", s.folder)
        for s in steps
    ]
    apply(changer, *back)

    assert files_of(root) == OLD


def test_a_file_in_a_folder_that_is_moved_may_be_named_by_its_old_path_alone(
    changer: VaultChanger, root: Path
) -> None:
    apply(changer, move_folder("Old", "New"), edit("Old/deep/Lid.md", b"lid", b"top"))

    assert (root / "New/deep/Lid.md").read_bytes() == b"top"
    assert not (root / "Old").exists()


def test_a_file_may_be_made_or_brought_into_a_folder_that_is_moved(
    changer: VaultChanger, root: Path
) -> None:
    apply(
        changer,
        move_folder("Old", "New"),
        new("New/Spoon.md", b"spoon"),
        move("Tea.md", "New/Tea.md", b"oolong"),
        move("Old/Pot.md", "Pot.md", OLD["Old/Pot.md"]),
    )

    found = files_of(root)
    assert found["New/Spoon.md"] == b"spoon"
    assert found["New/Tea.md"] == b"oolong"
    assert found["Pot.md"] == OLD["Old/Pot.md"]
    assert not (root / "Old").exists()


def test_two_files_do_not_change_places(changer: VaultChanger, root: Path) -> None:
    with pytest.raises(NameTaken):
        apply(
            changer,
            move("Tea.md", "Cup.md", b"oolong"),
            move("Cup.md", "Tea.md", OLD["Cup.md"]),
        )

    assert files_of(root) == OLD


def test_every_step_is_on_record_with_its_digests(
    changer: VaultChanger, root: Path
) -> None:
    apply(changer, *EVERY)

    told = {line["path"]: line for line in lines_of(root)}
    assert set(told) == {
        "Cup.md", "Tea.md", "Fresh/Leaf.md", "Gone.md", "Old", "Old/Pot.md"
    }  # fmt: skip
    assert told["Tea.md"] == {
        "at": "2026-03-01T12:00:00+00:00",
        "client": "tea-agent",
        "path": "Tea.md",
        "why": "a test",
        "before": digest_of(b"oolong"),
        "after": digest_of(b"sencha"),
        "bytes": 6,
        "to": "Green/Tea.md",
    }
    assert told["Fresh/Leaf.md"]["before"] is None
    assert (told["Old"]["to"], told["Old"]["after"]) == ("New/home", None)
    assert "to" not in told["Cup.md"]


def test_the_record_may_stand_outside_of_the_vault(root: Path, tmp_path: Path) -> None:
    record = AuditFile(tmp_path, NotePath("kept/changesets/writes.jsonl"))
    lock = tmp_path / "edits.lock"
    outside = VaultChanger(root, lock=lock, record=record, agent_folder=".agent")

    apply(outside, edit("Tea.md", b"oolong", b"sencha"))

    assert (tmp_path / "kept/changesets/writes.jsonl").read_text().count("Tea.md") == 1
    assert not (root / ".agent").exists()


def test_what_changes_nothing_is_not_on_record(
    changer: VaultChanger, root: Path
) -> None:
    there = (root / "Tea.md").stat()

    apply(changer, edit("Tea.md", b"oolong", b"oolong"))

    assert (root / "Tea.md").stat().st_ino == there.st_ino
    assert not (root / LOG).exists()


@pytest.mark.parametrize("at", range(len(EVERY)))
def test_where_one_file_is_not_as_it_was_none_is_changed(
    changer: VaultChanger, root: Path, at: int
) -> None:
    path = EVERY[at].path or EVERY[at].to
    if (root / path).is_dir():
        (root / path).rename(root / "Elsewhere")
    else:
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(b"somebody else's")
    before, folders = files_of(root), folders_in(root)

    with pytest.raises((NoteChanged, NameTaken)):
        apply(changer, *EVERY)

    assert files_of(root) == before
    assert folders_in(root) == folders
    assert lines_of(root) == []


def test_a_conflict_names_what_is_there_now(changer: VaultChanger) -> None:
    with pytest.raises(NoteChanged) as told:
        apply(changer, edit("Tea.md", b"assam", b"sencha"))

    assert told.value.path == "Tea.md"
    assert told.value.expected == digest_of(b"assam")
    assert told.value.found == digest_of(b"oolong")


@pytest.mark.parametrize("path", ["None.md", "none/None.md"])
def test_a_file_that_is_gone_is_told_as_changed(
    changer: VaultChanger, root: Path, path: str
) -> None:
    with pytest.raises(NoteChanged):
        apply(changer, edit(path, b"x", b"y"))

    assert files_of(root) == OLD


@pytest.mark.parametrize("links", [True, False])
def test_where_files_cannot_change_places_all_is_made_and_taken_back_as_well(
    changer: VaultChanger, root: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    monkeypatch.setattr(folder, "_FORMS", {})
    if not links:
        monkeypatch.setattr(folder.OpenFolder, "link", lambda *_: False)

    with monkeypatch.context() as patch:
        patch.setattr(folder, "rename_new", _refused)
        with pytest.raises(WriteFailed):
            apply(changer, *EVERY)
    assert files_of(root) == OLD

    apply(changer, *EVERY)
    assert files_of(root) == NEW


def _refused(*_: object) -> None:
    raise OSError(5, "Input/output error")


def test_what_is_done_meanwhile_comes_before_any_file_is_touched(
    changer: VaultChanger, root: Path
) -> None:
    seen: list[bytes] = []

    def meanwhile() -> None:
        seen.append((root / "Cup.md").read_bytes())
        assert (root / "Old").is_dir()

    changer.apply(EVERY, why="a test", client="", meanwhile=meanwhile)

    assert seen == [OLD["Cup.md"]]


def test_where_what_is_done_meanwhile_fails_nothing_is_changed(
    changer: VaultChanger, root: Path
) -> None:
    def meanwhile() -> None:
        raise NowhereToKeep

    with pytest.raises(NowhereToKeep):
        changer.apply(EVERY, why="a test", client="", meanwhile=meanwhile)

    assert files_of(root) == OLD
    assert folders_in(root) == {"Old", "Old/deep"}


def test_more_folders_than_can_be_held_are_changed_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction, "MOST_HELD", 2)
    root = tmp_path / "Notes"
    changer = made(root, OLD)

    with monkeypatch.context() as patch:
        patch.setattr(folder, "rename_new", _refuse_folders)
        with pytest.raises(WriteFailed):
            apply(changer, *EVERY)
    assert files_of(root) == OLD
    assert folders_in(root) == {"Old", "Old/deep"}

    apply(changer, *EVERY)
    assert files_of(root) == NEW


_RENAME_NEW = folder.rename_new


def _refuse_folders(old: FolderEntry, new: FolderEntry) -> None:
    if old.name == "Old":
        raise OSError(5, "Input/output error")
    _RENAME_NEW(old, new)


def test_the_trash_gives_a_free_name() -> None:
    taken = {".trash/a/Tea.md", ".trash/a/Tea 1.md", ".trash/x", ".trash/.y"}

    assert trash_place("b/Tea.md", taken.__contains__) == ".trash/b/Tea.md"
    assert trash_place("a/Tea.md", taken.__contains__) == ".trash/a/Tea 2.md"
    assert trash_place("x", taken.__contains__) == ".trash/x 1"
    assert trash_place(".y", taken.__contains__) == ".trash/.y 1"


def test_who_has_the_turn_may_ask_for_it_again_and_others_wait(
    changer: VaultChanger, root: Path
) -> None:
    order: list[str] = []
    started = threading.Event()

    def other() -> None:
        started.set()
        with changer_of(root).turn():
            order.append("other")

    thread = threading.Thread(target=other)
    with changer.turn(), changer.turn():
        thread.start()
        assert started.wait(10)
        apply(changer, edit("Tea.md", b"oolong", b"sencha"))
        order.append("first")
    thread.join(timeout=30)

    assert order == ["first", "other"]


@posix
def test_git_sees_no_more_than_what_was_changed(
    changer: VaultChanger, root: Path
) -> None:
    repository = GitHarness(root)
    repository.commit("2024-01-01")

    apply(changer, edit("Tea.md", b"oolong", b"sencha"))

    told = repository.git("status", "--porcelain").split("\n")
    assert told == ["M Tea.md", "?? .agent/"]  # the harness cuts a space off


@posix
def test_the_disk_has_all_bytes_before_any_name_and_all_names_at_the_end(
    changer: VaultChanger, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply(changer, edit("Cup.md", OLD["Cup.md"], OLD["Cup.md"] + b"?"))
    told: list[tuple[str, int]] = []
    fsync = os.fsync

    def waited(opened: int) -> None:
        fsync(opened)
        facts = os.fstat(opened)
        told.append(("names" if stat.S_ISDIR(facts.st_mode) else "bytes", facts.st_ino))

    def named(function: Callable[..., Any]) -> Callable[..., Any]:
        def naming(*args: Any) -> Any:
            told.append(("named", 0))
            return function(*args)

        return naming

    monkeypatch.setattr(os, "fsync", waited)
    monkeypatch.setattr(folder, "_system_rename", named(folder._system_rename))
    steps = [*EVERY[1:], edit("Cup.md", OLD["Cup.md"] + b"?", b"!")]
    changer.apply(
        steps, why="a test", client="", meanwhile=lambda: told.append(("kept", 0))
    )

    kinds = [kind for kind, _ in told]
    synced = [inode for kind, inode in told if kind == "names"][-6:]
    places = ["", "Green", "Fresh", ".trash", "New", "New/home"]
    first = kinds.index("named")
    assert kinds[:first].count("bytes") == 5  # four files and the record
    assert "kept" in kinds[:first]
    assert "bytes" not in kinds[first:]
    assert kinds[-6:] == ["names"] * 6
    assert {(root / place).stat().st_ino for place in places} == set(synced)
