"""Days that a question names in words: "last week", "in March 2025", "yesterday"."""

import re
from datetime import date, timedelta

from glassmind.retrieval.plan import Days

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH = "|".join(f"{name}|{name[:3]}" for name in MONTHS)
_DAY = re.compile(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b")
_NAMED_MONTH = re.compile(
    rf"\b(?:in|during|since|from|of)\s+({_MONTH})\.?(?:\s+(\d{{4}}))?\b", re.IGNORECASE
)
_YEAR = re.compile(r"\b(?:in|during|since|from)\s+((?:19|20)\d{2})\b", re.IGNORECASE)
_LAST = re.compile(
    r"\b(this|last|past|previous)\s+(?:(\d{1,3})\s+)?(day|week|month|year)s?\b",
    re.IGNORECASE,
)
_AGO = re.compile(r"\b(today|yesterday)\b", re.IGNORECASE)
_LENGTHS = {"day": 1, "week": 7, "month": 30, "year": 365}
MOST_DAYS = 36_500
"""A hundred years: what is further back is no question about notes."""


def days_in(text: str, today: date) -> Days | None:
    """Return the days that a question names; None when it names none.

    "since" leaves the end open. What cannot be a day is no day.
    """
    open_ended = re.search(r"\bsince\b", text, re.IGNORECASE) is not None
    found = (
        _written(text) or _relative(text, today) or _month(text, today) or _year(text)
    )
    if found is None or not open_ended:
        return found
    return Days(found.first, None)


def _written(text: str) -> Days | None:
    match = _DAY.search(text)
    if match is None:
        return None
    try:
        first = date(int(match[1]), int(match[2]), int(match[3] or 1))
    except ValueError:
        return None
    return Days(first, first + timedelta(1)) if match[3] else _month_from(first)


def _relative(text: str, today: date) -> Days | None:
    if match := _AGO.search(text):
        first = today - timedelta(match[1].lower() == "yesterday")
        return Days(first, first + timedelta(1))
    match = _LAST.search(text)
    if match is None:
        return None
    which, count, unit = match[1].lower(), match[2], match[3].lower()
    if count is not None or which == "past":
        back = min(int(count or 1) * _LENGTHS[unit], MOST_DAYS)
        return Days(today - timedelta(back), today + timedelta(1))
    return _calendar(unit, today, before=which in {"last", "previous"})


def _calendar(unit: str, today: date, *, before: bool) -> Days:
    """Return this calendar week, month or year, or the one before it."""
    if unit == "day":
        first = today - timedelta(before)
        return Days(first, first + timedelta(1))
    if unit == "week":
        first = today - timedelta(today.weekday() + 7 * before)
        return Days(first, first + timedelta(7))
    if unit == "month":
        first = today.replace(day=1)
        return _month_from((first - timedelta(1)).replace(day=1) if before else first)
    year = today.year - before
    return Days(date(year, 1, 1), date(year + 1, 1, 1))


def _month(text: str, today: date) -> Days | None:
    match = _NAMED_MONTH.search(text)
    if match is None:
        return None
    month = next(i for i, m in enumerate(MONTHS, 1) if m.startswith(match[1].lower()))
    # without a year, the latest such month that has begun
    year = int(match[2]) if match[2] else today.year - (month > today.month)
    return _month_from(date(year, month, 1)) if year else None


def _year(text: str) -> Days | None:
    match = _YEAR.search(text)
    if match is None:
        return None
    return Days(date(int(match[1]), 1, 1), date(int(match[1]) + 1, 1, 1))


def _month_from(first: date) -> Days:
    return Days(first, (first + timedelta(31)).replace(day=1))
