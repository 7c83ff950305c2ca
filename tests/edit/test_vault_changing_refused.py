"""What is not changed: what is not ours, no plain file, taken, or outside."""

import os
import stat
from pathlib import Path

import pytest
from changing_harness import (
    EVERY,
    LOG,
    OLD,
    apply,
    changer_of,
    edit,
    files_of,
    lines_of,
    made,
    move,
    move_folder,
    new,
)

from glassmind.errors import (
    NameTaken,
    NoteChanged,
    NotEditable,
    NowhereToKeep,
    PathOutsideVault,
    VaultMissing,
    WriteFailed,
)
from glassmind.files import folder
from glassmind.files.folder import AuditFile, FolderEntry
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


@pytest.mark.parametrize(
    "step",
    [
        new("Cup.md", b"x"),
        move("Tea.md", "Cup.md", b"oolong"),
        move_folder("Old", "Cup.md"),
        move("Tea.md", "Old", b"oolong"),
        move_folder("Old", "Other"),
    ],
)
def test_nothing_takes_the_place_of_what_is_there(
    changer: VaultChanger, root: Path, step: FileStep
) -> None:
    (root / "Other").mkdir()

    with pytest.raises(NameTaken):
        apply(changer, edit("Gone.md", b"gone", b"back"), step)

    assert files_of(root) == OLD


@pytest.mark.parametrize("by_system", [True, False])
@pytest.mark.parametrize(
    "step", [new("Late.md", b"x"), move("Tea.md", "Late.md", b"oolong")]
)
def test_what_comes_to_stand_there_at_the_last_moment_stays_too(
    changer: VaultChanger,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: FileStep,
    by_system: bool,
) -> None:
    real = folder.rename_new

    def slow(old: FolderEntry, new: FolderEntry) -> None:
        if new.name == "Late.md":
            (root / "Late.md").write_bytes(b"late")
        real(old, new)

    monkeypatch.setattr(folder, "rename_new", slow)
    if not by_system:
        monkeypatch.setattr(folder, "_FORMS", {})

    with pytest.raises(NameTaken):
        apply(changer, edit("Cup.md", OLD["Cup.md"], b"other"), step)

    assert files_of(root) == {**OLD, "Late.md": b"late"}
    assert [line.get("undone", False) for line in lines_of(root)] == [False] * 2 + [
        True
    ] * 2


@pytest.mark.parametrize("by_system", [True, False])
def test_what_an_editor_saves_at_the_last_moment_is_not_lost(
    changer: VaultChanger, root: Path, monkeypatch: pytest.MonkeyPatch, by_system: bool
) -> None:
    real = folder.OpenFolder.swap

    def slow(self: folder.OpenFolder, name: str, other: str) -> bool:
        if by_system and (root / "Tea.md").read_bytes() == b"oolong":
            (root / "saved").write_bytes(b"saved by hand")
            (root / "saved").rename(root / "Tea.md")
        return by_system and real(self, name, other)

    def meanwhile() -> None:
        if not by_system:
            (root / "Tea.md").write_bytes(b"saved by hand")

    monkeypatch.setattr(folder.OpenFolder, "swap", slow)
    steps = [edit("Cup.md", OLD["Cup.md"], b"x"), edit("Tea.md", b"oolong", b"y")]

    with pytest.raises(NoteChanged):
        changer.apply(steps, why="a test", client="", meanwhile=meanwhile)

    assert files_of(root) == {**OLD, "Tea.md": b"saved by hand"}


@pytest.mark.parametrize(
    "path",
    [
        ".git/config", ".obsidian/app.json", "Old/.hidden/x.md", ".hidden.md",
        ".agent/inbox/x.md", ".agent/logs/writes.jsonl", ".agent/cache/x.md",
        ".agent/Inbox/x.md", ".agent", ".Agent/x.md", ".trash/x.md",
    ],
)  # fmt: skip
def test_nothing_is_edited_where_nobody_should(
    changer: VaultChanger, root: Path, path: str
) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    if path != ".agent":
        (root / path).write_bytes(b"x")
    before = files_of(root)

    with pytest.raises(NotEditable):
        apply(changer, edit(path, b"x", b"y"))
    with pytest.raises(NotEditable):
        apply(changer, move_folder(path, ".obsidian/x"))
    if not path.startswith(".trash"):
        with pytest.raises(NotEditable):
            apply(changer, move("Tea.md", path, b"oolong"))

    assert files_of(root) == before


def test_notes_of_agents_are_edited_and_the_trash_gives_back(
    changer: VaultChanger, root: Path
) -> None:
    note = ".agent/memories/Tea.md"
    apply(changer, new(note, b"x"))
    apply(changer, edit(note, b"x", b"y"))
    apply(changer, move(note, f".trash/{note}", b"y"))
    apply(changer, move(f".trash/{note}", note, b"y"))

    assert (root / note).read_bytes() == b"y"


