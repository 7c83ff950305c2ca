"""Days that a question names, in the languages whose words `days.txt` lists."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import NamedTuple

_FILE = Path(__file__).with_name("days.txt")
_SECTIONS = {
    name: lines.splitlines()
    for name, _, lines in (
        section.partition("]\n")
        for section in _FILE.read_text("utf-8").strip("[\n").split("\n\n[")
    )
}


def _numbered(section: str) -> Mapping[str, int]:
    rows = enumerate(_SECTIONS[section], 1)
    return {name: number for number, row in rows for name in row.split()}


MONTHS, WEEKDAYS, COUNTS = map(_numbered, ("months", "weekdays", "numbers"))

PHRASES: Mapping[str, str] = {
    phrase: english
    for english, _, phrases in (row.partition(": ") for row in _SECTIONS["phrases"])
    for phrase in phrases.split(", ")
}
"""Phrases that are read as English ones."""

FILLER = frozenset(" ".join(_SECTIONS["filler"]).split())
"""Words that say nothing beside a day: "what did I write last week"."""

LENGTHS: Mapping[str, int] = {
    "day": 1,
    "week": 7,
    "fortnight": 14,
    "month": 30,
    "quarter": 91,
    "year": 365,
}
"""How many days each unit lasts, about."""

DAY = timedelta(1)
MOST_DAYS = 36_500  # a hundred years: what is further back is not about notes

_YEAR = r"(?:1[6-9]|2[01])\d\d"
_CJK = re.compile(r"(\d{4})年(?:(\d{1,2})月(?:(\d{1,2})日)?)?")
_WORD = re.compile(r"[\w'-]+")
_RECURRING = re.compile(r"\b(?:every|each|repeats|recurring)\b(?! of)")


class Days(NamedTuple):
    """The first day, and the day after the last; None leaves that end open."""

    first: date | None
    after: date | None


class End(NamedTuple):
    """A date as it is written; of a quarter `month` is its first of three."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    months: int = 1

    @property
    def in_year(self) -> tuple[int, int]:
        return self.month or 1, self.day or 1

    @property
    def is_certain(self) -> bool:
        """True if nothing but a date is written like this."""
        has_more = self.year or self.day or self.months > 1
        return self.month is not None and bool(has_more)

    def days(self) -> Days:
        year = self.year or 0
        if self.month is None:
            return Days(date(year, 1, 1), date(year + 1, 1, 1))
        first = date(year, self.month, self.day or 1)
        return Days(first, first + DAY if self.day else month_after(first, self.months))


def month_after(first: date, count: int = 1) -> date:
    year, month = divmod(12 * first.year + first.month - 1 + count, 12)
    return date(year, month + 1, 1)


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
            first = month_after(today, -back)
            return Days(first, month_after(first))
        case _:
            return End(today.year - back).days()


Read = Callable[[re.Match[str], date], Days | None]


def days_in(text: str, today: date) -> Days | None:
    """Return the days that a question names; None when it names none.

    "since", "after" and "before" leave an end open. Weeks begin on Monday; a month
    without a year is the latest that has begun.
    """
    plain = _plain(text)
    if not _may_name_days(plain):
        return None
    for pattern, read in _patterns():
        for match in pattern.finditer(plain):
            ahead = plain[: match.start()].split()
            is_named = read in (_one, _two, _weekday)
            if is_named and _RECURRING.search(" ".join(ahead[-3:])):
                continue
            try:
                days = read(match, today)
            except (ValueError, OverflowError):  # a thirteenth month, no such day
                continue
            if days is not None:
                return _opened(ahead, days)
    return None


def _plain(text: str) -> str:
    """Return the words in lower case with blanks between, known phrases in English."""
    typed = text.lower().replace("\u2019", "'").replace("\u2013", " - ")
    typed = _CJK.sub(lambda m: f" in {'-'.join(filter(None, m.groups()))} ", typed)
    dashed = re.sub(r"(?<=\d)[/.](?=\d)", "-", typed)
    found = [word.removesuffix("'s") for word in _WORD.findall(dashed)]
    plain = f" {' '.join(found)} "
    for phrase, english in PHRASES.items():
        # scripts that write no spaces have no word to stand alone
        sought = f" {phrase} " if phrase[0] < "\u2e80" else phrase
        if sought in plain:
            plain = plain.replace(sought, f" {english} ")
    is_iso = re.compile(rf"{_YEAR}-\d\d?(-\d\d?)?").fullmatch
    apart = (
        word if is_iso(word) else word.replace("-", " - ") for word in plain.split()
    )
    return " ".join(" ".join(apart).split())


