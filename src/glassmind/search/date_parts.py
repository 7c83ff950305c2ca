"""Stretches of the calendar, and where in a text they are named."""

import re
from datetime import date, timedelta
from typing import NamedTuple

from glassmind.search.plan import Days

DAY = timedelta(1)
QUARTER_MONTHS = 3
WORD = r"[\w'-]+"
ENDING = "(?:st|nd|rd|th)?"
"""What may stand behind the number of a day."""

YEAR = r"(?:1[6-9]|2[01])\d\d"
"""A year beside a month in numbers."""

_AGAIN = re.compile(rf" (?:every|each|repeat\w*|recur\w*)(?: {WORD}){{0,2}}$")


class Named(NamedTuple):
    """Days, and where in the text their name begins and ends."""

    at: int
    end: int
    days: Days


def comes_again(text: str, at: int) -> bool:
    """Whether the words ahead say that what they name comes again: "every year"."""
    return _AGAIN.search(text[:at]) is not None


def months_from(first: date, count: int = 1) -> Days:
    """Return so many months from the first day of one."""
    return Days(first, month_after(first, count))


def month_after(first: date, count: int = 1) -> date:
    """Return the first day of the month so many months later."""
    year, month = divmod(12 * first.year + first.month - 1 + count, 12)
    return date(year, month + 1, 1)


def year_of(year: int) -> Days:
    """Return a whole year."""
    return Days(date(year, 1, 1), date(year + 1, 1, 1))


def calendar(unit: str, today: date, *, back: int) -> Days:
    """Return a day, week, weekend, month or year, so many before the present one."""
    monday = today - (today.weekday() + 7 * back) * DAY
    match unit:
        case "day":
            return Days(today - back * DAY, today - (back - 1) * DAY)
        case "week":
            return Days(monday, monday + 7 * DAY)
        case "weekend":
            return Days(monday + 5 * DAY, monday + 7 * DAY)
        case "month":
            return months_from(month_after(today, -back))
        case _:
            return year_of(today.year - back)
