"""A file of the agent folder gets another place: whole, on record, over no other."""

import errno
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from write_program import CALLS, Counted

from glassmind.errors import (
    NameTaken,
    NoteChanged,
    PathOutsideVault,
    VaultError,
    WriteFailed,
    WriteRefused,
    WritesOff,
)
from glassmind.files import folder
from glassmind.files.folder import FolderEntry
from glassmind.files.read import digest_of
from glassmind.files.write import Permit, VaultWriter

DRIVE = Path(__file__).parents[1] / "support" / "write_program.py"
NOTE, THERE = ".agent/inbox/Tea.md", ".agent/memories/Tea.md"
LOG = ".agent/logs/writes.jsonl"
TEA = digest_of(b"oolong")

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX alone has it")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return vault(tmp_path / "Notes")


def vault(root: Path) -> Path:
    root.mkdir()
    writer_in(root).put(NOTE, b"oolong", expected=None, why="a test")
    return root


def writer_in(root: Path, *, allowed: bool = True) -> VaultWriter:
    return VaultWriter(root, Permit(".agent", allowed=allowed), client="tea-agent")


def move(root: Path, path: str = NOTE, to: str = THERE) -> None:
    writer_in(root).move(path, to, expected=TEA, why="promote")


def last(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((root / LOG).read_text("utf-8").splitlines()[-1])
    return found


def entries(root: Path) -> set[str]:
    """Return every file of a vault but the record."""
    files = (p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())
    return {path for path in files if path != LOG}


def test_a_file_is_moved_to_a_folder_that_is_made_for_it(root: Path) -> None:
    done = writer_in(root).move(NOTE, THERE, expected=TEA, why="promote")

    assert (done.path, done.before, done.after, done.size_bytes) == (THERE, TEA, TEA, 6)
    assert entries(root) == {THERE}
    assert (root / THERE).read_bytes() == b"oolong"


def test_a_move_is_on_record_with_both_places_and_who_asked(root: Path) -> None:
    move(root)

    said = last(root)
    assert said.pop("at")
    assert said == {
        "client": "tea-agent",
        "path": NOTE,
        "why": "promote",
        "before": TEA,
        "after": TEA,
        "bytes": 6,
        "to": THERE,
    }


def test_a_file_may_get_another_name_in_its_own_folder(root: Path) -> None:
    move(root, to=".agent/inbox/Green tea.md")

    assert entries(root) == {".agent/inbox/Green tea.md"}


def test_what_stands_at_the_other_place_stays(root: Path) -> None:
    writer_in(root).put(THERE, b"sencha", expected=None, why="a test")

    with pytest.raises(NameTaken, match="there is a file of that name"):
        move(root)

    assert (root / NOTE).read_bytes() == b"oolong"
    assert (root / THERE).read_bytes() == b"sencha"
    assert "to" not in last(root)


@pytest.mark.parametrize("by_system", [True, False])
def test_what_comes_to_stand_there_at_the_last_moment_stays_too(
    root: Path, monkeypatch: pytest.MonkeyPatch, by_system: bool
) -> None:
    real = folder.rename_new

    def slow(old: FolderEntry, new: FolderEntry) -> None:
        (root / THERE).write_bytes(b"sencha")
        real(old, new)

    monkeypatch.setattr(folder, "rename_new", slow)
    if not by_system:
        monkeypatch.setattr(folder, "_FORMS", {})

    with pytest.raises(NameTaken):
        move(root)

    assert (root / NOTE).read_bytes() == b"oolong"
    assert (root / THERE).read_bytes() == b"sencha"
    assert last(root)["undone"] is True


def test_where_the_system_cannot_refuse_a_file_is_moved_all_the_same(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "_FORMS", {})

    move(root)

    assert entries(root) == {THERE}


@posix
def test_a_file_whose_writer_was_killed_before_it_let_go_of_it_can_be_moved(
    root: Path,
) -> None:
    (root / ".agent/inbox/.glassmind-00.part").hardlink_to(root / NOTE)

    move(root)

    assert entries(root) == {THERE}


def test_a_file_changed_since_it_was_read_is_not_moved(root: Path) -> None:
    (root / NOTE).write_bytes(b"sencha")

    with pytest.raises(NoteChanged):
        move(root)

    assert (root / NOTE).read_bytes() == b"sencha"
    assert entries(root) == {NOTE}


@pytest.mark.parametrize("path", [".agent/inbox/Gone.md", ".agent/gone/Tea.md"])
def test_a_file_that_is_gone_is_told_as_changed(root: Path, path: str) -> None:
    with pytest.raises(NoteChanged):
        move(root, path)

    assert entries(root) == {NOTE}


def test_nothing_is_moved_out_of_the_agent_folder_or_into_it(root: Path) -> None:
    (root / "Tea.md").write_bytes(b"oolong")

    with pytest.raises(WriteRefused):
        move(root, to="Green.md")
    with pytest.raises(WriteRefused):
        move(root, "Tea.md")
    with pytest.raises(PathOutsideVault):
        move(root, to=".agent/../Green.md")

    assert entries(root) == {NOTE, "Tea.md"}


def test_where_writes_are_off_nothing_is_moved(root: Path) -> None:
    with pytest.raises(WritesOff):
        writer_in(root, allowed=False).move(NOTE, THERE, expected=TEA, why="promote")

    assert entries(root) == {NOTE}


@posix
@pytest.mark.parametrize("link", [".agent/memories", THERE])
def test_a_symbolic_link_on_the_way_to_the_other_place_is_refused(
    root: Path, tmp_path: Path, link: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / link).parent.mkdir(parents=True, exist_ok=True)
    (root / link).symlink_to(outside / "Tea.md" if link == THERE else outside)

    with pytest.raises(PathOutsideVault, match="it contains a symbolic link"):
        move(root)

    assert list(outside.iterdir()) == []
    assert (root / NOTE).read_bytes() == b"oolong"


@posix
def test_a_file_that_is_a_symbolic_link_is_not_moved(root: Path) -> None:
    (root / "Diary.md").write_bytes(b"oolong")
    (root / NOTE).unlink()
    (root / NOTE).symlink_to(root / "Diary.md")

    with pytest.raises(PathOutsideVault):
        move(root)

    assert (root / NOTE).is_symlink()


def test_what_cannot_go_on_record_is_not_moved(root: Path) -> None:
    (root / LOG).unlink()
    (root / LOG).mkdir()

    with pytest.raises(WriteFailed, match="it cannot go on record"):
        move(root)

    assert entries(root) == {NOTE}


def test_of_many_who_move_a_file_one_does(root: Path) -> None:
    refused: list[VaultError] = []

    def take(number: int) -> None:
        try:
            move(root, to=f".agent/memories/{number}.md")
        except VaultError as error:
            refused.append(error)

    threads = [threading.Thread(target=take, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    assert len(refused) == 7
    assert len(entries(root)) == 1


def test_two_who_move_files_past_each_other_both_do(root: Path) -> None:
    writer = writer_in(root)
    writer.put(".agent/memories/Cup.md", b"oolong", expected=None, why="a test")

    def there_and_back(one: str, other: str) -> None:
        for _ in range(20):
            move(root, one, other)
            move(root, other, one)

    ways = [(NOTE, THERE), (".agent/memories/Cup.md", ".agent/inbox/Cup.md")]
    threads = [threading.Thread(target=there_and_back, args=way) for way in ways]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    assert entries(root) == {NOTE, ".agent/memories/Cup.md"}


@posix
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_whatever_the_disk_refuses_the_file_is_at_one_of_its_places(
    tmp_path: Path, code: int
) -> None:
    def fail() -> None:
        raise OSError(code, os.strerror(code))

    for meant in range(1, 120):
        root = vault(tmp_path / str(meant))
        with pytest.MonkeyPatch.context() as patch:
            counted = Counted(meant, fail)
            for name in CALLS:
                patch.setattr(os, name, counted.around(getattr(os, name)))
            patch.setattr(folder, "rename_new", counted.around(folder.rename_new))
            try:
                move(root)
                refused = False
            except VaultError:
                refused = True

        assert entries(root) == {NOTE if refused else THERE}
        writer_in(root).put(".agent/memories/x.md", b"x", expected=None, why="a test")
        if counted.calls < meant:
            return
    raise AssertionError("a move takes fewer calls")


@pytest.mark.slow
@posix
def test_a_mover_that_is_killed_leaves_the_file_at_one_of_its_places(
    tmp_path: Path,
) -> None:
    seen = set()
    for meant in (1, 4, 8, 12, 15, 18, 20, 21, 22, 23, 24, 25, 26, 28, 80):
        root = vault(tmp_path / str(meant))

        arguments = [str(DRIVE), str(root), NOTE, f"to:{THERE}", str(meant)]
        subprocess.run([sys.executable, *arguments], timeout=60, check=False)

        found = entries(root)
        assert found in ({NOTE}, {THERE})
        if found == {THERE}:  # never without its line
            assert last(root)["to"] == THERE
        seen |= found
    assert seen == {NOTE, THERE}
