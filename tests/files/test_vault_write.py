"""The one writer of a vault: all or nothing, by the digest that was read, on record."""

import errno
import json
import os
import stat
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from write_program import CALLS, Counted

from glassmind.errors import (
    NoteChanged,
    PathOutsideVault,
    VaultError,
    VaultMissing,
    WriteFailed,
    WriteRefused,
    WritesOff,
)
from glassmind.files import folder
from glassmind.files.folder import STAGED, FolderEntry
from glassmind.files.read import digest_of
from glassmind.files.write import FileText, Permit, VaultWriter, rewrite
from glassmind.model import NotePath

DRIVE = Path(__file__).parents[1] / "support" / "write_program.py"
NOTE = ".agent/memories/Tea.md"
LOG = ".agent/logs/writes.jsonl"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX alone has it")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "Notes"
    folder.mkdir()
    return folder


@pytest.fixture
def writer(root: Path) -> VaultWriter:
    permit = Permit(".agent", allowed=True)
    return VaultWriter(root, permit, lambda: NOON, client="tea-agent")


def put(writer: VaultWriter, text: str, *, path: str = NOTE) -> None:
    """Write a file over whatever is there."""
    found = writer.read(path)
    expected = None if found is None else digest_of(found)
    writer.put(path, text.encode(), expected=expected, why="a test")


def lines(root: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (root / LOG).read_text("utf-8").splitlines()]


def entries(root: Path) -> set[str]:
    """Return every file of a vault but the record."""
    files = (p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())
    return {path for path in files if path != LOG}


def test_a_new_file_is_written_with_the_folders_above_it(
    writer: VaultWriter, root: Path
) -> None:
    done = writer.put(NOTE, b"oolong", expected=None, why="a test")

    assert (root / NOTE).read_bytes() == b"oolong"
    assert (done.path, done.before, done.size_bytes) == (NOTE, None, 6)
    assert done.after == digest_of(b"oolong")
    assert entries(root) == {NOTE}


def test_a_file_changed_since_it_was_read_is_left_alone(
    writer: VaultWriter, root: Path
) -> None:
    put(writer, "oolong")

    with pytest.raises(NoteChanged, match="changed since it was read; read it again"):
        writer.put(NOTE, b"sencha", expected=digest_of(b"assam"), why="a test")

    assert (root / NOTE).read_bytes() == b"oolong"
    assert entries(root) == {NOTE}


def test_a_file_that_was_to_be_new_is_not_replaced(
    writer: VaultWriter, root: Path
) -> None:
    put(writer, "oolong")

    with pytest.raises(NoteChanged):
        writer.put(NOTE, b"sencha", expected=None, why="a test")

    assert (root / NOTE).read_bytes() == b"oolong"


def test_a_file_that_is_gone_by_now_is_not_made_again(
    writer: VaultWriter, root: Path
) -> None:
    with pytest.raises(NoteChanged):
        writer.put(NOTE, b"sencha", expected=digest_of(b"oolong"), why="a test")

    assert entries(root) == set()


def test_every_write_is_on_record_with_its_digests(
    writer: VaultWriter, root: Path
) -> None:
    put(writer, "oolong")
    put(writer, "sencha")

    first, second = lines(root)

    assert first == {
        "at": "2026-03-01T12:00:00+00:00",
        "client": "tea-agent",
        "path": NOTE,
        "why": "a test",
        "before": None,
        "after": digest_of(b"oolong"),
        "bytes": 6,
    }
    assert (second["before"], second["after"]) == (first["after"], digest_of(b"sencha"))


def test_what_is_there_already_is_not_written_again(
    writer: VaultWriter, root: Path
) -> None:
    put(writer, "oolong")
    there = (root / NOTE).stat()

    put(writer, "oolong")

    assert (root / NOTE).stat().st_ino == there.st_ino
    assert len(lines(root)) == 1


@posix
def test_permissions_stay_as_they_were(writer: VaultWriter, root: Path) -> None:
    put(writer, "oolong")
    (root / NOTE).chmod(0o640)

    put(writer, "sencha")

    assert stat.S_IMODE((root / NOTE).stat().st_mode) == 0o640


