"""The figures of a statement, held against those of the block that it cites.

A statement with a true quote still lies if it puts another figure beside it. So each
number, day and time that a statement has in digits must stand in what it cites. How
figures are written does not count: 1,200 is 1200, 2.50 is 2.5, 2 pm is 14:00 and
1 March 2026 is 2026-03-01. But a sign counts, 8:00 is no 20:00 unless it is of an
evening, 2 is no 2 million, and the number of an item is no figure. What is not looked
at: figures that a statement has in words, and what they are figures of.
"""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import date
from typing import NamedTuple, TypeAlias
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

_DIGITS = r"\d+(?:[.,'\u2019:]\d+)*"
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
_NUMBER = re.compile(
    rf"(?:(?<![^\s(|*_\"'])[-\u2212\u2013]|\bminus\s)?({_DIGITS})", re.IGNORECASE
)
_SCALED = re.compile(
    r"(?<![\d.,'\u2019:])(\d++(?:[.,'\u2019:]\d++)*+)[ \u00a0\u202f]?"
    r"(thousand|tausend|k|million(?:en|s)?|mio|mn|billions?|milliarden?|mrd|bn)\b",
    re.IGNORECASE,
)
_SCALES = {"t": 3, "k": 3, "mi": 6, "mio": 6, "mn": 6, "b": 9, "milliard": 9, "mrd": 9}
"""How many noughts a word adds, by how it begins; the longest that fits counts."""

_ITEM = re.compile(
    rf"^[ \t>#]*\d{{1,9}}[.)](?=[ \t](?!(?:{_MONTH})\b)|$)", re.MULTILINE
)
"""The number of an item or of a heading, which is no figure of it."""

_LATE = re.compile(
    r"(?<![^\W_])(?:p\.?m|evening|afternoon|night|tonight|abend|abends|nachmittags?"
    r"|nachts|soir|apr\u00e8s-midi|tarde|noche)(?![^\W_])",
    re.IGNORECASE,
)
"""Words by which 8:00 may be one of the evening."""

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
_BARE = re.compile(r"(\d{1,2}):(\d\d)")
_LEAP = "2000"
"""A year that has all days, for one that is not named."""


class _Figure(NamedTuple):
    """A figure as it is written: one of its readings has to be known, or all its parts.

    What it `gives` is known where it stands in a source.
    """

    shown: str
    readings: frozenset[str]
    gives: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()


Known: TypeAlias = frozenset[str]
"""All that the figures of some texts may be read as."""


def known_figures(texts: Iterable[str]) -> Known:
    """Return all that the figures of some texts may be read as."""
    known: set[str] = set()
    for text in texts:
        for figure in _figures(_ITEM.sub(" ", text), is_late=bool(_LATE.search(text))):
            known |= figure.readings | figure.gives
        lowered = {word.lower() for word in _WORD.findall(text)}
        known |= {_IN_WORDS[word] for word in lowered & _IN_WORDS.keys()}
    return frozenset(known)


def strange_figures(text: str, known: Known) -> list[str]:
    """Return the figures of a text that are not among those known, in order."""
    return [one.shown for one in _said(text) if not _is_known(one, known)]


def familiar_figures(text: str, known: Known) -> list[str]:
    """Return the figures of a text that are among those known, in order."""
    return [one.shown for one in _said(text) if _is_known(one, known)]


def _said(text: str) -> "list[_Figure]":
    return _figures(_ITEM.sub(" ", _CITED.sub(" ", text)))


def _is_known(figure: _Figure, known: Known) -> bool:
    by_parts = bool(figure.parts) and figure.parts <= known
    return by_parts or bool(figure.readings & known)


