"""A memo of the inbox becomes part of another: whole, once, and with who said it."""

from typing import Any

import pytest
from memory_harness import kept, text_of, waiting
from vault_harness import VaultHarness

from glassmind.errors import NotMerged


@pytest.fixture
def harness(vault: VaultHarness) -> VaultHarness:
    vault.indexed({"Diary.md": "mine"})
    return vault


def test_a_part_of_a_sentence_is_not_what_the_sentence_says(
    harness: VaultHarness,
) -> None:
    harness.open()
    kept(harness, "Do not ship on Friday")
    memo = waiting(harness, "ship on Friday")

    done = harness.engine.memory.merge(memo.path, "Do not ship on Friday")

    assert done.memory.text == "Do not ship on Friday\n\nship on Friday"
    assert done.notices == ()


def test_who_says_what_is_known_is_told_so(harness: VaultHarness) -> None:
    base = kept(harness, "Use copper\n\nIt lasts\nlonger.\n\nSo it is")
    before = text_of(harness, base.path)
    memo = waiting(harness, "It lasts longer.\n\nSo it is")

    done = harness.engine.memory.merge(memo.path, base.path)

    assert done.notices == (f"{base.path} says so already; no text was added to it",)
    assert text_of(harness, base.path) == before


def test_a_memo_says_whose_words_were_added_to_it(harness: VaultHarness) -> None:
    harness.open()
    base, created = kept(harness, "Use copper"), []
    for text in ("Use 0.6 mm", "Use rivets"):
        memo = waiting(harness, text)
        created.append(memo.created)
        done = harness.engine.memory.merge(memo.path, "Use copper")

    said = text_of(harness, base.path).replace("> ", "")
    each = "".join(f'  - "tea-agent {when}"\n' for when in created)
    assert f"merged:\n{each}" in said
    assert done.memory.text == "Use copper\n\nUse 0.6 mm\n\nUse rivets"


def test_a_note_with_returns_and_line_feeds_keeps_them(harness: VaultHarness) -> None:
    base = kept(harness, "Use copper")
    raw = text_of(harness, base.path).replace("\n", "\r\n")
    harness.write({base.path: raw})
    memo = waiting(harness, "Use\n\n0.6 mm")

    harness.engine.memory.merge(memo.path, base.path)

    text = text_of(harness, base.path)
    assert text.endswith("Use copper\r\n\r\nUse\r\n\r\n0.6 mm\r\n")
    assert text.count("\n") == text.count("\r\n")


@pytest.mark.parametrize(
    ("said", "becomes", "why"),
    [
        ({"kind": "question"}, {}, "the one is a decision, the other a question"),
        ({"project": "Shed"}, {}, "of the project 'Roof', the other of 'Shed'"),
        ({}, {}, "of the project 'Roof', the other of no project"),
        (
            {"project": "roof"},
            {"status: current": "status: rejected"},
            "the other is rejected",
        ),
        (
            {"project": "Roof"},
            {"status: current": 'superseded-by: "[[Diary]]"'},
            "the other is superseded",
        ),
    ],
)
def test_what_would_be_lost_to_view_in_another_is_not_merged(
    harness: VaultHarness, said: dict[str, Any], becomes: dict[str, str], why: str
) -> None:
    base = kept(harness, "Use copper", **said)
    for old, new in becomes.items():
        harness.write({base.path: text_of(harness, base.path).replace(old, new)})
    memo = waiting(harness, "Use 0.6 mm", project="Roof")
    before = text_of(harness, base.path)

    with pytest.raises(NotMerged, match=why):
        harness.engine.memory.merge(memo.path, base.path)

    assert text_of(harness, base.path) == before
    assert [one.path for one in harness.engine.memory.inbox().waiting] == [memo.path]


def test_what_is_of_no_project_is_merged_with_what_is_of_one(
    harness: VaultHarness,
) -> None:
    base, memo = (
        kept(harness, "Use copper", project="Roof"),
        waiting(harness, "Use 0.6 mm"),
    )

    done = harness.engine.memory.merge(memo.path, base.path)

    assert done.memory.text == "Use copper\n\nUse 0.6 mm"
