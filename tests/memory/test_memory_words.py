"""What a memo is found by: what it says, and not what is noted of it."""

import pytest
from memo_desk import kept, waiting
from vault_desk import VaultDesk

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
def desk(vault: VaultDesk) -> VaultDesk:
    """A vault with notes that were read."""
    vault.indexed({"Recipes/Cardamom buns.md": "cardamom", "People/Amara.md": "x"})
    vault.open()
    return vault


def both(desk: VaultDesk) -> tuple[MemoryItem, MemoryItem]:
    """Capture one thing as an agent does, and one as a person."""
    first = waiting(desk, "The bus leaves at nine.", project="Travel")
    text = (desk.root / first.path).read_text("utf-8")
    read = "".join(f"  - {path}\n" for path in READ)
    given = text.replace("\n---\n\n>", f"\nderived-from:\n{read}---\n\n>", 1)
    desk.write({first.path: given})
    desk.index()
    return first, kept(
        desk, "Ines prefers coffee.", project="Travel", tags=["drinks"], client="tester"
    )


@pytest.mark.parametrize("query", NOTED)
def test_no_memo_is_recalled_by_what_is_noted_of_it(
    desk: VaultDesk, query: str
) -> None:
    both(desk)

    assert desk.engine.memory.recall(query).memories == ()


@pytest.mark.parametrize("query", ["cardamom", "captured", "tea-agent"])
def test_nor_does_a_search_find_it(desk: VaultDesk, query: str) -> None:
    both(desk)

    found = desk.engine.search(query, mode="fulltext").hits

    assert not [hit.path for hit in found if hit.path.startswith(".agent/")]


def test_text_title_tags_and_project_are_what_finds_it(desk: VaultDesk) -> None:
    first, last = both(desk)

    for query, titles in (
        ("bus", {first.title}),
        ("coffee", {last.title}),
        ("drinks", {last.title}),
        ("travel", {first.title, last.title}),
    ):
        found = desk.engine.memory.recall(query).memories
        assert {one.title for one in found} >= titles, query


def test_filters_know_what_is_noted_all_the_same(vault: VaultDesk) -> None:
    vault.indexed({"Diary.md": "copper"})
    memo = kept(vault, "Ines prefers tea.", client="tester")

    found = vault.engine.search("[client:tester] tea", mode="fulltext").hits

    assert [hit.path for hit in found] == [memo.path]


def test_a_note_of_a_person_is_found_by_all_of_it(vault: VaultDesk) -> None:
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


def test_what_is_noted_of_a_memo_is_not_embedded(desk: VaultDesk) -> None:
    memo, _ = both(desk)
    text = (desk.root / memo.path).read_text("utf-8")
    head, text = text[: text.index("\n---\n") + 5], text.split("\n---\n", 1)[1]
    made = embeddable(chunk(text, before=head), enriched=True)
    assert made.context == "Ines"

    assert "The bus leaves at nine." in made.text
    for word in ("Captured", "captured", "tea-agent", "Keep this", "Cardamom"):
        assert word not in made.text
