"""An edit of a property adds one link and leaves every value that was there."""

import pytest
from edit_harness import FILES, TARGET, made, page_on
from vault_harness import VaultHarness

from glassmind.files.names import LinkWriter
from glassmind.graph.link_edits import edit_for_property
from glassmind.graph.suggestions import BY_HAND


@pytest.mark.parametrize(
    ("head", "written"),
    [
        ("related: []", 'related: ["[[Deep Work]]"]'),
        ("related: [] # mine", 'related: ["[[Deep Work]]"] # mine'),
        ("related:", 'related:\n  - "[[Deep Work]]"'),
        ("related: # none", 'related: # none\n  - "[[Deep Work]]"'),
        ("related: null", 'related:\n  - "[[Deep Work]]"'),
        ("related: ~", 'related:\n  - "[[Deep Work]]"'),
        ('related: ""', 'related:\n  - "[[Deep Work]]"'),
        ("Related:", 'Related:\n  - "[[Deep Work]]"'),
        ('Related: "[[Z]]"', 'Related:\n  - "[[Z]]"\n  - "[[Deep Work]]"'),
        ("related: one, two", 'related:\n  - one, two\n  - "[[Deep Work]]"'),
        ("related: some words", 'related:\n  - some words\n  - "[[Deep Work]]"'),
        ('"related":\n- x', '"related":\n- x\n- "[[Deep Work]]"'),
    ],
)
def test_a_link_is_added_to_a_property_as_that_is_written(
    head: str, written: str
) -> None:
    page = page_on(f"---\n{head}\nx: 1\n---\nText with\nrelated:\n")

    edit = edit_for_property(page, "related", TARGET, LinkWriter(FILES))

    assert edit is not None
    after = made(page, edit).text
    assert after == f"---\n{written}\nx: 1\n---\nText with\nrelated:\n"


@pytest.mark.parametrize(
    "text",
    [
        "---\nrelated: [[Z]]\n---\n",  # a list in a list: quotes were forgotten
        "---\nrelated:\n  - [[Z]]\n---\n",
        '---\nrelated: ["a", [[Z]]]\n---\n',
        "---\nrelated: 5\n---\n",
        "---\nrelated: {a: b}\n---\n",
        "---\nrelated: |\n  a\n  b\n---\n",
        "---\nrelated: [\n---\n",
        "---\ntitle: x\n...\nText\n",  # a head that is not closed
    ],
)
def test_what_we_do_not_dare_to_change_gets_no_edit(text: str) -> None:
    page = page_on(text)

    assert edit_for_property(page, "related", TARGET, LinkWriter(FILES)) is None


def test_an_answer_without_an_edit_is_said_to_be_made_by_hand(
    vault: VaultHarness,
) -> None:
    files = {
        f"{a}{n}.md": f'---\nrelated: "[[{b}{n}]]"\n---\n'
        for n in range(4)
        for a, b in ("pq", "qp")
    }
    files["q3.md"] = "---\nrelated: [[Z]]\n---\n"
    files["q2.md"] = "---\nRelated: null\n---\n"
    vault.indexed(files)

    found = {
        str(suggestion.source): suggestion
        for suggestion in vault.engine.knowledge.suggest().suggestions
        if suggestion.kind == "reciprocal"
    }

    assert found["q2.md"].edit is not None
    assert BY_HAND not in found["q2.md"].reason
    assert found["q3.md"].edit is None
    assert found["q3.md"].reason.endswith(BY_HAND)
