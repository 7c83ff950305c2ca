"""A folder that differs in case alone from one that is there is that one."""

import pytest
from vault_harness import VaultHarness

from glassmind.edit.vault import EditRequest

ASK = EditRequest(client="test")


@pytest.mark.parametrize(
    ("asked", "made"),
    [
        ("recipes/Soup", "Recipes/Soup.md"),
        ("RECIPES/winter/Soup", "Recipes/Winter/Soup.md"),
        ("recipes/summer/Soup", "Recipes/summer/Soup.md"),
        ("Other/Soup", "Other/Soup.md"),
    ],
)
def test_a_new_note_and_a_moved_one_go_to_the_folder_that_is_there(
    vault: VaultHarness, asked: str, made: str
) -> None:
    vault.write({"Recipes/Winter/Stew.md": "Hot.\n", "Tea.md": "Oolong.\n"})
    vault.open(writes__mode="allow")
    vault.index()
    editing = vault.engine.editing

    new = editing.create(asked, "x", ASK)
    moved = editing.move("Tea", asked.replace("Soup", "Tea.md"), ASK)

    assert [file.to for file in new.files] == [made]
    assert [file.to for file in moved.files] == [made.replace("Soup", "Tea")]
    assert not (vault.root / "recipes").exists() or (vault.root / "recipes").samefile(
        vault.root / "Recipes"
    )
