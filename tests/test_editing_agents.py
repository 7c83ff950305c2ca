"""What agents may not do by editing, whatever the policy says of their edits."""

import pytest
from vault_desk import VaultDesk

from glassmind import Engine
from glassmind.editing.asking import Asking
from glassmind.errors import NoteNotFound
from glassmind.types.access import EVERY_AGENT

ROBOT = Asking(client="robot")


def agents(vault: VaultDesk, **settings: object) -> Engine:
    """Return the engine that agents ask, over what is in the vault."""
    engine = vault.open(writes__mode="allow", **settings)
    engine.index()
    return engine.seen_by(EVERY_AGENT)


def test_what_stands_in_a_private_folder_stays_there_though_a_note_shows_it(
    vault: VaultDesk,
) -> None:
    vault.write({"Tea.md": "![[leaf.png]]\n", "Own/leaf.png": b"bytes"})
    editing = agents(vault, access__private_folders=("Own",)).editing

    with pytest.raises(NoteNotFound):
        editing.move("Own/leaf.png", "leaf.png", ROBOT)
    with pytest.raises(NoteNotFound):
        editing.move("Own", "Ours", ROBOT)
    with pytest.raises(NoteNotFound):
        editing.delete("Own/leaf.png", ROBOT, confirm=True)

    assert (vault.root / "Own/leaf.png").read_bytes() == b"bytes"
