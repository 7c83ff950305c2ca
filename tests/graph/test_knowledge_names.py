"""What a note is called, and links to it that lead there or are not given."""

import pytest
from vault_harness import VaultHarness

from glassmind.graph.names import singular

ODD = [
    "C#", "C", "Foo: Bar", "mailto:x", "x|y", "a^b", "a[b]", "q%20z", "q z", "a](b",
    "100% sure", "back`tick", "dollar $x$", "less<than", "(paren)", "trail.", "am&p",
    "dot.name.v2", "emoji 🚀", 'quote"d', "[[wiki]]", "sub#page", "sub", "%%c%%",
]  # fmt: skip


@pytest.mark.parametrize("markdown", [True, False])
def test_a_link_that_is_given_leads_to_its_note(
    vault: VaultHarness, *, markdown: bool
) -> None:
    usual = "[C](C.md) [sub](sub.md)" if markdown else "[[C]] [[sub]]"
    vault.indexed({"Usual.md": usual, **{f"{name}.md": "x" for name in ODD}})
    given = {
        found.candidates[0].path: found
        for found in map(vault.engine.knowledge.resolve, ODD)
    }

    told = {path: found.link for path, found in given.items() if found.link}
    vault.indexed(
        {f"probe {at}.md": f"see {link} end" for at, link in enumerate(told.values())}
    )

    ends = [
        [edge.path for edge in vault.engine.links(f"probe {at}").outgoing]
        for at in range(len(told))
    ]
    assert ends == [[path] for path in told]
    none = {path for path, found in given.items() if not found.link}
    assert none == {"C#.md", "[[wiki]].md", "sub#page.md"}
    assert "no link can hold that name" in vault.engine.knowledge.resolve("C#").advice


def test_a_heading_that_many_notes_begin_with_is_no_name_of_theirs(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {
            **{f"Tool {n}.md": "# Installation\n" for n in range(3)},
            "Boat.md": "# Sailing far\n",
            "Day.md": "The installation took long. Then sailing far.",
        }
    )
    knowledge = vault.engine.knowledge

    assert knowledge.resolve("Installation").verdict == "new"
    assert knowledge.resolve("Sailing far").candidates[0].path == "Boat.md"
    named = [
        (suggestion.target, suggestion.mention.text)
        for suggestion in knowledge.suggest("Day").suggestions
        if suggestion.mention is not None
    ]
    assert named == [("Boat.md", "sailing far")]


def test_a_heading_is_a_name_again_when_others_begin_otherwise(
    vault: VaultHarness,
) -> None:
    vault.indexed({f"Tool {n}.md": "# Installation\n" for n in range(3)})
    assert vault.engine.knowledge.resolve("Installation").verdict == "new"

    vault.indexed({"Tool 0.md": "# Other\n", "Tool 1.md": "# More\n"})

    found = vault.engine.knowledge.resolve("Installation")
    assert (found.verdict, found.link) == ("likely", "[[Tool 2]]")


def test_a_ghost_is_known_by_the_path_that_links_give_it(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "[[folder/Deep Ghost]]"})

    found = vault.engine.knowledge.resolve("folder/Deep Ghost")

    assert (found.verdict, found.link) == ("new", "[[folder/Deep Ghost]]")
    assert found.advice.startswith("No note yet, but 1 link leads to ")


@pytest.mark.parametrize(
    ("text", "title", "verdict"),
    [
        ("cat", "Cats", "likely"),
        ("bugs", "Bug", "likely"),
        ("Kubernetes pod", "kubernetes_pods", "likely"),
        ("database", "Databases", "likely"),
        ("virus", "Viruses", "likely"),
        ("new", "News", "new"),
        ("py", "Pies", "new"),
    ],
)
def test_plurals_of_short_words_are_known(
    vault: VaultHarness, text: str, title: str, verdict: str
) -> None:
    vault.indexed({f"{title}.md": "x", "Kubernetes jobs.md": "", "Kubernetes.md": ""})

    found = vault.engine.knowledge.resolve(text)

    assert found.verdict == verdict
    if verdict == "likely":
        assert found.candidates[0].title == title
        assert found.candidates[0].reason == "the same but for a plural"


@pytest.mark.parametrize(
    ("word", "one"),
    [
        ("boxes", "box"), ("buses", "bus"), ("cases", "case"), ("pies", "pie"),
        ("stories", "story"), ("classes", "class"), ("sizes", "size"), ("his", "his"),
        ("gas", "gas"), ("houses", "house"), ("viruses", "virus"), ("as", "as"),
    ],
)  # fmt: skip
def test_a_word_in_the_plural_has_its_singular(word: str, one: str) -> None:
    assert singular(word) == one


def test_one_word_of_a_common_name_says_no_more_than_the_other(
    sample: VaultHarness,
) -> None:
    def likeness(text: str) -> float:
        return sample.engine.knowledge.resolve(text).candidates[0].score

    assert likeness("Millbrook") >= likeness("weir")
    assert sample.engine.knowledge.resolve("weir").verdict == "new"
