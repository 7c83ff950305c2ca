"""Receipts after any edits: what is told of them is what the files say."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from vault_harness import VaultHarness

from glassmind.model import Span
from glassmind.model.context import ReceiptCheck
from glassmind.obsidian.receipts import parse_receipt, receipt_of

LINES = ("# Head", "", "alpha beta gamma delta", "one two three four five", "- item")
NAMES = ("A.md", "B.md", "Folder/A.md", "C d.md")

texts = st.lists(st.sampled_from(LINES), min_size=1, max_size=8)
vaults = st.dictionaries(st.sampled_from(NAMES), texts, min_size=1, max_size=4)


def whole(lines: list[str]) -> list[str]:
    """Return the lines that a file has: an empty one at its end is none."""
    return lines if lines[-1] else lines[:-1]


def receipts_for(vault: Mapping[str, list[str]]) -> list[str]:
    """Return the receipts of every stretch of lines of every note."""
    return [
        receipt_of(path, "", Span(start, end), "\n".join(lines[start - 1 : end]))
        for path, text in vault.items()
        for lines in [whole(text)]
        for start in range(1, len(lines) + 1)
        for end in range(start, len(lines) + 1)
    ]


def said_by(vault: Mapping[str, list[str]], path: str, span: Span) -> str | None:
    if path not in vault:
        return None
    lines = whole(vault[path])
    there = lines[span.start - 1 : span.end]
    return "\n".join(there).rstrip("\n") if span.end <= max(len(lines), 1) else None


def holds(
    told: ReceiptCheck, before: Mapping[str, list[str]], after: Mapping[str, list[str]]
) -> bool:
    """Whether what is told of a receipt is what the files say."""
    was = parse_receipt(told.receipt)
    assert was is not None
    said = said_by(before, was.path, was.span)
    same = said_by(after, was.path, was.span) == said
    if told.state == "unchanged":
        return same and told.now == told.receipt
    if told.state == "moved":
        now = parse_receipt(told.now or "")
        return (
            not same and now is not None and said_by(after, now.path, now.span) == said
        )
    there = was.path in after
    return told.now is None and not same and there == (told.state == "changed")


@settings(max_examples=15, deadline=None)
@given(vaults, vaults, st.booleans())
def test_what_is_told_of_receipts_is_what_the_files_say(
    before: dict[str, list[str]], after: dict[str, list[str]], indexed: bool
) -> None:
    receipts = receipts_for(before)
    assume(receipts)  # notes without a line have nothing to cite
    with TemporaryDirectory(ignore_cleanup_errors=True) as place:
        harness = VaultHarness(Path(place))
        harness.indexed({path: "\n".join(lines) for path, lines in before.items()})
        harness.remove(*before)
        harness.write({path: "\n".join(lines) for path, lines in after.items()})
        if indexed:
            harness.index(accept_deletions=True)

        told = harness.engine.bundles.verify(receipts)
        there = [one.now for one in told if one.now]
        again = harness.engine.bundles.verify(there) if there else []
        harness.close()

    assert [one.receipt for one in told] == receipts
    assert [one for one in told if not holds(one, before, after)] == []
    assert {one.state for one in again} <= {"unchanged"}
