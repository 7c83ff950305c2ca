"""Days from one to another: "from January to March 2025", "in 2023 and 2024".

Of a list the first and the last count. An end without a year has that of the other, or
the one beside it where the year turns between them.
"""

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from glassmind.search.date_parts import (
    DAY,
    ENDING,
    QUARTER_MONTHS,
    YEAR,
    Named,
    comes_again,
    month_after,
)
from glassmind.search.date_words import MONTHS, THINGS
from glassmind.search.plan import Days

_NAMES = "|".join(MONTHS)
_DAY = rf"\d\d?{ENDING}"
_ISO = rf"{YEAR}-\d\d?(?:-\d\d?)?(?![\d-])"
_DATED = rf"(?:{_DAY} (?:of |de )?)?(?:{_NAMES})(?: {_DAY}(?!\w))?"
_DATED += r"(?: (?:of |de )?\d{4})?(?!\w)"
_END = rf"(?>{_ISO}|{_DATED}|q[1-4](?: \d{{4}})?(?!\w)|(?:19|20)\d\d(?!\w))"
_LEAD = (
    "from|between|in|during|of|for|over|since|von|vom|zwischen|im|seit|"
    "entre|de|desde|en|depuis|du"
)
_THROUGH = "to|until|till|through|thru|bis|hasta|a|à|au"
_AND = "and|or|und|oder|y|o|et|ou"
_JOINING = frozenset(f"{_THROUGH}|{_AND}".split("|"))
_RANGE = (
    rf"(?: (?P<lead>{_LEAD})(?: the)?)? (?P<first>{_END}|{_DAY})(?: {_END}){{0,9}}?"
    rf"(?: (?P<word>{_THROUGH}|{_AND}) (?:(?:in|the|de|im|en) )?| ?- ?)"
    rf"(?P<last>{_END}|today|now)(?= )"
)
_PARTS = (
    rf"(?:q(?P<q>[1-4])|(?:(?P<d>\d\d?){ENDING}(?: of| de)?)? ?(?P<m>{_NAMES})?"
    rf"(?: (?P<e>\d\d?){ENDING})?)(?: (?:of |de )?(?P<y>\d{{4}}))?"
)
_PAIRED = frozenset(("from", "between"))
"""Words that lead to two ends, always."""

_OF_MARS = frozenset(("en", "depuis", "entre", "de", "du"))
"""Words ahead of Mars where it is French, and a month."""


class End(NamedTuple):
    """One end as it is written; of a quarter `month` is its first."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    months: int = 1

    @property
    def in_year(self) -> tuple[int, int]:
        """Where in a year it begins."""
        return self.month or 1, self.day or 1

    @property
    def is_certain(self) -> bool:
        """Whether nothing but a date is written so."""
        return self.month is not None and (self.year or self.day) is not None


def ranges(text: str, today: date) -> Iterator[Named]:
    """Yield the days from a first to a last that a plain text names."""
    if not _may_hold(text):
        return
    for match in re.finditer(_RANGE, text):
        if not _is_range(text, match):
            continue
        first, last = _end(match["first"], today), _end(match["last"], today)
        if _is_sure(match, first, last):
            first, last = _dated(first, last, today)
            one, other = sorted((_days(first), _days(last)))
            days = Days(one[0], max(one[1], other[1]))
            yield Named(match.start(), match.end(), days)


def _may_hold(text: str) -> bool:
    """Whether a text has what a range is made of; the pattern is slow to make."""
    words = text.replace("-", " ").split()
    joined = "-" in text or not _JOINING.isdisjoint(words)
    return joined and (
        not MONTHS.keys().isdisjoint(words) or any(word[0].isdigit() for word in words)
    )


def _is_range(text: str, match: re.Match[str]) -> bool:
    """Whether what stands around two dates leaves them a range."""
    behind = text[match.end() :].split(" ", 2)[1]
    lead, last = match["lead"], match["last"]
    if comes_again(text, match.start()) or (last.isdecimal() and behind in THINGS):
        return False
    if last == "may" and behind and lead not in _PAIRED:  # it may be a verb
        return False
    return match["first"] != "mars" or lead in _OF_MARS


def _is_sure(match: re.Match[str], first: End, last: End) -> bool:
    """Whether two ends are dates, by what they say or by the words between them."""
    led = match["lead"] is not None
    if first.year is None and first.month is None:  # a number, of the other's month
        joined = match["word"] is None or match["word"] in _THROUGH.split("|")
        return last.day is not None and (led or joined)
    if led or (first.is_certain and last.is_certain):
        return True
    months = first.month is not None and last.month is not None
    return months and (first.is_certain or last.is_certain)


def _end(text: str, today: date) -> End:
    if text in {"today", "now"}:
        return End(today.year, today.month, today.day)
    if re.fullmatch(_ISO, text):
        return End(*map(int, text.split("-")))
    if re.fullmatch(r"\d{4}", text):
        return End(int(text))
    parts = re.fullmatch(_PARTS, text)
    if parts is None:
        raise ValueError(text)
    year = int(parts["y"]) if parts["y"] else None
    if parts["q"]:
        return End(year, QUARTER_MONTHS * int(parts["q"]) - 2, None, QUARTER_MONTHS)
    day = parts["d"] or parts["e"]
    return End(year, MONTHS.get(parts["m"] or ""), int(day) if day else None)


def _dated(first: End, last: End, today: date) -> tuple[End, End]:
    """Return both ends with a year; without any, the latest range that has begun."""
    if first.year is None and first.month is None:
        first = first._replace(month=last.month, year=last.year)
    turned = last.month is not None and first.in_year > last.in_year
    if last.year is not None and first.year is None:
        return first._replace(year=last.year - turned), last
    later = first.in_year > (today.month, today.day)
    begun = today.year - later if first.year is None else first.year
    ended = begun + turned if last.year is None else last.year
    return first._replace(year=begun), last._replace(year=ended)


def _days(end: End) -> tuple[date, date]:
    """Return the first day of an end, and the one after its last."""
    year, month = end.year or 0, end.month
    if month is None:
        return date(year, 1, 1), date(year + 1, 1, 1)
    first = date(year, month, end.day or 1)
    return first, first + DAY if end.day else month_after(first, end.months)
