"""A heading with other words: only its own bytes change."""

import pytest

from glassmind.edit.page import EditedPage
from glassmind.edit.restructuring import renamed_heading
from glassmind.errors import BadEdit, NoMatch, SeveralMatches
from glassmind.model import NotePath

HERE = NotePath("Here.md")


def renamed(text: str, heading: str, new: str, index: int | None = None) -> str:
    page = EditedPage.of(HERE, text.encode())
    return renamed_heading(page, heading, new, index)[0].decode()


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("## Tea\n", "## Pot\n"),
        ("  ##  Tea  ##  \n", "  ##  Pot  ##  \n"),
        ("Tea\n===\n", "Pot\n===\n"),
        ("Tea ^id\r\n---\r\nx\r\n", "Pot ^id\r\n---\r\nx\r\n"),
        ("## Tea ^id\n", "## Pot ^id\n"),
        ("## *Tea*", "## Pot"),
        ("\ufeff# Tea\n", "\ufeff# Pot\n"),
        ("~~~\n# Tea\n~~~\n# Tea\n", "~~~\n# Tea\n~~~\n# Pot\n"),
    ],
)
def test_only_the_words_of_a_heading_change(text: str, after: str) -> None:
    assert renamed(text, "Tea", "Pot") == after


@pytest.mark.parametrize(
    ("text", "new", "after"),
    [
        ("## Tea\n", "## Pot", "## Pot\n"),
        ("Tea\n===\n", "#  Pot", "Pot\n===\n"),
        ("## Tea\n", "#pot", "## #pot\n"),
        ("## Tea\n", "\\# of pots", "## \\# of pots\n"),
    ],
)
def test_the_marks_of_its_level_may_be_said_with_the_words(
    text: str, new: str, after: str
) -> None:
    assert renamed(text, "Tea", new) == after


@pytest.mark.parametrize("new", ["### Pot", "# Pot", "## # Pot"])
def test_a_heading_keeps_its_level(new: str) -> None:
    with pytest.raises(BadEdit, match="say its new words without #"):
        renamed("## Tea\n", "Tea", new)


def test_a_heading_is_found_by_a_nested_path() -> None:
    text = "# A\n\n## Same\n\n# B\n\n## Same\n"

    assert renamed(text, "B#Same", "New") == "# A\n\n## Same\n\n# B\n\n## New\n"


def test_headings_of_one_name_are_chosen_by_index() -> None:
    text = "# Same\n\n# Same\n"

    with pytest.raises(SeveralMatches) as refused:
        renamed(text, "Same", "New")

    assert refused.value.lines == (1, 3)
    assert renamed(text, "Same", "New", 1) == "# Same\n\n# New\n"
    with pytest.raises(BadEdit, match="no index 2"):
        renamed(text, "Same", "New", 2)


def test_the_name_to_the_letter_counts_before_one_that_is_alike() -> None:
    assert renamed("# tea!\n\n# Tea\n", "Tea", "Pot") == "# tea!\n\n# Pot\n"


def test_no_such_heading_names_the_nearest() -> None:
    with pytest.raises(NoMatch, match="Kettle"):
        renamed("# Pot\n\n# Kettle\n", "Kettel", "New")


@pytest.mark.parametrize("new", ["", "  ", "a\nb", "a ^id", "^id"])
def test_what_are_no_words_of_a_heading_is_refused(new: str) -> None:
    with pytest.raises(BadEdit):
        renamed("# Tea\n", "Tea", new)


def test_words_that_a_rule_beneath_cannot_hold_are_refused() -> None:
    with pytest.raises(BadEdit):
        renamed("Tea\n===\n", "Tea", "- Pot")


def test_a_number_sign_at_the_end_is_no_mark() -> None:
    assert renamed("# Tea\n", "Tea", "C #") == "# C \\#\n"
