"""Many who edit one vault at once, ours and others: nothing is lost."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from changing_harness import (
    OLD,
    changer_of,
    edit,
    files_of,
    lines_of,
    made,
    move,
    move_folder,
)

from glassmind.errors import NameTaken, NoteChanged, WriteFailed
from glassmind.files import transaction
from glassmind.files.read import digest_of
from glassmind.files.transaction import EditLock, StagedLeftovers
from glassmind.files.write import Permit, VaultWriter
from glassmind.model import NotePath

pytestmark = pytest.mark.slow

APPENDS = Path(__file__).parents[1] / "support" / "changing_appends.py"


@pytest.mark.parametrize(
    ("programs", "each"), [(4, 25), pytest.param(8, 200, marks=pytest.mark.slow)]
)
def test_of_many_programs_that_append_to_a_note_none_loses_a_line(
    tmp_path: Path, programs: int, each: int
) -> None:
    root = tmp_path / "Notes"
    made(root, {"Log.md": b"# Log\n"})

    started = [
        subprocess.Popen([sys.executable, str(APPENDS), str(root), str(n), str(each)])
        for n in range(programs)
    ]
    ended = [one.wait(timeout=500) for one in started]

    first, *lines = (root / "Log.md").read_text("utf-8").splitlines()
    assert ended == [0] * programs
    assert first == "# Log"
    for n in range(programs):
        own = [line for line in lines if line.startswith(f"{n} ")]
        assert own == [f"{n} {number}" for number in range(each)]
    assert len(lines) == programs * each == len(lines_of(root))
    assert set(files_of(root)) == {"Log.md"}


def test_of_many_threads_that_change_a_note_unasked_each_is_told(
    tmp_path: Path,
) -> None:
    root = tmp_path / "Notes"
    changer = made(root, {"Log.md": b"0"})
    refused: list[NoteChanged] = []

    def count() -> None:
        for _ in range(10):
            raw = changer.read(NotePath("Log.md")) or b""
            step = edit("Log.md", raw, str(int(raw) + 1).encode())
            try:
                changer.apply([step], why="a test", client="")
            except NoteChanged as error:
                refused.append(error)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    assert int((root / "Log.md").read_bytes()) + len(refused) == 40


def test_of_many_who_move_a_note_one_does(tmp_path: Path) -> None:
    root = tmp_path / "Notes"
    changer = made(root, OLD)
    refused: list[Exception] = []

    def take(number: int) -> None:
        step = move("Tea.md", f"to/{number}.md", b"oolong")
        try:
            changer.apply([step], why="a test", client="")
        except (NoteChanged, NameTaken) as error:
            refused.append(error)

    threads = [threading.Thread(target=take, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    assert len(refused) == 5
    assert len(files_of(root)) == len(OLD)


def test_memory_and_edits_write_past_each_other(tmp_path: Path) -> None:
    root, path = tmp_path / "Notes", ".agent/memories/Tea.md"
    changer = made(root, {path: b"0", "Log.md": b"0"})
    writer = VaultWriter(root, Permit(".agent", allowed=True))
    refused: list[NoteChanged] = []

    def edits() -> None:
        for number in range(20):
            raw = changer.read(NotePath(path)) or b""
            log = changer.read(NotePath("Log.md")) or b""
            both = [edit(path, raw, raw + b"e"), edit("Log.md", log, b"%d" % number)]
            try:
                changer.apply(both, why="a test", client="")
            except NoteChanged as error:
                refused.append(error)

    def memos() -> None:
        for _ in range(20):
            raw = writer.read(path) or b""
            try:
                writer.put(path, raw + b"m", expected=digest_of(raw), why="a test")
            except NoteChanged as error:
                refused.append(error)

    threads = [threading.Thread(target=work) for work in (edits, memos)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    assert len((root / path).read_bytes()) - 1 + len(refused) == 40
    assert set(files_of(root)) == {path, "Log.md"}


def test_who_waits_too_long_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction, "LOOK_S", 0.001)
    file = tmp_path / "edits.lock"
    told: list[WriteFailed] = []

    def other() -> None:
        try:
            with EditLock(file, wait_s=0.01).turn():
                pass
        except WriteFailed as error:
            told.append(error)

    with EditLock(file).turn():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(timeout=30)

    assert [str(error) for error in told] == [
        "the vault was not written: another program is editing it; it is as it was"
    ]


def test_a_lock_that_was_deleted_is_made_anew(tmp_path: Path) -> None:
    queue = EditLock(tmp_path / "new" / "edits.lock")

    with queue.turn():
        (tmp_path / "new" / "edits.lock").unlink()
    with queue.turn():
        assert (tmp_path / "new" / "edits.lock").exists()
        assert queue.left() == StagedLeftovers()


def test_what_a_killed_editor_left_is_swept_by_the_next_wherever_it_edits(
    tmp_path: Path,
) -> None:
    root = tmp_path / "Notes"
    changer = made(root, {**OLD, "Old/.glassmind-00.part": b"half"})
    (root / "Empty").mkdir()
    (root / "Full").mkdir()
    (root / "Full" / "Note.md").write_bytes(b"mine")
    (tmp_path / "outside").mkdir()
    (tmp_path / ".glassmind-00.part").write_bytes(b"not ours")
    queue = EditLock(tmp_path / "Notes-index" / "edits.lock")
    with queue.turn():
        made_ones = ("Empty", "Full", "../outside")
        queue.leave(StagedLeftovers(("Old", "none", ".."), made_ones))

    changer.apply([edit("Tea.md", b"oolong", b"x")], why="a test", client="")

    assert files_of(root) == {**OLD, "Tea.md": b"x", "Full/Note.md": b"mine"}
    assert not (root / "Empty").exists()
    assert (tmp_path / "outside").exists()
    assert (tmp_path / ".glassmind-00.part").exists()
    with queue.turn():
        assert queue.left() == StagedLeftovers()


@pytest.mark.parametrize("raw", [b"{", b"[]", b"[[1], 2]", b"\xff", b'"xy"'])
def test_a_lock_that_says_nothing_sensible_holds_nobody_up(
    tmp_path: Path, raw: bytes
) -> None:
    root = tmp_path / "Notes"
    made(root, OLD)
    (tmp_path / "Notes-index").mkdir()
    (tmp_path / "Notes-index" / "edits.lock").write_bytes(raw)

    changer_of(root).apply([move_folder("Old", "New")], why="a test", client="")

    assert (root / "New" / "Pot.md").exists()
