"""Days that a question names, in the languages we know some of."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
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


def _listed(section: str) -> frozenset[str]:
    return frozenset(" ".join(_SECTIONS[section]).split())


MONTHS, WEEKDAYS, COUNTS = map(_numbered, ("months", "weekdays", "numbers"))

PHRASES: Mapping[str, str] = {
    phrase: english
    for english, _, phrases in (row.partition(": ") for row in _SECTIONS["phrases"])
    for phrase in phrases.split(", ")
}
"""Phrases that are read as English ones."""

KEPT = _listed("kept")
"""What people keep by the day: "the last week of my notes" is a time, as "the last week
of August" is none."""

THINGS = _listed("things")
"""What is counted in numbers that could be years: "in 2000 words"."""

FILLER = _listed("filler")
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
QUARTER_MONTHS = 3

MOST_DAYS = 36_500  # a hundred years: what is further back is no question about notes
COUNTED_WORDS = 3  # of "last two years"; "last year" may be a part of a name
_WORD = r"[\w'-]+"
_YEAR = r"(?:1[6-9]|2[01])\d\d"
_ISO = re.compile(rf"({_YEAR})-(\d\d?)(?:-(\d\d?))?")
_DAY = re.compile(r"(\d\d?)(?:st|nd|rd|th)?")
_CJK = re.compile(r"(\d{4})年(?:(\d{1,2})月(?:(\d{1,2})日)?)?")
_LEADS = frozenset(("in", "since", "after", "before", "until", "till"))
"""Words that make a month or a year of the word behind them."""

_PAIRING = frozenset(("from", "between", "von", "vom", "de", "du"))
"""Words that lead to two ends."""

_ARTICLES = frozenset(("the", "dem", "el", "le", "last"))
_LAST = frozenset(("last", "past", "previous"))
_WITHIN = frozenset(("in", "over", "during", "within", "from", "of", "for", "since"))
_WHOSE = frozenset(("the", "a", "my", "our", "your", "his", "her", "its", "their"))


class Days(NamedTuple):
    first: date | None
    after: date | None


class Named(NamedTuple):
    """Days, and the words that name them: the first, and the one after the last."""

    at: int
    end: int
    days: Days


class End(NamedTuple):
    """A date as it is written in so many words; of a quarter `month` is its first."""

    words: int
    year: int | None = None
    month: int | None = None
    day: int | None = None
    months: int = 1

    @property
    def in_year(self) -> tuple[int, int]:
        return self.month or 1, self.day or 1

    @property
    def is_certain(self) -> bool:
        """Whether nothing but a date is written so."""
        parts = (self.year, self.day, self.months > 1)
        return self.month is not None and any(parts)

    def days(self) -> Days:
        year, month = self.year or 0, self.month
        if month is None:
            return Days(date(year, 1, 1), date(year + 1, 1, 1))
        first = date(year, month, self.day or 1)
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
            return End(1, today.year - back).days()


def days_in(text: str, today: date) -> Days | None:
    """Return the days that a question names; None when it names none.

    "since", "after" and "before" leave an end open. Weeks begin on Monday; a month
    without a year is the latest that has begun. What cannot be a day is no day.
    """
    words = _words(text)
    if not words:
        return None
    words += [""] * 4  # to look ahead without care
    for reading in READINGS:
        for at in range(len(words) - 4):
            try:
                named = reading(words, at, today)
            except (ValueError, OverflowError):  # a thirteenth month, no such day
                continue
            if named is not None:
                return _opened(words, named)
    return None


def _words(text: str) -> list[str]:
    """Return the words in lower case, phrases in English; none if no day is named."""
    typed = text.lower().replace("\u2019", "'").replace("\u2013", " - ")
    typed = _CJK.sub(lambda m: f" in {'-'.join(filter(None, m.groups()))} ", typed)
    dashed = re.sub(r"(?<=\d)[/.](?=\d)", "-", typed)
    found = [word.removesuffix("'s") for word in re.findall(_WORD, dashed)]
    plain = f" {' '.join(found)} "
    for phrase, english in PHRASES.items():
        # scripts that write no spaces have no word to stand alone
        wanted = f" {phrase} " if phrase[0] < "\u2e80" else phrase
        if wanted in plain:
            plain = plain.replace(wanted, f" {english} ")
    apart = [
        [word] if _ISO.fullmatch(word) else re.split("(-)", word)
        for word in plain.split()
    ]
    return [word for parts in apart for word in parts if word]


