"""Sections cut out of a note: what goes, what stays, what they are called."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.edit.joining import cut_out, file_name, free_path, left_over, sections_at
from glassmind.edit.page import EditedPage
from glassmind.errors import BadEdit, NoMatch, SeveralMatches
from glassmind.model import NotePath

TEXT = "---\nx: 1\n---\nTop\n\n## A\n\na\n\n### Deep\n\nd\n\n\n## B\n\nb\n\n# End\n"


def page(text: str) -> EditedPage:
    return EditedPage.of(NotePath("a.md"), text.encode())


def cut(text: str, heading: str = "", level: int | None = None) -> list[str]:
    whole = page(text)
    chosen = sections_at(whole.note, heading, level)
    splices = left_over(whole, chosen, lambda at: f"[[{at}]]")
    parts = whole.with_splices(splices), *(cut_out(whole, at) for at in chosen)
    return [part.decode() for part in parts]


def test_the_section_of_a_heading_goes_and_a_link_stays() -> None:
    left, section = cut(TEXT, "A")

    assert section == "## A\n\na\n\n### Deep\n\nd\n"
    assert left == TEXT.replace(section, "[[0]]\n")


def test_all_sections_of_a_level_go() -> None:
    left, first, second = cut(TEXT, level=2)

    assert left == "---\nx: 1\n---\nTop\n\n[[0]]\n\n\n[[2]]\n\n# End\n"
    assert first.startswith("## A")
    assert second == "## B\n\nb\n"


def test_a_last_line_without_an_end_gets_one_of_its_kind() -> None:
    assert cut("x\r\n\r\n  ## A\r\na", "A") == ["x\r\n\r\n[[0]]", "  ## A\r\na\r\n"]


def test_a_section_under_a_rule_goes_with_its_words() -> None:
    assert cut("A\n===\n\na\n\nB\n===\nb\n", "B") == [
        "A\n===\n\na\n\n[[1]]\n",
        "B\n===\nb\n",
    ]


def test_a_heading_in_code_begins_no_section() -> None:
    text = "# A\n\n```\n# B\n```\n\nx\n"

    assert cut(text, "A") == ["[[0]]\n", text]


@pytest.mark.parametrize(
    ("before", "behind"),
    [("| a |\n| - |\n", ""), ("- a\n", "# End\n"), ("x\n", "End\n===\n")],
)
def test_the_link_is_a_paragraph_of_its_own(before: str, behind: str) -> None:
    left, section = cut(f"{before}## A\n{behind or chr(10)}", "A")

    assert section == "## A\n"
    assert left.startswith(f"{before}\n[[0]]\n\n")
    assert page(left).note.links[0].target == "0"


TEXTS = st.lists(
    st.sampled_from(
        ["# A", "## B", "### C", "x", "- [ ] y", "", "", "```", "%%", "| a |", "---"]
    ),
    max_size=14,
)


@given(TEXTS, st.sampled_from(["\n", "\r\n"]), st.integers(1, 3))
def test_what_is_cut_out_and_what_is_left_are_the_note(
    lines: list[str], newline: str, level: int
) -> None:
    whole = page(newline.join(lines))
    if not any(heading.level == level for heading in whole.note.headings):
        return
    chosen = sections_at(whole.note, "", level)

    parts = iter([cut_out(whole, at).removesuffix(newline.encode()) for at in chosen])
    left = whole.with_splices(left_over(whole, chosen, lambda _: "<LINK>"))

    pieces = re.split(rb"(<LINK>)", left)
    again = b"".join(next(parts) if piece == b"<LINK>" else piece for piece in pieces)
    assert without_blanks(again) == without_blanks(whole.source)


def without_blanks(text: bytes) -> list[bytes]:
    return [line for line in text.splitlines() if line.strip()]


def test_footnotes_go_and_stay_with_what_refers_to_them() -> None:
    text = "x[^1]\n\n# A\n\ny[^1][^2]\n\n[^2]: two\n\n# B\n\n[^1]: one\n"

    left, section = cut(text, "A")

    assert left == "x[^1]\n\n[[0]]\n\n# B\n\n[^1]: one\n"
    assert section == "# A\n\ny[^1][^2]\n\n[^2]: two\n\n[^1]: one\n"


def test_it_must_be_said_what_to_split_by() -> None:
    with pytest.raises(BadEdit):
        cut(TEXT)
    with pytest.raises(BadEdit):
        cut(TEXT, "A", 2)
    with pytest.raises(BadEdit):
        cut(TEXT, level=7)
    with pytest.raises(NoMatch, match=r"no heading of level 4 is in .*; it has those"):
        cut(TEXT, level=4)
    with pytest.raises(NoMatch, match=r"no heading of level 1 is in .*; it has none"):
        cut("no headings\n", level=1)
    with pytest.raises(NoMatch):
        cut(TEXT, "C")
    with pytest.raises(SeveralMatches):
        cut("# A\n\n# A\n", "A")


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("Tea", "Tea"),
        ("A/B: c? [[d]] #e | *f*", "A B c d e f"),
        ("..hidden.", "hidden"),
        ("???", "Untitled"),
        ("ü" * 300, "ü" * 100),
    ],
)
def test_a_heading_becomes_the_name_of_a_file(heading: str, name: str) -> None:
    assert file_name(heading) == name


def test_a_name_that_is_taken_gets_a_number() -> None:
    assert free_path("x", "Tea", {"x/tea.md", "x/tea 1.md"}) == "x/Tea 2.md"
    assert free_path("", "Tea", {"x/tea.md"}) == "Tea.md"