@cache
def _naming_words() -> frozenset[str]:
    words = {"today", "yesterday", "last", "past", "previous", "this", "ago"}
    return frozenset({*words, *MONTHS, *WEEKDAYS})


def _may_name_days(plain: str) -> bool:
    """False for most questions, which need no pattern compiled."""
    has_digit = any(sign.isdecimal() for sign in plain)
    return has_digit or not _naming_words().isdisjoint(plain.split())


def _one_of(words: Sequence[str]) -> str:
    return f"(?:{'|'.join(words)})"


@cache
def _patterns() -> Sequence[tuple[re.Pattern[str], Read]]:
    """Return patterns and what reads their matches; the first that fits is taken."""
    count = _one_of(["a few", "a couple", r"\d{1,5}", *COUNTS])
    unit = rf"({_one_of([*LENGTHS])})s?"
    log = rf"(?:(?:the|a|my|our|your) )?{_one_of(_SECTIONS['kept'][0].split())}"
    whole = rf"\b(?! of (?!{log}\b)| des )"
    ends = rf"({_date()})(?: {_date()})* (to|until|till|a|and|-) (?:in |the |de )*"
    lead = _one_of(["in", "since", "after", "before", "until", "till", "from", "over"])
    weekday = _one_of([*WEEKDAYS])
    pair = _one_of(["from", "between", "von", "vom", "de", "du"])
    patterns: list[tuple[str, Read]] = [
        (rf"\b(?:({pair}|{lead}|of) )?(?:the )?{ends}({_date()}|today|now)", _two),
        (rf"\b(?:({lead}|last) )?(?:the )?({_date()})(?! of )", _one),
        (rf"\b({count})(?: of)? {unit} ago\b", _ago),
        (r"\b(day before yesterday|yesterday|today)\b", _near_day),
        (rf"\b(this|last) (week|weekend|month|year){whole}", _period),
        (rf"\b(?:last|past|previous) (?:({count})(?: of)? )?{unit}{whole}", _counted),
        (rf"\b(?:on|last|since|am|letzten|el|le) ({weekday}){whole}", _weekday),
    ]
    return [(re.compile(pattern), read) for pattern, read in patterns]


def _date() -> str:
    """Return the pattern of a date, or of a day of the month that another names."""
    month, day = rf"{_one_of([*MONTHS])}\b", r"\d\d?(?:st|nd|rd|th)?\b"
    year = rf" (?:of |de )?{_YEAR}\b"
    things = _one_of(" ".join(_SECTIONS["things"]).split())
    return _one_of(
        [
            rf"{_YEAR}-\d\d?(?:-\d\d?)?\b",
            rf"(?:{day} (?:of |de )?)?{month}(?: {day})?(?:{year})?",
            rf"q[1-4]\b(?:{year})?",
            rf"{_YEAR}\b(?! {things}\b)",
            day,
        ]
    )


def _end_of(written: str) -> End:
    if "-" in written:
        return End(*map(int, written.split("-")))
    year = month = day = None
    months = 1
    for word in written.split():
        if word in MONTHS:
            month = MONTHS[word]
        elif re.fullmatch("q[1-4]", word):
            month, months = 3 * int(word[1]) - 2, 3
        elif re.fullmatch(_YEAR, word):
            year = int(word)
        elif word[0].isdecimal():
            day = int(word.rstrip("sthndr"))
    return End(year, month, day, months)


def _two(found: re.Match[str], today: date) -> Days | None:
    lead, written, join, other = found.groups()
    first = _end_of(written)
    if other in {"today", "now"}:
        last = End(today.year, today.month, today.day)
    else:
        last = _end_of(other)
    if not _is_range(lead, first, join, last):
        return None
    if first.month is None and first.year is None:
        first = first._replace(month=last.month, year=last.year)
    turned = last.month is not None and first.in_year > last.in_year
    if last.year is not None and first.year is None:
        first = first._replace(year=last.year - turned)
    else:
        later = first.in_year > (today.month, today.day)
        begun = first.year or today.year - later
        first = first._replace(year=begun)
        last = last._replace(year=last.year or begun + turned)
    before, after = sorted((first.days(), last.days()))
    days = Days(before.first, max(before.after or today, after.after or today))
    return _opened([lead], days) if lead in {"after", "before"} else days