@pytest.mark.parametrize(
    "path", ["../Tea.md", "/etc/passwd", "a//b.md", "%2e%2e/x.md", "", "a\\b.md", "a\0"]
)
def test_a_path_that_could_leave_the_vault_is_refused(
    changer: VaultChanger, root: Path, path: str
) -> None:
    for step in (new(path, b"x"), move("Tea.md", path, b"oolong")):
        with pytest.raises(PathOutsideVault):
            apply(changer, step)
    with pytest.raises(PathOutsideVault):
        changer.read(NotePath(path))

    assert files_of(root) == OLD


@posix
@pytest.mark.parametrize(
    "step",
    [
        edit("Link.md", b"mine", b"x"),
        edit("Links/Diary.md", b"mine", b"x"),
        new("Links/New.md", b"x"),
        new("Links/deep/New.md", b"x"),
        move("Tea.md", "Links/Tea.md", b"oolong"),
        move("Link.md", "Other.md", b"mine"),
        move("Tea.md", "Link.md", b"oolong"),
        move_folder("Links", "Elsewhere"),
        move_folder("Old", "Links/Old"),
    ],
)
def test_a_symbolic_link_anywhere_is_refused(
    changer: VaultChanger, root: Path, tmp_path: Path, step: FileStep
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/Diary.md").write_bytes(b"mine")
    (root / "Links").symlink_to(tmp_path / "outside")
    (root / "Link.md").symlink_to(tmp_path / "outside/Diary.md")

    with pytest.raises(PathOutsideVault):
        apply(changer, edit("Cup.md", OLD["Cup.md"], b"other"), step)

    assert files_of(root) == OLD
    assert (root / "Links").is_symlink()
    assert files_of(tmp_path / "outside") == {"Diary.md": b"mine"}


@posix
def test_a_file_with_a_second_name_is_refused(
    changer: VaultChanger, root: Path
) -> None:
    (root / "Twin.md").hardlink_to(root / "Tea.md")

    for step in (edit("Tea.md", b"oolong", b"x"), move("Tea.md", "A.md", b"oolong")):
        with pytest.raises(WriteFailed, match="one with another file"):
            apply(changer, step)

    assert files_of(root) == {**OLD, "Twin.md": b"oolong"}


@posix
def test_a_second_name_that_a_killed_writer_left_is_swept(
    changer: VaultChanger, root: Path
) -> None:
    (root / ".glassmind-00.part").hardlink_to(root / "Tea.md")

    apply(changer, edit("Tea.md", b"oolong", b"sencha"))

    assert files_of(root) == {**OLD, "Tea.md": b"sencha"}


@posix
def test_a_pipe_that_is_called_a_note_does_not_hold_us_up(
    changer: VaultChanger, root: Path
) -> None:
    os.mkfifo(root / "Pipe.md")

    for step in (edit("Pipe.md", b"", b"x"), move("Pipe.md", "Other.md", b"")):
        with pytest.raises(WriteFailed, match="not a regular file"):
            apply(changer, step)
    with pytest.raises(WriteFailed):
        changer.read(NotePath("Pipe.md"))
    with pytest.raises(NameTaken):
        apply(changer, new("Pipe.md", b"x"))

    assert changer.standing([edit("Pipe.md", b"", b"x")]) == ["other"]


@posix
def test_a_file_that_is_read_only_stays(changer: VaultChanger, root: Path) -> None:
    (root / "Tea.md").chmod(0o444)

    with pytest.raises(WriteFailed, match="read-only"):
        apply(
            changer,
            edit("Cup.md", OLD["Cup.md"], b"other"),
            edit("Tea.md", b"oolong", b"x"),
        )

    assert files_of(root) == OLD


@posix
def test_permissions_and_attributes_stay_as_they_were(
    changer: VaultChanger, root: Path
) -> None:
    (root / "Tea.md").chmod(0o640)
    kept = _attributed(root / "Tea.md")

    apply(changer, move("Tea.md", "Green/Tea.md", b"oolong", b"sencha"))

    after = root / "Green/Tea.md"
    assert stat.S_IMODE(after.stat().st_mode) == 0o640
    assert not kept or os.getxattr(after, "user.tea") == b"green"


def _attributed(file: Path) -> bool:
    try:
        os.setxattr(file, "user.tea", b"green")
    except (OSError, AttributeError):
        return False
    return True


def test_a_vault_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(VaultMissing):
        apply(changer_of(tmp_path / "gone"), new("Tea.md", b"x"))


def test_without_a_place_for_the_lock_nothing_is_edited(
    root: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"")
    record = AuditFile(root, NotePath(LOG))
    lock = tmp_path / "file" / "edits.lock"
    changer = VaultChanger(root, lock=lock, record=record, agent_folder=".agent")

    with pytest.raises(NowhereToKeep):
        apply(changer, edit("Tea.md", b"oolong", b"sencha"))

    assert files_of(root) == OLD


def test_what_cannot_go_on_record_is_not_changed(
    changer: VaultChanger, root: Path
) -> None:
    (root / LOG).mkdir(parents=True)

    with pytest.raises(WriteFailed, match="it cannot go on record"):
        apply(changer, *EVERY)

    assert files_of(root) == OLD
