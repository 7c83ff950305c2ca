"""Days that a question names in words: "last week", "in March 2025", "yesterday".

English has the most forms; German, Spanish, French, Chinese and Japanese those that
people type. One form is tried after the other, the most exact first; the first that is
found counts. "The last day of every month" is none: it is a part of something else.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from itertools import chain
from typing import NamedTuple

from glassmind.retrieval.date_words import (
    COUNTS,
    KEPT,
    LENGTHS,
    MONTHS,
    PERIODS,
    THINGS,
    WEEKDAYS,
)
from glassmind.retrieval.plan import Days

MOST_DAYS = 36_500
"""A hundred years: what is further back is no question about notes."""

DAY = timedelta(1)
QUARTER_MONTHS = 3
WORD = r"[\w'-]+"

_SINCE = r" (?:since|starting|seit|desde|depuis)(?: the| dem| el| le)? $"
_AFTER = r" (?:after|nach|después de|après)(?: the| dem| el| le)? $"
_BEFORE = r" (?:before|until|till|vor|antes de|avant)(?: the| dem| el| le)? $"
_IN = "in|during|since|after|before|until|im|seit|en|desde|depuis"
_ENDING = "(?:st|nd|rd|th)?"
_NAME = r"[^\W\d_]+"
_OF = r"(?: (?:of |de )?(?P<y>\d{4}))?(?= )"
_COUNT = r"(\d{1,5}|a few|few|a couple of|couple of|[a-z]{1,5})"
_WHOSE = "the|a|an|my|our|your|his|her|its|their|this|that|each|every|any|all"
_PART = re.compile(rf" (?:of|des)(?P<whose>(?: (?:{_WHOSE}))*) (?P<what>{WORD})")
_AGAIN = re.compile(rf" (?:every|each|repeat\w*|recur\w*)(?: {WORD}){{0,2}}$")
_WITHIN = re.compile(r" (?:in|over|during|within|from|of)(?: the)?$")


class Named(NamedTuple):
    """Days, and where in the text they are named."""

    at: int
    days: Days


def days_in(text: str, today: date) -> Days | None:
    """Return the days that a question names; None when it names none.

    "since", "after" and "before" leave an end open. Weeks begin on Monday; a month
    without a year is the latest that has begun. What cannot be a day is no day.
    """
    plain = _plain(text)
    for reading in READINGS:
        try:
            named = next(reading(plain, today), None)
        except (ValueError, OverflowError):  # a thirteenth month, a day after the last
            continue
        if named is not None:
            return _opened(plain[: named.at + 1], named.days)
    return None


def _plain(text: str) -> str:
    """Return the words in lower case, each with a space on either side."""
    dashed = re.sub(r"(?<=\d)[/.](?=\d)", "-", text.lower().replace("\u2019", "'"))
    joined = " ".join(word.removesuffix("'s") for word in re.findall(WORD, dashed))
    return f" {joined} "


def _opened(ahead: str, days: Days) -> Days:
    """Return the days with the end open that the words ahead of them leave open."""
    if re.search(_SINCE, ahead):
        return Days(days.first, None)
    if re.search(_AFTER, ahead):
        return Days(days.after, None)
    if re.search(_BEFORE, ahead):
        return Days(None, days.first)
    return days


def _written(text: str, _: date) -> Iterator[Named]:
    """Yield days and months written in numbers; 8601-1 is a standard."""
    year = r"(?<!\d)((?:1[6-9]|2[01])\d\d)"
    form = rf"{year}(?:-|年)(\d{{1,2}})(?:(?:-|月)(\d{{1,2}}))?(?!\d|-\d)"
    for match in re.finditer(form, text):
        first = date(int(match[1]), int(match[2]), int(match[3] or 1))
        days = Days(first, first + DAY) if match[3] else _months(first)
        yield Named(match.start() - 1, days)


def _period(text: str, today: date) -> Iterator[Named]:
    """Yield what has a phrase of its own; longest first, as one may hold another."""
    for phrase in sorted(PERIODS, key=len, reverse=True):
        # scripts that write no spaces have no word to stand alone
        wanted = f" {phrase} " if phrase[0] < "\u2e80" else phrase
        at, (back, unit) = text.find(wanted), PERIODS[phrase]
        last = back == 1 and unit != "day"
        if at >= 0 and not (last and _is_part(text, at + len(wanted) - 1)):
            yield Named(at, _calendar(unit, today, back=back))


def _is_part(text: str, at: int, *, counted: bool = False) -> bool:
    """Whether what ends here is a part of something: "the last day" of a month.

    What is kept by the day has no such parts, nor has what no word says to be one
    thing: "the last three weeks of training".
    """
    found = _PART.match(text, at)
    if found is None or found["what"] in KEPT:
        return False
    return not counted or bool(found["whose"]) or found["what"] in MONTHS


def _ago(text: str, today: date) -> Iterator[Named]:
    """Yield the day, or the calendar week, month or year, so long ago."""
    for match in re.finditer(rf" {_COUNT} (day|week|month|year)s? ago(?= )", text):
        if (count := _count(match[1])) is not None:
            days = _calendar(match[2], today, back=min(count, MOST_DAYS))
            yield Named(match.start(), days)


def _counted(text: str, today: date) -> Iterator[Named]:
    """Yield the last so many days, weeks, months or years, up to today."""
    units = "|".join(LENGTHS)
    form = rf" (last|past|previous)(?: {_COUNT})? ({units})s?(?= )"
    for match in re.finditer(form, text):
        count = _count(match[2] or "")
        if match[3] == "day" and not match[2] and not _is_day(text, match):
            continue
        if count is not None and not _is_part(text, match.end(), counted=count > 1):
            back = min(count * LENGTHS[match[3]], MOST_DAYS)
            yield Named(match.start(), Days(today - back * DAY, today + DAY))


def _is_day(text: str, match: re.Match[str]) -> bool:
    """Whether "last day" is today's and no end of something, as "previous day" is."""
    within = _WITHIN.search(text[: match.start()]) is not None
    return match[1] == "past" or (match[1] == "last" and within)