def _is_range(lead: str | None, first: End, join: str, last: End) -> bool:
    """True if two ends are dates, by what they say or by the words between them."""
    if first.year is None and first.month is None:  # a day of the other's month
        return last.month is not None and last.day is not None and join != "and"
    if last.year is None and last.month is None:
        return False
    if lead in {"from", "between", "von", "vom", "de", "du"}:
        return True
    if join == "and" and not (last.is_certain or last.year):
        return False  # "in March and may break"
    return bool(lead) or last.is_certain


def _one(found: re.Match[str], today: date) -> Days | None:
    lead, end = found[1] or "", _end_of(found[2])
    if end.day and not end.month:
        return None
    last = lead == "last"
    bare = {"", "over", "last"} if end.month is None else {"", "over", "from"}
    if lead in bare and not end.is_certain:
        return None
    if end.year is None:
        now = (today.month, today.day if end.day else 1)
        later = end.in_year > now or (last and end.in_year == now)
        end = end._replace(year=today.year - later)
    return _opened([lead], end.days())


def _number(written: str) -> int:
    word = written.rsplit(maxsplit=1)[-1]
    return int(word) if word.isdecimal() else COUNTS[word]


def _ago(found: re.Match[str], today: date) -> Days:
    return calendar(found[2], today, back=min(_number(found[1]), MOST_DAYS))


def _near_day(found: re.Match[str], today: date) -> Days:
    back = {"today": 0, "yesterday": 1}.get(found[1], 2)
    return calendar("day", today, back=back)


def _period(found: re.Match[str], today: date) -> Days:
    return calendar(found[2], today, back=int(found[1] == "last"))


def _counted(found: re.Match[str], today: date) -> Days | None:
    """Return the last so many days, weeks, months or years, up to today."""
    if found[2] == "day" and not found[1] and not found[0].startswith("past"):
        return None  # "the last day we went swimming"
    back = min(_number(found[1] or "a") * LENGTHS[found[2]], MOST_DAYS)
    return Days(today - back * DAY, today + DAY)


def _weekday(found: re.Match[str], today: date) -> Days:
    back = (today.weekday() - WEEKDAYS[found[1]]) % 7 + 1
    days = Days(today - back * DAY, today - (back - 1) * DAY)
    return _opened(found[0].split()[:1], days)


def _opened(ahead: Sequence[str | None], days: Days) -> Days:
    """Return the days with the end open that the words ahead of them leave open."""
    words = [word for word in ahead if word not in {"the", "dem", "el", "le", "last"}]
    match words[-1:]:
        case ["since"]:
            return Days(days.first, None)
        case ["after"]:
            return Days(days.after, None)
        case ["before" | "until" | "till"]:
            return Days(None, days.first)
        case _:
            return days


def without_counted(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return words without those that count back from today, unless none is left.

    "battery over the last two years" asks for a battery, and for no years.
    """
    if {"last", "past", "previous", "ago"}.isdisjoint(words):
        return words
    rest = _counted_words().sub(" ", " ".join(words)).split()
    return tuple(rest) or words


@cache
def _counted_words() -> re.Pattern[str]:
    many = (
        rf"(?:{_one_of([r'[0-9]+', *COUNTS])} ){{1,2}}(?:of )?{_one_of([*LENGTHS])}s?"
    )
    within = _one_of(["in", "over", "during", "within", "from", "of", "for", "since"])
    back = rf"(?:{within} )?(?:the )?(?:last|past|previous) {many}"
    return re.compile(rf"\b(?:{back}|{many} ago)\b(?! of )", re.IGNORECASE)


def names_only_days(text: str) -> bool:
    """Return true if a question that names days says nothing else."""
    is_day = re.compile(r"\d\d?(?:st|nd|rd|th)?").fullmatch
    words = re.findall(r"\w+", text.lower())
    return all(word in FILLER or word.isdecimal() or is_day(word) for word in words)