@posix
def test_a_file_that_is_read_only_stays(writer: VaultWriter, root: Path) -> None:
    put(writer, "oolong")
    (root / NOTE).chmod(0o444)

    with pytest.raises(WriteFailed, match="it is read-only"):
        put(writer, "sencha")

    assert (root / NOTE).read_bytes() == b"oolong"


def test_where_writes_are_off_nothing_is_made_at_all(root: Path) -> None:
    writer = VaultWriter(root, Permit(".agent", allowed=False))

    with pytest.raises(WritesOff, match="the settings let nothing be written"):
        writer.put(NOTE, b"oolong", expected=None, why="a test")

    assert list(root.iterdir()) == []


@pytest.mark.parametrize(
    "path", ["Tea.md", "Folder/Tea.md", ".agentic/Tea.md", ".agent", ".obsidian/x"]
)
def test_nothing_outside_the_agent_folder_is_written(
    writer: VaultWriter, root: Path, path: str
) -> None:
    with pytest.raises(WriteRefused):
        writer.put(path, b"oolong", expected=None, why="a test")

    assert list(root.iterdir()) == []


@pytest.mark.parametrize(
    "path",
    [
        ".agent/../Tea.md",
        ".agent//Tea.md",
        "/etc/passwd",
        ".agent/%2e%2e/Tea.md",
        ".agent/Tea\0.md",
        ".agent\\Tea.md",
        "",
    ],
)
def test_a_path_that_could_leave_the_vault_is_refused(
    writer: VaultWriter, root: Path, path: str
) -> None:
    with pytest.raises(PathOutsideVault):
        writer.put(path, b"oolong", expected=None, why="a test")

    assert list(root.iterdir()) == []


@posix
@pytest.mark.parametrize("link", [".agent", ".agent/memories", NOTE, ".agent/logs"])
def test_a_symbolic_link_on_the_way_is_refused(
    writer: VaultWriter, root: Path, tmp_path: Path, link: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / link).parent.mkdir(parents=True, exist_ok=True)
    (root / link).symlink_to(outside / "Tea.md" if link == NOTE else outside)

    with pytest.raises(PathOutsideVault, match="it contains a symbolic link"):
        writer.put(NOTE, b"oolong", expected=None, why="a test")

    assert list(outside.iterdir()) == []


def test_a_folder_in_the_place_of_a_file_is_refused(
    writer: VaultWriter, root: Path
) -> None:
    (root / NOTE).mkdir(parents=True)

    with pytest.raises(WriteFailed, match="it is not a regular file"):
        writer.put(NOTE, b"oolong", expected=None, why="a test")


def test_a_vault_that_is_not_there_is_named(tmp_path: Path) -> None:
    writer = VaultWriter(tmp_path / "gone", Permit(".agent", allowed=True))

    with pytest.raises(VaultMissing):
        writer.put(NOTE, b"oolong", expected=None, why="a test")


def test_a_name_that_the_disk_spells_otherwise_is_the_same_file(
    writer: VaultWriter, root: Path
) -> None:
    (root / ".agent").mkdir()
    (root / ".agent" / "Cafe\u0301.md").write_bytes(b"oolong")

    put(writer, "sencha", path=".agent/Caf\u00e9.md")

    names = [file.name for file in (root / ".agent").glob("*.md")]
    assert len(names) == 1
    assert (root / ".agent" / names[0]).read_bytes() == b"sencha"


def failing(monkeypatch: pytest.MonkeyPatch, meant: int, code: int) -> Counted:
    """Let the n-th call of the system fail."""

    def fail() -> None:
        raise OSError(code, os.strerror(code))

    counted = Counted(meant, fail)
    for name in CALLS:
        monkeypatch.setattr(os, name, counted.around(getattr(os, name)))
    return counted


@posix
@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_whatever_the_disk_refuses_the_old_bytes_or_the_new_are_there(
    tmp_path: Path, there: bool, code: int
) -> None:
    for meant in range(1, 100):
        root = tmp_path / str(meant)
        root.mkdir()
        writer = VaultWriter(root, Permit(".agent", allowed=True))
        if there:
            put(writer, "oolong")
        expected = digest_of(b"oolong") if there else None

        with pytest.MonkeyPatch.context() as patch:
            counted = failing(patch, meant, code)
            try:
                writer.put(NOTE, b"sencha", expected=expected, why="a test")
                refused = False
            except VaultError:
                refused = True

        file = root / NOTE
        found = file.read_bytes() if file.exists() else None
        assert found == ((b"oolong" if there else None) if refused else b"sencha")
        put(writer, "matcha")  # and the next one finds nothing in its way
        assert entries(root) == {NOTE}
        if counted.calls < meant:
            return
    raise AssertionError("a write takes fewer calls")


