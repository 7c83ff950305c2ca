"""What stands in comments decides and asks nothing: nobody sees it in Obsidian."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from section_harness import SectionHarness, texts
from vault_harness import VaultHarness

from glassmind.context.note_lines import NoteLines
from glassmind.model import Span
from glassmind.obsidian.prose import without_comments

TYPED = "---\ntype: decision\n---\n"
DRAWN = "---\nexcalidraw-plugin: parsed\n---\n"


@pytest.fixture
def harness(vault: VaultHarness) -> SectionHarness:
    return SectionHarness(vault)


@pytest.mark.parametrize(
    "note",
    [
        "<!-- Decision: oak. -->",
        "%% Decision: oak. %%",
        "> %% Decision: oak. %%",
        "- %% Decision: oak. %%",
        "%%\nDecision: oak.\n%%",
        "%%\n\nDecision: oak.",
        "<!--\nDecision: oak.\n-->",
        "<!--\n\nDecision: oak.\n\n-->",
        "Talk <!-- of\nDecision: oak. -->",
        "Decision: %% oak %%",
        "Decision:\n\n%% oak %%",
        "Decision:\n\n%%\n- oak\n%%",
        "## Decisions\n\n%% oak %%",
        "## Decisions\n\n- <!-- oak -->",
        "%% #decision oak %%",
        "Talk.\n\n%%\noak #decision\n%%",
        "> [!decision] %% oak %%",
        "> [!decision]\n> %% oak %%",
        "## Open questions\n\n%%\n- Oak?\n%%",
    ],
)
def test_what_nobody_sees_decides_and_asks_nothing(
    vault: VaultHarness, harness: SectionHarness, note: str
) -> None:
    vault.indexed({"Boat.md": f"# Boat\n\n{note}"})

    assert texts(harness.decisions()) == []
    assert texts(harness.questions()) == []


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("Decision: oak. %% says Ann %%", ["Decision: oak. %% says Ann %%"]),
        ("Decision: we take\n%% Ann %%\noak.", ["Decision: we take\n%% Ann %%\noak."]),
        ("Decision: oak.\n%% says Ann %%", ["Decision: oak."]),
        ("%% Ann %%\nDecision: oak.", ["Decision: oak."]),
        ("Decision:\n\n%% Ann %%\n\noak", ["oak"]),
        ("## Decisions\n\n- oak\n%%\n- pine\n%%\n", ["oak"]),
        ("## Decisions\n\n<!-- 1 --> We take oak.", ["<!-- 1 --> We take oak."]),
        ("Oak it is. %% #decision %%", ["Oak it is. %% #decision %%"]),
        ("```\n%% cell\n```\n\nDecision: oak.", ["Decision: oak."]),
        ("`<!--` opens a comment.\n\nDecision: oak.", ["Decision: oak."]),
        ("100 %% sure.\n\nDecision: oak.", ["Decision: oak."]),
        (f"{TYPED}%% Fill this in. %%\n\nOak.", ["Oak."]),
        (f"{DRAWN}%%\n## Text Elements\nDecision: oak. ^a1\n", ["Decision: oak. ^a1"]),
    ],
)
def test_what_stands_beside_a_comment_decides_as_ever(
    vault: VaultHarness, harness: SectionHarness, note: str, said: list[str]
) -> None:
    vault.indexed({"Boat.md": note})

    assert texts(harness.decisions()) == said


def test_what_was_captured_decides_whatever_it_holds(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    memo = "---\nkind: decision\n---\n\n%%\noak\n%%\n"

    vault.indexed({".agent/decisions/Oak.md": memo})

    assert texts(harness.decisions()) == ["%%\noak\n%%"]


PARTS = st.sampled_from(
    ["%%", "<!--", "-->", "`", "```", "\n", "\n\n", "- ", "> ", "a"]
)


@given(st.lists(PARTS | st.text(max_size=5), max_size=20))
def test_no_block_begins_or_ends_with_a_line_that_nobody_sees(parts: list[str]) -> None:
    page = NoteLines("".join(parts).split("\n"))

    seen = without_comments("".join(parts)).split("\n")

    assert len(seen) == len(page.lines)
    for block in page.blocks(Span(1, len(page.lines))):
        assert seen[block.start - 1].strip()
        assert seen[block.end - 1].strip()


FAR = "Talk of wind and weather, and of much else that has been on the water. " * 40


@pytest.mark.parametrize("mark", [("%%", "%%"), ("<!--", "-->")])
@pytest.mark.parametrize("between", ["", f"{FAR}\n\n## Below\n\n{FAR}\n\n"])
def test_a_sentence_of_a_comment_of_several_paragraphs_answers_nothing(
    vault: VaultHarness, mark: tuple[str, str], between: str
) -> None:
    start, end = mark
    hidden = f"{start}\n\n{between}The copper pipe leaks daily.\n\n{end}\n\n"
    vault.indexed({"Pipes.md": f"# Pipes\n\n{hidden}The roof is slate.\n"})

    made = vault.engine.bundles.pack("copper pipe leaks daily", budget_tokens=2_000)

    assert made.notes
    assert made.answer == ()


def test_a_sentence_behind_such_a_comment_answers(vault: VaultHarness) -> None:
    text = "%%\n\nNot this.\n\n%%\n\nThe copper pipe leaks daily.\n"
    vault.indexed({"Pipes.md": f"# Pipes\n\n{text}"})

    made = vault.engine.bundles.pack("copper pipe leaks daily", budget_tokens=2_000)

    assert [one.text for one in made.answer] == ["The copper pipe leaks daily."]


@pytest.mark.parametrize("mark", [("%%\n", "\n%%"), ("<!--\n", "\n-->"), ("", "")])
def test_what_a_comment_states_contradicts_nothing(
    vault: VaultHarness, harness: SectionHarness, mark: tuple[str, str]
) -> None:
    start, end = mark
    told = f"{start}The rent of the [[Hall]] is 400 EUR.{end}\n"
    vault.indexed(
        {
            "Hall.md": "# Hall\n\nRent: 300 EUR\n",
            "2026-03-02.md": f"# Day\n\n{told}",
        }
    )

    assert len(harness.conflicts()) == (0 if start else 1)
