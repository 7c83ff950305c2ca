"""Passages of one note: joined where they meet, apart where not, in their order."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from meaning_desk import MeaningDesk

from glassmind.context.excerpts import Cut, Reading, joined
from glassmind.context.markdown import bundle_as_markdown
from glassmind.context.passages import Stretch
from glassmind.context.question_words import Lookup, Terms
from glassmind.model import NotePath
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


def asked(desk: MeaningDesk, rare: int, often: int) -> None:
    doors = {f"Door {n}.md": f"A door {n}.\n" for n in range(6)}
    desk.indexed({"Long.md": parts(rare, often), **doors})
    hit = next(hit for hit in desk.ask("kiln door").hits if hit.path == "Long.md")
    # chunks are counted from 0; that beside the first is told as one with it
    apart = [often - 1] if abs(rare - often) > 1 else []
    found = [hit.chunk_index, *(one.chunk_index for one in hit.more)]
    assert found == [rare - 1, *apart]


def packed(desk: MeaningDesk, budget: int) -> BundleNote:
    made = desk.engine.bundles.pack("kiln door", budget_tokens=budget)
    return next(note for note in made.notes if note.path == "Long.md")


@pytest.mark.parametrize(("rare", "often"), [(4, 5), (5, 4)])
def test_two_that_stand_side_by_side_are_one_passage(
    meaning: MeaningDesk, rare: int, often: int
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
    meaning: MeaningDesk, rare: int, often: int
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
def test_no_line_is_shown_twice(meaning: MeaningDesk, rare: int, often: int) -> None:
    asked(meaning, rare, often)

    for budget in BUDGETS:
        spans = [excerpt.lines for excerpt in packed(meaning, budget).excerpts]

        assert all(one.end < other.start for one, other in pairwise(spans)), budget


@pytest.mark.parametrize("budget", [2_000, 3_000, 4_000, 6_000, 9_000])
def test_passages_that_touch_are_one(meaning: MeaningDesk, budget: int) -> None:
    for rare, often in ((2, 4), (3, 5), (6, 3)):
        asked(meaning, rare, often)

        note = packed(meaning, budget)

        lines = parts(rare, often).split("\n")
        for one, other in pairwise(note.excerpts):
            between = lines[one.lines.end : other.lines.start - 1]
            assert any(line.strip() for line in between), (rare, often)
        states = meaning.engine.bundles.verify([one.receipt for one in note.excerpts])
        assert {one.state for one in states} == {"unchanged"}
        assert all(one.text in parts(rare, often) for one in note.excerpts)


@st.composite
def shown_of_a_note(draw: st.DrawFn) -> tuple[list[str], list[Cut]]:
    """Return the lines of a note, and parts of it that show none twice.

    As they are cut: from a line with text to another, of whole chunks, to one of which
    the blank lines belong that follow it.
    """
    lines = draw(st.lists(st.sampled_from(["", "tea", "a pot of tea"]), min_size=4))
    marks = st.integers(0, len(lines) - 1)
    edges = sorted(draw(st.sets(marks, min_size=2, max_size=6)))
    cuts = []
    for first, last in zip(edges[::2], edges[1::2], strict=False):
        top = draw(st.integers(0, first))
        over = draw(st.integers(last, len(lines) - 1))
        while over + 1 < len(lines) and not lines[over + 1]:
            over += 1
        text = "\n".join(lines[top : over + 1])
        text += "\n" if over + 1 < len(lines) else ""
        start = sum(len(line) + 1 for line in lines[top:first])
        end = start + len("\n".join(lines[first : last + 1]))
        stretch = Stretch(text, top + 1, (start, end), ((0, ()),))
        if lines[first] and lines[last]:
            cuts.append(Cut(Reading(stretch, Lookup(Terms(), [])), start, end, 1))
    return lines, draw(st.permutations(cuts))


@given(shown_of_a_note())
def test_what_touches_is_joined_and_says_the_same(
    shown: tuple[list[str], list[Cut]],
) -> None:
    lines, cuts = shown

    spans = []
    for stretch, start, end in joined(cuts):
        span = stretch.excerpt(NotePath("a.md"), start, end).lines
        assert stretch.text[start:end] == "\n".join(lines[span.start - 1 : span.end])
        spans.append(span)

    for one, other in pairwise(spans):
        assert one.end < other.start
        assert any(lines[one.end : other.start - 1])
