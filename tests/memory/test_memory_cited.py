"""A capture that was cited while it waited is found when it is approved."""

import pytest
from memo_desk import text_of, waiting
from vault_desk import VaultDesk

from glassmind.model import Span
from glassmind.model.context import ReceiptCheck
from glassmind.obsidian.receipts import receipt_of


@pytest.fixture
def desk(vault: VaultDesk) -> VaultDesk:
    """A vault with one note of its own."""
    vault.indexed({"Diary.md": "mine"})
    return vault


def cite(desk: VaultDesk, path: str, first: str, last: str) -> str:
    """Return the receipt of the lines from one to another."""
    lines = text_of(desk, path).splitlines()
    span = Span(lines.index(first) + 1, lines.index(last) + 1)
    return receipt_of(path, "", span, "\n".join(lines[span.start - 1 : span.end]))


def verified(desk: VaultDesk, receipt: str) -> ReceiptCheck:
    return desk.engine.bundles.verify([receipt])[0]


def test_what_was_cited_is_found_when_it_is_approved(desk: VaultDesk) -> None:
    memo = waiting(desk, "Use copper.\n\nIt lasts longer.")
    receipt = cite(desk, memo.path, "Use copper.", "It lasts longer.")

    placed = desk.engine.memory.accept(memo.path).memory.path

    found = verified(desk, receipt)
    assert found.state == "moved"
    assert found.now == cite(desk, placed, "Use copper.", "It lasts longer.")
    assert verified(desk, found.now).state == "unchanged"
