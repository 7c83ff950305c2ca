"""Deleting comes to an end, whatever stands where deleted notes go."""

import os

import pytest
from vault_harness import VaultHarness

from glassmind.edit.vault import EditRequest
from glassmind.errors import NameTaken, PathOutsideVault
from glassmind.files.steps import trash_place

ASK = EditRequest(client="test")


@pytest.mark.skipif(os.name == "nt", reason="needs symbolic links")
def test_a_trash_folder_that_leads_elsewhere_is_refused(vault: VaultHarness) -> None:
    vault.write({"Tea.md": "Oolong.\n", "Cup.md": "[[Tea]]\n"})
    elsewhere = vault.root.parent / "elsewhere"
    elsewhere.mkdir()
    (vault.root / ".trash").symlink_to(elsewhere)
    vault.open(writes__mode="allow")
    vault.index()

    with pytest.raises(PathOutsideVault):
        vault.engine.editing.delete("Tea", ASK, confirm=True)
    with pytest.raises(PathOutsideVault):
        vault.engine.editing.merge("Tea", "Cup", ASK, confirm=True)

    assert (vault.root / "Tea.md").read_text() == "Oolong.\n"
    assert list(elsewhere.iterdir()) == []


def test_names_that_are_all_taken_end_the_search_for_one() -> None:
    with pytest.raises(NameTaken):
        trash_place("Tea.md", lambda _: True)


def test_a_long_name_that_is_taken_is_cut_to_get_its_number() -> None:
    name = "é" * 126 + ".md"
    taken = {f".trash/Deep/{name}"}

    found = trash_place(f"Deep/{name}", taken.__contains__)

    assert found == f".trash/Deep/{'é' * 125} 1.md"
    assert len(found.rpartition("/")[2].encode()) <= 255
