"""What a memo is found by: what it says, and not what is noted of it."""

import pytest
from memory_harness import kept, waiting
from vault_harness import VaultHarness

from glassmind.index.embed import embeddable
from glassmind.model import NotePath
from glassmind.model.memory import MemoryItem
from glassmind.model.vectors import Unembedded

READ = ("Recipes/Cardamom buns.md", "People/Amara.md")
NOTED = [
    "cardamom", "amara", "current", "generated", "tester", "tea-agent", "captured",
    "approved", '"keep this"', "agent", "inbox", "derived", "decisions",
]  # fmt: skip


@pytest.fixture
def harness(vault: VaultHarness) -> VaultHarness:
    """A vault with notes that were read."""
    vault.indexed({"Recipes/Cardamom buns.md": "cardamom", "People/Amara.md": "x"})
    vault.open()
    return vault


def both(harness: VaultHarness) -> tuple[MemoryItem, MemoryItem]:
    """Capture one thing as an agent does, and one as a person."""
    first = waiting(harness, "The bus leaves at nine.", project="Travel")
    text = (harness.root / first.path).read_text("utf-8")
    read = "".join(f"  - {path}\n" for path in READ)
    given = text.replace("\n---\n\n>", f"\nderived-from:\n{read}---\n\n>", 1)
    harness.write({first.path: given})
    harness.index()
    return first, kept(
        harness,
        "Ines prefers coffee.",
        project="Travel",
        tags=["drinks"],
        client="tester",
    )


@pytest.mark.parametrize("query", NOTED)
def test_no_memo_is_recalled_by_what_is_noted_of_it(
    harness: VaultHarness, query: str
) -> None:
    both(harness)

    assert harness.engine.memory.recall(query).memories == ()


@pytest.mark.parametrize("query", ["cardamom", "captured", "tea-agent"])
def test_nor_does_a_search_find_it(harness: VaultHarness, query: str) -> None:
    both(harness)

    found = harness.engine.search(query, mode="fulltext").hits

    assert not [hit.path for hit in found if hit.path.startswith(".agent/")]


def test_text_title_tags_and_project_are_what_finds_it(harness: VaultHarness) -> None:
    first, last = both(harness)

    for query, titles in (
        ("bus", {first.title}),
        ("coffee", {last.title}),
        ("drinks", {last.title}),
        ("travel", {first.title, last.title}),
    ):
        found = harness.engine.memory.recall(query).memories
        assert {one.title for one in found} >= titles, query


def test_filters_know_what_is_noted_all_the_same(vault: VaultHarness) -> None:
    vault.indexed({"Diary.md": "copper"})
    memo = kept(vault, "Ines prefers tea.", client="tester")

    found = vault.engine.search("[client:tester] tea", mode="fulltext").hits

    assert [hit.path for hit in found] == [memo.path]


def test_a_note_of_a_person_is_found_by_all_of_it(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "Plan.md": "---\nkind: task\nowner: Amara\n---\nText\n",
            "Box.md": "> [!agent] Bond\n\n- [ ] Keep this one\n",
        }
    )

    for query, path in (("amara", "Plan.md"), ("bond", "Box.md")):
        (found,) = vault.engine.search(query, mode="fulltext").hits
        assert found.path == path


def chunk(text: str, before: str = "") -> Unembedded:
    path = NotePath(".agent/inbox/Ines.md")
    return Unembedded(1, 1, path, 0, "Ines", (), 1, 2, text, before)


def test_what_is_noted_of_a_memo_is_not_embedded(harness: VaultHarness) -> None:
    memo, _ = both(harness)
    text = (harness.root / memo.path).read_text("utf-8")
    head, text = text[: text.index("\n---\n") + 5], text.split("\n---\n", 1)[1]
    made = embeddable(chunk(text, before=head), enriched=True)
    assert made.context == "Ines"

    assert "The bus leaves at nine." in made.text
    for word in ("Captured", "captured", "tea-agent", "Keep this", "Cardamom"):
        assert word not in made.text
