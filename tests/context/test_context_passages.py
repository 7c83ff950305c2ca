"""Passages of one note: joined where they meet, apart where not, in their order."""

from itertools import pairwise

import pytest
from semantic_harness import MeaningHarness

from glassmind.context.markdown import bundle_as_markdown
from glassmind.model.context import BundleNote

RARE, OFTEN = "Once there was a kiln.", "door " * 60 + "."
"""What words find, since one of them is rare, and what meaning does."""

BUDGETS = (800, 1_500, 2_500, 6_000)


def parts(rare: int, often: int) -> str:
    """Return a note of eight passages, two of which will be found."""
    said = {rare: RARE, often: OFTEN}
    grass = "Row {1} of part {0} is about grass and rain.\n"
    return "# Long\n\n" + "".join(
        f"## Part {part}\n\n{said.get(part, 'Nothing.')}\n"
        + "".join(grass.format(part, row) for row in range(25))
        + "\n"
        for part in range(1, 9)
    )


def asked(harness: MeaningHarness, rare: int, often: int) -> None:
    doors = {f"Door {n}.md": f"A door {n}.\n" for n in range(6)}
    harness.indexed({"Long.md": parts(rare, often), **doors})
    hit = next(hit for hit in harness.ask("kiln door").hits if hit.path == "Long.md")
    # chunks are counted from 0; that beside the first is told as one with it
    apart = [often - 1] if abs(rare - often) > 1 else []
    found = [hit.chunk_index, *(one.chunk_index for one in hit.more)]
    assert found == [rare - 1, *apart]


def packed(harness: MeaningHarness, budget: int) -> BundleNote:
    made = harness.engine.bundles.pack("kiln door", budget_tokens=budget)
    return next(note for note in made.notes if note.path == "Long.md")


@pytest.mark.parametrize(("rare", "often"), [(4, 5), (5, 4)])
def test_two_that_stand_side_by_side_are_one_passage(
    meaning: MeaningHarness, rare: int, often: int
) -> None:
    asked(meaning, rare, often)

    (excerpt,) = packed(meaning, 6_000).excerpts

    assert RARE in excerpt.text
    assert OFTEN in excerpt.text
    assert excerpt.text in parts(rare, often)
    (state,) = meaning.engine.bundles.verify([excerpt.receipt])
    assert state.state == "unchanged"


@pytest.mark.parametrize(("rare", "often"), [(2, 6), (6, 2)])
def test_two_that_stand_apart_are_two_in_the_order_of_their_lines(
    meaning: MeaningHarness, rare: int, often: int
) -> None:
    asked(meaning, rare, often)

    note = packed(meaning, 6_000)

    first, second = sorted([(rare, RARE), (often, OFTEN)])
    assert [excerpt.lines for excerpt in note.excerpts] == sorted(
        excerpt.lines for excerpt in note.excerpts
    )
    assert [first[1] in one.text for one in note.excerpts] == [True, False]
    assert [second[1] in one.text for one in note.excerpts] == [False, True]
    made = meaning.engine.bundles.pack("kiln door", budget_tokens=6_000)
    text = bundle_as_markdown(made)
    assert text.index(first[1], text.index("## Relevant")) < text.rindex(second[1])


@pytest.mark.parametrize(("rare", "often"), [(2, 6), (6, 2), (4, 6), (6, 4), (4, 5)])
def test_no_line_is_shown_twice(meaning: MeaningHarness, rare: int, often: int) -> None:
    asked(meaning, rare, often)

    for budget in BUDGETS:
        spans = [excerpt.lines for excerpt in packed(meaning, budget).excerpts]

        assert all(one.end < other.start for one, other in pairwise(spans)), budget
