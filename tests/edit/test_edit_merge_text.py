"""The text of one note behind that of another."""

import pytest

from glassmind.edit.joining import joined
from glassmind.edit.page import EditedPage
from glassmind.errors import EditRefused
from glassmind.model import NotePath


def merged(into: str, added: str, title: str = "Added") -> str:
    pages = [
        EditedPage.of(NotePath(f"{at}.md"), text.encode())
        for at, text in enumerate((into, added))
    ]
    return joined(pages[0], pages[1], title).page.raw.decode()


@pytest.mark.parametrize(
    ("into", "after"),
    [
        ("a\n", "a\n\nb\n"),
        ("a", "a\n\nb\n"),
        ("a\r\nc\r\n", "a\r\nc\r\n\r\nb\r\n"),
        ("a\n\n\n", "a\n\n\nb\n"),
        ("", "b\n"),
        ("---\nx: 1\n---\n", "---\nx: 1\n---\nb\n"),
        ("---\nx: 1\n---", "---\nx: 1\n---\nb\n"),
    ],
)
def test_a_blank_line_stands_between_both(into: str, after: str) -> None:
    assert merged(into, "---\ny: 2\n---\n\n\nb\n") == after


def test_nothing_is_added_of_a_note_without_text() -> None:
    assert merged("a", "---\ny: 2\n---\n\n") == "a"


def test_headings_of_other_names_stay_as_they_are() -> None:
    assert merged("# A\n", "# B\n\nx\n") == "# A\n\n# B\n\nx\n"


def test_headings_that_clash_come_below_one_of_the_title() -> None:
    after = merged("## Log\n", "## Log\n\nx\n")

    assert after == "## Log\n\n# Added\n\n## Log\n\nx\n"


def test_headings_of_the_first_rank_that_clash_are_lowered() -> None:
    added = "# Log #\n\n###### Deep\n\n## Two\n"

    after = merged("# Log\n", added)

    lowered = "## Log #\n\n###### Deep\n\n### Two\n"
    assert after == f"# Log\n\n# Added\n\n{lowered}"


def test_a_text_with_a_heading_above_all_others_needs_no_other() -> None:
    after = merged("# A\n\n## Log\n", "# B\n\n## Log\n")

    assert after == "# A\n\n## Log\n\n# B\n\n## Log\n"


def test_the_heading_of_the_title_is_one_that_is_free() -> None:
    after = merged("# Added\n\n## Log\n", "## Log\n")

    assert after == "# Added\n\n## Log\n\n# Added 2\n\n## Log\n"


def test_block_ids_and_footnotes_that_clash_get_other_names() -> None:
    after = merged("a[^1] ^id\n\n[^1]: x\n", "b[^1][^2] ^ID\n\n[^1]: y\n[^2]: z\n")

    assert after.endswith("b[^1-2][^2] ^ID-2\n\n[^1-2]: y\n[^2]: z\n")


@pytest.mark.parametrize("into", ["```\nopen\n", "%%\nopen\n"])
def test_a_text_that_would_vanish_behind_the_other_is_refused(into: str) -> None:
    with pytest.raises(EditRefused, match="read otherwise"):
        merged(into, "# B\n\n[[x]]\n")


def test_a_text_without_anything_in_it_does_not_vanish_either() -> None:
    with pytest.raises(EditRefused, match="read otherwise"):
        merged("%%\nopen\n", "plain\n")


def test_a_definition_that_means_two_things_is_refused() -> None:
    with pytest.raises(EditRefused, match="read otherwise"):
        merged("[a][r]\n\n[r]: One.md\n", "[b][r]\n\n[r]: Two.md\n")
