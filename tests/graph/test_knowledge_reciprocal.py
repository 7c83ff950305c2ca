"""A single link that is not answered is found where the vault answers such links."""

import pytest
from vault_harness import VaultHarness

from glassmind.graph.reciprocal import missing_answers
from glassmind.model import NotePath

Links = list[tuple[int, int, str]]

CHAIN = [(n, n + 1, "next") for n in range(5)]
CHAIN += [(n + 1, n, "prev") for n in range(5) if n != 2]
PAIRS = [(n, n + 100, "related") for n in range(10)]
PAIRS += [(n + 100, n, "related") for n in range(8)]


def found(vault: VaultHarness) -> tuple[list[str], list[tuple[NotePath, NotePath]]]:
    """Return what health and what suggest say of it."""
    knowledge = vault.engine.knowledge
    (check,) = knowledge.health(checks=["missing_reciprocal"], limit=None).checks
    suggested = [
        (suggestion.source, suggestion.target)
        for suggestion in knowledge.suggest(limit=50).suggestions
        if suggestion.kind == "reciprocal"
    ]
    return [example.subject for example in check.examples], suggested


def test_the_one_child_that_names_no_parent_is_found(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "P.md": '---\nchildren: ["[[A]]", "[[B]]", "[[C]]"]\n---\n',
            "A.md": '---\nparent: "[[P]]"\n---\n',
            "B.md": '---\nparent: "[[P]]"\n---\n',
            "C.md": "no parent here\n",
        }
    )

    assert found(vault) == (["C.md parent: P.md"], [("C.md", "P.md")])


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        (CHAIN, [(2, 3, "prev")]),
        (PAIRS, [(8, 108, "related"), (9, 109, "related")]),
    ],
)
def test_a_link_of_a_common_pair_is_missed_where_most_are_answered(
    links: Links, expected: list[tuple[int, int, str]]
) -> None:
    missing = missing_answers(links)

    assert [(m.source, m.target, m.answer) for m in missing] == expected
    assert all(m.sure >= 0.6 for m in missing)  # health tells it


@pytest.mark.parametrize(
    "links",
    [
        # all name their parent, one of the parents lists its children
        [(n, n // 10 + 100, "parent") for n in range(60)]
        + [(100, n, "children") for n in range(3)],
        # a list that nobody answers, among pairs that do
        [*PAIRS[:8], *PAIRS[10:], *[(500, n, "related") for n in range(600, 630)]],
        # a note that answers nobody
        [*PAIRS[:8], *PAIRS[10:], *[(n, 500, "related") for n in range(600, 630)]],
        # as often one way as both
        [*PAIRS[:4], *PAIRS[10:14], *[(n, n + 50, "related") for n in range(200, 208)]],
    ],
)
def test_where_one_side_is_the_habit_health_misses_nothing(links: Links) -> None:
    sure = [m for m in missing_answers(links) if m.sure >= 0.6]

    assert [m for m in sure if m.source >= 200 or m.target >= 200] == []
    assert len(sure) <= 7  # of the parent that lists three of its ten
