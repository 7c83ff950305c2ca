"""A note that is a decision or a question, and whose title is all that says it."""

import pytest
from section_harness import SectionHarness
from test_brief import brief, texts
from vault_harness import VaultHarness

from glassmind.context.markdown import briefing_as_markdown
from glassmind.model.context import Item

DECISION, QUESTION = "---\ntype: decision\n---\n", "---\ntype: question\n---\n"


@pytest.fixture
def harness(vault: VaultHarness) -> SectionHarness:
    return SectionHarness(vault)


def holds(vault: VaultHarness, *items: Item) -> bool:
    """Whether the receipts of items are of lines that stand in their notes."""
    states = vault.engine.bundles.verify([item.receipt for item in items])
    return {state.state for state in states} == {"unchanged"}


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("", "Use oak"),
        ("\n\n", "Use oak"),
        ("# We use oak\n", "We use oak"),
        ("# We use *oak* ##\n", "We use oak"),
        ("We use oak\n===\n", "We use oak"),
        ("## We use oak\n\n### Context\n\nWind.\n", "We use oak"),
        ("## Context\n\nWind.\n\n## Options\n\nPine.\n", "Use oak"),
        ("#boat #wood\n", "Use oak"),
        ("```\nmake boat\n```\n", "Use oak"),
        ("%% Oak, says Bo. %%\n", "Use oak"),
    ],
)
def test_a_decision_that_stands_nowhere_in_its_note_is_told_by_its_title(
    vault: VaultHarness, harness: SectionHarness, note: str, said: str
) -> None:
    vault.indexed({"Use oak.md": f"{DECISION}{note}"})

    [found] = harness.decisions()

    assert (found.text, found.rule) == (said, "type: decision")
    assert holds(vault, found)


def test_a_question_without_a_text_is_told_by_its_title(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    vault.indexed(
        {
            "Which wood.md": QUESTION.replace("---\n", "---\nanswer:\n", 1),
            "Who pays.md": f"{QUESTION}# Who pays for it?\n",
            "Why.md": QUESTION.replace("type", "status: answered\ntype"),
        }
    )

    found = harness.questions()

    assert sorted(texts(tuple(found))) == ["Which wood", "Who pays for it?"]
    assert holds(vault, *found)


def test_a_note_of_nothing_but_its_tag_is_told_by_its_title(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    vault.indexed({"Use oak.md": "#decision #boat\n"})

    [found] = harness.decisions()

    assert (found.text, found.lines, found.rule) == ("Use oak", (1, 1), "#decision")
    assert holds(vault, found)


@pytest.mark.parametrize("title", ["Which wood?", "TBD", "Untitled draft or what?"])
def test_a_title_that_decides_nothing_is_not_told(
    vault: VaultHarness, harness: SectionHarness, title: str
) -> None:
    vault.indexed({"Boat.md": f"{DECISION}# {title}\n"})

    assert harness.decisions() == []


def test_the_day_in_a_title_is_that_of_the_decision(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    vault.indexed({"2024-02-01 Use oak.md": DECISION})

    [found] = harness.decisions()

    assert (found.text, found.date) == ("2024-02-01 Use oak", "2024-02-01")


def test_a_briefing_says_a_title_once_and_without_its_marks(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {
            "Atlas/Use oak.md": DECISION,
            "Atlas/Use pine.md": f"{DECISION}# Use pine for the mast\n",
        }
    )

    lines = briefing_as_markdown(brief(vault, "Atlas")).splitlines()

    assert "[1] 2024-05-01 Use oak" in lines
    assert "[2] 2024-05-01 Use pine for the mast" in lines
