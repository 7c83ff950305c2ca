"""Keys of findings: they mean the same thing while it is there, whatever else comes."""

import pytest
from health_desk import text
from vault_desk import VaultDesk

from glassmind.graph.duplicates import KeptSketches
from glassmind.model.health import FindingNow

BODY = text("same", 40)


def counts(desk: VaultDesk, check: str) -> tuple[int, int]:
    """Return how many findings of a check are open, and how many dismissed."""
    report = desk.engine.knowledge.health(checks=[check]).checks[0]
    return report.count, report.dismissed


def now(desk: VaultDesk, key: str) -> FindingNow:
    return desk.engine.knowledge.check_finding(key)


def test_a_plural_that_is_a_word_of_its_own_has_a_key_of_its_own(
    vault: VaultDesk,
) -> None:
    vault.indexed({"A.md": "#page #pages", "B.md": "#Page", "C.md": "#Pages"})
    assert counts(vault, "inconsistent_tags") == (2, 0)

    vault.engine.knowledge.dismiss_finding("inconsistent_tags", "tag pages")

    assert counts(vault, "inconsistent_tags") == (1, 1)
    assert not now(vault, "inconsistent_tags:tag page").dismissed


def test_a_sketch_is_made_once_while_a_note_says_the_same(
    vault: VaultDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def of(self: KeptSketches, rows: object, notes: object) -> object:
        made = plain(self, rows, notes)  # type: ignore[arg-type]
        asked.append(len(self._kept))
        return made

    plain = KeptSketches.of
    monkeypatch.setattr(KeptSketches, "of", of)
    vault.indexed({"A.md": BODY, "B.md": BODY, "C.md": text("other", 40)})
    assert counts(vault, "near_duplicates") == (1, 0)

    vault.indexed({"C.md": BODY + " changed"})
    assert counts(vault, "near_duplicates") == (2, 0)
    vault.indexed({"C.md": "short", "B.md": text("third", 40)})

    assert counts(vault, "near_duplicates") == (0, 0)
    assert asked == [2, 2, 3]
