"""Whatever the disk refuses or ends on the way, all files are old or all are new."""

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from changing_harness import (
    EVERY,
    NEW,
    OLD,
    PRIMITIVES,
    SYSTEM,
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
from changing_program import KEPT
from write_program import Counted

from glassmind.errors import NotTakenBack, VaultError, VaultMissing, WriteFailed
from glassmind.files import folder, transaction
from glassmind.files.folder import OpenFolder
from glassmind.files.transaction import OpenFolders
from glassmind.files.write import VaultChanger

DRIVE = Path(__file__).parents[1] / "support" / "changing_program.py"
posix = pytest.mark.skipif(os.name == "nt", reason="POSIX alone has it")
slow = pytest.mark.slow

OLD_FOLDERS = {"Old", "Old/deep"}
PAIR = {"Tea.md": b"oolong", "Cup.md": b"cup"}


def refuse(code: int) -> Callable[[], None]:
    """Return what fails as the system does."""

    def fail() -> None:
        raise OSError(code, os.strerror(code))

    return fail


def failing_system(patch: pytest.MonkeyPatch, meant: int) -> Counted:
    """Let the n-th call of the system fail."""
    counted = Counted(meant, refuse(errno.EIO))
    for name in SYSTEM:
        patch.setattr(os, name, counted.around(getattr(os, name)))
    for name in ("_system_rename",):
        patch.setattr(folder, name, counted.around(getattr(folder, name)))
    return counted


def failing_folders(patch: pytest.MonkeyPatch, meant: int) -> Counted:
    """Let the n-th thing that is asked of an open folder fail."""
    counted = Counted(meant, refuse(errno.EIO))
    for name in PRIMITIVES:
        patch.setattr(OpenFolder, name, counted.around(getattr(OpenFolder, name)))
    return counted


class Full:
    """A disk that is full from the n-th call on that takes room."""

    def __init__(self, patch: pytest.MonkeyPatch, meant: int) -> None:
        self.calls, self._meant, self._open = 0, meant, os.open
        for name in ("write", "mkdir", "link"):
            patch.setattr(os, name, self._around(getattr(os, name)))
        patch.setattr(os, "open", self._opened)

    def _take(self) -> None:
        self.calls += 1
        if self.calls >= self._meant:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def taking(*args: Any, **named: Any) -> Any:
            self._take()
            return function(*args, **named)

        return taking

    def _opened(self, path: Any, flags: int, *args: Any, **named: Any) -> int:
        if flags & os.O_EXCL:
            self._take()
        return self._open(path, flags, *args, **named)


def applied(changer: VaultChanger) -> bool:
    """Return whether a change was made; False where it was refused."""
    try:
        changer.apply(EVERY, why="a test", client="")
    except VaultError:
        return False
    return True


@posix
@pytest.mark.parametrize("failing", [failing_system, failing_folders])
def test_whatever_the_disk_refuses_all_files_are_old_or_all_are_new(
    tmp_path: Path, failing: Callable[[pytest.MonkeyPatch, int], Counted]
) -> None:
    seen = set()
    for meant in range(1, 400):
        root = tmp_path / str(meant) / "Notes"
        changer = made(root, OLD)
        with pytest.MonkeyPatch.context() as patch:
            counted = failing(patch, meant)
            done = applied(changer)
        seen.add(done)
        with changer.turn():  # what could not be swept then is now
            assert files_of(root) == (NEW if done else OLD), meant
        if not done:
            assert folders_in(root) == OLD_FOLDERS, meant
            assert sum(1 - 2 * line.get("undone", 0) for line in lines_of(root)) <= 0
            assert changer.standing(EVERY) == ["old"] * len(EVERY)
        if counted.calls < meant:
            assert seen == {True, False}
            return
        shutil.rmtree(root.parent)
    raise AssertionError("a change takes fewer calls")


@posix
def test_a_disk_that_is_full_from_some_moment_on_has_all_files_as_they_were(
    tmp_path: Path,
) -> None:
    for meant in range(1, 100):
        root = tmp_path / str(meant) / "Notes"
        changer = made(root, OLD)
        with pytest.MonkeyPatch.context() as patch:
            full = Full(patch, meant)
            done = applied(changer)
        if done:
            assert full.calls < meant
            assert files_of(root) == NEW
            return
        assert files_of(root) == OLD, meant
        assert folders_in(root) == OLD_FOLDERS
    raise AssertionError("a change takes fewer calls")


def test_what_cannot_be_taken_back_is_named_and_can_be_settled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "Notes"
    changer = made(root, PAIR)
    steps = [edit("Tea.md", b"oolong", b"sencha"), move("Cup.md", "Mug.md", b"cup")]

    def broken(*_: object) -> None:
        monkeypatch.setattr(OpenFolder, "swap", lambda *_: _broken())
        _broken()

    def _broken() -> bool:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(folder, "rename_new", broken)
        patch.setattr(OpenFolder, "swap", OpenFolder.swap)
        with pytest.raises(NotTakenBack, match=r"Tea\.md could not be put back"):
            changer.apply(steps, why="a test", client="")
    monkeypatch.undo()

    assert changer.standing(steps) == ["new", "old"]
    changer.settle(steps, forward=False, why="a test")
    assert files_of(root) == PAIR


def test_what_somebody_wrote_meanwhile_is_not_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "Notes"
    changer = made(root, PAIR)
    steps = [edit("Tea.md", b"oolong", b"sencha"), move("Cup.md", "Mug.md", b"cup")]

    def late(*_: object) -> None:
        (root / "Tea.md").write_bytes(b"by hand, later")
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(folder, "rename_new", late)
    with pytest.raises(NotTakenBack):
        changer.apply(steps, why="a test", client="")

    with changer.turn():
        assert files_of(root) == {**PAIR, "Tea.md": b"by hand, later"}
    assert changer.standing(steps) == ["other", "old"]


def test_where_the_disk_numbers_files_anew_all_is_made_and_taken_back_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction, "is_same_file", lambda *_: False)
    monkeypatch.setattr(transaction, "is_unchanged", lambda *_: False)
    root = tmp_path / "Notes"
    changer = made(root, OLD)

    with monkeypatch.context() as patch:
        patch.setattr(OpenFolders, "moved", lambda *_: refuse(errno.EIO)())
        with pytest.raises(OSError, match="Input/output error"):
            changer.apply(EVERY, why="a test", client="")
    assert files_of(root) == OLD

    changer.apply(EVERY, why="a test", client="")
    assert files_of(root) == NEW


