"""Days that a question names in words: "last week", "in March 2025", "yesterday".

English has the most forms; German, Spanish, French, Chinese and Japanese those that
people type. One form is tried after the other, the most exact first; the first that is
found counts. "The last day of every month" is none: it is a part of something else.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from itertools import chain

from glassmind.search.date_parts import (
    DAY,
    ENDING,
    QUARTER_MONTHS,
    WORD,
    YEAR,
    Named,
    calendar,
    comes_again,
    months_from,
    year_of,
)
from glassmind.search.date_ranges import ranges
from glassmind.search.date_words import (
    COUNTS,
    KEPT,
    LENGTHS,
    MONTHS,
    PERIODS,
    THINGS,
    WEEKDAYS,
)
from glassmind.search.plan import Days

MOST_DAYS = 36_500
"""A hundred years: what is further back is no question about notes."""

COUNTED_WORDS = 3
"""Of "last two years"; "last year" may be a part of a name."""

_FOLLOWED = r"(?: the| dem| el| le)?(?: last)? $"
_SINCE = rf" (?:since|starting|seit|desde|depuis){_FOLLOWED}"
_AFTER = rf" (?:after|nach|después de|après){_FOLLOWED}"
_BEFORE = rf" (?:before|until|till|vor|antes de|avant){_FOLLOWED}"
_IN = "in|during|since|after|before|until|till|im|seit|en|desde|depuis"
_NAME = r"[^\W\d_]+"
_OF = r"(?: (?:of |de )?(?P<y>\d{4}))?(?= )"
_COUNT = r"(\d{1,5}|a few|few|a couple of|couple of|[a-z]{1,6})"
_WHOSE = "the|a|an|my|our|your|his|her|its|their|this|that|each|every|any|all"
_PART = re.compile(rf" (?:of|des)(?P<whose>(?: (?:{_WHOSE}))*) (?P<what>{WORD})")
_ASKS = r" (?:i|you|he|she|it|we|they|who|which)$"
_COUNTING = frozenset(("ago", "last", "past", "previous"))
_LEADING = r"(?: (?:in|over|during|within|from|of|for|since))?(?: the)?$"
_WITHIN = re.compile(r" (?:in|over|during|within|from|of)(?: the)?$")


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


def without_counted(words: Sequence[str], today: date) -> tuple[str, ...]:
    """Return words without those that count back from today, unless none is left.

    "battery over the last two years" asks for a battery, and for no years.
    """
    said = [_plain(word).strip() for word in words]
    if _COUNTING.isdisjoint(said):
        return tuple(words)
    spans = list(_counted_in(f" {' '.join(filter(None, said))} ", today))
    kept, at = [], 0
    for word, plain in zip(words, said, strict=True):
        if not any(first <= at < end for first, end in spans):
            kept.append(word)
        at += len(plain) + 1 if plain else 0
    return tuple(kept or words)


def _counted_in(text: str, today: date) -> Iterator[tuple[int, int]]:
    """Yield where words count back from today, with those that lead to them."""
    try:
        for named in chain(_ago(text, today), _counted(text, today)):
            if text.count(" ", named.at, named.end) >= COUNTED_WORDS:
                ahead = re.search(_LEADING, text[: named.at])
                yield ahead.start() if ahead else named.at, named.end
    except (ValueError, OverflowError):  # before there were days
        return


def _plain(text: str) -> str:
    """Return the words in lower case, each with a space on either side."""
    typed = text.lower().replace("\u2019", "'").replace("\u2013", " - ")
    dashed = re.sub(r"(?<=\d)[/.](?=\d)", "-", typed)
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
    form = rf"(?<!\d)({YEAR})(?:-|年)(\d{{1,2}})(?:(?:-|月)(\d{{1,2}}))?(?!\d|-\d)"
    for match in re.finditer(form, text):
        first = date(int(match[1]), int(match[2]), int(match[3] or 1))
        days = Days(first, first + DAY) if match[3] else months_from(first)
        yield Named(match.start() - 1, match.end(), days)


def _period(text: str, today: date) -> Iterator[Named]:
    """Yield what has a phrase of its own; longest first, as one may hold another."""
    for phrase in sorted(PERIODS, key=len, reverse=True):
        # scripts that write no spaces have no word to stand alone
        wanted = f" {phrase} " if phrase[0] < "\u2e80" else phrase
        at, (back, unit) = text.find(wanted), PERIODS[phrase]
        last = back == 1 and unit != "day"
        end = at + len(wanted) - 1
        if at >= 0 and not (last and _is_part(text, end)):
            yield Named(at, end, calendar(unit, today, back=back))


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
            days = calendar(match[2], today, back=min(count, MOST_DAYS))
            yield Named(match.start(), match.end(), days)


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
            days = Days(today - back * DAY, today + DAY)
            yield Named(match.start(), match.end(), days)


def _is_day(text: str, match: re.Match[str]) -> bool:
    """Whether "last day" is today's and no end of something, as "previous day" is."""
    within = _WITHIN.search(text[: match.start()]) is not None
    return match[1] == "past" or (match[1] == "last" and within)


