"""Links to files left out of the index, when a move is taken back."""

import json

from vault_desk import VaultDesk

from glassmind.edit.vault import EditRequest

ASK = EditRequest(client="robot")


def test_links_written_since_to_what_is_left_out_are_carried_back(
    vault: VaultDesk,
) -> None:
    app = {"userIgnoreFilters": ["D/Attach/", "E/Attach/", "Excl/"]}
    vault.write({".obsidian/app.json": json.dumps(app), "Excl/X.md": ""})
    vault.write({"D/d.md": "", "D/Attach/T.md": "[[D/d]]", "N.md": "[[D/d]]\n"})
    vault.open(writes__mode="allow")
    vault.index()
    done = vault.engine.editing.move("D/", "E", ASK)
    vault.write({"Since.md": "[[E/Attach/T]] [[E/d]] [[Excl/X]]\n"})

    back = vault.engine.editing.undo(done.changeset.id, ASK)

    assert (
        vault.root / "Since.md"
    ).read_text() == "[[D/Attach/T]] [[D/d]] [[Excl/X]]\n"
    assert (vault.root / "D/Attach/T.md").read_text() == "[[D/d]]"
    assert back.changeset.draft.risks == ()
