"""A name typed by a person finds the one note meant, or says what it might mean."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.errors import AmbiguousName, NoteNotFound
from glassmind.files.names import NamedNote, guessed_note, sure_note
from glassmind.model import NotePath


def find_note(name: str, notes: Sequence[NamedNote]) -> NotePath:
    return sure_note(name, notes) or guessed_note(name, notes)


def note(path: str, title: str = "", *aliases: str) -> NamedNote:
    base = path.rpartition("/")[2].removesuffix(".md")
    return NamedNote(NotePath(path), title or base, aliases)


VAULT = [
    note("Tea.md", "All about tea", "Brew"),
    note("drinks/Oolong.md", "Oolong", "Wulong"),
    note("drinks/Coffee.md", "Tea"),
    note("log/2024-01-02.md"),
    note("log/2024-01-03.md"),
    note("a/Index.md"),
    note("b/Index.md"),
    note("Boards/Plan.canvas", "Plan.canvas"),
    note("Café.md"),
]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Tea.md", "Tea.md"),
        ("Tea", "Tea.md"),
        ("drinks/Oolong", "drinks/Oolong.md"),
        ("/drinks/Oolong.md", "drinks/Oolong.md"),
        ("All about tea", "Tea.md"),
        ("Coffee", "drinks/Coffee.md"),
        ("coffee.MD", "drinks/Coffee.md"),
        ("oolong", "drinks/Oolong.md"),
        ("DRINKS/OOLONG", "drinks/Oolong.md"),
        ("Wulong", "drinks/Oolong.md"),
        ("wulong", "drinks/Oolong.md"),
        ("[[Oolong#Steeping|how]]", "drinks/Oolong.md"),
        ("Oolnog", "drinks/Oolong.md"),
        ("Ooolong", "drinks/Oolong.md"),
        ("About TEA", "Tea.md"),
        ("canvas", "Boards/Plan.canvas"),
        ("Plan.canvas", "Boards/Plan.canvas"),
        ("Cafe\u0301", "Café.md"),
        ("  Tea ", "Tea.md"),
    ],
)
def test_a_name_finds_the_note_by_its_surest_reading(name: str, path: str) -> None:
    assert find_note(name, VAULT) == path


@pytest.mark.parametrize("path", [" Tea.md", "Tea .md", "drinks/ Mate.md", "Mate.md "])
def test_a_path_with_blanks_at_its_ends_is_taken_as_it_stands(path: str) -> None:
    assert find_note(path, [*VAULT, note(path)]) == path
    assert find_note(path.removesuffix(".md"), [*VAULT, note(path)]) == path


def test_a_name_of_two_notes_is_an_error_that_lists_both() -> None:
    with pytest.raises(AmbiguousName, match=r"a/Index\.md, b/Index\.md") as caught:
        find_note("Index", VAULT)

    assert caught.value.candidates == ("a/Index.md", "b/Index.md")


def test_of_many_candidates_ten_are_listed_and_the_rest_counted() -> None:
    with pytest.raises(AmbiguousName, match="and 15 more") as caught:
        find_note("Index", [note(f"f{n:02}/Index.md") for n in range(25)])

    assert len(caught.value.candidates) == 10
    assert caught.value.total == 25


def test_part_of_the_titles_of_two_notes_is_an_error_that_lists_both() -> None:
    with pytest.raises(AmbiguousName) as caught:
        find_note("2024-01", VAULT)

    assert caught.value.candidates == ("log/2024-01-02.md", "log/2024-01-03.md")


def test_part_of_a_path_tells_two_notes_of_one_name_apart() -> None:
    assert find_note("b/index", VAULT) == "b/Index.md"


def test_another_date_is_not_taken_for_a_typo() -> None:
    with pytest.raises(NoteNotFound) as caught:
        find_note("2024-01-04", VAULT)

    assert "log/2024-01-02.md" in caught.value.closest


@pytest.mark.parametrize("name", ["", "  ", "zzz", "[[]]", "x" * 5000, "\0"])
def test_a_name_nobody_has_is_an_error_that_says_so(name: str) -> None:
    with pytest.raises(NoteNotFound, match="no note is called"):
        find_note(name, VAULT)


def test_two_notes_that_fit_a_typo_alike_are_not_chosen_between() -> None:
    with pytest.raises(AmbiguousName):
        find_note("Marked", [note("Market.md"), note("Marker.md")])


@given(st.text(max_size=30), st.integers(0, len(VAULT)))
def test_the_order_of_the_notes_does_not_matter(name: str, turn: int) -> None:
    def answer(notes: list[NamedNote]) -> str:
        try:
            return find_note(name, notes)
        except (NoteNotFound, AmbiguousName) as fault:
            return str(fault)

    assert answer(VAULT) == answer([*VAULT[turn:], *VAULT[:turn]][::-1])