def test_whoever_interrupts_a_change_has_it_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "Notes"
    changer = made(root, OLD)

    def interrupted(*_: object) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(folder, "rename_new", interrupted)
    with pytest.raises(KeyboardInterrupt):
        changer.apply(EVERY, why="a test", client="")

    assert files_of(root) == OLD
    assert folders_in(root) == OLD_FOLDERS


def killed(place: Path, step: int, settling: str = "") -> list[Path]:
    """Let changers be killed, and return the vaults that they left."""
    words = [sys.executable, str(DRIVE), str(place), str(step), settling]
    subprocess.run(words, timeout=300, check=True)
    found = list(place.glob("*/Notes"))
    assert len(found) > 3
    return found


def settled(root: Path) -> None:
    """Bring a vault to both of its ends, and look whether it is there."""
    other = root.parent / "copy" / "Notes"
    shutil.copytree(root, other)
    for place, forward in ((root, True), (other, False)):
        changer = changer_of(place)
        assert "other" not in changer.standing(EVERY)
        changer.settle(EVERY, forward=forward, why="a test")
        assert files_of(place) == (NEW if forward else OLD), (root, forward)
        stand = ["new" if forward else "old"] * len(EVERY)
        assert changer.standing(EVERY) == stand
        changer.settle(EVERY, forward=forward, why="a test")  # which is nothing
        assert files_of(place) == (NEW if forward else OLD)


@posix
@pytest.mark.parametrize("step", [7, pytest.param(1, marks=slow)])
def test_a_change_that_is_killed_at_any_call_is_finished_or_taken_back(
    tmp_path: Path, step: int
) -> None:
    states = set()
    for root in killed(tmp_path, step):
        states.add(tuple(changer_of(root).standing(EVERY)))
        if (root.parent / KEPT).exists():
            settled(root)
            continue
        with changer_of(root).turn():  # it was not begun: what is staged is swept
            assert files_of(root) == OLD
            assert folders_in(root) == OLD_FOLDERS
    assert len(states) > 3


@posix
@pytest.mark.parametrize("settling", ["forward", "back"])
@pytest.mark.parametrize("step", [40, pytest.param(1, marks=slow)])
def test_who_is_killed_while_settling_leaves_what_can_be_settled_again(
    tmp_path: Path, step: int, settling: str
) -> None:
    for root in killed(tmp_path, step, settling):
        settled(root)


def test_what_was_edited_before_it_could_be_settled_stays(tmp_path: Path) -> None:
    root = tmp_path / "Notes"
    changer = made(root, OLD)
    changer.apply(EVERY, why="a test", client="")
    (root / "Cup.md").write_bytes(b"by hand")
    (root / "Tea.md").write_bytes(b"a new one by hand")

    stand = changer.standing(EVERY)
    changer.settle(EVERY, forward=False, why="a test")

    assert stand == ["other", "new", "new", "new", "new", "new"]
    assert files_of(root) == {
        **OLD,
        "Cup.md": b"by hand",
        "Tea.md": b"a new one by hand",
        "Green/Tea.md": b"sencha",
    }


def test_how_files_stand_is_told_for_each_step(tmp_path: Path) -> None:
    root = tmp_path / "Notes"
    changer = made(
        root, {"A.md": b"new", "B.md": b"?", "C.md": b"c", "E.md": b"e", "F/x.md": b""}
    )

    stand = changer.standing(
        [
            edit("A.md", b"old", b"new"),
            edit("B.md", b"old", b"new"),
            edit("Gone.md", b"old", b"new"),
            new("New.md", b"x"),
            new("E.md", b"x"),
            move("C.md", "D.md", b"c", b"d"),
            move("Z.md", "Y.md", b"c", b"d"),
            move_folder("F", "G"),
            move_folder("H", "I"),
        ]
    )

    assert stand == [
        "new", "other", "other", "old", "other", "old", "other", "old", "other"
    ]  # fmt: skip


@posix
def test_where_files_cannot_be_looked_at_nobody_says_how_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "Notes"
    changer = made(root, OLD)

    with monkeypatch.context() as patch:
        patch.setattr(OpenFolder, "read", lambda *_: refuse(errno.EIO)())
        with pytest.raises(WriteFailed):
            changer.standing(EVERY)
    root.rename(tmp_path / "unmounted")
    with pytest.raises(VaultMissing):
        changer.settle(EVERY, forward=False, why="a test")


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    root = tmp_path / "Notes"
    changer = made(root, OLD)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "write", lambda *_: refuse(errno.ENOSPC)())
        with pytest.raises(WriteFailed, match="No space left on device"):
            changer.apply(EVERY, why="a test", client="")