def _opened(words: Sequence[str], named: Named) -> Days:
    """Return the days with the end open that the words ahead of them leave open."""
    at = named.at - 1
    while at > 0 and words[at] in _ARTICLES:
        at -= 1
    days, ahead = named.days, words[at] if at >= 0 else ""
    if ahead == "since":
        return Days(days.first, None)
    if ahead == "after":
        return Days(days.after, None)
    if ahead in {"before", "until", "till"}:
        return Days(None, days.first)
    return days


def _comes_again(words: Sequence[str], at: int) -> bool:
    """Whether what is named comes again: "every year in March"."""
    ahead = words[max(0, at - 3) : at]
    return any(re.match(r"(?:every|each)$|repeat|recur", word) for word in ahead)


def _is_part(words: Sequence[str], end: int) -> bool:
    """Whether what ends here is a part of something: "the last day of school".

    What is kept by the day has no such parts.
    """
    if words[end] not in {"of", "des"}:
        return False
    whole = words[end + 1] if words[end + 1] not in _WHOSE else words[end + 2]
    return whole not in KEPT


def _end(words: Sequence[str], at: int) -> End | None:
    start, month, months, day = at, None, 1, None
    if found := _ISO.fullmatch(words[at]):
        return End(1, *(int(part) for part in found.groups() if part))
    if number := _DAY.fullmatch(words[at]):
        day, at = int(number[1]), at + 1
        at += words[at] in {"of", "de"}
    if words[at] in MONTHS:
        month, at = MONTHS[words[at]], at + 1
        number = _DAY.fullmatch(words[at])
        if day is None and number:
            day, at = int(number[1]), at + 1
    elif day is not None:
        return End(1, day=day)
    elif re.fullmatch("q[1-4]", words[at]):
        month, months = QUARTER_MONTHS * int(words[at][1]) - 2, QUARTER_MONTHS
        at += 1
    behind = at + (at > start and words[at] in {"of", "de"})
    is_number = month is None and words[behind + 1] in THINGS
    if re.fullmatch(_YEAR, words[behind]) and not is_number:
        return End(behind + 1 - start, int(words[behind]), month, day, months)
    return None if month is None else End(at - start, None, month, day, months)


def _range(words: Sequence[str], at: int, today: date) -> Named | None:
    lead = words[at] if words[at] in _PAIRING | _LEADS | _WITHIN else ""
    start = at + bool(lead)
    start += words[start] == "the"
    first = _end(words, start)
    if first is None or _comes_again(words, at):
        return None
    at_join = start + first.words
    while more := _end(words, at_join):  # "in January, February and March"
        at_join += more.words
    join = words[at_join]
    if join not in {"to", "until", "till", "a", "and", "-"}:
        return None
    behind = at_join + 1
    while words[behind] in {"in", "the", "de"}:
        behind += 1
    is_now = words[behind] in {"today", "now"}
    now = End(1, today.year, today.month, today.day)
    last = now if is_now else _end(words, behind)
    if last is None or not _is_range(lead, first, join, last):
        return None
    first, last = _dated(first, last, today)
    one, other = sorted((first.days(), last.days()))
    days = Days(one.first, max(one.after or today, other.after or today))
    opens = lead in {"after", "before"}
    return Named(start if opens else at, behind + last.words, days)


def _is_range(lead: str, first: End, join: str, last: End) -> bool:
    """Whether two ends are dates, by what they say or by the words between them."""
    if first.year is None and first.month is None:  # a number, of the other's month
        return last.month is not None and last.day is not None and join != "and"
    if last.year is None and last.month is None:
        return False
    if join == "and" and lead not in _PAIRING and not (last.is_certain or last.year):
        return False  # "in March and may break"
    if lead or (first.is_certain and last.is_certain):
        return True
    months = first.month is not None and last.month is not None
    return months and (first.is_certain or last.is_certain)


def _dated(first: End, last: End, today: date) -> tuple[End, End]:
    if first.year is None and first.month is None:
        first = first._replace(month=last.month, year=last.year)
    turned = last.month is not None and first.in_year > last.in_year
    if last.year is not None and first.year is None:
        return first._replace(year=last.year - turned), last
    later = first.in_year > (today.month, today.day)
    begun = today.year - later if first.year is None else first.year
    ended = begun + turned if last.year is None else last.year
    return first._replace(year=begun), last._replace(year=ended)


