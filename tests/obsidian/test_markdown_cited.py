"""Receipts are found in whatever cites them: a bundle, its JSON, a list."""

import json

from hypothesis import given
from hypothesis import strategies as st

from glassmind.model import Span
from glassmind.obsidian.receipts import receipt_of, receipts_in

TEA = "Tea/Oolong.md#Brewing:3-7@0f1e2d3c4b5a6978"
CUP = "Cup.md:1@aabbccdd00112233"

letters = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1)


def test_receipts_of_a_list_are_found_in_its_order_each_once() -> None:
    text = f"{CUP}\n- [1] `{TEA}`\n1. {CUP}, and ({TEA}).\n"

    assert receipts_in(text) == [CUP, TEA]


def test_of_a_bundle_only_its_sources_are_cited() -> None:
    text = f"# Context\n\n> see {CUP}\n\n## Sources\n\n1. `{TEA}`\n"

    assert receipts_in(text) == [TEA]


def test_of_json_those_under_their_name_and_plain_lists_are_cited() -> None:
    bundle = {"notes": [{"excerpts": [{"receipt": TEA, "text": f"see {CUP}"}]}]}

    assert receipts_in(json.dumps(bundle)) == [TEA]
    assert receipts_in(json.dumps([CUP, TEA, "tea"])) == [CUP, TEA]


def test_text_that_cites_nothing_has_no_receipts() -> None:
    assert receipts_in("") == []
    assert receipts_in("at 12:30@home, see tea.md:3-7@nothex") == []
    assert receipts_in("[" * 100_000) == []


@given(letters, letters, st.integers(1, 999), st.integers(0, 99), letters)
def test_every_receipt_that_is_written_is_found_again(
    path: str, heading: str, start: int, more: int, text: str
) -> None:
    made = receipt_of(f"{path}.md", heading, Span(start, start + more), text)

    assert receipts_in(f"- `{made}`\n") == [made]
    assert receipts_in(f"see {made} and ({made})") == [made]