def _figures(text: str, *, is_late: bool = False) -> list[_Figure]:
    """Return the figures of a text in order; each digit is of one of them.

    Where it `is_late`, hours may be those of an afternoon.
    """
    left = normalize("NFKC", text)
    if not _DIGIT.search(left):
        return []
    found: list[tuple[int, _Figure]] = []
    for pattern, read in _READERS:
        parts, at = [], 0
        for match in pattern.finditer(left):
            figure = read(match)
            if figure is not None and is_late:
                figure = figure._replace(gives=figure.gives | _later(figure))
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
    """Return the figure of a day; there are two where month and day may be either.

    A day of a month and its year may stand apart.
    """
    readings: set[str] = set()
    gives: set[str] = set()
    parts: set[str] = set()
    for year, month, day in days:
        with suppress(ValueError):  # such a day there is not
            made = date(int(year or _LEAP), int(month), int(day))
            within, years = f"{made.month}/{made.day}", {str(made.year)}
            readings.add(made.isoformat() if year else within)
            gives |= {within, str(made.day)} | (years if year else set())
            parts |= {within} | (years if year else set())
    if not readings:
        return None
    by_parts = frozenset(parts) if len(readings) == 1 else frozenset[str]()
    return _Figure(shown, frozenset(readings), frozenset(gives), by_parts)


def _time(match: re.Match[str]) -> _Figure | None:
    hour, minute, half = int(match[1]), match[2], (match[3] or "").lower()
    if hour > 2 * _NOON or int(minute) >= 60:  # noqa: PLR2004 - as hours have minutes
        return None
    return _clock(match[0], hour, minute, half)


def _hour(match: re.Match[str]) -> _Figure | None:
    return _clock(match[0], int(match[1]), "00", match[2].lower())


def _clock(shown: str, hour: int, minute: str, half: str) -> _Figure:
    """Return the figure of a time: of the whole day, or of a half that is not named."""
    if half:
        hour = hour % _NOON + (_NOON if half == "p" else 0)
    of_day, of_half = f"{hour}:{minute} h", f"{hour % _NOON or _NOON}:{minute}"
    is_bare = not half and 0 < hour <= _NOON
    whole = {str(hour), str(hour % _NOON or _NOON)} if minute == "00" else set()
    readings = frozenset({of_half if is_bare else of_day})
    return _Figure(shown, readings, frozenset({of_day, of_half, *whole}))


def _later(figure: _Figure) -> frozenset[str]:
    """Return the time of the evening that a time without a half of a day may be."""
    times = (_BARE.fullmatch(reading) for reading in figure.readings)
    return frozenset(f"{int(at[1]) % _NOON + _NOON}:{at[2]} h" for at in times if at)


def _spaced(match: re.Match[str]) -> _Figure | None:
    return _Figure(match[0], frozenset({_plain("".join(match[1].split()))}))


def _scaled(match: re.Match[str]) -> _Figure | None:
    word = match[2].lower()
    noughts = max((len(key), value) for key, value in _SCALES.items()
                  if word.startswith(key))[1]  # fmt: skip
    scaled = {_times(one, noughts) for one in _numbers(match[1])}
    return _Figure(match[0], frozenset(scaled))


def _times(number: str, noughts: int) -> str:
    """Return a number with its point so many places further."""
    whole, _, rest = number.partition(".")
    moved = rest.ljust(noughts, "0")
    return _plain(f"{whole}{moved[:noughts]}.{moved[noughts:] or '0'}")


def _number(match: re.Match[str]) -> _Figure | None:
    sign = "-" if len(match[0]) > len(match[1]) else ""
    readings = frozenset(sign + one for one in _numbers(match[1]))
    return _Figure(match[0], readings)


def _numbers(shown: str) -> set[str]:
    """Return what digits may be read as, by what stands between them."""
    readings = set()
    if _GROUPED.fullmatch(shown):
        readings.add(_plain(re.sub(r"\D", "", shown)))
    if found := _DECIMAL.fullmatch(shown):
        readings.add(_plain(f"{found[1]}.{found[2]}"))
    if found := _GROUPED_POINT.fullmatch(shown):
        whole = re.sub(r"\D", "", found[1])
        readings.add(_plain(f"{whole}.{found[3]}"))
    return readings or {_plain(shown)}


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
    (_SCALED, _scaled),
    (_SPACED, _spaced),
    (_NUMBER, _number),
)
"""What is longest is read first."""
