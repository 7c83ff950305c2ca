"""Templates filled in, with dates as Moment writes them."""

from datetime import datetime, timedelta, timezone

import pytest

from glassmind.edit.planning import filled, formatted

ZONE = timezone(timedelta(hours=-5, minutes=-30))
THEN = datetime(2010, 2, 14, 15, 25, 50, 125_000, ZONE)


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("YYYY-MM-DD", "2010-02-14"),
        ("dddd, MMMM Do YYYY, h:mm:ss a", "Sunday, February 14th 2010, 3:25:50 pm"),
        ("ddd, hA", "Sun, 3PM"),
        ("[Today is] dddd", "Today is Sunday"),
        ("YYYY-[W]WW", "2010-W06"),
        ("gggg-[W]ww", "2010-W08"),
        ("GGGG GG gg", "2010 10 10"),
        ("YYYY-[Q]Q Qo", "2010-Q1 1st"),
        ("M Mo MM MMM", "2 2nd 02 Feb"),
        ("D Do DDD DDDo DDDD", "14 14th 45 45th 045"),
        ("d do dd e E", "0 0th Su 0 7"),
        ("w wo W Wo", "8 8th 6 6th"),
        ("YY Y YYYYY YYYYYY", "10 2010 02010 +002010"),
        ("H HH h hh k kk", "15 15 3 03 15 15"),
        ("m mm s ss S SS SSS", "25 25 50 50 1 12 125"),
        ("Hmm Hmmss hmm hmmss", "1525 152550 325 32550"),
        ("Z ZZ", "-05:30 -0530"),
        ("X x", "1266180950 1266180950125"),
        ("L LT LL", "02/14/2010 3:25 PM February 14, 2010"),
        ("[LT] l", "LT 2/14/2010"),
        ("YYYY/MM \\[ü\\] ?!", "2010/02 [ü] ?!"),
        ("", ""),
    ],
)
def test_a_format_says_what_moment_says(form: str, said: str) -> None:
    assert formatted(THEN, form) == said


@pytest.mark.parametrize(
    ("day", "said"),
    [
        (datetime(2011, 1, 1), "2010-W52 2011-w01 1st Sa"),  # noqa: DTZ001
        (datetime(2010, 12, 25), "2010-W51 2010-w52 25th Sa"),  # noqa: DTZ001
        (datetime(2010, 12, 26), "2010-W51 2011-w01 26th Su"),  # noqa: DTZ001
        (datetime(2012, 1, 2), "2012-W01 2012-w01 2nd Mo"),  # noqa: DTZ001
        (datetime(2023, 1, 23), "2023-W04 2023-w04 23rd Mo"),  # noqa: DTZ001
        (datetime(2024, 12, 11), "2024-W50 2024-w50 11th We"),  # noqa: DTZ001
    ],
)
def test_weeks_turn_with_their_years(day: datetime, said: str) -> None:
    assert formatted(day, "GGGG-[W]WW gggg-[w]ww Do dd") == said


def test_midnight_and_noon_are_twelve() -> None:
    midnight, noon = (datetime(2026, 1, 1, hour) for hour in (0, 12))  # noqa: DTZ001

    assert formatted(midnight, "h hh A k H") == "12 12 AM 24 0"
    assert formatted(noon, "h hh a k H") == "12 12 pm 12 12"


def test_title_date_and_time_are_filled_in() -> None:
    text = "# {{title}}\n{{date}} {{time}} {{Date:YYYY}} {{ time:ss }} {{other}}"

    assert filled(text, "My Note", THEN) == (
        "# My Note\n2010-02-14 15:25 2010 50 {{other}}"
    )


def test_a_title_in_a_property_is_read_as_that_text() -> None:
    text = "---\na: {{title}}\nb:\n  - {{title}}\nc: x {{title}}\n---\n{{title}}"

    assert filled(text, "- 12", THEN) == (
        '---\na: "- 12"\nb:\n  - "- 12"\nc: x - 12\n---\n- 12'
    )