class Steps:
    """Tells in which order a write asks the disk for what.

    `told` names each call with the file it is about, `held` what a file was when the
    disk was waited for.
    """

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self._root, self._fsync = root, os.fsync
        self.told: list[tuple[str, str]] = []
        self.held: dict[str, bytes] = {}
        patch.setattr(os, "fsync", self._waited)
        self._rename = folder._system_rename
        patch.setattr(folder, "_system_rename", self._renamed)

    def _waited(self, opened: int) -> None:
        self._fsync(opened)
        file = self._file_at(opened)
        name = self._called(file)
        self.told.append(("fsync", name))
        if file.is_file():
            self.held[name] = file.read_bytes()

    def _renamed(self, old: FolderEntry, new: FolderEntry, flag: int) -> int:
        assert old.folder is not None
        assert new.folder is not None
        source = self._called(self._file_at(old.folder) / old.name)
        target = self._called(self._file_at(new.folder) / new.name)
        self.told.append((f"rename {source}", target))
        return self._rename(old, new, flag)

    def _file_at(self, opened: int) -> Path:
        facts = os.fstat(opened)
        below = (self._root, *self._root.rglob("*"))
        return next(p for p in below if os.path.samestat(p.lstat(), facts))

    def _called(self, file: Path) -> str:
        staged = file.name.startswith(STAGED)
        return "staged" if staged else file.relative_to(self._root).as_posix()


@posix
@pytest.mark.parametrize("there", [False, True])
def test_the_disk_has_bytes_and_record_before_the_file_takes_its_place(
    writer: VaultWriter,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    there: bool,
) -> None:
    put(writer, "oolong", path=NOTE if there else ".agent/memories/Cup.md")
    steps = Steps(root, monkeypatch)

    put(writer, "sencha")

    assert set(steps.told[:2]) == {("fsync", "staged"), ("fsync", LOG)}
    assert steps.told[2:] == [("rename staged", NOTE), ("fsync", ".agent/memories")]
    assert steps.held == {"staged": b"sencha", LOG: (root / LOG).read_bytes()}
    assert lines(root)[-1]["after"] == digest_of(b"sencha")


