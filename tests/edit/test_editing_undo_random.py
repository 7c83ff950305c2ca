"""Random moves taken back: old links are as they were, new ones lead where they led."""

import random
from pathlib import Path
from typing import cast

import pytest
from editing_harness import EditingHarness, ends_in, snapshot
from test_edit_move_random import random_move, synthetic
from vault_harness import VaultHarness

from glassmind.edit.vault import EditRequest
from glassmind.errors import BadEdit, NameTaken
from glassmind.model import NotePath
from glassmind.model.edits import Changed, Draft

ASK = EditRequest(client="robot")
ROUNDS = 12


class Vault:
    """A vault of random notes that may be edited at once."""

    def __init__(self, vault: VaultHarness, seed: int) -> None:
        self.vault = vault
        vault.open(writes__mode="allow")
        vault.indexed(synthetic(seed))
        self.editing = vault.engine.editing

    def paths(self) -> list[NotePath]:
        """Return every file of it, by path."""
        return [NotePath(path) for path in self.files()]

    def files(self) -> dict[str, bytes]:
        """Return every file of it with its bytes."""
        found = snapshot(self.vault.root)
        return {path: raw for path, raw in found.items() if not path.startswith(".")}

    def moved(self, chance: random.Random) -> Changed:
        """Move something somewhere."""
        while True:
            source, destination = random_move(chance, cast("EditingHarness", self))
            try:
                return self.editing.move(source, destination, ASK)
            except (BadEdit, NameTaken):
                continue


def written_since(chance: random.Random, vault: Vault) -> dict[str, str]:
    """Return a few notes with links to whatever there is, by name and by path."""
    paths = [path for path in vault.paths() if path.endswith(".md")]
    links = [
        chance.choice(
            (f"[[{path[:-3]}]]", f"[[{Path(path).stem}|x]]", f"[t](<{path}>)")
        )
        for path in chance.sample(paths, 8)
    ]
    return {
        "Since.md": f"{links[0]} {links[1]}\n",
        "Later/Since.md": "\n".join(links[2:]),
    }


def way_back(draft: Draft, path: NotePath) -> NotePath:
    """Return where a file was before a move that is taken back."""
    for step in draft.steps:
        if step.folder and step.path and path.startswith(f"{step.to}/"):
            return NotePath(step.path + path[len(step.to) :])
    went = {step.to: step.path or step.to for step in draft.steps}
    return went.get(path, path)


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))]
)
def test_a_random_move_is_taken_back_with_what_was_written_since(
    vault: VaultHarness, seed: int
) -> None:
    chance, harness = random.Random(seed), Vault(vault, seed)
    for _ in range(ROUNDS):
        before = harness.files()
        done = harness.moved(chance).changeset
        new = written_since(chance, harness)
        vault.write(new)
        ends = ends_in(vault.root, harness.paths())

        back = harness.editing.undo(done.id, ASK)

        assert back.applied, (done.draft.title, back.changeset.reason)
        now = harness.files()
        assert {path: raw for path, raw in now.items() if path not in new} == before
        after = ends_in(vault.root, harness.paths())
        for path in map(NotePath, new):
            meant = [end and way_back(done.draft, end) for _, end, _ in ends[path]]
            there = [end for _, end, _ in after[path]]
            assert there == meant, (done.draft.title, new[path], now[path])
        vault.remove(*new)
