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
        ("GGGG gggg", "2010 2010"),
        ("M MM MMM", "2 02 Feb"),
        ("D Do", "14 14th"),
        ("YY YYYY", "10 2010"),
        ("H HH h hh", "15 15 3 03"),
        ("m mm s ss", "25 25 50 50"),
        ("YYYY/MM ü ?!", "2010/02 ü ?!"),
        ("", ""),
    ],
)
def test_a_format_says_what_moment_says(form: str, said: str) -> None:
    assert formatted(THEN, form) == said


@pytest.mark.parametrize(
    ("day", "said"),
    [
        (datetime(2011, 1, 1), "2010-W52 2011-w01 1st"),  # noqa: DTZ001
        (datetime(2010, 12, 25), "2010-W51 2010-w52 25th"),  # noqa: DTZ001
        (datetime(2010, 12, 26), "2010-W51 2011-w01 26th"),  # noqa: DTZ001
        (datetime(2012, 1, 2), "2012-W01 2012-w01 2nd"),  # noqa: DTZ001
        (datetime(2023, 1, 23), "2023-W04 2023-w04 23rd"),  # noqa: DTZ001
        (datetime(2024, 12, 11), "2024-W50 2024-w50 11th"),  # noqa: DTZ001
    ],
)
def test_weeks_turn_with_their_years(day: datetime, said: str) -> None:
    assert formatted(day, "GGGG-[W]WW gggg-[w]ww Do") == said


def test_midnight_and_noon_are_twelve() -> None:
    midnight, noon = (datetime(2026, 1, 1, hour) for hour in (0, 12))  # noqa: DTZ001

    assert formatted(midnight, "h hh A H") == "12 12 AM 0"
    assert formatted(noon, "h hh a H") == "12 12 pm 12"


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
