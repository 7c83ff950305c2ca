"""Edits under headings and beside them, and of blocks that have an id."""

import pytest
from edit_text_harness import after, tried

from glassmind.errors import BadEdit, EditRefused, NoMatch, NotEditable, SeveralMatches
from glassmind.model.edits import AtBlock, AtHeading

NOTE = "# A\n\nfirst\n\nsecond\n\n## B\n\nthird\n\n# C\n\nlast\n"


@pytest.mark.parametrize(
    ("edit", "result"),
    [
        (AtHeading("A", "new"), "# A\n\nnew\n\n# C\n\nlast\n"),
        (
            AtHeading("A", "new", scope="body"),
            "# A\n\nnew\n\nsecond\n\n## B\n\nthird\n\n# C\n\nlast\n",
        ),
        (AtHeading("C", "new\n\n"), NOTE.replace("last", "new")),
        (AtHeading("b", "new\nmore"), NOTE.replace("third", "new\nmore")),
        (AtHeading("A", ""), "# A\n\n# C\n\nlast\n"),
        (AtHeading("C", ""), NOTE.removesuffix("\nlast\n")),
        (AtHeading("A", "", scope="body"), NOTE.replace("\nfirst\n", "")),
        (AtHeading("C", "new", "before"), NOTE.replace("# C", "new\n\n# C")),
        (AtHeading("A", "new", "before"), "new\n\n" + NOTE),
        (AtHeading("A", "new", "after"), NOTE.replace("third\n", "third\n\nnew\n")),
        (AtHeading("C", "new", "after"), NOTE + "\nnew\n"),
        (
            AtHeading("A", "new", "after", "body"),
            NOTE.replace("first\n", "first\n\nnew\n"),
        ),
        (
            AtHeading("A", "new", "before", "body"),
            NOTE.replace("first", "new\n\nfirst"),
        ),
    ],
)
def test_sections_and_bodies_are_changed_and_set_off(
    edit: AtHeading, result: str
) -> None:
    assert after(NOTE, edit) == result
    assert after(NOTE.replace("\n", "\r\n"), edit) == result.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("text", "edit", "result"),
    [
        ("# A", AtHeading("A", "new"), "# A\nnew"),
        ("# A\n", AtHeading("A", "new"), "# A\nnew\n"),
        ("# A\n\n", AtHeading("A", "new"), "# A\n\nnew\n"),
        ("# A\n# B\n", AtHeading("A", "new"), "# A\nnew\n\n# B\n"),
        ("# A\n\n# B\n", AtHeading("A", "new"), "# A\n\nnew\n\n# B\n"),
        ("# A\n\n\n# B\n", AtHeading("A", "new"), "# A\n\nnew\n\n# B\n"),
        ("# A\nold\n# B\n", AtHeading("A", "new"), "# A\nnew\n# B\n"),
        ("# A\nold\n# B\n", AtHeading("A", "<div>"), "# A\n<div>\n\n# B\n"),
        ("# A\nold", AtHeading("A", "new"), "# A\nnew"),
        ("# A\n\nold", AtHeading("A", ""), "# A"),
        ("# A\n", AtHeading("A", ""), "# A\n"),
        ("A\n=\nold\n\nB\n=\n", AtHeading("A", "new"), "A\n=\nnew\n\nB\n=\n"),
        ("# A\n- x\n# B\n", AtHeading("A", "- y", "after"), "# A\n- x\n- y\n\n# B\n"),
        ("a\n# B\n", AtHeading("B", "new", "before"), "a\n\nnew\n\n# B\n"),
        ("# A\n## B\n", AtHeading("B", "new", "before"), "# A\nnew\n\n## B\n"),
        (
            "---\na: b\n---\n# B",
            AtHeading("B", "x", "before"),
            "---\na: b\n---\nx\n\n# B",
        ),
        ("# A\n\nold\n\n[ref]: x\n", AtHeading("A", "new"), "# A\n\nnew\n"),
    ],
)
def test_tight_empty_and_unended_sections_are_right(
    text: str, edit: AtHeading, result: str
) -> None:
    assert after(text, edit) == result
    assert tried(text.encode(), edit).risks == ()


