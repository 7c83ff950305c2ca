"""A name that is spelled otherwise, in case or in Unicode, and a change of it."""

import os
from pathlib import Path

import pytest
from changing_harness import (
    OLD,
    changer_of,
    edit,
    files_of,
    made,
    move,
    move_folder,
    new,
)

from glassmind.errors import NameTaken
from glassmind.files import folder
from glassmind.files.write import VaultChanger
from glassmind.model import NotePath
from glassmind.model.edits import FileStep

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX alone has it")


def entries(root: Path) -> set[str]:
    return {file.name for file in root.iterdir()}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made(tmp_path / "Notes", OLD)
    return tmp_path / "Notes"


@pytest.fixture
def changer(root: Path) -> VaultChanger:
    return changer_of(root)


def apply(changer: VaultChanger, *steps: FileStep) -> None:
    changer.apply(steps, why="a test", client="tea-agent")


def test_a_file_is_renamed_in_case_alone(changer: VaultChanger, root: Path) -> None:
    apply(changer, move("Tea.md", "TEA.md", b"oolong", b"sencha"))

    assert "TEA.md" in entries(root)
    assert "Tea.md" not in entries(root)
    assert (root / "TEA.md").read_bytes() == b"sencha"


class Blind:
    """Lets a folder look names up as one does that does not tell cases apart."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._facts, self._new = folder.OpenFolder.facts, folder.rename_new
        self._below = folder.OpenFolder.below
        blind = self

        def facts(self: folder.OpenFolder, name: str) -> os.stat_result | None:
            return blind._facts(self, blind.real(self, name))

        def below(
            self: folder.OpenFolder, name: str, *, make: bool
        ) -> folder.OpenFolder:
            return blind._below(self, blind.real(self, name), make=make)

        def give_to(
            self: folder.OpenFolder, other: folder.OpenFolder, name: str, new: str
        ) -> None:
            if facts(other, new) is not None:
                raise FileExistsError(17, "File exists", new)
            give(self, other, blind.real(self, name), new)

        give = folder.OpenFolder.give_to
        monkeypatch.setattr(folder.OpenFolder, "facts", facts)
        monkeypatch.setattr(folder.OpenFolder, "below", below)
        monkeypatch.setattr(folder.OpenFolder, "give_to", give_to)

    @staticmethod
    def real(opened: folder.OpenFolder, name: str) -> str:
        """Return how the disk spells a name."""
        alike = [n for n in opened.names() if n.casefold() == name.casefold()]
        return alike[0] if alike else name


@pytest.mark.parametrize("after", [b"oolong", b"sencha"])
def test_a_file_is_renamed_in_case_alone_where_cases_are_not_told_apart(
    changer: VaultChanger, root: Path, monkeypatch: pytest.MonkeyPatch, after: bytes
) -> None:
    Blind(monkeypatch)
    step = move("Tea.md", "tEA.md", b"oolong", after)

    assert changer.standing([step]) == ["old"]
    apply(changer, step, edit("Cup.md", OLD["Cup.md"], b"x"))

    assert changer.standing([step]) == ["new"]
    assert "tEA.md" in entries(root)
    assert "Tea.md" not in entries(root)
    assert (root / "tEA.md").read_bytes() == after


def test_a_folder_is_renamed_in_case_alone_where_cases_are_not_told_apart(
    changer: VaultChanger, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Blind(monkeypatch)
    steps = [
        move_folder("Old", "old"),
        move("Old/Pot.md", "old/Pot.md", OLD["Old/Pot.md"], b"x"),
    ]

    apply(changer, *steps)

    assert changer.standing(steps) == ["new", "new"]
    assert "old" in entries(root)
    assert (root / "old/Pot.md").read_bytes() == b"x"


def test_another_file_is_not_replaced_where_cases_are_not_told_apart(
    changer: VaultChanger, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Blind(monkeypatch)

    for step in (move("Tea.md", "cup.md", b"oolong"), new("CUP.md", b"x")):
        with pytest.raises(NameTaken):
            apply(changer, step)

    assert files_of(root) == OLD


def test_a_name_that_the_disk_spells_otherwise_is_the_same_file(
    changer: VaultChanger, root: Path
) -> None:
    (root / "Cafe\u0301").mkdir()
    (root / "Cafe\u0301/Cre\u0300me.md").write_bytes(b"oolong")
    path = "Caf\u00e9/Cr\u00e8me.md"
    assert changer.read(NotePath(path)) == b"oolong"

    apply(changer, edit(path, b"oolong", b"sencha"))
    assert files_of(root) == {**OLD, "Cafe\u0301/Cre\u0300me.md": b"sencha"}
    with pytest.raises(NameTaken):
        apply(changer, move("Tea.md", path, b"oolong"))

    apply(changer, move(path, "Caf\u00e9/Th\u00e9.md", b"sencha"))
    apply(changer, move_folder("Caf\u00e9", "Bar"))
    assert files_of(root) == {**OLD, "Bar/Th\u00e9.md": b"sencha"}