def _month(text: str, today: date) -> Iterator[Named]:
    """Yield months that have a year, or a word ahead that makes them one."""
    for match in re.finditer(r" ([^\W\d_]+) (?:of |de )?(\d{4})(?= )", text):
        if match[1] in MONTHS:
            first = date(int(match[2]), MONTHS[match[1]], 1)
            yield Named(match.start(), _months(first))
    for match in re.finditer(rf" (?:{_IN})( ([^\W\d_]+))(?= )", text):
        apart = _is_planet(match[0]) or _comes_again(text, match.start())
        if match[2] in MONTHS and not apart:
            month = MONTHS[match[2]]
            first = date(today.year - (month > today.month), month, 1)
            yield Named(match.start(1), _months(first))


def _comes_again(text: str, at: int) -> bool:
    """Whether the words ahead say that what they name comes again: "every year"."""
    return _AGAIN.search(text[:at]) is not None


def _is_planet(phrase: str) -> bool:
    """Whether English speaks of Mars, which in French is a month."""
    return phrase.endswith(" mars") and not phrase.startswith((" en ", " depuis "))


def _dated(text: str, today: date) -> Iterator[Named]:
    """Yield days of a named month; without a year, the latest that has come."""
    for match in chain(
        re.finditer(rf" (?P<d>\d\d?){_ENDING}(?: of| de)? (?P<m>{_NAME}){_OF}", text),
        re.finditer(rf" (?P<m>{_NAME}) (?P<d>\d\d?){_ENDING}{_OF}", text),
    ):
        if match["m"] in MONTHS and not _comes_again(text, match.start()):
            month, day = MONTHS[match["m"]], int(match["d"])
            later = (month, day) > (today.month, today.day)
            first = date(int(match["y"] or today.year - later), month, day)
            yield Named(match.start(), Days(first, first + DAY))


def _quarter(text: str, today: date) -> Iterator[Named]:
    for match in re.finditer(r" q([1-4])(?: (\d{4}))?(?= )", text):
        month = QUARTER_MONTHS * int(match[1]) - 2
        year = int(match[2]) if match[2] else today.year - (month > today.month)
        days = _months(date(year, month, 1), count=QUARTER_MONTHS)
        yield Named(match.start(), days)


def _weekday(text: str, today: date) -> Iterator[Named]:
    """Yield the latest such day before today."""
    form = r"(?: (?:on|last|since|am|letzten|seit|el|le))( ([^\W\d_]+))(?= )"
    for match in re.finditer(form, text):
        apart = _comes_again(text, match.start()) or _is_part(text, match.end())
        if match[2] in WEEKDAYS and not apart:
            back = (today.weekday() - WEEKDAYS[match[2]] - 1) % 7 + 1
            first = today - back * DAY
            yield Named(match.start(1), Days(first, first + DAY))


def _year(text: str, _: date) -> Iterator[Named]:
    form = rf" (?:{_IN}|from)( (?:the year )?((?:19|20)\d\d))(?= )|()((?:19|20)\d\d)年"
    for match in re.finditer(form, text):
        if text[match.end() :].partition(" ")[2].partition(" ")[0] not in THINGS:
            year = int(match[2] or match[4])
            yield Named(match.start(1), Days(date(year, 1, 1), date(year + 1, 1, 1)))


def _count(word: str) -> int | None:
    """Return the number that a word means; None if it means none."""
    return int(word) if word.isdecimal() else COUNTS.get(word)


def _calendar(unit: str, today: date, *, back: int) -> Days:
    """Return a calendar day, week, month or year, so many before the present one."""
    if unit == "day":
        return Days(today - back * DAY, today - (back - 1) * DAY)
    if unit == "week":
        first = today - (today.weekday() + 7 * back) * DAY
        return Days(first, first + 7 * DAY)
    if unit == "month":
        year, month = divmod(12 * today.year + today.month - 1 - back, 12)
        return _months(date(year, month + 1, 1))
    return Days(date(today.year - back, 1, 1), date(today.year - back + 1, 1, 1))


def _months(first: date, count: int = 1) -> Days:
    """Return so many months from the first day of one."""
    year, month = divmod(12 * first.year + first.month - 1 + count, 12)
    return Days(first, date(year, month + 1, 1))


READINGS: tuple[Callable[[str, date], Iterator[Named]], ...] = (
    _written,
    _dated,
    _ago,
    _period,
    _counted,
    _month,
    _quarter,
    _weekday,
    _year,
)
