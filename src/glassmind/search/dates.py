"""The words in which people name days, in the languages we know some of."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple


class Days(NamedTuple):
    """A stretch of days: the first, and the one after the last; None is open."""

    first: date | None
    after: date | None


_MONTHS = """
january jan januar jänner enero janvier
february feb februar febrero février
march mar märz marzo mars
april apr abril avril
may mai mayo
june jun juni junio juin
july jul juli julio juillet
august aug agosto août
september sep sept septiembre septembre
october oct oktober okt octubre octobre
november nov noviembre novembre
december dec dezember dez diciembre décembre
"""

MONTHS: Mapping[str, int] = MappingProxyType(
    {
        name: month
        for month, names in enumerate(_MONTHS.strip().splitlines(), 1)
        for name in names.split()
    }
)
"""Names of months with their numbers."""

_WEEKDAYS = """
monday montag lunes lundi
tuesday dienstag martes mardi
wednesday mittwoch miércoles mercredi
thursday donnerstag jueves jeudi
friday freitag viernes vendredi
saturday samstag sonnabend sábado samedi
sunday sonntag domingo dimanche
"""

WEEKDAYS: Mapping[str, int] = MappingProxyType(
    {
        name: day
        for day, names in enumerate(_WEEKDAYS.strip().splitlines())
        for name in names.split()
    }
)
"""Names of the days of a week; Monday is 0."""

_PERIODS = """
0 day: today, heute, hoy, aujourd'hui, 今天, 今日
0 day: this morning, this afternoon, esta mañana, ce matin, 今朝
1 day: yesterday, last night, gestern, ayer, d'hier, hier soir, hier matin, 昨天, 昨日
2 day: day before yesterday, vorgestern, anteayer, avant-hier, 前天, 一昨日
0 week: this week, diese woche, dieser woche, esta semana, cette semaine
0 week: 本周, 这周, 今週
1 week: last week, previous week, letzte woche, letzter woche, vorige woche
1 week: la semana pasada, la semaine dernière, la semaine passée, 上周, 先週
1 weekend: last weekend, letztes wochenende, letzten wochenende, 上周末, 先週末
1 weekend: el fin de semana pasado, le week-end dernier
0 month: this month, diesen monat, diesem monat, este mes, ce mois-ci
0 month: 这个月, 本月, 今月
1 month: last month, previous month, letzten monat, letzter monat, vorigen monat
1 month: el mes pasado, le mois dernier, 上个月, 上月, 先月
0 year: this year, dieses jahr, diesem jahr, este año, cette année, 今年
1 year: last year, previous year, letztes jahr, letzten jahr, voriges jahr
1 year: el año pasado, l'année dernière, l'an dernier, 去年, 昨年
"""

PERIODS: Mapping[str, tuple[int, str]] = MappingProxyType(
    {
        phrase: (int(ahead.split()[0]), ahead.split()[1])
        for ahead, _, phrases in (
            line.partition(": ") for line in _PERIODS.strip().splitlines()
        )
        for phrase in phrases.split(", ")
    }
)
"""Phrases for a period of the calendar: how many before the present one, of which."""

KEPT = frozenset(
    word
    for line in (
        "activity calls captures changes conversations decisions diary edits entries",
        "entry expenses journal journaling journals log logs meetings messages note",
        "notes reading tasks transcripts work writing",
    )
    for word in line.split()
)
"""What people keep by the day: "the last week of my notes" is a time, as "the last week
of August" is none."""

THINGS = frozenset(
    word
    for line in (
        "bytes calories characters days dollars euros feet files hours items kb",
        "kcal kg km letters lines meters metres miles minutes ms notes pages",
        "people pixels points px records rows seconds steps times tokens",
        "users words years",
    )
    for word in line.split()
)
"""What is counted in numbers that could be years: "in 2000 words"."""

LENGTHS: Mapping[str, int] = MappingProxyType(
    {"day": 1, "week": 7, "fortnight": 14, "month": 30, "quarter": 91, "year": 365}
)
"""How many days each unit lasts, about."""

COUNTS: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(("a", "an", "one", ""), 1),
        **dict.fromkeys(("two", "couple of", "a couple of"), 2),
        **dict.fromkeys(("three", "few", "a few"), 3),
        "four": 4,
        "five": 5,
        "six": 6,
        "seven": 7,
        "eight": 8,
        "nine": 9,
        "ten": 10,
        "eleven": 11,
        "twelve": 12,
    }
)
"""Small numbers in words."""


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


def _dated_dates(text: str, today: date) -> Iterator[Named]:
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
    _dated_dates,
    _ago,
    _period,
    _counted,
    _month,
    _quarter,
    _weekday,
    _year,
)


DAY_WORDS = frozenset(
    word
    for line in (
        "a about after afternoon ago all and any apr april are at aug august",
        "before between by couple created day days dec december did do during",
        "edited eight eleven evening everything feb february few five for",
        "fortnight four friday from happened have i in is jan january jul july",
        "jun june last learn learned mar march may me monday month months morning",
        "my new night nine note noted notes nov november now oct october of on",
        "one or our over past previous q1 q2 q3 q4 quarter quarters recent",
        "recently s saturday sep sept september seven show since six sunday ten",
        "the things think this thought three through thursday till to today",
        "tonight tuesday twelve two until up was we wednesday week weekend weeks",
        "were what when which within worked write written wrote year years",
        "yesterday",
    )
    for word in line.split()
)
"""Words that say nothing beside a day: "what did I write last week"."""

_WORDS = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+(?:st|nd|rd|th)?")


def names_only_days(text: str) -> bool:
    """Return true if a question that names days says nothing else."""
    words = _WORDS.findall(text.lower())
    return all(word in DAY_WORDS or _NUMBER.fullmatch(word) for word in words)
