"""What bundles have read of notes, and when it is read anew."""

import pytest
from vault_desk import VaultDesk

from glassmind.model.context import Bundle
from glassmind.store.sqlite import passages as reading

BOAT = "# Boat\n\nThe boat needs oak. See [[Mast]].\n\n- [ ] Buy oak\n"
DECIDED = "\n## Decision\n\nOak for the boat.\n"
NOTES = {
    "Boat.md": f"{BOAT}{DECIDED}",
    "Mast.md": "# Mast\n\nSpruce.\n",
    "Sail.md": "# Sail\n\nRed.\n",
}
CHANGED = {
    "Boat.md": "# Boat\n\nThe boat has oak. See [[Sail]].\n\n- [x] Buy oak\n",
}


def told(made: Bundle) -> tuple[list[str], list[str], list[str]]:
    """Return the decisions and tasks of a bundle, and what to read next."""
    return (
        [item.text for item in made.decisions],
        [item.text for item in made.tasks],
        [read.path for read in made.suggested],
    )


def test_the_next_bundle_tells_of_what_was_changed_in_between(vault: VaultDesk) -> None:
    vault.indexed(NOTES)
    with vault.open() as engine:
        first = told(engine.bundles.pack("boat oak", budget_tokens=2_000, limit=1))
        again = told(engine.bundles.pack("boat oak", budget_tokens=2_000, limit=1))
        vault.write(CHANGED)
        engine.index()
        last = told(engine.bundles.pack("boat oak", budget_tokens=2_000, limit=1))

    assert first == again == (["Oak for the boat."], ["Buy oak"], ["Mast.md"])
    assert last == ([], [], ["Sail.md"])


def test_a_bundle_is_the_same_though_all_was_forgotten_in_between(
    vault: VaultDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed(NOTES)
    with vault.open() as engine:
        first = engine.bundles.pack("boat oak", budget_tokens=2_000)
        monkeypatch.setattr(reading, "MOST_PAGES", 0)
        again = engine.bundles.pack("boat oak", budget_tokens=2_000)

    assert again == first