def _month(text: str, today: date) -> Iterator[Named]:
    """Yield months that have a year, or a word ahead that makes them one."""
    for match in re.finditer(rf" ({_NAME}) (?:of |de )?(\d{{4}})(?= )", text):
        if match[1] in MONTHS and not _is_verb(text, match.start(), match[1]):
            first = date(int(match[2]), MONTHS[match[1]], 1)
            yield Named(match.start(), match.end(), months_from(first))
    for match in re.finditer(rf" ({_IN}|last)(?=( ({_NAME})) )", text):
        last, month = match[1] == "last", MONTHS.get(match[3])
        apart = _is_planet(match) or comes_again(text, match.start())
        if month and not apart and not (last and _is_no_month(text, match)):
            to_come = month >= today.month if last else month > today.month
            first = date(today.year - to_come, month, 1)
            yield Named(match.start(2), match.end(2), months_from(first))


def _is_verb(text: str, at: int, name: str) -> bool:
    """Whether somebody may do what follows, and no month is meant."""
    return name == "may" and re.search(_ASKS, text[:at]) is not None


def _is_no_month(text: str, match: re.Match[str]) -> bool:
    """Whether "last" is that of a row: "the last may be first", "the last march"."""
    is_word = match[3] in {"may", "march"} and text[: match.start()].endswith(" the")
    return is_word or _is_part(text, match.end(2))


def _is_planet(match: re.Match[str]) -> bool:
    """Whether English speaks of Mars, which in French is a month."""
    return match[3] == "mars" and match[1] not in {"en", "depuis"}


def _dated(text: str, today: date) -> Iterator[Named]:
    """Yield days of a named month; without a year, the latest that has come."""
    for match in chain(
        re.finditer(rf" (?P<d>\d\d?){ENDING}(?: of| de)? (?P<m>{_NAME}){_OF}", text),
        re.finditer(rf" (?P<m>{_NAME}) (?P<d>\d\d?){ENDING}{_OF}", text),
    ):
        at, name = match.start(), match["m"]
        if name in MONTHS and not comes_again(text, at) | _is_verb(text, at, name):
            month, day = MONTHS[name], int(match["d"])
            later = (month, day) > (today.month, today.day)
            first = date(int(match["y"] or today.year - later), month, day)
            yield Named(at, match.end(), Days(first, first + DAY))


def _quarter(text: str, today: date) -> Iterator[Named]:
    for match in re.finditer(r" q([1-4])(?: (\d{4}))?(?= )", text):
        month = QUARTER_MONTHS * int(match[1]) - 2
        year = int(match[2]) if match[2] else today.year - (month > today.month)
        days = months_from(date(year, month, 1), count=QUARTER_MONTHS)
        yield Named(match.start(), match.end(), days)


def _weekday(text: str, today: date) -> Iterator[Named]:
    """Yield the latest such day before today."""
    form = rf" (?:on|last|since|am|letzten|seit|el|le)(?=( ({_NAME})) )"
    for match in re.finditer(form, text):
        apart = comes_again(text, match.start()) or _is_part(text, match.end(1))
        if match[2] in WEEKDAYS and not apart:
            back = (today.weekday() - WEEKDAYS[match[2]] - 1) % 7 + 1
            first = today - back * DAY
            yield Named(match.start(1), match.end(1), Days(first, first + DAY))


def _year(text: str, _: date) -> Iterator[Named]:
    form = rf" (?:{_IN}|from)( (?:the year )?((?:19|20)\d\d))(?= )|()((?:19|20)\d\d)年"
    for match in re.finditer(form, text):
        if text[match.end() :].partition(" ")[2].partition(" ")[0] not in THINGS:
            year = int(match[2] or match[4])
            yield Named(match.start(1), match.end(), year_of(year))


def _count(word: str) -> int | None:
    """Return the number that a word means; None if it means none."""
    return int(word) if word.isdecimal() else COUNTS.get(word)


READINGS: tuple[Callable[[str, date], Iterator[Named]], ...] = (
    ranges,
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
