"""Names of notes in prose: where they are found, and where they are left alone."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from glassmind.graph.names import (
    NameMention,
    NameTable,
    mentions_in,
    name_table,
    pieces_of,
)
from glassmind.model import NotePath
from glassmind.obsidian.notes import read_note
from glassmind.obsidian.prose import prose

NAMES = {
    1: ("Deep Work",),
    2: ("Work Log",),
    3: ("habit_tracker",),
    4: ("深度工作",),
    5: ("Café Müller",),
    6: ("Node.js",),
    7: ("Boxes",),
    8: ("Mercury", "Quicksilver"),
    9: ("Mercury",),
}


def table_of(names: dict[int, tuple[str, ...]]) -> NameTable:
    own = {note: [pieces_of(n) for n in of] for note, of in names.items()}
    return name_table(own, texts=[name for of in names.values() for name in of])


TABLE = table_of(NAMES)


def found_in(text: str, table: NameTable = TABLE) -> dict[int, NameMention]:
    return mentions_in(read_note(NotePath("Here.md"), text), table)


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("I like deep work.", {1}),
        ("DEEP WORK!", {1}),
        ("(deep-work)", {1}),
        ("deep  work", {1}),
        ("some *deep work* here", {1}),
        ("my habit tracker", {3}),
        ("我喜欢深度工作的方法", {4}),
        ("at café müller", {5}),
        ("at cafe\u0301 mu\u0308ller", {5}),
        ("with Node.js today", {6}),
        ("- [ ] a task of deep work", {1}),
        ("> quoted deep work", {1}),
        ("> [!note] deep work", {1}),
        ("a[^1]\n\n[^1]: deep work", {1}),
        ("| a | b |\n|---|---|\n| deep work | x |", {1}),
        ("one Box, one deep work", {7, 1}),
        ("a < b, 5 % of deep work > {x}", {1}),
        ("deep work. md", {1}),
        ("keep a work log and deep work logs", {1, 2}),
    ],
)
def test_a_name_is_found_in_prose(text: str, notes: set[int]) -> None:
    assert set(found_in(text)) == notes


@pytest.mark.parametrize(
    "text",
    [
        "`deep work`",
        "```\ndeep work\n```",
        "    deep work in indented code",
        "$deep work$ and $$\ndeep work\n$$",
        "%%deep work%%",
        "[[deep work]] and [[x|deep work]]",
        "[deep work](https://example.org)",
        "![deep work](a.png)",
        "<span>deep work</span>",
        "# deep work",
        "Deep Work\n=========",
        "---\ntitle: deep work\n---\n",
        "https://example.org/deep-work",
        "notes/deep-work.md",
        "#deep-work",
        "[deep work]",
        "non-deep-work-like",
        "deep. work",
        "deep, work",
        "deep\nwork",
        "deepwork and deep worker",
        "node js",
        '<% tp.file.include("Deep Work") %>',
        "<%*\nlet a = Deep Work\n%>",
        "{{deep work}}",
        "see Deep Work.md there",
        "see deep-work.md.",
        "C:\\Deep Work\\file and Quick\\Mercury",
    ],
)
def test_what_is_no_prose_or_no_name_is_left_alone(text: str) -> None:
    assert found_in(text) == {}


PLACES = {
    1: ("Flat",),
    2: ("Heron Network", "Heron"),
    3: ("pytest",),
    4: ("GitHub",),
    5: ("ACT",),
}


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("back in the Flat at noon", {1}),
        ("two (Flats) and one", {1}),
        ("- Flat", {1}),
        ("- **Flat**: where we live", {1}),
        ("| a | b |\n|---|---|\n| Flat | x |", {1}),
        ("heron network, and the Heron", {2}),
        ("Pytest runs; so does pytest", {3}),
        ("GitHub is down", {4}),
        ("up on github again", {4}),
        ("ACT says so", {5}),
        ("Visit Heron today", {2}),
        ("the Heron Today", {2}),
    ],
)
def test_one_word_is_a_name_in_its_own_case_inside_a_sentence(
    text: str, notes: set[int]
) -> None:
    assert set(found_in(text, table_of(PLACES))) == notes


@pytest.mark.parametrize(
    "text",
    [
        "a flat white disc",
        "Flat loaves",
        "Two of them. Flat loaves again.",
        "> [!bug]- Flat loaves",
        "1. Flat loaves",
        "- [ ] Flat loaves",
        "hit by a heron",
        "at the Heron Inn",
        "in Grey Heron",
        "to Lower Heron Network",
        "an Anti-Heron pact",
        "an act of grace",
    ],
)
def test_a_word_in_another_case_or_a_part_of_a_longer_name_is_none(text: str) -> None:
    assert found_in(text, table_of(PLACES)) == {}


def test_the_longest_name_is_meant_and_what_it_takes_is_not_meant_again() -> None:
    table = table_of({1: ("Work",), 2: ("Deep Sea",), 3: ("Deep Sea Fishing",)})

    spots = found_in("deep sea fishing, then the deep sea", table)

    assert {note: spot.text for note, spot in spots.items()} == {
        3: "deep sea fishing",
        2: "deep sea",
    }


def test_a_name_of_two_notes_means_both() -> None:
    spots = found_in("then Mercury rises")

    assert spots[8].notes == spots[9].notes == (8, 9)


def test_the_name_as_given_is_kept_before_its_plural() -> None:
    spot = found_in("works of deep works, and deep work")[1]

    assert (spot.text, spot.exact, spot.times) == ("deep work", True, 2)


def test_a_plural_that_another_note_is_called_by_means_that_note() -> None:
    table = table_of({1: ("Sword",), 2: ("Swords",)})

    assert set(found_in("many Swords", table)) == {2}


@pytest.mark.parametrize(
    "name",
    ["Note", "2024", "2024-05-01", "R", "Go", "茶", "the", "To do", "", "!!", "12 3"],
)
def test_a_name_that_says_too_little_is_not_looked_for(name: str) -> None:
    assert found_in(f"a {name} here", table_of({1: (name,)})) == {}


def test_a_mention_knows_its_line_and_sentence() -> None:
    text = "First.\n\nOne thing. Then deep work came! And went.\n"

    spot = found_in(text)[1]

    assert (spot.line, spot.sentence) == (3, "Then deep work came!")


WORDS = ["deep", "work", "Deep", "Work", "log", "café", "Müller", "深度", "工作", "x"]
MARKS = [
    " ", " ", " ", "\n", "\n\n", "-", "*", "`", "[[", "]]", "$", "%%", "#", ". ", "> ",
    "- ", "<b>", "</b>", "(", ")", "[", "|", "\\", "\r\n", "```\n",
]  # fmt: skip

TEXTS = st.lists(st.sampled_from(WORDS + MARKS), max_size=40).map("".join)


@given(TEXTS)
def test_the_bytes_of_a_mention_are_its_text(text: str) -> None:
    note = read_note(NotePath("Here.md"), text)
    source = note.text.encode()

    for spot in mentions_in(note, TABLE).values():
        assert source[spot.start : spot.end].decode() == spot.text
        assert spot.line == source.count(b"\n", 0, spot.start) + 1
        assert pieces_of(spot.text) == spot.name


@given(TEXTS)
@example("[[\n]]")
def test_prose_stands_in_order_apart_and_outside_of_links(text: str) -> None:
    note = read_note(NotePath("Here.md"), text)
    source = note.text.encode()
    stretches = prose(note.text, note.frontmatter.end)

    assert all(start < end for start, end in stretches)
    assert all(a[1] <= b[0] for a, b in pairwise(stretches))
    assert not any(
        start < link.end and link.start < end
        for start, end in stretches
        for link in note.links
    )
    assert not any(b"\n" in source[start:end] for start, end in stretches)
