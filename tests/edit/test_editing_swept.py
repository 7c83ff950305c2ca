"""What a killed editor staged is gone after the next run of indexing."""

import json

import pytest
from vault_harness import VaultHarness

from glassmind.edit.vault import EditRequest
from glassmind.files.folder import OpenFolder
from glassmind.model.edits import Append
from glassmind.store.place import EDIT_LOCK

PART = ".glassmind-0123456789abcdef.part"


def test_a_run_of_indexing_takes_away_what_was_staged_and_left(
    vault: VaultHarness,
) -> None:
    vault.write({"Deep/Tea.md": "Oolong.\n"})
    vault.open(writes__mode="allow")
    vault.index()
    done = vault.engine.editing.edit("Tea", [Append("x")], EditRequest(client="test"))
    staged = vault.root / "Deep" / PART
    staged.write_bytes(b"half of it")
    home = vault.engine._vault.data_folder
    assert home is not None
    (home / EDIT_LOCK).write_text(json.dumps([["Deep"], []]))

    vault.index()

    assert done.applied
    assert not staged.exists()
    assert (home / EDIT_LOCK).stat().st_size == 0
    assert (vault.root / "Deep" / "Tea.md").read_text() == "Oolong.\nx\n"


def test_what_cannot_be_swept_is_swept_by_who_comes_next(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write({"Deep/Tea.md": "Oolong.\n"})
    vault.open(writes__mode="allow")
    vault.index()
    staged = vault.root / "Deep" / PART
    staged.write_bytes(b"half of it")
    home = vault.engine._vault.data_folder
    assert home is not None
    (home / EDIT_LOCK).write_text(json.dumps([["Deep", "Gone"], []]))

    def refused(*_: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(OpenFolder, "unlink", refused)
        vault.index()
    there, said = staged.exists(), (home / EDIT_LOCK).stat().st_size
    vault.index()

    assert there
    assert said
    assert not staged.exists()
    assert (home / EDIT_LOCK).stat().st_size == 0


def test_what_only_looks_staged_and_was_not_left_stays(vault: VaultHarness) -> None:
    vault.write({"Tea.md": "Oolong.\n"})
    vault.open(writes__mode="allow")
    (vault.root / PART).write_bytes(b"whose?")

    vault.index()

    assert (vault.root / PART).read_bytes() == b"whose?"