@posix
def test_the_disk_has_the_name_of_a_new_folder_before_what_is_in_it(
    writer: VaultWriter, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = Steps(root, monkeypatch)

    put(writer, "sencha")

    told = steps.told
    named = told.index(("rename staged", NOTE))
    assert told[:2] == [("fsync", "."), ("fsync", ".agent")]
    assert ("fsync", ".agent/memories") in told[named:]
    assert told.index(("fsync", LOG)) < told.index(("fsync", ".agent/logs")) < named


@pytest.mark.slow
@posix
@pytest.mark.parametrize("there", [False, True])
def test_a_writer_that_is_killed_leaves_the_old_bytes_or_the_new(
    tmp_path: Path, there: bool
) -> None:
    seen = set()
    for meant in (*range(1, 28, 3), *range(30, 80, 5), 600):
        root = tmp_path / str(meant)
        root.mkdir()
        writer = VaultWriter(root, Permit(".agent", allowed=True))
        if there:
            put(writer, "oolong")

        arguments = [str(DRIVE), str(root), NOTE, "sencha", str(meant)]
        done = subprocess.run([sys.executable, *arguments], timeout=60, check=False)

        file = root / NOTE
        found = file.read_bytes() if file.exists() else None
        assert found in (b"oolong" if there else None, b"sencha")
        seen.add((done.returncode, found))
        if found == b"sencha":  # never without its line
            assert lines(root)[-1]["after"] == digest_of(b"sencha")
        put(writer, "matcha")
        assert entries(root) == {NOTE}
    assert (0, b"sencha") in seen
    assert len(seen) > 1


def test_of_two_writers_one_is_told_that_it_came_second(
    writer: VaultWriter, root: Path
) -> None:
    put(writer, "0")
    refused: list[WriteRefused] = []

    def count() -> None:
        for _ in range(20):
            raw = writer.read(NOTE)
            assert raw is not None
            new = str(int(raw) + 1).encode()
            try:
                writer.put(NOTE, new, expected=digest_of(raw), why="a test")
            except NoteChanged as error:
                refused.append(error)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    assert int((root / NOTE).read_bytes()) + len(refused) == 80


def test_changes_that_are_made_again_lose_nothing(
    writer: VaultWriter, root: Path
) -> None:
    def add(found: FileText) -> str:
        return found.text + "x"

    def write() -> None:
        for _ in range(10):
            rewrite(writer, NotePath(NOTE), add, why="a test")

    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    assert (root / NOTE).read_bytes() == b"x" * 30


def test_a_line_of_the_record_that_was_cut_short_stands_alone(
    writer: VaultWriter, root: Path
) -> None:
    (root / LOG).parent.mkdir(parents=True)
    (root / LOG).write_bytes(b'{"at": "20')

    put(writer, "oolong")

    cut, whole = (root / LOG).read_bytes().splitlines()
    assert cut == b'{"at": "20'
    assert json.loads(whole)["path"] == NOTE


@posix
def test_what_cannot_go_on_record_is_not_written(
    writer: VaultWriter, root: Path
) -> None:
    put(writer, "oolong")
    (root / LOG).unlink()
    (root / LOG).mkdir()

    with pytest.raises(WriteFailed, match="it cannot go on record"):
        put(writer, "sencha")

    assert (root / NOTE).read_bytes() == b"oolong"


MARKS = st.sampled_from([b"", b"\xef\xbb\xbf"])
TEXT = st.text(st.characters(exclude_characters="\r\n\0", codec="utf-8"), max_size=20)


@given(mark=MARKS, rows=st.lists(TEXT, min_size=1, max_size=5), crlf=st.booleans())
def test_mark_and_line_ends_survive_a_change(
    tmp_path_factory: pytest.TempPathFactory, mark: bytes, rows: list[str], crlf: bool
) -> None:
    root = tmp_path_factory.mktemp("vault")
    newline = "\r\n" if crlf else "\n"
    (root / NOTE).parent.mkdir(parents=True)
    raw = mark + newline.join([*rows, ""]).encode()
    (root / NOTE).write_bytes(raw)
    writer = VaultWriter(root, Permit(".agent", allowed=True))

    rewrite(
        writer,
        NotePath(NOTE),
        lambda found: f"{found.text}more{found.newline}",
        why="a test",
    )

    assert (root / NOTE).read_bytes() == raw + f"more{newline}".encode()


def test_a_file_that_is_no_text_is_not_rewritten(
    writer: VaultWriter, root: Path
) -> None:
    (root / NOTE).parent.mkdir(parents=True)
    (root / NOTE).write_bytes(b"\x89PNG\0\0")

    with pytest.raises(WriteFailed, match="not a text file"):
        rewrite(writer, NotePath(NOTE), lambda found: found.text + "x", why="a test")

    assert (root / NOTE).read_bytes() == b"\x89PNG\0\0"


@posix
@pytest.mark.parametrize("name", [LOG, NOTE])
def test_a_file_that_is_a_note_by_another_name_is_left_alone(
    writer: VaultWriter, root: Path, name: str
) -> None:
    put(writer, "sencha")
    (root / "Diary.md").write_bytes(b"mine\n")
    (root / name).unlink()
    (root / name).hardlink_to(root / "Diary.md")

    with pytest.raises(WriteFailed, match="by a hard link"):
        put(writer, "oolong")

    assert (root / "Diary.md").read_bytes() == b"mine\n"
    assert (root / name).read_bytes() == b"mine\n"


@posix
def test_a_record_that_is_no_file_is_not_written_to(
    writer: VaultWriter, root: Path
) -> None:
    (root / LOG).parent.mkdir(parents=True)
    os.mkfifo(root / LOG)

    with pytest.raises(WriteFailed, match="not a regular file"):
        put(writer, "oolong")

    assert not (root / NOTE).exists()
