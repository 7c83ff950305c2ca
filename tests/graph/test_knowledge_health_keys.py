"""Keys of findings: they mean the same thing while it is there, whatever else comes."""

from vault_harness import VaultHarness

from glassmind.model.health import FindingNow


def counts(harness: VaultHarness, check: str) -> tuple[int, int]:
    """Return how many findings of a check are open, and how many dismissed."""
    report = harness.engine.knowledge.health(checks=[check]).checks[0]
    return report.count, report.dismissed


def now(harness: VaultHarness, key: str) -> FindingNow:
    return harness.engine.knowledge.check_finding(key)


def test_a_plural_that_is_a_word_of_its_own_has_a_key_of_its_own(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "#page #pages", "B.md": "#Page", "C.md": "#Pages"})
    assert counts(vault, "inconsistent_tags") == (2, 0)

    vault.engine.knowledge.dismiss_finding("inconsistent_tags", "tag pages")

    assert counts(vault, "inconsistent_tags") == (1, 1)
    assert not now(vault, "inconsistent_tags:tag page").dismissed
