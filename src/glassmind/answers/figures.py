"""The figures of a statement, held against those of the source that it cites.

A statement with a true quote still lies if it puts another figure beside it. So each
number, day and time that a statement has in digits must stand in what it cites, or in
the question. How figures are written does not count: 1,200 is 1200, 2.50 is 2.5, 2 pm
is 14:00 and 1 March 2026 is 2026-03-01. What is not looked at: figures that a statement
has in words, what they are figures of, and whether a `not` was left out.
"""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import date
from typing import NamedTuple
from unicodedata import normalize

_NAMES = (
    ("January", "Jan", "Januar"), ("February", "Feb", "Februar"),
    ("March", "Mar", "März"), ("April", "Apr"), ("May", "Mai"),
    ("June", "Jun", "Juni"), ("July", "Jul", "Juli"), ("August", "Aug"),
    ("September", "Sep", "Sept"), ("October", "Oct", "Oktober"),
    ("November", "Nov"), ("December", "Dec", "Dezember"),
)  # fmt: skip
_MONTHS = {name: at for at, names in enumerate(_NAMES, 1) for name in names}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))

_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")
_NUMERIC = re.compile(r"(?<!\d)(\d{1,2})([./])(\d{1,2})\2(\d{4})(?!\d)")
_DAY_FIRST = re.compile(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|\.)?(?: of)? ({_MONTH})\b\.?(?:,? (\d{{4}}))?"
    r"(?!\d)"
)
_MONTH_FIRST = re.compile(
    rf"\b({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? (\d{{4}})(?!\d))?"
)
_TIME = re.compile(
    r"(?<![\d:])(\d{1,2}):(\d{2})(?![\d:])(?:\s?([ap])\.?m\b)?", re.IGNORECASE
)
_HOUR = re.compile(r"(?<![\d:.,])(\d{1,2})\s?([ap])\.?m\b", re.IGNORECASE)
_SPACED = re.compile(r"(?<![\d.,])(\d{1,3}(?:[ \u00a0\u202f]\d{3})+)(?![\d.,]*\d)")
_NUMBER = re.compile(r"\d+(?:[.,'\u2019:]\d+)*")

_GROUPED = re.compile(r"\d{1,3}([.,'\u2019])\d{3}(?:\1\d{3})*")
_GROUPED_POINT = re.compile(r"(\d{1,3}(?:([.,'\u2019])\d{3})(?:\2\d{3})*)[.,](\d+)")
_DECIMAL = re.compile(r"(\d+)[.,](\d+)")
_CITED = re.compile(r"\[[0-9]{1,2}\](?!\()")
"""The number of a source, which some models write behind a statement."""

_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W\d_]+")
_IN_WORDS = {
    "zero": "0", "one": "1", "once": "1", "first": "1", "two": "2", "twice": "2",
    "second": "2", "three": "3", "third": "3", "four": "4", "fourth": "4", "five": "5",
    "fifth": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
    "eleven": "11", "twelve": "12", "dozen": "12", "fifteen": "15", "twenty": "20",
    "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "hundred": "100",
    "thousand": "1000", "half": "0.5", "ein": "1", "eine": "1", "zwei": "2",
    "drei": "3", "vier": "4", "fünf": "5", "sechs": "6", "sieben": "7", "acht": "8",
    "neun": "9", "zehn": "10", "elf": "11", "zwölf": "12",
}  # fmt: skip
"""Figures that a note may have in words and a model in digits."""

_NOON = 12
_LEAP = "2000"
"""A year that has all days, for one that is not named."""


class _Figure(NamedTuple):
    """A figure as it is written: one of its readings has to be known.

    Or else all its parts, with its month by name. What it `gives` is known where it
    stands in a source.
    """

    shown: str
    readings: frozenset[str]
    gives: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()
    month: int = 0


class Known(NamedTuple):
    """The figures of some texts, and the months that they name."""

    readings: frozenset[str]
    months: frozenset[int]


def known_figures(texts: Iterable[str]) -> Known:
    """Return all that the figures of some texts may be read as."""
    readings: set[str] = set()
    months: set[int] = set()
    for text in texts:
        for figure in _figures(text):
            readings |= figure.readings | figure.gives
        words = set(_WORD.findall(text))
        months |= {_MONTHS[word] for word in words & _MONTHS.keys()}
        lowered = {word.lower() for word in words}
        readings |= {_IN_WORDS[word] for word in lowered & _IN_WORDS.keys()}
    return Known(frozenset(readings), frozenset(months))


def strange_figure(text: str, known: Known) -> str | None:
    """Return the first figure of a text that is not among those known."""
    found = _figures(_CITED.sub(" ", text))
    return next((one.shown for one in found if not _is_known(one, known)), None)


def _is_known(figure: _Figure, known: Known) -> bool:
    if figure.readings & known.readings:
        return True
    by_parts = bool(figure.parts) and figure.parts <= known.readings
    return by_parts and (not figure.month or figure.month in known.months)