def _single(words: Sequence[str], at: int, today: date) -> Named | None:
    found = _end(words, at)
    if found is None or _comes_again(words, at) or (found.day and not found.month):
        return None
    ahead = words[at - 1] if at else ""
    last = ahead == "last"
    if not found.is_certain:
        if ahead == "year":
            ahead = words[at - 2]
        if found.month is None and ahead not in {*_LEADS, "from"}:
            return None
        if found.month is not None and not last and ahead not in _LEADS:
            return None
        if last and _is_part(words, at + found.words):
            return None
    if found.year is None:
        now = (today.month, today.day if found.day else 1)
        later = found.in_year > now or (last and found.in_year == now)
        found = found._replace(year=today.year - later)
    return Named(at, at + found.words, found.days())


def _count(words: Sequence[str], at: int) -> tuple[int, int] | None:
    if words[at].isdecimal() and len(words[at]) <= 5:  # noqa: PLR2004 - 99999 years
        return int(words[at]), at + 1
    if words[at] == "a" and words[at + 1] in {"few", "couple"}:
        at += 1
    if words[at] not in COUNTS:
        return None
    return COUNTS[words[at]], at + 1 + (words[at + 1] == "of")


def _ago(words: Sequence[str], at: int, today: date) -> Named | None:
    counted = _count(words, at)
    if counted is None:
        return None
    count, behind = counted
    unit = words[behind].removesuffix("s")
    if unit not in LENGTHS or words[behind + 1] != "ago":
        return None
    return Named(at, behind + 2, calendar(unit, today, back=min(count, MOST_DAYS)))


def _period(words: Sequence[str], at: int, today: date) -> Named | None:
    if words[at] == "today":
        return Named(at, at + 1, calendar("day", today, back=0))
    if words[at] == "yesterday":
        back = 2 if words[at - 2 : at] == ["day", "before"] else 1
        return Named(at - 2 * (back - 1), at + 1, calendar("day", today, back=back))
    unit = words[at + 1]
    if unit not in {"week", "weekend", "month", "year"}:
        return None
    if words[at] == "this":
        return Named(at, at + 2, calendar(unit, today, back=0))
    if words[at] != "last" or _is_part(words, at + 2):
        return None
    return Named(at, at + 2, calendar(unit, today, back=1))


def _counted(words: Sequence[str], at: int, today: date) -> Named | None:
    """Return the last so many days, weeks, months or years, up to today."""
    if words[at] not in _LAST:
        return None
    count, behind = _count(words, at + 1) or (1, at + 1)
    unit = words[behind].removesuffix("s")
    if unit not in LENGTHS or _is_part(words, behind + 1):
        return None
    if unit == "day" and behind == at + 1 and words[at] != "past":
        ahead = {words[at - 1], words[at - 2]} if at > 1 else set()
        if words[at] == "previous" or _WITHIN.isdisjoint(ahead):
            return None  # "the last day we went swimming"
    back = min(count * LENGTHS[unit], MOST_DAYS)
    return Named(at, behind + 1, Days(today - back * DAY, today + DAY))


def _weekday(words: Sequence[str], at: int, today: date) -> Named | None:
    ahead = words[at - 1] if at else ""
    if words[at] not in WEEKDAYS or _is_part(words, at + 1):
        return None
    leads = {"on", "last", "since", "am", "letzten", "el", "le"}
    if ahead not in leads or _comes_again(words, at - 1):
        return None
    back = (today.weekday() - WEEKDAYS[words[at]]) % 7 + 1
    first = today - back * DAY
    return Named(at, at + 1, Days(first, first + DAY))


READINGS: tuple[Callable[[Sequence[str], int, date], Named | None], ...] = (
    _range,
    _single,
    _ago,
    _period,
    _counted,
    _weekday,
)


def without_counted(words: Sequence[str], today: date) -> tuple[str, ...]:
    """Return words without those that count back from today, unless none is left.

    "battery over the last two years" asks for a battery, and for no years.
    """
    bare = [" ".join(re.findall(_WORD, word.lower())) for word in words]
    said = [at for at, word in enumerate(bare) if word]
    plain = [*(bare[at] for at in said), *[""] * 4]
    taken: set[int] = set()
    for first in range(len(said)):
        for reading in (_ago, _counted):
            named = reading(plain, first, today)
            if named is not None and named.end - first >= COUNTED_WORDS:
                start = first - (first > 0 and plain[first - 1] == "the")
                start -= start > 0 and plain[start - 1] in _WITHIN
                taken.update(said[start : named.end])
    kept = [word for at, word in enumerate(words) if at not in taken]
    return tuple(kept or words)


def names_only_days(text: str) -> bool:
    """Return true if a question that names days says nothing else."""
    words = re.findall(r"\w+", text.lower())
    return all(one in FILLER or one.isdecimal() or _DAY.fullmatch(one) for one in words)
