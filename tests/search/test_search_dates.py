"""Days named in the words of a question."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.search.dates import Days, days_in

TODAY = date(2025, 6, 18)
"""A Wednesday."""


def days(first: str, after: str) -> Days:
    return Days(date.fromisoformat(first), date.fromisoformat(after))


def day(text: str) -> Days:
    first = date.fromisoformat(text)
    return Days(first, first + timedelta(1))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("what did I write today", day("2025-06-18")),
        ("Yesterday's call with Dana", day("2025-06-17")),
        ("the call yesterday, with Dana", day("2025-06-17")),
        ("the day before yesterday", day("2025-06-16")),
        ("what happened last night?", day("2025-06-17")),
        ("notes from this week", days("2025-06-16", "2025-06-23")),
        ("Last  Week: decisions", days("2025-06-09", "2025-06-16")),
        ("last month", days("2025-05-01", "2025-06-01")),
        ("this month", days("2025-06-01", "2025-07-01")),
        ("the books I read last year", days("2024-01-01", "2025-01-01")),
        ("3 days ago", day("2025-06-15")),
        ("two weeks ago", days("2025-06-02", "2025-06-09")),
        ("a month ago", days("2025-05-01", "2025-06-01")),
        ("six months ago", days("2024-12-01", "2025-01-01")),
        ("a few years ago", days("2022-01-01", "2023-01-01")),
        ("on Monday", day("2025-06-16")),
        ("last wednesday", day("2025-06-11")),
        ("the downside as of today of the plan", day("2025-06-18")),
        ("the last week of notes", days("2025-06-09", "2025-06-16")),
        ("last month of my journal", days("2025-05-01", "2025-06-01")),
        ("what I did every day last week", days("2025-06-09", "2025-06-16")),
        ("what each of us wants to say on Monday", day("2025-06-16")),
        ("the last week of March 2025", days("2025-03-01", "2025-04-01")),
        ("last weekend", days("2025-06-14", "2025-06-16")),
        ("what I thought this morning", day("2025-06-18")),
        ("twelve months ago", days("2024-06-01", "2024-07-01")),
        ("what happened last March", days("2025-03-01", "2025-04-01")),
        ("in last June", days("2024-06-01", "2024-07-01")),
        ("last Tuesday", day("2025-06-17")),
    ],
)  # fmt: skip
def test_what_is_counted_from_today(text: str, wanted: Days) -> None:
    assert days_in(text, TODAY) == wanted


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("the past week", 7),
        ("in the past 10 days", 10),
        ("decisions of the last 3 weeks", 21),
        ("previous two months", 60),
        ("over the last couple of days", 2),
        ("the past day", 1),
        ("the last two weeks of my notes", 14),
        ("last 99999 years", 36_500),
        ("over the last three months", 90),
        ("in the last two years", 730),
        ("within the last twelve weeks", 84),
    ],
)
def test_the_last_so_many_days_end_with_today(text: str, back: int) -> None:
    assert days_in(text, TODAY) == Days(TODAY - timedelta(back), TODAY + timedelta(1))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("in March 2025", days("2025-03-01", "2025-04-01")),
        ("march 2024 retro", days("2024-03-01", "2024-04-01")),
        ("in march", days("2025-03-01", "2025-04-01")),
        ("in December", days("2024-12-01", "2025-01-01")),
        ("in June", days("2025-06-01", "2025-07-01")),
        ("during Sept. 2023", days("2023-09-01", "2023-10-01")),
        ("in 2024", days("2024-01-01", "2025-01-01")),
        ("from 1999", days("1999-01-01", "2000-01-01")),
        ("Q3 2024 goals", days("2024-07-01", "2024-10-01")),
        ("q4 review", days("2024-10-01", "2025-01-01")),
        ("what we decided in Q2", days("2025-04-01", "2025-07-01")),
        ("2025-03-14", day("2025-03-14")),
        ("standup 2025/03/14", day("2025-03-14")),
        ("journal 2025-03", days("2025-03-01", "2025-04-01")),
        ("14 March 2025", day("2025-03-14")),
        ("on the 3rd of may 2024", day("2024-05-03")),
        ("March 14, 2025", day("2025-03-14")),
        ("meeting on July 4th", day("2024-07-04")),
        ("meeting on June 18", day("2025-06-18")),
    ],
)
def test_days_months_and_years_by_name(text: str, wanted: Days) -> None:
    assert days_in(text, TODAY) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("since March 2025", Days(date(2025, 3, 1), None)),
        ("what changed since last week", Days(date(2025, 6, 9), None)),
        ("since yesterday", Days(date(2025, 6, 17), None)),
        ("since 2024-11-05", Days(date(2024, 11, 5), None)),
        ("since Monday", Days(date(2025, 6, 16), None)),
        ("before 2020", Days(None, date(2020, 1, 1))),
        ("until the last month", Days(None, date(2025, 5, 1))),
        ("after March 2025", Days(date(2025, 4, 1), None)),
        ("seit gestern", Days(date(2025, 6, 17), None)),
        ("desde marzo", Days(date(2025, 3, 1), None)),
        ("depuis mars 2024", Days(date(2024, 3, 1), None)),
        ("until March 2024", Days(None, date(2024, 3, 1))),
        ("till 2024", Days(None, date(2024, 1, 1))),
        ("after 2023", Days(date(2024, 1, 1), None)),
        ("since last Tuesday", Days(date(2025, 6, 17), None)),
        ("since last March", Days(date(2025, 3, 1), None)),
        ("before last weekend", Days(None, date(2025, 6, 14))),
        ("before March or April 2025", Days(None, date(2025, 3, 1))),
        ("after March and April 2025", Days(date(2025, 5, 1), None)),
        ("since two weeks ago", Days(date(2025, 6, 2), None)),
    ],
)
def test_since_after_and_before_leave_an_end_open(text: str, wanted: Days) -> None:
    assert days_in(text, TODAY) == wanted


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("from January to March 2025", "2025-01-01", "2025-04-01"),
        ("between March and May 2025", "2025-03-01", "2025-06-01"),
        ("between march 2024 and may", "2024-03-01", "2024-06-01"),
        ("what I read in January 2025 and March 2025", "2025-01-01", "2025-04-01"),
        ("in January 2025 and in March 2025", "2025-01-01", "2025-04-01"),
        ("in January, February and March 2024", "2024-01-01", "2024-04-01"),
        ("during 2023 and 2024", "2023-01-01", "2025-01-01"),
        ("in 2021, 2022 or 2023", "2021-01-01", "2024-01-01"),
        ("from 2022 to 2024", "2022-01-01", "2025-01-01"),
        ("in 2023/2024", "2023-01-01", "2025-01-01"),
        ("in 2023\u20132024", "2023-01-01", "2025-01-01"),
        ("between 2024 and 2023", "2023-01-01", "2025-01-01"),
        ("from November to February 2025", "2024-11-01", "2025-03-01"),
        ("from November 2023 to February", "2023-11-01", "2024-03-01"),
        ("from January to March", "2025-01-01", "2025-04-01"),
        ("between November and February", "2024-11-01", "2025-03-01"),
        ("from May to August", "2025-05-01", "2025-09-01"),
        ("from March 2023 to 2024", "2023-03-01", "2025-01-01"),
        ("March \u2013 May 2025 retro", "2025-03-01", "2025-06-01"),
        ("March-May 2025", "2025-03-01", "2025-06-01"),
        ("2025-03-01 to 2025-03-09", "2025-03-01", "2025-03-10"),
        ("between 2024-11 and 2025-02", "2024-11-01", "2025-03-01"),
        ("from 3 March to 10 April 2025", "2025-03-03", "2025-04-11"),
        ("from March 3 to March 10, 2025", "2025-03-03", "2025-03-11"),
        ("from the 3rd to the 10th of March 2025", "2025-03-03", "2025-03-11"),
        ("3-10 March 2025", "2025-03-03", "2025-03-11"),
        ("January to March 2025 notes", "2025-01-01", "2025-04-01"),
        ("between March and May what broke", "2025-03-01", "2025-06-01"),
        ("Q1 to Q3 2024", "2024-01-01", "2024-10-01"),
        ("from March until today", "2025-03-01", "2025-06-19"),
        ("since January 2024 until March 2025", "2024-01-01", "2025-04-01"),
        ("von Januar bis März 2025", "2025-01-01", "2025-04-01"),
        ("de enero a marzo de 2025", "2025-01-01", "2025-04-01"),
        ("entre mars et mai 2024", "2024-03-01", "2024-06-01"),
    ],
)
def test_two_ends_are_the_days_from_the_first_to_the_last(
    text: str, first: str, after: str
) -> None:
    assert days_in(text, TODAY) == days(first, after)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("in March 2025 and the port 2024", days("2025-03-01", "2025-04-01")),
        ("what broke in March and may break again", days("2025-03-01", "2025-04-01")),
    ],
)
def test_what_has_no_two_ends_is_read_as_one(text: str, wanted: Days) -> None:
    assert days_in(text, TODAY) == wanted


def test_since_opens_only_the_days_that_follow_it() -> None:
    text = "what I learnt since the move, written last week"

    assert days_in(text, TODAY) == days("2025-06-09", "2025-06-16")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("was war gestern", day("2025-06-17")),
        ("Notizen von letzter Woche", days("2025-06-09", "2025-06-16")),
        ("im März 2024", days("2024-03-01", "2024-04-01")),
        ("am 14. März 2025", day("2025-03-14")),
        ("am Montag", day("2025-06-16")),
        ("las notas de ayer", day("2025-06-17")),
        ("la semana pasada", days("2025-06-09", "2025-06-16")),
        ("en marzo de 2024", days("2024-03-01", "2024-04-01")),
        ("el 3 de mayo de 2024", day("2024-05-03")),
        ("le mois dernier", days("2025-05-01", "2025-06-01")),
        ("les notes d\u2019hier", day("2025-06-17")),
        ("en août", days("2024-08-01", "2024-09-01")),
        ("en mars", days("2025-03-01", "2025-04-01")),
        ("昨天的会议", day("2025-06-17")),
        ("上周写了什么", days("2025-06-09", "2025-06-16")),
        ("2025年3月的日记", days("2025-03-01", "2025-04-01")),
        ("2025年3月14日", day("2025-03-14")),
        ("2024年的旅行", days("2024-01-01", "2025-01-01")),
        ("先月のメモ", days("2025-05-01", "2025-06-01")),
    ],
)
def test_other_languages(text: str, wanted: Days) -> None:
    assert days_in(text, TODAY) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "how does memory work",
        "you may march on",
        "notes from Mars",
        "life on mars",
        "hier ist der Schlüssel",
        "room 2024",
        "port 8080",
        "last but not least",
        "a few good men",
        "2025-13-01",
        "2025-02-30",
        "0000-01",
        "9999-12-31",
        "99999 years ago",
        "https://example.org/2025-1234",
        "how do I make a task recur on the last day of every month",
        "the first day of the month",
        "at the end of every week",
        "the last day of school",
        "the last day we went swimming",
        "last week of August",
        "the last year of his life",
        "last month of the lease",
        "the last two weeks of the sprint",
        "last friday of the month",
        "a task every week on Sunday",
        "repeats every year in March",
        "birthday every 4 July",
        "recurring on Monday",
        "link to the previous day in a daily note",
        "say it in 2000 words",
        "after 2000 steps",
        "ISO 8601-1",
        "letzte Woche des Urlaubs",
        "what I have to carry on with tonight",
        "last March of the war",
        "between 1900 and 2000 calories",
        "between 2000 and 2020 words",
        "rooms 2023 and 2024",
        "you may and march on",
        "open every day from March to October",
        "chapters 3 and 10",
    ],
)
def test_what_names_no_day_is_none(text: str) -> None:
    assert days_in(text, TODAY) is None


def test_a_day_that_cannot_be_leaves_the_one_that_can() -> None:
    assert days_in("2025-13-01 or yesterday", TODAY) == day("2025-06-17")


@given(st.text(max_size=80), st.dates(date(1900, 1, 1), date(2200, 1, 1)))
def test_any_text_has_days_in_order_or_none(text: str, today: date) -> None:
    found = days_in(text, today)

    if found is not None and found.first is not None and found.after is not None:
        assert found.first < found.after


WORDS = "last this past since before ago 3 99999 9999 2025 12 week days month year in"
FRAGMENTS = [
    *WORDS.split(),
    "from",
    "to",
    "and",
    "May",
    "q2",
    "March",
    "Monday",
    "q4",
    "yesterday",
    "上周",
    "年",
    "-",
]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=6), st.dates())
def test_no_heap_of_such_words_is_too_much(words: list[str], today: date) -> None:
    days_in(" ".join(words), today)