def _figures(text: str) -> list[_Figure]:
    """Return the figures of a text in order; each digit is of one of them."""
    left = normalize("NFKC", text)
    if not _DIGIT.search(left):
        return []
    found: list[tuple[int, _Figure]] = []
    for pattern, read in _READERS:
        parts, at = [], 0
        for match in pattern.finditer(left):
            figure = read(match)
            if figure is not None:
                found.append((match.start(), figure))
                # blanks in its place, so that what follows keeps its own
                parts += [left[at : match.start()], " " * len(match[0])]
                at = match.end()
        left = "".join([*parts, left[at:]]) if parts else left
    return [figure for _, figure in sorted(found, key=lambda pair: pair[0])]


def _iso(match: re.Match[str]) -> _Figure | None:
    year, month, day = match.groups()
    return _day(match[0], [(year, month, day)])


def _numeric(match: re.Match[str]) -> _Figure | None:
    first, _, second, year = match.groups()
    return _day(match[0], [(year, second, first), (year, first, second)])


def _day_first(match: re.Match[str]) -> _Figure | None:
    day, month, year = match.groups()
    return _day(match[0], [(year, str(_MONTHS[month]), day)])


def _month_first(match: re.Match[str]) -> _Figure | None:
    month, day, year = match.groups()
    return _day(match[0], [(year, str(_MONTHS[month]), day)])


def _day(shown: str, days: Iterable[tuple[str | None, str, str]]) -> _Figure | None:
    """Return the figure of a day; there are two where month and day may be either."""
    readings: set[str] = set()
    gives: set[str] = set()
    parts: set[str] = set()
    last = 0
    for year, month, day in days:
        with suppress(ValueError):  # such a day there is not
            made = date(int(year or _LEAP), int(month), int(day))
            last, within = made.month, f"{made.month}/{made.day}"
            readings.add(made.isoformat() if year else within)
            gives |= {within, str(made.day), str(made.month)}
            gives |= parts | ({str(made.year)} if year else set())
            parts |= {str(made.day)} | ({str(made.year)} if year else set())
    if not readings:
        return None
    by_parts = frozenset(parts) if len(readings) == 1 else frozenset[str]()
    return _Figure(shown, frozenset(readings), frozenset(gives), by_parts, last)


def _time(match: re.Match[str]) -> _Figure | None:
    hour, minute, half = int(match[1]), match[2], (match[3] or "").lower()
    if hour > 2 * _NOON or int(minute) >= 60:  # noqa: PLR2004 - as hours have minutes
        return None
    hours = _hours(hour, half)
    readings = frozenset(f"{one}:{minute}" for one in hours)
    gives = {str(one) for each in hours for one in (each, each % _NOON or _NOON)}
    return _Figure(match[0], readings, frozenset(gives if minute == "00" else ()))


def _hour(match: re.Match[str]) -> _Figure | None:
    hours = _hours(int(match[1]), match[2].lower())
    readings = frozenset(f"{one}:00" for one in hours)
    return _Figure(match[0], readings, frozenset({_plain(match[1])}))


def _hours(hour: int, half: str) -> set[int]:
    """Return the hours of a day that one may be: two, where no half of it is named."""
    if half:
        return {hour % _NOON + (_NOON if half == "p" else 0)}
    return {hour, hour + _NOON} if 0 < hour < _NOON else {hour}


def _spaced(match: re.Match[str]) -> _Figure | None:
    groups = match[1].split()
    parts = frozenset(map(_plain, groups))
    return _Figure(match[0], frozenset({_plain("".join(groups))}), parts, parts)


def _number(match: re.Match[str]) -> _Figure | None:
    shown = match[0]
    readings = set()
    if _GROUPED.fullmatch(shown):
        readings.add(_plain(re.sub(r"\D", "", shown)))
    if found := _DECIMAL.fullmatch(shown):
        readings.add(_plain(f"{found[1]}.{found[2]}"))
    if found := _GROUPED_POINT.fullmatch(shown):
        whole = re.sub(r"\D", "", found[1])
        readings.add(_plain(f"{whole}.{found[3]}"))
    return _Figure(shown, frozenset(readings or {_plain(shown)}))


def _plain(number: str) -> str:
    """Return a number without noughts that say nothing."""
    if number.count(".") == 1:
        number = number.rstrip("0").rstrip(".")
    return number.lstrip("0") or "0" if not number.startswith("0.") else number


_READERS: tuple[
    tuple[re.Pattern[str], Callable[[re.Match[str]], _Figure | None]], ...
] = (
    (_ISO, _iso),
    (_NUMERIC, _numeric),
    (_DAY_FIRST, _day_first),
    (_MONTH_FIRST, _month_first),
    (_TIME, _time),
    (_HOUR, _hour),
    (_SPACED, _spaced),
    (_NUMBER, _number),
)
"""What is longest is read first."""
