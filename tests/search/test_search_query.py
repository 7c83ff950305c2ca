"""What a person types is taken apart; what is no operator is plain words."""

from contextlib import suppress
from datetime import date, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from glassmind.errors import BadDate
from glassmind.model.search import Filter, WordQuery
from glassmind.search.query import parse_day, parse_query

TODAY = date(2024, 5, 15)


def taken_apart(text: str) -> WordQuery:
    return parse_query(text, TODAY)


def test_words_phrases_exclusions_and_prefixes_are_told_apart() -> None:
    found = taken_apart('oolong "first flush" -bag -"tea bag" dar* ')

    assert found == WordQuery(
        words=("oolong",),
        phrases=("first flush",),
        excluded=("bag", "tea bag"),
        prefixes=("dar",),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tag:tea", Filter("tag", "tea")),
        ("TAG:tea", Filter("tag", "tea")),
        ("-tag:tea", Filter("tag", "tea", negated=True)),
        ('path:"My Notes"', Filter("path", "My Notes")),
        ("file:Tea", Filter("file", "Tea")),
        ("[status]", Filter("property", None, name="status")),
        ("[status:open]", Filter("property", "open", name="status")),
        ("[status: open ]", Filter("property", "open", name="status")),
        ('[status:"wide open"]', Filter("property", "wide open", name="status")),
        ("[my prop:a b]", Filter("property", "a b", name="my prop")),
        ("-[status:open]", Filter("property", "open", name="status", negated=True)),
        ("[status:]", Filter("property", None, name="status")),
        (
            "before:2024-03",
            Filter("before", "2024-03", day=date(2024, 3, 1)),
        ),
        ("after:7d", Filter("after", "7d", day=date(2024, 5, 8))),
    ],
)
def test_a_filter_is_read(text: str, expected: Filter) -> None:
    assert taken_apart(text) == WordQuery(filters=(expected,))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tag:", ("tag:",)),
        ('tag:""', ("tag:",)),
        ('before:" "', ("before:",)),
        ("[[Tea]]", ("[[Tea]]",)),
        ("[[My Tea]]", ("[[My", "Tea]]")),
        ("![[pic.png]]", ("![[pic.png]]",)),
        ("[]", ("[]",)),
        ("[ ]", ("[", "]")),
        ("- [ ] call", ("-", "[", "]", "call")),
        ('it"s', ("it", "s")),
        ("hashtag:x", ("hashtag:x",)),
        ("well-known", ("well-known",)),
        ("https://a.example/x?tag:y", ("https://a.example/x?tag:y",)),
        ("git push --force", ("git", "push", "--force")),
        ("-", ("-",)),
        ("--", ("--",)),
        ("*", ("*",)),
        ('"', ()),
        ('""', ()),
        ("", ()),
        (" \t\n ", ()),
    ],
)
def test_what_is_no_operator_is_plain_words(text: str, words: tuple[str, ...]) -> None:
    assert taken_apart(text) == WordQuery(words=words)


@pytest.mark.parametrize("text", ['-"..."', "-!!", '"?!"', '-""'])
def test_punctuation_is_neither_wanted_nor_excluded(text: str) -> None:
    found = taken_apart(text)

    assert (found.phrases, found.excluded) == ((), ())


def test_a_minus_inside_a_word_excludes_nothing() -> None:
    assert taken_apart('a-b "c"-d').excluded == ()


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-02-29", date(2024, 2, 29)),
        ("2024-02", date(2024, 2, 1)),
        ("2024", date(2024, 1, 1)),
        ("today", TODAY),
        ("Yesterday", TODAY - timedelta(days=1)),
        ("tomorrow", TODAY + timedelta(days=1)),
        ("0d", TODAY),
        ("2w", TODAY - timedelta(days=14)),
        ("3M", TODAY - timedelta(days=90)),
        ("1y", TODAY - timedelta(days=365)),
    ],
)
def test_a_day_is_read_as_a_person_means_it(text: str, day: date) -> None:
    assert parse_day(text, TODAY) == day


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "2024-02-30",
        "2024-13",
        "0000",
        "12",
        "-1d",
        "9999y",
        "99999d",
        "٢٠٢٤",
    ],
)
def test_what_is_no_day_is_an_error_that_says_what_is(text: str) -> None:
    with pytest.raises(BadDate, match="is not a date: write YYYY-MM-DD"):
        parse_day(text, TODAY)


OPERATORS = (
    *('"', "-", "*", "tag:", "path:", "file:", "[", "]", ":", "#", "[[", "]]", "/"),
    *("before:", "after:", "today", "7d", "9999y", "soon", " ", "a", "東京", "é"),
)


@given(st.one_of(st.text(), st.lists(st.sampled_from(OPERATORS)).map("".join)))
def test_anything_can_be_typed(text: str) -> None:
    found = WordQuery()

    with suppress(BadDate):
        found = taken_apart(text)

    assert all(found.words)
    assert all(any(c.isalnum() for c in p) for p in (*found.phrases, *found.excluded))
    assert all(part.kind != "property" or part.name for part in found.filters)


SPACES = "".join(filter(str.isspace, map(chr, range(0x3001))))


@given(
    st.text(
        st.one_of(
            st.sampled_from(SPACES),
            st.characters(exclude_characters='"', exclude_categories=["Cs"]),
        )
    )
)
@example("\x1ctea\u00a0caf\u00e9\u2028-bag \x85tag:x")
def test_words_are_the_same_where_an_operator_follows(text: str) -> None:
    with suppress(BadDate):
        assert taken_apart(f'{text} ""') == taken_apart(text)


def test_of_a_pasted_document_only_the_beginning_is_a_query() -> None:
    found = taken_apart("word " * 10_000)

    assert len(found.words) == 2_000
