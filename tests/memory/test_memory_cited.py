"""A capture that was cited while it waited is found when it is approved."""

import pytest
from memory_harness import text_of, waiting
from vault_harness import VaultHarness

from glassmind.model import Span
from glassmind.model.context import ReceiptCheck
from glassmind.obsidian.receipts import receipt_of


@pytest.fixture
def harness(vault: VaultHarness) -> VaultHarness:
    """A vault with one note of its own."""
    vault.indexed({"Diary.md": "mine"})
    return vault


def cite(harness: VaultHarness, path: str, first: str, last: str) -> str:
    """Return the receipt of the lines from one to another."""
    lines = text_of(harness, path).splitlines()
    span = Span(lines.index(first) + 1, lines.index(last) + 1)
    return receipt_of(path, "", span, "\n".join(lines[span.start - 1 : span.end]))


def verified(harness: VaultHarness, receipt: str) -> ReceiptCheck:
    return harness.engine.bundles.verify([receipt])[0]


def test_what_was_cited_is_found_when_it_is_approved(harness: VaultHarness) -> None:
    memo = waiting(harness, "Use copper.\n\nIt lasts longer.")
    receipt = cite(harness, memo.path, "Use copper.", "It lasts longer.")

    placed = harness.engine.memory.accept(memo.path).memory.path

    found = verified(harness, receipt)
    assert found.state == "moved"
    assert found.now == cite(harness, placed, "Use copper.", "It lasts longer.")
    assert verified(harness, found.now).state == "unchanged"