def test_a_body_ends_with_its_block_not_at_a_blank_line_in_it() -> None:
    text = "# A\n\n```\nx\n\n# no heading\n```\n\nrest\n"

    assert after(text, AtHeading("A", "new", scope="body")) == "# A\n\nnew\n\nrest\n"


def test_what_stands_in_code_comments_and_math_is_no_heading() -> None:
    text = (
        "~~~\n# A\n```\n# A\n~~~\n\n%%\n# A\n%%\n\n$$\n# A\n$$\n\n    # A\n\n# A\n\nx\n"
    )

    assert after(text, AtHeading("A", "new")) == text.replace("x\n", "new\n")


@pytest.mark.parametrize(
    "name", ["A#B", "a # b", "## B", "#A#B", "B", "B ^id", "**B**!", "B ##"]
)
def test_headings_are_named_in_many_ways(name: str) -> None:
    text = "# A\n\n## **B**! ^id\n\nold\n\n# C\n"

    assert after(text, AtHeading(name, "new")) == text.replace("old", "new")


def test_headings_of_one_name_are_told_apart_by_what_is_above_or_by_index() -> None:
    text = "# A\n\n## T\n\none\n\n# B\n\n## T\n\ntwo\n"

    assert after(text, AtHeading("B#T", "new")) == text.replace("two", "new")
    assert after(text, AtHeading("T", "new", index=0)) == text.replace("one", "new")
    with pytest.raises(SeveralMatches, match=r"on lines 3, 9; choose .* 0 to 1") as two:
        after(text, AtHeading("T", "new"))
    assert two.value.lines == (3, 9)
    with pytest.raises(BadEdit, match="no index 2"):
        after(text, AtHeading("T", "new", index=2))
    with pytest.raises(BadEdit, match="no index -1"):
        after(text, AtHeading("T", "new", index=-1))


def test_a_heading_spelled_so_goes_before_one_of_the_same_words() -> None:
    text = "# C#\n\none\n\n# C\n\ntwo\n"

    assert after(text, AtHeading("C#", "new")) == text.replace("one", "new")
    assert after(text, AtHeading("C", "new")) == text.replace("two", "new")
    cased = "# tea\n\none\n\n# Tea\n\ntwo\n"
    assert after(cased, AtHeading("Tea", "new")) == cased.replace("two", "new")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("## See [[Tea|leaves]]\n\nold\n", "See Tea leaves"),
        ("## See [[Tea|leaves]]\n\nold\n", "See leaves"),
        ("So\r---\nold\n", "so!"),
        ("Two\nlines\n---\n\nold\n", "two: lines"),
    ],
)
def test_headings_are_named_as_they_are_read_or_written(text: str, name: str) -> None:
    assert after(text, AtHeading(name, "new")) == text.replace("old", "new")


def test_a_heading_whose_words_cannot_be_told_is_left() -> None:
    with pytest.raises(EditRefused):
        after("a ^id\r---\nrest\n\nmore\n", AtBlock("id", "new"))


def test_where_there_is_no_such_heading_the_nearest_are_named() -> None:
    with pytest.raises(NoMatch) as refused:
        after("# Goals\n\n## Gaols 2\n\n# Other\n\n# X\n", AtHeading("Goal", "new"))

    assert [line for line, _, _ in refused.value.nearest][:2] == [1, 3]
    assert len(refused.value.nearest) == 3
    with pytest.raises(BadEdit, match="no heading is named"):
        after("# A\n", AtHeading(" # ", "new"))


