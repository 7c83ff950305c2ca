"""Which part of a note a subpath means, and how a link names a part."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.model import NotePath
from glassmind.obsidian.links import (
    Outline,
    OutlinePart,
    heading_words,
    section_end,
)
from glassmind.obsidian.notes import parse_note
from glassmind.obsidian.text import linked_heading

HERE = NotePath("Here.md")


def outline(text: str) -> Outline:
    return Outline.of_note(parse_note(HERE, text))


def heading(at: int) -> OutlinePart:
    return OutlinePart("heading", at)


def test_the_first_heading_of_a_name_is_meant() -> None:
    parts = outline("# A\n\n## Same\n\n# B\n\n## Same\n")

    assert parts.meant("#Same") == heading(1)


def test_a_nested_path_leads_below_each_of_its_steps() -> None:
    parts = outline("# A\n\n## Same\n\n# B\n\n## C\n\n### Same\n")

    assert parts.meant("#B#Same") == heading(4)
    assert parts.meant("#B#C#Same") == heading(4)
    assert parts.meant("#C#B") is None


@pytest.mark.parametrize(
    "subpath", ["#what is it", "#What is it?", "#WHAT: is — it", "# What  is it "]
)
def test_headings_are_compared_by_their_words(subpath: str) -> None:
    assert outline("## What *is* it?\n").meant(subpath) == heading(0)


def test_a_heading_with_a_link_is_found_as_shown_and_as_written() -> None:
    parts = outline("## On [[Tea|leaves]]\n")

    assert parts.meant("#On leaves") == heading(0)
    assert parts.meant("#On Tea leaves") == heading(0)


def test_a_heading_may_hold_a_number_sign_itself() -> None:
    assert outline("## C# basics\n").meant("#C# basics") == heading(0)


def test_a_block_is_found_in_any_case() -> None:
    parts = outline("One ^Abc\n\nTwo ^def\n")

    assert parts.meant("#^DEF") == OutlinePart("block", 1)
    assert parts.meant("#Head#^abc") == OutlinePart("block", 0)
    assert parts.meant("#^ghi") is None


def test_an_anchor_is_for_markdown_links_alone() -> None:
    parts = outline("## My New Idea\n")

    assert parts.meant("#my-new-idea", markdown=True) == heading(0)
    assert parts.meant("#my-new-idea") is None


def test_a_parameter_and_a_footnote_mean_no_part() -> None:
    parts = outline("## Page 3\n\nx[^1]\n\n[^1]: y\n")

    assert parts.meant("#page=4") is None
    assert parts.meant("#[^1]") is None
    assert parts.meant(None) is None
    assert parts.meant("#") is None


def test_a_heading_inside_code_or_a_comment_is_none() -> None:
    parts = outline("```\n# A\n```\n\n%%\n\n# B\n\n%%\n\n~~~\n# C\n~~~\n")

    assert parts.texts == ()


def test_an_address_is_as_short_as_can_be() -> None:
    parts = outline("# A\n\n## Same\n\n# B\n\n## Same\n")

    assert parts.address(heading(1)) == "#Same"
    assert parts.address(heading(3)) == "#B#Same"


def test_a_twin_that_nothing_tells_apart_has_no_address() -> None:
    parts = outline("# A\n\n# A\n\nx ^b\n\ny ^B\n")

    assert parts.address(heading(1)) is None
    assert parts.address(OutlinePart("block", 1)) is None


def test_a_link_leaves_out_what_means_something_in_links() -> None:
    assert linked_heading("A: b|c #d [[e]] %%f%% ^g") == "A b c d e f"
    assert linked_heading("#|^") == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("## Tea\n", "Tea"),
        ("  ##  Tea  ##  \n", "Tea"),
        ("## C#\n", "C#"),
        ("## Tea ^id\n", "Tea"),
        ("## Tea ^id ##\n", "Tea"),
        ("##\n", ""),
        ("## ##\n", ""),
        ("Tea\n===\n", "Tea"),
        ("Tea\r===\nand more\n", "Tea"),
        ("Tea\r\nleaves ^id\r\n---\r\n", "Tea\r\nleaves"),
        ("## Grüner *Tee*\r\n", "Grüner *Tee*"),
    ],
)
def test_the_words_of_a_heading_stand_between_its_marks(text: str, words: str) -> None:
    note = parse_note(HERE, text)
    source = note.text.encode()

    start, end = heading_words(source, note.headings[0])

    assert source[start:end].decode() == words


def test_a_section_ends_at_the_next_heading_of_its_rank() -> None:
    text = "# A\n\n## B\n\nb\n\n### C\n\n## D\n"
    note = parse_note(HERE, text)

    assert text[: section_end(note, 1)].endswith("### C\n\n")
    assert section_end(note, 0) == len(text)


WORDS = st.text("ab#|^:[]% -_é", max_size=8)


@given(st.lists(st.tuples(st.integers(1, 4), WORDS), max_size=8))
def test_an_address_means_the_part_it_was_made_for(
    headings: list[tuple[int, str]],
) -> None:
    parts = Outline.of(headings)

    for at in range(len(headings)):
        address = parts.address(heading(at))
        assert address is None or parts.meant(address) == heading(at)


def test_the_first_of_very_many_headings_is_found_at_once() -> None:
    many = Outline.of([(1, "a")] * 100_000, raw=["a"] * 100_000)
    begun = process_time()

    found = {many.meant("#a") for _ in range(2_000)}

    # about 20 ms; what looks at all headings for each link takes three seconds
    assert process_time() - begun < 2
    assert found == {OutlinePart("heading", 0)}
