"""Links are hidden so that none is left, and everything else stays as it was."""

import shutil

import pytest
from hidden_links import Left, folds_of
from vault_harness import VaultHarness

from glassmind.evaluation.bench import copy_vault
from glassmind.evaluation.own_links import read_vault
from glassmind.model import NotePath

NOTES = {
    "a.md": "See [[b]] and [the c](c.md), not [[nowhere]] nor [[a]].\n",
    "b.md": '---\nup: "[[a]]"\n---\nAgain ![[c]] and [[d|the fourth]].\n',
    "c.md": "[[d]] [[d]]\n",
    "d.md": "Nothing.\n",
}
A = NotePath("a.md")
PAIRS = {("a.md", "b.md"), ("a.md", "c.md"), ("b.md", "c.md"), ("b.md", "d.md"),
         ("c.md", "d.md")}  # fmt: skip


def test_every_pair_is_hidden_in_exactly_one_fold(vault: VaultHarness) -> None:
    vault.write(NOTES)
    readings = read_vault(vault.engine.config)

    folds = folds_of(readings, count=3, seed=5)

    found = [
        (note, other)
        for fold in folds
        for note, partners in fold.partners.items()
        for other in partners
        if note < other
    ]
    assert sorted(found) == sorted(PAIRS)
    assert folds == folds_of(readings, count=3, seed=5)
    assert folds != folds_of(readings, count=3, seed=6)


@pytest.mark.parametrize("left", ["shown", "gone"])
def test_a_copy_has_the_other_links_and_none_of_the_hidden(
    vault: VaultHarness, left: Left
) -> None:
    vault.write(NOTES)
    config = vault.engine.config
    readings = read_vault(config)

    for fold in folds_of(readings, left=left, count=2):
        copy_vault(readings, fold.edits, vault.root.parent / "copy" / "Notes")
        harness = VaultHarness(vault.root.parent / "other")
        harness.write(
            {
                path: (vault.root.parent / "copy" / "Notes" / path).read_bytes()
                for path in NOTES
            }
        )
        harness.index(accept_deletions=True)
        linked = {tuple(sorted((s, e))) for (s, _), e in harness.edges().items() if e}
        hidden = {
            (note, other)
            for note, partners in fold.partners.items()
            for other in partners
            if note < other
        }
        harness.close()
        assert {pair for pair in linked if pair[0] != pair[1]} == PAIRS - hidden
        shutil.rmtree(vault.root.parent / "other")


def test_what_a_link_showed_is_left_or_gone(vault: VaultHarness) -> None:
    vault.write(NOTES)
    readings = read_vault(vault.engine.config)

    (shown,) = folds_of(readings, left="shown", count=1)
    (gone,) = folds_of(readings, left="gone", count=1)

    assert [edit.text for edit in shown.edits[A]] == [b"b", b"the c"]
    assert [edit.text for edit in gone.edits[A]] == [b"", b""]