@pytest.mark.parametrize(
    ("text", "edit", "result"),
    [
        ("old ^id\n", AtBlock("id", "new"), "new ^id\n"),
        ("old\nmore ^id\n\nx\n", AtBlock("^id", "new"), "new ^id\n\nx\n"),
        ("old\n^id\n", AtBlock("#^id", "new"), "new\n^id\n"),
        ("a\n\nold ^ID\n", AtBlock("id", "n\nm"), "a\n\nn\nm ^ID\n"),
        ("old ^id", AtBlock("id", "- a\n- b"), "- a\n- b\n\n^id"),
        ("old ^id\n", AtBlock("id", "```\nx\n```"), "```\nx\n```\n\n^id\n"),
        ("- a\n- old ^id\n  - c\n", AtBlock("id", "new"), "- a\n- new ^id\n  - c\n"),
        ("- [x] old ^id\n", AtBlock("id", "new\nmore"), "- [x] new\n  more ^id\n"),
        ("- [x] old ^id\n", AtBlock("id", "- [ ] new"), "- [ ] new ^id\n"),
        (
            "1. a\n   1. old ^id\n",
            AtBlock("id", "n\nm"),
            "1. a\n   1. n\n      m ^id\n",
        ),
        ("> - old ^id\n", AtBlock("id", "n\nm"), "> - n\n>   m ^id\n"),
        ("old ^id\r\n\r\nx\r\n", AtBlock("id", "a\nb"), "a\r\nb ^id\r\n\r\nx\r\n"),
    ],
)
def test_a_block_is_replaced_and_its_id_stays(
    text: str, edit: AtBlock, result: str
) -> None:
    assert after(text, edit) == result


@pytest.mark.parametrize(
    ("text", "edit", "result"),
    [
        ("a ^id\n", AtBlock("id", "n", "before"), "n\n\na ^id\n"),
        ("a ^id", AtBlock("id", "n", "after"), "a ^id\n\nn"),
        ("a\n\nb ^id\n\nc\n", AtBlock("id", "n", "after"), "a\n\nb ^id\n\nn\n\nc\n"),
        ("|a|\n|-|\n\n^id\nx", AtBlock("id", "n", "after"), None),
        (
            "- a ^id\n  - b\n- c\n",
            AtBlock("id", "n", "after"),
            "- a ^id\n  - b\n- n\n- c\n",
        ),
        ("- a ^id\n", AtBlock("id", "- n", "before"), "- n\n- a ^id\n"),
        ("- [x] a ^id", AtBlock("id", "n\nm", "after"), "- [x] a ^id\n- [ ] n\n  m"),
        ("3. a ^id\n", AtBlock("id", "n", "after"), "3. a ^id\n4. n\n"),
        ("- a\n  - b ^id\n", AtBlock("id", "* n", "after"), "- a\n  - b ^id\n  * n\n"),
    ],
)
def test_a_text_is_put_beside_a_block(
    text: str, edit: AtBlock, result: str | None
) -> None:
    if result is None:
        with pytest.raises(NoMatch):  # a line follows, so it is no id
            after(text, edit)
    else:
        assert after(text, edit) == result


def test_ids_in_code_are_none_and_two_of_a_name_are_refused() -> None:
    with pytest.raises(NoMatch, match=r"nearest are line 5 \(0.75\): '\^idx'"):
        after("```\na ^id\n```\n\nb ^idx\n", AtBlock("id", "new"))
    with pytest.raises(SeveralMatches, match="on lines 1, 3"):
        after("a ^id\n\nb ^id\n", AtBlock("id", "new"))


@pytest.mark.parametrize(
    "text",
    [
        "> - a\n> - b\n>\n> ^id\n",
        "> a ^id\n",
        "> [!tip] T\n> old ^id\n",
        "- a\n\n  old ^id\n",
        "## old ^id\nx\n",
        "|a|\n|-|\n\n^id\n",
    ],
)
def test_an_id_that_does_not_end_a_paragraph_or_an_item_is_not_edited(
    text: str,
) -> None:
    with pytest.raises(NotEditable, match="edit it by its lines"):
        after(text, AtBlock("id", "new"))


@pytest.mark.parametrize("edit", [AtBlock("", "x"), AtBlock("id", " \n")])
def test_a_block_needs_a_name_and_a_text(edit: AtBlock) -> None:
    with pytest.raises(BadEdit):
        after("a ^id\n", edit)
