"""Copies of the index: they touch no other file and go back to their own vault."""

from pathlib import Path
from typing import Any

import pytest
from vault_harness import VaultHarness

from glassmind.errors import (
    BackupDamaged,
    BackupExists,
    BackupMissing,
    IndexFault,
)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A copy of the index of another vault."""
    harness = VaultHarness(tmp_path / "other")
    harness.indexed({f"Other {n}.md": f"assam {n}" for n in range(20)})
    harness.engine.backup(tmp_path / "other.db")
    harness.close()
    return tmp_path / "other.db"


def test_the_backup_of_another_vault_is_refused(
    vault: VaultHarness, other: Path
) -> None:
    vault.indexed({"A.md": "oolong", "Other 1.md": "of the same name"})

    with pytest.raises(IndexFault, match="--force"):
        vault.engine.restore(other)

    assert vault.found("oolong") == ["A.md"]


def test_the_backup_of_another_vault_is_taken_when_that_is_meant(
    vault: VaultHarness, other: Path
) -> None:
    vault.indexed({"A.md": "oolong"})

    assert vault.engine.restore(other, force=True) is None

    assert len(vault.found("assam", limit=50)) == 20


def test_an_empty_backup_is_taken(vault: VaultHarness) -> None:
    vault.index()
    vault.engine.backup(vault.place / "copy.db")
    vault.indexed({"A.md": "oolong"})

    vault.engine.restore(vault.place / "copy.db")

    assert vault.found("oolong") == []


@pytest.mark.parametrize("force", [False, True])
def test_a_folder_is_no_backup(vault: VaultHarness, *, force: bool) -> None:
    vault.indexed({"A.md": "oolong"})

    with pytest.raises(BackupDamaged, match="it is no file"):
        vault.engine.restore(vault.root, force=force)


@pytest.mark.parametrize("force", [False, True])
def test_a_backup_that_is_not_there_is_said_to_be_missing(
    vault: VaultHarness, *, force: bool
) -> None:
    vault.indexed({"A.md": "oolong"})

    with pytest.raises(BackupMissing, match="there is no file"):
        vault.engine.restore(vault.root / "nope.db", force=force)


def test_a_restore_says_when_the_words_could_not_follow(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed({"A.md": "oolong"})
    vault.engine.backup(vault.place / "copy.db")
    said = "another process is writing the index"
    monkeypatch.setattr("glassmind.index.keeper.IndexKeeper.catch_up", lambda _: said)

    assert vault.engine.restore(vault.place / "copy.db") == said


def test_a_backup_touches_no_file_beside_it(
    vault: VaultHarness, tmp_path: Path
) -> None:
    vault.indexed({"A.md": "oolong"})
    mine = tmp_path / "copies" / ".copy.db.part"
    mine.parent.mkdir()
    mine.write_text("mine")

    vault.engine.backup(mine.with_name("copy.db"))

    assert mine.read_text() == "mine"
    assert {f.name for f in mine.parent.iterdir()} == {".copy.db.part", "copy.db"}


def test_a_file_made_while_a_backup_is_written_is_left_alone(
    vault: VaultHarness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed({"A.md": "oolong"})
    file = tmp_path / "copies" / "copy.db"
    file.parent.mkdir()
    reader = type(vault.engine._vault.store)
    written = reader.back_up

    def late(ours: Any, staged: Path) -> None:
        written(ours, staged)
        file.write_text("mine")

    monkeypatch.setattr(reader, "back_up", late)

    with pytest.raises(BackupExists):
        vault.engine.backup(file)

    assert file.read_text() == "mine"
    assert [f.name for f in file.parent.iterdir()] == ["copy.db"]
